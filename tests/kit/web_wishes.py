"""What the browser's page sends for each wish of the matrix (`tests.kit.wish`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.wish import Wishes
from world.parts import Lock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.kit.web_client import WebClient
    from world.dialogs import Dialog
    from world.item import Item
    from world.mobile import Mobile


class WebWishes(Wishes):
    """The browser."""

    sign = "."
    client: WebClient

    def say(self, text: str) -> bytes:
        return self.client.say_bytes(text)

    def shout(self, text: str) -> bytes:
        return self.client.say_bytes(text, "yell")

    def tell(self, name: str, text: str) -> bytes:
        return self.client.say_bytes(text, "tell", name)

    def to_all(self, text: str) -> bytes:
        return self.client.say_bytes(text, "global")

    def gesture(self) -> bytes:
        return self.client.gesture_bytes("bow")

    def sit(self) -> bytes:
        """Its button sits down and stands up; the word says which."""
        mobile = self.session.mobile
        return self.client.sit_bytes() if mobile is not None and not mobile.posture else self.order("sit")

    def turn(self, heading: int) -> bytes:
        return self.client.turn_bytes(heading)

    def use(self, item: Item) -> bytes:
        return self.client.use_bytes(item.serial)

    def look_into(self, item: Item) -> bytes:
        return self.client.use_bytes(item.serial)

    def looked_into(self, item: Item, label: str) -> bool:
        return bool(self.client.screen.inside.get(item.serial))

    def lift(self, item: Item) -> bytes:
        return self.client.take_bytes(item.serial)

    def drop(self, item: Item) -> bytes:
        return self.client.drop_bytes(item.serial)

    def wear(self, item: Item) -> bytes:
        return self.client.wear_bytes(item.serial)

    def talk_to(self, resident: Mobile) -> bytes:
        return self.client.use_bytes(resident.serial)

    def attack(self, target: Mobile) -> bytes:
        return self.client.attack_bytes(target.serial)

    def lock(self, skill: str) -> bytes:
        return self.client.lock_bytes(skill, Lock.FIXED)

    def answer(self, dialog: Dialog) -> bytes:
        return self.client.answer_bytes(dialog.serial, 1)

    def ask_to_trade(self, other: Mobile, item: Item) -> bytes:
        return self.client.say_bytes_of("trade", id=other.serial)

    def offer(self, item: Item) -> bytes:
        return self.client.say_bytes_of("offer", id=item.serial, amount=item.amount)

    def agree(self) -> bytes:
        """To what its panel shows."""
        bargain = self.client.screen.panes.bargain
        return self.client.say_bytes_of("agree", changes=bargain.changes if bargain is not None else 0)

    def invite(self, other: Mobile) -> bytes:
        return self.client.say_bytes_of("invite", id=other.serial)

    def leave_party(self) -> bytes:
        return self.client.say_bytes_of("leave_party")

    def fill_in(self, marks: Sequence[str], texts: Sequence[str], label: str) -> bytes:
        serial, question = list(self.client.screen.questions.items())[-1]
        number = next(n for n, one in question.buttons.items() if one == label)
        filled: list[dict[str, object]] = []
        words = iter(texts)
        for blank in question.inputs:
            if blank.kind in ("number", "line"):
                filled.append({"key": blank.key, "text": next(words)})
            else:
                chosen = [n for n, one in blank.options.items() if one in marks]
                filled.append({"key": blank.key, "chosen": chosen})
        return self.client.answer_bytes(serial, number, filled)
