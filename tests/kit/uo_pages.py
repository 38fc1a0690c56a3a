"""What an Ultima Online client shows beside the world: login screens, chat window, words and gumps."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from tests.kit.uo_seen import Line, Window

if TYPE_CHECKING:
    from protocol.uo.versions import VersionNumber


class Pages:
    """Login screens, chat, lines and gumps of a client of a version."""

    def __init__(self, version: VersionNumber) -> None:
        self.version = version
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
        self.lines: list[Line] = []
        self.conference = ""
        """What it is in, by its chat window."""
        self.chat: list[tuple[str, str]] = []
        """Who said what there."""
        self.gumps: dict[int, Window] = {}
        self.prices: dict[int, list[tuple[int, str]]] = {}
        """Price and name of each ware, by the container of 0x74."""
        self.offered: dict[int, tuple[int, int]] = {}
        """What a merchant would buy: amount and price by serial."""
        self.shop = 0
        """Whose window of a shop is open."""

    # Shops

    def _priced(self, packet: bytes) -> None:
        container, count = struct.unpack_from(">IB", packet, 3)
        rows, at = [], 8
        for _ in range(count):
            price, size = struct.unpack_from(">IB", packet, at)
            assert packet[at + 4 + size] == 0, "the length of a name counts its NUL"
            rows.append((price, packet[at + 5 : at + 4 + size].decode("latin-1")))
            at += 5 + size
        assert at == len(packet)
        self.prices[container] = rows

    def _buys(self, packet: bytes) -> None:
        self.shop, count = struct.unpack_from(">IH", packet, 3)
        self.offered, at = {}, 9
        for _ in range(count):
            serial, _, _, amount, price, size = struct.unpack_from(">IHHHHH", packet, at)
            self.offered[serial] = amount, price
            at += 14 + size
        assert at == len(packet)
        assert count, "ClassicUO ignores an empty list"

    def _shut(self, packet: bytes) -> None:
        assert len(packet) == 8
        if packet[3:7] == self.shop.to_bytes(4, "big"):
            self.shop = 0

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
