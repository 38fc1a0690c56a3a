"""A client of Lineage II (Interlude, protocol 746) without I/O: two connections, one after the other, and
what it shows (`tests.kit.l2_screen`).

    client = L2Client(now=trio.current_time)
    client.open("login")
    client.feed(data)                        # the frames that are complete now: opcode and body
    client.login_bytes("anna", "secret1")    # what to send; so is what every verb gives

Everything it says is written down here by the public notes on the protocol, not by the server's declarations.
By itself it answers what the original answers: a teleport by Appearing, a ping.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import attrs

from protocol.endings import WireError
from protocol.l2 import rsa
from protocol.l2.codec import L2GameCodec, L2LoginCodec
from protocol.wire.args import CodecArgs, Role
from tests.kit.l2_reader import Reader, TooShort, written, written_all
from tests.kit.l2_screen import Screen
from tests.kit.l2_shown import TURN
from world.heading import OFFSETS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROTOCOL: Final = 746

REVISION: Final = 0xC621
"""Of the login protocol."""

TILE: Final = 24
"""Units of a tile of the world."""

RUN, SIT = 1, 0
"""Actions of RequestActionUse."""


def heading_of(angle: int) -> int:
    """The nearest of the world's eight, by the client's."""
    return round(angle % TURN * 8 / TURN + 2) % 8


def angle_of(heading: int) -> int:
    """The client's for one of the world's eight."""
    return (heading - 2) % 8 * TURN // 8


@attrs.define
class Keys:
    """The numbers of a login, unsigned: two from LoginOk, two from PlayOk."""

    login1: int = 0
    login2: int = 0
    play1: int = 0
    play2: int = 0


@attrs.define
class World:
    """One line of the list of servers."""

    id: int
    address: str
    port: int
    online: int
    most: int
    up: bool


class L2Client:
    """See the module. `original`: its checksums stand where the original client's do."""

    def __init__(
        self, *, now: Callable[[], float], seed: int = 1, original: bool = True, protocol: int = PROTOCOL
    ) -> None:
        self._chance = random.Random(seed)
        self._original = original
        self.protocol = protocol
        self.screen = Screen(now)
        self.received: list[bytes] = []
        """Frames."""
        self.mute = False
        """Whether it answers nothing by itself any more."""
        self.why = ""
        """What was wrong with what came."""
        self.keys = Keys()
        self.account = ""
        self.session_id: int | None = None
        """Of Init."""
        self.modulus = b""
        self.authorised: int | None = None
        """What GGAuth said."""
        self.refused: int | None = None
        """Why the login door refused it."""
        self.worlds: Sequence[World] = ()
        self.owned: dict[int, tuple[int, tuple[int, ...]]] = {}
        """Characters by server, and the seconds of the doomed ones."""
        self.enciphers: bool | None = None
        """What KeyPacket said; None before."""
        self.admitted: int | None = None
        """KeyPacket's first word."""
        self.door = "login"
        self.open(self.door)
        self._answers = b""

    # The lines

    def open(self, door: str) -> None:
        """A new connection to one of the doors."""
        args = CodecArgs(Role.CLIENT, self._chance.randbytes)
        self.door = door
        self.codec: L2LoginCodec | L2GameCodec
        if door == "login":
            self.codec = L2LoginCodec(args, original=self._original)
            self.session_id = self.authorised = self.refused = None
            self.worlds = ()
            self.keys = Keys()
        else:
            self.codec = L2GameCodec(args)
            self.enciphers = self.admitted = None
            self.screen.menu = self.screen.refused = None
            self.screen.forget_world()

    def feed(self, data: bytes) -> list[bytes]:
        """Bytes that came; the messages that are complete now."""
        found: list[bytes] = []
        try:
            self.codec.receive(data, 0.0)
            while (frame := self.codec.next_frame()) is not None:
                found.append(frame)
                self.received.append(frame)
                if self.door == "login":
                    self._take_login(frame)
                elif self.enciphers is None:
                    self._take_key(frame)
                else:
                    self.screen.take(frame)
                    self._react(frame)
        except (WireError, TooShort) as error:
            self.why = repr(error)
        return found

    def raw_bytes(self, *frames: bytes) -> bytes:
        """Frames on their way."""
        self.codec.send_raw(frames)
        return b"".join(self.codec.outgoing(0.0))

    def answers(self) -> bytes:
        """What it says by itself."""
        said, self._answers = self._answers, b""
        return said

    def _says(self, opcode: int, layout: str = "", *values: float | str) -> bytes:
        return self.raw_bytes(bytes((opcode,)) + written(layout, *values))

    # The login door

    def _take_login(self, frame: bytes) -> None:
        r = Reader(frame[1:])
        match frame[0]:
            case 0x00:
                self.session_id, revision = r.ds(2)
                self.modulus = r.b(128)
                if revision != REVISION:
                    self.why = f"revision {revision:#x}"
            case 0x01 | 0x06:
                self.refused = r.c()
            case 0x03:
                self.keys.login1, self.keys.login2 = (n & 0xFFFFFFFF for n in r.ds(2))
                r.skip("6d")
                r.b(16)
            case 0x04:
                self._take_worlds(r)
            case 0x07:
                self.keys.play1, self.keys.play2 = (n & 0xFFFFFFFF for n in r.ds(2))
            case 0x0B:
                self.authorised = r.d()
                r.skip("4d")
            case _:
                self.why = f"login message {frame[0]:#x}"

    def _take_worlds(self, r: Reader) -> None:
        count, _last = r.c(), r.c()
        found = []
        for _ in range(count):
            number, address, port = r.c(), ".".join(map(str, r.b(4))), r.d()
            r.skip("2c")
            online, most, up = r.h(), r.h(), r.c()
            r.skip("1d 1c")
            found.append(World(number, address, port, online, most, bool(up)))
        self.worlds = found
        r.h()
        self.owned = {}
        for _ in range(r.c()):
            number, characters = r.c(), r.c()
            self.owned[number] = characters, tuple(r.ds(r.c()))

    def guard_bytes(self) -> bytes:
        """AuthGameGuard."""
        assert self.session_id is not None, "Init has not come"
        return self.raw_bytes(
            b"\x07" + written("ddddd", self.session_id, 0x123, 0x4567, 0x89AB, 0xCDEF) + bytes(19)
        )

    def login_bytes(self, account: str, password: str) -> bytes:
        """RequestAuthLogin."""
        self.account = account
        block = bytearray(128)
        block[0x5B] = 0x24
        block[0x5E : 0x5E + len(account)] = account.encode("latin-1")
        block[0x6C : 0x6C + len(password)] = password.encode("latin-1")
        answer = written("d", self.authorised or 0)
        return self.raw_bytes(b"\0" + rsa.encrypt(self.modulus, bytes(block)) + answer + bytes(43))

    def worlds_bytes(self) -> bytes:
        """RequestServerList."""
        return self.raw_bytes(b"\x05" + self._pair(self.keys.login1, self.keys.login2) + b"\4" + bytes(22))

    def play_bytes(self, server: int = 1) -> bytes:
        """RequestServerLogin."""
        head = b"\x02" + self._pair(self.keys.login1, self.keys.login2)
        return self.raw_bytes(head + bytes((server,)) + bytes(22))

    @staticmethod
    def _pair(one: int, other: int) -> bytes:
        return one.to_bytes(4, "little") + other.to_bytes(4, "little")

    # The game door's menu

    def version_bytes(self, protocol: int | None = None) -> bytes:
        """ProtocolVersion, and as much of nothing as the original sends."""
        version = self.protocol if protocol is None else protocol
        return self.raw_bytes(b"\0" + written("d", version) + bytes(range(256)) + bytes(2))

    def _take_key(self, frame: bytes) -> None:
        r = Reader(frame[1:])
        if frame[0] != 0:
            self.why = f"{frame[0]:#x} instead of KeyPacket"
            return
        self.admitted = r.c()
        key = r.b(8)
        self.enciphers = bool(r.d())
        r.skip("1d 1c 1d")
        if r.left:
            self.why = f"KeyPacket is {r.left} bytes too long"
        if self.enciphers and self.admitted and isinstance(self.codec, L2GameCodec):
            self.codec.encipher(key)

    def auth_bytes(self) -> bytes:
        """AuthLogin: the pair from PlayOk comes the other way round."""
        keys = self.keys
        pairs = self._pair(keys.play2, keys.play1) + self._pair(keys.login1, keys.login2)
        return self.raw_bytes(b"\x08" + written("S", self.account) + pairs + written("d", 1))

    def templates_bytes(self) -> bytes:
        """NewCharacter."""
        return self._says(0x0E)

    def create_bytes(
        self,
        name: str,
        *,
        sex: int = 0,
        race: int = 0,
        class_id: int = 0,
        hair: int = 1,
        color: int = 1,
        face: int = 0,
    ) -> bytes:
        """CharacterCreate."""
        rest = (race, sex, class_id, 0, 0, 0, 0, 0, 0, hair, color, face)
        return self._says(0x0B, "S" + 12 * "d", name, *rest)

    def delete_bytes(self, slot: int = 0) -> bytes:
        """CharacterDelete."""
        return self._says(0x0C, "d", slot)

    def restore_bytes(self, slot: int = 0) -> bytes:
        """CharacterRestore."""
        return self._says(0x62, "d", slot)

    def select_bytes(self, slot: int = 0) -> bytes:
        """CharacterSelect."""
        return self._says(0x0D, "dhddd", slot, 0, 0, 0, 0)

    def enter_bytes(self) -> bytes:
        """What the client sends in one burst when it has got CharSelected."""
        return self.raw_bytes(b"\xd0\x08\x00", b"\x9d", b"\x03" + bytes(104))

    # In the world

    @property
    def in_world(self) -> bool:
        """Whether it has left the loading screen."""
        return self.screen.me is not None

    def _react(self, frame: bytes) -> None:
        if self.mute:
            return
        if frame[0] == 0x28 and self.screen.loading:
            self.screen.loading = False
            self._answers += self.appear_bytes()
        elif frame[0] == 0xD3:
            self._answers += self.raw_bytes(b"\xa8" + frame[1:5] + written("dd", 20, 1500))

    def appear_bytes(self) -> bytes:
        """Appearing."""
        return self._says(0x30)

    def place(self) -> tuple[int, int, int]:
        """Where it believes to be."""
        me = self.screen.me
        assert me is not None
        x, y, z = me.place(self.screen.now())
        return round(x), round(y), round(z)

    def go_bytes(self, x: int, y: int, z: int | None = None) -> bytes:
        """MoveBackwardToLocation, by a click."""
        here = self.place()
        return self._says(0x01, 7 * "d", x, y, here[2] if z is None else z, *here, 1)

    def walk_bytes(self, heading: int, *, tiles: float = 1) -> bytes:
        """The same, so far in one of the world's eight directions."""
        dx, dy = OFFSETS[heading]
        x, y, _ = self.place()
        return self.go_bytes(round(x + dx * tiles * TILE), round(y + dy * tiles * TILE))

    def turn_bytes(self, heading: int) -> bytes:
        """FinishRotating."""
        return self._says(0x4B, "dd", angle_of(heading), 0)

    def validate_bytes(self, at: tuple[int, int, int] | None = None) -> bytes:
        """ValidatePosition: where it believes to be, or says so."""
        x, y, z = at or self.place()
        me = self.screen.me
        assert me is not None
        return self._says(0x48, "ddddd", x, y, z, me.heading, 0)

    def click_bytes(self, number: int, *, shift: bool = False) -> bytes:
        """Action."""
        return self._says(0x04, "ddddc", number, *self.place(), int(shift))

    def attack_bytes(self, number: int, *, shift: bool = False) -> bytes:
        """AttackRequest; with shift held nobody walks for it."""
        return self._says(0x0A, "ddddc", number, *self.place(), int(shift))

    def untarget_bytes(self) -> bytes:
        """RequestTargetCancel."""
        return self._says(0x37, "h", 1)

    def say_bytes(self, text: str, kind: int = 0, target: str = "") -> bytes:
        """Say2."""
        if kind == 2:
            return self._says(0x38, "SdS", text, kind, target)
        return self._says(0x38, "Sd", text, kind)

    def gesture_bytes(self, action: int = 2) -> bytes:
        """RequestSocialAction."""
        return self._says(0x1B, "d", action)

    def action_bytes(self, action: int) -> bytes:
        """RequestActionUse: 0 to sit down and to stand up, 1 to walk and to run."""
        return self._says(0x45, "ddc", action, 0, 0)

    def items_bytes(self) -> bytes:
        """RequestItemList."""
        return self._says(0x0F)

    def use_bytes(self, number: int) -> bytes:
        """UseItem."""
        return self._says(0x14, "dd", number, 0)

    def take_off_bytes(self, body_part: int) -> bytes:
        """RequestUnEquipItem."""
        return self._says(0x11, "d", body_part)

    def drop_bytes(self, number: int, amount: int, at: tuple[int, int, int] | None = None) -> bytes:
        """RequestDropItem."""
        return self._says(0x12, "ddddd", number, amount, *(at or self.place()))

    def destroy_bytes(self, number: int, amount: int = 1) -> bytes:
        """RequestDestroyItem."""
        return self._says(0x59, "dd", number, amount)

    def buy_bytes(self, number: int, *orders: tuple[int, int]) -> bytes:
        """RequestBuyItem: kinds and how many, from the list of that number."""
        return self.raw_bytes(b"\x1f" + written("d", number) + written_all("dd", orders))

    def sell_bytes(self, number: int, *sales: tuple[int, int, int]) -> bytes:
        """RequestSellItem: things, their kinds, and how many."""
        return self.raw_bytes(b"\x1e" + written("d", number) + written_all("ddd", sales))

    def deposit_bytes(self, *things: tuple[int, int]) -> bytes:
        """SendWareHouseDepositList: things, and how many."""
        return self.raw_bytes(b"\x31" + written_all("dd", things))

    def withdraw_bytes(self, *things: tuple[int, int]) -> bytes:
        """SendWareHouseWithDrawList."""
        return self.raw_bytes(b"\x32" + written_all("dd", things))

    def trade_bytes(self, number: int) -> bytes:
        """TradeRequest: to somebody."""
        return self._says(0x15, "d", number)

    def answer_trade_bytes(self, answer: int) -> bytes:
        """AnswerTradeRequest: 1 is yes."""
        return self._says(0x44, "d", answer)

    def add_trade_bytes(self, number: int, amount: int) -> bytes:
        """AddTradeItem: from the list of one's own."""
        return self._says(0x16, "ddd", 1, number, amount)

    def trade_done_bytes(self, answer: int) -> bytes:
        """TradeDone: 1 agrees, 0 closes."""
        return self._says(0x17, "d", answer)

    def join_party_bytes(self, name: str, loot: int = 0) -> bytes:
        """RequestJoinParty: ask somebody in."""
        return self._says(0x29, "Sd", name, loot)

    def answer_party_bytes(self, answer: int) -> bytes:
        """RequestAnswerJoinParty: 1 is yes."""
        return self._says(0x2A, "d", answer)

    def join_clan_bytes(self, object_id: int) -> bytes:
        """RequestJoinPledge: ask somebody in."""
        return self._says(0x24, "dd", object_id, 0)

    def answer_clan_bytes(self, answer: int) -> bytes:
        """RequestAnswerJoinPledge: 1 is yes."""
        return self._says(0x25, "d", answer)

    def answer_ally_bytes(self, answer: int) -> bytes:
        """RequestAnswerJoinAlly: 1 is yes."""
        return self._says(0x83, "d", answer)

    def leave_party_bytes(self) -> bytes:
        """RequestWithDrawalParty."""
        return self._says(0x2B)

    def oust_bytes(self, name: str) -> bytes:
        """RequestOustPartyMember."""
        return self._says(0x2C, "S", name)

    def lead_bytes(self, name: str) -> bytes:
        """RequestChangePartyLeader."""
        return self.raw_bytes(b"\xd0\x04\x00" + written("S", name))

    def bypass_bytes(self, command: str) -> bytes:
        """RequestBypassToServer: a link of the dialog that is open."""
        return self._says(0x21, "S", command)

    def command_bytes(self, number: int) -> bytes:
        """BypassUserCmd: 0 is /loc, 77 /time."""
        return self._says(0xAA, "d", number)

    def restart_bytes(self) -> bytes:
        """RequestRestart."""
        return self._says(0x46)

    def logout_bytes(self) -> bytes:
        """Logout."""
        return self._says(0x09)
