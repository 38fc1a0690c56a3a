"""Going: steps, turns, travel, and how fast.

Speed is a schedule, not an interval: every tile moves `Gait.next_at` on by its cost, whenever the packet
arrived. A step is taken at once if it comes no more than `CREDIT` before its time, so that honest jitter is
never felt; one that comes earlier waits in a short queue for its time, so that a client which sends faster
goes no faster. Lateness can be made up for up to `CREDIT`. (The idea and the 200 ms are ModernUO's,
Projects/Server/Network/MovementThrottle.cs.)
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Final

from world.doors import open_door
from world.heading import OFFSETS, towards
from world.mobile import Posture
from world.moments import Halted, Stepped, Turned
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile
    from world.realm import Realm

CREDIT: Final = 0.2
"""Seconds by which a step may come early, or lateness be made up."""

LONGEST_QUEUE: Final = 10
"""Steps that may wait. A genuine UO client never has more than five unanswered."""


def can_step(realm: Realm, x: int, y: int, heading: int) -> bool:
    """Whether the ground lets somebody go from (x, y). A diagonal needs both tiles beside it, too."""
    dx, dy = OFFSETS[heading]
    if not realm.walkable(x + dx, y + dy):
        return False
    return not (dx and dy) or (realm.walkable(x + dx, y) and realm.walkable(x, y + dy))


def step(mobile: Mobile, heading: int, *, run: bool = False) -> bool:
    """Go one tile, facing that way; False, and nothing changed, if it cannot be done.

    Where a warp begins, the step leads on to where it ends; a closed door before it opens at the first push
    and lets through at the second. Residents stay where they belong.
    """
    realm = mobile.realm
    if (
        realm is None
        or mobile.posture != Posture.STANDING
        or not can_step(realm, mobile.x, mobile.y, heading)
    ):
        return False
    dx, dy = OFFSETS[heading]
    x, y = mobile.x + dx, mobile.y + dy
    warp = realm.chart.warps.get((x, y))
    if warp is not None:
        if not mobile.is_character:
            return False
        if warp.door and not realm.is_open(x, y, mobile.world.now):
            open_door(mobile, x, y)
            return False
    go(mobile, x, y, heading, run=run)
    if warp is not None:
        mobile.world.warp(mobile, mobile.world.realms[warp.realm], warp.x, warp.y)
    return True


def go(mobile: Mobile, x: int, y: int, heading: int, *, run: bool = False) -> None:
    """Move a mobile to a neighbouring tile, whatever lies there, and record who saw it."""
    realm = mobile.realm
    if realm is None:
        raise ValueError(f"{mobile.name} is nowhere")
    space = realm.space
    from_x, from_y = mobile.x, mobile.y
    # Its own eyes move with it, so who sees it is asked while they still cover both tiles.
    viewers, lost = space.watching_step(from_x, from_y, x, y)
    space.move(mobile, x, y)
    mobile.heading, mobile.running = heading, run
    if mobile.eyes is not None:
        space.open(mobile.eyes)
    mobile.touch()
    mobile.world.moments.append(Stepped(mobile, from_x, from_y, x, y, heading, run, viewers, lost))


def turn(mobile: Mobile, heading: int, *, forced: bool = False) -> None:
    """Face another way. `forced`: not at the wish of its own client, which forgets its unanswered steps."""
    if mobile.heading != heading:
        if forced:
            halt(mobile)
        mobile.heading = heading
        mobile.touch()
        viewers = mobile.world.watching(mobile)
        mobile.world.moments.append(Turned(mobile, mobile.x, mobile.y, heading, viewers, forced))


def rest(mobile: Mobile) -> None:
    """Stop where it is: its client, which draws motion as one smooth line, says that the line ends here."""
    viewers = mobile.world.watching(mobile)
    mobile.world.moments.append(Halted(mobile, mobile.x, mobile.y, mobile.heading, viewers))


def cost(mobile: Mobile, heading: int, *, run: bool) -> float:
    """Seconds one tile takes. UO and EO clients know one pace for all headings, so diagonals cost no more."""
    gait = mobile.gait
    return (gait.run_ms if run else gait.walk_ms) / 1000


def paced(mobile: Mobile, seconds: float, act: Callable[[], bool]) -> bool:
    """Do `act`, which takes `seconds` of going, when the schedule allows: now, or when its time comes. It
    returns False if it is void by then, and has taken no time.

    False, with nothing kept, if too many wait already: its client is cheating or broken.
    """
    gait, now = mobile.gait, mobile.world.now
    if not gait.queue and now >= gait.next_at - CREDIT:
        if act():
            gait.next_at = max(gait.next_at, now - CREDIT) + seconds
        return True
    if len(gait.queue) >= LONGEST_QUEUE:
        return False

    def in_time() -> None:
        if act():
            gait.next_at += seconds

    gait.queue.append(in_time)
    if len(gait.queue) == 1:
        _wait(mobile)
    return True


def halt(mobile: Mobile) -> None:
    """Forget the steps that wait."""
    gait = mobile.gait
    gait.queue.clear()
    if gait.timer is not None:
        gait.timer.cancel()
        gait.timer = None


def _wait(mobile: Mobile) -> None:
    gait = mobile.gait
    delay = max(0.0, gait.next_at - CREDIT - mobile.world.now)
    gait.timer = mobile.world.timers.after(
        delay, _next_in_queue, mobile, priority=Priority.EXACT, owner=mobile
    )


def _next_in_queue(mobile: Mobile) -> None:
    gait = mobile.gait
    gait.timer = None
    if gait.queue:
        gait.queue.popleft()()
        if gait.queue and gait.timer is None:
            _wait(mobile)


def travel(mobile: Mobile, x: int, y: int, *, run: bool = False) -> tuple[int, int]:
    """Start walking to a tile in a straight line, tile by tile at the mobile's pace; a new call replaces the
    old.

    Stops before the first blocked tile; answers the end point, which a view may announce as one smooth line.
    """
    realm = mobile.realm
    if realm is None:
        return mobile.x, mobile.y
    path = _line(realm, mobile.x, mobile.y, x, y)
    halt(mobile)
    if path:
        _follow(mobile, path, run)
    end_x, end_y = mobile.x, mobile.y
    for heading in path:
        end_x, end_y = end_x + OFFSETS[heading][0], end_y + OFFSETS[heading][1]
    return end_x, end_y


def _follow(mobile: Mobile, path: list[int], run: bool) -> None:
    for heading in path:
        seconds = cost(mobile, heading, run=run) * (sqrt(2) if heading % 2 else 1)
        mobile.gait.queue.append(partial(_travel_step, mobile, heading, seconds, run))
    mobile.gait.next_at = max(mobile.gait.next_at, mobile.world.now + CREDIT)
    _wait(mobile)


def _travel_step(mobile: Mobile, heading: int, seconds: float, run: bool) -> None:
    mobile.gait.next_at += seconds
    if not step(mobile, heading, run=run):
        halt(mobile)


def _line(realm: Realm, x: int, y: int, to_x: int, to_y: int) -> list[int]:
    """Headings of the straight line that can be walked."""
    path: list[int] = []
    while True:
        heading = towards(to_x - x, to_y - y)
        if heading is None or not can_step(realm, x, y, heading):
            return path
        path.append(heading)
        x, y = x + OFFSETS[heading][0], y + OFFSETS[heading][1]
