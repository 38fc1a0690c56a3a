"""Words: said, whispered, shown by the server; and texts that are no words."""

import enum
from typing import Annotated, Final

from protocol.co.packets.base import U8, U16, U32, Message, Strings, message

LONGEST_WORDS: Final = 255
"""Bytes of words that fit."""

SYSTEM: Final = "SYSTEM"
"""Speaker of the server's own words."""

ALL_USERS: Final = "ALLUSERS"
"""Hearer of what the server says to everybody."""

WHITE: Final = 0x00FFFFFF
"""Colour of words, ARGB; servers differ in the upper byte, and clients do not heed it."""


class Channel(enum.IntEnum):
    """Kinds of words, each of which the client shows in a place of its own."""

    TALK = 2000
    WHISPER = 2001
    ACTION = 2002
    TEAM = 2003
    GUILD = 2004
    FAMILY = 2006
    SYSTEM = 2007
    YELL = 2008
    FRIEND = 2009
    CENTRE = 2011
    TOP_LEFT = 2012
    GHOST = 2013
    SERVICE = 2014
    TIP = 2015
    WORLD = 2021
    REGISTER = 2100
    """The answer to a Register."""
    LOGIN = 2101
    """The answer to a Connect."""
    SHOP = 2102
    VENDOR = 2104
    """Cries of a booth's owner."""
    WEB_PAGE = 2105
    """Opens it."""
    RIGHT_FIRST = 2108
    """The first line at the right side of the screen."""
    RIGHT_NEXT = 2109
    OFFLINE = 2110
    BULLETIN = 2111
    """The guild's."""
    TRADE_BOARD = 2201
    FRIEND_BOARD = 2202
    TEAM_BOARD = 2203
    GUILD_BOARD = 2204
    OTHER_BOARD = 2205
    BROADCAST = 2500


class TalkStyle(enum.IntFlag):
    """Ways to draw words."""

    NORMAL = 0
    SCROLL = 1
    FLASH = 2
    BLAST = 8


class NameKind(enum.IntEnum):
    """Kinds of texts in a NameMessage."""

    FIREWORKS = 1
    GUILD = 3
    """A guild's name; subject is its number."""
    MATE = 6
    MAP_EFFECT = 9
    """An effect at a tile; subject is packed coordinates."""
    ROLE_EFFECT = 10
    """An effect at somebody; subject is who."""
    MEMBERS = 11
    """Members of the hero's guild, ten at a time, each "name level online"; subject is the page that is asked
    for, and in the answer the next one (COPS v6)."""
    KICK_MEMBER = 12
    """Out of the hero's guild, by name."""
    QUERY_MATE = 16
    SOUND = 20
    WHISPER_WINDOW = 26


class BoardAction(enum.IntEnum):
    """Deeds at a message board."""

    DELETE = 1
    GET_LIST = 2
    LIST = 3
    GET_WORDS = 4


@message(1004)
class Talk(Message):
    """Words of somebody to somebody, or of the server. MsgTalk."""

    colour: Annotated[U32, "ARGB"]
    channel: Annotated[U16, "Channel"]
    style: Annotated[U16, "TalkStyle"]
    time: Annotated[U32, "the client's clock, hour * 100 + minute; 0 from servers"]
    hearer_look: Annotated[U32, "in whispers"]
    speaker_look: Annotated[U32, "in whispers"]
    strings: Annotated[Strings, "speaker, hearer, emotion, words"]

    @property
    def speaker(self) -> str:
        """The speaker's name."""
        return self._string(0)

    @property
    def hearer(self) -> str:
        """The hearer's name; ALL_USERS for everybody."""
        return self._string(1)

    @property
    def emotion(self) -> str:
        """Its tone: a word of the client's own."""
        return self._string(2)

    @property
    def words(self) -> str:
        """The words themselves."""
        return self._string(3)

    def _string(self, number: int) -> str:
        return self.strings[number] if number < len(self.strings) else ""


def said(
    words: str,
    channel: Channel,
    *,
    speaker: str = SYSTEM,
    hearer: str = ALL_USERS,
    colour: int = WHITE,
    style: int = TalkStyle.NORMAL,
    speaker_look: int = 0,
    hearer_look: int = 0,
) -> Talk:
    """A Talk with these words."""
    return Talk(colour, channel, style, 0, hearer_look, speaker_look, (speaker, hearer, "", words))


@message(1015)
class NameMessage(Message):
    """Texts about something: names, effects. MsgName."""

    subject: Annotated[U32, "what they are about"]
    kind: Annotated[U8, "NameKind"]
    strings: Strings


@message(1111)
class MessageBoard(Message):
    """A message board: what is asked of it, what is on it. MsgMessageBoard."""

    index: U16
    channel: Annotated[U16, "Channel"]
    action: Annotated[U8, "BoardAction"]
    strings: Annotated[Strings, "for each message: name, words, time (yyyyMMddHHmmss)"] = ()
