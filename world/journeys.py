"""Journeys: ways that a mobile goes by itself, to a place or up to a thing.

A click of a game whose client leaves the walking to the server becomes one journey. Its way is a straight
line where nothing is in between, else one of `world.paths`, pulled taut to as few straight parts as it can be
(`straightened`); each part is announced when it begins, with its end (`SetOut`), because a client that draws
motion as one smooth line knows nothing but lines. All tiles of a part take equally long, so that a part takes
as long as a client draws it: a slanting tile costs sqrt(2).

A place where one cannot get to is approached as near as one can, and its player reads that there is no way.
"""

from __future__ import annotations

from functools import partial
from math import hypot
from typing import TYPE_CHECKING, Final

import attrs

from world import motion
from world.audience import in_sight
from world.delta import MobileDelta
from world.events import SetOut
from world.heading import OFFSETS, towards
from world.mobile import Aim, Journey, Posture, Seeking
from world.reach import Cannot, Refusal, can_see, has_sight
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.mobile import Mobile
    from world.paths import Ground, Paths, Search, Tile
    from world.realm import Realm
    from world.thing import Thing

TRIES: Final = 4
"""Ways in a row that somebody sets out on after a thing that moves on."""

CORNERS: Final = 8
"""Corners of a way past which it is looked whether one can go straight on."""

BETWEEN_WORDS: Final = 2.0
"""Seconds from one time to the next that who stands there already reads that there is no way."""


def travel(
    mobile: Mobile,
    x: int,
    y: int,
    *,
    run: bool = False,
    near: Callable[[int, int], bool] | None = None,
    ended: Callable[[bool], None] | None = None,
) -> None:
    """Go to a tile, or where `near` first says that a tile on the way is near enough; a new call replaces the
    old, and what it had to do at the end.

    A way that has to be searched for may be found some turns later; until then it goes on as before. At the
    end, once the time of the last tile is over too, `Halted` is recorded and `ended` called, with whether
    that is where it was to go; at once if there is nowhere to go. If something stops it before that
    (`motion.halt`, a warp, death), `Halted` is recorded where it stands, and `ended` is not called.
    """
    realm = mobile.realm
    aim = Aim(x, y, run, near, ended)
    if realm is None or mobile.posture != Posture.STANDING:
        motion.halt(mobile)
        _end(mobile, aim, reached=False)
        return
    _seek(mobile, realm, aim)


def leave_off(mobile: Mobile) -> bool:
    """End a journey, or the search for a way, and forget what was to be done at the end. Returns whether it
    was on its way. Steps that its own client asked for are not touched."""
    if mobile.gait.journey is not None:
        motion.halt(mobile)
        return True
    motion.stop_seeking(mobile)
    return False


def set_running(mobile: Mobile, runs: bool) -> None:
    """Run or walk from now on, on the rest of a journey as well; viewers receive the change."""
    journey, seeking = mobile.gait.journey, mobile.gait.seeking
    if seeking is not None:
        seeking.aim = attrs.evolve(seeking.aim, run=runs)
    if mobile.running == runs and (journey is None or journey.run == runs):
        return
    mobile.running = runs
    if journey is None or seeking is not None:
        mobile.mark(MobileDelta.FLAGS)
    elif mobile.realm is not None:  # which tells the others how it goes
        _seek(mobile, mobile.realm, attrs.evolve(journey.aim, run=runs))


def approach(
    mobile: Mobile,
    thing: Thing,
    distance: int,
    act: Callable[[], None],
    refused: Callable[[Cannot], None],
    *,
    run: bool = False,
    tries: float = TRIES,
) -> None:
    """Walk up to within `distance` tiles of a thing, with nothing higher than a person in between, and do
    `act` there. It is followed if it moves on meanwhile, for so many ways (`tries`; inf: as long as it is
    seen). `refused` receives the Cannot if it cannot be done: of `act`, or GONE, FAR, DEAD or SITTING."""
    _set_out_after(mobile, thing, distance, act, refused, run, tries)


def _set_out_after(
    mobile: Mobile,
    thing: Thing,
    distance: int,
    act: Callable[[], None],
    refused: Callable[[Cannot], None],
    run: bool,
    tries: float,
) -> None:
    again = partial(_set_out_after, mobile, thing, distance, act, refused, run, tries - 1)
    if mobile.dead or mobile.posture != Posture.STANDING:
        refused(Cannot(Refusal.DEAD if mobile.dead else Refusal.SITTING))
        return
    ended = partial(_arrived, mobile, thing, (thing.x, thing.y), act, refused, again if tries > 1 else None)
    travel(mobile, thing.x, thing.y, run=run, near=beside(mobile, thing, distance), ended=ended)


