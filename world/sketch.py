"""A sketch: the surroundings of a player in letters, north up, for those whose client draws other ground.

A line is a row of tiles and a letter a tile. Chats draw letters of different widths, and no two of them the
same ones; so there are no blanks, and the signs are those that are nearly as wide as one another in the usual
fonts (0.56 to 0.72 of the height; only "@" is wider, and only once). A full stop or a bar would bend every
wall.

What does not stand still goes before what does: a person in a doorway is drawn as a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world.content import PERSON_HEIGHT
from world.mobile import Mobile
from world.reach import can_see

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.content import Chart, TileKind

HALF_WIDTH, HALF_HEIGHT = 10, 5
"""Tiles to each side: 21 letters in 11 lines, which every game's window for words shows at once."""

YOU, PLAYER, RESIDENT, CREATURE = "@PRC"
DOOR, WAY, SIGN, LAMP, WALL, TALL, FENCE, THING, WATER, FREE = "+>?i#T=o~_"

LEGEND: Final = {
    YOU: "you",
    PLAYER: "player",
    RESIDENT: "resident",
    CREATURE: "creature",
    DOOR: "door",
    WAY: "way out",
    SIGN: "sign",
    LAMP: "lamp",
    TALL: "tree or as high",
    THING: "lower thing",
    FENCE: "fence",
    WALL: "wall",
    WATER: "water",
    FREE: "free",
}
"""Words for each letter, in the order in which they are told."""

_NAMED: Final = (("sign", SIGN), ("lamp", LAMP))
"""What has a letter of its own, by a word of its kind's name."""

_FIRST: Final = (FREE, WATER, THING, TALL, FENCE, WALL, LAMP, SIGN, WAY, DOOR)
"""Of several on one tile the last of these is drawn."""


def sketch(mobile: Mobile) -> list[str]:
    """Draw the rows around a mobile as its player may see them, from north to south; none if it is nowhere.
    Whoever is hidden, or out of sight, is not drawn."""
    realm = mobile.realm
    if realm is None:
        return []
    left, top = mobile.x - HALF_WIDTH, mobile.y - HALF_HEIGHT
    rows = _ground(realm.chart, left, top)
    for thing in sorted(realm.space.around(mobile.x, mobile.y, HALF_WIDTH), key=_weight):
        x, y = thing.x - left, thing.y - top
        if isinstance(thing, Mobile) and 0 <= y < len(rows) and can_see(mobile, thing):
            rows[y][x] = _letter_of(thing)
    rows[HALF_HEIGHT][HALF_WIDTH] = YOU
    return ["".join(row) for row in rows]


def legend(rows: Sequence[str]) -> str:
    """Tell the meaning of the letters that are in a sketch."""
    drawn = set("".join(rows))
    return ", ".join(f"{letter} {words}" for letter, words in LEGEND.items() if letter in drawn)


def _ground(chart: Chart, left: int, top: int) -> list[list[str]]:
    """What stands still. It looks at every piece of the chart's scenery: players have to take their time."""
    width, height = 2 * HALF_WIDTH + 1, 2 * HALF_HEIGHT + 1
    rows = [[_ground_letter(chart, left + x, top + y) for x in range(width)] for y in range(height)]

    def put(x: int, y: int, letter: str) -> None:
        x, y = x - left, y - top
        if 0 <= x < width and 0 <= y < height and _FIRST.index(letter) > _FIRST.index(rows[y][x]):
            rows[y][x] = letter

    for piece in chart.scenery:
        if not piece.kind.walkable and not piece.z:
            put(piece.x, piece.y, _scenery_letter(piece.kind))
    for sign in chart.signs:
        put(sign.x, sign.y, SIGN)
    for (x, y), warp in chart.warps.items():
        put(x, y, DOOR if warp.door else WAY)
    for x, y in chart.doors:
        put(x, y, DOOR)
    return rows


def _ground_letter(chart: Chart, x: int, y: int) -> str:
    """A tile without what stands on it. Beyond the edge is a wall. Blocked and without scenery is water or
    rock, or of a map that has no more to say."""
    if not (0 <= x < chart.width and 0 <= y < chart.height):
        return WALL
    at = y * chart.width + x
    kind = chart.ground[at]
    if not chart.blocked[at]:
        return FREE
    if kind.water:
        return WATER
    return THING if kind.walkable else WALL


def _scenery_letter(kind: TileKind) -> str:
    for word, letter in _NAMED:
        if word in kind.name:
            return letter
    high = kind.height >= PERSON_HEIGHT
    if kind.layer.startswith("wall"):
        return WALL if high else FENCE
    return TALL if high else THING


def _letter_of(mobile: Mobile) -> str:
    if mobile.is_character:
        return PLAYER
    return CREATURE if mobile.template.creature else RESIDENT


def _weight(thing: object) -> int:
    """Of several on one tile players are drawn before residents, and those before creatures."""
    return (CREATURE, RESIDENT, PLAYER).index(_letter_of(thing)) if isinstance(thing, Mobile) else -1
