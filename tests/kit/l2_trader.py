"""Somebody at a Lineage II client who trades and goes about with others (`tests.kit.l2_actor`)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, cast

from protocol.l2.looks import compile_looks
from tests.kit.actor import Actor
from tests.kit.l2_shown import ADENA
from tests.kit.town import shipped_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.kit.l2_client import L2Client
    from tests.kit.l2_player import L2Player
    from tests.kit.l2_screen import Screen


@functools.cache
def kinds() -> Mapping[str, int]:
    """The client's kinds of things, by the keys of ours."""
    return {key: look.item for key, look in compile_looks(shipped_content()).items.items()}


def _keys(amounts: Mapping[int, int]) -> dict[str, int]:
    """The first of our keys that shows as each kind: a client knows no more."""
    return {next(key for key, kind in kinds().items() if kind == one): n for one, n in amounts.items()}


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

    async def asks_to_trade(self, other_name: str) -> None:
        """TradeRequest: with the other as its target."""
        other = self._screen.by_name(other_name)
        assert other is not None, f"{other_name} is not in sight"
        await self.sends(self.client.trade_bytes(other.id))

    async def accepts_trade(self) -> None:
        """AnswerTradeRequest: yes, in the box that asks."""
        assert self._screen.trade_asker, "nobody asks"
        await self.sends(self.client.answer_trade_bytes(1))

    async def offers(self, kind: str, amount: int) -> None:
        """AddTradeItem: of the list of one's own."""
        await self._offers(kinds()[kind], amount)

    async def offers_gold(self, amount: int) -> None:
        """AddTradeItem of adena."""
        await self._offers(ADENA, amount)

    async def _offers(self, kind: int, amount: int) -> None:
        table = self._screen.trade
        assert table is not None, "it does not trade"
        number = next(row.number for row in table.mine.values() if row.kind == kind and row.amount >= amount)
        await self.sends(self.client.add_trade_bytes(number, amount))

    async def agrees(self) -> None:
        """TradeDone: its button OK."""
        await self.sends(self.client.trade_done_bytes(1))

    async def ends_trade(self) -> None:
        """TradeDone: its button Cancel."""
        await self.sends(self.client.trade_done_bytes(0))

    def trade_shown(self) -> tuple[dict[str, int], int, dict[str, int], int] | None:
        """Its own things and gold, and the other's; None while there is no window."""
        table = self._screen.trade
        if table is None:
            return None
        (own, gold), (theirs, their_gold) = table.side(table.own), table.side(table.theirs)
        return _keys(own), gold, _keys(theirs), their_gold

    async def invites(self, other_name: str) -> None:
        """RequestJoinParty: with the other as its target."""
        await self.sends(self.client.join_party_bytes(other_name))

    async def accepts_invite(self) -> None:
        """RequestAnswerJoinParty: yes, in the box that asks."""
        assert self._screen.party_asker, "nobody asks"
        await self.sends(self.client.answer_party_bytes(1))

    async def leaves_party(self) -> None:
        """RequestWithDrawalParty."""
        await self.sends(self.client.leave_party_bytes())

    def party_shown(self) -> list[str]:
        """Names of the others in the window; none while there is no window."""
        table = self._screen.party
        return [fellow.name for fellow in table.others.values()] if table is not None else []

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
