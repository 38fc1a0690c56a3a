"""A Lineage II bot: Interlude, protocol 746, through the login door to the game's.

A click on the ground is answered to whoever made it by MoveToLocation, or by ActionFailed if there is no way;
a turn by StopRotation, which others receive together with BeginRotation. Of clicks that come too fast the
server drops all but the last, so an answer is matched with what it names: the end of the way, or the heading.
It answers all that was asked before, too. StopMove tells where a way ended, whenever that was, and answers
nothing.

A bot that decodes nothing answers no ping either; it is asked only to show that it is there, and a bot that
moves does that anyway.
"""

from __future__ import annotations

import struct
from collections import deque
from typing import TYPE_CHECKING, ClassVar, Final

from protocol.l2 import rsa
from protocol.l2.codec import L2GameCodec, L2LoginCodec
from protocol.wire.args import CodecArgs, Role
from server.bots.bot import LEG, PASSWORD, ROUND, Bot, LoginFailed
from world.heading import OFFSETS

if TYPE_CHECKING:
    from collections.abc import Callable

PROTOCOL: Final = 746

TILE: Final = 24
"""Units of a tile of the world."""

QUARTER: Final = 16384
"""Of a turn, clockwise."""

_MOVE_TO_LOCATION: Final = 0x01
_STOP_MOVE: Final = 0x47
_STOP_ROTATION: Final = 0x63
_OF_MOTION: Final = (_MOVE_TO_LOCATION, _STOP_MOVE, _STOP_ROTATION)

# Opcode and numbers of 32 bits: where to, from where, and by mouse; the heading, and 0.
_CLICK: Final = struct.Struct("<B7i")
_TURNED: Final = struct.Struct("<Bii")

# In them, where a click leads (x and y), and where a turn ends.
_SPOT: Final = slice(1, 9)
_DEGREE: Final = slice(1, 5)

_PLACE: Final = struct.Struct("<3i")


