"""Back to the character menu, or out; and whether a quiet client is still there.

A client that stands still in the world sends nothing for hours. So it is asked now and then, by a packet that
it answers by itself; who answers is not idle.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.denials import Denied
from protocol.endings import Ending, Refused
from protocol.l2.handlers.characters import send_characters
from protocol.l2.handlers.table import ROWS
from protocol.l2.packets import (
    LeaveWorld,
    Logout,
    NetPing,
    NetPingReply,
    RequestRestart,
    RestartResponse,
    ServerClose,
)
from protocol.session import AUTHENTICATED, NO_LINK, Phase
from protocol.wishes import Idle
from world.timers import Priority

if TYPE_CHECKING:
    from protocol.l2.session import L2Session

PING_SECONDS: Final = 30.0
"""Between two questions whether it is there: well below `idle_seconds`."""


@ROWS.on(RequestRestart, during=Phase.IN_WORLD)
def restart(session: L2Session, packet: RequestRestart) -> None:
    """RequestRestart: to the menu, on the same connection."""
    if session.mobile is not None:
        leave_world(session)
        session.later(partial(_show_menu, session))


def leave_world(session: L2Session) -> None:
    """The character leaves; the client stays, and forgets whom it saw."""
    session.services.characters.leave(session)
    session.phase = Phase.MENU
    session.selected = None
    session.target = 0
    session.hunt = None
    session.html = frozenset()
    session.trading = session.party = session.pledge = None
    session.loading = session.sky_missed = False
    session.postponed.clear()


def stop_timers(session: L2Session) -> None:
    """No more questions from an earlier life; what nobody stops ends by itself."""
    if session.ping is not None:
        session.ping.cancel()
        session.ping = None


async def _show_menu(session: L2Session) -> None:
    """The list shows the character as it is by now, so what it did has to be written."""
    try:
        await session.services.durable()
        session.send(RestartResponse(1))
        await send_characters(session)
    except Denied as denied:
        raise Refused(str(denied), ServerClose()) from denied


@ROWS.on(Logout, during=AUTHENTICATED)
def log_out(session: L2Session, packet: Logout) -> None:
    """Logout: out of the game. The character goes with its client."""
    session.send(LeaveWorld())
    session.end(Ending.CLIENT_LEFT, "logout")


ROWS.on(NetPingReply, during=AUTHENTICATED)(Idle("the client is there, which was noted when this came"))


def keep_pinging(session: L2Session) -> None:
    """Ask a client in the world whether it is there, from now on until it leaves."""
    session.ping = session.world.timers.after(PING_SECONDS, _ping, ref(session), priority=Priority.S1)


def _ping(reference: ref[L2Session]) -> None:
    session = reference()
    if session is not None and session.mobile is not None and session.link is not NO_LINK:
        session.send(NetPing(session.mobile.serial))
        keep_pinging(session)
