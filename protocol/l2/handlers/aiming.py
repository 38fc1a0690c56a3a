"""Aiming: whom a client has targeted, and what it is told of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.packets import MyTargetSelected, TargetSelected
from protocol.l2.view import L2View
from world import arms, law
from world.item import Item
from world.mobile import Mobile
from world.reach import can_see
from world.targets import target

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.thing import Thing


def thing_of(session: L2Session, serial: int) -> Thing | None:
    """A thing that this client sees now: its own character, or what it knows."""
    mobile = session.mobile
    if mobile is None:
        return None
    thing = mobile if serial == mobile.serial else session.known.get(serial)
    return thing if isinstance(thing, Mobile | Item) and can_see(mobile, thing) else None


def aim(session: L2Session, mobile: Mobile, thing: Mobile) -> None:
    """Make somebody the client's target, and tell how it is. Others see whom one looks at."""
    view = L2View.of(session)
    if session.target != thing.serial:
        session.target = thing.serial
        target(mobile, thing)
        place = view.places.of(mobile)
        if place is not None:
            selected = TargetSelected(mobile.serial, thing.serial, place.x, place.y, place.z)
            view.players.tell_watching(mobile, selected)
    session.send(MyTargetSelected(thing.serial, colour(mobile, thing)))
    if thing is not mobile:
        session.queue(*view.health(thing, session.dialect))


def colour(mobile: Mobile, thing: Mobile) -> int:
    """The colour of a target's name: how much its level is below one's own. 0 for whom a click does not
    attack."""
    if thing is mobile or not law.invites_blows(mobile, thing):
        return 0
    return (arms.level_of(mobile) - arms.level_of(thing)) & 0xFFFF
