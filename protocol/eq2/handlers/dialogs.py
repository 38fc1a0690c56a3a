"""Answers to the world's questions, in their windows and by words.

A conversation carries the serial of its dialog and counts its answers from 0. An answer closes the window;
what is asked next opens another one. The same question can be answered by /answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.eq2.handlers.table import ROWS, command
from protocol.eq2.packets import DialogClose, DialogDismiss, DialogSelect
from protocol.wishes import Wish, tell
from world import dialogs
from world.forms import step_of
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile


@ROWS.while_playing(DialogSelect, every=Interval(0.1, burst=3))
def choose(session: Eq2Session, mobile: Mobile, packet: DialogSelect) -> None:
    """DialogSelect: an answer in the window of a conversation."""
    dialog = mobile.dialogs.get(packet.conversation)
    ways = step_of(dialog).ways if dialog is not None else ()
    if dialog is None or packet.response >= len(ways):
        tell(session, Wish.UNASKED)
        if dialog is None:
            session.send(DialogClose(packet.conversation))
        return
    dialogs.choose(mobile, dialog.serial, dialog.type_id, ways[packet.response].number)
    session.send(DialogClose(dialog.serial))


@ROWS.while_playing(DialogDismiss)
def dismiss(session: Eq2Session, mobile: Mobile, packet: DialogDismiss) -> None:
    """DialogDismiss: the window of a conversation was closed, which is an answer, too."""
    dialog = mobile.dialogs.get(packet.conversation)
    if dialog is not None:
        dialogs.answer(mobile, dialog.serial, dialog.type_id, 0)


@command("answer")
def answer(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Answer the newest open question, with the number or the beginning of the words of an answer. Without
    either it is waved aside."""
    dialogs.reply_in_words(mobile, text)


@command("answer_typed")
def answer_typed(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Answer with what was typed into a window; nothing does not close it."""
    if text:
        answer(session, mobile, text)
    else:
        notice(mobile, "Type /answer and your words.")
