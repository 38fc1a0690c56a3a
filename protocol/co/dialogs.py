"""The world's dialogs as this game shows them: a text in pieces, a line for each answer, and a face.

A client names an answer by a small number alone. So the buttons of a dialog are numbered from 1 as they are
shown, and which dialog that is, its session remembers (`Question`): of an earlier one nothing can be
answered. Who closes the window sends nothing.

What another player asks for, the client has questions of its own for, which name the asker (`ASKS`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.co.figures import LONGEST_NAME, NAMING
from protocol.co.packets import (
    LONGEST_TEXT,
    LONGEST_WORDS,
    NO_ANSWER,
    Channel,
    DialogAction,
    Friend,
    FriendAction,
    Guild,
    GuildAction,
    TaskDialog,
    Team,
    TeamAction,
    Trade,
    TradeAction,
)
from protocol.co.packets import said as talk
from world import friends, guilds, party, trade
from world.dialog import Line
from world.forms import LONGEST_NUMBER, step_of
from world.words import LONGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from protocol.co.figures import Figures
    from protocol.co.packets import Message
    from protocol.co.session import CoSession, Menu, Way
    from protocol.co.versions import CoVersion
    from world.mobile import Dialog

BOX: Final = 254
"""The answer that comes with typed words: the highest that does not close the window."""

BOX_LABEL: Final = "That is my answer."

MOST_PIECES: Final = 16
"""Pieces of a text: what a client's window still shows."""

ASKS: Final[Mapping[tuple[str, str], Callable[[int, str], Message]]] = {
    (friends.FRIENDSHIP, ""): lambda asker, name: Friend(asker, FriendAction.APPLY, 1, name=name),
    (guilds.GUILD, ""): lambda asker, name: Guild(GuildAction.INVITE, asker),
    (guilds.GUILD, guilds.APPLICATION): lambda asker, name: Guild(GuildAction.APPLY, asker),
    (trade.TRADE, ""): lambda asker, name: Trade(asker, TradeAction.APPLY),
    (party.KIND, party.INVITE): lambda asker, name: Team(TeamAction.INVITE, asker),
    (party.KIND, party.JOIN): lambda asker, name: Team(TeamAction.APPLY, asker),
}
"""Questions of the client's own, made with the number and name of the asker; by name and subject of the
dialog."""

NAMED: Final = frozenset({friends.FRIENDSHIP})
"""Those of them that say who asks, so that the client need not know that one."""


class Question:
    """A dialog's window, with the portrait `face`. Its session is told the dialog's serial and the numbers of
    its buttons as they are shown."""

    __slots__ = ("_numbers", "_raw", "_serial")
    droppable = False

    def __init__(self, dialog: Dialog, version: CoVersion, face: int) -> None:
        step = step_of(dialog)
        self._serial = dialog.serial
        self._numbers = tuple(way.number for way in step.ways)
        longest = step.typed.longest if isinstance(step.typed, Line) else LONGEST_NUMBER
        box = min(longest, LONGEST) if step.typed is not None else 0
        packets = window(f"{dialog.title}: {step.text}", [way.label for way in step.ways], face, box)
        self._raw = b"".join(packet.encode(version) for packet in packets)

    def bind(self, session: CoSession) -> bytes:
        """The packets, one behind the other. Notes which dialog the player has before it now."""
        session.question, session.answers, session.menu = self._serial, self._numbers, None
        return self._raw


class Invite:
    """Shows what another player asks for: by the client's own question and a line, if it has one for that and
    sees who asks, since it does not know others by their numbers (but for NAMED); else by a window like
    all."""

    __slots__ = ("_dialog", "_figures", "_version")
    droppable = False

    def __init__(self, dialog: Dialog, version: CoVersion, figures: Figures) -> None:
        self._dialog = dialog
        self._version = version
        self._figures = figures

    def bind(self, session: CoSession) -> bytes:
        """The packets, one behind the other."""
        dialog, asker = self._dialog, self._dialog.asker
        asks = ASKS.get((dialog.name, dialog.about))
        unknown = asker is None or (dialog.name not in NAMED and asker.serial not in session.known)
        if asks is None or asker is None or unknown:
            return Question(dialog, self._version, self._figures.portrait(asker)).bind(session)
        line = talk(dialog.text[:LONGEST_WORDS], Channel.SYSTEM)
        packets = (asks(self._figures.ids.of(asker), NAMING.of(asker)[:LONGEST_NAME]), line)
        return b"".join(packet.encode(self._version) for packet in packets)


class MenuWindow:
    """A window whose answers lead on by `ways`, or by a number from 1 to `most` that is typed. Its session is
    told them when it is shown."""

    __slots__ = ("_menu", "_raw")
    droppable = False

    def __init__(
        self,
        version: CoVersion,
        text: str,
        answers: Sequence[tuple[str, Way]],
        menu: Menu,
        face: int,
    ) -> None:
        self._menu = attrs.evolve(menu, ways=tuple(way for _, way in answers))
        box = LONGEST_NUMBER if menu.box is not None else 0
        packets = window(text, [label for label, _ in answers], face, box)
        self._raw = b"".join(packet.encode(version) for packet in packets)

    def bind(self, session: CoSession) -> bytes:
        """The packets, one behind the other. Notes where the player may go from there."""
        session.question, session.answers, session.menu = 0, (), self._menu
        return self._raw


def window(text: str, labels: Sequence[str], face: int, box: int = 0) -> list[Message]:
    """The packets of a window with a portrait. An answer comes with the place of its label, from 1; what is
    typed into the box, which takes so many letters, with BOX."""
    packets: list[Message] = [_part(DialogAction.TEXT, text=piece) for piece in _pieces(text)]
    packets += [_part(DialogAction.OPTION, option=n, text=label) for n, label in enumerate(labels, 1)]
    if box:
        packets.append(TaskDialog(0, box, BOX, DialogAction.INPUT, (BOX_LABEL,)))
    packets.append(TaskDialog(0, face, NO_ANSWER, DialogAction.FACE))
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