def beside(mobile: Mobile, thing: Thing, distance: int) -> Callable[[int, int], bool]:
    """Whether tiles are within a distance of where a thing is now, and nothing is in between."""
    return within(mobile.realm, (thing.x, thing.y), distance)


def within(realm: Realm | None, place: Tile, distance: int) -> Callable[[int, int], bool]:
    """Whether tiles are within a distance of a place, and nothing higher than a person is in between."""
    to_x, to_y = place

    def near(x: int, y: int) -> bool:
        return (
            max(abs(x - to_x), abs(y - to_y)) <= distance
            and realm is not None
            and has_sight(realm, x, y, to_x, to_y)
        )

    return near


def _arrived(
    mobile: Mobile,
    thing: Thing,
    was: Tile,
    act: Callable[[], None],
    refused: Callable[[Cannot], None],
    again: Callable[[], None] | None,
    reached: bool,
) -> None:
    """It came there, or as near as it could."""
    if thing.realm is not mobile.realm or not can_see(mobile, thing):
        refused(Cannot(Refusal.GONE))
    elif reached and was != (thing.x, thing.y) and again is not None:
        again()
    else:
        try:
            act()
        except Cannot as cannot:
            refused(cannot)


# Ways


def seek(
    paths: Paths,
    realm: Realm,
    start: Tile,
    wanted: Tile,
    near: Callable[[int, int], bool] | None,
    found: Callable[[list[Tile], bool], None],
) -> Search | None:
    """Look for the way from a tile of a realm to another one, or to where `near` first says that a tile on
    it is near enough; if it cannot be reached, to the nearest tile that can.

    `found` receives its tiles, the first left out, as far as one can stand and has to go, and whether that
    is where one wanted to get: at once, or some turns later unless the search, which is returned then, is
    cancelled.
    """
    if near is not None and near(*start):
        found([], True)
        return None
    chart = realm.chart
    ground = paths.ground(chart)
    goal = _within(wanted[0], chart.width), _within(wanted[1], chart.height)
    if near is None and not realm.walkable(*goal):
        goal = ground.nearest(start, goal, exits=True)
    line = ground.line(start, goal)
    if line is not None:
        found(*_as_far_as_needed(realm, line, near, reached=goal == wanted))
        return None
    search = paths.ask(chart, start, (goal,), goal)
    done = partial(_searched, realm, near, search, found, there=goal == wanted)
    if not search.done:
        search.found = done
        return search
    done()
    return None


def _within(at: int, size: int) -> int:
    """The place nearest to one that is not beyond an edge of the map."""
    return min(max(at, 0), size - 1)


def _searched(
    realm: Realm,
    near: Callable[[int, int], bool] | None,
    search: Search,
    found: Callable[[list[Tile], bool], None],
    *,
    there: bool,
) -> None:
    found(*_as_far_as_needed(realm, search.path[::-1], near, reached=search.reached and there))


def _as_far_as_needed(
    realm: Realm, tiles: list[Tile], near: Callable[[int, int], bool] | None, *, reached: bool
) -> tuple[list[Tile], bool]:
    """The tiles of a way as far as one can stand and has to go, and whether that leads there."""
    if near is not None:
        for place, tile in enumerate(tiles):
            if near(*tile) and realm.walkable(*tile):
                return tiles[: place + 1], True
        reached = False
    while tiles and not realm.walkable(*tiles[-1]):
        tiles.pop()
        reached = False
    return tiles, reached


# On the way


def _seek(mobile: Mobile, realm: Realm, aim: Aim) -> None:
    """Look for a way, and set out on it as soon as it is found."""
    motion.stop_seeking(mobile)
    seeking = mobile.gait.seeking = Seeking(aim)
    start = mobile.x, mobile.y
    found = partial(_found, mobile, realm, seeking, start)
    seeking.search = seek(mobile.world.paths, realm, start, (aim.x, aim.y), aim.near, found)


def _found(
    mobile: Mobile, realm: Realm, seeking: Seeking, start: Tile, tiles: list[Tile], reached: bool
) -> None:
    """A way was found, perhaps after a while, in which it may have gone on."""
    if mobile.gait.seeking is not seeking:
        return
    mobile.gait.seeking = None
    if mobile.realm is not realm:
        return
    if start != (mobile.x, mobile.y):
        _seek(mobile, realm, seeking.aim)  # most of that way is known now
    else:
        _go(mobile, realm, seeking.aim, tiles, reached=reached)


