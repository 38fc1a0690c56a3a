"""What somebody at an Endless Online client does in the windows of a trade and of its party, and what these
show (`tests.kit.eo_company`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tests.kit.actor import Actor
from tests.kit.dealings import Member, Offer, Table, keys_by_name, offer
from tests.kit.eo_picture import GOLD
from tests.kit.in_memory import shipped_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.kit.eo_client import EoClient
    from tests.kit.players import EoPlayer


class EoTrader(Actor):
    """Its clicks are eoweb's."""

    @property
    def client(self) -> EoClient:
        """The client it sits at."""
        return cast("EoPlayer", self.player).client

    async def names(self) -> list[str]:
        """Of characters but itself."""
        drawn = self.client.characters.items()
        return sorted(it.info.name for n, it in drawn if it.info is not None and n != self.client.player_id)

    # Trade

    async def asks_to_trade(self, name: str, kind: str = "") -> None:
        """Trade_Request."""
        await self.sends(self.client.ask_to_trade(self._number_of(name)))

    def asked_to_trade(self) -> bool:
        """Whether the box is open."""
        return self.client.trade_asker != 0

    async def accepts_trade(self) -> None:
        """Trade_Accept, in the box that is open."""
        if self.client.trade_asker:
            await self.sends(self.client.accept_trade())

    async def offers(self, kind: str, amount: int = 1) -> None:
        """Trade_Add of the first kind in its inventory that the item list calls so."""
        numbers = [number for number in self.client.inventory if self._key(number) == kind]
        if numbers and self.client.trade is not None:
            await self.sends(self.client.offer(numbers[0], amount))

    async def offers_gold(self, amount: int) -> None:
        """Trade_Add, of gold."""
        if self.client.trade is not None:
            await self.sends(self.client.offer(GOLD, amount))

    async def agrees(self) -> None:
        """Trade_Agree."""
        if self.client.trade is not None:
            await self.sends(self.client.agree())

    async def ends_trade(self) -> None:
        """Trade_Close."""
        if self.client.trade is not None:
            await self.sends(self.client.end_trade())

    def called(self, kind: str) -> str:
        """The first of that name."""
        return keys_by_name()[shipped_content().items[kind].name.lower()]

    def trade_shown(self) -> Table | None:
        """Both lists by the names of the item list, and who has agreed."""
        window = self.client.trade
        if window is None:
            return None
        return Table(
            self._side(window.own, agrees=window.agrees),
            self._side(window.theirs, agrees=window.partner_agrees),
        )

    def _side(self, amounts: Mapping[int, int], *, agrees: bool) -> Offer:
        return offer([(self._key(number), amount) for number, amount in amounts.items()], agrees=agrees)

    def _key(self, number: int) -> str:
        name = self.client.record(number).name.lower()
        return "gold" if number == GOLD else keys_by_name().get(name, name)

    # The party

    async def invites(self, name: str) -> None:
        """Party_Request."""
        await self.sends(self.client.ask_into_party(self._number_of(name)))

    def asked_into_party(self) -> bool:
        """Whether the box is open."""
        return self.client.party_asker is not None

    async def accepts_invite(self) -> None:
        """Party_Accept, in the box that is open."""
        if self.client.party_asker is not None:
            await self.sends(self.client.accept_party())

    async def leaves_party(self) -> None:
        """Party_Remove, of itself."""
        await self.sends(self.client.remove_member(self.client.player_id))

    async def expels(self, name: str) -> None:
        """Party_Remove."""
        for number, fellow in self.client.party.items():
            if fellow.name.lower() == name.lower():
                await self.sends(self.client.remove_member(number))

    def party_shown(self) -> dict[str, Member]:
        """The others in the list, with hits and level."""
        rows = {number: row for number, row in self.client.party.items() if number != self.client.player_id}
        return {row.name.capitalize(): Member(row.percent, row.level) for row in rows.values()}

    def _number_of(self, name: str) -> int:
        """Player id of a character that it sees; 0 for nobody."""
        drawn = self.client.characters.items()
        called = (n for n, it in drawn if it.info is not None and it.info.name.lower() == name.lower())
        return next(called, 0)
