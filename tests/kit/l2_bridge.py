"""A login server's end of Lineage II's bridge over streams, and game servers by hand, honest and others."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING, Final

import trio
import trio.testing

from protocol.endings import WireError
from protocol.l2.bridge import LoginServer
from protocol.l2.bridge.codec import BridgeCodec, BridgeKeys
from protocol.l2.bridge.links import BridgeDoor
from protocol.l2.bridge.packets import AuthRequest, AuthResponse, PlayerInGame
from protocol.l2.bridge.service import Bridge
from protocol.l2.ciphers import guarded
from protocol.wire.args import Role

if TYPE_CHECKING:
    from protocol.l2.bridge import BridgeMessage
    from server.boot.parts import Parts

SECRETS: Final = {1: "the first secret", 2: "the second secret"}
"""Of the game servers that may come, by id."""

STRANGER: Final = "198.51.100.3"


@cache
def _keys() -> BridgeKeys:
    return BridgeKeys(random.Random(5).randbytes)


def proof(number: int = 1, secret: str | None = None) -> AuthRequest:
    """What a game server says of itself."""
    return AuthRequest(number, 0, 0, 7777, 100, (secret or SECRETS[number]).encode())


def bridge_of(app: Parts) -> Bridge:
    """The bridge of a whole server, or of a login server."""
    service = app.background("l2")
    assert isinstance(service, Bridge)
    return service


class Bridgehead:
    """A login server that hears game servers."""

    def __init__(self, nursery: trio.Nursery) -> None:
        chance = random.Random(3)
        self.nursery = nursery
        self.login_server = LoginServer(SECRETS)
        self.door = BridgeDoor(self.login_server, clock=trio.current_time, entropy=chance.randbytes)
        self.door._keys = _keys()  # the same for all tests: to make them takes a while
        self._chance = chance

    def connect(self, address: str = STRANGER) -> ByHand:
        """A connection on which nothing was said yet."""
        ours, theirs = trio.testing.memory_stream_pair()
        peer = ByHand(ours, BridgeCodec(Role.CLIENT, entropy=self._chance.randbytes))
        self.nursery.start_soon(self.door.answer, theirs, address)
        return peer

    async def agrees(self, address: str = STRANGER) -> ByHand:
        """One that has sent its key and not said who it is."""
        peer = self.connect(address)
        self.nursery.start_soon(peer.listens)
        await trio.sleep(0.01)
        assert peer.codec.ready
        return peer

    async def honest(self, number: int = 2) -> ByHand:
        """A game server as it should be, which stays."""
        peer = await self.agrees("192.0.2.2")
        await peer.says(proof(number))
        await trio.sleep(0.01)
        assert peer.is_known
        self.nursery.start_soon(peer.keeps_alive)
        return peer


class ByHand:
    """A game server that says what a test says."""

    def __init__(self, stream: trio.abc.Stream, codec: BridgeCodec) -> None:
        self.stream = stream
        self.codec = codec
        self.heard: list[BridgeMessage] = []
        self.sent: list[bytes] = []
        """All it has sent, by call."""
        self._sending = trio.Lock()
        self.ended_at: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether the login server has welcomed it, and is still there."""
        return self.ended_at is None and any(isinstance(heard, AuthResponse) for heard in self.heard)

    async def listens(self, *, answers: bool = True) -> None:
        """Until the other end hangs up; sends its key by itself."""
        try:
            while data := await self.stream.receive_some(65536):
                self.codec.receive(bytes(data))
                while (message := self.codec.next_message()) is not None:
                    self.heard.append(message)
                if answers and (out := self.codec.outgoing()):
                    await self.sends(out)
        except (trio.BrokenResourceError, trio.ClosedResourceError, WireError):
            pass
        self.ended_at = trio.current_time()

    async def sends(self, data: bytes) -> None:
        """Bytes as they are; into the void if nobody hears them any more."""
        self.sent.append(data)
        async with self._sending:
            try:
                await self.stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return

    def framed(self, body: bytes) -> bytes:
        """A message, opcode first, enciphered as the next one of this connection."""
        sealed = self.codec._cipher.encrypt(guarded(body))
        return (len(sealed) + 2).to_bytes(2, "little") + sealed

    async def says(self, *messages: BridgeMessage) -> None:
        """Messages."""
        for message in messages:
            await self.sends(self.framed(message.encode()))

    async def keeps_alive(self) -> None:
        """Something to hear, for ever."""
        while self.ended_at is None:
            await self.says(PlayerInGame(()))
            await trio.sleep(10)

    async def leaves(self) -> None:
        """Hang up."""
        await self.stream.aclose()
