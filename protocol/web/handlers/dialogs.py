"""Answers to the world's questions."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web.handlers.table import TABLE
from protocol.web.packets.dialogs import Answer
from protocol.wishes import Wish, tell
from world import dialogs

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.forms import Given
    from world.mobile import Mobile

log = logging.getLogger("net.web")


@TABLE.while_playing(Answer, every=Interval(0.05, burst=3))
def answer(session: WebSession, mobile: Mobile, message: Answer) -> None:
    """answer: which button of a dialog that was shown. It counts near whoever asked."""
    kind, dialog = session.asked.get(message.serial), mobile.dialogs.get(message.serial)
    if kind is None or dialog is None:
        log.debug("%r: nobody asked", session)
        tell(session, Wish.UNASKED)
        return
    given: dict[str, Given] = {one.key: one.text or one.chosen for one in message.filled}
    try:
        answered = dialogs.answer(mobile, message.serial, kind, message.button, given)
    finally:
        if message.serial not in mobile.dialogs:
            session.asked.pop(message.serial, None)
    if not answered:
        tell(session, Wish.UNASKED)
