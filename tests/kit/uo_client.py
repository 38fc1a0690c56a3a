"""An Ultima Online client for tests, without I/O.

Methods return the bytes the client sends; `feed` takes the server's and returns its packets. What it receives
it reads strictly and by itself: sizes from the client's own table, fields by offset and not by our
declarations. Like a real client it numbers its steps, goes ahead of the server and comes back when it is
refused, forgets what lies beyond its view range, and draws a picture of its surroundings (`mobiles`, `items`,
`lines`) that a test can hold against the world.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from protocol.uo.ciphers import GameCipher
from protocol.uo.codec import UoClientCodec
from protocol.uo.huffman import Decompressor
from protocol.uo.packets.dialogs import GumpAnswer, TextEntry
from protocol.uo.packets.login import (
    AccountLogin,
    CreateCharacter,
    CreateCharacterFourSkills,
    DeleteCharacter,
    GameLogin,
    PlayCharacter,
    SelectServer,
    VersionAnswer,
)
from protocol.uo.packets.misc import LogoutRequest
from protocol.uo.packets.motion import ResyncRequest, ViewRangeRequest, WalkRequest
from protocol.uo.packets.talk import UnicodeSpeech
from protocol.uo.packets.things import DoubleClick, Drop, DropOld, Equip, Lift, SingleClick
from protocol.uo.versions import VARIABLE, VersionNumber, server_lengths
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.uo_belief import Belief
from tests.kit.uo_seen import GROUND, WORLD_PACKETS, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.uo.packets.base import ClientPacket


class UoClient(Belief):
    """One player at one client of a version."""

    def __init__(
        self, version: VersionNumber = (7, 0, 102, 3), *, encrypted: bool = False, seed: int = 0x0100007F
    ) -> None:
        super().__init__(version)
        self.encrypted = encrypted
        self.seed = seed
        self.packets: list[bytes] = []
        """Everything received on this connection."""
        self._tables = server_lengths(version)
        self._cipher: GameCipher | None = None
        self._start(compressed=False)

    # What it sends

    def login_bytes(self, name: str, password: str) -> bytes:
        """Open a login connection: seed and 0x80."""
        self._start(compressed=False)
        self._codec.open_login(self.seed)
        return self.pack_bytes(AccountLogin(name, password, 0x5D))

    def select_server_bytes(self, index: int = 0) -> bytes:
        """Choose a server: 0xA0."""
        return self.pack_bytes(SelectServer(index))

    def game_bytes(self, name: str, password: str) -> bytes:
        """Open the game connection that 0x8C sent it to: key and 0x91."""
        assert self.relay is not None, "no 0x8C came"
        key = self.relay[2]
        self._start(compressed=True)
        if self.encrypted:
            self._cipher = GameCipher(int.from_bytes(key, "big"))
        self._codec.open_game(key)
        return self.pack_bytes(GameLogin(key, name, password))

    def create_bytes(self, name: str, *, female: bool = False, hair: int = 0x203B) -> bytes:
        """Make a character: 0xF8 or 0x00."""
        head = (name, 0, 31, 1, 0, 0, bytes(15), int(female), 60, 10, 10)
        rest = (0x83EA, hair, 0x44E, 0, 0, 0, 0, 0, b"\x7f\0\0\1", 0x1BB, 0x1BB)
        if self.version >= (7, 0, 16, 0):
            return self.pack_bytes(CreateCharacterFourSkills(*(*head, bytes(8), *rest)))
        return self.pack_bytes(CreateCharacter(*(*head, bytes(6), *rest)))

    def play_bytes(self, slot: int = 0, name: str = "") -> bytes:
        """Enter with a character: 0x5D."""
        return self.pack_bytes(PlayCharacter(name, 0, 31, bytes(24), slot, b"\x7f\0\0\1"))

    def delete_bytes(self, slot: int) -> bytes:
        """Delete a character: 0x83."""
        return self.pack_bytes(DeleteCharacter("", slot, b"\x7f\0\0\1"))

    def version_bytes(self) -> bytes:
        """Say the version: 0xBD."""
        return self.pack_bytes(VersionAnswer(".".join(map(str, self.version))))

    def walk_bytes(self, heading: int, *, run: bool = False) -> bytes:
        """One 0x02: a turn if it faces another way (counting the steps under way), else a step."""
        number = self._next_step
        self._next_step = number % 255 + 1
        self.pending.append((number, heading))
        if self.player is not None:
            self._prune()
        return self.pack_bytes(WalkRequest(heading | (0x80 if run else 0), number, 0))

    def resync_bytes(self) -> bytes:
        """It has lost track: 0x22."""
        self.is_lost = False
        return self.pack_bytes(ResyncRequest(bytes(2)))

    def say_bytes(self, text: str, kind: int = 0) -> bytes:
        """Say something: 0xAD."""
        return self.pack_bytes(UnicodeSpeech(kind, 0x34, 3, "ENU", (), text))

    def open_chat_bytes(self) -> bytes:
        """Open the chat window: 0xB5, as ClassicUO does when it has entered."""
        return self.raw_bytes(b"\xb5" + bytes(63))

    def chat_bytes(self, action: int, text: str = "") -> bytes:
        """Type or choose something in the chat window: 0xB3."""
        frame = b"ENU\0" + action.to_bytes(2, "big") + text.encode("utf-16-be") + b"\0\0"
        return self.raw_bytes(b"\xb3" + (len(frame) + 3).to_bytes(2, "big") + frame)

    def click_bytes(self, serial: int) -> bytes:
        """Ask what something is: 0x09."""
        return self.pack_bytes(SingleClick(serial))

    def lift_bytes(self, serial: int, amount: int = 1) -> bytes:
        """Take an item into the hand: 0x07. Like ClassicUO it shows it there at once (`held`), and no longer
        where it was."""
        self._hold(serial, amount)
        return self.pack_bytes(Lift(serial, amount))

    def drop_bytes(self, serial: int, x: int, y: int, z: int = 0, container: int = GROUND) -> bytes:
        """Put what is in the hand on a tile, into a container, or onto a stack or a mobile: 0x08."""
        self._let_go()
        if self.version >= (6, 0, 1, 7):
            return self.pack_bytes(Drop(serial, x, y, z, 0, container))
        return self.pack_bytes(DropOld(serial, x, y, z, container))

    def equip_bytes(self, serial: int, layer: int, mobile: int) -> bytes:
        """Put what is in the hand on somebody: 0x13."""
        self._let_go()
        return self.pack_bytes(Equip(serial, layer, mobile))

    def open_bytes(self, serial: int) -> bytes:
        """Use something, open a container: 0x06."""
        return self.pack_bytes(DoubleClick(serial))

    def view_range_bytes(self, tiles: int) -> bytes:
        """Want to see so far: 0xC8."""
        return self.pack_bytes(ViewRangeRequest(tiles))

    def answer_bytes(self, gump: Window, button: int) -> bytes:
        """Press a button of a gump: 0xB1. It closes."""
        self.gumps.pop(gump.serial, None)
        return self.pack_bytes(GumpAnswer(gump.serial, gump.kind, button, (), ()))

    def filled_bytes(self, gump: Window, marks: Sequence[str], texts: Sequence[str], label: str) -> bytes:
        """Mark the switches beside some texts, fill in all fields, press the button beside a text: 0xB1."""
        switches, fields, pressed, at_hand = [], [], 0, ("", 0)
        for part in gump.layout.strip("{} ").split("}{"):
            command, *words = part.split()
            match command:
                case "radio" | "checkbox":
                    at_hand = (command, int(words[5]))
                case "button" if words[4] == "1":
                    at_hand = (command, int(words[6]))
                case "textentry":
                    fields.append(int(words[5]))
                case "text":
                    beside = gump.texts[int(words[3])]
                    if at_hand[0] == "button" and beside == label:
                        pressed = at_hand[1]
                    elif at_hand[0] and beside in marks:
                        switches.append(at_hand[1])
                    at_hand = ("", 0)
        entries = tuple(TextEntry(field, text) for field, text in zip(fields, texts, strict=True))
        self.gumps.pop(gump.serial, None)
        return self.pack_bytes(GumpAnswer(gump.serial, gump.kind, pressed, tuple(switches), entries))

    def logout_bytes(self) -> bytes:
        """Leave: 0xD1."""
        return self.pack_bytes(LogoutRequest(0))

    def pack_bytes(self, *packets: ClientPacket) -> bytes:
        """Any packets, and whatever is queued before them (a seed)."""
        return self.raw_bytes(*(packet.encode() for packet in packets))

    def raw_bytes(self, *frames: bytes) -> bytes:
        """Any bytes as packets, enciphered if this client does."""
        for frame in frames:
            self._codec.send(Body(frame))
        return b"".join(self._codec.outgoing(0.0))

    # What it receives

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes of the server's, cut anywhere; the packets they complete."""
        if self._inflate is not None:
            self._inflate.feed(self._cipher.client_decrypt(data) if self._cipher is not None else data)
            found = []
            while (packet := self._inflate.next_packet()) is not None:
                assert packet, "an empty packet"
                assert len(packet) == self._size(packet), f"wrong size: {packet.hex()}"
                found.append(packet)
        else:
            self._buffer += data
            found = self._cut()
        for packet in found:
            self.packets.append(packet)
            self._take(packet)
        return found

    def opcodes(self) -> list[int]:
        """The opcodes of everything received, 0xBF00 plus the number for extended packets."""
        return [
            packet[0] if packet[0] != 0xBF else 0xBF00 | int.from_bytes(packet[3:5], "big")
            for packet in self.packets
        ]

    def said(self) -> list[str]:
        """The words of all lines."""
        return [line.text for line in self.lines]

    def _start(self, *, compressed: bool) -> None:
        """A new connection: nothing is left of the old one but what the player remembers."""
        settings = {"version": self.version, "encrypted": self.encrypted}
        self._codec = UoClientCodec(CodecArgs(Role.CLIENT, random.Random(1).randbytes, settings))
        self._inflate = Decompressor() if compressed else None
        self._cipher = None
        self._buffer = bytearray()
        self.packets = []

    def _size(self, packet: bytes | bytearray) -> int:
        assert packet[0] in self._tables, f"unknown opcode {packet[0]:#04x}"
        size = self._tables[packet[0]]
        if size != VARIABLE:
            return size
        return int.from_bytes(packet[1:3], "big") if len(packet) >= 3 else 3

    def _cut(self) -> list[bytes]:
        found: list[bytes] = []
        while self._buffer and len(self._buffer) >= (size := self._size(self._buffer)):
            assert size > 0
            found.append(bytes(self._buffer[:size]))
            del self._buffer[:size]
        return found

    def _take(self, packet: bytes) -> None:
        opcode = packet[0]
        if opcode in WORLD_PACKETS:
            assert self.player is not None, f"{opcode:#04x} before 0x1B"
        reader = _READERS.get(opcode)
        if reader is not None:
            reader(self, packet)


