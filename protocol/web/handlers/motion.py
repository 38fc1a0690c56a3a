"""Steps, turns, sitting down.

The client shows its own steps at once and asks for each. One that the world refuses makes void what the
client sent behind it, which it did not know of; so does being put elsewhere. Steps are passed over then until
the client, which has learned of it by then, begins anew with number 0.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.refusals import tell_now_and_then
from protocol.session import Phase
from protocol.web.handlers.table import TABLE
from protocol.web.packets.motion import Place, Sit, Turn, Turned, Walk, Walked
from world import furniture, motion
from world.heading import OFFSETS
from world.mobile import Posture
from world.reach import Cannot

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


@TABLE.while_playing(Walk)
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
    """Turn somebody. The page has turned already, so if it may not it is turned back."""
    try:
        motion.face(mobile, heading)
    except Cannot as cannot:
        tell_now_and_then(session, mobile, cannot)
        session.send(Turned(mobile.serial, mobile.heading))


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
