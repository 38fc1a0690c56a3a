"""Gumps: windows that the server lays out and the client draws."""

import zlib
from collections.abc import Sequence
from typing import Annotated

from protocol.endings import WireError
from protocol.uo.packets.base import ClientPacket, ServerPacket, element, packet
from protocol.wire.declare import Struct
from protocol.wire.fields import U16, U32, CountedText, Listed, Numbers

LARGEST_GUMP = 0x40000
"""Bytes a packed gump may unpack to; only tests and bots unpack."""

# --- client ---


@element
class TextEntry(Struct):
    """What the player typed into one field."""

    number: U16
    text: Annotated[str, CountedText(encoding="utf-16-be", unit=2)]


@packet(0xB1)
class GumpAnswer(ClientPacket):
    """The player pressed a button, or closed the gump (button 0) (0xB1, DisplayGumpResponse).

    ClassicUO's answer of the virtue symbol ends behind the button (OutgoingPackets.cs,
    Send_VirtueGumpResponse).
    """

    serial: U32
    kind: U32
    button: U32
    switches: Annotated[tuple[int, ...], Numbers(4, count=4, limit=256, optional=True)]
    entries: Annotated[tuple[TextEntry, ...], Listed(TextEntry, count=4, limit=256, optional=True)]


# --- server ---


@element
class GumpLine(Struct):
    """A text that the layout refers to by its place in the list."""

    text: Annotated[str, CountedText(encoding="utf-16-be", unit=2)]


@packet(0xB0)
class Gump(ServerPacket):
    """Opens a gump (0xB0, DisplayGump)."""

    serial: U32
    kind: U32
    x: U32
    y: U32
    layout: Annotated[str, CountedText(encoding="ascii"), "`{ command arguments }` ..."]
    lines: Annotated[tuple[GumpLine, ...], Listed(GumpLine, count=2)]


@packet(0xDD, least=31)
class PackedGump(ServerPacket):
    """Opens a gump, its layout and texts packed by zlib (0xDD, DisplayGumpPacked; from 5.0.0a on).

    On the wire: serial, kind, x, y (u32 each); u32 packed size + 4, u32 plain size, layout and NUL; u32
    number of texts; u32 packed size + 4, u32 plain size, texts (u16 characters, UTF-16). Without texts the
    last part is one u32 of zero.
    """

    serial: U32
    kind: U32
    x: U32
    y: U32
    layout: Annotated[str, CountedText(encoding="ascii"), "`{ command arguments }` ..."]
    lines: Annotated[tuple[GumpLine, ...], Listed(GumpLine, count=2)]

    @classmethod
    def read(cls, data: bytes, at: int) -> "tuple[PackedGump, int]":
        """The packet's fields from offset `at` on."""
        if at + 16 > len(data):
            raise WireError("a gump is cut short")
        serial, kind, x, y = (int.from_bytes(data[i : i + 4], "big") for i in range(at, at + 16, 4))
        layout, at = _unpack(data, at + 16)
        if at + 4 > len(data):
            raise WireError("a gump is cut short")
        count = int.from_bytes(data[at : at + 4], "big")
        texts, at = _unpack(data, at + 4)
        lines: list[GumpLine] = []
        place = 0
        for _ in range(min(count, LARGEST_GUMP)):
            line, place = GumpLine.read(texts, place)
            lines.append(line)
        return cls(serial, kind, x, y, layout.rstrip(b"\0").decode("ascii", "replace"), tuple(lines)), at

    def write(self, out: bytearray) -> None:
        """Append the fields."""
        for number in (self.serial, self.kind, self.x, self.y):
            out += number.to_bytes(4, "big")
        _pack(out, self.layout.encode("ascii", "replace") + b"\0")
        out += len(self.lines).to_bytes(4, "big")
        _pack(out, _texts(self.lines))


def _texts(lines: Sequence[GumpLine]) -> bytes:
    plain = bytearray()
    for line in lines:
        line.write(plain)
    return bytes(plain)


def _pack(out: bytearray, plain: bytes) -> None:
    if not plain:
        out += bytes(4)
        return
    packed = zlib.compress(plain)
    out += (len(packed) + 4).to_bytes(4, "big")
    out += len(plain).to_bytes(4, "big")
    out += packed


def _unpack(data: bytes, at: int) -> tuple[bytes, int]:
    if at + 4 > len(data):
        raise WireError("a gump is cut short")
    size = int.from_bytes(data[at : at + 4], "big")
    if not size:
        return b"", at + 4
    end = at + 4 + size
    if size < 4 or end > len(data):
        raise WireError("a gump is cut short")
    plain = zlib.decompressobj()
    try:
        return plain.decompress(data[at + 8 : end], LARGEST_GUMP), end
    except zlib.error as error:
        raise WireError(f"a gump does not unpack: {error}") from None


@packet(0xBF04)
class CloseGump(ServerPacket):
    """Closes the gumps of a kind as if a button had been pressed (0xBF.04, CloseGump)."""

    kind: U32
    button: U32
