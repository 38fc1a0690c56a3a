"""Furniture: sitting down and standing up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import motion
from world.heading import OFFSETS
from world.mobile import Mobile, Posture
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.realm import Realm

SIDES: Final = (0, 2, 4, 6)
"""The headings of the four tiles beside one."""

ANY_SIDE: Final = -1
"""A seat without a back: one faces the side one came from."""


def sit(mobile: Mobile) -> None:
    """Sit down: on the seat before the mobile if it is free, else on the floor. Raises Cannot(DEAD or
    SITTING)."""
    _check_may_sit(mobile)
    dx, dy = OFFSETS[mobile.heading]
    x, y = mobile.x + dx, mobile.y + dy
    realm = mobile.realm
    if (
        realm is not None
        and _seated_heading(realm, (x, y), (-dx, -dy)) is not None
        and not _is_taken(realm, x, y)
    ):
        sit_on_seat(mobile, x, y)
    else:
        sit_on_floor(mobile)


def sit_on_floor(mobile: Mobile) -> None:
    """Sit on the floor where the mobile stands. Raises Cannot(DEAD or SITTING)."""
    _check_may_sit(mobile)
    motion.halt(mobile)
    mobile.posture = Posture.FLOOR


def sit_on_seat(mobile: Mobile, x: int, y: int) -> None:
    """Take the seat at a tile, from any of the four beside it: many stand against a table. Raises Cannot:
    NO_SEAT, TAKEN, FAR, DEAD or SITTING."""
    _check_may_sit(mobile)
    realm = mobile.realm
    if realm is None or (x, y) not in realm.chart.seats:
        raise Cannot(Refusal.NO_SEAT)
    if max(abs(x - mobile.x), abs(y - mobile.y)) > 1:
        raise Cannot(Refusal.FAR)
    heading = _seated_heading(realm, (x, y), (mobile.x - x, mobile.y - y))
    if heading is None:
        raise Cannot(Refusal.NO_SEAT)
    if _is_taken(realm, x, y):
        raise Cannot(Refusal.TAKEN)
    motion.halt(mobile)
    motion.go(mobile, x, y, heading)
    mobile.posture = Posture.CHAIR


def stand(mobile: Mobile) -> None:
    """Stand up at the player's wish. Raises Cannot: STANDING if it stands, CRAMPED if there is no room."""
    if mobile.posture == Posture.STANDING:
        raise Cannot(Refusal.STANDING)
    stand_up(mobile)
    if mobile.posture != Posture.STANDING:
        raise Cannot(Refusal.CRAMPED)


def stand_up(mobile: Mobile) -> None:
    """Stand up: from a seat on the tile before it, else on one beside it or on the nearest free tile; the
    mobile stays seated if there is none."""
    if mobile.posture == Posture.CHAIR and mobile.realm is not None:
        place = next(_places_beside(mobile, mobile.realm), None)
        if place is None:
            return
        motion.go(mobile, *place, mobile.heading)
    mobile.posture = Posture.STANDING


def stay_on_feet(mobile: Mobile) -> None:
    """Stand where one is, for a client that knows no other way: also on a seat."""
    mobile.posture = Posture.STANDING


def _check_may_sit(mobile: Mobile) -> None:
    if mobile.dead:
        raise Cannot(Refusal.DEAD)
    if mobile.posture != Posture.STANDING:
        raise Cannot(Refusal.SITTING)


def _seated_heading(realm: Realm, seat: tuple[int, int], offset: tuple[int, int]) -> int | None:
    """The way one would sit there, coming from `offset` beside it; None if one cannot."""
    opening = realm.chart.seats.get(seat)
    if opening is None:
        return None
    for heading in SIDES:
        if OFFSETS[heading] == offset:
            return heading if opening == ANY_SIDE else opening
    return None


def _places_beside(mobile: Mobile, realm: Realm) -> Iterator[tuple[int, int]]:
    """Where one may stand who gets up from a seat, the best first: before it, beside it, behind it, and what
    is near to the tile before it."""
    for turn in (0, 2, 6, 4):
        dx, dy = OFFSETS[(mobile.heading + turn) % len(OFFSETS)]
        if realm.walkable(mobile.x + dx, mobile.y + dy):
            yield mobile.x + dx, mobile.y + dy
    dx, dy = OFFSETS[mobile.heading]
    yield from realm.free_near(mobile.x + dx, mobile.y + dy, 1)


def _is_taken(realm: Realm, x: int, y: int) -> bool:
    there = realm.space.around(x, y, 0)
    return any(isinstance(thing, Mobile) and thing.posture == Posture.CHAIR for thing in there)
