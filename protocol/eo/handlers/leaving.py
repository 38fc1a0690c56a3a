"""Pings, as long as the connection lives: the server's, and the client's own. Its end is the connection's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import ref

from eolib import (
    ConnectionPingClientPacket,
    ConnectionPlayerServerPacket,
    MessagePingClientPacket,
    MessagePongServerPacket,
)

from protocol.endings import Ending
from protocol.eo.handlers.table import TABLE
from protocol.session import ANY_PHASE, NO_LINK, Phase

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.world import World

PING_SECONDS: Final = 60.0

_PONG: Final = MessagePongServerPacket()  # type: ignore[no-untyped-call] # eolib leaves it bare


@TABLE.on(ConnectionPingClientPacket, during=ANY_PHASE)
def ping_answered(session: EoSession, packet: ConnectionPingClientPacket) -> None:
    """Connection_Ping: alive. The codec has switched the sequence already."""


def keep_pinging(world: World, session: EoSession) -> None:
    """Ping a client from now on. The timer knows it weakly, and ends with its connection."""
    world.timers.after(PING_SECONDS, _ping, world, ref(session))


def _ping(world: World, reference: ref[EoSession]) -> None:
    session = reference()
    if session is None or session.link is NO_LINK:
        return
    if session.codec.ping_unanswered:
        session.end(Ending.TIMED_OUT, "did not answer the ping")
        return
    seq1, seq2 = session.codec.new_ping()
    session.send(ConnectionPlayerServerPacket(seq1=seq1, seq2=seq2))
    keep_pinging(world, session)


@TABLE.on(MessagePingClientPacket, during=Phase.IN_WORLD)
def answer_ping(session: EoSession, packet: MessagePingClientPacket) -> None:
    """Message_Ping: the client measures the way here and back; eoweb does so every two seconds."""
    session.send(_PONG)
