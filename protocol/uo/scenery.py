"""Walls, trees, water, roads: what of a realm the client's own map does not show.

It is sent as items that nobody can lift, built once and shared by all. The client forgets every item that
lies beyond its view range, tile by tile, so it is sent again tile by tile as it comes back into view; what a
client has is remembered as the square of tiles around it. Ground that looks like the client's own is not
sent.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final, Self

import attrs

from protocol.uo.figures import ground_item
from protocol.uo.packets.things import Removed
from protocol.uo.session import Covered
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from protocol.uo.figures import Figures
    from protocol.uo.session import UoSession
    from protocol.uo.versions import Ground
    from world.content import Chart, Content, TileKind
    from world.realm import Realm

FIRST_SERIAL: Final = 0x7E000000
LAST_SERIAL: Final = 0x7E7FFFFF
"""From here to hair and beards (`figures`) are the wares of shops: see `counters`."""

SIGN: Final = "sign"
"""Name of the kinds of scenery that signs hang on."""


@attrs.frozen
class Static:
    """One piece of scenery as an item. `x`, `y`, `z` are the client's; `tile` is y * width + x in the
    realm."""

    serial: int
    art: int
    hue: int
    x: int
    y: int
    z: int
    tile: int
    realm: str
    name: str

    @property
    def nature(self) -> tuple[object, ...]:
        """All of it but the serial. Two pieces of one nature are the same piece to a client."""
        return self.realm, self.tile, self.art, self.hue, self.x, self.y, self.z, self.name


class UoScenery:
    """The scenery of all realms. `problems` says what cannot be shown."""

    def __init__(self, statics: list[Static]) -> None:
        self._statics = self._built = statics
        """`_built`: the same as they were built, with serials from the first one on."""
        self._gone: dict[tuple[str, int], list[Body]] = {}
        """By realm and tile: what takes away the pieces of the scenery before this one, see `following`."""
        self._new: set[tuple[str, int]] = set()
        """Realms and tiles with pieces that were not there before."""
        self._tiles: dict[tuple[str, Ground], Mapping[int, tuple[Body, ...]]] = {}
        self.problems: list[str] = []
        if len(statics) > LAST_SERIAL - FIRST_SERIAL + 1:
            self.problems.append(f"uo: {len(statics)} pieces of scenery are more than there are serials")

    @classmethod
    def of(cls, content: Content, figures: Figures) -> Self:
        """The scenery of all realms of some content."""
        statics: list[Static] = []
        for chart in content.charts.values():
            _build(chart, figures, statics)
        return cls(statics)

    @cached_property
    def _by_serial(self) -> dict[int, Static]:
        return {static.serial: static for static in self._statics}

    def find(self, serial: int) -> Static | None:
        """The piece with that serial."""
        return self._by_serial.get(serial)

    def following(self, before: UoScenery) -> UoScenery:
        """The scenery to show from now on instead of `before`: that one itself if nothing differs; else this
        one with the serials of the pieces that were there before and are the same, and with serials that
        meant nothing before for all others."""
        if self._built is before._built:
            return before
        known: defaultdict[tuple[object, ...], list[Static]] = defaultdict(list)
        for static in reversed(before._statics):
            known[static.nature].append(static)
        free = (n for n in range(FIRST_SERIAL, LAST_SERIAL + 1) if n not in before._by_serial)
        found: list[Static] = []
        same = 0
        for static in self._statics:
            if alike := known.get(static.nature):
                found.append(alike.pop())
                same += 1
            elif (serial := next(free, None)) is not None:
                found.append(attrs.evolve(static, serial=serial))
        if same == len(found) == len(before._statics):
            return before
        return self._instead_of(before, found)

    def _instead_of(self, before: UoScenery, statics: list[Static]) -> UoScenery:
        scenery = UoScenery(statics)
        scenery._built = self._built
        pieces, old = set(statics), set(before._statics)
        for gone in old - pieces:
            scenery._gone.setdefault((gone.realm, gone.tile), []).append(Body(Removed(gone.serial).encode()))
        scenery._new = {(static.realm, static.tile) for static in pieces - old}
        for realm, ground in before._tiles:
            scenery.tiles(realm, ground)
        return scenery

    def replace(self, session: UoSession) -> None:
        """Queue what is not there any more and what is there now, for a client that was shown the scenery
        that this one has inherited from."""
        covered = session.covered
        if covered is None or session.mobile is None or session.mobile.realm is None:
            return
        width = session.mobile.realm.chart.width
        bodies = self.tiles(covered.realm, session.dialect.ground)
        for place in self._gone.keys() | self._new:
            y, x = divmod(place[1], width)
            near = max(abs(x - covered.x), abs(y - covered.y)) <= covered.radius
            if near and place[0] == covered.realm:
                session.outbox.extend(self._gone.get(place, ()))
                if place in self._new:
                    session.outbox.extend(bodies.get(place[1], ()))

    def tiles(self, realm: str, ground: Ground) -> Mapping[int, tuple[Body, ...]]:
        """By tile (y * width + x): the messages that show what stands there, in the layout of these
        clients."""
        tiles = self._tiles.get((realm, ground))
        if tiles is None:
            found: defaultdict[int, list[Body]] = defaultdict(list)
            for static in self._statics:
                if static.realm == realm:
                    packet = ground_item(
                        static.serial, static.art, static.x, static.y, static.z, static.hue, ground
                    )
                    found[static.tile].append(Body(packet.encode()))
            tiles = self._tiles[realm, ground] = {tile: tuple(bodies) for tile, bodies in found.items()}
        return tiles

    def follow(self, session: UoSession) -> None:
        """The player came to another tile, or sees farther: queue what is new in view."""
        mobile, viewport = session.mobile, session.viewport
        if mobile is None or viewport is None or mobile.realm is None:
            return
        now = Covered(mobile.realm.name, mobile.x, mobile.y, viewport.sight.radius)
        before, session.covered = session.covered, now
        if before == now:
            return
        tiles, outbox = self.tiles(now.realm, session.dialect.ground), session.outbox
        for run in _fresh(mobile.realm, before, now):
            for tile in filter(tiles.__contains__, run):  # mostly there is none
                outbox.extend(tiles[tile])


def forget_edge(session: UoSession, tiles: int) -> None:
    """The client may have forgotten the outermost tiles of its view."""
    covered = session.covered
    if covered is not None:
        session.covered = attrs.evolve(covered, radius=max(0, covered.radius - tiles))


def _build(chart: Chart, figures: Figures, statics: list[Static]) -> None:
    where = chart.place("uo")
    signs = {(sign.x, sign.y): sign.title for sign in chart.signs}
    for kind, tile_x, tile_y, height in _pieces(chart):
        for piece in figures.looks.scenery(kind.key, tile_x, tile_y):
            statics.append(
                Static(
                    FIRST_SERIAL + len(statics),
                    piece.item,
                    piece.hue,
                    where["x"] + tile_x,
                    where["y"] + tile_y,
                    where.get("z", 0) + height + piece.z,
                    tile_y * chart.width + tile_x,
                    chart.name,
                    kind.name if kind.name != SIGN else signs.get((tile_x, tile_y), kind.name),
                )
            )


def _pieces(chart: Chart) -> Iterator[tuple[TileKind, int, int, int]]:
    """Kind, tile and height of everything drawn, the ground first."""
    for place, kind in enumerate(chart.ground):
        yield kind, place % chart.width, place // chart.width, 0
    for piece in chart.scenery:
        yield piece.kind, piece.x, piece.y, piece.z


def _fresh(realm: Realm, before: Covered | None, now: Covered) -> Iterator[range]:
    """The tiles of `now` that are not in `before`, as runs of y * width + x: whole rows, and columns between
    them."""
    width, height = realm.chart.width, realm.chart.height
    left, right = max(0, now.x - now.radius), min(width, now.x + now.radius + 1)
    top, bottom = max(0, now.y - now.radius), min(height, now.y + now.radius + 1)
    if before is None or before.realm != now.realm:
        first = last = bottom
        old_left = old_right = right
    else:
        first, last = before.y - before.radius, before.y + before.radius + 1
        first, last = max(top, min(bottom, first)), max(top, min(bottom, last))
        old_left, old_right = before.x - before.radius, before.x + before.radius + 1
    for y in (*range(top, first), *range(last, bottom)):
        yield range(y * width + left, y * width + right)
    if first < last:
        for x in (*range(left, min(right, old_left)), *range(max(left, old_right), right)):
            yield range(first * width + x, last * width + x, width)
