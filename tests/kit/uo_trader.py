"""Somebody who plays Ultima Online for a test, as far as it trades with others and goes about with them, in
the windows of its client."""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING, cast

from protocol.uo.packets.misc import TargetAnswer
from protocol.uo.packets.parties import PartyDeed, PartyRequest
from protocol.uo.packets.people import NameRequest
from protocol.uo.packets.trading import TradeDeed, TradeRequest
from protocol.uo.trading import FIRST_OFFER, SERIALS
from tests.kit.actor import Actor, Owned
from tests.kit.dealings import Member, Table, offer, percent
from tests.kit.in_memory import shipped_content
from tests.kit.uo_seen import ANYWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.uo.packets.base import ClientPacket
    from tests.kit.players import UoPlayer
    from tests.kit.uo_client import UoClient


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

    async def asks_to_trade(self, name: str, kind: str = "") -> None:
        """A thing that is dropped on somebody; by a word without one."""
        if not kind:
            await self.say(f".trade {name}")
            return
        art, named = self._art(kind), await self._by_name()
        handle = self._stack(art, 1)
        if name in named and handle is not None:
            await self.begins_to_trade(handle, named[name])

    async def begins_to_trade(self, handle: int, other: int, amount: int = 1) -> None:
        """0x07 and 0x08 onto somebody."""
        lifted = self.client.lift_bytes(handle, amount)
        await self.sends(lifted + self.client.drop_bytes(handle, ANYWHERE, ANYWHERE, 0, other))

    async def accepts_trade(self) -> None:
        """Nothing: the window opens, and whoever does not want to closes it."""

    async def offers(self, kind: str, amount: int = 1) -> None:
        """0x07, and 0x08 into the own container."""
        handle, window, client = self._stack(self._art(kind), amount), self.client.trade, self.client
        if handle is None or window is None:
            return
        lifted = client.lift_bytes(handle, amount)
        await self.sends(lifted + client.drop_bytes(handle, ANYWHERE, ANYWHERE, 0, window.own))

    async def offers_gold(self, amount: int) -> None:
        """0x6F, or a word where the window has no field for it."""
        window = self.client.trade
        if window is None:
            return
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

    def called(self, kind: str) -> str:
        """The first of that graphic."""
        return self._kinds()[self._art(kind)]

    def trade_shown(self) -> Table | None:
        """What is in both containers, gold in its fields and as coins, and whose box has its tick."""
        window = self.client.trade
        if window is None:
            return None
        agrees, they_agree = window.agreed
        own = offer(self._in_box(window.own), window.typed, agrees=agrees)
        return Table(own, offer(self._in_box(window.theirs), window.gold, agrees=they_agree))

    def _in_box(self, box: int) -> Iterable[tuple[str, int]]:
        kinds = self._kinds()
        for serial, (art, amount) in self.client.inside(box).items():
            assert FIRST_OFFER <= serial < FIRST_OFFER + SERIALS
            yield kinds[art], amount

    async def _trade(self, kind: int, rest: bytes = b"") -> None:
        if self.client.trade is not None:
            await self._send(TradeRequest(kind, self.client.trade.own, rest))

    def _stack(self, art: int, amount: int) -> int | None:
        carried = cast("dict[int, Owned]", self.carries())
        found = (serial for serial, one in carried.items() if one.kind == art and one.amount >= amount)
        return next(found, None)

    @staticmethod
    @functools.cache
    def _kinds() -> Mapping[int, str]:
        """The first of our keys that looks so."""
        looks = (
            (key, cast("dict[str, int]", one.look["uo"])) for key, one in shipped_content().items.items()
        )
        return {look["item"]: key for key, look in reversed([*looks])}

    def _art(self, kind: str) -> int:
        return cast("dict[str, int]", shipped_content().items[kind].look["uo"])["item"]

    async def names(self) -> list[str]:
        """As 0x98 says."""
        return sorted(name for name in await self._by_name() if name is not None)

    async def _by_name(self) -> dict[str | None, int]:
        return {await self.name_of(serial): serial for serial in list(self.client.mobiles)}

    # Party

    async def invites(self, name: str) -> None:
        """0xBF 0x06, and 0x6C at somebody of that name."""
        named, before = await self._by_name(), self.client.cursor
        if name not in named:
            return
        await self._party(PartyDeed.INVITE, 0)
        await self.until(lambda: self.client.cursor != before, 2)
        if self.client.cursor != before:
            cursor = self.client.cursor or 0
            await self._send(TargetAnswer(0, cursor, 0, named[name], 0, 0, 0, 0))

    def asked_into_party(self) -> bool:
        """Whether it knows who asks, for "/accept"."""
        return self.client.inviter != 0

    async def accepts_invite(self) -> None:
        """0xBF 0x06, as ClassicUO does for "/accept"."""
        if self.client.inviter:
            await self._party(PartyDeed.ACCEPT, self.client.inviter)

    async def leaves_party(self) -> None:
        """0xBF 0x06."""
        if self.client.player is not None:
            await self._party(PartyDeed.REMOVE, self.client.player.serial)

    async def expels(self, name: str) -> None:
        """0xBF 0x06."""
        for serial in self.client.members:
            if self.client.names.get(serial) == name:
                await self._party(PartyDeed.REMOVE, serial)

    def party_shown(self) -> dict[str, Member]:
        """Names in its window, with their bars."""
        me, client = self.client.player, self.client
        others = [serial for serial in client.members if me is None or serial != me.serial]
        return {
            client.names.get(serial, "?"): Member(percent(*client.bars.get(serial, {}).get("hits", (0, 0))))
            for serial in others
        }

    async def _party(self, deed: int, serial: int) -> None:
        await self._send(PartyRequest(deed, serial.to_bytes(4, "big")))
