"""Ways around obstacles for all who walk by themselves: A* over the tiles of a chart, a little each turn.

Most ways in a realm are straight, and `line` and `straight` find those for the price of their tiles. Only
where something is in the way is a search made, and searches are what could cost a turn its time: a hundred
wolves behind one fence, two hundred players who click at the far side of the town. So all of them stand in
one queue (`Paths`), which looks at a fixed number of tiles a turn and goes on in the next.

A search begins at its goal and grows towards whoever asks (`Field`): of each tile that it has looked at it
then knows the next one on the way to the goal. Whoever else wants to go there finds its own way in that
already, or lets it grow on, towards itself; the latest are kept. Which tiles hang together is counted once
for each chart (`Ground`), so that nothing is ever searched that cannot be reached: such a way leads to the
nearest tile that can. (Distances prepared for a whole realm were not taken, because they have to be kept for
every pair of places; a search from the walker, because nobody else could use it.)

A slanting step costs sqrt(2), and needs both tiles beside it free, as in `world.motion`. Tiles where a warp
begins are walls here, because nobody is to be led through one on the way to somewhere else; as a goal they
are good.
"""

from __future__ import annotations

import re
from array import array
from collections import OrderedDict, deque
from heapq import heapify, heappop, heappush
from math import hypot
from typing import TYPE_CHECKING, Final

from world.heading import OFFSETS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from world.content import Chart
    from world.timers import Timer, TimerWheel

PER_TURN: Final = 250
"""Tiles that all searches together look at in one turn: some half a millisecond."""

AT_A_TIME: Final = 100
"""Tiles that one search looks at before it is the next one's turn: a long one keeps no short one waiting."""

LARGEST: Final = 16_000
"""Tiles that one search looks at: more than a realm of 120 x 120 has."""

KEPT: Final = 40_000
"""Tiles of the latest searches that are remembered for others: some 8 MiB."""

AGAIN: Final = 0.01
"""Seconds until searches that were not finished go on: the next turn."""

STRAIGHT: Final = 70
SLANTING: Final = 99
"""Costs of a step; their ratio is sqrt(2) within 3 in 100,000."""

SLACK: Final = 25
"""What is left of a way counts 1/25 more than it is at least. A way may then be longer than the shortest by
as much, and half as many tiles are looked at."""

Tile = tuple[int, int]

_BITS: Final = 22
"""Of a cell's number and of a cost in an entry of the heap: realms of some 2000 x 2000 tiles."""
_CELL: Final = (1 << _BITS) - 1
_FAR: Final = 1 << 60
_ASIDE: Final = SLANTING - STRAIGHT

NEARBY: Final = 60
"""Tiles around a goal that cannot be reached in which another is looked for."""


