"""Visits: a player stands at the counter of a merchant or a banker, until it closes the window, dies or is
elsewhere."""

from __future__ import annotations

from typing import Final

from world import audience
from world.events import CounterClosed
from world.heading import apart
from world.mobile import Mobile
from world.reach import Cannot, Refusal, can_see

CLOSED: Final = "Nobody serves you there any more: begin anew."


def host(actor: Mobile, service: str) -> Mobile:
    """The one that serves a player in that way now. Raises Cannot: DEAD, or GONE if nobody does."""
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    visit = actor.visit
    if visit is None or visit.service != service:
        raise Cannot(Refusal.GONE, CLOSED)
    return visit.host


def leave(actor: Mobile) -> None:
    """End a visit: its player closed the window."""
    actor.visit = None


def dismiss(actor: Mobile) -> None:
    """End a visit from the world's side; its player's window closes."""
    visit, actor.visit = actor.visit, None
    if visit is not None:
        event = CounterClosed(actor, visit.host, visit.service, audience.one(actor))
        actor.world.events.append(event)


def nearest(actor: Mobile, role: str, tiles: int) -> Mobile | None:
    """The nearest of a role that the actor sees within so many tiles; None if there is none."""
    around = [] if actor.realm is None else actor.realm.space.around(actor.x, actor.y, tiles)
    found = [one for one in around if isinstance(one, Mobile) and one.has_role(role) and can_see(actor, one)]
    return min(found, key=lambda one: (apart(actor, one), one.serial), default=None)
