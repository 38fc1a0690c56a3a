"""Walking up to what a player clicks on, and doing there what it meant: talk, strike, pick up.

The original client walks up to things by itself, by its own map. Here the world finds the way
(`world.journeys`), and the client's own character is led by Walk messages of its own number, a tile each, as
those of others are. Whatever else its player does ends that.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from weakref import ref

from protocol.co.handlers.placing import come_back, leave_off
from world import fighting, journeys, motion
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.co.session import CoSession
    from world.mobile import Mobile
    from world.thing import Thing


def do_there(
    session: CoSession,
    mobile: Mobile,
    thing: Thing,
    distance: int,
    act: Callable[[], None],
    check: Callable[[], None] | None = None,
    *,
    tries: float = journeys.TRIES,
) -> None:
    """Do `act`, for which a thing may be too far away: then walk up to within `distance` tiles of it first,
    and after it, for so many ways, if it goes on.
    `check` raises Cannot if that would be for nothing. Raises Cannot as both do; what is refused later its
    player is told."""
    leave_off(session, mobile)
    try:
        act()
    except Cannot as cannot:
        if cannot.why is not Refusal.FAR or mobile.dead:
            raise
    else:
        return
    if check is not None:
        check()
    fighting.stop(mobile)
    errand = session.errand = object()
    # The steps that its player took come first: its client has taken them already.
    set_out = partial(_set_out, ref(session), mobile, errand, thing, distance, act, tries)
    if not motion.paced(mobile, 0.0, set_out):
        raise Cannot(Refusal.FAR)


def _set_out(
    reference: ref[CoSession],
    mobile: Mobile,
    errand: object,
    thing: Thing,
    distance: int,
    act: Callable[[], None],
    tries: float,
) -> bool:
    """Set out, unless its player has thought of something else. Returns False: that takes no time."""
    session = reference()
    if session is not None and session.playing is mobile and session.errand is errand:
        come_back(session, mobile)
        arrived, refused = partial(_arrived, reference, mobile, act), partial(_refused, reference, mobile)
        journeys.approach(mobile, thing, distance, arrived, refused, run=mobile.running, tries=tries)
    return False


def _arrived(reference: ref[CoSession], mobile: Mobile, act: Callable[[], None]) -> None:
    """It is there, or as near as it could get. Raises Cannot as `act` does; NO_PATH if it is too far away
    still."""
    session = reference()
    if session is None or session.playing is not mobile:
        return
    try:
        act()
    except Cannot as cannot:
        if cannot.why is Refusal.FAR:
            raise Cannot(Refusal.NO_PATH) from cannot
        raise


def _refused(reference: ref[CoSession], mobile: Mobile, cannot: Cannot) -> None:
    session = reference()
    if session is not None and session.playing is mobile:
        session.refuse_wish(mobile, cannot)
