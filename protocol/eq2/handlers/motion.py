"""Moving. The client draws its own character wherever it walks and says several times a second where that is;
the world follows, tile by tile, at the pace it allows and where one can go.

While the two agree nothing is answered. The client sees none of our walls. Where one is in its way its
character slides along it, or gets around a post, as near to where the client is as a few steps lead. If that
is not there, the client is put to the nearest point that its character comes to, and the first time its
player is told what is in the way. So is one that is too far ahead of what its pace allows. It is put back to
where its character stands if that cannot go on at all, or if the client is nowhere near; and never again at
once: what it sent before it learnt of that is still on its way.

A step costs as much time as the way that the client itself says it went, so that slanting lines cost neither
more nor less than straight ones; a sum of such ways is never shorter than the way from the first place to
the last.
"""

from __future__ import annotations

from functools import partial
from math import floor, hypot
from typing import TYPE_CHECKING, Final, TypeAlias

from protocol.corrections import put_right
from protocol.dispatch import Interval
from protocol.endings import WireError
from protocol.eq2.handlers.leaving import abort_camp
from protocol.eq2.handlers.table import ROWS, command, run_word
from protocol.eq2.packets import Movement, MovementState, Sit, Stand, TeleportNoReload
from protocol.eq2.packing import unpack, xor
from protocol.eq2.places import Place, to_heading
from protocol.eq2.view import Eq2View
from protocol.refusals import tell_now_and_then, tell_what_blocks
from protocol.session import Phase
from world import furniture, motion, obstacles
from world.heading import OFFSETS, steps_between, towards
from world.mobile import Posture
from world.reach import Cannot
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.eq2.places import Atlas
    from protocol.eq2.session import Eq2Session, Walk
    from world.mobile import Mobile
    from world.realm import Realm

FARTHEST: Final = 8
"""Tiles by which a client may be ahead of its character: more than anybody goes between two messages, even if
some come late."""

MOST_AROUND: Final = (2 * FARTHEST + 3) ** 2
"""Ways around that are kept of one client: to every tile on which it can say to be while its character stands
on one, so that a flood of messages looks for none twice."""

EDGE: Final = 0.1
"""Part of a tile that a client has to be across its edge: who stands on an edge does not step to and fro."""

ABSURD: Final = 100_000.0
"""Units from the middle of a zone; no zone of the game is a tenth as wide."""

HIGHEST: Final = 50.0
"""Units above or below the ground of the world that others are shown: the client's zone has hills."""

_ALMOST: Final = 0.999
"""Part of a tile at which somebody is shown who is just across its edge."""

_SQRT2: Final = 2**0.5

Tile: TypeAlias = tuple[int, int]
Spot: TypeAlias = tuple[float, float]
"""In tiles and parts of them."""


@ROWS.on(Movement, during=Phase.IN_WORLD)
def move(session: Eq2Session, packet: Movement) -> None:
    """Movement: where the client's character is, and how it moves.

    Each message tells what differs from the last, so each is taken, whatever comes of it. Raises WireError if
    it makes no state, or one at an absurd place.
    """
    version = session.version
    session.movement = xor(
        session.movement, unpack(packet.packed, len(session.movement), reverse=version.reverse)
    )
    state = version.unpack_struct(MovementState, session.movement)
    if max(abs(state.x), abs(state.y), abs(state.z)) > ABSURD:
        raise WireError(f"Movement to {state.x}, {state.y}, {state.z}")
    mobile = session.playing
    atlas = Eq2View.of(session).places.atlas(mobile.realm) if mobile is not None else None
    if mobile is not None and atlas is not None:
        _follow(session, mobile, atlas, state)


def _follow(session: Eq2Session, mobile: Mobile, atlas: Atlas, state: MovementState) -> None:
    walk = session.walk
    where = (state.x - atlas.x) / atlas.scale, (state.z - atlas.z) / atlas.scale
    speed = hypot(state.forward_speed, state.strafe_speed)
    if mobile.posture != Posture.STANDING and _tile(where, (mobile.x, mobile.y)) != (mobile.x, mobile.y):
        furniture.stand_up(mobile)
    goal = _goal(session, mobile)
    tile = _tile(where, goal)
    stops, walk.moving = walk.moving and not speed, bool(speed)
    walk.rests = walk.rests or stops or (tile != goal and not speed)
    session.corrections.astray = False
    if tile != goal:
        abort_camp(session)
        comes_to = _go(session, mobile, goal, tile, where, run=_runs(mobile, speed / atlas.scale))
        if comes_to is None:
            return  # put back, or through a warp: it is not there
        tile, where = comes_to
    place = _shown(atlas, state, where, tile)
    Eq2View.of(session).places.report(mobile, place)
    if session.corrections.astray:
        walk.put = place
        put_right(session, mobile, _put)
    if not mobile.gait.queue:
        if not speed:
            _face(session, mobile, to_heading(state.heading))
        _rest_if_due(session, mobile)


