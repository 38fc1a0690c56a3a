"""A Conquer Online bot: version 5017 or 5065, through the account server to the game.

A step is answered to its maker by the same Walk, a turn is not: who wants to know how long a turn takes has
to ask a neighbour when it saw the Action. A new bot makes its character in the form that the game shows, and
logs in anew as the game has it.

A bot that decodes nothing sends a ping every now and then by itself, which nobody has to ask for.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, ClassVar, Final

from protocol.co import rc5
from protocol.co.codec import CoAccountCodec, game_codec
from protocol.co.versions import CoVersion
from protocol.wire.args import CodecArgs, Role
from server.bots.bot import LEG, PASSWORD, ROUND, Bot, LoginFailed
from world.heading import OFFSETS

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.co.codec import CoCodec

_REGISTER, _TALK, _WALK, _USER_INFO, _ACTION = 1001, 1004, 1005, 1006, 1010
_ACCOUNT, _CONNECT, _CONNECT_EX = 1051, 1052, 1055
_ENTER_MAP, _TURN, _TELEPORT, _SURROUNDINGS, _LOGIN_COMPLETE = 74, 79, 86, 114, 130

_RUN: Final = 1
BODIES: Final = (1003, 1004, 2001, 2002)
_TROJAN: Final = 10

_DIRECTIONS: Final = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))
"""Tile offset of each of the client's directions."""

# Size and type, time, who, what with, where (twice 16 bits), direction, what.
_DOING: Final = struct.Struct("<HHIIIHHHH")
_STEP: Final = struct.Struct("<HHIBB")


