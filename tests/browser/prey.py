"""A creature to hunt: one that strikes only whoever struck it, and leaves gold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.browser.guests import FREE
from world.heading import OFFSETS

if TYPE_CHECKING:
    from tests.browser.guests import Guest, Host

PREY: Final = "a giant rat"
CORPSE: Final = f"corpse of {PREY}"


def comes(visitor: Guest, host: Host, far: int) -> None:
    """A creature that strikes only whoever struck it, so many tiles off."""
    x, y = visitor.settles(host)
    spots = ([x + dx * far, y + dy * far] for dx, dy in OFFSETS)
    place = next(spot for spot in spots if visitor.ask(FREE, bool, spot))
    host.order(f"spawn giant_rat 1 confluence {place[0]} {place[1]}")
    visitor.knows(PREY)
