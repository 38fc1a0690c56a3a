"""Leaps: jumps over many tiles at once, as Conquer Online has them.

A jump needs free ground where it ends, near enough and not too high, and no wall on the way; water, fences
and people are jumped over. Who means to jump where that is not so, as one does whose client shows none of our
walls, is not refused: it lands on the last tile of the line there that can be jumped to. Only where there is
none does it stay. (To refuse is what public servers do; their clients see what blocks them.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import motion
from world.events import Jumped
from world.heading import towards
from world.mobile import Posture

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
    """Find the tiles on which a jump may end that is meant for (to_x, to_y): that one, and those of the line
    there, the nearest to it first; of the others none where a way out begins. None of a jump that is too
    long."""
    dx, dy = to_x - x, to_y - y
    tiles = max(abs(dx), abs(dy))
    if tiles > LONGEST_JUMP:
        return
    for n in range(tiles, 0, -1):
        tile = x + motion.nearest(dx * n, tiles), y + motion.nearest(dy * n, tiles)
        if (n == tiles or tile not in realm.chart.warps) and can_jump(realm, x, y, *tile):
            yield tile


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
    """Jump to a tile, or as far as one comes on the line there. Returns the tile on which it landed; None,
    and nothing has changed, if it cannot be done."""
    realm = mobile.realm
    if realm is None or not _may_jump(mobile):
        return None
    # All of them are found before it jumps, and by that is elsewhere.
    for tile in list(landings(realm, mobile.x, mobile.y, x, y)):
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
    viewers, lost = realm.space.watching_step(from_x, from_y, x, y)
    realm.space.move(mobile, x, y)
    mobile.heading = heading
    if mobile.viewport is not None:
        realm.space.open(mobile.viewport)
    mobile.touch()
    mobile.world.events.append(Jumped(mobile, from_x, from_y, x, y, heading, viewers, lost))
    if warp is not None:
        mobile.world.warp(mobile, mobile.world.realms[warp.realm], warp.x, warp.y)
    return True


def _wall(realm: Realm, x: int, y: int, to_x: int, to_y: int) -> Tile | None:
    """The first wall that a straight line from (x, y) meets before its end, or one of two between which it
    would slip through where they meet at a corner."""
    dx, dy = to_x - x, to_y - y
    tiles, before_x, before_y = max(abs(dx), abs(dy)), x, y
    for n in range(1, tiles + 1):
        at_x, at_y = x + motion.nearest(dx * n, tiles), y + motion.nearest(dy * n, tiles)
        if not realm.inside(at_x, at_y):
            return at_x, at_y
        if n < tiles and realm.opaque(at_x, at_y):
            return at_x, at_y
        if realm.opaque(at_x, before_y) and realm.opaque(before_x, at_y):
            return at_x, before_y
        before_x, before_y = at_x, at_y
    return None
