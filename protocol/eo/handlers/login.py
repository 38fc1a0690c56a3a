"""The handshake, and the pings that follow it as long as the connection lives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final
from weakref import ref

from eolib import (
    ConnectionAcceptClientPacket,
    ConnectionPingClientPacket,
    ConnectionPlayerServerPacket,
    InitBanType,
    InitInitClientPacket,
    InitInitServerPacket,
    InitReply,
    Version,
    server_verification_hash,
)

from protocol.endings import Ending, Refused, WireError
from protocol.eo.handlers.table import on
from protocol.eo.numbers import CHAR_MAX
from protocol.session import ANY_PHASE, NO_LINK, Phase

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.world import World

VERSION: Final = Version(major=0, minor=0, patch=28)
"""The classic client, and what eoweb and EndlessClient call themselves."""

HIGHEST_CHALLENGE: Final = 11_092_110
"""Beyond this the answer would be negative for some challenges; clients draw below it."""

PING_SECONDS: Final = 60.0


@on(InitInitClientPacket, during=Phase.GREETING)
async def greet(session: EoSession, packet: InitInitClientPacket) -> None:
    """Init_Init: prove that we are an EO server, and agree on encryption and sequence numbers."""
    if session.player_id:
        raise WireError("Init_Init twice")
    version = packet.version
    if (version.major, version.minor, version.patch) != (VERSION.major, VERSION.minor, VERSION.patch):
        out_of_date = InitInitServerPacket.ReplyCodeDataOutOfDate(version=VERSION)
        raise Refused(
            f"client version {version.major}.{version.minor}.{version.patch}",
            InitInitServerPacket(reply_code=InitReply.OutOfDate, reply_code_data=out_of_date),
        )
    seconds = session.services.accounts.kept_out(session)
    if seconds > 0:
        raise _come_back(seconds)
    if packet.challenge > HIGHEST_CHALLENGE:
        raise WireError(f"challenge {packet.challenge}")
    session.player_id = session.view.figures.ids.players.connect(session)
    greeting = session.eo_codec.greet()
    welcome = InitInitServerPacket.ReplyCodeDataOk(
        seq1=greeting.seq1,
        seq2=greeting.seq2,
        server_encryption_multiple=greeting.server_multiple,
        client_encryption_multiple=greeting.client_multiple,
        player_id=session.player_id,
        challenge_response=server_verification_hash(packet.challenge),
    )
    session.send(InitInitServerPacket(reply_code=InitReply.Ok, reply_code_data=welcome))


def _come_back(seconds: float) -> Refused:
    """The address has failed to log in too often: how many minutes are left of that, rounded up."""
    minutes = min(math.ceil(seconds / 60), CHAR_MAX)
    left = InitInitServerPacket.ReplyCodeDataBanned.BanTypeDataTemporary(minutes_remaining=minutes)
    banned = InitInitServerPacket.ReplyCodeDataBanned(ban_type=InitBanType.Temporary, ban_type_data=left)
    return Refused(
        f"kept out for {seconds:.0f} more seconds",
        InitInitServerPacket(reply_code=InitReply.Banned, reply_code_data=banned),
    )


@on(ConnectionAcceptClientPacket, during=Phase.GREETING)
async def accept(session: EoSession, packet: ConnectionAcceptClientPacket) -> None:
    """Connection_Accept: the client repeats what it was told, encrypted already."""
    codec = session.eo_codec
    told = (codec.client_multiple, codec.server_multiple, session.player_id)
    repeated = (packet.client_encryption_multiple, packet.server_encryption_multiple, packet.player_id)
    if not session.player_id or repeated != told:
        raise WireError(f"Connection_Accept repeats {repeated} instead of {told}")
    session.phase = Phase.LOGIN
    await session.services.in_world(session, lambda world: keep_pinging(world, session))


@on(ConnectionPingClientPacket, during=ANY_PHASE)
def ping_answered(session: EoSession, packet: ConnectionPingClientPacket) -> None:
    """Connection_Ping: alive. The codec has switched the sequence already."""


def keep_pinging(world: World, session: EoSession) -> None:
    """Ping a client from now on. The timer knows it weakly, and ends with its connection."""
    world.timers.after(PING_SECONDS, _ping, world, ref(session))


def _ping(world: World, reference: ref[EoSession]) -> None:
    session = reference()
    if session is None or session.link is NO_LINK:
        return
    if session.eo_codec.ping_unanswered:
        session.end(Ending.TIMED_OUT, "did not answer the ping")
        return
    seq1, seq2 = session.eo_codec.new_ping()
    session.send(ConnectionPlayerServerPacket(seq1=seq1, seq2=seq2))
    keep_pinging(world, session)
