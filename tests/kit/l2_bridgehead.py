"""The login server's end of Lineage II's bridge, in every state."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio
import trio.lowlevel
import trio.testing

from protocol.l2.bridge.packets import (
    AccountName,
    PlayerAuthRequest,
    PlayerAuthResponse,
    PlayerInGame,
    PlayerLogout,
    ReplyCharacters,
    ServerStatus,
    Status,
    StatusKind,
)
from tests.kit.l2_bridge import Bridgehead, ByHand, proof

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.l2.bridge import BridgeMessage

GOLDEN: Sequence[BridgeMessage] = (
    proof(),
    ServerStatus((Status(1, 0), Status(4, 2000), Status(StatusKind.SPEAKS_AGAIN, 10))),
    PlayerInGame((AccountName("alric"), AccountName("berta"))),
    PlayerAuthRequest("alric", 1, 2, 3, 4, "192.0.2.9"),
    ReplyCharacters("alric", 3, (1_700_000_000_123,)),
    PlayerLogout("alric"),
)
"""What a game server says, in its order, after its key."""

STATES = ("before the key", "before the proof", "known")


async def in_state(bridgehead: Bridgehead, state: str) -> ByHand:
    """A game server, number 1, that has come so far."""
    if state == "before the key":
        peer = bridgehead.connect()
        bridgehead.nursery.start_soon(partial(peer.listens, answers=False))
        await trio.sleep(0.01)
        return peer
    peer = await bridgehead.agrees()
    if state == "known":
        await peer.says(proof())
        await trio.sleep(0.01)
        assert peer.is_known
    return peer


async def all_is_well(bridgehead: Bridgehead, honest: ByHand) -> None:
    """Nothing is left of anybody but the honest one, which is answered."""
    await trio.sleep(0.1)
    assert list(bridgehead.login_server.servers) == [2]
    assert not bridgehead.door._strangers
    before = len(honest.heard)
    await honest.says(PlayerAuthRequest("nobody", 1, 2, 3, 4))
    await trio.sleep(0.1)
    assert honest.heard[before:] == [PlayerAuthResponse("nobody", 0)]
