"""What somebody at the page does in the panels of a trade and of its party, and what these show
(`tests.kit.web_panes`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tests.kit.actor import Actor
from tests.kit.dealings import Member, Offer, Table, keys_by_name, offer, percent
from tests.kit.in_memory import shipped_content

if TYPE_CHECKING:
    from tests.kit.web_client import WebClient
    from tests.kit.web_panes import Side
    from tests.kit.web_player import WebPlayer
    from tests.kit.web_screen import Screen


class WebTrader(Actor):
    """Its clicks are buttons of the page."""

    @property
    def client(self) -> WebClient:
        """The page."""
        return cast("WebPlayer", self.player).client

    @property
    def screen(self) -> Screen:
        """What it shows."""
        return self.client.screen

    async def _says(self, t: str, **fields: object) -> None:
        if self.online:
            await self.sends(self.client.say_bytes_of(t, **fields))

    async def names(self) -> list[str]:
        """Of all that is alive, or was."""
        return sorted(shown.name for shown in self.screen.others("mobile").values())

    # Trade

    async def asks_to_trade(self, name: str, kind: str = "") -> None:
        """trade, of somebody in sight."""
        await self._says("trade", id=self.in_sight(name))

    def asked_to_trade(self) -> bool:
        """Whether a box asks that."""
        return bool(self._asked("Trade"))

    async def accepts_trade(self) -> None:
        """Yes to whoever asks."""
        await self._says_yes("Trade")

    async def offers(self, kind: str, amount: int = 1) -> None:
        """offer: so many of a stack that it has."""
        numbers = [thing.id for thing in self.screen.owned.values() if thing.kind == kind]
        if numbers:
            await self._says("offer", id=numbers[0], amount=amount)

    async def offers_gold(self, amount: int) -> None:
        """offer_gold."""
        await self._says("offer_gold", amount=amount)

    async def agrees(self) -> None:
        """agree, to what the panel shows."""
        bargain = self.screen.panes.bargain
        if bargain is not None:
            await self._says("agree", changes=bargain.changes)

    async def ends_trade(self) -> None:
        """end_trade."""
        await self._says("end_trade")

    def called(self, kind: str) -> str:
        """The first of that name."""
        return keys_by_name()[shipped_content().items[kind].name.lower()]

    def trade_shown(self) -> Table | None:
        """Both sides of the panel, by the names of things."""
        bargain = self.screen.panes.bargain
        return Table(_side(bargain.own), _side(bargain.theirs)) if bargain is not None else None

    # The party

    async def invites(self, name: str) -> None:
        """invite, of somebody of that name."""
        await self._says("invite", name=name)

    def asked_into_party(self) -> bool:
        """Whether a box asks that."""
        return bool(self._asked("Party"))

    async def accepts_invite(self) -> None:
        """Yes to whoever asks."""
        await self._says_yes("Party")

    async def leaves_party(self) -> None:
        """leave_party."""
        await self._says("leave_party")

    async def expels(self, name: str) -> None:
        """expel, of somebody in the panel."""
        for member in self.screen.panes.party.values():
            if member.name == name:
                await self._says("expel", id=member.id)

    def party_shown(self) -> dict[str, Member]:
        """The others in the panel, with hits and level."""
        members = self.screen.panes.party.values()
        return {one.name: Member(percent(*one.hits), one.level) for one in members if one.name != self.name}

    def in_sight(self, name: str) -> int:
        """The serial of somebody of that name who is shown; 0 if nobody is."""
        found = (shown.id for shown in self.screen.others("mobile").values() if shown.name == name)
        return next(found, 0)

    def _asked(self, title: str) -> list[int]:
        return [serial for serial, one in self.screen.questions.items() if one.title == title]

    async def _says_yes(self, title: str) -> None:
        asked = self._asked(title)
        if self.online and asked:
            await self.sends(self.client.answer_bytes(asked[-1], 1))


def _side(side: Side) -> Offer:
    keys = keys_by_name()
    goods = [(keys.get(good.name.lower(), good.name), good.amount) for good in side.goods.values()]
    return offer(goods, side.gold, agrees=side.agreed)
