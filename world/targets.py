"""Target of a mobile: the thing its player aims at. Nothing follows from it: to look, to talk and to strike
are other verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.thing import Thing


def target(mobile: Mobile, other: Thing | None) -> None:
    """Aim at a thing, oneself included, or at nothing (None); others may be shown that."""
    mobile.target = 0 if other is None else other.serial