class Ground:
    """Tiles of a chart on which those can stand who walk by themselves, as cells with a border of cells where
    nobody can, so that no search has to look where the map ends. Where warps begin nobody stands.

    `free` is a byte per cell, 1 or 0. `ways` is a byte per cell with a bit for each heading: whether one may
    come from that neighbour (or, where the cell itself is free, go there).
    """

    __slots__ = ("_bits", "_regions", "_warps", "free", "height", "steps", "ways", "width")

    def __init__(self, chart: Chart) -> None:
        self.width = chart.width + 2
        self.height = chart.height + 2
        free = bytearray(self.width * self.height)
        for y in range(chart.height):
            begin = self.cell(0, y)
            row = chart.blocked[y * chart.width : (y + 1) * chart.width]
            free[begin : begin + chart.width] = bytes(not cell for cell in row)
        self._warps = frozenset(chart.warps)
        for x, y in chart.warps:
            free[self.cell(x, y)] = 0
        self.free = bytes(free)
        self.ways = self._find_ways()
        prices = [
            (dx + dy * self.width, SLANTING if dx and dy else STRAIGHT, 1 << heading)
            for heading, (dx, dy) in enumerate(OFFSETS)
        ]
        self._bits = {way: bit for way, _, bit in prices}
        """By the difference of the cells' numbers: the bit of `ways`."""
        # Straight steps first: of several equally long ways that is the one a person would take.
        prices.sort(key=lambda step: step[1])
        self.steps = tuple(
            tuple((way, price) for way, price, bit in prices if mask & bit) for mask in range(256)
        )
        """By a byte of `ways`: the differences of the cells' numbers, with the costs of the steps."""
        self._regions = self._find_regions()

    def _find_ways(self) -> bytes:
        # All cells at once, as one long number with a byte for each: a neighbour is a shift away.
        cells = len(self.free)
        free = int.from_bytes(self.free, "little")

        def beside(dx: int, dy: int) -> int:
            way = 8 * (dx + dy * self.width)
            return free >> way if way >= 0 else free << -way

        ways = 0
        for heading, (dx, dy) in enumerate(OFFSETS):
            there = beside(dx, dy)
            if dx and dy:
                there &= beside(dx, 0) & beside(0, dy)
            ways |= there << heading
        return (ways & ((1 << 8 * cells) - 1)).to_bytes(cells, "little")

    def _find_regions(self) -> array[int]:
        """By cell the number of the region that it belongs to: all cells that one can get to from there. 0
        where nobody can stand."""
        width = self.width
        regions = array("I", bytes(array("I").itemsize * len(self.free)))
        parents = [0]

        def root(number: int) -> int:
            while parents[number] != number:
                number = parents[number]
            return number

        runs: list[tuple[int, int, int]] = []
        for run in re.finditer(b"\x01+", self.free):  # the border keeps each within its row
            begin, end = run.span()
            above = {root(number) for number in set(regions[begin - width : end - width]) if number}
            number = min(above, default=len(parents))
            if not above:
                parents.append(number)
            for other in above:
                parents[other] = number
            regions[begin:end] = array("I", [number]) * (end - begin)
            runs.append((begin, end, number))
        for begin, end, number in runs:
            if (found := root(number)) != number:
                regions[begin:end] = array("I", [found]) * (end - begin)
        return regions

    def cell(self, x: int, y: int) -> int:
        """Number of a tile; those up to one tile beyond the map have one, too."""
        return (y + 1) * self.width + x + 1

    def tile(self, cell: int) -> Tile:
        """The tile of a number."""
        y, x = divmod(cell, self.width)
        return x - 1, y - 1

    def inside(self, x: int, y: int) -> bool:
        """Whether the chart has the tile."""
        return 0 <= x < self.width - 2 and 0 <= y < self.height - 2

    def regions(self, cell: int) -> set[int]:
        """The regions from which one comes to a cell in one step, or without any."""
        if self.free[cell]:
            return {self._regions[cell]}
        return {self._regions[other] for other in self.around(cell)}

    def around(self, cell: int) -> tuple[int, ...]:
        """The cells beside one from which one could come there."""
        return tuple(cell + way for way, _ in self.steps[self.ways[cell]])

    def nearest(self, start: Tile, goal: Tile, *, exits: bool = False) -> Tile:
        """The tile nearest to a goal, as a bird flies, that can be reached from `start`; of several the one
        nearest to that, and that itself if there is none within `NEARBY` of the goal. `exits`: tiles where a
        warp begins are good, too."""
        regions = self.regions(self.cell(*start))
        if not regions:
            return start
        to_x, to_y = goal
        from_x, from_y = start
        found, least = start, (hypot(from_x - to_x, from_y - to_y), 0.0)
        for radius in range(NEARBY + 1):
            if radius > least[0]:
                break
            for x, y in _ring(to_x, to_y, radius):
                good = self.inside(x, y) and (
                    self._regions[self.cell(x, y)] in regions
                    or (exits and (x, y) in self._warps and self.regions(self.cell(x, y)) & regions)
                )
                if good:
                    away = hypot(x - to_x, y - to_y), hypot(x - from_x, y - from_y)
                    if away < least:
                        found, least = (x, y), away
        return found

    def line(self, start: Tile, goal: Tile) -> list[Tile] | None:
        """The tiles of the straight line from one tile to another, the first left out; None if one cannot go
        along it. Only the goal may be a tile where nobody can stand."""
        (x, y), (to_x, to_y) = start, goal
        if not self.inside(to_x, to_y):
            return None
        dx, dy = to_x - x, to_y - y
        tiles, aside = max(abs(dx), abs(dy)), min(abs(dx), abs(dy))
        across, down = (dx > 0) - (dx < 0), ((dy > 0) - (dy < 0)) * self.width
        along, beside = (across, down) if abs(dx) >= abs(dy) else (down, across)
        ways, bits = self.ways, self._bits
        begin = before = self.cell(x, y)
        for n in range(1, tiles + 1):
            cell = begin + n * along + (2 * aside * n + tiles) // (2 * tiles) * beside
            # That it may be entered is known at the tile before it, unless it is a goal where nobody stands.
            if not ways[before] & bits[cell - before] and not (
                n == tiles and self.free[before] and ways[cell] & bits[before - cell]
            ):
                return None
            before = cell
        return [(x + rounded(dx * n, tiles), y + rounded(dy * n, tiles)) for n in range(1, tiles + 1)]

    def leads(self, x: int, y: int, to_x: int, to_y: int) -> bool:
        """Whether nothing is in the way from one tile to the one beside it, which is free."""
        before, cell = self.cell(x, y), self.cell(to_x, to_y)
        return bool(self.ways[before] & self._bits[cell - before])


