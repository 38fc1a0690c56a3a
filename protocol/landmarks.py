"""Landmarks: what shows the walls of a realm to players whose game has a ground of its own.

Such a client draws its own map and nothing of our houses, so a few things of its own stand where one cannot
go. Which tiles that are is decided here, once for all games; what stands there is a row of
data/looks/tiles.toml. A kind without a row in a game is not shown there.

They are neither things nor known to the world: no row, no delta, and `Session.known` does not hold them. What
is shown in a sector of the realm is made when somebody first comes there and kept for all; so a step within
a sector is two comparisons, and one into the next is the difference of two such sets.

`Landmarks` says which there are, `Scenery` what a client is sent of them. Each game derives its own from that
(its `scenery.py`), which only makes the messages.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections import defaultdict
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final, Generic, Protocol, Self, TypeVar

import attrs

from protocol.kept import is_same
from protocol.tables import LookError
from world.space import SECTOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from protocol.outgoing import Outgoing
    from world.content import Chart, Content, TileKind
    from world.mobile import Mobile

T = TypeVar("T")

MOST: Final = 250
"""Landmarks that one client has at a time."""

THIRD: Final = 3
"""Of what goes straight on, one tile in so many is shown."""

COUNTLESS: Final = 1_000_000
"""More landmarks than all realms have."""

SWITCH: Final = "landmarks"
"""Key of an atlas row: false, and the realm's landmarks are not shown in that game."""


class Run(enum.Enum):
    """Course of the wall, fence, hedge or shore of which a landmark is a piece."""

    NOWHERE = "nowhere"
    """It stands alone."""
    WEST_EAST = "west-east"
    NORTH_SOUTH = "north-south"
    CORNER = "corner"
    """It goes on to two sides that are not opposite, or to three."""


@attrs.frozen
class Landmark(Generic[T]):
    """One of them. `number` counts from 0 through all realms of a game; `look` is the game's own row."""

    number: int
    realm: str
    x: int
    y: int
    kind: TileKind
    look: T
    run: Run
    span: int
    """Tiles along its run that it stands for: 3 in a straight one, itself in the middle; else 1."""
    name: str
    """The title of the sign that hangs there, or what its kind is called."""
    signed: bool = False
    """Whether a sign hangs there, which can be read (`world.signs`)."""


@attrs.frozen(eq=False)
class Surroundings(Generic[T]):
    """Landmarks shown to whoever is in one sector of a realm, the nearest to its middle first. There is one
    object for each sector, so that `is` compares them."""

    realm: str
    column: int
    row: int
    landmarks: tuple[Landmark[T], ...] = ()
    numbers: frozenset[int] = frozenset()

    def beyond(self, other: Surroundings[T]) -> Iterator[Landmark[T]]:
        """Those of them that `other` does not have."""
        return (landmark for landmark in self.landmarks if landmark.number not in other.numbers)


