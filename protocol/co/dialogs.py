"""The world's dialogs as this game shows them: a text in pieces, a line for each answer, and a face.

A client names an answer by a small number alone. So the buttons of a dialog are numbered from 1 as they are
shown, and which dialog that is, its session remembers (`Question`): of an earlier one nothing can be
answered. Who closes the window sends nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.co.packets import LONGEST_TEXT, NO_ANSWER, DialogAction, TaskDialog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from protocol.co.packets import Message
    from protocol.co.patches import Patch
    from protocol.co.session import CoSession
    from protocol.session import Session
    from world.dialog import Dialog
    from world.mobile import Mobile

BOX: Final = 254
"""The answer that comes with typed words: the highest that does not close the window."""

LONGEST_INPUT: Final = 16
"""Letters that fit the box: those of a name."""

MOST_PIECES: Final = 16
"""Pieces of a text: what a client's window still shows."""

FACE: Final = 1
"""Portrait of whoever asks. All clients have the first ones."""


class Question:
    """A dialog's window. `serial` is the dialog's, `numbers` are those of its buttons as they are shown."""

    __slots__ = ("_numbers", "_raw", "_serial", "_speaker")
    droppable = False

    def __init__(self, dialog: Dialog, patch: Patch) -> None:
        self._serial = dialog.serial
        self._speaker = dialog.asker.serial if dialog.asker is not None else 0
        self._numbers = tuple(button.number for button in dialog.buttons)
        labels = [button.label for button in dialog.buttons]
        packets = window(f"{dialog.title}: {dialog.text}", labels)
        self._raw = b"".join(packet.encode(patch) for packet in packets)

    def bind(self, session: Session) -> bytes:
        """The packets, one behind the other. Notes which dialog the player has before it now."""
        client = cast("CoSession", session)
        client.question, client.answers, client.talks_to = self._serial, self._numbers, self._speaker
        client.typed = None
        return self._raw


class Field:
    """A window with a box to type into, which the world's dialogs have not. `typed` is called with who typed
    and what."""

    __slots__ = ("_raw", "_speaker", "_typed")
    droppable = False

    def __init__(
        self, asker: Mobile, text: str, label: str, typed: Callable[[Mobile, str], None], patch: Patch
    ) -> None:
        self._speaker = asker.serial
        self._typed = typed
        self._raw = b"".join(packet.encode(patch) for packet in window(text, (), box=label))

    def bind(self, session: Session) -> bytes:
        """The packets, one behind the other. Notes what the player has before it now."""
        client = cast("CoSession", session)
        client.question, client.answers, client.talks_to = 0, (), self._speaker
        client.typed = self._typed
        return self._raw


def window(text: str, labels: Sequence[str], *, box: str = "") -> list[Message]:
    """The packets of a window. An answer comes with the place of its label, from 1; what is typed into the
    box of that label with BOX."""
    packets: list[Message] = [_part(DialogAction.TEXT, text=piece) for piece in _pieces(text)]
    packets += [_part(DialogAction.OPTION, option=n, text=label) for n, label in enumerate(labels, 1)]
    if box:
        packets.append(TaskDialog(0, LONGEST_INPUT, BOX, DialogAction.INPUT, (box[:LONGEST_TEXT],)))
    packets.append(TaskDialog(0, FACE, NO_ANSWER, DialogAction.FACE))
    packets.append(TaskDialog(0, 0, NO_ANSWER, DialogAction.SHOW))
    return packets


def _part(action: DialogAction, *, text: str, option: int = NO_ANSWER) -> TaskDialog:
    return TaskDialog(0, 0, option, action, (text[:LONGEST_TEXT],))


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces that fit a packet, cut at blanks where there are some; what is too much is left
    out."""
    for _ in range(MOST_PIECES):
        if not text:
            return
        piece = text[:LONGEST_TEXT]
        if len(text) > LONGEST_TEXT and " " in piece:
            piece = piece[: piece.rindex(" ") + 1]
        yield piece
        text = text[len(piece) :]
