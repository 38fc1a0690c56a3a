"""A client of Conquer Online (version 5017 or 5065) without I/O: two connections, one after the other, and
what it shows (`tests.kit.co_screen`).

    client = CoClient(now=trio.current_time)
    client.open("account")
    client.feed(data)                        # the packets that are complete now
    client.login_bytes("anna", "secret1")    # what to send; so is what every verb gives

Everything it says is written down here by the public notes on the protocol, not by the server's declarations.
By itself it does what the original does: it answers an exchange of keys, goes from one request of its loading
to the next when the one before has come back, asks for its surroundings on another map, and who somebody is
whom it does not show.
"""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, Final

from protocol.co import rc5
from protocol.co.codec import CoAccountCodec, game_codec
from protocol.endings import WireError
from protocol.wire.args import CodecArgs, Role
from tests.kit.co_screen import ENTER_MAP, JUMP, MELEE, STEPS, TELEPORT, Screen, strings

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.co.codec import CoCodec

BUILD: Final = 123

SURROUNDINGS, LOGIN_COMPLETE, WHO, PING = 114, 130, 102, 27

LOADING: Final = (SURROUNDINGS, 75, 76, 77, 78, 97, LOGIN_COMPLETE)
"""What the original asks after its first map, one after the other; all but the first come back."""

TALK, WHISPER, YELL = 2000, 2001, 2008
SLIM_MAN, TROJAN = 1003, 10


def heading_of(direction: int) -> int:
    """The world's heading for one of the client's directions."""
    return (direction + 4) % 8


def direction_of(heading: int) -> int:
    """The client's direction for one of the world's headings."""
    return (heading + 4) % 8


