"""Players: a game's fake client at one end of a pipe, with the waiting that a scene needs.

A scene says what a person does (`await anna.enters("anna")`); how many packets that takes is the client's
business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

import trio

from tests.kit.eo_client import EoClient
from tests.kit.uo_client import UoClient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eolib import Packet as EoPacket

P = TypeVar("P")

PASSWORD = "secret1"


class Line(Protocol):
    """A client's end of a connection: of a pipe in memory, or of a real socket."""

    @property
    def closed(self) -> bool:
        """Whether this end hung up."""

    async def send_all(self, data: bytes) -> None:
        """Send, waiting for room. Raises OSError or trio.BrokenResourceError if nobody reads any more."""

    async def receive_some(self) -> bytes:
        """What has arrived; b"" at the end."""

    def close(self) -> None:
        """Hang up."""


class Datagrams(Protocol):
    """A client's end where datagrams go and come, each for itself."""

    def send(self, datagram: bytes) -> None:
        """Send one; it may get lost."""

    async def receive(self) -> bytes:
        """The next one. Raises trio.ClosedResourceError once this end is closed."""

    def close(self) -> None:
        """Send and receive no more. The other side is not told."""


class Host(Protocol):
    """Somewhere to play: a server in memory (`tests.kit.town`), or real ports (`tests.kit.sockets`)."""

    @property
    def nursery(self) -> trio.Nursery:
        """Where clients receive."""

    def connect(self, game: str, door: str = "game", *, peer: str = "127.0.0.1") -> Line:
        """A new connection. Raises OSError if nobody listens."""

    def datagrams(self, game: str, door: str, *, peer: str = "127.0.0.1") -> Datagrams:
        """A socket of its own, whose datagrams go to that door. Raises OSError if nobody listens."""


class Player:
    """Somebody in front of a client. It connects when it first says something."""

    game = ""
    door = "game"

    def __init__(self, town: Host, *, peer: str = "127.0.0.1") -> None:
        self.town = town
        self.peer = peer
        self.gone = False
        """Whether the server has closed the connection."""
        self.raw = bytearray()
        """Every byte received."""
        self._end: Line | None = None
        self._news = trio.Event()
        """Set, and replaced, when something was received or the connection ended."""

    @property
    def end(self) -> Line:
        """Its end of the connection."""
        if self._end is None:
            self._end = self.town.connect(self.game, self.door, peer=self.peer)
            self.gone = False
            self.town.nursery.start_soon(self._receive, self._end)
        return self._end

    @property
    def hung_up(self) -> bool:
        """Whether there is no connection: not made yet, or ended by either side."""
        return self.gone or self._end is None

    async def _receive(self, end: Line) -> None:
        try:
            while (data := await end.receive_some()) and end is self._end:
                self.raw += data
                answer = self.take(data)
                if answer and not end.closed:
                    await end.send_all(answer)
                self._tell()
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the line is dead, as after the server's end of it
        if end is self._end:
            self.gone = True
            self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def until(self, predicate: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is so, asking at everything that is received; False if it is not within so
        many seconds, or the connection ends first."""
        with trio.move_on_after(seconds):
            while not predicate() and not self.hung_up:
                await self._news.wait()
        return predicate()

    def take(self, data: bytes) -> bytes:
        """Feed the client; what it answers by itself."""
        raise NotImplementedError

    async def sends(self, data: bytes, *, wait: float = 1.0) -> None:
        """Send bytes, and give the server time."""
        await self.end.send_all(data)
        await trio.sleep(wait)

    def leaves(self) -> None:
        """Hang up without a word."""
        if self._end is not None:
            self._end.close()
            self._end = None
            self._tell()


class EoPlayer(Player):
    """Somebody in front of an Endless Online client."""

    game = "eo"

    def __init__(self, town: Host, *, peer: str = "127.0.0.1") -> None:
        super().__init__(town, peer=peer)
        self.client = EoClient()
        self.got: list[EoPacket] = []

    def take(self, data: bytes) -> bytes:
        self.got += self.client.feed(data)
        return self.client.answers()

    async def does(self, data: bytes, *, wait: float = 1.0) -> Sequence[EoPacket]:
        """Send something; what came back meanwhile."""
        before = len(self.got)
        await self.sends(data, wait=wait)
        return self.got[before:]

    async def greets(self) -> None:
        """The handshake."""
        await self.does(self.client.init())
        await self.does(self.client.accept())

    async def logs_in(self, account: str, password: str = PASSWORD) -> None:
        """Up to the list of characters."""
        await self.greets()
        await self.does(self.client.login(account, password))

    async def enters(self, account: str, character: str = "", *, password: str = PASSWORD) -> None:
        """From the first byte into the game; the character is made if the account has none."""
        await self.logs_in(account, password)
        if not self.client.menu:
            await self.does(self.client.request_character())
            await self.does(self.client.create_character(character or account))
        await self.plays()

    async def plays(self, slot: int = 0) -> None:
        """From the list of characters into the game."""
        await self.does(self.client.select(self.client.menu[slot].id))
        await self.does(self.client.download_all())
        await self.does(self.client.enter())

    def of(self, kind: type[P]) -> list[P]:
        """What came of one kind."""
        return [packet for packet in self.got if isinstance(packet, kind)]


class UoPlayer(Player):
    """Somebody in front of an Ultima Online client."""

    game = "uo"

    def __init__(
        self,
        town: Host,
        version: tuple[int, int, int, int] = (7, 0, 102, 3),
        *,
        encrypted: bool = False,
        peer: str = "127.0.0.1",
    ) -> None:
        super().__init__(town, peer=peer)
        self.client = UoClient(version, encrypted=encrypted)
        self.got: list[bytes] = []

    def take(self, data: bytes) -> bytes:
        packets = self.client.feed(data)
        self.got += packets
        # A client whose version the server does not know yet is asked for it (0xBD, three bytes).
        if any(packet[0] == 0xBD for packet in packets):
            return self.client.version_bytes()
        return self.client.resync_bytes() if self.client.is_lost else b""

    async def does(self, data: bytes, *, wait: float = 1.0) -> Sequence[bytes]:
        """Send something; the packets that came back meanwhile."""
        before = len(self.got)
        await self.sends(data, wait=wait)
        return self.got[before:]

    async def logs_in(self, account: str, password: str = PASSWORD) -> None:
        """Through the login server to the game server's list of characters."""
        await self.does(self.client.login_bytes(account, password))
        assert self.client.rejected is None, f"0x82 {self.client.rejected}"
        await self.does(self.client.select_server_bytes(self.client.servers[0][0]))
        self.leaves()
        await self.does(self.client.game_bytes(account, password))

    async def enters(self, account: str, character: str = "", *, password: str = PASSWORD) -> None:
        """From the first byte into the game; the character is made if the account has none."""
        await self.logs_in(account, password)
        if self.client.characters:
            await self.plays()
        else:
            await self.does(self.client.create_bytes(character or account))

    async def plays(self, slot: int = 0) -> None:
        """From the list of characters into the game."""
        await self.does(self.client.play_bytes(slot, self.client.characters[slot]))

    async def walks(self, heading: int, *, run: bool = False) -> None:
        """One step, with the turn before it if it needs one."""
        assert self.client.player is not None
        if self.client.player.heading != heading:
            await self.does(self.client.walk_bytes(heading, run=run))
        await self.does(self.client.walk_bytes(heading, run=run))

    def of(self, opcode: int) -> list[bytes]:
        """What came of one opcode."""
        return [packet for packet in self.got if packet[0] == opcode]