_READERS: Final[dict[int, Callable[[UoClient, bytes], None]]] = {
    0x0B: UoClient._damaged,
    0x11: UoClient._status,
    0x17: UoClient._bar,
    0x1A: UoClient._lies_old,
    0x1B: UoClient._confirmed,
    0x1C: UoClient._ascii,
    0x1D: UoClient._removed,
    0x20: UoClient._placed,
    0x21: UoClient._refused,
    0x22: UoClient._accepted,
    0x24: UoClient._opens,
    0x25: UoClient._contained,
    0x27: UoClient._denied,
    0x28: UoClient._released,
    0x29: UoClient._released,
    0x2C: UoClient._died,
    0x2D: UoClient._attributes,
    0x2E: UoClient._wears,
    0x3B: UoClient._shut,
    0x3C: UoClient._content,
    0x53: UoClient._pop_up,
    0x55: UoClient._completed,
    0x6C: UoClient._points,
    0x6F: UoClient._trades,
    0x72: UoClient._war,
    0x74: UoClient._priced,
    0x77: UoClient._moved,
    0x78: UoClient._incoming,
    0x82: UoClient._rejection,
    0x85: UoClient._will_not,
    0x86: UoClient._character_update,
    0x89: UoClient._dressed,
    0x8C: UoClient._relayed,
    0x98: UoClient._named,
    0x9E: UoClient._buys,
    0xA1: UoClient._hits,
    0xA2: UoClient._mana,
    0xA3: UoClient._stamina,
    0xA8: UoClient._server_list,
    0xA9: UoClient._character_list,
    0xAA: UoClient._attacks,
    0xAE: UoClient._unicode,
    0xAF: UoClient._falls,
    0xB0: UoClient._gump,
    0xB2: UoClient._chat,
    0xBF: UoClient._extended,
    0xC1: UoClient._localized,
    0xC8: UoClient._range,
    0xDD: UoClient._packed_gump,
    0xF0: UoClient._maps,
    0xF3: UoClient._lies,
}
