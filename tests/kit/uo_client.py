"""An Ultima Online client for tests, without I/O.

Methods return the bytes the client sends; `feed` takes the server's and returns its packets. What it receives
it reads strictly and by itself: sizes from the client's own table, fields by offset and not by our
declarations. Like a real client it numbers its steps, goes ahead of the server and comes back when it is
refused, forgets what lies beyond its view range, and draws a picture of its surroundings (`mobiles`, `items`,
`lines`) that a test can hold against the world.
"""

from __future__ import annotations

import random
import struct
import zlib
from typing import TYPE_CHECKING, Final

import attrs

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
from tests.kit.uo_holders import Holders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.uo.packets.base import ClientPacket

OFFSETS: Final = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))

WORLD_PACKETS: Final = frozenset(bytes.fromhex("111A1D20212223242527282D2E3C4E4F54556E7778A1A2A3BCC8DCE2F3"))
"""Mean nothing to a client that does not know who it is."""

GROUND: Final = 0xFFFFFFFF
"""Target of 0x08: the ground."""

ANYWHERE: Final = 0xFFFF
"""x and y of 0x08: any place within the container."""


FIRST_SCENERY: Final = 0x7E000000
"""What is sent as items and is none: nobody wears or carries it."""


@attrs.define
class Seen:
    """Somebody as the client sees it. `worn` is (serial, item id, hue) by layer."""

    serial: int
    body: int
    x: int
    y: int
    z: int
    heading: int
    hue: int
    flags: int
    notoriety: int
    worn: dict[int, tuple[int, int, int]] = attrs.field(factory=dict)
    hits: tuple[int, int] = (0, 0)
    """Now, most."""


@attrs.frozen
class Lying:
    """An item on the ground as the client sees it."""

    serial: int
    item: int
    amount: int
    x: int
    y: int
    z: int
    hue: int


@attrs.define
class Held:
    """What the client shows in its hand, and where it took it from: one of `lay`, `put` and `wore`.

    `dropped`: it has asked to put it down and shows it nowhere until it hears where it is. `updated`: the
    server has said since that it lies on the ground.
    """

    serial: int
    amount: int
    lay: Lying | None = None
    put: tuple[int, int, int] | None = None
    wore: tuple[int, int, tuple[int, int, int]] | None = None
    """Mobile, layer, and what it knew of it."""
    dropped: bool = False
    updated: bool = False


@attrs.frozen
class Line:
    """Words the client shows. `kind` as in the packet: 0 said, 2 emote, 6 label ..."""

    serial: int
    kind: int
    hue: int
    name: str
    text: str


@attrs.frozen
class Window:
    """An open gump."""

    serial: int
    kind: int
    layout: str
    texts: tuple[str, ...]


