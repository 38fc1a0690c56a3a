"""A player of the web page's game: `tests.kit.web_client` at one end of a pipe, as a browser is behind its
WebSocket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.players import PASSWORD, Host, Line, Player
from tests.kit.web_client import WebClient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.kit.web_screen import Screen


class WebPlayer(Player):
    """Somebody in front of a browser."""

    game = "web"
    door = "http"

    def __init__(self, town: Host, *, peer: str = "127.0.0.1") -> None:
        super().__init__(town, peer=peer)
        self.client = WebClient()

    @property
    def end(self) -> Line:
        """Its end of the connection."""
        if self._end is None:
            self.client.open()
        return super().end

    @property
    def screen(self) -> Screen:
        """What it is shown."""
        return self.client.screen

    @property
    def got(self) -> list[dict[str, object]]:
        """Every message that came."""
        return self.client.received

    def take(self, data: bytes) -> bytes:
        self.client.feed(data)
        return b""

    async def does(self, data: bytes, *, wait: float = 1.0) -> Sequence[dict[str, object]]:
        """Send something; what came back meanwhile."""
        before = len(self.got)
        await self.sends(data, wait=wait)
        return self.got[before:]

    async def says(self, t: str, **fields: object) -> Sequence[dict[str, object]]:
        """Send a message; what came back meanwhile."""
        return await self.does(self.client.say_bytes_of(t, **fields))

    async def logs_in(self, account: str, password: str = PASSWORD) -> None:
        """Up to the list of characters."""
        await self.does(self.client.login_bytes(account, password))
        assert self.screen.account == account, self.screen.denied

    async def makes(self, character: str) -> int:
        """A new character; its id."""
        await self.does(self.client.create_bytes(character))
        return next(number for number, name in self.screen.characters.items() if name == character)

    async def enters(self, account: str, character: str = "", *, password: str = PASSWORD) -> None:
        """From the first byte into the game; the character is made if the account has none."""
        await self.logs_in(account, password)
        if not self.screen.characters:
            await self.makes((character or account).capitalize())
        await self.plays()

    async def plays(self, place: int = 0) -> None:
        """From the list of characters into the game."""
        await self.does(self.client.enter_bytes(list(self.screen.characters)[place]))
        assert self.client.in_world, self.screen.denied

    async def steps(self, heading: int, *, tiles: int = 1, run: bool = False) -> None:
        """So many tiles."""
        for _ in range(tiles):
            await self.does(self.client.walk_bytes(heading, run=run), wait=0.5)

    async def answers(self, button: int) -> Sequence[dict[str, object]]:
        """Press a button of the dialog that was asked last."""
        return await self.does(self.client.answer_bytes(list(self.screen.questions)[-1], button))

    def of(self, t: str) -> list[dict[str, object]]:
        """What came of one name."""
        return [message for message in self.got if message["t"] == t]