def _face(session: Eq2Session, mobile: Mobile, heading: int) -> None:
    """The client looks that way. If it may not, others see it as it was, and now and then it is told so and
    put right: it says where it looks several times a second."""
    try:
        motion.face(mobile, heading)
    except Cannot as cannot:
        Eq2View.of(session).places.forget(mobile)
        if tell_now_and_then(session, mobile, cannot):
            session.queue(*Eq2View.of(session).placed(mobile, session.version))


def _goal(session: Eq2Session, mobile: Mobile) -> Tile:
    """The tile of its mobile after all steps that wait."""
    walk = session.walk
    if walk.goal is None or (not mobile.gait.queue and walk.goal != (mobile.x, mobile.y)):
        walk.forget()
        walk.goal = mobile.x, mobile.y
    return walk.goal


def _tile(where: Spot, stands: Tile) -> Tile:
    """The tile of a spot, for somebody who comes from the tile `stands`."""
    (x, y), (stands_x, stands_y) = where, stands
    return (
        stands_x if -EDGE <= x - stands_x <= 1 + EDGE else floor(x),
        stands_y if -EDGE <= y - stands_y <= 1 + EDGE else floor(y),
    )


def _runs(mobile: Mobile, speed: float) -> bool:
    """Whether somebody runs at a speed in tiles a second; who tells none goes as fast as is allowed."""
    gait = mobile.gait
    return not speed or speed > (1000 / gait.walk_ms + 1000 / gait.run_ms) / 2


def _shown(atlas: Atlas, state: MovementState, where: Spot, tile: Tile) -> Place:
    """The place as others see it: on the very tile, and not in the sky."""
    (x, y), (left, top) = where, tile
    return Place(
        atlas.x + min(max(x, left), left + _ALMOST) * atlas.scale,
        min(max(state.y, atlas.y - HIGHEST), atlas.y + HIGHEST),
        atlas.z + min(max(y, top), top + _ALMOST) * atlas.scale,
        state.heading,
        state.forward_speed,
        state.strafe_speed,
    )


def _go(
    session: Eq2Session, mobile: Mobile, goal: Tile, tile: Tile, where: Spot, *, run: bool
) -> tuple[Tile, Spot] | None:
    """Let the mobile go from where its steps end to the tile where its client is. Returns the tile that it
    comes to and the spot on it, the client's own or the nearest to that; None if it does not go."""
    walk, realm = session.walk, mobile.realm
    if realm is None or steps_between(tile, goal) > FARTHEST:
        correct(session, mobile)
        return None
    path, end, wall = _line(realm, goal, tile)
    stands = mobile.x, mobile.y
    if len(mobile.gait.queue) + len(path) > motion.LONGEST_QUEUE or steps_between(tile, stands) > FARTHEST:
        _drop_steps(session, mobile)  # it is too far ahead
        path, end, wall = [], stands, None
    if path and end == tile:
        from_x, from_y = walk.paid or (goal[0] + 0.5, goal[1] + 0.5)
        each = hypot(where[0] - from_x, where[1] - from_y) / len(path)
        lengths = [each] * len(path)
    else:
        # What its client went is no measure of a way around.
        more, end = _around(walk, realm, end, where)
        path += more
        lengths = [_SQRT2 if heading % 2 else 1.0 for heading in path]
        session.corrections.astray, walk.wall = end != tile, wall
    spot = _within(where, end, EDGE) if session.corrections.astray else where
    walk.goal, walk.paid = end, spot
    return (end, spot) if _take_steps(session, mobile, zip(path, lengths, strict=True), run) else None


def _take_steps(session: Eq2Session, mobile: Mobile, way: Iterable[tuple[int, float]], run: bool) -> bool:
    """Take the steps of a way, headings and lengths in tiles, when their time comes. Returns False if they
    became void meanwhile."""
    epoch = session.walk.epoch
    for heading, tiles in way:
        seconds = motion.cost(mobile, heading, run=run) * tiles
        if not motion.paced(mobile, seconds, partial(_step, session, mobile, epoch, heading, run)):
            correct(session, mobile)
        if session.walk.epoch != epoch:
            return False
    return True


