"""Spatial index of one realm: where things are, and which clients can see a tile.

A realm is divided into square sectors. A sector lists the things in it and the viewports whose field of view
touches it, so that a step needs one lookup to find everybody who may have seen it. Sight belongs to the
viewer: each client's viewport has its own radius and shape; the sectors only pre-select.

The index knows nothing of mobiles and items: what it asks of the things and viewports that it sorts is in
`Located` and `Viewing`, and it gives back what it was given (`world.realm.Realm.space` is a
`Space[Thing, Viewport]`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from world.heading import Placed

SECTOR: Final = 8
"""Tiles on a side. Small enough that the viewports of a sector are nearly those that see its tiles."""

MOST_RINGS: Final = 4096
"""Answers of `Space.rings` that are kept."""


@attrs.frozen
class Sight:
    """A field of view: the square of `radius` tiles around the viewer, cut down to `shape(dx, dy)` if there
    is one, with dx, dy = thing minus viewer."""

    radius: int
    shape: Callable[[int, int], bool] | None = None
    arrivals: bool = True
    """Whether its client has to be told when somebody arrives where it was said to go; else that is told to
    nobody there."""
    tiles: frozenset[tuple[int, int]] | None = attrs.field(init=False, repr=False, eq=False)
    """(dx, dy) of those in it; None: all of the square. To look one up costs half of what asking `shape`
    does, and each step asks for a hundred things."""

    @tiles.default
    def _tiles(self) -> frozenset[tuple[int, int]] | None:
        return None if self.shape is None else _cut(self.radius, self.shape)


@lru_cache(maxsize=256)
def _cut(radius: int, shape: Callable[[int, int], bool]) -> frozenset[tuple[int, int]]:
    side = range(-radius, radius + 1)
    return frozenset((dx, dy) for dx in side for dy in side if shape(dx, dy))


class Located(Protocol):
    """A thing to be indexed: its serial, its tile, and whether viewers do not see it."""

    serial: int
    x: int
    y: int

    @property
    def hidden(self) -> bool: ...


class Viewing(Protocol):
    """A field of view to be indexed. The square of tiles in sight (edges included), `reach`, the sectors that
    it is registered in (x0, y0, x1, y1 inclusive), `inner`, those of them of which it sees each tile, and
    `registered`, with which sight, are set by `Space`."""

    key: int
    sight: Sight
    left: int
    top: int
    right: int
    bottom: int
    reach: tuple[int, int, int, int] | None
    inner: tuple[int, int, int, int] | None
    registered: Sight | None

    @property
    def mobile(self) -> Placed: ...


def _covers(viewport: Viewing, x: int, y: int) -> bool:
    """Whether a tile is in sight; it is of the viewport's own realm."""
    if not (viewport.left <= x <= viewport.right and viewport.top <= y <= viewport.bottom):
        return False
    tiles = viewport.sight.tiles
    return tiles is None or (x - viewport.mobile.x, y - viewport.mobile.y) in tiles


T = TypeVar("T", bound=Located)
E = TypeVar("E", bound=Viewing)


class Sector(Generic[T, E]):
    """One square: the things in it and the viewports that reach it, both by key in order of arrival; and how
    to wake those of its things that sleep until a viewport does.

    Of the viewports nearly half see all of a sector, and need not be asked for each of its tiles: `whole` has
    these, `partly` the others. `arrivals` has those that are told who arrives (`Sight.arrivals`).
    """

    __slots__ = ("arrivals", "partly", "sleepers", "things", "viewports", "whole")

    def __init__(self) -> None:
        self.things: dict[int, T] = {}
        self.viewports: dict[int, E] = {}
        self.whole: dict[int, E] = {}
        self.partly: dict[int, E] = {}
        self.arrivals: dict[int, E] = {}
        self.sleepers: dict[int, Callable[[], object]] | None = None


