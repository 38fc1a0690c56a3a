"""Motion: steps, turns, and how fast they may be.

Speed is a schedule, not an interval: every tile moves `Gait.next_at` on by its cost, whenever the packet
arrived. A step is taken at once if it comes no more than `CREDIT` before its time, so that honest jitter is
never felt; one that comes earlier waits in a short queue for its time, so that a client which sends faster
goes no faster. Lateness can be made up for up to `CREDIT`. (The idea and the 200 ms are ModernUO's,
Projects/Server/Network/MovementThrottle.cs.) A least interval between packets, as many servers have it, was
not taken: it refuses steps of honest clients whose packets the network has bunched together, and each refusal
throws such a player back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import holding
from world.audience import in_sight, of_arrival, of_step
from world.doors import open_door
from world.events import Halted, Stepped, Turned
from world.heading import OFFSETS
from world.mobile import UNDER_WAY, Posture
from world.reach import Cannot, Refusal
from world.recovery import recover
from world.speech import notice
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.content import Warp
    from world.mobile import Mobile
    from world.realm import Realm

BETWEEN_COMPLAINTS: Final = 5.0
"""Seconds."""

CREDIT: Final = 0.2
"""Seconds by which a step may come early, or lateness be made up."""

CATCH_UP_SECONDS: Final = 5.0
"""How long after a stop of the server the steps may come that its clients took meanwhile: some have to wait,
at the rate at which packets are heard."""

LONGEST_QUEUE: Final = 10
"""Steps that may wait. A genuine UO client never has more than five unanswered."""


def can_step(realm: Realm, x: int, y: int, heading: int) -> bool:
    """Whether the ground lets a mobile go from (x, y). A diagonal needs both tiles beside it, too."""
    dx, dy = OFFSETS[heading]
    if not realm.walkable(x + dx, y + dy):
        return False
    return not (dx and dy) or (realm.walkable(x + dx, y) and realm.walkable(x, y + dy))


def step(mobile: Mobile, heading: int, *, run: bool = False, journey: bool = False) -> bool:
    """Go one tile, facing that way. Returns False, and nothing has changed, if it cannot be done.

    Where a warp begins, the step leads on to where it ends; a closed door before it opens at the first push
    and lets through at the second. Residents stay where they belong. `journey`: the step is part of one that
    viewers know from its `SetOut`.
    """
    realm = mobile.realm
    if (
        realm is None
        or mobile.posture != Posture.STANDING
        or not can_step(realm, mobile.x, mobile.y, heading)
    ):
        return False
    if mobile.is_character and not mobile.dead:
        if is_stuck(mobile):
            complain(mobile)
            return False
        if run:
            run = can_run(mobile)
            _tire(mobile)
    dx, dy = OFFSETS[heading]
    x, y = mobile.x + dx, mobile.y + dy
    warp = realm.chart.warps.get((x, y))
    if warp is not None and not lets_through(mobile, realm, warp, x, y):
        return False
    go(mobile, x, y, heading, run=run, journey=journey)
    if warp is not None:
        mobile.world.travel(mobile, warp.realm, warp.x, warp.y)
    return True


def can_run(mobile: Mobile) -> bool:
    """Whether a mobile may run: characters that are tired or carry too much walk, ghosts run always."""
    if mobile.dead or not mobile.is_character:
        return True
    return mobile.stam > 0 and burden(mobile) <= holding.capacity(mobile)


def is_stuck(mobile: Mobile) -> bool:
    """Whether it carries more than twice what it can, so that it stands."""
    return burden(mobile) > 2 * holding.capacity(mobile)


def burden(mobile: Mobile) -> int:
    """Stones of all that a mobile carries, counted once after each change."""
    load = mobile.load
    if load is None:
        load = mobile.load = holding.weight(mobile)
    return load


def complain(mobile: Mobile) -> None:
    """Tell a player, now and then, that its character carries too much to move."""
    now = mobile.world.now
    if now >= mobile.gait.complains_at:
        mobile.gait.complains_at = now + BETWEEN_COMPLAINTS
        notice(mobile, Refusal.BURDENED.value, means=Refusal.BURDENED)


def _tire(mobile: Mobile) -> None:
    gait = mobile.gait
    gait.tiles_run += 1
    if gait.tiles_run >= mobile.world.content.combat.running_tiles:
        gait.tiles_run = 0
        if mobile.stam > 0:
            mobile.stam -= 1
            recover(mobile)


def lets_through(mobile: Mobile, realm: Realm, warp: Warp, x: int, y: int, *, pushes: bool = True) -> bool:
    """Whether a warp that begins at a tile leads the mobile on. Residents stay where they belong; a closed
    door lets nobody through, but opens if it is pushed."""
    if not mobile.is_character or not mobile.world.leads_to(warp.realm):
        return False
    if warp.door and not realm.is_open(x, y, mobile.world.now):
        if pushes:
            open_door(mobile, x, y)
        return False
    return True


def enter_portal(mobile: Mobile) -> None:
    """Take the warp that begins on the mobile's tile, or on the nearest tile beside it: for clients that wait
    at the exits that their own maps have. Raises Cannot: SITTING; NO_WAY if there is no warp, or its door was
    closed and opens now."""
    realm = mobile.realm
    if mobile.posture != Posture.STANDING:
        raise Cannot(Refusal.SITTING)
    if realm is None:
        raise Cannot(Refusal.NO_WAY)
    for dx, dy in ((0, 0), *OFFSETS[::2], *OFFSETS[1::2]):
        x, y = mobile.x + dx, mobile.y + dy
        warp = realm.chart.warps.get((x, y))
        if warp is not None and lets_through(mobile, realm, warp, x, y):
            mobile.world.travel(mobile, warp.realm, warp.x, warp.y)
            return
    raise Cannot(Refusal.NO_WAY)


def go(mobile: Mobile, x: int, y: int, heading: int, *, run: bool = False, journey: bool = False) -> None:
    """Move a mobile to a neighbouring tile, whatever lies there, and record its viewers. Raises ValueError if
    the mobile is in no realm."""
    realm = mobile.realm
    if realm is None:
        raise ValueError(f"{mobile.name} is nowhere")
    space = realm.space
    from_x, from_y = mobile.x, mobile.y
    # Its own viewport moves with it, so who sees it is asked while they still cover both tiles.
    viewers, lost = of_step(mobile, realm, x, y)
    space.move(mobile, x, y)
    mobile.heading, mobile.running = heading, run
    if mobile.viewport is not None:
        space.open(mobile.viewport)
    mobile.touch()
    mobile.world.events.append(Stepped(mobile, from_x, from_y, x, y, heading, run, viewers, lost, journey))


def turn(mobile: Mobile, heading: int, *, forced: bool = False) -> None:
    """Face another way. `forced`: not at the wish of its own client, which forgets its unanswered steps."""
    if mobile.heading != heading:
        gait, now = mobile.gait, mobile.world.now
        if forced:
            halt(mobile)
            gait.crosses_until = now + UNDER_WAY
        mobile.heading = heading
        mobile.touch()
        crossed = not forced and now < gait.crosses_until
        mobile.world.events.append(
            Turned(mobile, mobile.x, mobile.y, heading, in_sight(mobile), forced, crossed)
        )


def face(mobile: Mobile, heading: int) -> None:
    """Face another way at one's player's wish. Raises Cannot(SITTING) while the mobile sits."""
    if mobile.heading != heading:
        try:
            check_may_face(mobile)
        except Cannot:
            # A client that had turned by itself is turned back, and may turn again before it hears of that.
            mobile.gait.crosses_until = mobile.world.now + UNDER_WAY
            raise
        turn(mobile, heading)


def check_may_face(mobile: Mobile) -> None:
    """Check that a mobile may turn at its player's wish. Raises Cannot if it may not."""
    if mobile.posture != Posture.STANDING:
        raise Cannot(Refusal.SITTING)


