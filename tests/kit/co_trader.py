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
    KICK,
    LEAVE,
    LET_IN,
    QUIT,
)
from tests.kit.dealings import Member, Table, offer, percent
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

    async def names(self) -> list[str]:
        """Of characters."""
        return sorted(who.name for who in self.client.screen.people.values())

    # Trade

    async def asks_to_trade(self, name: str, kind: str = "") -> None:
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

    def called(self, kind: str) -> str:
        """The first of that kind of item."""
        return keys()[kinds()[kind]]

    def trade_shown(self) -> Table | None:
        """Both sides; of its own whether its player has pressed the button."""
        owned, window = self.client.screen.owned, self.client.screen.trading.window
        if window is None:
            return None
        own = [(keys()[owned[number].kind], owned[number].amount) for number in window.own if number in owned]
        theirs = [(keys()[kind], amount) for kind, amount in window.theirs.values()]
        return Table(
            offer(own, window.silver, agrees=window.pressed),
            offer(theirs, window.their_silver, agrees=window.agreed),
        )

    def asked_to_trade(self) -> bool:
        """Whether the box is open."""
        return self.client.screen.trading.asked_by != 0

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

    def asked_into_party(self) -> bool:
        """Whether the box is open."""
        return self.client.screen.company.asked is not None

    async def expels(self, name: str) -> None:
        """MsgTeam."""
        for number, member in (self.client.screen.company.members or {}).items():
            if member.name == name:
                await self.sends(self.client.team_bytes(KICK, number))

    def party_shown(self) -> dict[str, Member]:
        """The others in the window, with their life."""
        members = (self.client.screen.company.members or {}).values()
        return {one.name: Member(percent(one.life, one.max_life)) for one in members if one.name != self.name}

    def _number(self, name: str) -> int:
        people = self.client.screen.people
        return next((number for number, who in people.items() if who.name == name), 0)