class Space(Generic[T, E]):
    """The sectors of one realm."""

    def __init__(self, width: int, height: int) -> None:
        self._columns = (width + SECTOR - 1) // SECTOR
        self._rows = (height + SECTOR - 1) // SECTOR
        self.population = 0
        """Things in it."""
        self._sectors: list[Sector[T, E]] = [Sector() for _ in range(self._columns * self._rows)]
        self._rings: dict[tuple[int, int, tuple[int, int, int, int]], Sequence[Sequence[Sector[T, E]]]] = {}
        """What `rings` has answered, by column, row and reach: in a crowd many ask from the same places."""

    def at(self, x: int, y: int) -> Sector[T, E]:
        """The sector of a tile inside the realm."""
        return self._sectors[y // SECTOR * self._columns + x // SECTOR]

    def add(self, thing: T) -> None:
        """A thing appeared at its x, y."""
        self.at(thing.x, thing.y).things[thing.serial] = thing
        self.population += 1

    def remove(self, thing: T) -> None:
        """A thing left; it still has the x, y it was at."""
        sector = self.at(thing.x, thing.y)
        del sector.things[thing.serial]
        if sector.sleepers:
            sector.sleepers.pop(thing.serial, None)
        self.population -= 1

    def move(self, thing: T, x: int, y: int) -> None:
        """A thing goes to another tile; sets its x, y."""
        old, new = self.at(thing.x, thing.y), self.at(x, y)
        thing.x, thing.y = x, y
        if old is not new:
            del old.things[thing.serial]
            new.things[thing.serial] = thing
            if old.sleepers and thing.serial in old.sleepers:
                old.sleepers.pop(thing.serial)()  # it looks for itself whether it may sleep there

    def sleep(self, thing: T, wake: Callable[[], object]) -> bool:
        """Let a thing sleep until a viewport comes near: `wake` is called when one reaches its sector, or
        when it is moved to another; never if it leaves the realm. Returns False if one reaches it now."""
        sector = self.at(thing.x, thing.y)
        if sector.viewports:
            return False
        if sector.sleepers is None:
            sector.sleepers = {}
        sector.sleepers[thing.serial] = wake
        return True

    def rouse(self, thing: T) -> None:
        """Wake a thing, if it sleeps."""
        sleepers = self.at(thing.x, thing.y).sleepers
        if sleepers and thing.serial in sleepers:
            sleepers.pop(thing.serial)()

    def open(self, viewport: E) -> None:
        """Register a viewport around its mobile, or again after that moved or its sight changed."""
        radius = viewport.sight.radius
        x, y = viewport.mobile.x, viewport.mobile.y
        viewport.left, viewport.top, viewport.right, viewport.bottom = (
            x - radius,
            y - radius,
            x + radius,
            y + radius,
        )
        reach = self._sectors_of(x - radius, y - radius, x + radius, y + radius)
        inner = self._sectors_inside(x - radius, y - radius, x + radius, y + radius)
        if viewport.registered is not viewport.sight:
            self.close(viewport)
            viewport.registered = viewport.sight
        if viewport.sight.shape is not None:
            inner = None
        if reach == viewport.reach and inner == viewport.inner:
            return
        self._register(viewport, reach, inner)

    def _register(
        self, viewport: E, reach: tuple[int, int, int, int], inner: tuple[int, int, int, int] | None
    ) -> None:
        """Let a viewport be in these sectors and no others. A step changes few of them."""
        key, arrivals = viewport.key, viewport.sight.arrivals
        for sector in self._beyond(viewport.inner, inner):
            sector.partly[key] = sector.whole.pop(key)
        for sector in self._beyond(viewport.reach, reach):
            del sector.viewports[key], sector.partly[key]
            sector.arrivals.pop(key, None)
        came = list(self._beyond(reach, viewport.reach))
        for sector in came:
            sector.viewports[key] = sector.partly[key] = viewport
            if arrivals:
                sector.arrivals[key] = viewport
        for sector in self._beyond(inner, viewport.inner):
            sector.whole[key] = sector.partly.pop(key)
        viewport.reach, viewport.inner = reach, inner
        for sector in came:
            if sector.sleepers:
                sleepers, sector.sleepers = sector.sleepers, None
                for wake in sleepers.values():
                    wake()

    def close(self, viewport: E) -> None:
        """Unregister a viewport."""
        if viewport.reach is not None:
            key = viewport.key
            for sector in self._within(viewport.reach):
                del sector.viewports[key]
                for some in (sector.whole, sector.partly, sector.arrivals):
                    some.pop(key, None)
            viewport.reach = viewport.inner = viewport.registered = None

    def seen_by(self, viewport: E, first: int = 0) -> dict[int, T]:
        """Everything in sight, by serial: `Viewport.sees` for all around, written out: it runs at every
        step. `first`: the lowest serial that counts."""
        seen: dict[int, T] = {}
        if viewport.reach is None:
            return seen
        mobile, tiles, radius = viewport.mobile, viewport.sight.tiles, viewport.sight.radius
        x, y = mobile.x, mobile.y
        left, right, top, bottom = x - radius, x + radius, y - radius, y + radius
        for sector in self._within(viewport.reach):
            seen |= {
                serial: thing
                for serial, thing in sector.things.items()
                if serial >= first
                and left <= thing.x <= right
                and top <= thing.y <= bottom
                and (tiles is None or (thing.x - x, thing.y - y) in tiles)
                and thing is not mobile
                and not thing.hidden
            }
        return seen

    def fringe(self, x: int, y: int, other_x: int, other_y: int, radius: int) -> list[T]:
        """Things within `radius` (Chebyshev) of one tile and not of the other.

        Of two neighbouring tiles that is one row, or one column, or both, and only the few sectors these lie
        in are looked at.
        """
        left, top, right, bottom = x - radius, y - radius, x + radius, y + radius
        found: list[T] = []
        if x > other_x:
            found += self.inside(max(left, other_x + radius + 1), top, right, bottom)
        elif x < other_x:
            found += self.inside(left, top, min(right, other_x - radius - 1), bottom)
        if x != other_x:  # what is left for the rows
            left, right = max(left, other_x - radius), min(right, other_x + radius)
        if y > other_y:
            found += self.inside(left, max(top, other_y + radius + 1), right, bottom)
        elif y < other_y:
            found += self.inside(left, top, right, min(bottom, other_y - radius - 1))
        return found

    def watching(self, x: int, y: int) -> list[E]:
        """The viewports whose field of view covers a tile: `Viewport.covers` for many, written out."""
        sector = self.at(x, y)
        some = [
            viewport
            for viewport in sector.partly.values()
            if viewport.left <= x <= viewport.right
            and viewport.top <= y <= viewport.bottom
            and (
                viewport.sight.tiles is None
                or (x - viewport.mobile.x, y - viewport.mobile.y) in viewport.sight.tiles
            )
        ]
        return [*sector.whole.values(), *some]

    def watching_arrivals(self, x: int, y: int) -> list[E]:
        """Those of `watching` that are told who arrives."""
        return [viewport for viewport in self.at(x, y).arrivals.values() if _covers(viewport, x, y)]

    def watching_step(self, from_x: int, from_y: int, x: int, y: int) -> tuple[list[E], list[E]]:
        """The viewports that cover the second of two tiles, and those that cover the first one only."""
        here, there = self.at(from_x, from_y), self.at(x, y)
        watching, lost = [*there.whole.values()], []
        if here is there:
            near: Iterable[E] = there.partly.values()
        else:
            whole = there.whole
            near = [one for key, one in (here.viewports | there.partly).items() if key not in whole]
        for viewport in near:
            if (
                viewport.left <= x <= viewport.right
                and viewport.top <= y <= viewport.bottom
                and (
                    (tiles := viewport.sight.tiles) is None
                    or (x - viewport.mobile.x, y - viewport.mobile.y) in tiles
                )
            ):
                watching.append(viewport)
            elif (
                viewport.left <= from_x <= viewport.right
                and viewport.top <= from_y <= viewport.bottom
                and (
                    (tiles := viewport.sight.tiles) is None
                    or (from_x - viewport.mobile.x, from_y - viewport.mobile.y) in tiles
                )
            ):
                lost.append(viewport)
        return watching, lost

    def is_crowded(self, x: int, y: int, crowd: int) -> bool:
        """Whether more than so many viewports reach the sector of a tile; never, if `crowd` is 0."""
        return 0 < crowd < len(self.at(x, y).viewports)

    def watching_of(self, keys: Iterable[int], x: int, y: int) -> list[E]:
        """`watching`, but only those of the given keys are looked at."""
        viewports = self.at(x, y).viewports
        found = []
        for key in keys:
            viewport = viewports.get(key)
            if viewport is not None and _covers(viewport, x, y):
                found.append(viewport)
        return found

    def watching_step_of(
        self, keys: Iterable[int], from_x: int, from_y: int, x: int, y: int
    ) -> tuple[list[E], list[E]]:
        """`watching_step`, but only those of the given keys are looked at."""
        here, there = self.at(from_x, from_y).viewports, self.at(x, y).viewports
        watching, lost = [], []
        for key in keys:
            viewport = there.get(key) or here.get(key)
            if viewport is None:
                continue
            # `_covers`, written out: it runs for all who know somebody, at each of its steps.
            if (
                viewport.sight.shape is None
                and viewport.left <= x <= viewport.right
                and viewport.top <= y <= viewport.bottom
            ) or _covers(viewport, x, y):
                watching.append(viewport)
            elif _covers(viewport, from_x, from_y):
                lost.append(viewport)
        return watching, lost

    def touches_crowd(self, viewport: E, crowd: int) -> bool:
        """Whether more than `crowd` viewports reach one of the sectors in sight."""
        reach = viewport.reach
        return reach is not None and any(len(sector.viewports) > crowd for sector in self._within(reach))

    def rings(self, viewport: E) -> Sequence[Sequence[Sector[T, E]]]:
        """The sectors in sight: that of the viewer, those around it, those around these."""
        reach, mobile = viewport.reach, viewport.mobile
        if reach is None:
            return ()
        where = (mobile.x // SECTOR, mobile.y // SECTOR, reach)
        rings = self._rings.get(where)
        if rings is None:
            if len(self._rings) >= MOST_RINGS:
                self._rings.clear()
            rings = self._rings[where] = self._rings_of(*where)
        return rings

    def _rings_of(
        self, column: int, row: int, reach: tuple[int, int, int, int]
    ) -> Sequence[Sequence[Sector[T, E]]]:
        x0, y0, x1, y1 = reach
        farthest = max(column - x0, x1 - column, row - y0, y1 - row)
        return [
            [
                self._sectors[y * self._columns + x]
                for y in range(max(y0, row - ring), min(y1, row + ring) + 1)
                for x in range(max(x0, column - ring), min(x1, column + ring) + 1)
                if max(abs(x - column), abs(y - row)) == ring
            ]
            for ring in range(farthest + 1)
        ]

    def inside(self, left: int, top: int, right: int, bottom: int) -> list[T]:
        """Things on the tiles of a rectangle, edges included; it may reach over the edge of the realm."""
        found: list[T] = []
        if right < left or bottom < top or right < 0 or bottom < 0:
            return found
        x0, y0, x1, y1 = self._sectors_of(left, top, right, bottom)
        for row in range(y0, y1 + 1):
            start = row * self._columns
            for sector in self._sectors[start + x0 : start + x1 + 1]:
                for thing in sector.things.values():
                    if left <= thing.x <= right and top <= thing.y <= bottom:
                        found.append(thing)  # noqa: PERF401 # the inner loop mostly runs once
        return found

    def around(self, x: int, y: int, radius: int) -> list[T]:
        """Things within `radius` tiles (Chebyshev) of a tile."""
        return self.inside(x - radius, y - radius, x + radius, y + radius)

    def _holds(self, left: int, top: int, right: int, bottom: int) -> bool:
        """Whether a rectangle of tiles lies in the sectors as a whole, as most do: nothing has to be cut off
        then, which is asked for several times at each step."""
        return left >= 0 and top >= 0 and right < self._columns * SECTOR and bottom < self._rows * SECTOR

    def _sectors_of(self, left: int, top: int, right: int, bottom: int) -> tuple[int, int, int, int]:
        """The sectors that a rectangle of tiles touches: x0, y0, x1, y1 inclusive."""
        if self._holds(left, top, right, bottom):
            return left // SECTOR, top // SECTOR, right // SECTOR, bottom // SECTOR
        return (
            max(0, left // SECTOR),
            max(0, top // SECTOR),
            min(self._columns - 1, right // SECTOR),
            min(self._rows - 1, bottom // SECTOR),
        )

    def _sectors_inside(
        self, left: int, top: int, right: int, bottom: int
    ) -> tuple[int, int, int, int] | None:
        """The sectors that lie inside a rectangle of tiles as a whole; None if there are none."""
        x0, y0 = -(-left // SECTOR), -(-top // SECTOR)
        x1, y1 = (right + 1) // SECTOR - 1, (bottom + 1) // SECTOR - 1
        if not self._holds(left, top, right, bottom):
            x0, y0, x1, y1 = max(0, x0), max(0, y0), min(self._columns - 1, x1), min(self._rows - 1, y1)
        return (x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else None

    def _beyond(
        self, reach: tuple[int, int, int, int] | None, other: tuple[int, int, int, int] | None
    ) -> Iterator[Sector[T, E]]:
        """Those of some sectors that are not among others."""
        if reach is None or reach == other:
            return
        if other is None:
            yield from self._within(reach)
            return
        x0, y0, x1, y1 = reach
        left, top, right, bottom = other
        for row in range(y0, y1 + 1):
            start = row * self._columns
            if top <= row <= bottom and x0 <= right and left <= x1:
                yield from self._sectors[start + x0 : start + left]
                yield from self._sectors[start + right + 1 : start + x1 + 1]
            else:
                yield from self._sectors[start + x0 : start + x1 + 1]

    def _within(self, reach: tuple[int, int, int, int]) -> Iterator[Sector[T, E]]:
        x0, y0, x1, y1 = reach
        for row in range(y0, y1 + 1):
            start = row * self._columns
            yield from self._sectors[start + x0 : start + x1 + 1]
