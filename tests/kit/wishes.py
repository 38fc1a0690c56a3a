"""The same wish in all games: what each client sends for it, for the matrix of verbs and states
(`tests/matrix/`).

A verb that joins the matrix is a method here for every game (mypy says which has none). Where a game's client
has no button for it, its player types the verb as an order (`order`), which every game has.
"""

from __future__ import annotations

import re
import struct
from abc import ABC, abstractmethod
from html import unescape
from typing import TYPE_CHECKING, ClassVar, Final, cast

from eolib import (
    AdminInteractTellClientPacket,
    Emote,
    EmoteReportClientPacket,
    ItemUseClientPacket,
    TalkReplyServerPacket,
    TalkServerServerPacket,
    TalkTellServerPacket,
)

from protocol.co.packets.action import Emotion
from protocol.co.packets.interact import InteractType
from protocol.co.packets.items import ItemActionType
from protocol.co.packets.talk import Channel
from protocol.eo.looks import to_direction
from protocol.eq2.packets import ChoiceWindow, DialogOpen, DialogSelect
from protocol.l2.packets.talk import ChatType
from protocol.uo.packets.fighting import AttackRequest
from protocol.uo.packets.status import SKILL_NUMBERS, SkillLock
from protocol.uo.packets.talk import SpeechKind, TextCommand, TextCommandKind
from tests.kit.players import UoPlayer
from world.parts import Lock
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.co.view import CoView
    from protocol.eo.view import EoView
    from protocol.eq2.session import Eq2Session
    from protocol.session import Session
    from tests.kit.co_client import CoClient
    from tests.kit.eo_client import EoClient
    from tests.kit.eq2_client import Eq2Client
    from tests.kit.l2_client import L2Client
    from tests.kit.players import Player
    from tests.kit.uo_client import UoClient
    from tests.kit.web_client import WebClient
    from world.dialogs import Dialog
    from world.item import Item
    from world.mobile import Mobile


LIFT_REASONS: Final = {1: Refusal.FAR, 2: Refusal.UNSEEN, 3: Refusal.NOT_YOURS, 4: Refusal.BUSY}
"""Of Ultima Online's 0x27: ServUO, Server/Network/Packets.cs, LRReason."""


class Wishes(ABC):
    """What somebody in front of one game's client sends. `near` is beside it; numbers are looked up at the
    server, whose view gave them to this client."""

    sign: ClassVar[str]
    """What an order begins with."""

    by_name: ClassVar[frozenset[str]] = frozenset()
    """Verbs of the matrix for which the player types a name: who is not to be seen has none."""

    client: object
    """The game's client."""

    def __init__(self, player: Player, session: Session) -> None:
        self.session = session
        self.client = player.client  # type: ignore[attr-defined] # all players have one

    def order(self, line: str) -> bytes:
        """An order to the server, typed where one talks."""
        return self.say(self.sign + line)

    @abstractmethod
    def say(self, text: str) -> bytes: ...
    @abstractmethod
    def shout(self, text: str) -> bytes: ...
    @abstractmethod
    def tell(self, name: str, text: str) -> bytes: ...
    @abstractmethod
    def to_all(self, text: str) -> bytes: ...
    @abstractmethod
    def gesture(self) -> bytes: ...
    @abstractmethod
    def sit(self) -> bytes: ...
    @abstractmethod
    def turn(self, heading: int) -> bytes: ...
    @abstractmethod
    def use(self, item: Item) -> bytes: ...
    @abstractmethod
    def look_into(self, item: Item) -> bytes: ...
    @abstractmethod
    def lift(self, item: Item) -> bytes: ...
    @abstractmethod
    def drop(self, item: Item) -> bytes: ...
    @abstractmethod
    def wear(self, item: Item) -> bytes: ...
    @abstractmethod
    def talk_to(self, resident: Mobile) -> bytes: ...
    @abstractmethod
    def attack(self, target: Mobile) -> bytes: ...
    @abstractmethod
    def answer(self, dialog: Dialog) -> bytes: ...

    def press(self, label: str) -> bytes:
        """The answer of that label in the window that is open, in games that are asked one thing after the
        other."""
        raise NotImplementedError(f"{type(self).__name__} fills in all at once")

    def type_in(self, text: str) -> bytes:
        """What is to be typed, in those games."""
        return self.order(f"answer {text}")

    def fill_in(self, marks: Sequence[str], texts: Sequence[str], label: str) -> bytes:
        """The options of some labels, all that is to be typed, and the button of that label, in games that
        show a form. Empty in the others."""
        return b""

    @abstractmethod
    def looked_into(self, item: Item, label: str) -> bool:
        """Whether the client shows what is in that bag: something called so."""

    def stand(self) -> bytes:
        """Up from where it sits."""
        return self.order("stand")

    def plead(self, text: str) -> bytes:
        """A call for the staff."""
        return self.order(f"page {text}")

    def lock(self, skill: str) -> bytes:
        """A skill that is to stay as it is."""
        return self.order(f"lock {skill} fixed")

    def notices(self) -> list[str]:
        """Lines that are not among what it heard (`tests.kit.game.Game.heard`)."""
        return []

    def refusals(self) -> list[Refusal]:
        """What the client was refused so far in its game's own way, which is no line of words."""
        return []

    def give(self, item: Item, other: Mobile) -> bytes:
        """From the pack to somebody."""
        return self.order(f"give {other.name} {item.template.key}")


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

    def give(self, item: Item, other: Mobile) -> bytes:
        return self._dragged(item, other.serial)

    def talk_to(self, resident: Mobile) -> bytes:
        return self.order(f"talk {resident.name}")

    def attack(self, target: Mobile) -> bytes:
        return self.client.pack_bytes(AttackRequest(target.serial))

    def answer(self, dialog: Dialog) -> bytes:
        return self.client.answer_bytes(self.client.gumps[dialog.serial], 1)

    def fill_in(self, marks: Sequence[str], texts: Sequence[str], label: str) -> bytes:
        return self.client.filled_bytes(list(self.client.gumps.values())[-1], marks, texts, label)

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