class Landmarks(Generic[T]):
    """All landmarks of one game. `looks` has the rows by key of a kind of tile; `radius` is how far (in
    tiles, Chebyshev) the game's client sees; of more than `numbers` only the first are shown.

    They are found when somebody first asks, or in `prepare`: a server does that before it listens.
    """

    def __init__(
        self,
        game: str,
        charts: Iterable[Chart],
        looks: Mapping[str, T],
        radius: int,
        numbers: int = COUNTLESS,
    ) -> None:
        self._charts = [chart for chart in charts if shows(chart, game)]
        self._source = [part for chart in self._charts for part in chart.drawing]
        self._looks = looks
        self._radius = radius
        self._numbers = numbers
        self._sectors: dict[tuple[str, int, int], Surroundings[T]] = {}
        self.nothing: Surroundings[T] = Surroundings("", 0, 0)
        """What a client has that was shown none, or has forgotten all."""

    def prepare(self) -> None:
        """Find them all now."""
        len(self._all)

    @cached_property
    def _all(self) -> tuple[Landmark[T], ...]:
        found: list[Landmark[T]] = []
        for chart in self._charts:
            found += _landmarks(chart, self._looks, len(found))
        return tuple(found[: self._numbers])

    def __len__(self) -> int:
        """Number of all there are, in all realms."""
        return len(self._all)

    @cached_property
    def _numbered(self) -> dict[int, Landmark[T]]:
        return {landmark.number: landmark for landmark in self._all}

    @cached_property
    def _standing(self) -> Mapping[tuple[str, int, int], Sequence[Landmark[T]]]:
        """By the sector in which they stand."""
        found: defaultdict[tuple[str, int, int], list[Landmark[T]]] = defaultdict(list)
        for landmark in self._all:
            found[landmark.realm, landmark.x // SECTOR, landmark.y // SECTOR].append(landmark)
        return found

    def find(self, number: int) -> Landmark[T] | None:
        """The one with that number; None if there is none."""
        return self._numbered.get(number)

    def inherit(self, before: Landmarks[T]) -> bool:
        """Take over the numbers, by which clients know them, of those that were there before and are the
        same; all others get numbers that meant nothing before, the lowest first, as far as there are any.
        Returns whether anything differs. Nobody may have asked for one yet."""
        if self._is_as(before):
            return False
        known = {(landmark.realm, landmark.x, landmark.y): landmark for landmark in before._all}
        free = (number for number in range(self._numbers) if number not in before._numbered)
        found: list[Landmark[T]] = []
        same = 0
        for landmark in self._all:
            old = known.get((landmark.realm, landmark.x, landmark.y))
            if old is not None and attrs.evolve(landmark, number=old.number) == old:
                found.append(old)
                same += 1
            elif (number := next(free, None)) is not None:
                found.append(attrs.evolve(landmark, number=number))
        self._all = tuple(found)
        for sector in list(before._sectors):
            self.of_sector(*sector)
        return not same == len(found) == len(before)

    def _is_as(self, before: Landmarks[T]) -> bool:
        """Whether it is made of the very same parts of charts, of rows that are equal, and in the same
        way."""
        ways = (self._looks, self._radius, self._numbers) == (before._looks, before._radius, before._numbers)
        return ways and is_same(self._source, before._source)

    def around(self, mobile: Mobile | None, before: Surroundings[T] | None) -> Surroundings[T]:
        """Find what is shown to the player of a mobile, whose client has `before` (None: nothing yet). While
        it stays in a sector that is the same object, and nothing is to be sent."""
        before = before or self.nothing
        if mobile is None or mobile.realm is None:
            return self.nothing
        realm, column, row = mobile.realm.name, mobile.x // SECTOR, mobile.y // SECTOR
        if before.column == column and before.row == row and before.realm == realm:
            return before
        return self.of_sector(realm, column, row)

    def of_sector(self, realm: str, column: int, row: int) -> Surroundings[T]:
        """Find what is shown in a sector: what is in sight from all of its tiles, at most MOST."""
        key = realm, column, row
        found = self._sectors.get(key)
        if found is None:
            found = self._sectors[key] = self._made(*key)
        return found

    def _made(self, realm: str, column: int, row: int) -> Surroundings[T]:
        # Distances in half tiles from the middle of the sector, which lies between tiles. From its farthest
        # tile everything is as far again as from there to the middle.
        middle_x, middle_y = 2 * column * SECTOR + SECTOR - 1, 2 * row * SECTOR + SECTOR - 1
        farthest = 2 * self._radius - (SECTOR - 1)
        near: list[tuple[int, int, Landmark[T]]] = []
        columns, rows = (
            range((middle - farthest) // 2 // SECTOR, (middle + farthest) // 2 // SECTOR + 1)
            for middle in (middle_x, middle_y)
        )
        around = (self._standing.get((realm, x, y), ()) for y in rows for x in columns)
        for landmark in chain.from_iterable(around):
            away_x, away_y = abs(2 * landmark.x - middle_x), abs(2 * landmark.y - middle_y)
            if max(away_x, away_y) <= farthest:
                near.append((away_x**2 + away_y**2, landmark.number, landmark))
        near.sort(key=lambda entry: entry[:2])
        landmarks = tuple(landmark for _, _, landmark in near[:MOST])
        numbers = frozenset(landmark.number for landmark in landmarks)
        return Surroundings(realm, column, row, landmarks, numbers)


# What a client is sent of them


class Version(Protocol):
    """A version of a game's client."""

    @property
    def name(self) -> str:
        """The word that tells it from the game's other versions."""


V = TypeVar("V", bound=Version)


class Viewer(Protocol[T, V]):
    """A client, as far as its landmarks go."""

    landmarks: Surroundings[T] | None
    """What it has of them; None: nothing, or it has forgotten all."""
    mobile: Mobile | None
    dialect: V


class Scenery(ABC, Generic[T, V]):
    """Shows the landmarks of all realms to one game's clients, and keeps what each of them has in its
    session. Messages are made once for all clients of a version.

    A client calls a landmark by a number of the game's own, which counts from `first` on. The rest is as in
    `Landmarks`.
    """

    def __init__(
        self,
        game: str,
        charts: Iterable[Chart],
        props: Mapping[str, T],
        radius: int,
        first: int,
        numbers: int = COUNTLESS,
    ) -> None:
        self.landmarks: Landmarks[T] = Landmarks(game, charts, props, radius, numbers)
        self.first = first
        self._made: dict[tuple[str, int], tuple[Outgoing, Outgoing]] = {}
        """Messages that show and take away, by name of the version and number."""

    def prepare(self) -> None:
        """Find all landmarks now, see `Landmarks`."""
        self.landmarks.prepare()

    def number(self, landmark: Landmark[T]) -> int:
        """The number by which clients call a landmark."""
        return self.first + landmark.number

    def find(self, number: int) -> Landmark[T] | None:
        """The landmark that clients call so; None if there is none."""
        return self.landmarks.find(number - self.first)

    def has(self, session: Viewer[T, V], number: int) -> bool:
        """Whether a client was shown the landmark that it calls so."""
        return session.landmarks is not None and number - self.first in session.landmarks.numbers

    def shown(self, session: Viewer[T, V]) -> list[int]:
        """The numbers by which a client calls what it has of them."""
        return [self.first + number for number in session.landmarks.numbers] if session.landmarks else []

    def follow(self, session: Viewer[T, V]) -> Sequence[Outgoing]:
        """The messages for a client whose player came to another tile: what goes, then what is new. While it
        stays in one sector of a realm there are none."""
        before = session.landmarks or self.landmarks.nothing
        now = self.landmarks.around(session.mobile, before)
        if now is before:
            return ()
        session.landmarks, version = now, session.dialect
        gone = [self.messages(landmark, version)[1] for landmark in before.beyond(now)]
        return *gone, *(self.messages(landmark, version)[0] for landmark in now.beyond(before))

    def leave(self, session: Viewer[T, V]) -> Sequence[Outgoing]:
        """The messages by which a client loses all that it has."""
        before, session.landmarks = session.landmarks, None
        if before is None:
            return ()
        return [self.messages(landmark, session.dialect)[1] for landmark in before.landmarks]

    def messages(self, landmark: Landmark[T], version: V) -> tuple[Outgoing, Outgoing]:
        """The message that shows a landmark to a client of a version, and the one that takes it away."""
        key = version.name, landmark.number
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self.make(landmark, version)
        return made

    def replaced(self, session: Viewer[T, V], fresh: Self) -> Sequence[Outgoing]:
        """The messages for a client that is shown the landmarks of another from now on, which has inherited
        the numbers of this one: what is not there any more goes, and what was not there before comes."""
        before = session.landmarks
        if before is None or before is self.landmarks.nothing:
            session.landmarks = None
            return ()
        now = session.landmarks = fresh.landmarks.of_sector(before.realm, before.column, before.row)
        if now.numbers == before.numbers:
            return ()
        version = session.dialect
        gone = [self.messages(landmark, version)[1] for landmark in before.beyond(now)]
        return *gone, *(fresh.messages(landmark, version)[0] for landmark in now.beyond(before))

    @abstractmethod
    def make(self, landmark: Landmark[T], version: V) -> tuple[Outgoing, Outgoing]:
        """Make what `messages` keeps."""


L = TypeVar("L")
P = TypeVar("P")
S = TypeVar("S")


def with_scenery(
    content: Content,
    compile_looks: Callable[[Content], L],
    read_places: Callable[[Iterable[Chart], list[str]], P],
    scenery: Callable[[Iterable[Chart], L, P], S],
) -> tuple[L, P, S]:
    """Make looks, places and scenery of a game, which follow from the content alone and are only read: a seam
    keeps them, because tests make hundreds of servers with one content, and the scenery is thousands of
    pieces. Raises LookError with the mistakes in its tables."""
    looks = compile_looks(content)
    mistakes: list[str] = []
    places = read_places(content.charts.values(), mistakes)
    if mistakes:
        raise LookError(mistakes)
    return looks, places, scenery(content.charts.values(), looks, places)


def shows(chart: Chart, game: str) -> bool:
    """Whether a game has a place for a realm, and shows its landmarks."""
    row = chart.atlas.get(game)
    return row is not None and row.get(SWITCH, True) is not False


# Which tiles

_WALL, _WATER, _GROUND, _OBJECT, _OUTSIDE = 1, 2, 3, 4, 5
"""Families of what blocks; 0: nothing."""

_MARGIN: Final = 2
"""Tiles around a realm that are taken to be there, so that nobody has to ask for its edge."""


def _family(kind: TileKind) -> int:
    """Walls and fences are continued by walls and fences, water by water, trees by trees and bushes."""
    if kind.layer.startswith("wall"):
        return _WALL
    if kind.layer == "ground":
        return _WATER if kind.water else _GROUND
    return _OBJECT


def _landmarks(chart: Chart, looks: Mapping[str, T], first: int) -> Iterator[Landmark[T]]:
    """The landmarks of a realm, row by row from the north, with numbers from `first` on."""
    signs = {(sign.x, sign.y): sign for sign in chart.signs}
    grid = _Grid(chart)
    number = first
    for (x, y), kind in sorted(grid.kinds.items(), key=lambda entry: (entry[0][1], entry[0][0])):
        look = looks.get(kind.key)
        always = kind.landmark or kind.door or (x, y) in signs
        if look is None or not grid.in_view(x, y, 2 if always else 1):
            continue
        run, span, shown = grid.run(x, y)
        if always or shown:
            sign = signs.get((x, y))
            yield Landmark(
                number,
                chart.name,
                x,
                y,
                kind,
                look,
                run,
                1 if always else span,
                sign.title if sign is not None else kind.name,
                sign is not None,
            )
            number += 1


class _Grid:
    """The tiles of a realm on which one cannot go, and those that are landmarks in any case: by tile, the
    kind that is to be seen there."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.kinds: dict[tuple[int, int], TileKind] = {}
        for index, kind in enumerate(chart.ground):
            if not kind.walkable:
                self.kinds[index % chart.width, index // chart.width] = kind
        for piece in chart.scenery:
            place, kind = (piece.x, piece.y), piece.kind
            prominent = kind.landmark or kind.door
            before = self.kinds.get(place)
            if prominent or (not kind.walkable and (before is None or not (before.landmark or before.door))):
                self.kinds[place] = kind
        self._row = chart.width + 2 * _MARGIN
        rows = chart.height + 2 * _MARGIN
        self._blocked = bytearray(b"\1" * (self._row * rows))
        self._families = bytearray([_OUTSIDE] * (self._row * rows))
        for y in range(chart.height):
            at = self._at(0, y)
            self._blocked[at : at + chart.width] = chart.blocked[y * chart.width : (y + 1) * chart.width]
            self._families[at : at + chart.width] = bytes(chart.width)
        for place, kind in self.kinds.items():
            self._families[self._at(*place)] = _family(kind)

    def _at(self, x: int, y: int) -> int:
        return (y + _MARGIN) * self._row + x + _MARGIN

    def in_view(self, x: int, y: int, tiles: int) -> bool:
        """Whether one can stand on a tile that is at most so far away (Chebyshev)."""
        blocked, wide = self._blocked, 2 * tiles + 1
        first = self._at(x - tiles, y - tiles)
        return any(0 in blocked[at : at + wide] for at in range(first, first + wide * self._row, self._row))

    def run(self, x: int, y: int) -> tuple[Run, int, bool]:
        """Of what a tile is a piece, how many tiles it stands for, and whether it is shown."""
        at, row = self._at(x, y), self._row
        family = self._families[at]
        # Beyond the edge of the realm a lake goes on.
        alike = (family, _OUTSIDE) if family in (_WATER, _GROUND) else (family,)
        north, middle, south = (
            [one in alike for one in self._families[first : first + 3]]
            for first in (at - row - 1, at - 1, at + row - 1)
        )
        columns = [*zip(north, middle, south, strict=True)]
        up, down, left, right = north[1], south[1], middle[0], middle[2]
        count = up + down + left + right
        if count == 0:
            return Run.NOWHERE, 1, True
        if count == 1:
            return Run.WEST_EAST if left or right else Run.NORTH_SOUTH, 1, True
        # A side may be open, or filled as far as the tile's neighbours are: then it is a thick wall.
        if left and right and all(not side[1] or all(side) for side in (north, south)):
            return Run.WEST_EAST, THIRD, x % THIRD == 0
        if up and down and all(not side[1] or all(side) for side in (columns[0], columns[2])):
            return Run.NORTH_SOUTH, THIRD, y % THIRD == 0
        if family == _WALL:
            return Run.CORNER, 1, True
        # The ragged edge of a wood or of a lake is nothing but corners; a hedge's are as good as a wall's.
        between = (south if down else north)[2 if right else 0]
        thin = count == 2 and not between
        return Run.CORNER, 1, thin or (y if up and down else x) % THIRD == 0
