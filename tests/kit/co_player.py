"""A player of Conquer Online: `tests.kit.co_client` at one end of a pipe, first to the account server, then
to the game."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import trio

from tests.kit.co_client import CoClient
from tests.kit.players import PASSWORD, Host, Line, Player

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SEEDS: WeakKeyDictionary[Host, Iterator[int]] = WeakKeyDictionary()
"""Of the clients of a town: each its own, the same ones in every run."""


class CoPlayer(Player):
    """Somebody in front of a Conquer client of some version."""

    game = "co"
    door = "account"

    def __init__(self, town: Host, *, version: int = 5017, peer: str = "127.0.0.1") -> None:
        super().__init__(town, peer=peer)
        seed = next(_SEEDS.setdefault(town, itertools.count(1)))
        if version != 5017:
            self.game = f"co_{version}"
        self.client = CoClient(now=trio.current_time, seed=seed, version=version)
        self.got: list[bytes] = []

    @property
    def end(self) -> Line:
        """Its end of the connection; a new one begins with the keys of nobody."""
        if self._end is None:
            self.client.open(self.door)
        return super().end

    def take(self, data: bytes) -> bytes:
        self.got += self.client.feed(data)
        return self.client.answers()

    def turns_to(self, door: str) -> bytes:
        """Hang up and connect to a door, where nothing has to be said yet."""
        self.leaves()
        self.door = door
        assert self.end
        return b""

    async def does(self, data: bytes, *, wait: float = 1.0) -> Sequence[bytes]:
        """Send something; what came back meanwhile."""
        before = len(self.got)
        await self.sends(data, wait=wait)
        return self.got[before:]

    async def gets_token(self, account: str, password: str = PASSWORD) -> None:
        """Through the account server: with the token in hand."""
        self.client.token = b""
        self.turns_to("account")
        await self.does(self.client.login_bytes(account, password))
        assert self.client.refused is None, f"ConnectReject {self.client.refused}"
        assert any(self.client.token), "no ConnectEx"

    async def arrives(self) -> None:
        """At the game's door, with the token it has."""
        self.turns_to("game")
        await self.sends(b"", wait=0.5)  # where keys are exchanged, the server begins
        await self.does(self.client.connect_bytes())

    async def logs_in(self, account: str, password: str = PASSWORD) -> str:
        """Through the account server to the game's door; what that says."""
        await self.gets_token(account, password)
        await self.arrives()
        assert self.client.screen.answers, "no answer"
        return self.client.screen.answers[-1]

    async def enters(self, account: str, character: str = "", *, password: str = PASSWORD) -> None:
        """From the first byte into the game; the character is made if the account has none."""
        answer = await self.logs_in(account, password)
        if answer == "NEW_ROLE":
            await self.does(self.client.register_bytes(character or account))
            assert self.client.screen.answers[-1] == "ANSWER_OK", self.client.screen.answers
            answer = await self.logs_in(account, password)
        assert answer == "ANSWER_OK", answer
        await self.sends(b"", wait=2.0)
        assert self.client.in_world, "it still loads"

    async def walks(self, heading: int, *, tiles: int = 1) -> None:
        """So many tiles."""
        for _ in range(tiles):
            await self.does(self.client.walk_bytes(heading), wait=0.4)

    async def jumps(self, dx: int, dy: int) -> None:
        """So many tiles at once."""
        await self.does(self.client.jump_bytes(dx, dy), wait=0.8)