def _around(walk: Walk, realm: Realm, end: Tile, where: Spot) -> tuple[list[int], Tile]:
    """The way from where a line ends to whatever tile is nearest to a spot. Who runs on against a wall says
    several times a second that it is on the same few tiles of it, and nothing keeps it from saying so more
    often: what was found from a tile to another one is found again."""
    known = walk.around
    if walk.around_on is not realm.chart or len(known) >= MOST_AROUND:
        known.clear()
        walk.around_on = realm.chart
    asked = end, (floor(where[0]), floor(where[1]))
    found = known.get(asked)
    if found is None:
        found = known[asked] = obstacles.around(realm, *end, where)
    return found


def _within(spot: Spot, tile: Tile, margin: float) -> Spot:
    """The spot of a tile that is nearest to a spot, and so far from its edges."""
    x, y = (min(max(now, of + margin), of + 1 - margin) for now, of in zip(spot, tile, strict=True))
    return x, y


def _line(realm: Realm, start: Tile, end: Tile) -> tuple[list[int], Tile, Tile | None]:
    """The headings of the straight line from one tile to another, around corners that it cuts, the tile on
    which it ends, and the one that is in its way, if any is."""
    path: list[int] = []
    x, y = start
    while (heading := towards(end[0] - x, end[1] - y)) is not None:
        steps = _around_corner(realm, x, y, heading)
        if len(steps) == 1 and (wall := obstacles.blocking(realm, x, y, heading)) is not None:
            return path, (x, y), wall
        path += steps
        x, y = x + OFFSETS[heading][0], y + OFFSETS[heading][1]
    return path, end, None


def _around_corner(realm: Realm, x: int, y: int, heading: int) -> tuple[int, ...]:
    """A step, or if it would cut a corner the two that lead to the same tile."""
    if heading % 2 and not motion.can_step(realm, x, y, heading):
        for first, second in ((heading - 1, (heading + 1) % 8), ((heading + 1) % 8, heading - 1)):
            dx, dy = OFFSETS[first]
            if motion.can_step(realm, x, y, first) and motion.can_step(realm, x + dx, y + dy, second):
                return first, second
    return (heading,)


def _step(session: Eq2Session, mobile: Mobile, epoch: int, heading: int, run: bool) -> bool:
    """A step's time has come; False if its client has been put elsewhere meanwhile, or is gone."""
    walk = session.walk
    if session.playing is not mobile or walk.epoch != epoch:
        return False
    before = mobile.realm, mobile.x + OFFSETS[heading][0], mobile.y + OFFSETS[heading][1]
    if not motion.step(mobile, heading, run=run):
        correct(session, mobile)
    elif (mobile.realm, mobile.x, mobile.y) != before:
        # It stepped into a warp: its client is told of that, and what it says until it knows is of no use.
        walk.begin_anew()
        session.corrections.at = mobile.world.now
    elif not mobile.gait.queue and not walk.moving:
        _rest_if_due(session, mobile)
    return True


def _rest_if_due(session: Eq2Session, mobile: Mobile) -> None:
    """Tell others that it stands, once all its steps are done."""
    walk = session.walk
    if walk.rests:
        walk.rests = False
        motion.rest(mobile)


def correct(session: Eq2Session, mobile: Mobile) -> None:
    """The client is not where its character stands, and that cannot go on: put it back there, now or in its
    time. On its tile that is where the client was itself, if it was there."""
    _drop_steps(session, mobile)
    put_right(session, mobile, _put)


def _drop_steps(session: Eq2Session, mobile: Mobile) -> None:
    motion.halt(mobile)
    session.walk.begin_anew()


def _put(session: Eq2Session, mobile: Mobile) -> None:
    """Put the client to where it comes to, else to where its character stands."""
    walk = session.walk
    _goal(session, mobile)  # it may have been moved by others
    place = walk.put or Eq2View.of(session).places.of(mobile)
    if not mobile.gait.queue:
        motion.rest(mobile)  # others saw it go on
    if place is not None:
        session.send(TeleportNoReload(x=place.x, y=place.y, z=place.z, heading=place.heading))
    if walk.wall is not None:
        tell_what_blocks(session, mobile, walk.wall)


# Sitting


@command("sit")
def sit(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Sit down on a seat before one, else on the ground."""
    furniture.sit(mobile)
    notice(mobile, "You sit down.")


@command("stand")
def stand(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Stand up again."""
    furniture.stand(mobile)
    notice(mobile, "You stand up.")


@ROWS.while_playing(Sit, every=Interval(0.2, burst=3))
def sit_by_key(session: Eq2Session, mobile: Mobile, packet: Sit) -> None:
    """Sit: on a seat before one, else on the ground."""
    run_word(session, mobile, "sit")


@ROWS.while_playing(Stand, every=Interval(0.2, burst=3))
def stand_by_key(session: Eq2Session, mobile: Mobile, packet: Stand) -> None:
    """Stand: up again."""
    run_word(session, mobile, "stand")