class CoBot(Bot):
    """See the module."""

    game: ClassVar[str] = "co"
    gait: ClassVar[str] = "runs a square of 8 tiles a side"
    version: ClassVar[CoVersion] = CoVersion.V5017

    def __init__(self, name: str, entropy: Callable[[int], bytes]) -> None:
        super().__init__(name, entropy)
        self._args = CodecArgs(Role.CLIENT, entropy, {"patch": int(self.version)})
        self._codec: CoCodec = CoAccountCodec(self._args)
        self._token = b""
        """What the account server gave out; empty before."""
        self._x = self._y = 0
        self._direction = 0
        self._id = b""
        """Its number, as it comes."""
        self._leg = 0
        self._gone = 0
        """Steps of this leg."""

    # Bot

    def connect(self) -> bytes:
        """Name and password for the account server; for the game the token, when keys are exchanged."""
        self.reconnect = False
        if not self._token:
            self._codec = CoAccountCodec(self._args)
            name, password = (text.encode().ljust(16, b"\0") for text in (self.name, ""))
            password = rc5.encipher_password(PASSWORD)
            return self._raw(_packet(_ACCOUNT, name + password + b"Causeway".ljust(16, b"\0")))
        self._codec = game_codec(self._args)
        token, self._token = self._token, b""
        language = b"En".ljust(10, b"\0")
        return self._raw(_packet(_CONNECT, token + struct.pack("<H", 123) + language + bytes(4)))

    def receive(self, data: bytes) -> bytes:
        """See Bot."""
        codec = self._codec
        codec.receive(data, 0.0)
        answer = b""
        while (frame := codec.next_frame()) is not None:
            self.packets += 1
            kind = frame[2] | frame[3] << 8
            if kind == _WALK:
                self.answered += frame[4:8] == self._id
            else:
                answer += self._take(kind, frame)
        return answer + b"".join(codec.outgoing(0.0))

    def skim(self, buffer: bytearray, size: int) -> bytes:
        """Nothing has to be answered."""
        return b""

    def turn(self) -> bytes:
        """Action TURN, a quarter to the right."""
        self.moves += 1
        self._direction = (self._direction + 2) % 8
        return self._raw(self._doing(_TURN))

    def step(self) -> bytes:
        """Walk, a tile along its round."""
        self.moves += 1
        self.expected += 1
        dx, dy = OFFSETS[ROUND[self._leg]]
        self._gone += 1
        if self._gone == LEG:
            self._gone, self._leg = 0, (self._leg + 1) % len(ROUND)
        self._x, self._y = self._x + dx, self._y + dy
        self._direction = _DIRECTIONS.index((dx, dy))
        return self._raw(
            _STEP.pack(_STEP.size, _WALK, self.number, self._direction, _RUN if self.running else 0)
        )

    def say(self, text: str) -> bytes:
        """Talk, aloud."""
        pack = b"".join(
            bytes([len(part)]) + part for part in (self.character.encode(), b"", b"", text.encode())
        )
        return self._raw(_packet(_TALK, struct.pack("<IHHIII", 0xFFFFFF, 2000, 0, 0, 0, 0) + b"\4" + pack))

    # What comes

    def _raw(self, *packets: bytes) -> bytes:
        self._codec.send_raw(packets)
        return b"".join(self._codec.outgoing(0.0))

    def _doing(self, action: int, data: int = 0) -> bytes:
        return _DOING.pack(
            _DOING.size, _ACTION, 0, self.number, data, self._x, self._y, self._direction, action
        )

    def _take(self, kind: int, frame: bytes) -> bytes:
        match kind:
            case 1055:  # ConnectEx: token, address, port
                if frame[4:8] == bytes(4):
                    raise LoginFailed(f"{self.name}: refused, code {int.from_bytes(frame[8:12], 'little')}")
                self._token = frame[4:12]
                host = frame[12:28].rstrip(b"\0").decode()
                self.address = host, int.from_bytes(frame[28:32], "little")
                self.reconnect = True
            case 1004:
                return self._hear(frame)
            case 1006:  # UserInfo: who one is
                self._id = frame[4:8]
                self.number = int.from_bytes(self._id, "little")
                return self._raw(self._doing(_ENTER_MAP))
            case 1010:
                return self._act(frame)
        return b""

    def _hear(self, frame: bytes) -> bytes:
        """Words; some of them are the server's answer to a login."""
        channel = int.from_bytes(frame[8:10], "little")
        words = _strings(frame[24:])[3]
        if channel == 2101 and words == "NEW_ROLE":
            account, name = (text.encode().ljust(16, b"\0") for text in (self.name, self.character))
            body = struct.pack("<HHI", BODIES[self.look % len(BODIES)], _TROJAN, 0)
            return self._raw(_packet(_REGISTER, account + name + b"*" * 6 + bytes(10) + body))
        if channel == 2100 and words == "ANSWER_OK":
            self.address, self.reconnect = None, True
        elif channel in (2100, 2101) and words != "ANSWER_OK":
            raise LoginFailed(f"{self.name}: {words}")
        else:
            self.heard.append(words)
        return b""

    def _act(self, frame: bytes) -> bytes:
        number, _, x, y, direction, action = _DOING.unpack(frame)[3:]
        if action == _TURN and number != self.number:
            self.seen.append(number)
        elif number == self.number and action in (_ENTER_MAP, _TELEPORT):
            self._x, self._y, self._direction = x, y, direction
            if action == _ENTER_MAP:
                return self._raw(self._doing(_SURROUNDINGS), self._doing(_LOGIN_COMPLETE))
            self.refused += self.in_world
        elif number == self.number and action == _LOGIN_COMPLETE:
            self.in_world = True
        return b""


class Co5065Bot(CoBot):
    """With keys exchanged, and Blowfish."""

    game: ClassVar[str] = "co_5065"
    version: ClassVar[CoVersion] = CoVersion.V5065


def _packet(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", 4 + len(body), kind) + body


def _strings(pack: bytes) -> list[str]:
    texts, at = [], 1
    for _ in range(pack[0]):
        end = at + 1 + pack[at]
        texts.append(pack[at + 1 : end].decode("cp1252", "replace"))
        at = end
    return texts
