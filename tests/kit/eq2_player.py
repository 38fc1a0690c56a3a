"""A player of EverQuest II: `tests.kit.eq2_client` at one end of a line of datagrams."""

from __future__ import annotations

import functools
import itertools
from math import inf
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import trio

from protocol.eq2.packets import CATALOGUE, CreateCode
from protocol.eq2.stream.frames import Checksum, Reason, SessionDisconnect
from protocol.eq2.versions import Eq2Version, Eq2Versions
from server.bots.bundle import unbundle
from tests.kit.eq2_client import Eq2Client
from tests.kit.eq2_line import DatagramLine
from tests.kit.players import PASSWORD, Host, Line, Player
from tests.kit.town import shipped_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from protocol.eq2.packets import Message

P = TypeVar("P")

SHORTEST = 0.001
"""Seconds between two looks at what is due."""

_SEEDS: WeakKeyDictionary[Host, Iterator[int]] = WeakKeyDictionary()
"""Of the clients of a town: each its own, the same ones in every run."""


@functools.cache
def newest_version() -> Eq2Version:
    """The version that clients here are."""
    return Eq2Versions.from_content(shipped_content(), CATALOGUE).newest


CLIENTS: WeakValueDictionary[int, Eq2Client] = WeakValueDictionary()
"""Everybody's client by the number of its session, for whoever knows the server's end alone."""


class Eq2Player(Player):
    """Somebody in front of an EverQuest II client. Its line carries bundles of datagrams, and what the client
    repeats, acknowledges and answers by itself leaves when its time has come."""

    game = "eq2"
    door = "login"

    def __init__(self, town: Host, *, peer: str = "127.0.0.1") -> None:
        super().__init__(town, peer=peer)
        seed = next(_SEEDS.setdefault(town, itertools.count(1)))
        self.client = Eq2Client(newest_version(), now=trio.current_time, seed=seed)
        self.got: list[Message] = []
        self._alarm = trio.CancelScope()

    @property
    def end(self) -> Line:
        """Its end of the connection."""
        if self._end is None:
            line = DatagramLine(self.town.datagrams(self.game, self.door, peer=self.peer), self._wake)
            self._end, self.gone = line, False
            self.town.nursery.start_soon(self._receive, line)
            self.town.nursery.start_soon(self._keep_time, line)
        return self._end

    def _wake(self) -> None:
        """Something was sent or came: what is due next may have changed."""
        self._alarm.cancel()

    async def _keep_time(self, line: DatagramLine) -> None:
        """Send what is due although nobody does anything, until the session ends."""
        while line is self._end and not line.closed and not self.client.over:
            for datagram in unbundle(self.client.outgoing()):
                line.send(datagram)
            deadline = self.client.deadline()
            due = inf if deadline is None else max(deadline, trio.current_time() + SHORTEST)
            with trio.CancelScope(deadline=due) as self._alarm:
                await trio.sleep_forever()
        line.close()
        if line is self._end:
            self.gone = True
            self._tell()

    def take(self, data: bytes) -> bytes:
        self.got += self.client.feed(data)
        answer = self.client.outgoing()
        if self.client.over:
            self._wake()
        return answer

    def leaves(self) -> None:
        """Hang up without a word of the game's: the stream's goodbye, whatever still waits to be sent."""
        line, stream = self._end, self.client.stream
        if isinstance(line, DatagramLine) and not self.client.over:
            goodbye = SessionDisconnect(stream.session_id, Reason.APPLICATION).encode()
            line.send(Checksum(stream.seed).sealed(goodbye))
        self.vanishes()

    def vanishes(self) -> None:
        """Be gone without a trace."""
        super().leaves()
        self._wake()

    async def does(self, data: bytes, *, wait: float = 1.0) -> Sequence[Message]:
        """Send something; what came back meanwhile."""
        before = len(self.got)
        await self.sends(data, wait=wait)
        return self.got[before:]

    def turns_to(self, door: str) -> bytes:
        """Leave for another door; what begins a session there."""
        self.leaves()
        self.door = door
        self.client.open()
        CLIENTS[self.client.stream.session_id] = self.client
        return self.client.outgoing()

    async def connects(self, door: str) -> None:
        """A new session at a door."""
        await self.does(self.turns_to(door))

    async def logs_in(self, account: str, password: str = PASSWORD) -> None:
        """Through the login server to the list of characters."""
        await self.connects("login")
        await self.does(self.client.login_bytes(account, password))
        assert self.client.code == 0, f"LoginReply {self.client.code}"
        await self.does(self.client.worlds_bytes())

    async def enters(self, account: str, character: str = "", *, password: str = PASSWORD) -> None:
        """From the first byte into the game; the character is made if the account has none."""
        await self.logs_in(account, password)
        if not self.client.characters:
            await self.does(self.client.create_bytes(character or account))
            assert self.client.created is not None
            assert self.client.created.code == CreateCode.OK, self.client.created
            await self.arrives()  # who made a character is sent on with it
        else:
            await self.plays()

    async def plays(self, slot: int = 0) -> None:
        """From the list of characters into the game."""
        await self.does(self.client.play_bytes(slot))
        await self.arrives()

    async def arrives(self, *, wait: float = 3.0) -> None:
        """Through the world's door, with the key from the last one, past the loading screen."""
        await self.connects("world")
        await self.does(self.client.enter_bytes(), wait=wait)

    async def walks(self, heading: int) -> None:
        """One tile, and a stop."""
        await self.does(self.client.walk_bytes(heading), wait=0.5)
        await self.does(self.client.turn_bytes(heading), wait=0.5)

    def of(self, kind: type[P]) -> list[P]:
        """What came of one kind."""
        return [message for message in self.got if isinstance(message, kind)]
