"""Using somebody or something: conversations, containers; and the answers to the world's questions."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from protocol.web.handlers.looking import find
from protocol.web.handlers.table import while_playing
from protocol.web.messages import Answer, Use
from protocol.web.view import Inside
from world import dialogs, residents
from world.mobile import Mobile
from world.reach import Refusal, can_see, can_use
from world.speech import notice

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.item import Item

log = logging.getLogger("net.web")

TALKING_TILES: Final = 17
"""Tiles from which one talks with somebody, as in Conquer Online."""

MOST_OPEN: Final = 32
"""Containers that one client has open; the one that it opened first is closed beyond that."""


@while_playing(Use, every=0.1)
def use(session: WebSession, mobile: Mobile, message: Use) -> None:
    """use: talk to a resident, look into a container."""
    thing = find(session, mobile, message.id)
    if thing is None:
        notice(mobile, Refusal.GONE.value)
    elif not isinstance(thing, Mobile):
        _open(session, mobile, thing)
    elif thing.is_character:
        session.send(session.view.figures.seen(thing))
    elif not _is_near(mobile, thing):
        notice(mobile, Refusal.FAR.value)
    elif mobile.dead or thing.template.key == residents.CRIER or thing.serial in mobile.world.listeners:
        residents.talk_to(mobile, thing)
    else:
        notice(mobile, f"{thing.name} has nothing to say.")


def _open(session: WebSession, mobile: Mobile, item: Item) -> None:
    if not item.template.container:
        notice(mobile, f"You cannot think of a use for {item.label}.")
        return
    refusal = can_use(mobile, item)
    if refusal is not None:
        notice(mobile, refusal.value)
        return
    opened = session.opened
    opened.pop(item.serial, None)
    while len(opened) >= MOST_OPEN:
        del opened[next(iter(opened))]
    opened[item.serial] = b""
    session.queue(Inside(item.serial, session.view.figures.content(item).encode()))


@while_playing(Answer, every=0.05)
def answer(session: WebSession, mobile: Mobile, message: Answer) -> None:
    """answer: which button of a dialog that was shown. It counts near whoever asked."""
    kind, dialog = session.asked.get(message.serial), mobile.dialogs.get(message.serial)
    if kind is None or dialog is None:
        log.debug("%r: nobody asked", session)
        return
    asker = dialog.asker
    if message.button and asker is not None and not (can_see(mobile, asker) and _is_near(mobile, asker)):
        notice(mobile, Refusal.FAR.value)
        return
    if dialogs.answer(mobile, message.serial, kind, message.button):
        session.asked.pop(message.serial, None)


def _is_near(mobile: Mobile, other: Mobile) -> bool:
    return max(abs(other.x - mobile.x), abs(other.y - mobile.y)) <= TALKING_TILES
