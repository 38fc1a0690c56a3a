"""Audience of an event: the viewports that see or hear it, and the relation of each viewer to its thing.

An event carries the viewports of its viewers. They are found here: those that see a thing, that are within
hearing, that of one player, those of a group wherever its members are, of a realm, of everybody. (Steps alone
find theirs in `world.space.Space.watching_step`, which compares two tiles at once.)

To each viewer a mobile is one of these: the viewer itself, of its party, of its guild, an enemy, or any
other. Views that draw some of these apart ask for the relation; see `protocol.family.View.apart`.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from world.guild import Bond
from world.item import Item
from world.mobile import Mobile, Notoriety

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from world.mobile import Viewport
    from world.realm import Realm
    from world.thing import Surroundings, Thing


# Viewports


def in_sight(thing: Thing) -> list[Viewport]:
    """The viewports that see a thing where it is now, its own among them. Of a mobile in a crowd they are
    those whose players were shown it."""
    realm = thing.realm
    if realm is None:
        return []
    space, x, y = realm.space, thing.x, thing.y
    if isinstance(thing, Mobile) and space.is_crowded(x, y, thing.world.crowd):
        return space.watching_of(_keys(thing), x, y)
    return space.watching(x, y)


def of_arrival(mobile: Mobile) -> list[Viewport]:
    """The mobile's own viewport, and those that see it where it is and are told who arrives."""
    realm, own = mobile.realm, mobile.viewport
    if realm is None:
        return []
    space, x, y = realm.space, mobile.x, mobile.y
    if space.is_crowded(x, y, mobile.world.crowd):
        seen = [one for one in space.watching_of(_keys(mobile), x, y) if one.sight.arrivals]
    else:
        seen = space.watching_arrivals(x, y)
    return seen if own is None else [own, *(one for one in seen if one is not own)]


def of_step(mobile: Mobile, realm: Realm, x: int, y: int) -> tuple[list[Viewport], list[Viewport]]:
    """The viewports that see a tile to which a mobile is about to go, and those that see it only where it is
    now; in a crowd those of players who were shown it."""
    space = realm.space
    if space.is_crowded(x, y, mobile.world.crowd):
        return space.watching_step_of(_keys(mobile), mobile.x, mobile.y, x, y)
    return space.watching_step(mobile.x, mobile.y, x, y)


def _keys(mobile: Mobile) -> list[int]:
    """Keys of those who know a mobile; its own player does."""
    own = mobile.viewport
    return [*mobile.onlookers] if own is None else [own.key, *mobile.onlookers]


def of_tile(realm: Realm, x: int, y: int) -> list[Viewport]:
    """The viewports that see a tile."""
    return realm.space.watching(x, y)


def hearing(mobile: Mobile, distance: int) -> list[Viewport]:
    """The viewports (the mobile's own among them) whose mobile is near enough and that see the speaker."""
    x, y = mobile.x, mobile.y
    return [
        viewport
        for viewport in (of_tile(mobile.realm, x, y) if mobile.realm is not None else ())
        if abs(viewport.mobile.x - x) <= distance and abs(viewport.mobile.y - y) <= distance
    ]


def one(mobile: Mobile) -> list[Viewport]:
    """The viewports of one player alone; none if no client plays the mobile."""
    return [] if mobile.viewport is None else [mobile.viewport]


def members(mobiles: Iterable[Mobile]) -> list[Viewport]:
    """The viewports of a group, wherever its members are; each once, even if its mobile is named twice."""
    return [mobile.viewport for mobile in dict.fromkeys(mobiles) if mobile.viewport is not None]


def of_realm(world: Surroundings, realm: Realm) -> list[Viewport]:
    """The viewports of everybody who is on a realm."""
    return members(mobile for mobile in world.online() if mobile.realm is realm)


def everybody(world: Surroundings) -> list[Viewport]:
    """The viewports of all who are online."""
    return members(world.online())


# Relations


class Relation(enum.IntEnum):
    """Relation of a mobile, or of the holder of an item, to a viewer. If several hold, the first of the list
    after `OTHER` counts. Allies of a guild are as its members, and those with whom it is at war enemies."""

    OTHER = 0
    SELF = 1
    PARTY = 2
    GUILD = 3
    ENEMY = 4

    # What viewers are told is looked up by this: `Enum.__hash__` is a call in Python.
    __hash__ = int.__hash__


ENEMIES: Final = frozenset({Notoriety.ENEMY, Notoriety.MURDERER})
"""Notorieties that make an enemy of everybody."""


def relation(viewer: Mobile | None, thing: Thing | None) -> Relation:
    """Relation of a mobile, or of the holder of an item, to a viewer."""
    other = thing.root if isinstance(thing, Item) else thing
    if other is viewer and viewer is not None:
        return Relation.SELF
    if viewer is None or not isinstance(other, Mobile):
        return Relation.OTHER
    if other.party is not None and other.party is viewer.party:
        return Relation.PARTY
    found = by_guild(viewer, other)
    if found is not Relation.OTHER:
        return found
    return Relation.ENEMY if other.notoriety in ENEMIES else Relation.OTHER


def by_guild(viewer: Mobile, other: Mobile) -> Relation:
    """Relation of a mobile to a viewer by their guilds alone: GUILD in one or in two that are allied, ENEMY
    at war, else OTHER."""
    if other.guild is None or viewer.guild is None:
        return Relation.OTHER
    if other.guild is viewer.guild:
        return Relation.GUILD
    bond = viewer.guild.bond(other.guild)
    if bond is None:
        return Relation.OTHER
    return Relation.GUILD if bond is Bond.ALLIED else Relation.ENEMY


def stands_apart(mobile: Mobile, apart: Collection[Relation]) -> bool:
    """Whether a mobile may be one of these relations to any viewer that does not play it."""
    return (
        (mobile.guild is not None and (Relation.GUILD in apart or Relation.ENEMY in apart))
        or (mobile.party is not None and Relation.PARTY in apart)
        or (mobile.notoriety in ENEMIES and Relation.ENEMY in apart)
    )
