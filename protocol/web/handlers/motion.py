"""Steps, ways, turns, sitting down.

The client shows its own steps at once and asks for each. One that the world refuses makes void what the
client sent behind it, which it did not know of; so does being put elsewhere. Steps are passed over then until
the client, which has learned of it by then, begins anew with number 0.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.refusals import tell_now_and_then
from protocol.session import Phase
from protocol.web.handlers.table import TABLE
from protocol.web.packets.motion import FindWay, Place, Sit, Turn, Turned, Walk, Walked, Way
from world import furniture, journeys, motion
from world.heading import OFFSETS, towards
from world.mobile import Posture
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile
    from world.paths import Tile
    from world.realm import Realm

AHEAD: Final = 12
"""Tiles by which a client's picture may be away from where its character is: steps that wait here
(`motion.LONGEST_QUEUE`), and a few on their way."""


@TABLE.while_playing(Walk, prompt=True)
def walk(session: WebSession, mobile: Mobile, message: Walk) -> None:
    """walk: one step, when the schedule allows."""
    steps = session.steps
    if message.sequence == 0:
        motion.halt(mobile)
        steps.begin(mobile)
    elif steps.lost:
        return
    seconds = motion.cost(mobile, message.heading, run=message.run)
    if not motion.paced(mobile, seconds, partial(_step, session, mobile, message)):
        _refuse(session, mobile, message.sequence)


def _step(session: WebSession, mobile: Mobile, message: Walk) -> bool:
    """The step's time has come; False if it has taken none."""
    steps, heading = session.steps, message.heading
    if session.mobile is not mobile or session.phase is not Phase.IN_WORLD:
        return False
    if not steps.lead_to(mobile):
        steps.lost = True
        return False
    if mobile.posture != Posture.STANDING:
        furniture.stand_up(mobile)
    if not steps.lead_to(mobile) or not motion.step(mobile, heading, run=message.run):
        _refuse(session, mobile, message.sequence)
        return False
    dx, dy = OFFSETS[heading]
    x, y = steps.x + dx, steps.y + dy
    # Where the step led on to, the turn tells.
    steps.lost = mobile.realm is not steps.realm or (mobile.x, mobile.y) != (x, y)
    steps.follow(mobile)
    session.send(Walked(message.sequence, x, y, heading))
    return True


def _refuse(session: WebSession, mobile: Mobile, sequence: int) -> None:
    motion.halt(mobile)
    session.steps.lost = True
    _face_at_once(session, mobile)
    session.send(Walked(sequence, mobile.x, mobile.y, mobile.heading, ok=False))


@TABLE.while_playing(FindWay, every=Interval(0.1, burst=3, coalesced=True))
def find_way(session: WebSession, mobile: Mobile, message: FindWay) -> None:
    """way: from where its client shows it to a tile. Raises Cannot(FAR) if that is not where it can be."""
    realm, steps = mobile.realm, session.steps
    session.forget_way()
    if realm is None:
        return
    start, goal = (message.x, message.y), (message.to_x, message.to_y)
    if max(abs(start[0] - mobile.x), abs(start[1] - mobile.y)) > AHEAD or not realm.inside(*start):
        if steps.lost or not steps.lead_to(mobile):
            return  # it was put elsewhere, and did not know
        raise Cannot(Refusal.FAR)
    near = journeys.within(realm, goal, message.within) if message.within and realm.inside(*goal) else None
    tell = partial(_tell_way, session, mobile, realm, message)
    search = journeys.seek(mobile.world.paths, realm, start, goal, near, tell)
    if search is not None:
        session.way = search


def _tell_way(
    session: WebSession, mobile: Mobile, realm: Realm, message: FindWay, tiles: list[Tile], reached: bool
) -> None:
    """A way was found, perhaps after a while."""
    session.way = None
    if session.mobile is not mobile or session.phase is not Phase.IN_WORLD or mobile.realm is not realm:
        return
    x, y = message.x, message.y
    steps = (towards(to[0] - at[0], to[1] - at[1]) for at, to in pairwise([(x, y), *tiles]))
    headings = [heading for heading in steps if heading is not None]
    session.send(Way(x, y, message.to_x, message.to_y, headings, reached))


@TABLE.while_playing(Turn)
def turn(session: WebSession, mobile: Mobile, message: Turn) -> None:
    """turn: face another way."""
    if not mobile.gait.queue:
        _turn(session, mobile, message.heading)
        return
    # Its client has shown the steps that wait, and turned behind them.
    steps = session.steps
    steps.facing = message.heading
    steps.turns += 1
    motion.paced(mobile, 0.0, partial(_face, session, mobile, message.heading, steps.turns))


def _face(session: WebSession, mobile: Mobile, heading: int, turns: int) -> bool:
    """The turn's time has come. Where its client faces in the end another one may tell that waits still."""
    if session.mobile is mobile:
        if session.steps.turns == turns:
            session.steps.facing = None
        _turn(session, mobile, heading)
    return True


def _turn(session: WebSession, mobile: Mobile, heading: int) -> None:
    """Turn somebody. The page has turned already, so if it may not it is turned back, unless it has gone on
    since."""
    try:
        motion.face(mobile, heading)
    except Cannot as cannot:
        tell_now_and_then(session, mobile, cannot)
        session.send(Turned(mobile.serial, mobile.heading, crossed=True))


def _face_at_once(session: WebSession, mobile: Mobile) -> None:
    """The steps that wait are void; that it turned behind them is not."""
    facing, session.steps.facing = session.steps.facing, None
    if facing is not None:
        _turn(session, mobile, facing)


@TABLE.while_playing(Sit, every=Interval(0.2, burst=3))
def sit(session: WebSession, mobile: Mobile, message: Sit) -> None:
    """sit: down on the seat it faces or else on the ground; up again, from a seat to the tile before it."""
    _face_at_once(session, mobile)
    before = mobile.x, mobile.y
    if mobile.posture != Posture.STANDING:
        furniture.stand(mobile)
    else:
        furniture.sit(mobile)
    if before != (mobile.x, mobile.y):
        session.steps.lost = True
        session.send(Place(mobile.serial, mobile.x, mobile.y, mobile.heading))
