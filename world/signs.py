"""Signs: words that stand at a place, for every mobile near enough to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world.heading import apart
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile

READING: Final = 5
"""Tiles from which a sign can be read."""


def read(mobile: Mobile, place: tuple[int, int] | None = None) -> str:
    """Read the sign at a place of the mobile's realm, or the nearest one. The dead can read, too.

    Raises Cannot: NO_SIGN if there is none, FAR if it is too far away.
    """
    realm = mobile.realm
    signs = [] if realm is None else [s for s in realm.chart.signs if place is None or (s.x, s.y) == place]
    sign = min(signs, key=lambda sign: apart(mobile, sign), default=None)
    if sign is None or (place is None and apart(mobile, sign) > READING):
        raise Cannot(Refusal.NO_SIGN)
    if apart(mobile, sign) > READING:
        raise Cannot(Refusal.FAR)
    return f"{sign.title}: {sign.text}" if sign.text else sign.title
