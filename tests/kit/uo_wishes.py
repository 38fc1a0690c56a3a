"""What a client of Ultima Online sends for each wish of the matrix (`tests.kit.wish`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.packets.fighting import AttackRequest
from protocol.uo.packets.parties import PartyDeed, PartyRequest
from protocol.uo.packets.status import SKILL_NUMBERS, SkillLock
from protocol.uo.packets.talk import SpeechKind, TextCommand, TextCommandKind
from protocol.uo.packets.trading import TradeDeed, TradeRequest
from protocol.uo.parties import is_invite
from tests.kit.players import UoPlayer
from tests.kit.wish import Wishes
from world.parts import Lock
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.session import Session
    from tests.kit.players import Player
    from tests.kit.uo_client import UoClient
    from world.dialogs import Dialog
    from world.item import Item
    from world.mobile import Mobile

LIFT_REASONS: Final = {1: Refusal.FAR, 2: Refusal.UNSEEN, 3: Refusal.NOT_YOURS, 4: Refusal.BUSY}
"""Of Ultima Online's 0x27: ServUO, Server/Network/Packets.cs, LRReason."""


class UoWishes(Wishes):
    """Ultima Online."""

    sign = "."
    by_name = frozenset({"talk to"})
    client: UoClient

    def __init__(self, player: Player, session: Session) -> None:
        super().__init__(player, session)
        assert isinstance(player, UoPlayer)
        self.player = player

    def say(self, text: str) -> bytes:
        return self.client.say_bytes(text)

    def shout(self, text: str) -> bytes:
        return self.client.say_bytes(text, SpeechKind.YELL)

    def tell(self, name: str, text: str) -> bytes:
        return self.order(f"tell {name} {text}")

    def to_all(self, text: str) -> bytes:
        return self.order(f"all {text}")

    def lock(self, skill: str) -> bytes:
        return self.client.pack_bytes(SkillLock(SKILL_NUMBERS[skill], Lock.FIXED))

    def gesture(self) -> bytes:
        return self.client.pack_bytes(TextCommand(TextCommandKind.ANIMATE, "bow"))

    def sit(self) -> bytes:
        return self.order("sit")

    def turn(self, heading: int) -> bytes:
        """A step: the first one to another side only turns."""
        return self.client.walk_bytes(heading)

    def use(self, item: Item) -> bytes:
        return self.client.open_bytes(item.serial)

    def look_into(self, item: Item) -> bytes:
        return self.client.open_bytes(item.serial)

    def looked_into(self, item: Item, label: str) -> bool:
        return bool(self.client.inside(item.serial))

    def refusals(self) -> list[Refusal]:
        """0x27 says of a lift why not."""
        reasons = [packet[1] for packet in self.player.got if packet[0] == 0x27]
        return [LIFT_REASONS[reason] for reason in reasons if reason in LIFT_REASONS]

    def lift(self, item: Item) -> bytes:
        """Into the hand and from there into the pack, as a player drags it."""
        pack = self._own_pack
        return self._dragged(item, pack.serial)

    def drop(self, item: Item) -> bytes:
        me = self.client.player
        assert me is not None
        return self.client.lift_bytes(item.serial, item.amount) + self.client.drop_bytes(
            item.serial, me.x, me.y, me.z
        )

    def wear(self, item: Item) -> bytes:
        lifted = self.client.lift_bytes(item.serial)
        return lifted + self.client.equip_bytes(item.serial, item.template.layer, self._mobile.serial)

    def talk_to(self, resident: Mobile) -> bytes:
        return self.order(f"talk {resident.name}")

    def attack(self, target: Mobile) -> bytes:
        return self.client.pack_bytes(AttackRequest(target.serial))

    def answer(self, dialog: Dialog) -> bytes:
        if is_invite(dialog):
            leader = self.client.inviter.to_bytes(4, "big")
            return self.client.pack_bytes(PartyRequest(PartyDeed.ACCEPT, leader))
        return self.client.answer_bytes(self.client.gumps[dialog.serial], 1)

    def fill_in(self, marks: Sequence[str], texts: Sequence[str], label: str) -> bytes:
        return self.client.filled_bytes(list(self.client.gumps.values())[-1], marks, texts, label)

    def ask_to_trade(self, other: Mobile, item: Item) -> bytes:
        """A thing that is dropped on somebody."""
        return self._dragged(item, other.serial)

    def offer(self, item: Item) -> bytes:
        assert self.client.trade is not None
        return self._dragged(item, self.client.trade.own)

    def agree(self) -> bytes:
        """A tick in the box, of the window that was shown last."""
        own = self.client.trade.own if self.client.trade is not None else 0
        return self.client.pack_bytes(TradeRequest(TradeDeed.AGREE, own, b"\0\0\0\1"))

    def invite(self, other: Mobile) -> bytes:
        return self.client.pack_bytes(PartyRequest(PartyDeed.INVITE, other.serial.to_bytes(4, "big")))

    def leave_party(self) -> bytes:
        own = self._mobile.serial.to_bytes(4, "big")
        return self.client.pack_bytes(PartyRequest(PartyDeed.REMOVE, own))

    @property
    def _mobile(self) -> Mobile:
        assert self.session.mobile is not None
        return self.session.mobile

    @property
    def _own_pack(self) -> Item:
        pack = self._mobile.backpack
        assert pack is not None
        return pack

    def _dragged(self, item: Item, onto: int) -> bytes:
        lifted = self.client.lift_bytes(item.serial, item.amount)
        return lifted + self.client.drop_bytes(item.serial, 0xFFFF, 0xFFFF, 0, onto)