def _go(mobile: Mobile, realm: Realm, aim: Aim, tiles: list[Tile], *, reached: bool) -> None:
    """Set out along some tiles."""
    if not tiles:
        motion.halt(mobile)
        _end(mobile, aim, reached=reached)
        return
    motion.forget_steps(mobile)
    ground = mobile.world.paths.ground(realm.chart)
    first, *rest = straightened(ground, (mobile.x, mobile.y), tiles)
    gait = mobile.gait
    gait.next_at = max(gait.next_at, mobile.world.now + motion.CREDIT)
    _set_out(mobile, first, Journey(*first[-1], aim.run, tiles[-1], aim, tuple(rest)), reached)


def _set_out(mobile: Mobile, tiles: Sequence[Tile], journey: Journey, reached: bool) -> None:
    """Begin a straight part."""
    gait = mobile.gait
    # The line is as long as a client draws it, and all its tiles take equally long.
    length = hypot(journey.x - mobile.x, journey.y - mobile.y) / len(tiles)
    x, y = mobile.x, mobile.y
    for to_x, to_y in tiles:
        heading = towards(to_x - x, to_y - y)
        x, y = to_x, to_y
        if heading is not None:
            seconds = motion.cost(mobile, heading, run=journey.run) * length
            gait.queue.append(partial(_step, mobile, heading, seconds, journey, mobile.dead))
    gait.queue.append(partial(_go_on, mobile, journey, reached))
    gait.journey = journey
    mobile.world.events.append(
        SetOut(mobile, mobile.x, mobile.y, journey.x, journey.y, journey.run, in_sight(mobile))
    )
    motion.wait(mobile)


def _step(
    mobile: Mobile, heading: int, seconds: float, journey: Journey, dead: bool, *, pushed: bool = False
) -> None:
    gait, realm = mobile.gait, mobile.realm
    gait.next_at += seconds
    if mobile.dead is not dead or realm is None:
        _stop(mobile)
        return
    dx, dy = OFFSETS[heading]
    x, y = mobile.x + dx, mobile.y + dy
    was_open = realm.is_open(x, y, mobile.world.now)
    if motion.step(mobile, heading, run=journey.run, journey=True):
        return
    if not pushed and not was_open and realm.is_open(x, y, mobile.world.now):
        # It pushed a door open, and goes through it in the time of one more tile.
        gait.queue.appendleft(partial(_step, mobile, heading, seconds, journey, dead, pushed=True))
    else:
        _stop(mobile)


def _go_on(mobile: Mobile, journey: Journey, reached: bool) -> None:
    """A straight part is done: begin the next, or be there."""
    if journey.rest:
        first, *rest = journey.rest
        x, y = first[-1]
        _set_out(mobile, first, attrs.evolve(journey, x=x, y=y, rest=tuple(rest)), reached)
        return
    replaced = mobile.gait.seeking is not None
    _stop(mobile, arrived=True)
    if not replaced:
        _end(mobile, journey.aim, reached=reached)


def _stop(mobile: Mobile, *, arrived: bool = False) -> None:
    """The journey is over. A way that is looked for meanwhile begins here."""
    if motion.forget_steps(mobile):
        motion.rest(mobile, arrived=arrived)


def _end(mobile: Mobile, aim: Aim, *, reached: bool) -> None:
    """Tell its player if it could not get there, unless somebody else does; and whoever waits for it."""
    if not reached and aim.near is None and mobile.posture == Posture.STANDING:
        _tell(mobile, aim)
    if aim.ended is not None:
        aim.ended(reached)


def _tell(mobile: Mobile, aim: Aim) -> None:
    gait, now = mobile.gait, mobile.world.now
    if max(abs(mobile.x - aim.x), abs(mobile.y - aim.y)) > 1 and now >= gait.explains_at:
        gait.explains_at = now + BETWEEN_WORDS
        notice(mobile, Refusal.NO_PATH.value, means=Refusal.NO_PATH)


# Lines


def straightened(ground: Ground, start: Tile, tiles: Sequence[Tile]) -> list[list[Tile]]:
    """A way as few straight lines, each a list of its tiles. None is longer than what it replaces."""
    if len(tiles) == 1:
        return [[*tiles]]
    whole = ground.line(start, tiles[-1])
    if whole is not None:
        return [whole]
    way = [start, *tiles]
    corners = [
        place
        for place in range(1, len(way))
        if place + 1 == len(way) or _offset(way, place) != _offset(way, place + 1)
    ]
    lines: list[list[Tile]] = []
    begin = at = 0
    while at < len(corners):
        for ahead in range(min(len(corners), at + CORNERS) - 1, at - 1, -1):
            place = corners[ahead]
            line = ground.line(way[begin], way[place]) if ahead > at else way[begin + 1 : place + 1]
            if line is not None:
                lines.append(line)
                begin, at = place, ahead + 1
                break
    return lines


def _offset(way: Sequence[Tile], place: int) -> Tile:
    return way[place][0] - way[place - 1][0], way[place][1] - way[place - 1][1]
