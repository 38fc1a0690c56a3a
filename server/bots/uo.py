"""An Ultima Online bot: client 7.0.102.3, plain or enciphered.

The server answers every 0x02 with 0x22 (or 0x21, refused), steps and turns alike, so a probe times its own
moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from protocol.uo.codec import UoClientCodec
from protocol.uo.packets.login import (
    AccountLogin,
    CreateCharacterFourSkills,
    GameLogin,
    PlayCharacter,
    SelectServer,
    VersionAnswer,
)
from protocol.uo.packets.motion import RUNNING
from protocol.uo.packets.talk import UnicodeSpeech
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from server.bots.bot import LEG, PASSWORD, ROUND, Bot, LoginFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.uo.packets.base import ClientPacket

VERSION: Final = (7, 0, 102, 3)
LOCAL: Final = b"\x7f\0\0\1"
SLOT: Final = 60
"""Bytes of one line of the character list, 30 of them a name."""

HAIRS: Final = (0x203B, 0x203C, 0x203D, 0x2045, 0x204A)
"""Item ids: short, long, tail, pageboy, top knot."""

MOVES: Final = [
    [bytes((0x02, direction, number, 0, 0, 0, 0)) for number in range(256)] for direction in range(256)
]
"""All requests to move (0x02), by direction and number: plain bots send them as they are."""

_NOT_IN_GAME: Final = {0x82: "login", 0x53: "character", 0x85: "deletion"}
"""Packets by which the server says no, with what it says no to; the second byte is the reason."""


class UoBot(Bot):
    """See the module."""

    game: ClassVar[str] = "uo"
    gait: ClassVar[str] = "runs a square of 8 tiles a side (200 ms a tile, so the pace never holds it back)"

    encrypted: ClassVar[bool] = False

    def __init__(self, name: str, entropy: Callable[[int], bytes]) -> None:
        super().__init__(name, entropy)
        self._relay_key = b""
        self._step_number = 0
        self._heading = 0
        self._leg = 0
        self._gone = 0
        """Steps of this leg."""
        self._codec = self._new_codec()

    def _new_codec(self) -> UoClientCodec:
        settings = {"version": VERSION, "encrypted": self.encrypted}
        return UoClientCodec(CodecArgs(Role.CLIENT, self.entropy, settings))

    # Bot

    def connect(self) -> bytes:
        """Seed and 0x80 on the login connection, key and 0x91 on the game connection."""
        self.reconnect = False
        self._codec = self._new_codec()
        if self._relay_key:
            self._codec.open_game(self._relay_key)
            return self._bytes(GameLogin(self._relay_key, self.name, PASSWORD))
        self._codec.open_login()
        return self._bytes(AccountLogin(self.name, PASSWORD, 0x5D))

    def receive(self, data: bytes) -> bytes:
        """See Bot."""
        self._codec.receive(data, 0.0)
        answer = b""
        while (packet := self._codec.next_frame()) is not None:
            self.packets += 1
            opcode = packet[0]
            if opcode == 0x77:  # somebody moved or turned
                self.seen.append(int.from_bytes(packet[1:5], "big"))
            elif opcode == 0x22:
                self.answered += 1
            else:
                answer += self._take(opcode, packet)
        return answer

    def skim(self, buffer: bytearray, size: int) -> bytes:
        """Nothing the server says in the world has to be answered."""
        return b""

    def turn(self) -> bytes:
        """A quarter to the right."""
        return self._move((self._heading + 2) % 8)

    def step(self) -> bytes:
        """A step along its round; at each corner a turn, which is a request of its own here."""
        wanted = ROUND[self._leg]
        if self._heading == wanted:
            self._gone += 1
            if self._gone == LEG:
                self._gone, self._leg = 0, (self._leg + 1) % len(ROUND)
        return self._move(wanted, RUNNING if self.running else 0)

    def say(self, text: str) -> bytes:
        """See Bot."""
        return self._bytes(UnicodeSpeech(0, 0x34, 3, "ENU", (), text))

    # Its parts

    def _move(self, heading: int, running: int = 0) -> bytes:
        number = self._step_number
        self._step_number = number % 255 + 1
        self._heading = heading
        self.moves += 1
        self.expected += 1
        raw = MOVES[heading | running][number]
        return self._raw(raw) if self.encrypted else raw

    def _bytes(self, *packets: ClientPacket) -> bytes:
        return self._raw(*(packet.encode() for packet in packets))

    def _raw(self, *frames: bytes) -> bytes:
        for frame in frames:
            self._codec.send(Body(frame))
        return b"".join(self._codec.outgoing(0.0))

    def _take(self, opcode: int, packet: bytes) -> bytes:
        """What is rare."""
        match opcode:
            case 0xA8:  # the list of servers
                return self._bytes(SelectServer(0))
            case 0x8C:  # the relay: address, port, key
                self._relay_key = packet[7:11]
                self.reconnect = True
            case 0xA9:  # the list of characters
                return self._enter(named=any(packet[4:34]))
            case 0x1B:  # who and where it is
                self.number = int.from_bytes(packet[1:5], "big")
                self._heading = packet[17] & 7
            case 0x55:
                self.in_world = True
            case 0xBD:
                return self._bytes(VersionAnswer(".".join(map(str, VERSION))))
            case 0x21:  # the move was refused
                self.refused += 1
                self._step_number, self._heading = 0, packet[6] & 7
            case 0x20:  # it was placed
                self._step_number, self._heading = 0, packet[17] & 7
            case 0xAE:  # words, in UTF-16 behind a head of 48 bytes
                self.heard.append(packet[48:].decode("utf-16-be").rstrip("\0"))
            case 0x1C:  # words, in ASCII behind a head of 44 bytes
                self.heard.append(packet[44:].decode("latin-1").rstrip("\0"))
            case _ if opcode in _NOT_IN_GAME:
                raise LoginFailed(f"{self.name}: {_NOT_IN_GAME[opcode]} refused, reason {packet[1]}")
        return b""

    def _enter(self, *, named: bool) -> bytes:
        """With the first character of the account, made if there is none."""
        if named:
            return self._bytes(PlayCharacter(self.character, 0, 31, bytes(24), 0, LOCAL))
        look = self.look
        hair = HAIRS[look % len(HAIRS)]
        head = (self.character, 0, 31, 1, 0, 0, bytes(15), look % 2, 60, 10, 10, bytes(8))
        rest = (
            0x83EA + look % 57,
            hair,
            0x44E + look % 47,
            0,
            0,
            0,
            0,
            0,
            LOCAL,
            2 + look % 900,
            2 + look % 700,
        )
        return self._bytes(CreateCharacterFourSkills(*head, *rest))


class EncryptedUoBot(UoBot):
    """The same, enciphered as the original client is."""

    encrypted = True
