"""Pings and leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.endings import Ending
from protocol.session import ANY_PHASE, AUTHENTICATED
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.misc import Disconnecting, LogoutAnswer, LogoutRequest, Ping, Pong

if TYPE_CHECKING:
    from protocol.uo.session import UoSession


@TABLE.on(Ping, during=ANY_PHASE)
def ping(session: UoSession, packet: Ping) -> None:
    """Say the same back."""
    session.send(Pong(packet.number))


@TABLE.on(LogoutRequest, during=AUTHENTICATED)
def logout(session: UoSession, packet: LogoutRequest) -> None:
    """The player leaves: confirm, and end."""
    session.send(LogoutAnswer(1))
    session.end(Ending.CLIENT_LEFT, "logged out")


@TABLE.on(Disconnecting, during=ANY_PHASE)
async def disconnecting(session: UoSession, packet: Disconnecting) -> None:
    """The client says that the end of the connection, which follows, is meant. Noted here and now: that end
    may come in the same breath."""
    session.hang_up_means = Ending.CLIENT_LEFT
