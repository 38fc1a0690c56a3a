"""Ways around obstacles for all who walk by themselves: A* over the tiles of a chart, a little each turn.

Most ways in a realm are straight, and `straight` finds those for the price of their tiles. Only where
something is in the way is a search made, and searches are what could cost a turn its time: a hundred wolves
behind one fence. So all of them stand in one queue (`Paths`), which looks at a fixed number of tiles a turn
and goes on in the next: whoever asked looks later whether the way is found, and meanwhile waits. A search
that has looked at `LARGEST` tiles ends with the way to the nearest tile that it saw.

All steps cost the same, diagonals too, as everywhere in the world; a diagonal needs both tiles beside it, as
in `world.motion`. Tiles where a warp begins are walls here: only players are led through. (Distances prepared
for a whole realm, or one field of distances for each hunted player, were not taken: the first has to be kept
for every realm, and the second pays for tiles that nobody walks on.)
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from world.content import Chart
    from world.timers import Timer, TimerWheel

PER_TURN: Final = 250
"""Tiles that all searches together look at in one turn: some half a millisecond."""

LARGEST: Final = 700
"""Tiles that one search looks at: all within 13 around, in the open."""

AGAIN: Final = 0.01
"""Seconds until searches that were not finished go on: the next turn."""

Tile = tuple[int, int]


class Ground:
    """Tiles of a chart on which creatures can stand: one byte per cell, with a border of cells where they
    cannot, so that no search has to look where the map ends."""

    __slots__ = ("free", "ways", "width")

    def __init__(self, chart: Chart) -> None:
        self.width = chart.width + 2
        free = bytearray(self.width * (chart.height + 2))
        for y in range(chart.height):
            begin = self.cell(0, y)
            row = chart.blocked[y * chart.width : (y + 1) * chart.width]
            free[begin : begin + chart.width] = bytes(not cell for cell in row)
        for x, y in chart.warps:
            free[self.cell(x, y)] = 0
        self.free = bytes(free)
        width = self.width
        self.ways = tuple((dx + dy * width, dx, dy * width) for dx, dy in _OFFSETS)
        """Of each of the eight ways the difference of cells; and of diagonals those of the two beside it."""

    def cell(self, x: int, y: int) -> int:
        """Number of a tile; those up to one tile beyond the map have one, too."""
        return (y + 1) * self.width + x + 1

    def tile(self, cell: int) -> Tile:
        """The tile of a number."""
        y, x = divmod(cell, self.width)
        return x - 1, y - 1


# Straight ways first: of several equally short paths that is the one a person would take.
_OFFSETS: Final = ((0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1))


class Search:
    """A way that was asked for. Once `done`, `path` has the tiles to it, the last one first (so that whoever
    walks there takes them off its end), and `reached` says whether it leads there or only nearer."""

    __slots__ = (
        *("_aim", "_avoid", "_best", "_came", "_goals", "_ground", "_heap", "_left", "_slack", "_steps"),
        *("cancelled", "done", "path", "reached"),
    )

    def __init__(
        self, ground: Ground, start: Tile, goals: Collection[Tile], aim: Tile, avoid: Tile | None
    ) -> None:
        self._ground = ground
        self._goals = frozenset(ground.cell(*goal) for goal in goals)
        self._aim = aim
        self._slack = max((max(abs(x - aim[0]), abs(y - aim[1])) for x, y in goals), default=0)
        self._avoid = -1 if avoid is None else ground.cell(*avoid)
        begin = ground.cell(*start)
        far = self._far(begin)
        self._came = {begin: begin}
        self._steps = {begin: 0}
        self._heap = [(far, far, 0, begin)]
        self._best = (far, 0, begin)
        self._left = LARGEST
        self.path: list[Tile] = []
        self.done = self.reached = self.cancelled = False

    def run(self, most: int) -> int:
        """Look at so many tiles at most; returns at how many."""
        ground, came, heap, goals = self._ground, self._came, self._heap, self._goals
        free, ways, avoid, known = ground.free, ground.ways, self._avoid, self._steps
        looked = 0
        while heap and looked < min(most, self._left):
            _, far, steps, cell = heappop(heap)
            if steps > known[cell]:
                continue  # a shorter way there was found since
            looked += 1
            if (far, steps) < self._best[:2]:
                self._best = (far, steps, cell)
            if cell in goals:
                self._finish(cell, reached=True)
                return looked
            steps += 1
            for way, across, down in ways:
                other = cell + way
                if not free[other] or other == avoid or known.get(other, LARGEST) <= steps:
                    continue
                if across and down and not (free[cell + across] and free[cell + down]):
                    continue
                came[other], known[other] = cell, steps
                far = self._far(other)
                heappush(heap, (steps + far, far, steps, other))
        self._left -= looked
        if not heap or self._left <= 0:
            self._finish(self._best[2], reached=False)
        return looked

    def _far(self, cell: int) -> int:
        """Steps that it is to a goal at least."""
        x, y = self._ground.tile(cell)
        return max(0, max(abs(x - self._aim[0]), abs(y - self._aim[1])) - self._slack)

    def _finish(self, cell: int, *, reached: bool) -> None:
        ground, came = self._ground, self._came
        while came[cell] != cell:
            self.path.append(ground.tile(cell))
            cell = came[cell]
        self.done, self.reached = True, reached
        self._came, self._steps, self._heap = {}, {}, []


class Paths:
    """The queue of all searches of a world."""

    def __init__(self, timers: TimerWheel, per_turn: int = PER_TURN) -> None:
        self._timers = timers
        self._per_turn = per_turn
        self._grounds: dict[str, tuple[Chart, Ground]] = {}
        self._queue: deque[Search] = deque()
        self._turn = -1.0
        self._spent = 0
        self._timer: Timer | None = None

    def __len__(self) -> int:
        """Number of searches that are not finished."""
        return len(self._queue)

    def ground(self, chart: Chart) -> Ground:
        """The tiles of a chart on which creatures can stand."""
        known = self._grounds.get(chart.name)
        if known is None or known[0] is not chart:
            known = self._grounds[chart.name] = chart, Ground(chart)
        return known[1]

    def ask(
        self, chart: Chart, start: Tile, goals: Collection[Tile], aim: Tile, *, avoid: Tile | None = None
    ) -> Search:
        """Ask for a way from a tile to any of the goals, which lie around `aim`. `avoid`: a tile that it must
        not lead over. It may be done at once, if there is time left in this turn."""
        search = Search(self.ground(chart), start, goals, aim, avoid)
        self._queue.append(search)
        if self._timer is None:
            self._run()
        return search

    def straight(
        self, chart: Chart, start: Tile, goal: Tile, *, avoid: Tile | None = None
    ) -> list[Tile] | None:
        """The way that goes diagonally first and then straight on, the last tile first; None if something is
        in it."""
        ground = self.ground(chart)
        free, width = ground.free, ground.width
        (x, y), (to_x, to_y) = start, goal
        found: list[Tile] = []
        while (x, y) != goal:
            across, down = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
            cell = ground.cell(x, y)
            x, y = x + across, y + down
            if not free[cell + across + down * width] or (x, y) == avoid:
                return None
            if across and down and not (free[cell + across] and free[cell + down * width]):
                return None
            found.append((x, y))
        found.reverse()
        return found

    def _run(self) -> None:
        """Go on with the first of the queue, then the next, as far as this turn allows."""
        self._timer = None
        if self._timers.now != self._turn:
            self._turn, self._spent = self._timers.now, 0
        queue = self._queue
        while queue and self._spent < self._per_turn:
            search = queue[0]
            if not search.cancelled:
                self._spent += search.run(self._per_turn - self._spent)
            if search.cancelled or search.done:
                queue.popleft()
        if queue:
            self._timer = self._timers.after(AGAIN, self._run)
