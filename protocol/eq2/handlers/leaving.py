"""Camp and quit: the ways out of the world.

Who camps waits for a while, then leaves; moving ends it. Who quits to the desktop is let go at once, as by
the public servers (emagi/eq2emu: WorldServer/client.cpp, OP_RequestCampMsg).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.endings import Ending
from protocol.eq2.handlers.table import ROWS, command
from protocol.eq2.packets import Camp, CampAborted, CampStarted
from protocol.session import Phase
from world.speech import notice
from world.timers import Priority

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile
    from world.timers import Timer

CAMP_SECONDS: Final = 20
"""From the wish to leave to leaving: the default of the public server."""


COUNTED: Final = (15, 10, 5)
"""Seconds left that are told."""


@ROWS.on(Camp, during=Phase.IN_WORLD)
def camp(session: Eq2Session, packet: Camp) -> None:
    """Camp: the player wants to leave, for the menu or for the desktop."""
    mobile = session.playing
    if mobile is None:
        # Not in the world yet: nothing to protect.
        leave(session, desktop=bool(packet.desktop))
    elif packet.quit and packet.desktop:
        leave(session, desktop=True)
    else:
        begin_camp(session, mobile, desktop=bool(packet.desktop))


@ROWS.on(CampAborted, during=Phase.IN_WORLD)
def abort(session: Eq2Session, packet: CampAborted) -> None:
    """CampAborted: the player stays."""
    abort_camp(session)


@command("camp")
def camp_by_word(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """To the menu, or with `desktop` out of the game."""
    begin_camp(session, mobile, desktop=text.lower() == "desktop")


@command("quit")
def quit_by_word(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Out of the game, at once."""
    leave(session, desktop=True)


def begin_camp(session: Eq2Session, mobile: Mobile, *, desktop: bool) -> None:
    """Begin to leave; who is leaving already leaves no later for it."""
    if session.camp is not None:
        return
    session.camp = mobile.world.timers.after(
        CAMP_SECONDS, _camped, ref(session), priority=Priority.MS250, owner=mobile
    )
    counts = partial(mobile.world.timers.after, priority=Priority.MS250, owner=mobile)
    for left in COUNTED:
        counts(CAMP_SECONDS - left, _count, ref(session), session.camp, left)
    session.send(CampStarted(seconds=CAMP_SECONDS, desktop=desktop))


def _count(session: ref[Eq2Session], camp: Timer, left: int) -> None:
    """Say how long it takes yet, unless the player has thought better of it."""
    leaving = session()
    if leaving is not None and leaving.camp is camp and leaving.mobile is not None:
        notice(leaving.mobile, f"You leave the world in {left} seconds.")


def abort_camp(session: Eq2Session) -> None:
    """Stay; nothing if nobody was leaving."""
    camp, session.camp = session.camp, None
    if camp is not None:
        camp.cancel()
        session.send(CampAborted())


def leave(session: Eq2Session, *, desktop: bool) -> None:
    """Leave now."""
    session.send(CampStarted(seconds=0, desktop=desktop))
    session.end(Ending.CLIENT_LEFT, "quit")


def _camped(reference: ref[Eq2Session]) -> None:
    """The time is over. The character may be played by somebody else by now: then this is nobody's camp."""
    session = reference()
    if session is not None and session.mobile is not None:
        session.camp = None
        session.end(Ending.CLIENT_LEFT, "camped")
