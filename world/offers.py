"""Offers of residents to players, as a designer writes them: wares, lessons, care, a bed.

A role of `world.roles` says that somebody is a merchant; the records here say what is sold and for how much.
Prices are in gold and for one piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
    """A merchant's lists: what it sells now, and what it buys."""

    sells: Sequence[Priced] = ()
    buys: Sequence[Priced] = ()
