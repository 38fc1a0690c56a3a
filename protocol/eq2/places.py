"""The atlas: where the world's tiles lie on the client's own maps, and which way is north there.

EverQuest II measures in floats: x grows to the east, z to the south and y upwards, and a heading is an angle
in degrees. A realm is a square cut out of one of the client's zones; the atlas in data/realms says which.
A tile is `scale` units long and wide; whoever stands on one stands in its middle, unless its own client has
said more exactly where it is.

That z grows to the south, and that 0 degrees look along z and 90 along x, is what the public emulators
compute with (emagi/eq2emu: Spawn.cpp, GetFaceTarget; Spawn.h, SetHeading: an angle turned by 180 degrees,
counted from minus z over minus x, goes on the wire). It has not been seen in an original client: see
docs/views.md.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import attrs

from protocol.tables import read
from world.heading import SOUTH
from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.content import Chart
    from world.realm import Realm
    from world.thing import Thing

UNITS_PER_Z: Final = 0.1
"""Height of one of the world's z steps: a person is 16 of them high, and about 1.6 units in this game (?)."""

_HEADINGS: Final = 8
_OCTANT: Final = 45.0
_NORTH: Final = 180.0


def to_degrees(heading: int) -> float:
    """The angle on the wire of one of the world's eight headings: above -180, up to 180."""
    degrees = _NORTH - _OCTANT * heading
    return degrees if degrees > -180.0 else degrees + 360.0


def to_heading(degrees: float) -> int:
    """The world's heading that is nearest to an angle, which may be any number but infinity or NaN."""
    return round((_NORTH - degrees) / _OCTANT) % _HEADINGS


@attrs.frozen
class Place:
    """A spot in a zone, in the client's units; `heading` in degrees as on the wire, speeds (forward, and to
    the side) in units a second."""

    x: float
    y: float
    z: float
    heading: float = 0.0
    speed: float = 0.0
    side_speed: float = 0.0


@attrs.frozen
class Atlas:
    """The place of a realm: the corner of tile (0, 0), the height of its ground, and the length of a tile."""

    zone: str
    """The name of the zone's file in the client."""
    description: str
    """The words that the player reads on arriving."""
    x: float
    y: float
    z: float
    scale: float = 1.0

    def place(self, x: int, y: int, z: int, heading: int) -> Place:
        """The middle of a tile."""
        return Place(
            self.x + (x + 0.5) * self.scale,
            self.y + z * UNITS_PER_Z * self.scale,
            self.z + (y + 0.5) * self.scale,
            to_degrees(heading),
        )

    def tile(self, place: Place) -> tuple[int, int]:
        """The tile of a spot; it may lie outside of the realm."""
        return floor((place.x - self.x) / self.scale), floor((place.z - self.z) / self.scale)


@attrs.frozen
class _AtlasRow:
    zone: str
    description: str
    x: float
    y: float
    z: float
    scale: float = 1.0
    landmarks: bool = True
    """Whether they are shown there (`protocol.landmarks`)."""


class Places:
    """The atlas of all realms that this game can show, and where its own players have said they are."""

    def __init__(self, atlas: dict[str, Atlas]) -> None:
        self._atlas = atlas
        self._reported: WeakKeyDictionary[Mobile, tuple[int, Place]] = WeakKeyDictionary()
        """With the number of the session that said so: what another one said before is void."""

    def atlas(self, realm: Realm | None) -> Atlas | None:
        """The place of a realm; None if this game has no place for it."""
        return self._atlas.get(realm.name) if realm is not None else None

    def on(self, realm: str, x: int, y: int, heading: int) -> Place:
        """The middle of a tile on the ground of a realm. Raises KeyError if this game has no place for it."""
        return self._atlas[realm].place(x, y, 0, heading)

    def has(self, realm: str) -> bool:
        """Whether this game has a place for a realm."""
        return realm in self._atlas

    def anew(self) -> Places:
        """The same atlas, where no player has said anything yet: each server has its own."""
        return Places(self._atlas)

    def adopt(self, fresh: Places) -> None:
        """Lie where another atlas says; what players have said stays."""
        self._atlas = fresh._atlas

    def report(self, mobile: Mobile, place: Place) -> None:
        """The client that plays a mobile says where it is. It counts while that lies on the mobile's tile."""
        if mobile.viewport is not None:
            self._reported[mobile] = mobile.viewport.key, place

    def of(self, thing: Thing) -> Place | None:
        """The place at which a thing is to be drawn, standing still; None if this game has no place for
        it."""
        atlas = self.atlas(thing.realm)
        if atlas is None:
            return None
        if not isinstance(thing, Mobile):
            remains = thing.remains if isinstance(thing, Item) else None
            return atlas.place(thing.x, thing.y, thing.z, remains.heading if remains is not None else SOUTH)
        return self.reported(thing) or atlas.place(thing.x, thing.y, thing.z, thing.heading)

    def reported(self, mobile: Mobile) -> Place | None:
        """Note where the mobile's own client says that it is, if that is right."""
        session, place = self._reported.get(mobile, (0, None))
        atlas = self.atlas(mobile.realm)
        if place is None or atlas is None or mobile.viewport is None or mobile.viewport.key != session:
            return None
        return place if atlas.tile(place) == (mobile.x, mobile.y) else None

    def forget(self, mobile: Mobile) -> None:
        """Drop what its client said: it was put elsewhere, or is played no more."""
        self._reported.pop(mobile, None)


def read_places(charts: Iterable[Chart], problems: list[str]) -> Places:
    """The eq2 rows of the atlas; every mistake in them is added to `problems`."""
    atlas: dict[str, Atlas] = {}
    for chart in charts:
        row = chart.atlas.get("eq2")
        if row is None:
            continue
        where = f"realms/{chart.name}.toml: atlas.eq2"
        place = read(_AtlasRow, _as_floats(row), where, problems)
        if place is None:
            continue
        if not place.scale > 0:
            problems.append(f"{where}: scale: must be more than 0, is {place.scale}")
        if not place.zone:
            problems.append(f"{where}: zone: must not be empty")
        atlas[chart.name] = Atlas(place.zone, place.description, place.x, place.y, place.z, place.scale)
    return Places(atlas)


def _as_floats(row: object) -> object:
    # Whoever writes x = 380 means 380.0.
    if not isinstance(row, dict):
        return row
    return {key: float(value) if type(value) is int else value for key, value in row.items()}
