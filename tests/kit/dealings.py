"""What a client's windows show of whom its player deals with: a trade, and the party.

One shape for all games, so that a test can ask both clients of a pair the same.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import attrs

from tests.kit.in_memory import shipped_content
from world.bargain import GOLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@attrs.frozen
class Offer:
    """One side of a trade: amounts by the world's key of a thing, gold of any form, and whether it agrees."""

    things: Mapping[str, int] = attrs.field(factory=dict)
    gold: int = 0
    agrees: bool = False


@attrs.frozen
class Table:
    """The window of a trade."""

    own: Offer = Offer()
    theirs: Offer = Offer()

    @property
    def turned(self) -> Table:
        """What the other's window shows, if both show the same."""
        return Table(self.theirs, self.own)


@attrs.frozen
class Member:
    """One of the others in the window of a party. What a client does not show is None."""

    health: int | None = None
    """Percent of its hits."""
    level: int | None = None


def percent(now: int, most: int) -> int:
    """How full a bar is, rounded down."""
    return 100 * now // most if most > 0 else 0


def offer(things: Iterable[tuple[str, int]], gold: int = 0, *, agrees: bool = False) -> Offer:
    """A side of so many of these kinds, each perhaps in several stacks; coins among them are gold."""
    found: dict[str, int] = {}
    for kind, amount in things:
        found[kind] = found.get(kind, 0) + amount
    return Offer(found, gold + found.pop(GOLD, 0), agrees)


@functools.cache
def keys_by_name() -> Mapping[str, str]:
    """The world's key of a thing by its name, for clients that read names: the first of several."""
    items = shipped_content().items.items()
    return {template.name.lower(): key for key, template in reversed([*items])}
