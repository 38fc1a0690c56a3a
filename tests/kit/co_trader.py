"""What somebody at a Conquer client does in the windows of a trade and of a team, and what these show."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from protocol.co.looks import compile_looks
from tests.kit.actor import Actor
from tests.kit.co_company import (
    ACCEPT,
    ADD_ITEM,
    ADD_MONEY,
    APPLICATION,
    APPLY,
    CREATE,
    INVITE,
    JOIN,
    LEAVE,
    LET_IN,
    QUIT,
)
from tests.kit.in_memory import shipped_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.kit.co_client import CoClient


@cache
def kinds() -> Mapping[str, int]:
    """The client's item type of each thing, by the world's key."""
    return {key: look.item for key, look in compile_looks(shipped_content()).items.items()}


@cache
def keys() -> Mapping[int, str]:
    """The world's key by item type: the first of several that look alike, as a client cannot tell them
    apart."""
    return {kind: key for key, kind in reversed([*kinds().items()])}


class CoTrader(Actor):
    """See the module."""

    @property
    def client(self) -> CoClient:
        """The client it sits at."""
        raise NotImplementedError

    # Trade

    async def asks_to_trade(self, name: str) -> None:
        """MsgTrade: somebody it sees."""
        await self.sends(self.client.trade_bytes(APPLY, self._number(name)))

    async def accepts_trade(self) -> None:
        """MsgTrade: the same, to who asked."""
        await self.sends(self.client.trade_bytes(APPLY, self.client.screen.trading.asked_by))

    async def offers(self, kind: str, amount: int = 1) -> None:
        """MsgTrade: a thing of the world's key, all of it; less than a stack has to be typed."""
        owned = self.client.screen.owned.items()
        found = (number for number, one in owned if (one.kind, one.amount) == (kinds()[kind], amount))
        number = next(found, None)
        if number is None:
            await self.sends(self.client.say_bytes(f"/offer {kind} {amount}"))
        else:
            await self.sends(self.client.trade_bytes(ADD_ITEM, number))

    async def offers_gold(self, amount: int) -> None:
        """MsgTrade: so much in all."""
        await self.sends(self.client.trade_bytes(ADD_MONEY, amount))

    async def agrees(self) -> None:
        """MsgTrade: once for each window."""
        window = self.client.screen.trading.window
        if window is not None and not window.pressed:
            window.pressed = True
            await self.sends(self.client.trade_bytes(ACCEPT, window.partner))

    async def ends_trade(self) -> None:
        """MsgTrade."""
        await self.sends(self.client.trade_bytes(QUIT))

    def trade_shown(self) -> tuple[dict[str, int], int, dict[str, int], int] | None:
        """Its own things by the world's key, its silver, and the same of the partner; None: no window."""
        screen = self.client.screen
        window = screen.trading.window
        if window is None:
            return None
        own = [(screen.owned[number].kind, screen.owned[number].amount) for number in window.own]
        theirs = list(window.theirs.values())
        return _summed(own), window.silver, _summed(theirs), window.their_silver

    # Team

    async def invites(self, name: str) -> None:
        """MsgTeam: somebody it sees; before that it makes a team, if it has none."""
        company, me = self.client.screen.company, self.client.screen.me
        if company.members is None and me is not None:
            await self.sends(self.client.team_bytes(CREATE, me.id))
        await self.sends(self.client.team_bytes(INVITE, self._number(name)))

    async def accepts_invite(self) -> None:
        """MsgTeam: yes, to who asked it in, or asked to be let in."""
        asked = self.client.screen.company.asked
        if asked is not None:
            answer = LET_IN if asked[0] == APPLICATION else JOIN
            await self.sends(self.client.team_bytes(answer, asked[1]))

    async def leaves_party(self) -> None:
        """MsgTeam."""
        me = self.client.screen.me
        await self.sends(self.client.team_bytes(LEAVE, me.id if me is not None else 0))

    def party_shown(self) -> list[str]:
        """Names in the window, the leader's first."""
        return self.client.screen.company.names()

    def _number(self, name: str) -> int:
        people = self.client.screen.people
        return next((number for number, who in people.items() if who.name == name), 0)


def _summed(things: list[tuple[int, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for kind, amount in things:
        found[keys()[kind]] = found.get(keys()[kind], 0) + amount
    return found
