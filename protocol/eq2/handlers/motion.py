"""Moving. The client draws its own character wherever it walks and says several times a second where that is;
the world follows, tile by tile, at the pace it allows and where one can go.

While the two agree nothing is answered. A client that is where its character cannot be (behind a wall, too
far ahead of what its pace allows) is put back to where that stands, and not again at once: what it sent
before it learnt of that is still on its way.

A step costs as much time as the way that the client itself says it went, so that slanting lines cost neither
more nor less than straight ones; a sum of such ways is never shorter than the way from the first place to
the last.
"""

from __future__ import annotations

from functools import partial
from math import floor, hypot
from typing import TYPE_CHECKING, Final
from weakref import ref

import attrs

from protocol.dispatch import Interval
from protocol.endings import WireError
from protocol.eq2.handlers.leaving import abort_camp
from protocol.eq2.handlers.table import ROWS, command, run_word
from protocol.eq2.packets import Movement, MovementState, Sit, Stand, TeleportNoReload
from protocol.eq2.packing import unpack, xor
from protocol.eq2.places import Place, to_heading
from protocol.eq2.view import Eq2View
from protocol.refusals import tell_now_and_then
from protocol.session import Phase
from world import furniture, motion
from world.heading import OFFSETS, towards
from world.mobile import Posture
from world.reach import Cannot
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.places import Atlas
    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile
    from world.realm import Realm

FARTHEST: Final = 8
"""Tiles by which a client may be ahead of its character: more than anybody goes between two messages, even if
some come late."""

EDGE: Final = 0.1
"""Part of a tile that a client has to be across its edge: who stands on an edge does not step to and fro."""

CORRECTION_SECONDS: Final = 0.5
"""Between two corrections: more than the way to the client and back."""

ABSURD: Final = 100_000.0
"""Units from the middle of a zone; no zone of the game is a tenth as wide."""

HIGHEST: Final = 50.0
"""Units above or below the ground of the world that others are shown: the client's zone has hills."""

_ALMOST: Final = 0.999
"""Part of a tile at which somebody is shown who is just across its edge."""


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
    walk.astray = False
    if tile != goal:
        epoch = walk.epoch
        abort_camp(session)
        _go(session, mobile, goal, tile, where, run=_runs(mobile, speed / atlas.scale))
        if walk.epoch != epoch:
            return  # put back, or through a warp: it is not there
    place = Place(state.x, state.y, state.z, state.heading, state.forward_speed, state.strafe_speed)
    Eq2View.of(session).places.report(mobile, _shown(atlas, place, where, tile))
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


def _goal(session: Eq2Session, mobile: Mobile) -> tuple[int, int]:
    """The tile of its mobile after all steps that wait."""
    walk = session.walk
    if walk.goal is None or (not mobile.gait.queue and walk.goal != (mobile.x, mobile.y)):
        walk.forget()
        walk.goal = mobile.x, mobile.y
    return walk.goal


def _tile(where: tuple[float, float], stands: tuple[int, int]) -> tuple[int, int]:
    """The tile of a spot, for somebody who comes from the tile `stands`."""
    x, y = (
        before if abs(now - before - 0.5) <= 0.5 + EDGE else floor(now)
        for now, before in zip(where, stands, strict=True)
    )
    return x, y


def _runs(mobile: Mobile, speed: float) -> bool:
    """Whether somebody runs at a speed in tiles a second; who tells none goes as fast as is allowed."""
    gait = mobile.gait
    return not speed or speed > (1000 / gait.walk_ms + 1000 / gait.run_ms) / 2


def _shown(atlas: Atlas, place: Place, where: tuple[float, float], tile: tuple[int, int]) -> Place:
    """The place as others see it: on the very tile, and not in the sky."""
    x, y = (min(max(now, of), of + _ALMOST) for now, of in zip(where, tile, strict=True))
    height = min(max(place.y, atlas.y - HIGHEST), atlas.y + HIGHEST)
    return attrs.evolve(place, x=atlas.x + x * atlas.scale, y=height, z=atlas.z + y * atlas.scale)


def _go(
    session: Eq2Session,
    mobile: Mobile,
    goal: tuple[int, int],
    tile: tuple[int, int],
    where: tuple[float, float],
    *,
    run: bool,
) -> None:
    """Let the mobile go from where its steps end to the tile where its client is."""
    walk = session.walk
    realm = mobile.realm
    if realm is None or max(abs(tile[0] - mobile.x), abs(tile[1] - mobile.y)) > FARTHEST:
        correct(session, mobile)
        return
    path = _line(realm, goal, tile)
    from_x, from_y = walk.paid or (goal[0] + 0.5, goal[1] + 0.5)
    tiles = hypot(where[0] - from_x, where[1] - from_y) / len(path)
    walk.goal, walk.paid = tile, where
    epoch = walk.epoch
    for heading in path:
        seconds = motion.cost(mobile, heading, run=run) * tiles
        if not motion.paced(mobile, seconds, partial(_step, session, mobile, epoch, heading, run)):
            correct(session, mobile)
        if walk.epoch != epoch:
            return


def _line(realm: Realm, start: tuple[int, int], end: tuple[int, int]) -> list[int]:
    """The headings of the straight line from one tile to another, around corners that it cuts."""
    path: list[int] = []
    x, y = start
    while (heading := towards(end[0] - x, end[1] - y)) is not None:
        path += _around_corner(realm, x, y, heading)
        x, y = x + OFFSETS[heading][0], y + OFFSETS[heading][1]
    return path


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
        walk.corrected_at = mobile.world.now
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
    """The client is not where its character stands, and cannot be: put it back there, now or in its time. On
    its tile that is where the client was itself, if it was there, so that a wall is not felt as a blow."""
    walk, world = session.walk, mobile.world
    motion.halt(mobile)
    walk.begin_anew()
    walk.astray = True
    place = Eq2View.of(session).places.of(mobile)
    delay = walk.corrected_at + CORRECTION_SECONDS - world.now
    if delay > 0:
        if not walk.waits:
            walk.waits = True
            world.timers.after(delay, _correct_late, ref(session))
        return
    walk.corrected_at = world.now
    motion.rest(mobile)  # others saw it go on
    if place is not None:
        session.send(TeleportNoReload(x=place.x, y=place.y, z=place.z, heading=place.heading))


def _correct_late(reference: ref[Eq2Session]) -> None:
    """The time for another correction has come; the client may have come back by itself."""
    session = reference()
    if session is None:
        return
    walk, mobile = session.walk, session.playing
    walk.waits = False
    if mobile is not None and walk.astray:
        correct(session, mobile)


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
