"""Sitting down and standing up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import motion
from world.heading import OFFSETS
from world.mobile import Mobile, Posture

if TYPE_CHECKING:
    from world.realm import Realm

ANY_SIDE: Final = -1
"""A seat that may be taken from every side: a stool."""


def sit_on_floor(mobile: Mobile) -> bool:
    """Sit where one stands; False if it does not stand."""
    if mobile.posture != Posture.STANDING:
        return False
    motion.halt(mobile)
    mobile.posture = Posture.FLOOR
    return True


def sit_on_seat(mobile: Mobile, x: int, y: int) -> bool:
    """Take the seat at a tile, from the tile before it; False if it is none, is taken, or is out of reach."""
    realm = mobile.realm
    if realm is None or mobile.posture != Posture.STANDING:
        return False
    heading = _seated_heading(realm, (x, y), (mobile.x - x, mobile.y - y))
    if heading is None or _is_taken(realm, x, y):
        return False
    motion.halt(mobile)
    motion.go(mobile, x, y, heading)
    mobile.posture = Posture.CHAIR
    return True


def stand_up(mobile: Mobile) -> None:
    """Stand; from a seat onto the tile before it, or the nearest where one can."""
    if mobile.posture == Posture.CHAIR and mobile.realm is not None:
        dx, dy = OFFSETS[mobile.heading]
        place = next(mobile.realm.free_near(mobile.x + dx, mobile.y + dy, 1), None)
        if place is None:
            return
        motion.go(mobile, *place, mobile.heading)
    mobile.posture = Posture.STANDING


def _seated_heading(realm: Realm, seat: tuple[int, int], offset: tuple[int, int]) -> int | None:
    """The way one would sit there, coming from `offset` beside it; None if one cannot."""
    opening = realm.chart.seats.get(seat)
    for heading in (0, 2, 4, 6):
        if OFFSETS[heading] == offset and opening in (heading, ANY_SIDE):
            return heading
    return None


def _is_taken(realm: Realm, x: int, y: int) -> bool:
    there = realm.space.around(x, y, 0)
    return any(isinstance(thing, Mobile) and thing.posture == Posture.CHAIR for thing in there)
