"""What a client of Conquer Online sends for each wish of the matrix (`tests.kit.wish`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from protocol.co.packets.friends import FriendAction
from protocol.co.packets.guilds import GuildAction
from protocol.co.packets.misc import Emotion
from protocol.co.packets.parties import TeamAction
from protocol.co.packets.talk import Channel
from protocol.co.packets.things import ItemActionType
from protocol.co.packets.trading import TradeAction
from tests.kit.wish import Wishes
from world.guilds import APPLICATION
from world.party import JOIN

if TYPE_CHECKING:
    from protocol.co.view import CoView
    from tests.kit.co_client import CoClient
    from world.dialogs import Dialog
    from world.item import Item
    from world.mobile import Mobile


class CoWishes(Wishes):
    """Conquer Online."""

    sign = "/"
    client: CoClient

    def notices(self) -> list[str]:
        return self.client.screen.notices

    def say(self, text: str) -> bytes:
        return self.client.say_bytes(text)

    def shout(self, text: str) -> bytes:
        return self.client.say_bytes(text, Channel.YELL)

    def tell(self, name: str, text: str) -> bytes:
        return self.client.say_bytes(text, Channel.WHISPER, name)

    def to_all(self, text: str) -> bytes:
        return self.client.say_bytes(text, Channel.WORLD)

    def gesture(self) -> bytes:
        return self.client.emotion_bytes(Emotion.GENUFLECT)

    def sit(self) -> bytes:
        return self.client.emotion_bytes(Emotion.SIT)

    def turn(self, heading: int) -> bytes:
        return self.client.turn_bytes(heading)

    def use(self, item: Item) -> bytes:
        return self.client.item_bytes(self._number(item), ItemActionType.USE)

    def look_into(self, item: Item) -> bytes:
        return self.client.item_bytes(self._number(item), ItemActionType.USE)

    def looked_into(self, item: Item, label: str) -> bool:
        return any(label in line for line in self.client.screen.notices)

    def lift(self, item: Item) -> bytes:
        return self.client.pick_bytes(self._number(item))

    def drop(self, item: Item) -> bytes:
        return self.client.drop_bytes(self._number(item))

    def wear(self, item: Item) -> bytes:
        return self.client.item_bytes(self._number(item), ItemActionType.EQUIP)

    def talk_to(self, resident: Mobile) -> bytes:
        return self.client.talk_to_bytes(self._number(resident))

    def attack(self, target: Mobile) -> bytes:
        return self.client.attack_bytes(self._number(target))

    def answer(self, dialog: Dialog) -> bytes:
        asker = dialog.asker
        own = dialog.name in ("trade", "party", "guild", "friendship")
        if asker is None or asker.serial not in self.session.known or not own:
            return self.client.answer_bytes(1)
        if dialog.name == "guild":
            lets_in = dialog.about == APPLICATION
            return self.client.guild_bytes(
                GuildAction.INVITE if lets_in else GuildAction.APPLY, self._number(asker)
            )
        if dialog.name == "friendship":
            return self.client.friend_bytes(FriendAction.APPLY, self._number(asker))
        if dialog.name == "trade":
            return self.client.trade_bytes(TradeAction.APPLY, self._number(asker))
        lets_in = dialog.about == JOIN
        action = TeamAction.ACCEPT_APPLICATION if lets_in else TeamAction.ACCEPT_INVITATION
        return self.client.team_bytes(action, self._number(asker))

    def press(self, label: str) -> bytes:
        window = self.client.screen.window
        assert window is not None
        return self.client.answer_bytes(next(n for n, one in window.options.items() if one == label))

    def type_in(self, text: str) -> bytes:
        window = self.client.screen.window
        assert window is not None
        assert window.box
        return self.client.answer_bytes(window.box, text)

    def ask_to_trade(self, other: Mobile, item: Item) -> bytes:
        return self.client.trade_bytes(TradeAction.APPLY, self._number(other))

    def offer(self, item: Item) -> bytes:
        return self.client.trade_bytes(TradeAction.ADD_ITEM, self._number(item))

    def agree(self) -> bytes:
        window = self.client.screen.trading.window
        return self.client.trade_bytes(TradeAction.ACCEPT, window.partner if window is not None else 0)

    def invite(self, other: Mobile) -> bytes:
        """Its client asks nobody before it has a team."""
        company, me = self.client.screen.company, self.client.screen.me
        assert me is not None
        made = self.client.team_bytes(TeamAction.CREATE, me.id) if company.members is None else b""
        return made + self.client.team_bytes(TeamAction.INVITE, self._number(other))

    def leave_party(self) -> bytes:
        me = self.client.screen.me
        assert me is not None
        return self.client.team_bytes(TeamAction.LEAVE, me.id)

    def _number(self, thing: Mobile | Item) -> int:
        return cast("CoView", self.session.family.view).figures.ids.of(thing)