class Field:
    """All that is known of the ways to a goal, which may be several tiles."""

    __slots__ = ("_after", "_avoid", "_cost", "_heap", "_towards", "forgotten", "ground", "known")

    def __init__(self, ground: Ground, goals: Collection[int], avoid: int) -> None:
        self.ground = ground
        self._avoid = avoid
        self._cost = dict.fromkeys(goals, 0)
        self._after = {goal: goal for goal in goals}
        self.known: set[int] = set()
        """Cells from which the way to the goal is known."""
        self._heap = list(goals)
        self._towards = -1
        self.forgotten = False
        """Whether it is kept no longer for others than those who wait for it."""

    @property
    def exhausted(self) -> bool:
        """Whether it cannot grow any more."""
        return len(self.known) == len(self._cost)

    def grow(self, most: int, until: Sequence[int]) -> int:
        """Look at so many cells at most, or until the way from one of some cells, which lie beside one
        another, is known; returns at how many."""
        if self._towards != until[0]:
            self._turn_to(until[0])
        heap, cost, after, known, avoid = self._heap, self._cost, self._after, self.known, self._avoid
        ways, steps, width = self.ground.ways, self.ground.steps, self.ground.width
        to_y, to_x = divmod(until[0], width)
        looked = 0
        while heap and looked < most:
            cell = heappop(heap) & _CELL
            if cell in known:
                continue
            known.add(cell)
            looked += 1
            so_far = cost[cell]
            for way, price in steps[ways[cell]]:
                other = cell + way
                length = so_far + price
                if cost.get(other, _FAR) <= length or other in known or other == avoid:
                    continue
                cost[other], after[other] = length, cell
                y, x = divmod(other, width)
                dx, dy = abs(x - to_x), abs(y - to_y)
                least = STRAIGHT * dx + _ASIDE * dy if dx > dy else STRAIGHT * dy + _ASIDE * dx
                # Of two equally good ones first the one that is nearer to the end.
                best = length + least + least // SLACK << _BITS | _CELL - length
                heappush(heap, best << _BITS | other)
            if cell in until:
                break
        return looked

    def _turn_to(self, cell: int) -> None:
        """Grow towards somebody else from now on."""
        self._towards = cell
        width, cost = self.ground.width, self._cost
        to_y, to_x = divmod(cell, width)
        edge = {entry & _CELL for entry in self._heap}
        heap = self._heap = []
        for other in edge - self.known:
            length = cost[other]
            y, x = divmod(other, width)
            dx, dy = abs(x - to_x), abs(y - to_y)
            least = STRAIGHT * dx + _ASIDE * dy if dx > dy else STRAIGHT * dy + _ASIDE * dx
            best = length + least + least // SLACK << _BITS | _CELL - length
            heap.append(best << _BITS | other)
        heapify(heap)

    def way(self, cell: int) -> list[Tile]:
        """The tiles from a known cell to the goal, the last one first; the cell itself left out."""
        after, found = self._after, []
        while (following := after[cell]) != cell:
            cell = following
            found.append(self.ground.tile(cell))
        found.reverse()
        return found


class Search:
    """A way that was asked for. Once `done`, `path` has the tiles to it, the last one first (so that whoever
    walks there takes them off its end), and `reached` says whether it leads there or only nearer."""

    __slots__ = ("_left", "_start", "_starts", "cancelled", "done", "field", "found", "path", "reached")

    def __init__(self, field: Field, start: int, starts: Sequence[int], reached: bool) -> None:
        self.field = field
        self._start = start
        self._starts = starts
        self._left = LARGEST
        self.found: Callable[[], None] | None = None
        """Called when it is done, if it was not at once and is not cancelled."""
        self.path: list[Tile] = []
        self.reached = reached
        self.done = self.cancelled = False
        if not starts:  # walled in, where nobody can stand
            self.reached, self.done = False, True

    def run(self, most: int) -> int:
        """Look at so many tiles at most; returns at how many."""
        field, looked = self.field, 0
        known = next((cell for cell in self._starts if cell in field.known), None)
        if known is None and not field.exhausted:
            looked = field.grow(min(most, self._left), self._starts)
            self._left -= looked
            known = next((cell for cell in self._starts if cell in field.known), None)
        if known is not None:
            self.path = field.way(known)
            if known != self._start:  # it stands where nobody can
                self.path.append(field.ground.tile(known))
                start = field.ground.tile(self._start)
                if start in self.path:  # such as one that ends at the door where it stands
                    del self.path[self.path.index(start) :]
            self.done = True
        elif field.exhausted or self._left <= 0:
            self.reached, self.done = False, True
        return looked


