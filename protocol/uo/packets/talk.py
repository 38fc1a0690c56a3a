"""Words: said, shown over heads, written by the server; and the chat window.

The chat window knows conferences of players wherever they are. It has one packet each way, told apart by a
u16. What it holds is documented by POL (docs.polserver.com, packets 0xB2, 0xB3 and 0xB5) and the same in
ServUO (Scripts/Services/Chat), ModernUO (Projects/UOContent/Engines/Chat) and ClassicUO
(Network/OutgoingPackets.cs, Game/Managers/ChatManager.cs), from the oldest clients on.
"""

from typing import Annotated

from protocol.endings import WireError
from protocol.uo.packets.base import (
    Ascii,
    ClientPacket,
    Language,
    Name,
    ServerPacket,
    Unicode,
    UnicodeLE,
    packet,
)
from protocol.wire.fields import (
    U8,
    U16,
    U32,
    Blob,
    Numbers,
    ZeroText,
)

MOST_KEYWORDS = 50
"""Keywords of one utterance: ServUO refuses more (Server/Network/PacketHandlers.cs, UnicodeSpeech)."""


ENCODED = 0xC0
"""Bits of the kind of a 0xAD: keywords precede the text, which is UTF-8 then."""


class SpeechKind:
    """Ways of saying something: ServUO, Server/Network/Packets.cs, MessageType."""

    SAY = 0
    SYSTEM = 1
    EMOTE = 2
    LABEL = 6
    FOCUS = 7
    WHISPER = 8
    YELL = 9
    SPELL = 0xA
    GUILD = 0xD
    ALLIANCE = 0xE
    COMMAND = 0xF


# --- client ---


@packet(0x03, trailing=True)
class AsciiSpeech(ClientPacket):
    """Something said, in plain ASCII (0x03, AsciiSpeech)."""

    kind: U8
    hue: U16
    font: U16
    text: Ascii


_UTF8 = ZeroText(encoding="utf-8")


_UTF16 = ZeroText(encoding="utf-16-be", wide=True)


@packet(0xAD, least=12, trailing=True)
class UnicodeSpeech(ClientPacket):
    """Something said (0xAD, UnicodeSpeech).

    On the wire: kind, hue, font, language; then UTF-16 text, or, if `kind & 0xC0`, 12-bit numbers, high bits
    first and padded to whole bytes (their count, then the keywords of the client's speech.mul that it found)
    and UTF-8 text.
    """

    kind: U8
    hue: U16
    font: U16
    language: Language
    keywords: Annotated[tuple[int, ...], Numbers(2), "12 bits each"]
    text: Unicode

    @classmethod
    def read(cls, data: bytes, at: int) -> "tuple[UnicodeSpeech, int]":
        """The packet's fields from offset `at` on, and the offset behind them. Raises WireError if it is cut
        short."""
        if at + 9 > len(data):
            raise WireError("speech is cut short")
        kind = data[at]
        hue, font = int.from_bytes(data[at + 1 : at + 3], "big"), int.from_bytes(data[at + 3 : at + 5], "big")
        language = data[at + 5 : at + 9].partition(b"\0")[0].decode("latin-1")
        at += 9
        keywords: tuple[int, ...] = ()
        if kind & ENCODED:
            keywords, at = _read_keywords(data, at)
            text, at = _UTF8.read(data, at)
        else:
            text, at = _UTF16.read(data, at)
        return cls(kind, hue, font, language, keywords, text), at

    def write(self, out: bytearray) -> None:
        """Append the fields."""
        out.append(self.kind)
        out += self.hue.to_bytes(2, "big") + self.font.to_bytes(2, "big")
        out += self.language.encode("latin-1", "replace")[:4].ljust(4, b"\0")
        if self.kind & ENCODED:
            _write_keywords(out, self.keywords)
            _UTF8.write(out, self.text)
        else:
            _UTF16.write(out, self.text)


def _read_keywords(data: bytes, at: int) -> tuple[tuple[int, ...], int]:
    if at + 2 > len(data):
        raise WireError("keywords are cut short")
    count = int.from_bytes(data[at : at + 2], "big") >> 4
    size = ((count + 1) * 12 + 7) // 8
    if count > MOST_KEYWORDS or at + size > len(data):
        raise WireError(f"{count} keywords do not fit the packet")
    bits = int.from_bytes(data[at : at + size], "big") >> size * 8 - (count + 1) * 12
    return tuple(bits >> 12 * (count - 1 - i) & 0xFFF for i in range(count)), at + size


def _write_keywords(out: bytearray, keywords: tuple[int, ...]) -> None:
    bits = len(keywords)
    for keyword in keywords:
        bits = bits << 12 | keyword
    count = (len(keywords) + 1) * 12
    size = (count + 7) // 8
    out += (bits << size * 8 - count).to_bytes(size, "big")


