"""The atlas: where the world's tiles lie on the client's maps.

A tile of the world is a tile of Conquer Online. A realm is a rectangle cut out of one of the client's maps;
the atlas in data/realms says which. A map has a number, and the number of the document that draws it: the
client loads the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.tables import read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.content import Chart
    from world.realm import Realm
    from world.thing import Thing

FARTHEST: Final = 0xFFFF
"""A coordinate is 16 bits."""


@attrs.frozen
class Place:
    """A tile on one of the client's maps."""

    map: int
    document: int
    x: int
    y: int


NOWHERE: Final = Place(0, 0, 0, 0)
"""Stands in where this game has no place for a realm; its clients are about to be sent away."""


@attrs.frozen
class Atlas:
    """Place of a realm: the map, and where tile (0, 0) is on it."""

    map: int
    document: int
    x: int
    y: int


@attrs.frozen
class _AtlasRow:
    map: int
    document: int
    x: int
    y: int
    landmarks: bool = True
    """Whether they are shown there (`protocol.landmarks`)."""


class Places:
    """The atlas of all realms that this game can show, by name."""

    def __init__(self, atlas: dict[str, Atlas]) -> None:
        self._atlas = atlas

    def has(self, realm: str) -> bool:
        """Whether this game has a place for a realm."""
        return realm in self._atlas

    def of(self, thing: Thing) -> Place | None:
        """The place where a thing is to be drawn; None if this game has no place for it."""
        return self.at(thing.realm, thing.x, thing.y)

    def at(self, realm: Realm | None, x: int, y: int) -> Place | None:
        """A tile of a realm; None if this game has no place for it."""
        return self.named(realm.name, x, y) if realm is not None and realm.name in self._atlas else None

    def named(self, realm: str, x: int, y: int) -> Place:
        """A tile of a realm by its name. Raises KeyError if this game has no place for it."""
        atlas = self._atlas[realm]
        return Place(atlas.map, atlas.document, atlas.x + x, atlas.y + y)

    def tile(self, realm: Realm | None, x: int, y: int) -> tuple[int, int] | None:
        """The realm's tile for one of the client's map; None where the realm does not reach, or this game has
        no place for it."""
        atlas = self._atlas.get(realm.name) if realm is not None else None
        if atlas is None or realm is None or not realm.inside(x - atlas.x, y - atlas.y):
            return None
        return x - atlas.x, y - atlas.y


def read_places(charts: Iterable[Chart], problems: list[str]) -> Places:
    """Read the co rows of the atlas; every mistake in them is added to `problems`."""
    atlas: dict[str, Atlas] = {}
    for chart in charts:
        row = chart.atlas.get("co")
        if row is None:
            continue
        where = f"realms/{chart.name}.toml: atlas.co"
        place = read(_AtlasRow, row, where, problems)
        if place is None:
            continue
        limits = (
            ("map", place.map, 1, 0xFFFF_FFFF),
            ("document", place.document, 1, 0xFFFF_FFFF),
            ("x", place.x, 0, FARTHEST + 1 - chart.width),
            ("y", place.y, 0, FARTHEST + 1 - chart.height),
        )
        for field, value, low, high in limits:
            if not low <= value <= high:
                problems.append(f"{where}: {field}: must be {low} to {high}, is {value}")
        atlas[chart.name] = Atlas(place.map, place.document, place.x, place.y)
    return Places(atlas)
