"""Windows: gumps, which the server lays out and the client draws; context menus; tips.

A gump is a program of drawing commands, as text, that refers to a list of texts by their places; its answer
names the button, the switches that are on, and what was typed. Clients from 5.0.0a on take both parts packed
by zlib (`PackedGump`), which no declaration says, so that it has `read` and `write` of its own. Context menus
are numbers of the client's own texts.
"""

import zlib
from collections.abc import Sequence
from typing import Annotated, ClassVar

from protocol.endings import WireError
from protocol.uo.packets.base import (
    ClientPacket,
    ServerPacket,
    element,
    packet,
)
from protocol.wire.declare import Struct
from protocol.wire.fields import (
    U8,
    U16,
    U32,
    Blob,
    Constant,
    CountedText,
    Flag,
    Listed,
    Numbers,
    Tail,
)

LARGEST_GUMP = 0x40000
"""Bytes a packed gump may unpack to; only tests and bots unpack."""


# --- client ---


@element
class TextEntry(Struct):
    """The text that the player typed into one field."""

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


@packet(0xBF13)
class MenuRequest(ClientPacket):
    """Asks what can be done with it (0xBF 0x13, ContextMenuRequest)."""

    serial: U32


@packet(0xBF15)
class MenuChoice(ClientPacket):
    """A line of a context menu was chosen (0xBF 0x15, ContextMenuResponse)."""

    serial: U32
    line: U16


@packet(0xA7, length=4)
class TipRequest(ClientPacket):
    """The tip before or behind one that is shown (0xA7, RequestScrollWindow)."""

    tip: U16
    forward: Annotated[U8, "0: the one before, 1: the next"]


@packet(0x9B, length=258)
class HelpRequest(ClientPacket):
    """The help button (0x9B, HelpRequest)."""

    unused: Annotated[bytes, Blob(257)]


# --- server: gumps ---


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
        """The packet's fields from offset `at` on, and the offset behind them. Raises WireError if it is cut
        short."""
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


# --- guilds and quests ---


@packet(0xD728)
class GuildRequest(ClientPacket):
    """The button for the guild on the paperdoll (0xD7.28, GuildGumpRequest)."""

    player: U32
    kind: ClassVar = Constant(b"\0\x28")
    rest: Annotated[Tail, "0x0A"]


@packet(0xD732)
class JournalRequest(ClientPacket):
    """The button for quests on the paperdoll (0xD7.32, QuestGumpRequest)."""

    player: U32
    kind: ClassVar = Constant(b"\0\x32")
    rest: Annotated[Tail, "0x0A"]


@packet(0xBF07, trailing=True)
class ArrowClicked(ClientPacket):
    """The quest arrow was clicked (0xBF.07, QuestArrow)."""

    right: Annotated[Flag, "with the right button: it is to go away"]


@packet(0xBA, length=10)
class Arrow(ServerPacket):
    """An arrow to a tile, or none any more (0xBA, SetArrow; from 7.0.9.0 on)."""

    shown: Flag
    x: U16
    y: U16
    serial: U32


@packet(0xBA, length=6)
class ArrowOld(ServerPacket):
    """An arrow to a tile, or none any more (0xBA, SetArrow; until 7.0.9.0)."""

    shown: Flag
    x: U16
    y: U16


# --- server: menus, tips ---


@element
class MenuLine(Struct):
    """One line of a context menu (from 6.0.0.0 on)."""

    cliloc: U32
    line: U16
    flags: Annotated[U16, "1: grey"]


@packet(0xBF14)
class Menu(ServerPacket):
    """A context menu (0xBF 0x14, DisplayContextMenu; from 6.0.0.0 on)."""

    form: ClassVar = Constant(b"\x00\x02")
    serial: U32
    lines: Annotated[tuple[MenuLine, ...], Listed(MenuLine, count=1)]


@element
class MenuLineOld(Struct):
    """One line of a context menu (until 6.0.0.0)."""

    line: U16
    cliloc: Annotated[U16, "less 3,000,000"]
    flags: Annotated[U16, "1: grey"]


@packet(0xBF14)
class MenuOld(ServerPacket):
    """A context menu (0xBF 0x14, DisplayContextMenuOld; until 6.0.0.0)."""

    form: ClassVar = Constant(b"\x00\x01")
    serial: U32
    lines: Annotated[tuple[MenuLineOld, ...], Listed(MenuLineOld, count=1)]


@packet(0xA6)
class Tip(ServerPacket):
    """A window with something to read (0xA6, ScrollMessage)."""

    kind: Annotated[U8, "0: a tip, with arrows to the others; 2: a notice"]
    tip: U32
    text: Annotated[str, CountedText(encoding="latin-1")]