def rest(mobile: Mobile, *, arrived: bool = False) -> None:
    """Stop where the mobile is: its client, which draws motion as one smooth line, says that the line ends
    here. `arrived`: that is where all were told that it goes, which most clients draw by themselves."""
    viewers = of_arrival(mobile) if arrived else in_sight(mobile)
    mobile.world.events.append(Halted(mobile, mobile.x, mobile.y, mobile.heading, viewers, arrived))


def cost(mobile: Mobile, heading: int, *, run: bool) -> float:
    """Seconds that one tile takes. UO and EO clients know one pace for all headings, so diagonals cost no
    more."""
    gait = mobile.gait
    return (gait.run_ms if run and can_run(mobile) else gait.walk_ms) / 1000


def paced(mobile: Mobile, seconds: float, act: Callable[[], bool]) -> bool:
    """Do `act`, which takes `seconds` of going, when the schedule allows: now, or when its time comes.

    `act` returns False if it is void by then, and has taken no time. Returns False, with nothing kept, if too
    many acts wait already: the client is cheating or broken.
    """
    gait, now = mobile.gait, mobile.world.now
    if not gait.queue and now >= gait.next_at - CREDIT:
        if act():
            if now >= gait.catches_up_until:
                gait.next_at = max(gait.next_at, now - CREDIT)
            gait.next_at += seconds
        return True
    if len(gait.queue) >= LONGEST_QUEUE:
        return False

    def in_time() -> None:
        if act():
            gait.next_at += seconds

    gait.queue.append(in_time)
    if len(gait.queue) == 1:
        wait(mobile)
    return True


def catch_up(mobile: Mobile, seconds: float) -> None:
    """The server stood still for so long, and the mobile's client did not: the steps that wait are taken, and
    those that it has taken meanwhile are when they come. Nobody gains more than it could have walked."""
    gait, now = mobile.gait, mobile.world.now
    gait.next_at = max(gait.next_at, now - CREDIT) - seconds
    gait.catches_up_until = now + CATCH_UP_SECONDS
    while gait.queue and now >= gait.next_at - CREDIT:
        gait.queue.popleft()()
    if gait.timer is not None:
        gait.timer.cancel()
        gait.timer = None
    if gait.queue:
        wait(mobile)


def halt(mobile: Mobile) -> None:
    """Forget the steps that wait, and that a way is looked for. A journey ends here, and viewers receive
    `Halted`; so does a client that waits for a way to be found."""
    waits = stop_seeking(mobile)
    if forget_steps(mobile) or waits:
        rest(mobile)


def stop_seeking(mobile: Mobile) -> bool:
    """Forget that a way is looked for. Returns whether one was."""
    seeking, mobile.gait.seeking = mobile.gait.seeking, None
    if seeking is not None and seeking.search is not None:
        seeking.search.cancelled = True
    return seeking is not None


def forget_steps(mobile: Mobile) -> bool:
    """Forget the steps that wait. Returns whether it was on a journey, whose end viewers have to be told
    of."""
    gait = mobile.gait
    journey, gait.journey = gait.journey, None
    gait.queue.clear()
    if gait.timer is not None:
        gait.timer.cancel()
        gait.timer = None
    return journey is not None


def wait(mobile: Mobile) -> None:
    """Have the first of the steps that wait done when its time comes."""
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
            wait(mobile)