class CoClient:
    """See the module."""

    def __init__(self, *, now: Callable[[], float], seed: int = 1, version: int = 5017) -> None:
        self._chance = random.Random(seed)
        self.version = version
        self.screen = Screen(now, version)
        self.received: list[bytes] = []
        """Packets."""
        self.mute = False
        """Whether it asks nothing by itself any more."""
        self.hesitates = False
        """Whether it asks for its first map only when it is told to (`enter_bytes`)."""
        self.why = ""
        """What was wrong with what came."""
        self.account = ""
        self.token = b""
        """What the account server gave out: eight bytes."""
        self.address: tuple[str, int] | None = None
        """Where it was sent on to."""
        self.refused: int | None = None
        """The account server's code."""
        self.in_world = False
        """Whether it has loaded."""
        self.under_way = 0
        """Steps and jumps that it was not answered yet."""
        self._asked = 0
        """How many of `LOADING` it has asked."""
        self._answers: list[bytes] = []
        self.door = "account"
        self.open(self.door)

    # The lines

    def open(self, door: str) -> None:
        """A new connection to one of the doors."""
        args = CodecArgs(Role.CLIENT, self._chance.randbytes, {"patch": self.version})
        self.door = door
        self.under_way = 0
        self.codec: CoCodec
        if door == "account":
            self.codec = CoAccountCodec(args)
            self.refused = None
        else:
            self.codec = game_codec(args)
            self.in_world, self._asked = False, 0
            self.screen.forget_world()
            self.screen.answers.clear()

    def feed(self, data: bytes) -> list[bytes]:
        """Bytes that came; the packets that are complete now."""
        found: list[bytes] = []
        try:
            self.codec.receive(data, 0.0)
            while (packet := self.codec.next_frame()) is not None:
                found.append(packet)
                self.received.append(packet)
                self._take(packet)
        except WireError as error:
            self.why = str(error)
        return found

    def answers(self) -> bytes:
        """What it says by itself."""
        said, self._answers = self._answers, []
        if said and not self.mute:
            self.codec.send_raw(said)
        return b"".join(self.codec.outgoing(0.0))

    def raw_bytes(self, *packets: bytes) -> bytes:
        """Whole packets, enciphered."""
        self.codec.send_raw(packets)
        return b"".join(self.codec.outgoing(0.0))

    def _take(self, packet: bytes) -> None:
        kind = int.from_bytes(packet[2:4], "little")
        if self.door == "account":
            if kind == 1055:
                self._connect_ex(packet)
            return
        screen = self.screen
        document, strangers = screen.document, len(screen.strangers)
        screen.show(packet)
        if screen.document != document and self.in_world:
            screen.clear()
            self._answers.append(self._action(SURROUNDINGS))
        self._answers += [self._action(WHO, data=number) for number in screen.strangers[strangers:]]
        if kind == 1006:
            if not self.hesitates:
                self._answers.append(self._action(ENTER_MAP))
        elif kind == 1010:
            number, action = int.from_bytes(packet[8:12], "little"), int.from_bytes(packet[22:24], "little")
            me = self.screen.me
            if me is not None and number == me.id:
                self._load(action)
                if action == JUMP:
                    self.under_way = max(0, self.under_way - 1)
                elif action == TELEPORT:
                    self.under_way = 0  # what was said before counts no more
        elif kind == 1005 and screen.me is not None and packet[4:8] == screen.me.id.to_bytes(4, "little"):
            self.under_way = max(0, self.under_way - 1)

    def _connect_ex(self, packet: bytes) -> None:
        if len(packet) == 12:
            self.refused = int.from_bytes(packet[8:12], "little")
            return
        self.token = packet[4:12]
        self.address = packet[12:28].rstrip(b"\0").decode("ascii"), int.from_bytes(packet[28:32], "little")

    def _load(self, action: int) -> None:
        """The next request, when the one before came back."""
        if action == ENTER_MAP and not self._asked:
            self.screen.clear()
            self._answers += [self._action(LOADING[0]), self._action(LOADING[1])]
            self._asked = 2
        elif 0 < self._asked < len(LOADING) and action == LOADING[self._asked - 1]:
            self._answers.append(self._action(LOADING[self._asked]))
            self._asked += 1
        elif self._asked == len(LOADING) and action == LOGIN_COMPLETE:
            self.in_world = True

    # To the account server

    def login_bytes(self, account: str, password: str) -> bytes:
        """MsgAccount."""
        self.account = account
        block = rc5.encrypt(_text(password))
        return self.raw_bytes(_packet(1051, _text(account) + block + _text("Causeway")))

    def report_bytes(self) -> bytes:
        """MsgConnect about the file Res.dat."""
        return self.raw_bytes(_packet(1052, self.token[:4] + bytes(4) + _text("Res.dat")))

    # To the game

    def connect_bytes(self) -> bytes:
        """MsgConnect with the token."""
        rest = struct.pack("<H", BUILD) + b"En".ljust(10, b"\0") + (10).to_bytes(4, "little")
        return self.raw_bytes(_packet(1052, self.token.ljust(8, b"\0") + rest))

    def register_bytes(self, name: str, *, body: int = SLIM_MAN, profession: int = TROJAN) -> bytes:
        """MsgRegister."""
        texts = _text(self.account) + _text(name) + _text("******")
        return self.raw_bytes(_packet(1001, texts + struct.pack("<HH", body, profession) + self.token[:4]))

    def enter_bytes(self) -> bytes:
        """MsgAction: it wants its first map."""
        return self.action_bytes(ENTER_MAP)

    def action_bytes(self, action: int, **fields: int) -> bytes:
        """MsgAction of its own character."""
        return self.raw_bytes(self._action(action, **fields))

    def _action(
        self,
        action: int,
        *,
        number: int | None = None,
        data: int = 0,
        x: int = 0,
        y: int = 0,
        direction: int = 0,
    ) -> bytes:
        own = self.screen.me.id if self.screen.me is not None else 0
        body = struct.pack(
            "<IIIHHHH", 1, own if number is None else number, data & 0xFFFFFFFF, x, y, direction, action
        )
        return _packet(1010, body)

    def walk_bytes(self, heading: int, *, run: bool = True, mark: int = 0) -> bytes:
        """MsgWalk. The original goes there before it is answered, and this one when it is."""
        number = self.screen.me.id if self.screen.me is not None else 0
        self.under_way += 1
        body = struct.pack("<IBB", number, direction_of(heading) + 8 * mark, int(run))
        return self.raw_bytes(_packet(1005, body + (bytes(2) if self.version >= 5065 else b"")))

    def jump_bytes(self, dx: int, dy: int, *, claims: tuple[int, int] | None = None) -> bytes:
        """A jump, so many tiles. `claims`: where it says that it stands."""
        me = self.screen.me
        x, y = (me.x, me.y) if me is not None else (0, 0)
        at = claims or (x, y)
        target = (y + dy & 0xFFFF) << 16 | x + dx & 0xFFFF
        self.under_way += 1
        return self.action_bytes(JUMP, data=target, x=at[0], y=at[1])

    def attack_bytes(self, number: int, *, kind: int = MELEE) -> bytes:
        """MsgInteract: it strikes at somebody; once, and the server goes on."""
        me = self.screen.me
        own = me.id if me is not None else 0
        who = self.screen.people.get(number)
        x, y = (who.x, who.y) if who is not None else (0, 0)
        return self.raw_bytes(_packet(1022, struct.pack("<IIIHHII", 1, own, number, x, y, kind, 0)))

    def allot_bytes(self, strength: int = 0, agility: int = 0, vitality: int = 0, spirit: int = 0) -> bytes:
        """MsgAllot: points that it has given away."""
        return self.raw_bytes(_packet(1024, bytes((strength, agility, vitality, spirit))))

    def turn_bytes(self, heading: int) -> bytes:
        """To face another way, which it does at once."""
        if self.screen.me is not None:
            self.screen.me.direction = direction_of(heading)
        return self.action_bytes(79, direction=direction_of(heading))

    def emotion_bytes(self, emotion: int = 190) -> bytes:
        """A gesture."""
        return self.action_bytes(81, data=emotion)

    def say_bytes(self, words: str, channel: int = TALK, hearer: str = "") -> bytes:
        """MsgTalk."""
        name = self.screen.me.name if self.screen.me is not None else ""
        pack = _pack(name, hearer, "", words)
        return self.raw_bytes(_packet(1004, struct.pack("<IHHIII", 0xFFFFFF, channel, 0, 1230, 0, 0) + pack))

    def ping_bytes(self) -> bytes:
        """MsgItem, PING."""
        return self.item_bytes(0, PING)

    def item_bytes(self, number: int, action: int, data: int = 0, amount: int = 0) -> bytes:
        """MsgItem."""
        body = struct.pack("<IIIII", number & 0xFFFFFFFF, data, action, 7, amount)
        return self.raw_bytes(_packet(1009, body))

    def package_bytes(self, npc: int, action: int, number: int = 0, *, short: bool = False) -> bytes:
        """MsgPackage: what lies in the warehouse (0), something into it (1) or out of it (2). `short`: as the
        wiki has it."""
        gap = b"" if short else bytes(2)
        head = struct.pack("<IBB", npc, action, 10)
        return self.raw_bytes(_packet(1102, head + gap + number.to_bytes(4, "little")))

    def pick_bytes(self, number: int) -> bytes:
        """MsgMapItem: it picks up what lies there."""
        thing = self.screen.ground.get(number)
        kind, x, y = (thing.kind, thing.x, thing.y) if thing is not None else (0, 0, 0)
        tail = struct.pack("<HH", 0, 3) if self.version >= 5065 else struct.pack("<HH", 3, 0)
        return self.raw_bytes(_packet(1101, struct.pack("<IIHH", number, kind, x, y) + tail))

    def drop_bytes(self, number: int) -> bytes:
        """MsgItem: it drops something where it stands."""
        me = self.screen.me
        x, y = (me.x, me.y) if me is not None else (0, 0)
        return self.item_bytes(number, 3, y << 16 | x)

    def drop_silver_bytes(self, amount: int) -> bytes:
        """MsgItem: coins, where it stands."""
        me = self.screen.me
        x, y = (me.x, me.y) if me is not None else (0, 0)
        return self.item_bytes(amount, 12, y << 16 | x)

    def talk_to_bytes(self, number: int) -> bytes:
        """MsgNpc: a click."""
        return self.raw_bytes(_packet(2031, struct.pack("<IIHH", number, 0, 0, 0)))

    def trade_bytes(self, action: int, data: int = 0) -> bytes:
        """MsgTrade."""
        return self.raw_bytes(_packet(1056, struct.pack("<II", data & 0xFFFFFFFF, action)))

    def team_bytes(self, action: int, number: int = 0) -> bytes:
        """MsgTeam."""
        return self.raw_bytes(_packet(1023, struct.pack("<II", action, number & 0xFFFFFFFF)))

    def guild_bytes(self, action: int, number: int = 0) -> bytes:
        """MsgSyndicate."""
        return self.raw_bytes(_packet(1107, struct.pack("<II", action, number & 0xFFFFFFFF)))

    def name_bytes(self, kind: int, number: int = 0, *texts: str) -> bytes:
        """MsgName."""
        return self.raw_bytes(_packet(1015, struct.pack("<IB", number, kind) + _pack(*texts)))

    def friend_bytes(self, action: int, number: int = 0) -> bytes:
        """MsgFriend."""
        return self.raw_bytes(_packet(1019, struct.pack("<IB", number & 0xFFFFFFFF, action) + bytes(27)))

    def answer_bytes(self, option: int, text: str = "") -> bytes:
        """MsgTaskDialog: an answer to the window that is open, with what was typed into its box."""
        typed = bytes((1, len(text))) + text.encode() if text else b"\0"
        return self.raw_bytes(_packet(2032, struct.pack("<IHBB", 0, 0, option, 101) + typed))

    def ahead(self, heading: int) -> tuple[int, int]:
        """The tile before its character."""
        me = self.screen.me
        dx, dy = STEPS[direction_of(heading)]
        return (me.x + dx, me.y + dy) if me is not None else (dx, dy)


def words_of(packet: bytes) -> str:
    """What a MsgTalk says."""
    return strings(packet, 24)[3]


def _packet(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", 4 + len(body), kind) + body


def _text(text: str) -> bytes:
    return text.encode("cp1252", "replace")[:16].ljust(16, b"\0")


def _pack(*texts: str) -> bytes:
    raws = [text.encode("cp1252", "replace")[:255] for text in texts]
    return bytes([len(raws)]) + b"".join(bytes([len(raw)]) + raw for raw in raws)