class UoClient:
    """One player at one client of a version."""

    def __init__(
        self, version: VersionNumber = (7, 0, 102, 3), *, encrypted: bool = False, seed: int = 0x0100007F
    ) -> None:
        self.version = version
        self.encrypted = encrypted
        self.seed = seed
        self.servers: list[tuple[int, str]] = []
        self.relay: tuple[str, int, bytes] | None = None
        """Host, port and key of the last 0x8C."""
        self.rejected: int | None = None
        """Reason of a 0x82."""
        self.popup: int | None = None
        """Reason of a 0x53."""
        self.unwilling: int | None = None
        """Reason of a 0x85."""
        self.slots: list[str] = []
        """Its character screen: what stands on each line, also where no character is."""
        self.most_slots = 5
        self.player: Seen | None = None
        """The server's 0x1B made it known; its place is where the server last said or acknowledged."""
        self.in_world = False
        """0x55 came."""
        self.map: int | None = None
        self.view_range = 18
        self.mobiles: dict[int, Seen] = {}
        """Others in sight, by serial."""
        self.left_behind: set[int] = set()
        """What it forgot or never took because it was out of range of where it showed itself, being ahead of
        the server. That may be in range again before the server notices, and stays unseen until it is placed
        anew: a move of what is not known shows nothing (ClassicUO, 0x77)."""
        self.items: dict[int, Lying] = {}
        """What lies in sight, scenery included."""
        self._holders = Holders()
        self.pack = self._holders.contained
        """What is in containers: (item id, amount, container) by serial."""
        self.held: Held | None = None
        """What it shows in its hand, or has put down without having heard where it is."""
        self.opened = self._holders.opened
        """Containers whose windows the server opened."""
        self.refusals: list[int] = []
        """Reasons of all 0x27."""
        self.orphans: list[int] = []
        """Items said to be in a container it does not know: ClassicUO ignores them, the oldest clients
        crash."""
        self.lines: list[Line] = []
        self.conference = ""
        """What it is in, by its chat window."""
        self.chat: list[tuple[str, str]] = []
        """Who said what there."""
        self.gumps: dict[int, Window] = {}
        self.dead = False
        self.packets: list[bytes] = []
        """Everything received on this connection."""
        self.pending: list[tuple[int, int]] = []
        """Steps without an answer: (number, heading)."""
        self._next_step = 0
        self._forgotten: set[int] = set()
        """Steps that were unanswered when it was put elsewhere."""
        self._is_resyncing = False
        self.is_lost = False
        """Whether it was answered one of those: it is going to ask where it is."""
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

    # The chat window

    def _chat(self, packet: bytes) -> None:
        kind = int.from_bytes(packet[3:5], "big")
        first, second, rest = packet[9:].decode("utf-16-be").split("\0")
        assert not rest
        if kind == 0x3F1:
            self.conference = first
        elif kind in (0x3EC, 0x3F0):
            self.conference = ""
        elif kind == 0x25:
            assert first[0] in "01245", "a name without its colour"
            self.chat.append((first[1:], second))

    # Login

    def _server_list(self, packet: bytes) -> None:
        (count,) = struct.unpack_from(">H", packet, 4)
        assert len(packet) == 6 + 40 * count
        for at in range(6, len(packet), 40):
            index, name = struct.unpack_from(">H32s", packet, at)
            self.servers.append((index, _text(name)))

    def _relayed(self, packet: bytes) -> None:
        ip, port, key = struct.unpack_from(">4sH4s", packet, 1)
        assert key[0] != 0xEF
        assert any(key)
        self.relay = ".".join(map(str, ip)), port, key

    def _rejection(self, packet: bytes) -> None:
        self.rejected = packet[1]

    def _pop_up(self, packet: bytes) -> None:
        self.popup = packet[1]

    def _will_not(self, packet: bytes) -> None:
        self.unwilling = packet[1]

    def _character_list(self, packet: bytes) -> None:
        slots = packet[3]
        assert 5 <= slots <= 7
        cities_at = 4 + 60 * slots
        new = self.version >= (7, 0, 13, 0)
        size = cities_at + 1 + packet[cities_at] * (89 if new else 63) + (6 if new else 4)
        assert len(packet) == size, (len(packet), size)
        self._read_slots(packet, slots)
        # ClassicUO: Game/Data/ClientFeatures.cs, MaxChars.
        flags = int.from_bytes(packet[-6:-2] if new else packet[-4:], "big")
        self.most_slots = 1 if flags & 4 else 7 if flags & 0x1000 else 6 if flags & 0x40 else self.most_slots

    def _character_update(self, packet: bytes) -> None:
        assert len(packet) == 4 + 60 * packet[3]
        self._read_slots(packet, packet[3])

    def _read_slots(self, packet: bytes, slots: int) -> None:
        self.slots = [_text(packet[at : at + 30]) for at in range(4, 4 + 60 * slots, 60)]

    @property
    def refused(self) -> bool:
        """Whether it was told why it gets no farther than this screen."""
        return self.popup is not None or self.unwilling is not None

    @property
    def characters(self) -> list[str]:
        """Names by slot, without lines that are empty or say why no character is there."""
        return [name for name in self.slots if name and not name.startswith("(")]

    @property
    def offers_new(self) -> bool:
        """Whether there is a button to make another one: ClassicUO, CharacterSelectionGump.cs."""
        return sum(map(bool, self.slots)) < self.most_slots

    # The player

    def _confirmed(self, packet: bytes) -> None:
        serial, body, x, y, z, heading = struct.unpack_from(">I4xHHHhB", packet, 1)
        self.player = Seen(serial, body, x, y, z, heading, 0, 0, 0)
        self.mobiles.clear()
        self.items.clear()
        self._holders.clear()
        self.held = None
        self.gumps.clear()
        self.in_world = False
        self._restart()

    def _completed(self, packet: bytes) -> None:
        assert not self.in_world, "0x55 twice"
        self.in_world = True

    def _extended(self, packet: bytes) -> None:
        number = int.from_bytes(packet[3:5], "big")
        if number == 0x08 and packet[5] != self.map:
            self.map = packet[5]
            self._drop_out([*self.mobiles, *self.items])
        elif number == 0x04:
            kind = int.from_bytes(packet[5:9], "big")
            self.gumps = {serial: gump for serial, gump in self.gumps.items() if gump.kind != kind}

    def _placed(self, packet: bytes) -> None:
        player = self._me
        serial, body, hue, flags, x, y, direction, z = struct.unpack_from(">IHxHBHH2xBb", packet, 1)
        assert serial == player.serial
        player.body, player.hue, player.flags = body, hue, flags
        player.x, player.y, player.z, player.heading = x, y, z, direction & 7
        self._restart()
        self._prune()

    def _accepted(self, packet: bytes) -> None:
        if self._is_resyncing:
            return
        if packet[1] in self._forgotten and (not self.pending or self.pending[0][0] != packet[1]):
            # A step it had sent before it was put elsewhere looked like the first one after that. ClassicUO
            # asks for a resync then (Game/Managers/WalkerManager.cs, ConfirmWalk).
            self.is_lost = self._is_resyncing = True
            self.pending.clear()
            return
        assert self.pending, "an answer to no step"
        number, heading = self.pending.pop(0)
        assert packet[1] == number, f"step {packet[1]} answered instead of {number}"
        player = self._me
        if player.heading != heading:
            player.heading = heading
        else:
            dx, dy = OFFSETS[heading]
            player.x, player.y = player.x + dx, player.y + dy
            self._prune()

    def _refused(self, packet: bytes) -> None:
        player = self._me
        x, y, direction, z = struct.unpack_from(">HHBb", packet, 2)
        player.x, player.y, player.z, player.heading = x, y, z, direction & 7
        self._restart()
        self._prune()

    def _died(self, packet: bytes) -> None:
        self.dead = packet[1] == 0

    def _range(self, packet: bytes) -> None:
        self.view_range = packet[1]
        self._prune()

    @property
    def _me(self) -> Seen:
        assert self.player is not None
        return self.player

    def _restart(self) -> None:
        self._forgotten = {number for number, _ in self.pending}
        self._is_resyncing = False
        self.pending.clear()
        self._next_step = 0

    def foresee(self) -> tuple[int, int]:
        """Where it will stand when all its steps are taken; a real client shows itself there already."""
        x, y, heading = self._me.x, self._me.y, self._me.heading
        for _, towards in self.pending:
            if towards == heading:
                x, y = x + OFFSETS[heading][0], y + OFFSETS[heading][1]
            heading = towards
        return x, y

    def _prune(self) -> None:
        """Forget what is out of range of where it shows itself, as ClassicUO does (Game/World.cs, Update)."""
        x, y = self.foresee()
        left, right, top, bottom = (
            x - self.view_range,
            x + self.view_range,
            y - self.view_range,
            y + self.view_range,
        )
        gone = [
            seen.serial
            for around in (self.mobiles, self.items)
            for seen in around.values()
            if not (left <= seen.x <= right and top <= seen.y <= bottom)
        ]
        self.left_behind.update(gone)
        self._drop_out(gone)

    def _drop_out(self, serials: Iterable[int]) -> None:
        """Forget what stood or lay there, with all that it held."""
        for serial in serials:
            seen = self.mobiles.pop(serial, None)
            if seen is not None:
                self._holders.undress(seen)
            if self.items.pop(serial, None) is not None:
                self._holders.lose(serial)

    def _near(self, x: int, y: int) -> bool:
        ahead_x, ahead_y = self.foresee()
        return max(abs(x - ahead_x), abs(y - ahead_y)) <= self.view_range

    # Others

    def _incoming(self, packet: bytes) -> None:
        serial, body, x, y, z, direction, hue, flags, notoriety = struct.unpack_from(">IHHHbBHBB", packet, 3)
        worn: dict[int, tuple[int, int, int]] = {}
        at = 19
        while (item_serial := int.from_bytes(packet[at : at + 4], "big")) != 0:
            item, layer = struct.unpack_from(">HB", packet, at + 4)
            at += 7
            item_hue = 0
            if self.version >= (7, 0, 33, 1) or item & 0x8000:
                (item_hue,) = struct.unpack_from(">H", packet, at)
                at += 2
            assert layer not in worn, f"two items on layer {layer}"
            item_id = item if self.version >= (7, 0, 33, 1) else item & 0x7FFF
            worn[layer] = (item_serial, item_id, item_hue)
        assert at + 4 == len(packet), "bytes behind the items"
        own = serial == self._me.serial
        if not own and not self._near(x, y):
            self._drop_out([serial])
            self.left_behind.add(serial)
            return
        seen = self._me if own else self.mobiles.get(serial)
        if seen is None:
            seen = self.mobiles[serial] = Seen(serial, body, x, y, z, direction & 7, hue, flags, notoriety)
            self.left_behind.discard(serial)
        elif not own:
            seen.x, seen.y, seen.z, seen.heading = x, y, z, direction & 7
        seen.body, seen.hue, seen.flags, seen.notoriety = body, hue, flags, notoriety
        self._dress(seen, worn)

    def _dress(self, seen: Seen, worn: dict[int, tuple[int, int, int]]) -> None:
        """Somebody wears this and nothing else."""
        kept = {item[0] for item in worn.values()}
        for serial, _, _ in list(seen.worn.values()):
            self._holders.take(serial)
            if serial not in kept:
                self._holders.lose(serial)
        for layer, item in worn.items():
            self._forget(item[0])
            self._holders.put_on(seen, layer, item)

    def _moved(self, packet: bytes) -> None:
        serial, body, x, y, z, direction, hue, flags, notoriety = struct.unpack_from(">IHHHbBHBB", packet, 1)
        seen = self._me if serial == self._me.serial else self.mobiles.get(serial)
        if seen is None:
            return  # somebody it does not know: a real client ignores that, too
        seen.body, seen.hue, seen.flags, seen.notoriety = body, hue, flags, notoriety
        if seen is not self.player:
            seen.x, seen.y, seen.z, seen.heading = x, y, z, direction & 7
            if not self._near(x, y):
                self._drop_out([serial])
                self.left_behind.add(serial)

    def _removed(self, packet: bytes) -> None:
        serial = int.from_bytes(packet[1:5], "big")
        assert serial != self._me.serial, "the player itself is removed"
        self.left_behind.discard(serial)
        self._drop_out([serial])
        self._forget(serial)
        self._holders.lose(serial)

    def _wears(self, packet: bytes) -> None:
        serial, item, layer, mobile, hue = struct.unpack_from(">IHxBIH", packet, 1)
        self._forget(serial)
        seen = self._me if mobile == self._me.serial else self.mobiles.get(mobile)
        if seen is not None:
            self._holders.put_on(seen, layer, (serial, item, hue))
        else:
            self._holders.lose(serial)

    def _hits(self, packet: bytes) -> None:
        serial, most, now = struct.unpack_from(">IHH", packet, 1)
        seen = self._me if serial == self._me.serial else self.mobiles.get(serial)
        if seen is not None:
            seen.hits = (now, most)

    def _attributes(self, packet: bytes) -> None:
        serial, most, now = struct.unpack_from(">IHH", packet, 1)
        assert serial == self._me.serial
        self._me.hits = (now, most)

    def _status(self, packet: bytes) -> None:
        serial, now, most, kind = struct.unpack_from(">I30xHHxB", packet, 3)
        assert len(packet) == {0: 43, 4: 88, 5: 91, 6: 121}[kind], packet.hex()
        seen = self._me if serial == self._me.serial else self.mobiles.get(serial)
        if seen is not None:
            seen.hits = (now, most)

    # Items

    def _lies(self, packet: bytes) -> None:
        serial, item, amount, x, y, z, hue = struct.unpack_from(">4xIHxH2xHHbxH", packet, 0)
        self._lay(Lying(serial, item, amount, x, y, z, hue))

    def _lies_old(self, packet: bytes) -> None:
        at = 3

        def number(size: int) -> int:
            nonlocal at
            at += size
            return int.from_bytes(packet[at - size : at], "big")

        serial, item = number(4), number(2)
        amount = number(2) if serial & 0x80000000 else 1
        x, y = number(2), number(2)
        if x & 0x8000:
            number(1)
        z = number(1)
        hue = number(2) if y & 0x8000 else 0
        if y & 0x4000:
            number(1)
        assert at == len(packet), packet.hex()
        self._lay(Lying(serial & 0x7FFFFFFF, item, amount, x & 0x7FFF, y & 0x3FFF, z - (z >> 7 << 8), hue))

    def _lay(self, item: Lying) -> None:
        held = self.held
        if held is not None and held.serial == item.serial:
            if held.dropped:
                self.held = None
            else:
                held.updated = True
        self._forget(item.serial)
        if self._near(item.x, item.y):
            self.items[item.serial] = item
            self.left_behind.discard(item.serial)
        else:
            self.left_behind.add(item.serial)

    def _opens(self, packet: bytes) -> None:
        (serial,) = struct.unpack_from(">I", packet, 1)
        assert len(packet) == (9 if self.version >= (7, 0, 9, 0) else 7)
        assert self.knows(serial), "a window of a container it has never seen"
        self._holders.lose(serial)
        self.opened.add(serial)

    def _contained(self, packet: bytes) -> None:
        self._put(packet, 1)

    def _content(self, packet: bytes) -> None:
        (count,) = struct.unpack_from(">H", packet, 3)
        size = 20 if self.version >= (6, 0, 1, 7) else 19
        assert len(packet) == 5 + size * count
        for at in range(5, len(packet), size):
            if at == 5:
                container = int.from_bytes(packet[at + size - 6 : at + size - 2], "big")
                was_open = container in self.opened
                self._holders.lose(container)
                if was_open:
                    self.opened.add(container)
            self._put(packet, at)

    def _put(self, packet: bytes, at: int) -> None:
        serial, item, amount = struct.unpack_from(">IHxH", packet, at)
        grid = 1 if self.version >= (6, 0, 1, 7) else 0
        (container,) = struct.unpack_from(">I", packet, at + 13 + grid)
        if self.held is not None and self.held.serial == serial and self.held.dropped:
            self.held = None
        if not self.knows(container):
            self.orphans.append(serial)
            return
        self._forget(serial)
        self._holders.lose(serial)
        self._holders.put_in(serial, item, amount, container)

    # The hand, as ClassicUO keeps it (Game/ItemHold.cs, Game/GameActions.cs, Network/PacketHandlers.cs)

    def _hold(self, serial: int, amount: int) -> None:
        """It lifts: what it does not know, or with something in its hand, it does not."""
        if (self.held is not None and not self.held.dropped) or not self.knows(serial):
            return
        held = Held(serial, amount, self.items.get(serial), self.pack.get(serial))
        worn = self._holders.wearer(serial)
        if worn is not None:
            seen, layer = worn
            held.wore = (seen.serial, layer, seen.worn[layer])
        self._forget(serial)
        self._holders.lose(serial)
        self.held = held

    def _let_go(self) -> None:
        if self.held is not None:
            self.held.dropped = True

    def _denied(self, packet: bytes) -> None:
        """0x27: what it holds, or has put down and not heard of since, is where it was."""
        self.refusals.append(packet[1])
        held = self.held
        if held is None or (held.dropped and self.knows(held.serial)):
            return
        self.held = None
        if held.updated:
            return
        if held.put is not None:
            if self.knows(held.put[2]):
                self._holders.put_in(held.serial, *held.put)
        elif held.wore is not None:
            mobile, layer, worn = held.wore
            seen = self._me if mobile == self._me.serial else self.mobiles.get(mobile)
            if seen is not None:
                self._holders.put_on(seen, layer, worn)
        elif held.lay is not None and self._near(held.lay.x, held.lay.y):
            self.items[held.serial] = held.lay

    def _released(self, packet: bytes) -> None:
        """0x28, 0x29: the hand is empty; where the item is now other packets say."""
        self.held = None

    @property
    def in_hand(self) -> int | None:
        """The serial of what it shows in its hand."""
        return self.held.serial if self.held is not None and not self.held.dropped else None

    def knows(self, serial: int) -> bool:
        """Whether it knows a thing: itself, in sight, worn, or in a container that it knows."""
        return (
            serial in self.items
            or serial in self.mobiles
            or serial in self._holders
            or serial == self._me.serial
        )

    def inside(self, container: int) -> dict[int, tuple[int, int]]:
        """What it believes to be right in a container: (item id, amount) by serial."""
        return {serial: self.pack[serial][:2] for serial in self._holders.inside(container)}

    def _forget(self, serial: int) -> None:
        """An item is nowhere it was."""
        self.items.pop(serial, None)
        self._holders.take(serial)

    # Words

    def _ascii(self, packet: bytes) -> None:
        serial, kind, hue, name = struct.unpack_from(">I2xBH2x30s", packet, 3)
        assert packet.endswith(b"\0")
        self.lines.append(Line(serial, kind, hue, _text(name), _text(packet[44:])))

    def _unicode(self, packet: bytes) -> None:
        serial, kind, hue, name = struct.unpack_from(">I2xBH2x4x30s", packet, 3)
        assert packet.endswith(b"\0\0")
        self.lines.append(Line(serial, kind, hue, _text(name), packet[48:-2].decode("utf-16-be")))

    def _localized(self, packet: bytes) -> None:
        serial, kind, hue, name = struct.unpack_from(">I2xBH2x4x30s", packet, 3)
        assert packet.endswith(b"\0\0")
        self.lines.append(Line(serial, kind, hue, _text(name), packet[48:-2].decode("utf-16-le")))

    # Gumps

    def _gump(self, packet: bytes) -> None:
        serial, kind, size = struct.unpack_from(">II8xH", packet, 3)
        at = 21 + size
        (count,) = struct.unpack_from(">H", packet, at)
        texts, end = _texts(packet, at + 2, count)
        assert end == len(packet)
        self._open(serial, kind, packet[21:at].decode("ascii"), texts)

    def _packed_gump(self, packet: bytes) -> None:
        serial, kind, packed, plain = struct.unpack_from(">II8xII", packet, 3)
        at = 27 + packed - 4
        layout = zlib.decompress(packet[27:at])
        assert len(layout) == plain
        count, packed, plain = struct.unpack_from(">III", packet, at)
        lines = zlib.decompress(packet[at + 12 :])
        assert at + 12 + packed - 4 == len(packet)
        assert len(lines) == plain
        texts, end = _texts(lines, 0, count)
        assert end == len(lines)
        assert layout.endswith(b"\0")
        self._open(serial, kind, layout[:-1].decode("ascii"), texts)

    def _open(self, serial: int, kind: int, layout: str, texts: tuple[str, ...]) -> None:
        for part in layout.strip("{} ").split("}{"):
            words = part.split()
            place = {"text": 4, "croppedtext": 6, "htmlgump": 5}.get(words[0])
            if place is not None:
                assert int(words[place]) < len(texts), f"no text {words[place]}: {layout}"
        self.gumps[serial] = Window(serial, kind, layout, texts)


def _text(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode("latin-1")


def _texts(data: bytes, at: int, count: int) -> tuple[tuple[str, ...], int]:
    found = []
    for _ in range(count):
        end = at + 2 + 2 * int.from_bytes(data[at : at + 2], "big")
        found.append(data[at + 2 : end].decode("utf-16-be"))
        at = end
    return tuple(found), at


_READERS: Final[dict[int, Callable[[UoClient, bytes], None]]] = {
    0x11: UoClient._status,
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
    0x3C: UoClient._content,
    0x53: UoClient._pop_up,
    0x55: UoClient._completed,
    0x77: UoClient._moved,
    0x78: UoClient._incoming,
    0x82: UoClient._rejection,
    0x85: UoClient._will_not,
    0x86: UoClient._character_update,
    0x8C: UoClient._relayed,
    0xA1: UoClient._hits,
    0xA8: UoClient._server_list,
    0xA9: UoClient._character_list,
    0xAE: UoClient._unicode,
    0xB0: UoClient._gump,
    0xB2: UoClient._chat,
    0xBF: UoClient._extended,
    0xC1: UoClient._localized,
    0xC8: UoClient._range,
    0xDD: UoClient._packed_gump,
    0xF3: UoClient._lies,
}
