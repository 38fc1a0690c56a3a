"""What somebody at an EverQuest II client does in the window of a trade and with its group, and what these
show (`tests.kit.eq2_client`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from protocol.eq2.packets import PARTNER_AGREES
from tests.kit.actor import Actor
from tests.kit.dealings import Member, Offer, Table, keys_by_name, offer, percent
from tests.kit.in_memory import shipped_content
from world.serials import FIRST_ITEM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.packets import TradeItem, UpdatePlayerTrade
    from tests.kit.eq2_client import Eq2Client
    from tests.kit.eq2_player import Eq2Player


class Eq2Trader(Actor):
    """Buttons of this client's windows send commands."""

    _agreed: UpdatePlayerTrade | None = None
    """What the window showed when its player pressed the button: its client takes that back by itself with
    whatever is shown anew."""

    @property
    def client(self) -> Eq2Client:
        """The client it sits at."""
        return self._seat.client

    @property
    def _seat(self) -> Eq2Player:
        return cast("Eq2Player", self.player)

    async def _commands(self, word: str, arguments: str = "") -> None:
        if self.online:
            await self.sends(self.client.command_bytes(word, arguments))

    async def names(self) -> list[str]:
        """Of all that is alive, or was."""
        return sorted(ghost.about.name for n, ghost in self.client.others.items() if n < FIRST_ITEM)

    # Trade

    async def asks_to_trade(self, name: str, kind: str = "") -> None:
        """`/start_trade`, by name."""
        await self._commands("start_trade", name)

    async def accepts_trade(self) -> None:
        """Nothing: the window opens without asking."""

    async def offers(self, kind: str, amount: int = 1) -> None:
        """`/add_trade_item`, of the first stack of that name."""
        for row, record in enumerate(self.client.bags.records()):
            if record.item_id and _key(record.name) == kind:
                await self._commands("add_trade_item", f"{row} 255 {amount}")
                return

    async def offers_gold(self, amount: int) -> None:
        """`/add_trade_gold`."""
        await self._commands("add_trade_gold", str(amount))

    async def agrees(self) -> None:
        """`/accept_trade`."""
        self._agreed = self.client.trade
        await self._commands("accept_trade")

    async def ends_trade(self) -> None:
        """`/cancel_trade`."""
        await self._commands("cancel_trade")

    def called(self, kind: str) -> str:
        """The first of that name."""
        return keys_by_name()[shipped_content().items[kind].name.lower()]

    def trade_shown(self) -> Table | None:
        """Both sides by the names of things."""
        shown = self.client.trade
        if shown is None:
            return None
        return Table(
            _side(shown.things, shown.gold, agrees=shown is self._agreed),
            _side(shown.their_things, shown.their_gold, agrees=shown.kind == PARTNER_AGREES),
        )

    # The group

    async def invites(self, name: str) -> None:
        """`/invite`, by name."""
        await self._commands("invite", name)

    def asked_into_party(self) -> bool:
        """Whether the window is open."""
        return bool(self.client.offered)

    async def accepts_invite(self) -> None:
        """`/acceptinvite`, as the button of the window says."""
        await self._commands("acceptinvite")

    async def leaves_party(self) -> None:
        """`/leavegroup`."""
        await self._commands("leavegroup")

    async def expels(self, name: str) -> None:
        """`/kickfromgroup`, by name."""
        await self._commands("kickfromgroup", name)

    def party_shown(self) -> dict[str, Member]:
        """The others, with hits and level: oneself is in another window."""
        return {one.name: Member(percent(one.hits, one.max_hits), one.level) for one in self.client.group()}


def _key(name: str) -> str:
    return keys_by_name().get(name.lower(), name)


def _side(things: Sequence[TradeItem], gold: int, *, agrees: bool) -> Offer:
    return offer([(_key(one.name), one.quantity) for one in things], gold, agrees=agrees)
