"""Offers of residents to players, as a designer writes them: wares, lessons, care, a bed.

A role of `world.roles` says that somebody is a merchant; the records here say what is sold and for how much.
Prices are in gold and for one piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

T = TypeVar("T")

PRICES: Final = "prices"
"""Key of what is made of a catalogue for `world.shops`."""


@attrs.frozen
class Ware:
    """Something that a merchant sells."""

    item: str
    """Item template."""
    price: int
    stock: int | None = None
    """Most that lie there at a time; None: as many as anybody wants."""
    restock: float = 60.0
    """Seconds until one more of it is there, as long as some are missing."""


@attrs.frozen
class Shop:
    """Everything a merchant trades in. `buys`: what it pays, by item template; what it sells is among them,
    at half of the price if nothing else is written."""

    sells: Sequence[Ware] = ()
    buys: Mapping[str, int] = attrs.field(factory=dict)


@attrs.frozen
class Lesson:
    """A skill that a trainer teaches up to `most` (tenths of a point), at `price` for each whole point."""

    skill: str
    most: int
    price: int


@attrs.frozen
class Offers:
    """All that one kind of resident offers."""

    shop: Shop | None = None
    lessons: Sequence[Lesson] = ()
    healing: int = 0
    """What it costs the living to be made whole; the dead live again for nothing."""
    bed: int = 0
    """What a bed costs, in which one wakes whole."""
    home: bool = False
    """Whether one can settle there."""
    quests: Sequence[str] = ()
    """Quests that it has to give, by key, beside those that name it as their giver."""


@attrs.frozen
class Priced:
    """One row of a merchant's list: an item template, the gold for one, and how many are left (None: as many
    as anybody wants)."""

    item: str
    price: int
    left: int | None = None


@attrs.frozen
class Catalogue:
    """A merchant's lists: what it sells now, and what it buys. A merchant has one for all who come, until a
    stock, a price or the content changes, so what is made of it need be made once."""

    sells: Sequence[Priced] = ()
    buys: Sequence[Priced] = ()
    rendered: dict[Hashable, object] = attrs.field(factory=dict, init=False, repr=False, eq=False)
    """Cache of what views make of these lists, by keys of their own: nothing of any one player's."""

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """Have `make` make something of these lists, or return what it has made before under that key."""
        found = self.rendered.get(key)
        if found is None:
            found = self.rendered[key] = make()
        return cast("T", found)

    @property
    def prices(self) -> Mapping[str, tuple[int | None, int | None]]:
        """By item template: the price that is asked, and the one that is paid (None: it is not sold, or not
        bought)."""
        return self.kept(PRICES, self._prices)

    def _prices(self) -> Mapping[str, tuple[int | None, int | None]]:
        asked = {row.item: row.price for row in self.sells}
        paid = {row.item: row.price for row in self.buys}
        return {item: (asked.get(item), paid.get(item)) for item in {**asked, **paid}}