class EoWishes(Wishes):
    """Endless Online."""

    sign = "#"
    by_name = frozenset({"attack"})
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
        return self.client.bytes_of(ItemUseClientPacket(item_id=self._kind(item)))

    def look_into(self, item: Item) -> bytes:
        return self.order(f"look {item.template.key}")

    def looked_into(self, item: Item, label: str) -> bool:
        return any(
            label in packet.message
            for packet in self.client.received
            if isinstance(packet, TalkServerServerPacket)
        )

    def lift(self, item: Item) -> bytes:
        number = self._view.figures.ids.items.number(item)
        assert number is not None
        return self.client.pick_up(number)

    def drop(self, item: Item) -> bytes:
        return self.client.drop(self._kind(item), item.amount)

    def wear(self, item: Item) -> bytes:
        return self.client.put_on(self._kind(item))

    def talk_to(self, resident: Mobile) -> bytes:
        assert resident.realm is not None
        number = self._view.figures.ids.npcs(resident.realm).number(resident)
        assert number is not None
        return self.client.click(number)

    def attack(self, target: Mobile) -> bytes:
        """It strikes the tile ahead, whatever is there: from where the cell puts somebody, east."""
        return self.order(f"attack {target.name}")

    def answer(self, dialog: Dialog) -> bytes:
        return self.client.answer(dialog.buttons[0].label)

    def press(self, label: str) -> bytes:
        return self.client.answer(label)

    @property
    def _view(self) -> EoView:
        return cast("EoView", self.session.family.view)

    def _kind(self, item: Item) -> int:
        mobile = self.session.mobile
        assert mobile is not None
        return self._view.figures.item_id(mobile, item)


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
        return any(label in line for line in self.client.lines())

    def lift(self, item: Item) -> bytes:
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

    def _aimed(self, thing: Mobile | Item) -> bytes:
        ghost = cast("Eq2Session", self.session).ghosts.of(thing.serial)
        return self.client.target_bytes(ghost.index) if ghost is not None else self.client.target_bytes()


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
        own = self.session.mobile
        assert own is not None
        numbers = self._number(own), self._number(target)
        body = struct.pack("<IIIHHII", 1, *numbers, 0, 0, InteractType.MELEE, 0)
        return self.client.raw_bytes(struct.pack("<HH", len(body) + 4, 1022) + body)

    def answer(self, dialog: Dialog) -> bytes:
        return self.client.answer_bytes(1)

    def press(self, label: str) -> bytes:
        window = self.client.screen.window
        assert window is not None
        return self.client.answer_bytes(next(n for n, one in window.options.items() if one == label))

    def type_in(self, text: str) -> bytes:
        window = self.client.screen.window
        assert window is not None
        assert window.box
        return self.client.answer_bytes(window.box, text)

    def _number(self, thing: Mobile | Item) -> int:
        return cast("CoView", self.session.family.view).figures.ids.of(thing)


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
        return self._clicked(item)

    def drop(self, item: Item) -> bytes:
        return self.client.drop_bytes(item.serial, item.amount)

    def wear(self, item: Item) -> bytes:
        return self.client.use_bytes(item.serial)

    def talk_to(self, resident: Mobile) -> bytes:
        return self._clicked(resident) + self._clicked(resident)

    def attack(self, target: Mobile) -> bytes:
        at = self.client.place()
        return self.client.raw_bytes(struct.pack("<BiiiiB", 0x0A, target.serial, *at, 0))

    def answer(self, dialog: Dialog) -> bytes:
        return self.client.bypass_bytes(f"answer {dialog.serial} {dialog.type_id} 1")

    def press(self, label: str) -> bytes:
        return self.client.bypass_bytes(self._link(re.escape(label)))

    def type_in(self, text: str) -> bytes:
        """The client puts what its field holds in the place of the variable."""
        html = self.client.screen.html
        assert html is not None
        (name,) = re.findall(r'<edit var="(\w+)"', html.text)
        return self.client.bypass_bytes(self._link("[^<]*", f"\\${name}").replace(f"${name}", text))

    def _link(self, label: str, end: str = "") -> str:
        html = self.client.screen.html
        assert html is not None
        (link, *_) = re.findall(f'<a action="bypass -h ([^"]*{end})">{label}</a>', unescape(html.text))
        return str(link)

    def _clicked(self, thing: Mobile | Item) -> bytes:
        return self.client.click_bytes(thing.serial, shift=True)


class WebWishes(Wishes):
    """The browser."""

    sign = "."
    by_name = frozenset({"attack"})
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
        return self.order(f"attack {target.name}")

    def answer(self, dialog: Dialog) -> bytes:
        return self.client.answer_bytes(dialog.serial, 1)

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


WISHES: Final[Mapping[str, type[Wishes]]] = {
    "uo": UoWishes,
    "eo": EoWishes,
    "eq2": Eq2Wishes,
    "co": CoWishes,
    "l2": L2Wishes,
    "web": WebWishes,
}
"""By game."""
