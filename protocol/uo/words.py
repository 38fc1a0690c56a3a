"""Words and gestures as Ultima Online's packets: over heads, as lines of the server, in the chat window.

The chat window is where clients that have it open read and type words to everybody. It knows conferences.
There is one, the world's global chat, and who opens the window is in it. Who has not opened it, or has closed
it, reads the same words as lines of the server. The list of who is in the conference names oneself alone: the
others are players of all games, whom `who` names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.figures import NAME_WITH_AFFIXES, affixed
from protocol.uo.packets.people import Animation, NewAnimation
from protocol.uo.packets.talk import (
    OPEN_TO_ALL,
    SYSTEM_BODY,
    SYSTEM_SERIAL,
    AsciiMessage,
    ChatMessage,
    ChatNews,
    ChatUser,
    LocalizedMessage,
    SpeechKind,
    UnicodeMessage,
)
from protocol.uo.session import Chat
from world.events import Speech
from world.mobile import Mobile, Notoriety

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.uo.figures import Figures
    from protocol.uo.packets.base import ServerPacket
    from protocol.uo.session import UoSession
    from protocol.uo.versions import UoVersion
    from world.events import Gestured, Said


DEFAULT_SPEECH_HUE: Final = 0x34
FIRST_HUE, LAST_HUE = 2, 0x3E9
"""Hues of speech: ServUO, Server/Utility.cs, ClipDyedHue."""

COMPANY_HUES: Final = {Speech.GUILD: 0x44, Speech.ALLIANCE: 0x57}
"""Hues of words to a guild and its allies whose speaker's client has chosen none: those with which ClassicUO
begins (Configuration/Profile.cs). It shows them in its own player's choice anyway."""

PLAIN_HUE: Final = 0x3B2
"""The grey of labels and system messages."""

SYSTEM_HUE: Final = PLAIN_HUE
ANNOUNCE_HUE: Final = 0x35
TELL_HUE: Final = 0x59

LABEL_HUES: Final = {
    Notoriety.INNOCENT: 0x59,
    Notoriety.ALLY: 0x3F,
    Notoriety.ATTACKABLE: 0x3B2,
    Notoriety.CRIMINAL: 0x3B2,
    Notoriety.ENEMY: 0x90,
    Notoriety.MURDERER: 0x22,
    Notoriety.INVULNERABLE: 0x35,
}
"""Colours of names: ServUO, Server/Misc/Notoriety.cs (Hues)."""

_KINDS: Final = {
    Speech.SAY: SpeechKind.SAY,
    Speech.WHISPER: SpeechKind.WHISPER,
    Speech.YELL: SpeechKind.YELL,
    Speech.EMOTE: SpeechKind.EMOTE,
    Speech.GUILD: SpeechKind.GUILD,
    Speech.ALLIANCE: SpeechKind.ALLIANCE,
}

_ANIMATIONS: Final = {"bow": (32, 0), "salute": (33, 1)}
"""Gestures with a picture: action of 0x6E, and of kind 7 of 0xE2 (ServUO, Server/Mobile.cs, Animate)."""

_EMOTES: Final = {
    "happy": "smiles",
    "depressed": "sighs",
    "sad": "looks sad",
    "angry": "growls",
    "confused": "looks confused",
    "surprised": "gasps",
    "laugh": "laughs",
    "love": "blows a kiss",
    "moon": "moons everybody",
    "suicidal": "despairs",
    "embarrassed": "blushes",
    "drunk": "hiccups",
    "wave": "waves",
    "dance": "dances",
    "kneel": "kneels",
    "pose": "strikes a pose",
}
"""Gestures without one are words over the head."""


