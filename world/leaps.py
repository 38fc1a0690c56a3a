"""Leaps: jumps over many tiles at once, as Conquer Online has them.

A jump needs free ground where it ends, near enough and not too high, and no wall on the way; water, fences
and people are jumped over. Who means to jump where that is not so, as one does whose client shows none of our
walls, is not refused: it lands on the last tile of the line there that can be jumped to; and who stands at
the wall itself lands wherever it comes nearest to what it meant, and so gets along the wall. Only who comes
no nearer stays. (To refuse is what public servers do; their clients see what blocks them.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import motion
from world.audience import of_step
from world.events import Jumped
from world.heading import towards
from world.mobile import Posture
from world.paths import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.mobile import Mobile
    from world.realm import Realm

LONGEST_JUMP: Final = 18
"""Tiles (Chebyshev) of one jump: as far as a client of Conquer Online sees (shekohex/coemu; COPS v6: 17)."""

HIGHEST_JUMP: Final = 210
"""How much higher than its beginning the end of a jump may be, in the units of that game's maps
(conquer-online/comet, shekohex/coemu). Down it goes from any height."""

JUMP_SECONDS: Final = 0.5
"""Least time from one jump to the next. Its clients take 0.4 s with their quickest gait; public servers
refuse what comes within 0.41 to 0.55 s (COPS v6, jackpotsvr/Java-Conquer-Server)."""

NEAR: Final = 8
"""Tiles around the wanted one among which the nearest is looked for. In the town some 3 of 100 jumps of up to
8 tiles find none, with a wider search no fewer; it takes a third of a millisecond."""

Tile = tuple[int, int]


def can_jump(realm: Realm, x: int, y: int, to_x: int, to_y: int) -> bool:
    """Whether the ground lets a mobile jump from one tile to another: near enough, free, not too high, and no
    wall in between. Water and the like are jumped over."""
    tiles = max(abs(to_x - x), abs(to_y - y))
    if not 0 < tiles <= LONGEST_JUMP or not realm.walkable(to_x, to_y):
        return False
    highest = realm.height(x, y) + HIGHEST_JUMP
    return realm.height(to_x, to_y) <= highest and _wall(realm, x, y, to_x, to_y) is None


def landings(realm: Realm, x: int, y: int, to_x: int, to_y: int) -> Iterator[Tile]:
    """Find the tiles on which a jump may end that is meant for (to_x, to_y): that one, those of the line
    there, the nearest to it first, and the one beside the line that is nearest to it; of the others none
    where a way out begins. None of a jump that is too long."""
    dx, dy = to_x - x, to_y - y
    tiles = max(abs(dx), abs(dy))
    if tiles > LONGEST_JUMP:
        return
    for n in range(tiles, 0, -1):
        tile = x + rounded(dx * n, tiles), y + rounded(dy * n, tiles)
        if (n == tiles or tile not in realm.chart.warps) and can_jump(realm, x, y, *tile):
            yield tile
    tile_beside = _nearest_to(realm, x, y, to_x, to_y)
    if tile_beside is not None:
        yield tile_beside


def _nearest_to(realm: Realm, x: int, y: int, to_x: int, to_y: int) -> Tile | None:
    """The tile nearest to (to_x, to_y) on which a jump from (x, y) may end; None if none is nearer than that
    one itself."""
    best, least = None, (to_x - x) ** 2 + (to_y - y) ** 2
    for dy in range(-NEAR, NEAR + 1):
        for dx in range(-NEAR, NEAR + 1):
            tile = to_x + dx, to_y + dy
            far = dx * dx + dy * dy
            if far < least and tile not in realm.chart.warps and can_jump(realm, x, y, *tile):
                best, least = tile, far
    return best


def in_the_way(realm: Realm, x: int, y: int, to_x: int, to_y: int) -> Tile:
    """The tile that keeps a mobile from jumping to another: a wall on the way, else that one itself."""
    return _wall(realm, x, y, to_x, to_y) or (to_x, to_y)


def jump(mobile: Mobile, x: int, y: int) -> bool:
    """Jump to a tile, facing that way. Returns False, and nothing has changed, if it cannot be done. Where a
    warp begins, the jump leads on to where it ends; a closed door keeps out."""
    realm = mobile.realm
    if realm is None or not _may_jump(mobile) or not can_jump(realm, mobile.x, mobile.y, x, y):
        return False
    return _land(mobile, realm, x, y)


def jump_towards(mobile: Mobile, x: int, y: int) -> Tile | None:
    """Jump to a tile, or as near to it as one comes. Returns the tile on which it landed; None, and nothing
    has changed, if it cannot be done."""
    realm = mobile.realm
    if realm is None or not _may_jump(mobile):
        return None
    for tile in landings(realm, mobile.x, mobile.y, x, y):
        if _land(mobile, realm, *tile):
            return tile
    return None


def _may_jump(mobile: Mobile) -> bool:
    if mobile.dead or mobile.posture != Posture.STANDING:
        return False
    if mobile.is_character and motion.is_stuck(mobile):
        motion.complain(mobile)
        return False
    return True


def _land(mobile: Mobile, realm: Realm, x: int, y: int) -> bool:
    """Be there, unless that is a door that is closed."""
    heading = towards(x - mobile.x, y - mobile.y)
    warp = realm.chart.warps.get((x, y))
    if heading is None:
        return False
    if warp is not None and not motion.lets_through(mobile, realm, warp, x, y, pushes=False):
        return False
    from_x, from_y = mobile.x, mobile.y
    viewers, lost = of_step(mobile, realm, x, y)
    realm.space.move(mobile, x, y)
    mobile.heading = heading
    if mobile.viewport is not None:
        realm.space.open(mobile.viewport)
    mobile.touch()
    mobile.world.events.append(Jumped(mobile, from_x, from_y, x, y, heading, viewers, lost))
    if warp is not None:
        mobile.world.travel(mobile, warp.realm, warp.x, warp.y)
    return True


def _wall(realm: Realm, x: int, y: int, to_x: int, to_y: int) -> Tile | None:
    """The first wall that a straight line from (x, y) meets before its end, or one of two between which it
    would slip through where they meet at a corner."""
    dx, dy = to_x - x, to_y - y
    tiles, before_x, before_y = max(abs(dx), abs(dy)), x, y
    for n in range(1, tiles + 1):
        at_x, at_y = x + rounded(dx * n, tiles), y + rounded(dy * n, tiles)
        if not realm.inside(at_x, at_y):
            return at_x, at_y
        if n < tiles and realm.opaque(at_x, at_y):
            return at_x, at_y
        if realm.opaque(at_x, before_y) and realm.opaque(before_x, at_y):
            return at_x, before_y
        before_x, before_y = at_x, at_y
    return None