@packet(0x12, trailing=True)
class TextCommand(ClientPacket):
    """A command of the client's own menus and macros, as text (0x12, TextCommand)."""

    kind: Annotated[U8, "see TextCommandKind"]
    text: Ascii


class TextCommandKind:
    """Kinds of 0x12: ServUO, Server/Network/PacketHandlers.cs, TextCommand."""

    GO = 0x00
    USE_SKILL = 0x24
    CAST_FROM_BOOK = 0x27
    OLD_SCROLL = 0x2F
    OPEN_SPELLBOOK = 0x43
    CAST = 0x56
    OPEN_DOOR = 0x58
    ANIMATE = 0xC7
    VIRTUE = 0xF4


# --- server ---


@packet(0x1C)
class AsciiMessage(ServerPacket):
    """Words in ASCII (0x1C, AsciiMessage)."""

    serial: U32
    body: U16
    kind: U8
    hue: U16
    font: U16
    name: Name
    text: Ascii


@packet(0xAE)
class UnicodeMessage(ServerPacket):
    """Words (0xAE, UnicodeMessage)."""

    serial: Annotated[U32, "0xFFFFFFFF: the system"]
    body: U16
    kind: U8
    hue: U16
    font: U16
    language: Language
    name: Name
    text: Unicode


@packet(0xC1)
class LocalizedMessage(ServerPacket):
    """One of the client's own texts, and what goes into it, separated by tabs (0xC1, MessageLocalized)."""

    serial: U32
    body: U16
    kind: U8
    hue: U16
    font: U16
    cliloc: U32
    name: Name
    arguments: UnicodeLE


SYSTEM_SERIAL = 0xFFFFFFFF


SYSTEM_BODY = 0xFFFF


# --- client: the chat window ---


@packet(0xB5, length=64)
class OpenChat(ClientPacket):
    """The chat button; ClassicUO presses it by itself when it enters (0xB5, OpenChatWindowRequest)."""

    name: Annotated[bytes, Blob(63), "a name to go by, or zeros"]


@packet(0xB3, trailing=True)
class ChatAction(ClientPacket):
    """Something typed or chosen in the chat window (0xB3, ChatAction). What stands behind the first NUL of
    the text is lost: ClassicUO closes the name of a conference with one, before its quotation mark."""

    language: Language
    action: Annotated[U16, "see ChatDeed"]
    text: Unicode


class ChatDeed:
    """Kinds of 0xB3: ModernUO, Engines/Chat/ChatActionHandlers.cs; LEAVE is ServUO's and
    ClassicUO's."""

    PASSWORD = 0x41
    LEAVE = 0x43
    CLOSE = 0x58
    MESSAGE = 0x61
    JOIN = 0x62
    CREATE = 0x63
    RENAME = 0x64
    PRIVATE = 0x65
    IGNORE = 0x66
    STOP_IGNORING = 0x67
    TOGGLE_IGNORING = 0x68
    TAKE_PRIVATE = 0x6F
    REFUSE_PRIVATE = 0x70
    TOGGLE_PRIVATE = 0x71
    SHOW_NAME = 0x72
    HIDE_NAME = 0x73
    TOGGLE_NAME = 0x74
    WHO_IS = 0x75
    EMOTE = 0x7A


# --- server: the chat window ---


@packet(0xB2)
class ChatMessage(ServerPacket):
    """Something for the chat window (0xB2, ChatMessage). Both texts are always there, empty or not."""

    kind: Annotated[U16, "see ChatNews"]
    language: Language
    first: Unicode
    second: Unicode


class ChatNews:
    """Kinds of 0xB2: POL's documentation of 0xB2; ServUO, Scripts/Services/Chat/ChatCommand.cs."""

    OUTSIDE = 0x0B
    """ "You must be in a conference to do this ...", the client's own words."""
    SAID = 0x25
    """Who (behind a `ChatUser`) and what."""
    ADD_CONFERENCE = 0x3E8
    """Its name, and "0" (no password) or "1"."""
    CLOSE = 0x3EC
    OPEN = 0x3ED
    """Under which name."""
    ADD_USER = 0x3EE
    """Its name, behind a `ChatUser`."""
    LEFT = 0x3F0
    JOINED = 0x3F1
    """Which conference."""


class ChatUser:
    """The sign before a name, which gives it a colour: POL's documentation of 0xB2."""

    OTHER = "0"
    ONESELF = "4"


OPEN_TO_ALL = "0"
"""Second text of `ChatNews.ADD_CONFERENCE`: there is no password."""