class Paths:
    """The queue of all searches of a world, and what the latest of them found."""

    def __init__(self, timers: TimerWheel, per_turn: int = PER_TURN) -> None:
        self._timers = timers
        self._per_turn = per_turn
        self._grounds: dict[str, tuple[Chart, Ground]] = {}
        self._fields: OrderedDict[tuple[object, ...], Field] = OrderedDict()
        self._kept = 0
        self._queue: deque[Search] = deque()
        self._turn = -1.0
        self._spent = 0
        self._timer: Timer | None = None

    def __len__(self) -> int:
        """Number of searches that are not finished."""
        return len(self._queue)

    def ground(self, chart: Chart) -> Ground:
        """The tiles of a chart on which those can stand who walk by themselves."""
        known = self._grounds.get(chart.name)
        if known is None or known[0] is not chart:
            known = self._grounds[chart.name] = chart, Ground(chart)
            for field in self._fields.values():
                field.forgotten = True
            self._fields.clear()
            self._kept = 0
        return known[1]

    def ask(
        self,
        chart: Chart,
        start: Tile,
        goals: Collection[Tile],
        aim: Tile,
        *,
        avoid: Tile | None = None,
    ) -> Search:
        """Ask for a way from a tile to any of the goals, which lie around `aim`; if none can be reached, to
        the tile nearest to that. `avoid`: a tile that it must not lead over. It may be done at once, if there
        is time left in this turn."""
        ground = self.ground(chart)
        cell = ground.cell(*start)
        starts = (
            (cell,) if ground.free[cell] else tuple(cell + way for way, _ in ground.steps[ground.ways[cell]])
        )
        regions = ground.regions(cell)
        ends = frozenset(
            end
            for goal in goals
            if ground.inside(*goal) and not regions.isdisjoint(ground.regions(end := ground.cell(*goal)))
        )
        reached = bool(ends) or start in goals
        if not ends:
            ends = frozenset((ground.cell(*ground.nearest(start, aim)),))
        kept_off = -1 if avoid is None else ground.cell(*avoid)
        field = self._field(chart, ground, ends, kept_off)
        search = Search(field, cell, starts, reached)
        if not search.done:
            self._queue.append(search)
            if self._timer is None:
                self._run()
        return search

    def _field(self, chart: Chart, ground: Ground, ends: frozenset[int], avoid: int) -> Field:
        key = chart.name, ends, avoid
        field = self._fields.get(key)
        if field is None:
            field = self._fields[key] = Field(ground, ends, avoid)
        self._fields.move_to_end(key)
        return field

    def straight(
        self, chart: Chart, start: Tile, goal: Tile, *, avoid: Tile | None = None
    ) -> list[Tile] | None:
        """The way that goes diagonally first and then straight on, the last tile first; None if something is
        in it."""
        ground = self.ground(chart)
        (x, y), (to_x, to_y) = start, goal
        found: list[Tile] = []
        while (x, y) != goal:
            before = x, y
            x, y = x + (to_x > x) - (to_x < x), y + (to_y > y) - (to_y < y)
            if not ground.free[ground.cell(x, y)] or (x, y) == avoid or not ground.leads(*before, x, y):
                return None
            found.append((x, y))
        found.reverse()
        return found

    def _run(self) -> None:
        """Go on with the first of the queue, then the next, as far as this turn allows. Whoever waits is
        called by a timer of its own: what goes wrong there is no matter of all others who wait."""
        self._timer = None
        if self._timers.now != self._turn:
            self._turn, self._spent = self._timers.now, 0
        queue = self._queue
        while queue and self._spent < self._per_turn:
            search = queue.popleft()
            if search.cancelled:
                continue
            looked = search.run(min(AT_A_TIME, self._per_turn - self._spent))
            self._spent += looked
            if not search.field.forgotten:
                self._kept += looked
            if not search.done:
                queue.append(search)
            elif search.found is not None:
                self._timers.after(0.0, _tell, search)
        self._forget()
        if queue:
            self._timer = self._timers.after(AGAIN, self._run)

    def _forget(self) -> None:
        while self._kept > KEPT and self._fields:
            _, field = self._fields.popitem(last=False)
            field.forgotten = True
            self._kept -= len(field.known)


def _tell(search: Search) -> None:
    if search.found is not None and not search.cancelled:
        search.found()


def rounded(dividend: int, divisor: int) -> int:
    """The whole number nearest to a quotient; half of one goes away from 0, so that lines are symmetrical."""
    found = (2 * abs(dividend) + divisor) // (2 * divisor)
    return found if dividend >= 0 else -found


def _ring(x: int, y: int, radius: int) -> Iterator[Tile]:
    """The tiles of the edge of a square around a tile."""
    if not radius:
        yield x, y
        return
    for along in range(-radius, radius):
        yield x + along, y - radius
        yield x + radius, y + along
        yield x - along, y + radius
        yield x - radius, y - along
