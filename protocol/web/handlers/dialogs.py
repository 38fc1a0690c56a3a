"""Using somebody or something: conversations, containers, signs; and the answers to the world's questions."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.refusals import refused_in_words, tell_refusal
from protocol.web.handlers.looking import find
from protocol.web.handlers.table import while_playing
from protocol.web.packets.dialogs import Answer
from protocol.web.packets.people import Read
from protocol.web.packets.things import Use
from protocol.web.view import Inside
from protocol.wishes import Wish, tell
from world import dialogs, residents, signs, using
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.serials import FIRST_ITEM
from world.speech import notice

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.forms import Given
    from world.item import Item

log = logging.getLogger("net.web")

MOST_OPEN: Final = 32
"""Containers that one client has open; the one that it opened first is closed beyond that."""


@while_playing(Use, every=Interval(0.1, burst=3))
def use(session: WebSession, mobile: Mobile, message: Use) -> None:
    """use: talk to a resident, look into a container."""
    thing = find(session, mobile, message.id)
    if thing is None:
        notice(mobile, (Refusal.GONE if message.id >= FIRST_ITEM else Refusal.UNSEEN).value)
    elif not isinstance(thing, Mobile):
        _open(session, mobile, thing)
    elif thing.is_character:
        session.send(session.view.figures.seen(thing))
    else:
        with refused_in_words(mobile):
            residents.talk_to(mobile, thing)


def _open(session: WebSession, mobile: Mobile, item: Item) -> None:
    try:
        deed = using.use(mobile, item)
    except Cannot as cannot:
        tell_refusal(mobile, cannot)
        return
    if deed is not using.Deed.OPENED:
        return
    opened = session.opened
    opened.pop(item.serial, None)
    while len(opened) >= MOST_OPEN:
        del opened[next(iter(opened))]
    opened[item.serial] = b""
    session.queue(Inside(item.serial, session.view.figures.content(item).encode()))


@while_playing(Read, every=Interval(0.2, burst=3))
def read(session: WebSession, mobile: Mobile, message: Read) -> None:
    """read: the sign of a tile, if it is near enough."""
    with refused_in_words(mobile):
        notice(mobile, signs.read(mobile, (message.x, message.y)))


@while_playing(Answer, every=Interval(0.05, burst=3))
def answer(session: WebSession, mobile: Mobile, message: Answer) -> None:
    """answer: which button of a dialog that was shown. It counts near whoever asked."""
    kind, dialog = session.asked.get(message.serial), mobile.dialogs.get(message.serial)
    if kind is None or dialog is None:
        log.debug("%r: nobody asked", session)
        tell(session, Wish.UNASKED)
        return
    given: dict[str, Given] = {one.key: one.text or one.chosen for one in message.filled}
    with refused_in_words(mobile):
        try:
            answered = dialogs.answer(mobile, message.serial, kind, message.button, given)
        finally:
            if message.serial not in mobile.dialogs:
                session.asked.pop(message.serial, None)
        if not answered:
            tell(session, Wish.UNASKED)
