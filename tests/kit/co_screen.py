"""What a Conquer Online client shows, read from the server's packets by their public notes.

It is strict where the original is: what is told of somebody outside of its screen it drops, and calls that a
fault, as a packet that ends too early, whose strings do not fit, or that speaks of a range of numbers in the
wrong packet (`faults`). Somebody who steps, jumps or gestures and whom it does not show is a stranger
(`strangers`); the original asks who that is.
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING, Final

import attrs

from tests.kit.co_circle import Acquaintances, Syndicate
from tests.kit.co_company import Company, Trading
from tests.kit.co_seen import STAND, Blow, OnGround, Owned, Seen, Window

if TYPE_CHECKING:
    from collections.abc import Callable

SCREEN: Final = 18
"""Tiles from its own character that it shows, Chebyshev."""

STEPS: Final = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))
"""Tile offset of each direction."""

ENTER_MAP, TURN, EMOTION, TELEPORT, LEVEL_UP, REVIVE, TINT, REMOVE, JUMP = (
    *(74, 79, 81, 86, 92, 94, 104),
    *(132, 133),
)
TEAM_MEMBER_POSITION: Final = 106
"""Actions."""

DIALOG, QUERY_MONEY = 126, 9
"""The action that opens one of its windows; the item action with what a warehouse has of silver."""

MELEE, KILL, SHOOT = 2, 14, 25
"""Deeds to somebody."""

FADING = 0x800
"""The state of who fades away."""

TALK, WHISPER, ACTION, SYSTEM, YELL, CENTRE, REGISTER, LOGIN, BULLETIN = (
    *(2000, 2001, 2002, 2007, 2008, 2011),
    *(2100, 2101, 2111),
)
"""Channels."""

SIT = 250

LIFE, MAX_LIFE, MANA, MAX_MANA, SILVER, STATUS, HAIR, LOOK = 0, 1, 2, 3, 4, 26, 27, 12
"""Attributes."""

LANDMARKS: Final = range(50_000, 100_000)
"""NPCs that stand for the walls and trees of a realm. To the original they are NPCs like all others."""

NPCS, CREATURES, PLAYERS = range(1, 100_000), range(400_001, 500_000), range(1_000_000, 1 << 32)


class Screen:
    """See the module. `version`: 5017 or 5065."""

    def __init__(self, now: Callable[[], float], version: int) -> None:
        self._now = now
        self._late = version >= 5065
        self.faults: list[str] = []
        self.strangers: list[int] = []
        self.answers: list[str] = []
        """What answered logins and forms: ANSWER_OK, NEW_ROLE, or words."""
        self.said: list[tuple[int, str, str, str]] = []
        """Channel, speaker, hearer, words."""
        self.risen: list[int] = []
        """Whom it saw come back to life."""
        self.advanced: list[int] = []
        """Whom it saw reach a level."""
        self.blows: list[Blow] = []
        """Blows and kills that it drew."""
        self.notices: list[str] = []
        self.gestures: list[tuple[int, int]] = []
        """Who, and which emotion."""
        self.others = Counter[int]()
        """Packets that it does not look into, by type."""
        self.echoed: list[int] = []
        """Actions that came back to itself and change nothing."""
        self.pings = 0
        self.forget_world()

    def forget_world(self) -> None:
        """A new connection to the game."""
        self.me: Seen | None = None
        self.map = self.document = 0
        self.tint = 0
        self.weather = 0
        self.date: tuple[int, ...] = ()
        self.people: dict[int, Seen] = {}
        """Players and creatures."""
        self.npcs: dict[int, Seen] = {}
        self.landmarks: dict[int, Seen] = {}
        """Of its NPCs those that are no people."""
        self.ground: dict[int, OnGround] = {}
        self.fallen: set[int] = set()
        """Dead creatures that fall and fade."""
        self._forgotten: set[int] = set()
        self.trading = Trading(self)
        self.company = Company(self)
        self.syndicate = Syndicate(self)
        self.acquaintances = Acquaintances(self)
        self.owned: dict[int, Owned] = {}
        self.inspected: list[int] = []
        """Item types that somebody else wears, as asked for."""
        self.window: Window | None = None
        self._building = Window()
        self.warehouse: dict[int, int] | None = None
        """Item types of what lies in the warehouse whose window is open, by number."""
        self.stored_silver = 0
        self.kicked_back = 0
        self.values: dict[int, int] = {}
        """Its own, by attribute."""
        self.level = 0

    def clear(self) -> None:
        """It loads its surroundings anew. Whom it has just forgotten is no stranger."""
        self._forgotten = {*self.people, *self.npcs}
        self.people.clear()
        self.npcs.clear()
        self.landmarks.clear()
        self.ground.clear()
        self.fallen.clear()

    def lines(self) -> list[str]:
        """All that was said, by anybody."""
        return [words for _, _, _, words in self.said]

    # What comes

    def show(self, packet: bytes) -> None:
        """One packet."""
        size, kind = struct.unpack_from("<HH", packet)
        if size != len(packet):
            self.faults.append(f"{kind}: {len(packet)} bytes say that they are {size}")
            return
        reader = _READERS.get(kind)
        if reader is None:
            self.others[kind] += 1
            return
        try:
            reader(self, packet)
        except (struct.error, IndexError, ValueError) as error:
            self.faults.append(f"{kind}: {packet.hex()}: {error}")

    def _talk(self, packet: bytes) -> None:
        channel = _u16(packet, 8)
        speaker, hearer, _, words = strings(packet, 24)
        if channel in (REGISTER, LOGIN):
            self.answers.append(words)
        elif channel == BULLETIN:
            self.syndicate.bulletin = words
        elif speaker == "SYSTEM" and channel == SYSTEM:
            self.notices.append(words)
            # What everybody says to everybody comes so, too.
            name, colon, rest = words.partition(": ")
            if colon and name.isalpha():
                self.said.append((channel, name, hearer, rest))
        else:
            if speaker == "SYSTEM" and ": " in words:
                speaker, _, words = words.partition(": ")
            if channel == WHISPER and (self.me is None or hearer != self.me.name):
                self.faults.append(f"a whisper to {hearer}")
            self.said.append((channel, speaker, hearer, words))

    def _user_info(self, packet: bytes) -> None:
        shift = 4 if self._late else 0
        number, look, hair = struct.unpack_from("<IIH", packet, 4)
        name, _ = strings(packet, 67 + shift)
        self.me = Seen(number, name, look, 0, 0, 0, hair=hair)
        self.level = packet[62 + shift]
        self.values = {
            LIFE: _u16(packet, 56 + shift),
            MANA: _u16(packet, 58 + shift),
            SILVER: _u32(packet, 14),
        }
        if number not in PLAYERS:
            self.faults.append(f"it is {number} itself")

    def _action(self, packet: bytes) -> None:
        if len(packet) != 24:
            raise ValueError(f"an action of {len(packet)} bytes")
        _, number, data, x, y, direction, action = struct.unpack_from("<IIIHHHH", packet, 4)
        me = self.me
        if me is None:
            self.faults.append(f"action {action} before it is anybody")
            return
        own = number == me.id
        if own and action in (ENTER_MAP, TELEPORT):
            if action == TELEPORT and data == self.document:
                self.kicked_back += 1
            me.x, me.y, me.direction, self.document = x, y, direction, data
            self._prune()
        elif action == TINT:
            self.tint = data
        elif own and (action, data) == (DIALOG, 4):
            self.warehouse = {}
        elif action == REMOVE:
            for shown in (self.people, self.npcs, self.landmarks):
                shown.pop(number, None)
            self.fallen.discard(number)
        elif action == REVIVE and (own or number in self.people):
            self.risen.append(number)
        elif action == LEVEL_UP and (own or number in self.people):
            self.advanced.append(number)
        elif action in (TURN, EMOTION, JUMP):
            who = me if own else self.people.get(number) or self.npcs.get(number)
            if who is None:
                self._meets(number)
                return
            if action == JUMP:
                who.x, who.y = data & 0xFFFF, data >> 16
                who.direction, who.pose = direction, STAND
                self._prune()
            elif action == TURN:
                who.direction = direction
            else:
                who.direction = direction
                if data in (SIT, STAND):
                    who.pose = data
                self.gestures.append((number, data))
        elif action == TEAM_MEMBER_POSITION:
            self.company.stands(number, data, x, y)
        elif own:
            self.echoed.append(action)
        else:
            self.faults.append(f"action {action} of {number}")

    def _meets(self, number: int) -> None:
        if number not in self._forgotten and number not in self.fallen:
            self.strangers.append(number)

    def _walk(self, packet: bytes) -> None:
        number, direction, _ = struct.unpack_from("<IBB", packet, 4)
        me = self.me
        who = me if me is not None and number == me.id else self.people.get(number)
        if who is None:
            self._meets(number)
            return
        dx, dy = STEPS[direction % 8]
        who.x, who.y, who.direction, who.pose = who.x + dx, who.y + dy, direction % 8, STAND
        self._prune()

    def _player(self, packet: bytes) -> None:
        number, look, status = struct.unpack_from("<IIQ", packet, 4)
        wears = struct.unpack_from("<5I", packet, 24)
        x, y, hair, direction, pose = struct.unpack_from("<HHHBB", packet, 52)
        names = strings(packet, 90 if self._late else 80)
        if len(names) != 1 or not names[0]:
            self.faults.append(f"{number} has the names {names}")
        if number in NPCS or (number not in CREATURES and number not in PLAYERS):
            self.faults.append(f"{number} as a player")
        if _u32(packet, 72) != number:
            self.faults.append(f"{number} is {_u32(packet, 72)} as well")
        if not self._on_screen(x, y):
            self.faults.append(f"{number} at {x}, {y}, outside of the screen")
            return
        seen = Seen(number, names[0], look, x, y, direction, pose, hair, status, wears)
        self.people[number] = attrs.evolve(seen, guild=(_u16(packet, 20), packet[23]))

    def _npc(self, packet: bytes) -> None:
        number, x, y, look, _, _ = struct.unpack_from("<IHHHHH", packet, 4)
        names = strings(packet, 20 if self._late else 18)
        if number not in NPCS:
            self.faults.append(f"{number} as an NPC")
        if not self._on_screen(x, y):
            self.faults.append(f"the NPC {number} at {x}, {y}, outside of the screen")
            return
        shown = self.landmarks if number in LANDMARKS else self.npcs
        shown[number] = Seen(number, names[0] if names else "", look // 10, x, y, look % 10, npc=True)

    def _map_item(self, packet: bytes) -> None:
        number, kind, x, y = struct.unpack_from("<IIHH", packet, 4)
        action = _u16(packet, 18 if self._late else 16)
        if action == 1:
            if not self._on_screen(x, y):
                self.faults.append(f"the thing {number} at {x}, {y}, outside of the screen")
                return
            self.ground[number] = OnGround(kind, x, y)
        elif action == 2:
            self.ground.pop(number, None)

    def _item_info(self, packet: bytes) -> None:
        number, kind, amount, _, mode, _, position = struct.unpack_from("<IIHHBBB", packet, 4)
        if len(packet) != (44 if self._late else 36):
            raise ValueError(f"an item of {len(packet)} bytes")
        if mode == 4:
            self.inspected.append(kind)
        elif mode == 2:
            self.trading.shows(number, kind, amount)
        elif mode == 3 and number not in self.owned:
            self.faults.append(f"an update of the item {number}, which it has not")
        else:
            self.owned.pop(number, None)
            self._finds_free(position)
            self.owned[number] = Owned(kind, amount, position)

    def _item_action(self, packet: bytes) -> None:
        number, data, action = struct.unpack_from("<III", packet, 4)
        if action == 27:
            self.pings += 1
            return
        if action == QUERY_MONEY:
            self.stored_silver = data
            return
        item = self.owned.get(number)
        if item is None:
            self.faults.append(f"item action {action} about {number}, which it has not")
        elif action == 3:
            del self.owned[number]
        elif action == 5:
            if item.position != data:
                self._finds_free(data)
            item.position = data
        elif action == 6:
            item.position = 0

    def _package(self, packet: bytes) -> None:
        """All that lies there: 24 bytes a thing since 5065, 20 before."""
        count, size = _u32(packet, 12), 24 if self._late else 20
        if packet[8:10] != b"\0\x0a" or len(packet) != 16 + count * size:
            raise ValueError(f"a warehouse of {count} things")
        if self.warehouse is None:
            self.faults.append("a warehouse whose window is not open")
        self.warehouse = {_u32(packet, at): _u32(packet, at + 4) for at in range(16, len(packet), size)}

    def _finds_free(self, position: int) -> None:
        """It has one thing at each position of its body."""
        if position and any(item.position == position for item in self.owned.values()):
            self.faults.append(f"a second thing at {position}")

    def _attributes(self, packet: bytes) -> None:
        number, count = struct.unpack_from("<II", packet, 4)
        values = dict(struct.unpack_from("<IQ", packet, 12 + 12 * n) for n in range(count))
        me = self.me
        if me is not None and number == me.id:
            self.values |= values
            who: Seen | None = me
        else:
            who = self.people.get(number)
        if self.company.fares(number, values) and who is None:
            return
        if who is None:
            self._meets(number)
            return
        who.values |= values
        who.look, who.hair = values.get(LOOK, who.look), values.get(HAIR, who.hair)
        who.status = values.get(STATUS, who.status)
        if who.status & FADING and number in self.people:
            self.fallen.add(number)
            del self.people[number]

    def _interact(self, packet: bytes) -> None:
        if len(packet) != (32 if self._late else 28):
            raise ValueError(f"a deed to somebody of {len(packet)} bytes")
        blow = Blow(*struct.unpack_from("<IIHHII", packet, 8))
        if blow.sender in NPCS or blow.target in NPCS or blow.kind not in (MELEE, KILL, SHOOT):
            self.faults.append(f"it has no picture of {blow}")
        self.blows.append(blow)

    def _named(self, packet: bytes) -> None:
        self.syndicate.name(_u32(packet, 4), packet[8], strings(packet, 9))

    def _map_info(self, packet: bytes) -> None:
        self.map, self.document, _ = struct.unpack_from("<III", packet, 4)

    def _weather(self, packet: bytes) -> None:
        self.weather = _u32(packet, 4)

    def _date(self, packet: bytes) -> None:
        self.date = struct.unpack_from("<7i", packet, 8)

    def _dialog(self, packet: bytes) -> None:
        data, option, action = struct.unpack_from("<HBB", packet, 8)
        texts = strings(packet, 12)
        if action == 1:
            self._building.text += texts[0]
        elif action == 2:
            self._building.options[option] = texts[0]
        elif action == 3:
            self._building.box = option
        elif action == 4:
            self._building.face = data
        elif action == 100:
            self.window, self._building = self._building, Window()

    # The screen

    def _on_screen(self, x: int, y: int) -> bool:
        me = self.me
        return me is not None and max(abs(me.x - x), abs(me.y - y)) <= SCREEN

    def _prune(self) -> None:
        """It drops by itself what is too far away."""
        shown: dict[int, Seen]
        for shown in (self.people, self.npcs, self.landmarks):
            for number in [n for n, who in shown.items() if not self._on_screen(who.x, who.y)]:
                del shown[number]
        for number in [n for n, thing in self.ground.items() if not self._on_screen(thing.x, thing.y)]:
            del self.ground[number]


_READERS: Final[dict[int, Callable[[Screen, bytes], None]]] = {
    1004: Screen._talk,
    1005: Screen._walk,
    1006: Screen._user_info,
    1019: lambda screen, packet: screen.acquaintances.friend(packet),
    1022: Screen._interact,
    1023: lambda screen, packet: screen.company.team(packet),
    1026: lambda screen, packet: screen.company.member(packet),
    1056: lambda screen, packet: screen.trading.trade(packet),
    1008: Screen._item_info,
    1009: Screen._item_action,
    1010: Screen._action,
    1014: Screen._player,
    1015: Screen._named,
    1016: Screen._weather,
    1017: Screen._attributes,
    1033: Screen._date,
    1101: Screen._map_item,
    1102: Screen._package,
    1106: lambda screen, packet: screen.syndicate.attributes(packet),
    1107: lambda screen, packet: screen.syndicate.deed(packet),
    1112: lambda screen, packet: screen.syndicate.member(packet),
    1110: Screen._map_info,
    2030: Screen._npc,
    2032: Screen._dialog,
    2033: lambda screen, packet: screen.acquaintances.info(packet),
}


def strings(packet: bytes, at: int) -> list[str]:
    """A string pack. Raises IndexError or ValueError where it does not fit its packet."""
    count, at = packet[at], at + 1
    texts: list[str] = []
    for _ in range(count):
        end = at + 1 + packet[at]
        if end > len(packet):
            raise ValueError("a string longer than its packet")
        texts.append(packet[at + 1 : end].decode("cp1252"))
        at = end
    return texts


def _u16(packet: bytes, at: int) -> int:
    number: int = struct.unpack_from("<H", packet, at)[0]
    return number


def _u32(packet: bytes, at: int) -> int:
    number: int = struct.unpack_from("<I", packet, at)[0]
    return number
