"""The world's dialogs as this game's windows: a text, buttons, and fields to fill in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.web.packets.dialogs import Ask, Blank, Choice, Close, Offer
from world import dialogs

if TYPE_CHECKING:
    from protocol.web.looks import WebLooks
    from protocol.web.session import WebSession
    from world.dialog import Input, Value
    from world.mobile import Dialog


def asked(dialog: Dialog, looks: WebLooks) -> Ask:
    """The message of a dialog."""
    return Ask(
        dialog.serial,
        dialog.title,
        dialog.text,
        tuple(Choice(button.number, button.label) for button in dialog.buttons),
        dialog.asker.serial if dialog.asker is not None else 0,
        tuple(dialog.more),
        tuple(_blank(question, dialog.draft.values.get(question.key), looks) for question in dialog.inputs),
    )


def _blank(question: Input, given: Value | None, looks: WebLooks) -> Blank:
    key, prompt = question.key, question.prompt
    if isinstance(question, dialogs.Choice):
        marked = given if isinstance(given, tuple) else ()
        options = tuple(
            Offer(
                option.number,
                option.words,
                looks.item(option.thing) if option.thing is not None else None,
                option.price or 0,
                option.number in marked,
            )
            for option in question.options
        )
        return Blank(key, prompt, "several" if question.several else "choice", options)
    if isinstance(question, dialogs.Number):
        start = given if given is not None else question.start
        words = str(start) if start is not None else ""
        return Blank(key, prompt, "number", (), question.least, question.most, words)
    return Blank(key, prompt, "line", (), question.shortest, question.longest, str(given or ""))


class Question:
    """`Ask`: notes that its player has this dialog before it."""

    __slots__ = ("_kind", "_raw", "_serial")
    droppable = False

    def __init__(self, dialog: Dialog, looks: WebLooks) -> None:
        self._serial, self._kind = dialog.serial, dialog.type_id
        self._raw = asked(dialog, looks).encode()

    def bind(self, session: WebSession) -> bytes:
        """The message."""
        session.asked[self._serial] = self._kind
        return self._raw


class Withdrawn:
    """`Close`: the dialog is not before its player any more."""

    __slots__ = ("_raw", "_serial")
    droppable = False

    def __init__(self, dialog: Dialog) -> None:
        self._serial = dialog.serial
        self._raw = Close(dialog.serial).encode()

    def bind(self, session: WebSession) -> bytes:
        """The message; nothing if it was not shown."""
        return self._raw if session.asked.pop(self._serial, None) is not None else b""
