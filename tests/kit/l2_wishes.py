"""What a client of Lineage II sends for each wish of the matrix (`tests.kit.wish`)."""

from __future__ import annotations

import re
import struct
from html import unescape
from typing import TYPE_CHECKING, cast

from protocol.l2.packets.talk import ChatType
from protocol.l2.session import Side
from tests.kit.wish import Wishes

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from tests.kit.l2_client import L2Client
    from world.dialogs import Dialog
    from world.item import Item
    from world.mobile import Mobile


class L2Wishes(Wishes):
    """Lineage II. Clicks are made with shift, upon which its client does not walk up to anything."""

    sign = "."
    client: L2Client

    def say(self, text: str) -> bytes:
        return self.client.say_bytes(text)

    def shout(self, text: str) -> bytes:
        return self.client.say_bytes(text, ChatType.SHOUT)

    def tell(self, name: str, text: str) -> bytes:
        return self.client.say_bytes(text, ChatType.TELL, name)

    def to_all(self, text: str) -> bytes:
        return self.client.say_bytes(text, ChatType.TRADE)

    def gesture(self) -> bytes:
        return self.client.gesture_bytes(7)

    def sit(self) -> bytes:
        """RequestChangeWaitType: its button sits down and stands up; this one says which."""
        return self.client.raw_bytes(struct.pack("<Bi", 0x1D, 0))

    def turn(self, heading: int) -> bytes:
        return self.client.turn_bytes(heading)

    def use(self, item: Item) -> bytes:
        return self.client.use_bytes(item.serial)

    def look_into(self, item: Item) -> bytes:
        return self._clicked(item) if item.realm is not None else self.client.use_bytes(item.serial)

    def looked_into(self, item: Item, label: str) -> bool:
        html = self.client.screen.html
        return html is not None and label in html.text

    def lift(self, item: Item) -> bytes:
        """Off the ground; out of a chest by its list, which a link of its page opens."""
        if item.parent is None:
            return self._clicked(item)
        listing = cast("L2Session", self.session).listing
        is_open = listing is not None and listing.side is Side.TAKE_OUT
        pressed = b"" if is_open else self.press("Take something.")
        return pressed + self.client.raw_bytes(struct.pack("<Biii", 0x32, 1, item.serial, item.amount))

    def drop(self, item: Item) -> bytes:
        return self.client.drop_bytes(item.serial, item.amount)

    def wear(self, item: Item) -> bytes:
        return self.client.use_bytes(item.serial)

    def talk_to(self, resident: Mobile) -> bytes:
        return self._clicked(resident) + self._clicked(resident)

    def attack(self, target: Mobile) -> bytes:
        return self.client.attack_bytes(target.serial, shift=True)

    def answer(self, dialog: Dialog) -> bytes:
        """In the box that asks to trade, into a party, a guild or an alliance, or by a link of a page."""
        if dialog.name == "trade":
            return self.client.answer_trade_bytes(1)
        if dialog.name == "party" and dialog.about == "invite":
            return self.client.answer_party_bytes(1)
        if dialog.name == "guild":
            return self.client.answer_clan_bytes(1)
        if dialog.name == "alliance":
            return self.client.answer_ally_bytes(1)
        return self.client.bypass_bytes(f"answer {dialog.serial} {dialog.type_id} 1")

    def press(self, label: str) -> bytes:
        return self.client.bypass_bytes(self._link(re.escape(label)))

    def type_in(self, text: str) -> bytes:
        """The client puts what its field holds in the place of the variable."""
        html = self.client.screen.html
        assert html is not None
        (name,) = re.findall(r'<edit var="(\w+)"', html.text)
        return self.client.bypass_bytes(self._link("[^<]*", f"\\${name}").replace(f"${name}", text))

    def ask_to_trade(self, other: Mobile, item: Item) -> bytes:
        return self.client.trade_bytes(other.serial)

    def offer(self, item: Item) -> bytes:
        return self.client.add_trade_bytes(item.serial, item.amount)

    def agree(self) -> bytes:
        return self.client.trade_done_bytes(1)

    def invite(self, other: Mobile) -> bytes:
        return self.client.join_party_bytes(other.name)

    def leave_party(self) -> bytes:
        return self.client.leave_party_bytes()

    def _link(self, label: str, end: str = "") -> str:
        html = self.client.screen.html
        assert html is not None
        (link, *_) = re.findall(f'<a action="bypass -h ([^"]*{end})">{label}</a>', unescape(html.text))
        return str(link)

    def _clicked(self, thing: Mobile | Item) -> bytes:
        return self.client.click_bytes(thing.serial, shift=True)
