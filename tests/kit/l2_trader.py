"""Somebody at a Lineage II client who trades and goes about with others (`tests.kit.l2_actor`)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, cast

from protocol.l2.looks import compile_looks
from tests.kit.actor import Actor
from tests.kit.dealings import Member, Offer, Table, offer, percent
from tests.kit.l2_shown import ADENA
from tests.kit.town import shipped_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.kit.l2_client import L2Client
    from tests.kit.l2_player import L2Player
    from tests.kit.l2_screen import Screen
    from tests.kit.l2_shown import Offered


@functools.cache
def kinds() -> Mapping[str, int]:
    """The client's kinds of things, by the keys of ours."""
    return {key: look.item for key, look in compile_looks(shipped_content()).items.items()}


@functools.cache
def keys() -> Mapping[int, str]:
    """The first of our keys that shows as each kind: a client knows no more."""
    return {kind: key for key, kind in reversed([*kinds().items()])}


class L2Trader(Actor):
    """Its deeds are clicks in the client's own windows."""

    @property
    def client(self) -> L2Client:
        """The client it sits at."""
        return self._seat.client

    @property
    def _seat(self) -> L2Player:
        return cast("L2Player", self.player)

    @property
    def _screen(self) -> Screen:
        return self.client.screen

    async def names(self) -> list[str]:
        """Of characters."""
        return sorted(who.name for who in self._screen.people.values())

    # Trade

    async def asks_to_trade(self, name: str, kind: str = "") -> None:
        """TradeRequest: with the other as its target."""
        other = self._screen.by_name(name)
        if other is not None:
            await self.sends(self.client.trade_bytes(other.id))

    def asked_to_trade(self) -> bool:
        """Whether the box is open."""
        return self._screen.trade_asker != 0

    async def accepts_trade(self) -> None:
        """AnswerTradeRequest: yes, in the box that asks."""
        if self._screen.trade_asker:
            await self.sends(self.client.answer_trade_bytes(1))

    async def offers(self, kind: str, amount: int = 1) -> None:
        """AddTradeItem: of the list of one's own."""
        await self._offers(kinds()[kind], amount)

    async def offers_gold(self, amount: int) -> None:
        """AddTradeItem of adena."""
        await self._offers(ADENA, amount)

    async def _offers(self, kind: int, amount: int) -> None:
        rows = self._screen.trade.mine.values() if self._screen.trade is not None else ()
        number = next((row.number for row in rows if row.kind == kind and row.amount >= amount), None)
        if number is not None:
            await self.sends(self.client.add_trade_bytes(number, amount))

    async def agrees(self) -> None:
        """TradeDone: its button OK."""
        if self._screen.trade is not None:
            await self.sends(self.client.trade_done_bytes(1))

    async def ends_trade(self) -> None:
        """TradeDone: its button Cancel."""
        if self._screen.trade is not None:
            await self.sends(self.client.trade_done_bytes(0))

    def called(self, kind: str) -> str:
        """The first of that kind of item."""
        return keys()[kinds()[kind]]

    def trade_shown(self) -> Table | None:
        """Both lists, adena among them, and whose line is grey."""
        table = self._screen.trade
        if table is None:
            return None
        return Table(_side(table.own, agrees=table.own_ok), _side(table.theirs, agrees=table.their_ok))

    # The party

    async def invites(self, name: str) -> None:
        """RequestJoinParty: with the other as its target."""
        await self.sends(self.client.join_party_bytes(name))

    def asked_into_party(self) -> bool:
        """Whether the box is open."""
        return bool(self._screen.party_asker)

    async def accepts_invite(self) -> None:
        """RequestAnswerJoinParty: yes, in the box that asks."""
        if self._screen.party_asker:
            await self.sends(self.client.answer_party_bytes(1))

    async def leaves_party(self) -> None:
        """RequestWithDrawalParty."""
        await self.sends(self.client.leave_party_bytes())

    async def expels(self, name: str) -> None:
        """RequestOustPartyMember."""
        await self.sends(self.client.oust_bytes(name))

    def party_shown(self) -> dict[str, Member]:
        """The others in the window, with HP and level."""
        table = self._screen.party
        others = table.others.values() if table is not None else ()
        return {one.name: Member(percent(*one.hp), one.level) for one in others}

    async def asks_into_guild(self, other_name: str) -> None:
        """RequestJoinPledge: with the other as its target."""
        other = self._screen.by_name(other_name)
        assert other is not None, f"{other_name} is not in sight"
        await self.sends(self.client.join_clan_bytes(other.id))

    async def joins_guild(self) -> None:
        """RequestAnswerJoinPledge: yes, in the box that asks."""
        assert self._screen.clan_asker, "nobody asks"
        await self.sends(self.client.answer_clan_bytes(1))

    def guild_shown(self) -> list[str]:
        """Names in the window of the clan; none while it is empty."""
        clan = self._screen.clan
        return list(clan.members) if clan is not None else []


def _side(rows: Mapping[int, Offered], *, agrees: bool) -> Offer:
    return offer([(keys()[row.kind], row.amount) for row in rows.values()], agrees=agrees)
