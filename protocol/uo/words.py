"""The chat window: where clients of this game that have it open read and type words to everybody.

The window knows conferences. There is one, the world's global chat, and who opens the window is in it. Who
has not opened it, or has closed it, reads the same words as lines of the server. The list of who is in the
conference names oneself alone: the others are players of all games, whom `who` names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.uo.packets.talk import OPEN_TO_ALL, ChatMessage, ChatNews, ChatUser
from protocol.uo.session import Chat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.session import Session
    from protocol.uo.packets.base import ServerPacket
    from protocol.uo.session import UoSession
    from world.moments import Said

CONFERENCE: Final = "General"
"""ClassicUO asks by itself to join one of that name."""

NO_LANGUAGE: Final = ""

_BRACES: Final = str.maketrans("{}", "()")
"""ClassicUO takes what stands in braces for the name of the conference, and leaves it out."""


def opened(name: str) -> Sequence[ChatMessage]:
    """The window opens, with its one conference, in which one is."""
    return (
        _news(ChatNews.OPEN, name),
        _news(ChatNews.ADD_CONFERENCE, CONFERENCE, OPEN_TO_ALL),
        *joined(name),
    )


def joined(name: str) -> Sequence[ChatMessage]:
    """One is in the conference."""
    return _news(ChatNews.JOINED, CONFERENCE), _news(ChatNews.ADD_USER, f"{ChatUser.ONESELF}{name}")


def left() -> ChatMessage:
    """One is in no conference."""
    return _news(ChatNews.LEFT)


def closed() -> ChatMessage:
    """The window closes."""
    return _news(ChatNews.CLOSE)


def outside() -> ChatMessage:
    """One has to be in a conference for what one wants."""
    return _news(ChatNews.OUTSIDE)


def said(name: str, text: str, language: str = "ENU", *, own: bool = False) -> ChatMessage:
    """Words in the conference."""
    user = ChatUser.ONESELF if own else ChatUser.OTHER
    return ChatMessage(ChatNews.SAID, language, f"{user}{name}", text.translate(_BRACES))


def _news(kind: int, first: str = "", second: str = "") -> ChatMessage:
    return ChatMessage(kind, NO_LANGUAGE, first, second)


class ToAll:
    """Words to everybody: bound, because they are in the window of who is in the conference, and a line of
    the server (`line`) for all others."""

    __slots__ = ("_in_window", "_line")
    droppable = False

    def __init__(self, moment: Said, line: ServerPacket) -> None:
        self._in_window = said(moment.name, moment.text, moment.language).encode()
        self._line = line.encode()

    def bind(self, session: Session) -> bytes:
        """The packet."""
        return self._in_window if cast("UoSession", session).chat is Chat.JOINED else self._line
