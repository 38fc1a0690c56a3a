"""Bulletin boards (0x71): one number for four wishes of the client, and for three answers.

Layouts: ServUO, Scripts/Items/- Misc/BulletinBoards.cs (BBClientRequest, BBDisplayBoard, BBMessageHeader,
BBMessageContent); what ClassicUO reads and writes is the same (PacketHandlers.cs, BulletinBoardData;
OutgoingPackets.cs, Send_BulletinBoard...).
"""

from typing import Annotated, ClassVar, Final

import attrs

from protocol.endings import WireError
from protocol.uo.packets.base import ClientPacket, ServerPacket, element, packet
from protocol.wire.declare import Struct
from protocol.wire.fields import U8, U16, U32, Constant, Field, FixedText, Listed, Tail


@attrs.frozen
class CountedUtf8(Field):
    """A byte with the number of bytes, then UTF-8 text with so many NULs as its end. What is longer than the
    count can say is cut between two letters. `letters`: some clients count letters instead, so that a text
    whose last byte is no NUL goes on to the next one."""

    ends: int = 1
    letters: bool = False

    @property
    def minimum(self) -> int:
        return 1

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        """The text at `at`, and the offset behind it. Raises WireError if it is longer than its packet."""
        end = at + 1 + data[at] if at < len(data) else at + 1
        if end > len(data):
            raise WireError("text longer than its packet")
        if self.letters and end > at + 1 and data[end - 1]:
            end = data.find(b"\0", end) + 1 or end
        return data[at + 1 : end].partition(b"\0")[0].decode("utf-8", "replace"), end

    def write(self, out: bytearray, value: str) -> None:
        """Append size and text."""
        raw = value.encode("utf-8", "replace")[: 255 - self.ends]
        raw = raw.decode("utf-8", "ignore").encode() + bytes(self.ends)
        out.append(len(raw))
        out += raw

    def describe(self) -> str:
        return f"u8 bytes, UTF-8 text and {self.ends} NUL"


@attrs.frozen
class EndedUtf8(FixedText):
    """`size` bytes of UTF-8, NUL padded, of which the last is always NUL; cut between two letters."""

    def encode(self, text: str) -> bytes:
        return super().encode(text)[: self.size - 1].decode("utf-8", "ignore").encode()


# --- client ---


class BoardWish:
    """Kinds of 0x71 of clients."""

    BODY = 3
    HEADER = 4
    POST = 5
    REMOVE = 6


@packet(0x71)
class BoardRequest(ClientPacket):
    """Something about a note on a board (0x71, BulletinBoardRequest); behind `BoardWish.POST` the new note
    follows."""

    kind: Annotated[U8, "see BoardWish"]
    board: U32
    note: Annotated[U32, "of POST the note that is answered, or 0"]
    rest: Tail


@element
class WrittenLine(Struct):
    """One line of a note as its author typed it."""

    text: Annotated[str, CountedUtf8()]


@element
class WrittenNote(Struct):
    """A new note, behind `BoardWish.POST`."""

    subject: Annotated[str, CountedUtf8(letters=True)]
    """ClassicUO counts its letters."""
    lines: Annotated[tuple[WrittenLine, ...], Listed(WrittenLine, count=1)]


# --- server ---


@packet(0x71)
class BoardShown(ServerPacket):
    """A board's window opens (0x71, BBDisplayBoard). The notes are items in it, of which its client asks for
    the header each (`BoardWish.HEADER`)."""

    kind: ClassVar = Constant(b"\x00")
    board: U32
    name: Annotated[str, EndedUtf8(size=30, encoding="utf-8")]


@packet(0x71)
class NoteHeader(ServerPacket):
    """The line of a note in a board's window (0x71, BBMessageHeader)."""

    kind: ClassVar = Constant(b"\x01")
    board: U32
    note: U32
    thread: Annotated[U32, "the note that it answers, or 0"]
    author: Annotated[str, CountedUtf8()]
    subject: Annotated[str, CountedUtf8()]
    time: Annotated[str, CountedUtf8()]


@element
class ShownLine(Struct):
    """One line of a note; the second NUL makes up for a fault of the old client (ServUO)."""

    text: Annotated[str, CountedUtf8(ends=2)]


@element
class AuthorWears(Struct):
    """Something that the author wears in the picture of old clients."""

    item: U16
    hue: U16


@packet(0x71)
class NoteBody(ServerPacket):
    """A note opens (0x71, BBMessageContent)."""

    kind: ClassVar = Constant(b"\x02")
    board: U32
    note: U32
    author: Annotated[str, CountedUtf8()]
    subject: Annotated[str, CountedUtf8()]
    time: Annotated[str, CountedUtf8()]
    body: U16
    hue: U16
    wears: Annotated[tuple[AuthorWears, ...], Listed(AuthorWears, count=1)]
    lines: Annotated[tuple[ShownLine, ...], Listed(ShownLine, count=1)]


MOST_LINES: Final = 255
"""In one note: they are counted in one byte."""
