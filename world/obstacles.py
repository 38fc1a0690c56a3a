"""Obstacles in words: for players whose clients walk on ground of their own, and see none of our walls.

Whoever is held by a wall that its client does not draw is told once what holds it, and where to see it. The
name is that of the kind of tile (`data/tiles.toml`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.heading import OFFSETS

if TYPE_CHECKING:
    from world.content import TileKind
    from world.realm import Realm

Tile = tuple[int, int]


def blocking(realm: Realm, x: int, y: int, heading: int) -> Tile | None:
    """The tile that keeps a mobile from going from (x, y), None if it can. For a diagonal it may be one of
    those beside the way."""
    dx, dy = OFFSETS[heading]
    tiles = ((x + dx, y + dy), (x + dx, y), (x, y + dy)) if dx and dy else ((x + dx, y + dy),)
    return next((tile for tile in tiles if not realm.walkable(*tile)), None)


def between(realm: Realm, x: int, y: int, to_x: int, to_y: int, *, jumps: bool = False) -> Tile | None:
    """The first tile on the straight line from (x, y), its end included, on which nobody can stand; None if
    there is none. `jumps`: what is lower than a person is jumped over, so that only walls count, and where it
    ends."""
    tiles = max(abs(to_x - x), abs(to_y - y))
    for n in range(1, tiles + 1):
        tile = x + round((to_x - x) * n / tiles), y + round((to_y - y) * n / tiles)
        if realm.walkable(*tile):
            continue
        if n == tiles or not jumps or not realm.inside(*tile) or realm.opaque(*tile):
            return tile
    return None


def what_blocks(realm: Realm, x: int, y: int) -> str:
    """The line for a player who cannot go on because of what is at a tile, on which nobody can stand."""
    title = realm.chart.title or realm.name
    if not realm.inside(x, y):
        return f"{title} ends here: /map shows it."
    kind = _kind(realm, x, y)
    return f"{'Something' if kind is None else _named(kind)} of {title} is in the way: /map shows it."


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
