"""A player of Lineage II: `tests.kit.l2_client` at one end of a pipe, first to the login door, then to the
game's."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import trio

from tests.kit.l2_client import L2Client
from tests.kit.players import PASSWORD, Host, Line, Player

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SEEDS: WeakKeyDictionary[Host, Iterator[int]] = WeakKeyDictionary()
"""Of the clients of a town: each its own, the same ones in every run."""


class L2Player(Player):
    """Somebody in front of a Lineage II client. `original`: see L2Client."""

    game = "l2"
    door = "login"

    def __init__(self, town: Host, *, original: bool = True, peer: str = "127.0.0.1") -> None:
        super().__init__(town, peer=peer)
        seed = next(_SEEDS.setdefault(town, itertools.count(1)))
        self.client = L2Client(now=trio.current_time, seed=seed, original=original)
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

    async def greets(self) -> None:
        """To the login door, as far as GameGuard."""
        await self.does(self.turns_to("login"))
        await self.does(self.client.guard_bytes())

    async def gets_keys(self, account: str, password: str = PASSWORD) -> None:
        """Through the login door: with the keys of the game's door in hand."""
        client = self.client
        await self.greets()
        await self.does(client.login_bytes(account, password))
        assert client.refused is None, f"LoginFail {client.refused:#x}"
        await self.does(client.worlds_bytes())
        await self.does(client.play_bytes(client.worlds[0].id))
        assert client.keys.play1 or client.keys.play2, "no PlayOk"

    async def logs_in(self, account: str, password: str = PASSWORD) -> None:
        """Through the login door to the list of characters."""
        await self.gets_keys(account, password)
        await self.arrives()

    async def arrives(self) -> None:
        """At the game's door, with the keys it has, as far as the list of characters."""
        await self.does(self.turns_to("game") + self.client.version_bytes())
        assert self.client.admitted == 1
        await self.does(self.client.auth_bytes())

    async def enters(self, account: str, character: str = "", *, password: str = PASSWORD) -> None:
        """From the first byte into the game; the character is made if the account has none."""
        await self.logs_in(account, password)
        if not self.client.screen.menu:
            await self.does(self.client.templates_bytes())
            await self.does(self.client.create_bytes(character or account))
            assert self.client.screen.created == 0, f"CharCreateFail {self.client.screen.created}"
        elif self.client.screen.menu[0].deleted_in:
            await self.does(self.client.restore_bytes())
        await self.plays()

    async def plays(self, slot: int = 0) -> None:
        """From the list of characters into the game."""
        await self.does(self.client.select_bytes(slot))
        await self.does(self.client.enter_bytes(), wait=2.0)

    async def walks(self, heading: int, *, tiles: int = 1) -> None:
        """So many tiles, and until it is there."""
        me = self.client.screen.me
        assert me is not None
        await self.does(self.client.walk_bytes(heading, tiles=tiles), wait=0.2)
        assert await self.arrived(10), "it never came there"

    async def arrived(self, seconds: float) -> bool:
        """Wait until it has stopped walking, as its client shows it."""
        for _ in range(round(seconds * 10)):
            me = self.client.screen.me
            if me is not None and not me.moves(trio.current_time()):
                await trio.sleep(0.3)
                return True
            await trio.sleep(0.1)
        return False
