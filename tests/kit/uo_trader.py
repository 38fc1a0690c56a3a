"""Somebody who plays Ultima Online for a test, as far as it trades with others and goes about with them, in
the windows of its client."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, cast

from protocol.uo.packets.misc import TargetAnswer
from protocol.uo.packets.parties import PartyDeed, PartyRequest
from protocol.uo.packets.people import NameRequest
from protocol.uo.packets.trading import TradeDeed, TradeRequest
from protocol.uo.trading import FIRST_OFFER, OWN_HEAP, SERIALS
from tests.kit.actor import Actor, Owned
from tests.kit.uo_seen import ANYWHERE
from world.bargain import GOLD

if TYPE_CHECKING:
    from protocol.uo.packets.base import ClientPacket
    from tests.kit.players import UoPlayer
    from tests.kit.town import Town
    from tests.kit.uo_client import UoClient
    from tests.kit.uo_company import TradeWindow


class UoTrader(Actor):
    """Somebody at an Ultima Online client."""

    @property
    def client(self) -> UoClient:
        """The client it sits at."""
        return cast("UoPlayer", self.player).client

    async def _send(self, *packets: ClientPacket) -> None:
        if not self.player.hung_up:
            await self.sends(self.client.pack_bytes(*packets))

    async def name_of(self, other: int) -> str | None:
        """The name of somebody in sight, by 0x98; None if there is none."""
        if other not in self.client.names:
            await self._send(NameRequest(other))
            await self.until(lambda: other in self.client.names, 2)
        return self.client.names.get(other)

    # Trade

    async def asks_to_trade(self, other: str) -> None:
        """By a word: without a word a trade begins with a thing that is dropped on somebody."""
        await self.say(f".trade {other}")

    async def begins_to_trade(self, handle: int, other: int, amount: int = 1) -> None:
        """0x07 and 0x08 onto somebody."""
        client = self.client
        dropped = client.drop_bytes
        await self.sends(client.lift_bytes(handle, amount) + dropped(handle, ANYWHERE, ANYWHERE, 0, other))

    async def accepts_trade(self) -> None:
        """Nothing: the window opens, and whoever does not want to closes it."""

    async def offers(self, kind: str, amount: int) -> None:
        """0x07, and 0x08 into the own container."""
        art, window = self._art(kind), self._window
        carried = cast("dict[int, Owned]", self.carries())
        handle = next(serial for serial, one in carried.items() if one.kind == art and one.amount >= amount)
        client = self.client
        dropped = client.drop_bytes(handle, ANYWHERE, ANYWHERE, 0, window.own)
        await self.sends(client.lift_bytes(handle, amount) + dropped)

    async def offers_gold(self, amount: int) -> None:
        """0x6F, or a word where the window has no field for it."""
        window = self._window
        if self.client.version < (7, 0, 45, 65):
            await self.say(f".offer {amount}")
            return
        window.typed = amount
        await self._trade(TradeDeed.GOLD, struct.pack(">II", amount, 0))

    async def agrees(self) -> None:
        """0x6F."""
        await self._trade(TradeDeed.AGREE, b"\0\0\0\1")

    async def ends_trade(self) -> None:
        """0x6F."""
        await self._trade(TradeDeed.CLOSE)
        self.client.trade = None

    def trade_shown(self) -> tuple[dict[str, int], int, dict[str, int], int] | None:
        """Own things by their kinds, own gold, theirs, and their gold."""
        window = self.client.trade
        if window is None:
            return None
        own, own_heap = self._in_box(window.own)
        theirs, heap = self._in_box(window.theirs)
        return own, window.typed + own_heap, theirs, window.gold + heap

    @property
    def _window(self) -> TradeWindow:
        assert self.client.trade is not None, "no window of a trade is open"
        return self.client.trade

    def _in_box(self, box: int) -> tuple[dict[str, int], int]:
        kinds, heap = self._kinds(), 0
        found: dict[str, int] = {}
        for serial, (art, amount) in self.client.inside(box).items():
            assert FIRST_OFFER <= serial < FIRST_OFFER + SERIALS
            if kinds[art] == GOLD and serial - FIRST_OFFER in (OWN_HEAP, OWN_HEAP + 1):
                heap += amount
            else:
                found[kinds[art]] = found.get(kinds[art], 0) + amount
        return found, heap

    async def _trade(self, kind: int, rest: bytes = b"") -> None:
        await self._send(TradeRequest(kind, self._window.own, rest))

    def _kinds(self) -> dict[int, str]:
        items = cast("Town", self.town).app.world.content.items
        looks = ((key, cast("dict[str, int]", template.look["uo"])) for key, template in items.items())
        return {look["item"]: key for key, look in looks}

    def _art(self, kind: str) -> int:
        return next(art for art, key in self._kinds().items() if key == kind)

    # Party

    async def invites(self, other: str) -> None:
        """0xBF 0x06, and 0x6C at somebody of that name."""
        named = {await self.name_of(serial): serial for serial in list(self.client.mobiles)}
        assert other in named, f"it sees nobody called {other}"
        before = self.client.cursor
        await self._party(PartyDeed.INVITE, 0)
        assert await self.until(lambda: self.client.cursor != before, 2), "no cursor to point with"
        cursor = self.client.cursor or 0
        await self._send(TargetAnswer(0, cursor, 0, named[other], 0, 0, 0, 0))

    async def accepts_invite(self) -> None:
        """0xBF 0x06, as ClassicUO does for "/accept"."""
        assert self.client.inviter, "nobody asks it into a party"
        await self._party(PartyDeed.ACCEPT, self.client.inviter)

    async def leaves_party(self) -> None:
        """0xBF 0x06."""
        assert self.client.player is not None
        await self._party(PartyDeed.REMOVE, self.client.player.serial)

    def party_shown(self) -> list[str]:
        """Names in its window; its own as its player knows it."""
        me = self.client.player
        own = me.serial if me is not None else 0
        names = {**self.client.names, own: self.name}
        return [names.get(serial, "?") for serial in self.client.members]

    async def _party(self, deed: int, serial: int) -> None:
        await self._send(PartyRequest(deed, serial.to_bytes(4, "big")))
