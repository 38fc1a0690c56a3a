"""What a client of Endless Online sends for each wish of the matrix (`tests.kit.wish`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from eolib import (
    AdminInteractTellClientPacket,
    Emote,
    EmoteReportClientPacket,
    ItemUseClientPacket,
    TalkReplyServerPacket,
    TalkServerServerPacket,
    TalkTellServerPacket,
)

from protocol.eo.looks import to_direction
from tests.kit.wish import Wishes
from world.guilds import APPLICATION, GUILD
from world.party import KIND
from world.reach import Refusal
from world.trade import TRADE

if TYPE_CHECKING:
    from protocol.eo.view import EoView
    from tests.kit.eo_client import EoClient
    from world.dialogs import Dialog
    from world.item import Item
    from world.mobile import Mobile


class EoWishes(Wishes):
    """Endless Online."""

    sign = "#"
    by_name = frozenset({"attack", "attack a player", "attack a resident", "attack the dead"})
    client: EoClient

    def notices(self) -> list[str]:
        """What others told it alone."""
        return [packet.message for packet in self.client.received if isinstance(packet, TalkTellServerPacket)]

    def refusals(self) -> list[Refusal]:
        """Talk_Reply: nobody is called so."""
        replies = [packet for packet in self.client.received if isinstance(packet, TalkReplyServerPacket)]
        return [Refusal.NOBODY] * len(replies)

    def say(self, text: str) -> bytes:
        return self.client.say(text)

    def shout(self, text: str) -> bytes:
        return self.order(f"yell {text}")

    def tell(self, name: str, text: str) -> bytes:
        return self.client.tell(name, text)

    def to_all(self, text: str) -> bytes:
        return self.client.say_to_all(text)

    def gesture(self) -> bytes:
        return self.client.bytes_of(EmoteReportClientPacket(emote=Emote.Happy))

    def sit(self) -> bytes:
        return self.client.sit()

    def turn(self, heading: int) -> bytes:
        return self.client.face(to_direction(heading))

    def plead(self, text: str) -> bytes:
        return self.client.bytes_of(AdminInteractTellClientPacket(message=text))

    def use(self, item: Item) -> bytes:
        return self.client.bytes_of(ItemUseClientPacket(item_id=self.kind_of(item)))

    def look_into(self, item: Item) -> bytes:
        return self.order(f"look {item.template.key}")

    def looked_into(self, item: Item, label: str) -> bool:
        if item.template.chest is not None:
            return self.client.chest_at is not None and bool(self.client.chest)
        return any(
            label in packet.message
            for packet in self.client.received
            if isinstance(packet, TalkServerServerPacket)
        )

    def lift(self, item: Item) -> bytes:
        """Off the ground; out of a chest all there is of its kind."""
        if item.parent is not None:
            return self.client.take_out(self.kind_of(item))
        number = self._view.figures.ids.items.number(item)
        assert number is not None
        return self.client.pick_up(number)

    def drop(self, item: Item) -> bytes:
        return self.client.drop(self.kind_of(item), item.amount)

    def wear(self, item: Item) -> bytes:
        return self.client.put_on(self.kind_of(item))

    def talk_to(self, resident: Mobile) -> bytes:
        assert resident.realm is not None
        number = self._view.figures.ids.npcs(resident.realm).number(resident)
        assert number is not None
        return self.client.click(number)

    def attack(self, target: Mobile) -> bytes:
        """It strikes the tile ahead, whatever is there: from where the cell puts somebody, east."""
        return self.order(f"attack {target.name}")

    def answer(self, dialog: Dialog) -> bytes:
        if dialog.name == TRADE:
            return self.client.accept_trade()
        if dialog.name == KIND:
            return self.client.accept_party()
        if dialog.name == GUILD:
            return self.client.let_in() if dialog.about == APPLICATION else self.client.accept_guild()
        return self.client.answer(dialog.buttons[0].label)

    def press(self, label: str) -> bytes:
        return self.client.answer(label)

    def ask_to_trade(self, other: Mobile, item: Item) -> bytes:
        return self.client.ask_to_trade(self._view.figures.player_id(other))

    def offer(self, item: Item) -> bytes:
        return self.client.offer(self.kind_of(item), item.amount)

    def agree(self) -> bytes:
        return self.client.agree()

    def invite(self, other: Mobile) -> bytes:
        return self.client.ask_into_party(self._view.figures.player_id(other))

    def leave_party(self) -> bytes:
        """Party_Remove, of itself."""
        return self.client.remove_member(self.client.player_id)

    @property
    def _view(self) -> EoView:
        return cast("EoView", self.session.family.view)

    def kind_of(self, item: Item) -> int:
        """The number of its kind, as this client knows it."""
        mobile = self.session.mobile
        assert mobile is not None
        return self._view.figures.item_id(mobile, item)
