"""Conversations: a click on somebody, and the answers to the window that opens.

An answer counts only for the question that the client was shown last, and near whoever asked it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from protocol.co.dialogs import BOX
from protocol.co.handlers import seeking, switching
from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import GAME, playing
from protocol.co.packets import NO_ANSWER, DialogAction, Npc, NpcEvent, TaskDialog
from protocol.session import Phase
from world import dialogs, residents
from world.reach import Refusal, can_see
from world.speech import notice

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile

log = logging.getLogger("net.co")

TALKING_TILES: Final = 17
"""Tiles from which one talks with somebody: public servers allow 17 or 18, about the whole screen."""


@GAME.on(Npc, during=Phase.IN_WORLD, every=0.1)
def click(session: CoSession, packet: Npc) -> None:
    """Npc: a click on a resident."""
    mobile = playing(session)
    if mobile is None or packet.event != NpcEvent.ACTIVATE:
        return
    resident = seen(session, mobile, packet.id)
    if resident is None or resident.is_character:
        return
    if not _is_near(mobile, resident):
        notice(mobile, Refusal.FAR.value)
        return
    topics = (*seeking.topics(session, resident), *switching.topics(session, resident))
    residents.talk_to(mobile, resident, topics)


@GAME.on(TaskDialog, during=Phase.IN_WORLD, every=0.1)
def answer(session: CoSession, packet: TaskDialog) -> None:
    """TaskDialog: an answer, by its place in the window."""
    mobile = playing(session)
    if mobile is None or packet.action != DialogAction.ANSWER:
        return
    if session.typed is not None:
        _take_words(session, mobile, packet)
        return
    serial, numbers, speaker = session.question, session.answers, session.talks_to
    dialog = mobile.dialogs.get(serial)
    if dialog is None:
        log.debug("%r: nobody asked", session)
        return
    if packet.option == NO_ANSWER:
        _close(session)
        dialogs.answer(mobile, serial, dialog.type_id, 0)
        return
    if not 0 < packet.option <= len(numbers):
        log.debug("%r: there is no answer %d", session, packet.option)
        return
    if not _may_answer(mobile, speaker):
        return
    _close(session)
    dialogs.answer(mobile, serial, dialog.type_id, numbers[packet.option - 1])


def _take_words(session: CoSession, mobile: Mobile, packet: TaskDialog) -> None:
    """An answer to a window with a box."""
    typed, speaker = session.typed, session.talks_to
    if packet.option == NO_ANSWER:
        _close(session)
    elif packet.option == BOX and typed is not None and _may_answer(mobile, speaker):
        _close(session)
        typed(mobile, packet.strings[0] if packet.strings else "")


def _may_answer(mobile: Mobile, speaker: int) -> bool:
    """Whether who asked is still near, if somebody did; its player is told if not."""
    asker = mobile.world.mobiles.get(speaker)
    near = asker is None or (can_see(mobile, asker) and _is_near(mobile, asker))
    if not near:
        notice(mobile, Refusal.FAR.value)
    return near


def _close(session: CoSession) -> None:
    session.question, session.answers, session.talks_to, session.typed = 0, (), 0, None


def _is_near(mobile: Mobile, other: Mobile) -> bool:
    return max(abs(other.x - mobile.x), abs(other.y - mobile.y)) <= TALKING_TILES
