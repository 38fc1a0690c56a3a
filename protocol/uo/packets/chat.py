"""The chat window: conferences of players wherever they are, in a window of the client's own.

One packet each way, told apart by a u16. What it holds is documented by POL (docs.polserver.com, packets
0xB2, 0xB3 and 0xB5) and the same in ServUO (Scripts/Services/Chat), ModernUO (Projects/UOContent/Engines/
Chat) and ClassicUO (Network/OutgoingPackets.cs, Game/Managers/ChatManager.cs), from the oldest clients on.
"""

from typing import Annotated

from protocol.uo.packets.base import ClientPacket, Language, ServerPacket, Unicode, packet
from protocol.wire.fields import U16, Blob

# --- client ---


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
    """What a 0xB3 asks for: ModernUO, Engines/Chat/ChatActionHandlers.cs; LEAVE is ServUO's and
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


# --- server ---


@packet(0xB2)
class ChatMessage(ServerPacket):
    """Something for the chat window (0xB2, ChatMessage). Both texts are always there, empty or not."""

    kind: Annotated[U16, "see ChatNews"]
    language: Language
    first: Unicode
    second: Unicode


class ChatNews:
    """What a 0xB2 tells: POL's documentation of 0xB2; ServUO, Scripts/Services/Chat/ChatCommand.cs."""

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
