"""Speech, gestures and lines of text, as this game's packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.figures import NAMING
from protocol.eq2.mentions import About
from protocol.eq2.packets import NOBODY, CannedEmote, DisplayText, HearChat
from protocol.wire.body import Body
from world.events import Gestured, Said, Speech

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version, Message
    from protocol.outgoing import Outgoing

SAY, SHOUT, EMOTE, TELL, OUT_OF_CHARACTER = 8, 9, 10, 28, 32
GROUP_SAY, GUILD_SAY = 15, 18
STATUS, MOTD, NARRATIVE = 4, 5, 12
"""Channels of the chat windows (emagi/eq2emu: client.h)."""

CHANNELS: Final = {
    Speech.SAY: SAY,
    Speech.WHISPER: SAY,
    Speech.YELL: SHOUT,
    Speech.EMOTE: EMOTE,
    Speech.TELL: TELL,
    Speech.PARTY: GROUP_SAY,
    Speech.GUILD: GUILD_SAY,
    Speech.GLOBAL: OUT_OF_CHARACTER,
}

LONGEST_TEXT: Final = 1000
"""Letters of one line in a chat window (?)."""

GESTURES: Final = {
    "happy": ("smiles", 0),
    "depressed": ("cries", 11275),
    "sad": ("looks sad", 12166),
    "angry": ("glares", 11649),
    "confused": ("looks confused", 11214),
    "surprised": ("gasps", 0),
    "laugh": ("laughs", 0),
    "love": ("blows a kiss", 0),
    "moon": ("moons everybody", 0),
    "suicidal": ("despairs", 11628),
    "embarrassed": ("blushes", 0),
    "drunk": ("hiccups", 0),
    "bow": ("bows", 0),
    "salute": ("salutes", 0),
    "wave": ("waves", 0),
    "dance": ("dances", 0),
    "kneel": ("kneels", 0),
    "pose": ("strikes a pose", 0),
}
"""Words and animation for the world's gestures; 0: words alone. The numbers are from comments in public
scripts (emagi/eq2emu-content) and have not been seen in a client of 546."""


class Told:
    """Words for one player: they name whom they are for."""

    __slots__ = ("_chat",)
    droppable = False

    def __init__(self, chat: Callable[[int, str], bytes]) -> None:
        self._chat = chat

    def bind(self, session: Eq2Session) -> bytes:
        """The message for whoever plays there."""
        return self._chat(NOBODY, NAMING.of(session.mobile) if session.mobile is not None else "")


def said(event: Said, version: Eq2Version) -> Sequence[Outgoing]:
    """HearChat in the channel of its kind, or a line of text (DisplayText)."""
    channel = CHANNELS.get(event.how)
    if channel is None:
        system = event.how is Speech.SYSTEM
        text = event.text if system else f"{NAMING.speaker(event)}: {event.text}"
        return texts(version, STATUS if system else MOTD, text)

    def chat(speaker: int, to: str = "") -> bytes:
        return version.encode(
            HearChat(
                from_id=speaker,
                to_id=NOBODY,
                sender=NAMING.speaker(event),
                recipient=to,
                channel=channel,
                text=event.text[:LONGEST_TEXT],
            )
        )

    if event.how is Speech.TELL:
        return (Told(chat),)
    if event.thing is None or event.how is Speech.GLOBAL:
        return (Body(chat(NOBODY)),)
    return (About(event.thing.serial, chat(event.thing.serial), chat(NOBODY)),)


def gestured(event: Gestured, version: Eq2Version, *, animated: bool) -> Sequence[Outgoing]:
    """CannedEmote: words, and an animation where one is known and such are shown at all."""
    mobile = event.thing
    words, animation = GESTURES.get(event.gesture, (f"*{event.gesture}*", 0))
    if not animated:
        animation = 0
    emote = CannedEmote(spawn_id=mobile.serial, text=f"{NAMING.of(mobile)} {words}.", animation=animation)
    return (About(mobile.serial, version.encode(emote), droppable=True),)


def bodies(version: Eq2Version, *messages: Message) -> tuple[Body, ...]:
    """Messages, encoded for clients of a version."""
    return tuple(Body(version.encode(message), droppable=message.droppable) for message in messages)


def texts(version: Eq2Version, channel: int, *lines: str) -> tuple[Body, ...]:
    """Lines for the chat window, in the color of a channel."""
    return bodies(version, *(DisplayText(channel=channel, text=line[:LONGEST_TEXT]) for line in lines))
