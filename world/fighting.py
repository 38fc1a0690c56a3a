"""War and peace: drawing weapons, and the checks before a blow.

Nobody is hurt yet. A client's wish to strike is checked as it will be, and refused in words.
"""

from __future__ import annotations

from world import motion
from world.audience import in_sight
from world.events import Swung
from world.heading import OFFSETS
from world.mobile import Mobile, Posture
from world.reach import Cannot, Refusal, can_reach, can_see
from world.speech import notice


def set_war(mobile: Mobile, war: bool) -> None:
    """Draw or sheathe. Raises Cannot(DEAD): ghosts do not draw."""
    if war and mobile.dead:
        raise Cannot(Refusal.DEAD)
    mobile.war = war


def attack(actor: Mobile, target: Mobile) -> None:
    """Attack a mobile, blow after blow. Always raises Cannot while there is no fighting: DEAD, SITTING,
    ONESELF, UNSEEN or FAR, else PEACEFUL."""
    _check_may_strike(actor)
    if target is actor:
        raise Cannot(Refusal.ONESELF)
    if not can_see(actor, target):
        raise Cannot(Refusal.UNSEEN)
    if not can_reach(actor, target):
        raise Cannot(Refusal.FAR)
    raise Cannot(Refusal.PEACEFUL)


def strike(actor: Mobile, heading: int) -> None:
    """Strike once at the tile ahead; viewers receive `Swung`. A player who strikes at a mobile reads that
    nobody fights here yet. Raises Cannot(DEAD or SITTING)."""
    _check_may_strike(actor)
    motion.turn(actor, heading)
    actor.world.events.append(Swung(actor, heading, in_sight(actor)))
    dx, dy = OFFSETS[heading]
    realm = actor.realm
    struck = realm.space.around(actor.x + dx, actor.y + dy, 0) if realm is not None else []
    if any(isinstance(thing, Mobile) and not thing.hidden for thing in struck):
        notice(actor, Refusal.PEACEFUL.value)


def _check_may_strike(actor: Mobile) -> None:
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if actor.posture != Posture.STANDING:
        raise Cannot(Refusal.SITTING)