def said(event: Said, figures: Figures) -> UnicodeMessage:
    """0xAE: words over the speaker's head, or as a line of the server's."""
    speaker, kind = event.thing, _KINDS.get(event.how)
    if speaker is None or kind is None:
        return from_nobody(event)
    body = figures.body(speaker) if isinstance(speaker, Mobile) else figures.art(speaker)
    text = f"*{event.text}*" if event.how is Speech.EMOTE else event.text
    plain = COMPANY_HUES.get(event.how, DEFAULT_SPEECH_HUE)
    hue = max(FIRST_HUE, min(LAST_HUE, event.hue)) if event.hue else plain
    return UnicodeMessage(
        speaker.serial, body, kind, hue, event.font & 0xFFFF, event.language, event.name, text
    )


def from_nobody(event: Said) -> UnicodeMessage:
    """Words whose speaker need not be in sight: the client would not show them over anybody's head."""
    if event.how is Speech.TELL:
        return system_message(f"{event.name} tells you: {event.text}", TELL_HUE)
    if event.how is Speech.GLOBAL:
        return system_message(f"[{event.name}] {event.text}", TELL_HUE)
    if event.how is Speech.PARTY:
        return system_message(f"[party][{event.name}] {event.text}", TELL_HUE)
    if event.how in COMPANY_HUES:
        return system_message(f"[{event.how.value}][{event.name}] {event.text}", COMPANY_HUES[event.how])
    return system_message(event.text, ANNOUNCE_HUE if event.how is Speech.ANNOUNCE else SYSTEM_HUE)


def system_message(text: str, hue: int = SYSTEM_HUE) -> UnicodeMessage:
    """0xAE: a line from the server."""
    return UnicodeMessage(SYSTEM_SERIAL, SYSTEM_BODY, SpeechKind.SAY, hue, 3, "ENU", "System", text)


def gestured(
    event: Gestured, figures: Figures, version: UoVersion
) -> NewAnimation | Animation | UnicodeMessage | None:
    """0xE2 or 0x6E for bow and salute, words over the head for the others; None for what has none."""
    mobile = event.thing
    if event.gesture in _ANIMATIONS:
        action, emote = _ANIMATIONS[event.gesture]
        if version.new_animations:
            return NewAnimation(mobile.serial, 7, emote, 0)
        return Animation(mobile.serial, action, 5, 1, False, False, 0)
    words = _EMOTES.get(event.gesture)
    if words is None:
        return None
    return UnicodeMessage(
        mobile.serial,
        figures.body(mobile),
        SpeechKind.EMOTE,
        DEFAULT_SPEECH_HUE,
        3,
        "ENU",
        mobile.name,
        f"*{words}*",
    )


def name_label(mobile: Mobile, body: int, colour: int) -> LocalizedMessage:
    """0xC1 over somebody's head: who that is. `colour` is the notoriety in which the reader sees it."""
    return LocalizedMessage(
        mobile.serial,
        body,
        SpeechKind.LABEL,
        LABEL_HUES.get(colour, PLAIN_HUE),
        3,
        NAME_WITH_AFFIXES,
        mobile.name,
        affixed(mobile),
    )


def thing_label(serial: int, art: int, text: str) -> AsciiMessage:
    """0x1C over an item: what that is."""
    return AsciiMessage(serial, art, SpeechKind.LABEL, PLAIN_HUE, 3, "", text)


# --- the chat window ---


CONFERENCE: Final = "General"
"""ClassicUO asks by itself to join one of that name."""

NO_LANGUAGE: Final = ""

_BRACES: Final = str.maketrans("{}", "()")
"""ClassicUO takes what stands in braces for the name of the conference, and leaves it out."""


def window_opened(name: str) -> Sequence[ChatMessage]:
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


def window_closed() -> ChatMessage:
    """The window closes."""
    return _news(ChatNews.CLOSE)


def outside() -> ChatMessage:
    """One has to be in a conference for what one wants."""
    return _news(ChatNews.OUTSIDE)


def in_window(name: str, text: str, language: str = "ENU", *, own: bool = False) -> ChatMessage:
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

    def __init__(self, event: Said, line: ServerPacket) -> None:
        self._in_window = in_window(event.name, event.text, event.language).encode()
        self._line = line.encode()

    def bind(self, session: UoSession) -> bytes:
        """The packet."""
        return self._in_window if session.chat is Chat.JOINED else self._line
