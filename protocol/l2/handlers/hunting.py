"""Hunting: walking up to somebody whom one attacks, and after it when it goes on.

The client believes that its character follows whom it attacks until it is told otherwise. The world strikes
whenever its enemy is in reach (`world.fighting`), but goes nowhere for it. So while somebody strikes one that
it has targeted, it is looked again and again whether that is still in reach, and where it is now if not; the
fight ends where the world gives an enemy up, or where there is no way to it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.l2.handlers import motion as moving
from protocol.l2.handlers.aiming import thing_of
from protocol.l2.packets import ActionFailed
from protocol.l2.session import Hunt
from protocol.refusals import tell_refusal
from world import arms, fighting, journeys, law
from world.mobile import Mobile, Posture
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Journey

LOOKS_AGAIN: Final = 0.4
"""Seconds between two looks where the prey is."""

TRIES: Final = 3
"""How often in a row there may be no way to one that is being fought."""


def hunt(session: L2Session, mobile: Mobile, prey: Mobile, *, walks: bool) -> None:
    """Attack somebody, and go after it; `walks`: walk up to it first, if it is out of reach. Raises Cannot as
    `fighting.attack` does."""
    session.hunt = None
    fighter = mobile.fighter
    if fighter is not None and fighter.enemy != prey.serial:
        fighting.stop(mobile)
    stands = mobile.posture == Posture.STANDING and not mobile.dead
    if not walks or not stands or fighting.can_strike(mobile, prey):
        fighting.attack(mobile, prey)
        if walks:
            session.hunt = Hunt(prey, strikes=True)
            _look_later(session, mobile, session.hunt)
        return
    law.check_enemy(mobile, prey)
    session.hunt = Hunt(prey)
    _go_after(session, mobile, session.hunt)


def _look_later(session: L2Session, mobile: Mobile, hunt: Hunt) -> None:
    if hunt.look is not None:
        hunt.look.cancel()
    hunt.look = mobile.world.timers.after(LOOKS_AGAIN, _look, ref(session), mobile, hunt, owner=mobile)


def _look(reference: ref[L2Session], mobile: Mobile, hunt: Hunt) -> None:
    """Strike who has come into reach, and go after who is not."""
    session, prey = reference(), hunt.prey
    if session is None or session.playing is not mobile or session.hunt is not hunt:
        return
    fighter = mobile.fighter
    if session.target != prey.serial or mobile.dead or mobile.posture != Posture.STANDING:
        session.hunt = None
    elif hunt.strikes and (fighter is None or fighter.enemy != prey.serial):
        session.hunt = None  # it is over
    elif thing_of(session, prey.serial) is not prey:
        _give_up(session, mobile, Cannot(Refusal.GONE))
    elif not fighting.can_strike(mobile, prey):
        _go_after(session, mobile, hunt)
    else:
        hunt.stuck = 0
        if not hunt.strikes:
            _strike(session, mobile, hunt)
        if session.hunt is hunt:
            _look_later(session, mobile, hunt)


def _strike(session: L2Session, mobile: Mobile, hunt: Hunt) -> None:
    try:
        fighting.attack(mobile, hunt.prey)
    except Cannot as cannot:
        _give_up(session, mobile, cannot)
    else:
        hunt.strikes = True
        session.send(ActionFailed())


def _give_up(session: L2Session, mobile: Mobile, why: Cannot) -> None:
    moving.leave_off(session, mobile)
    journeys.leave_off(mobile)
    tell_refusal(mobile, why)
    session.send(ActionFailed())


def _go_after(session: L2Session, mobile: Mobile, hunt: Hunt) -> None:
    """Set out for where the prey is, unless it is on its way there, or a way is looked for."""
    prey, reach = hunt.prey, arms.weapon_of(mobile).reach
    journey = mobile.gait.journey
    _look_later(session, mobile, hunt)
    if mobile.gait.seeking is not None or (journey is not None and _leads_to(journey, prey, reach)):
        return
    came = partial(_came, ref(session), mobile, hunt, (mobile.x, mobile.y))
    near = journeys.beside(mobile, prey, reach)
    journeys.travel(mobile, prey.x, prey.y, run=session.running, near=near, ended=came)


def _came(
    reference: ref[L2Session], mobile: Mobile, hunt: Hunt, before: tuple[int, int], reached: bool
) -> None:
    """It is where the prey was when it set out, or as near as it could get."""
    session = reference()
    if session is None or session.playing is not mobile or session.hunt is not hunt:
        return
    if fighting.can_strike(mobile, hunt.prey):
        _look(reference, mobile, hunt)
    elif reached and before != (mobile.x, mobile.y):
        hunt.stuck = 0  # that went on
    else:
        hunt.stuck += 1
        if hunt.stuck >= (TRIES if hunt.strikes else 1):
            _give_up(session, mobile, Cannot(Refusal.NO_PATH))


def _leads_to(journey: Journey, prey: Mobile, reach: int) -> bool:
    x, y = journey.goal
    return max(abs(x - prey.x), abs(y - prey.y)) <= reach
