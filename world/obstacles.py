"""Obstacles in words: for players whose clients walk on ground of their own, and see none of our walls.

Whoever is held by a wall that its client does not draw is told once what holds it, and where to see it. The
name is that of the kind of tile (`data/tiles.toml`).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from world.heading import OFFSETS

if TYPE_CHECKING:
    from world.content import TileKind
    from world.realm import Realm

FEW: Final = 4
"""Steps of a way around: as many as lead to the other side of a post."""

Tile = tuple[int, int]

_STRAIGHT_FIRST: Final = (0, 2, 4, 6, 1, 3, 5, 7)


def blocking(realm: Realm, x: int, y: int, heading: int) -> Tile | None:
    """The tile that keeps a mobile from going from (x, y), None if it can. For a diagonal it may be one of
    those beside the way."""
    dx, dy = OFFSETS[heading]
    tiles = ((x + dx, y + dy), (x + dx, y), (x, y + dy)) if dx and dy else ((x + dx, y + dy),)
    return next((tile for tile in tiles if not realm.walkable(*tile)), None)


def around(realm: Realm, x: int, y: int, spot: tuple[float, float]) -> tuple[list[int], Tile]:
    """The headings of the way from (x, y) to whatever tile is nearest to a spot, and that tile, of those that
    one comes to in `FEW` steps; of equally near ones that with the fewest. So who walks against a wall slides
    along it, and gets around posts and corners. Where warps begin nobody is led."""
    warps = realm.chart.warps
    came: dict[Tile, tuple[Tile, int]] = {(x, y): ((x, y), 0)}
    best, least = (x, y), _apart(spot, x, y)
    queue: deque[tuple[Tile, int]] = deque((((x, y), 0),))
    while queue and least > 0:
        tile, steps = queue.popleft()
        for heading in _STRAIGHT_FIRST if steps < FEW else ():
            other = tile[0] + OFFSETS[heading][0], tile[1] + OFFSETS[heading][1]
            if other in came or other in warps or blocking(realm, *tile, heading) is not None:
                continue
            came[other] = tile, heading
            queue.append((other, steps + 1))
            far = _apart(spot, *other)
            if far < least:
                best, least = other, far
    way: list[int] = []
    tile = best
    while tile != (x, y):
        tile, heading = came[tile]
        way.append(heading)
    way.reverse()
    return way, best


def _apart(spot: tuple[float, float], x: int, y: int) -> float:
    """The square of the distance from a spot to a tile, in thousandths of a tile: of those that are equally
    far away none is nearer by rounding."""
    dx, dy = (max(low - at, 0.0, at - low - 1) for at, low in zip(spot, (x, y), strict=True))
    return round((dx * dx + dy * dy) * 1000)


def what_blocks(realm: Realm, x: int, y: int, *, order: str) -> str:
    """The line for a player who cannot go on because of what is at a tile, on which nobody can stand. `order`
    is what that player types to see a sketch of the surroundings."""
    title = realm.chart.title or realm.name
    if not realm.inside(x, y):
        return f"{title} ends here: {order} shows it."
    kind = _kind(realm, x, y)
    return f"{'Something' if kind is None else _named(kind)} of {title} is in the way: {order} shows it."


def _kind(realm: Realm, x: int, y: int) -> TileKind | None:
    """What it is at a tile that keeps everybody out."""
    chart = realm.chart
    for piece in chart.scenery:
        if (piece.x, piece.y) == (x, y) and not piece.kind.walkable:
            return piece.kind
    ground = chart.ground[y * chart.width + x]
    return None if ground.walkable else ground


def _named(kind: TileKind) -> str:
    """Its name with an article. Ground is of no number: "the water"."""
    if kind.layer == "ground":
        return f"The {kind.name}"
    return f"{'An' if kind.name[:1] in set('aeiou') else 'A'} {kind.name}"
