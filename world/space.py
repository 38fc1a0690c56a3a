"""Where things are, and who can see what.

A realm is divided into square sectors. A sector lists the things in it and the eyes whose field of view
touches it, so that a step needs one lookup to find everybody who may have seen it. Sight belongs to the
viewer: each client's eyes have their own radius and shape; the sectors only pre-select.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from world.mobile import Mobile
    from world.thing import Thing

SECTOR: Final = 8
"""Tiles on a side. Small enough that the eyes of a sector are nearly those that see its tiles."""


@attrs.frozen
class Sight:
    """A field of view: the square of `radius` tiles around the viewer, cut down to `shape(dx, dy)` if there
    is one, with dx, dy = thing minus viewer."""

    radius: int
    shape: Callable[[int, int], bool] | None = None


class Eyes:
    """A client's view of the world from its mobile. `key` is the id of its session."""

    __slots__ = ("key", "mobile", "reach", "sight")

    def __init__(self, key: int, mobile: Mobile, sight: Sight) -> None:
        self.key = key
        self.mobile = mobile
        self.sight = sight
        self.reach: tuple[int, int, int, int] | None = None
        """Sectors it is registered in: x0, y0, x1, y1 inclusive. Only `Space` changes it."""

    def covers(self, x: int, y: int) -> bool:
        """Whether a tile of the mobile's own realm is in the field of view."""
        sight = self.sight
        radius = sight.radius
        dx = x - self.mobile.x
        dy = y - self.mobile.y
        if -radius <= dx <= radius and -radius <= dy <= radius:
            return sight.shape is None or sight.shape(dx, dy)
        return False

    def sees(self, thing: Thing) -> bool:
        """Whether a thing other than the mobile itself is to be shown."""
        mobile = self.mobile
        return (
            thing.realm is mobile.realm
            and thing.realm is not None
            and thing is not mobile
            and self.covers(thing.x, thing.y)
            and not thing.hidden
        )


def covering(candidates: Iterable[Eyes], x: int, y: int) -> list[Eyes]:
    """Those whose field of view covers a tile of their realm: `Eyes.covers` for many, written out."""
    found = []
    for eyes in candidates:
        mobile, sight = eyes.mobile, eyes.sight
        radius, dx, dy = sight.radius, x - mobile.x, y - mobile.y
        inside = -radius <= dx <= radius and -radius <= dy <= radius
        if inside and (sight.shape is None or sight.shape(dx, dy)):
            found.append(eyes)
    return found


class Sector:
    """One square: the things in it and the eyes that reach it, both by key in order of arrival."""

    __slots__ = ("eyes", "things")

    def __init__(self) -> None:
        self.things: dict[int, Thing] = {}
        self.eyes: dict[int, Eyes] = {}


class Space:
    """The sectors of one realm."""

    def __init__(self, width: int, height: int) -> None:
        self._columns = (width + SECTOR - 1) // SECTOR
        self._rows = (height + SECTOR - 1) // SECTOR
        self._sectors = [Sector() for _ in range(self._columns * self._rows)]

    def at(self, x: int, y: int) -> Sector:
        """The sector of a tile inside the realm."""
        return self._sectors[y // SECTOR * self._columns + x // SECTOR]

    def add(self, thing: Thing) -> None:
        """A thing appeared at its x, y."""
        self.at(thing.x, thing.y).things[thing.serial] = thing

    def remove(self, thing: Thing) -> None:
        """A thing left; it still has the x, y it was at."""
        del self.at(thing.x, thing.y).things[thing.serial]

    def move(self, thing: Thing, x: int, y: int) -> None:
        """A thing goes to another tile; sets its x, y."""
        old, new = self.at(thing.x, thing.y), self.at(x, y)
        thing.x, thing.y = x, y
        if old is not new:
            del old.things[thing.serial]
            new.things[thing.serial] = thing

    def open(self, eyes: Eyes) -> None:
        """Register eyes around their mobile, or again after it moved or its sight changed."""
        radius = eyes.sight.radius
        x, y = eyes.mobile.x, eyes.mobile.y
        reach = (
            max(0, (x - radius) // SECTOR),
            max(0, (y - radius) // SECTOR),
            min(self._columns - 1, (x + radius) // SECTOR),
            min(self._rows - 1, (y + radius) // SECTOR),
        )
        if reach == eyes.reach:
            return
        self.close(eyes)
        eyes.reach = reach
        for sector in self._within(reach):
            sector.eyes[eyes.key] = eyes

    def close(self, eyes: Eyes) -> None:
        """Unregister eyes."""
        if eyes.reach is not None:
            for sector in self._within(eyes.reach):
                del sector.eyes[eyes.key]
            eyes.reach = None

    def seen_by(self, eyes: Eyes) -> dict[int, Thing]:
        """Everything in sight, by serial: `Eyes.sees` for all around, written out: it runs at every step."""
        seen: dict[int, Thing] = {}
        if eyes.reach is None:
            return seen
        mobile, shape, radius = eyes.mobile, eyes.sight.shape, eyes.sight.radius
        x, y = mobile.x, mobile.y
        left, right, top, bottom = x - radius, x + radius, y - radius, y + radius
        for sector in self._within(eyes.reach):
            seen |= {
                serial: thing
                for serial, thing in sector.things.items()
                if left <= thing.x <= right
                and top <= thing.y <= bottom
                and (shape is None or shape(thing.x - x, thing.y - y))
                and thing is not mobile
                and not thing.hidden
            }
        return seen

    def watching(self, x: int, y: int) -> list[Eyes]:
        """The eyes whose field of view covers a tile."""
        return covering(self.at(x, y).eyes.values(), x, y)

    def around(self, x: int, y: int, radius: int) -> Iterator[Thing]:
        """Things within `radius` tiles (Chebyshev) of a tile."""
        reach = (
            max(0, (x - radius) // SECTOR),
            max(0, (y - radius) // SECTOR),
            min(self._columns - 1, (x + radius) // SECTOR),
            min(self._rows - 1, (y + radius) // SECTOR),
        )
        for sector in self._within(reach):
            for thing in list(sector.things.values()):
                if abs(thing.x - x) <= radius and abs(thing.y - y) <= radius:
                    yield thing

    def _within(self, reach: tuple[int, int, int, int]) -> Iterator[Sector]:
        x0, y0, x1, y1 = reach
        for row in range(y0, y1 + 1):
            start = row * self._columns
            yield from self._sectors[start + x0 : start + x1 + 1]
