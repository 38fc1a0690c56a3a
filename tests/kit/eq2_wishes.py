"""What a client of EverQuest II sends for each wish of the matrix (`tests.kit.wish`)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, cast

from protocol.eq2.packets import (
    ChoiceWindow,
    DialogOpen,
    DialogSelect,
    LootItemsRequest,
    MailSendMessage,
    UpdateLoot,
)
from tests.kit.wish import Wishes
from world.item import Item

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from tests.kit.eq2_client import Eq2Client
    from world.dialogs import Dialog
    from world.mobile import Mobile


class Eq2Wishes(Wishes):
    """EverQuest II."""

    sign = ""
    client: Eq2Client

    def order(self, line: str) -> bytes:
        return self.client.command_bytes("causeway", line)

    def say(self, text: str) -> bytes:
        return self.client.say_bytes(text)

    def shout(self, text: str) -> bytes:
        return self.client.command_bytes("shout", text)

    def tell(self, name: str, text: str) -> bytes:
        return self.client.command_bytes("tell", f"{name} {text}")

    def to_all(self, text: str) -> bytes:
        return self.client.command_bytes("ooc", text)

    def gesture(self) -> bytes:
        return self.client.command_bytes("bow")

    def sit(self) -> bytes:
        return self.client.command_bytes("sit")

    def turn(self, heading: int) -> bytes:
        return self.client.turn_bytes(heading)

    def use(self, item: Item) -> bytes:
        if item.realm is None:
            return self.client.command_bytes("use", item.label)
        return self._aimed(item) + self.client.command_bytes("use")

    def look_into(self, item: Item) -> bytes:
        return self.use(item)

    def looked_into(self, item: Item, label: str) -> bool:
        if item.template.chest is not None:
            windows = self.client.of(UpdateLoot)
            return bool(windows) and any(label in thing.name for thing in windows[-1].things)
        return any(label in line for line in self.client.lines())

    def lift(self, item: Item) -> bytes:
        """Off the ground; out of a chest by its window."""
        holder = item.parent
        if isinstance(holder, Item) and holder.template.chest is not None:
            wanted = struct.pack("<BII", 1, item.serial, holder.serial)
            return self.client.bytes_of(LootItemsRequest(holder.serial, 0, wanted))
        return self._aimed(item) + self.client.command_bytes("take")

    def drop(self, item: Item) -> bytes:
        return self.client.command_bytes("drop", f"{item.label} {item.amount}")

    def wear(self, item: Item) -> bytes:
        return self.client.command_bytes("wear", item.label)

    def talk_to(self, resident: Mobile) -> bytes:
        return self._aimed(resident) + self.client.command_bytes("hail")

    def attack(self, target: Mobile) -> bytes:
        return self._aimed(target) + self.client.command_bytes("autoattack", "1")

    def answer(self, dialog: Dialog) -> bytes:
        return self.client.command_bytes("answer", "1")

    def press(self, label: str) -> bytes:
        window = self.client.of(DialogOpen)[-1]
        return self.client.bytes_of(DialogSelect(window.conversation, window.responses.index(label)))

    def type_in(self, text: str) -> bytes:
        """As the window says: its command, with the words behind."""
        window = self.client.of(ChoiceWindow)[-1]
        return self.client.command_bytes(window.accept_command, text)

    def ask_to_trade(self, other: Mobile, item: Item) -> bytes:
        return self.client.command_bytes("start_trade", other.name)

    def offer(self, item: Item) -> bytes:
        """By the row of its bags in which it is."""
        stowed = cast("Eq2Session", self.session).stowed
        row = next(row for row in range(len(stowed.sent)) if stowed.at(row) == item.serial)
        return self.client.command_bytes("add_trade_item", f"{row} 255 {item.amount}")

    def agree(self) -> bytes:
        return self.client.command_bytes("accept_trade")

    def invite(self, other: Mobile) -> bytes:
        return self.client.command_bytes("invite", other.name)

    def leave_party(self) -> bytes:
        return self.client.command_bytes("leavegroup")

    def write_to(self, other: Mobile, text: str) -> bytes:
        """Out of the window for letters, with nothing in it."""
        return self.client.bytes_of(MailSendMessage(other.name, "", text, 0, 0, 0, bytes(26)))

    def _aimed(self, thing: Mobile | Item) -> bytes:
        ghost = cast("Eq2Session", self.session).ghosts.of(thing.serial)
        return self.client.target_bytes(ghost.index) if ghost is not None else self.client.target_bytes()
