"""Pings, leaving, and everything that is known and not acted on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from protocol.endings import Ending
from protocol.session import ANY_PHASE, AUTHENTICATED
from protocol.uo.handlers.table import on
from protocol.uo.packets import UNHEEDED
from protocol.uo.packets.login import Disconnecting, LogoutAnswer, LogoutRequest
from protocol.uo.packets.misc import Ping, Pong, Unheeded

if TYPE_CHECKING:
    from protocol.uo.session import UoSession

log = logging.getLogger("net.uo")


@on(Ping, during=ANY_PHASE)
def ping(session: UoSession, packet: Ping) -> None:
    """Say the same back."""
    session.send(Pong(packet.number))


@on(LogoutRequest, during=AUTHENTICATED)
def logout(session: UoSession, packet: LogoutRequest) -> None:
    """The player leaves: confirm, and end."""
    session.send(LogoutAnswer(1))
    session.end(Ending.CLIENT_LEFT, "logged out")


@on(Disconnecting, during=ANY_PHASE)
async def disconnecting(session: UoSession, packet: Disconnecting) -> None:
    """The client says that the end of the connection, which follows, is meant. Noted here and now: that end
    may come in the same breath."""
    session.hang_up_means = Ending.CLIENT_LEFT


def unheeded(session: UoSession, packet: Unheeded) -> None:
    """Tolerated: no client is ended for what it may send."""
    log.debug("%r sent what is not acted on: %s, %s", session, packet.title, packet.frame[:64].hex())


for _packet in UNHEEDED:
    on(_packet, during=ANY_PHASE)(unheeded)