class L2Bot(Bot):
    """See the module."""

    game: ClassVar[str] = "l2"
    gait: ClassVar[str] = "runs a square of 8 tiles a side, a click for each tile"
    told_by: ClassVar[int] = 2
    answers_refusals: ClassVar[bool] = True

    def __init__(self, name: str, entropy: Callable[[int], bytes]) -> None:
        super().__init__(name, entropy)
        self._args = CodecArgs(Role.CLIENT, entropy)
        self._login: L2LoginCodec | None = None
        """None once it is at the game's door."""
        self._codec = L2GameCodec(self._args)
        self._modulus = b""
        self._session = bytes(4)
        """The number in Init, as it came."""
        self._login_keys = self._play_keys = bytes(8)
        """As they came."""
        self._greeted = False
        """Whether the game's door has said whether it enciphers."""
        self._x = self._y = self._z = 0
        self._heading = 0
        self._id = b""
        """Its number, as it comes."""
        self._leg = 0
        self._gone = 0
        """Steps of this leg."""
        self._clicks: deque[bytes] = deque()
        """Where the unanswered clicks led, x and y as on the wire, oldest first."""
        self._turns: deque[bytes] = deque()
        """The headings of unanswered turns, likewise."""
        self._stopped = b""
        """Where the server last said that it stopped, as on the wire."""

    # Bot

    def connect(self) -> bytes:
        """Nothing at the login door, which speaks first; the version at the game's."""
        if not self.reconnect:
            self._login = L2LoginCodec(self._args)
            return b""
        self.reconnect = False
        self._login, self._greeted = None, False
        self._codec = L2GameCodec(self._args)
        return self._raw(b"\0" + struct.pack("<i", PROTOCOL) + bytes(258))

    def receive(self, data: bytes) -> bytes:
        """See Bot."""
        if self._login is not None:
            return self._log_in(self._login, data)
        codec = self._codec
        codec.receive(data, 0.0)
        answer = b""
        while (frame := codec.next_frame()) is not None:
            self.packets += 1
            opcode = frame[0]
            if not self._greeted:
                answer += self._greet(frame)
            elif opcode in _OF_MOTION:
                if frame[1:5] == self._id:
                    self._moved(opcode, frame)
                elif opcode == _STOP_ROTATION:
                    self.seen.append(int.from_bytes(frame[1:5], "little"))
            else:
                answer += self._take(opcode, frame)
        return answer

    def skim(self, buffer: bytearray, size: int) -> bytes:
        """Nothing has to be answered."""
        return b""

    def turn(self) -> bytes:
        """FinishRotating, a quarter to the right."""
        self.moves += 1
        self._heading = (self._heading + QUARTER) % (4 * QUARTER)
        return self._turned()

    def step(self) -> bytes:
        """MoveBackwardToLocation, a tile along its round."""
        self.moves += 1
        self.expected += 1
        dx, dy = OFFSETS[ROUND[self._leg]]
        self._gone += 1
        if self._gone == LEG:
            self._gone, self._leg = 0, (self._leg + 1) % len(ROUND)
        x, y, z = self._x, self._y, self._z
        self._x, self._y = x + dx * TILE, y + dy * TILE
        click = _CLICK.pack(0x01, self._x, self._y, z, x, y, z, 1)
        self._clicks.append(click[_SPOT])
        return self._raw(click)

    def say(self, text: str) -> bytes:
        """Say2, aloud."""
        return self._raw(b"\x38" + _text(text) + bytes(4))

    # The login door

    def _log_in(self, codec: L2LoginCodec, data: bytes) -> bytes:
        codec.receive(data, 0.0)
        while (frame := codec.next_frame()) is not None:
            self.packets += 1
            answer = self._next_word(frame)
            if answer:
                codec.send_raw((answer,))
        return b"".join(codec.outgoing(0.0))

    def _next_word(self, frame: bytes) -> bytes:
        match frame[0]:
            case 0x00:  # Init: number, revision, modulus
                self._session, self._modulus = frame[1:5], frame[9:137]
                return b"\x07" + self._session + bytes(35)
            case 0x0B:  # GGAuth
                block = rsa.encrypt(self._modulus, rsa.credential_block(self.name, PASSWORD))
                return b"\0" + block + frame[1:5] + bytes(43)
            case 0x03:  # LoginOk
                self._login_keys = frame[1:9]
                return b"\x05" + self._login_keys + b"\x04" + bytes(22)
            case 0x04:  # ServerList: how many, the last one, number, address, port
                self.address = ".".join(map(str, frame[4:8])), int.from_bytes(frame[8:12], "little")
                return b"\x02" + self._login_keys + frame[3:4] + bytes(22)
            case 0x07:  # PlayOk
                self._play_keys = frame[1:9]
                self.reconnect = True
                return b""
        raise LoginFailed(f"{self.name}: login message {frame[0]:#04x}, reason {frame[1]:#04x}")

    # The game's door

    def _raw(self, *frames: bytes) -> bytes:
        self._codec.send_raw(frames)
        return b"".join(self._codec.outgoing(0.0))

    def _greet(self, frame: bytes) -> bytes:
        """KeyPacket: whether it may, eight bytes of the key, whether to encipher."""
        if frame[1] != 1:
            raise LoginFailed(f"{self.name}: KeyPacket {frame[1]}")
        self._greeted = True
        if any(frame[10:14]):
            self._codec.encipher(frame[2:10])
        first, second = self._play_keys[:4], self._play_keys[4:]
        return self._raw(b"\x08" + _text(self.name) + second + first + self._login_keys + b"\1\0\0\0")

    def _take(self, opcode: int, frame: bytes) -> bytes:
        """What is rare."""
        match opcode:
            case 0x13:  # CharSelectInfo: how many
                if any(frame[1:5]):
                    return self._raw(b"\x0d" + bytes(18))
                look = self.look
                form = struct.pack("<12i", 0, look % 2, *bytes(7), look % 5, look % 4, look % 3)
                return self._raw(b"\x0b" + _text(self.character) + form)
            case 0x15:  # CharSelected
                return self._raw(b"\xd0\x08\0", b"\x9d", b"\x03" + bytes(104))
            case 0x04:  # UserInfo: place, vehicle, number
                if not self.in_world:
                    self._place(frame[1:13])
                    self._id = frame[17:21]
                    self.number = int.from_bytes(self._id, "little")
                    self.in_world = True
                    # Where it looks nobody tells it, and to turn there would be no turn.
                    return self._turned()
            case 0x25:  # ActionFailed
                self._failed()
            case 0x61 | 0x28 if frame[1:5] == self._id:  # ValidateLocation, TeleportToLocation: number, place
                self.refused += 1
                self._place(frame[5:17])
                if opcode == 0x28:
                    # Until the server reads that it appears there, it answers nothing.
                    self._answer(self._clicks, len(self._clicks))
                    self._answer(self._turns, len(self._turns))
                    return self._raw(b"\x30")
            case 0x4A:  # CreatureSay: number, kind, who, what
                self.heard.append(frame[9:].decode("utf-16-le").split("\0")[1])
            case 0x1A | 0x14 | 0x26:
                raise LoginFailed(f"{self.name}: message {opcode:#04x}, reason {frame[1:2].hex()}")
            case 0xD3:  # NetPing
                return self._raw(b"\xa8" + frame[1:5] + bytes(8))
        return b""

    # Motion

    def _turned(self) -> bytes:
        self.expected += 1
        turned = _TURNED.pack(0x4B, self._heading, 0)
        self._turns.append(turned[_DEGREE])
        return self._raw(turned)

    def _moved(self, opcode: int, frame: bytes) -> None:
        """The server tells of its own motion."""
        if opcode == _STOP_ROTATION:  # number, heading
            self._answer(self._turns, _up_to(frame[5:9], self._turns))
        elif opcode == _MOVE_TO_LOCATION:  # number, where to, from where
            known = frame[5:13] in self._clicks
            self._answer(self._clicks, _up_to(frame[5:13], self._clicks))
            if not known and not self._clicks:
                self._place(frame[5:17])
        else:  # StopMove: number, place
            self._stopped = frame[5:17]
            if not self._clicks:  # else that was where the way before ended
                self._place(self._stopped)

    def _failed(self) -> None:
        """There was no way; StopMove came before, and told where it stands."""
        if not self._clicks:
            return
        self.refused += 1
        self._answer(self._clicks, 1)
        if not self._clicks and self._stopped:
            self._place(self._stopped)

    def _answer(self, asked: deque[bytes], count: int) -> None:
        """So many of what was asked, the oldest, wait for no answer any more."""
        for _ in range(min(count, len(asked))):
            asked.popleft()
            self.answered += 1

    def _place(self, place: bytes) -> None:
        self._x, self._y, self._z = _PLACE.unpack(place)


def _up_to(what: bytes, asked: deque[bytes]) -> int:
    """How many of those an answer that names `what` is for. A way that ends before a wall leads to where
    nobody asked, and is for the oldest."""
    return asked.index(what) + 1 if what in asked else 1


def _text(text: str) -> bytes:
    return text.encode("utf-16-le") + b"\0\0"
