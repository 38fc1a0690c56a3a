"""Conversations: a click on somebody, and the answers to the window that opens.

An answer counts only for the question that the client was shown last, and near whoever asked it.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.co.dialogs import BOX
from protocol.co.handlers import characters, counters
from protocol.co.handlers.approaching import do_there
from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import TABLE
from protocol.co.packets import NO_ANSWER, DialogAction, Npc, NpcEvent, TaskDialog
from protocol.co.view import CoView
from protocol.dispatch import Interval
from protocol.wishes import Wish, tell
from world import dialogs, quests, residents, signs
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.co.looks import PropLook
    from protocol.co.session import CoSession
    from protocol.landmarks import Landmark
    from world.mobile import Mobile

log = logging.getLogger("net.co")

COMES_WITHIN: Final = 3
"""Tiles from a resident at which who walks up to talk stands still."""


@TABLE.while_playing(Npc, every=Interval(0.1, burst=3))
def click(session: CoSession, mobile: Mobile, packet: Npc) -> None:
    """Npc: a click on a resident, to whom one walks up from afar. The other events are what one does to
    furniture of one's own."""
    if packet.event == NpcEvent.CANCEL:
        return
    if packet.event != NpcEvent.ACTIVATE:
        tell(session, Wish.UNKNOWN)
        return
    landmark = CoView.of(session).scenery.find(packet.id)
    if landmark is not None:
        _look_at(mobile, landmark)
        return
    resident = seen(session, mobile, packet.id)
    if resident is None:
        notice(mobile, Refusal.UNSEEN.value)
        return
    if resident.is_character:
        tell(session, Wish.UNKNOWN)
        return
    talk = partial(_talk, session, mobile, resident)
    do_there(session, mobile, resident, COMES_WITHIN, talk)


def _talk(session: CoSession, mobile: Mobile, resident: Mobile) -> None:
    session.menu = None  # whoever comes anew begins with the first page
    residents.talk_to(mobile, resident, characters.topics(session, resident))


def _look_at(mobile: Mobile, landmark: Landmark[PropLook]) -> None:
    """What stands for a wall or a tree of the realm: read the sign there, or hear what it is."""
    words = f"You see: {landmark.name}."
    if landmark.signed and mobile.realm is not None and mobile.realm.name == landmark.realm:
        try:
            words = signs.read(mobile, (landmark.x, landmark.y))
        except Cannot as cannot:
            words = str(cannot)
    notice(mobile, words)


@TABLE.while_playing(TaskDialog, every=Interval(0.1, burst=3))
def answer(session: CoSession, mobile: Mobile, packet: TaskDialog) -> None:
    """TaskDialog: an answer, by its place in the window; or the button for what one has to do. Raises Cannot,
    as what it leads to."""
    if packet.action == DialogAction.TASK:
        session.menu = None
        quests.show_journal(mobile)
        return
    if packet.action != DialogAction.ANSWER:
        tell(session, Wish.UNKNOWN)
        return
    if session.menu is not None:
        _choose(session, mobile, packet)
    else:
        _answer(session, mobile, packet)


def _choose(session: CoSession, mobile: Mobile, packet: TaskDialog) -> None:
    """An answer of a menu."""
    if packet.option == BOX:
        counters.write(session, mobile, packet.strings[0] if packet.strings else "")
    elif packet.option == NO_ANSWER:
        counters.close(session, mobile)
    else:
        counters.choose(session, mobile, packet.option)


def _answer(session: CoSession, mobile: Mobile, packet: TaskDialog) -> None:
    """An answer of one of the world's dialogs."""
    serial, numbers = session.question, session.answers
    dialog = mobile.dialogs.get(serial)
    if dialog is None:
        log.debug("%r: nobody asked", session)
        if packet.option != NO_ANSWER:  # else the window of before was closed
            tell(session, Wish.UNASKED)
        return
    if packet.option == BOX:
        typed = packet.strings[0] if packet.strings else ""
        taken = dialogs.write(mobile, serial, dialog.type_id, typed)
    elif packet.option == NO_ANSWER:
        taken = dialogs.answer(mobile, serial, dialog.type_id, 0)
    else:
        offered = 0 < packet.option <= len(numbers)
        taken = offered and dialogs.choose(mobile, serial, dialog.type_id, numbers[packet.option - 1])
    if taken:
        session.question, session.answers = 0, ()
    else:
        log.debug("%r: there is no answer %d", session, packet.option)
        tell(session, Wish.UNASKED)
