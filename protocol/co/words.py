"""Words and gestures of the world, in this client's channels, colours and emotions.

The client shows by itself what its own player says. It knows no channel for everybody but those of later
versions; so words to all come as system lines that name their speaker.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Final

import attrs

from protocol.co.figures import NAMING
from protocol.co.packets import ALL_USERS, LONGEST_WORDS, SYSTEM, Channel, Emotion
from protocol.co.packets import said as talk
from protocol.wire.body import Body
from world.events import Said, Speech
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.co.figures import Figures
    from protocol.co.packets import Talk
    from protocol.co.session import CoSession
    from protocol.co.versions import CoVersion
    from protocol.outgoing import Outgoing

WHITE, YELLOW, RED, GREEN, PINK = 0xFFFFFF, 0xFFFF00, 0xFF0000, 0x00FF00, 0xFF80FF


@attrs.frozen
class Manner:
    """The look of words of one kind. `named`: by a system line that begins with the speaker's name."""

    channel: Channel
    colour: int = WHITE
    named: bool = False


MANNERS: Final = {
    Speech.SAY: Manner(Channel.TALK),
    Speech.WHISPER: Manner(Channel.TALK),
    Speech.YELL: Manner(Channel.YELL, RED),
    Speech.EMOTE: Manner(Channel.ACTION, GREEN),
    Speech.TELL: Manner(Channel.WHISPER, PINK),
    Speech.PARTY: Manner(Channel.TEAM),
    Speech.GUILD: Manner(Channel.GUILD),
    Speech.ALLIANCE: Manner(Channel.SYSTEM, GREEN, named=True),
    Speech.GLOBAL: Manner(Channel.SYSTEM, YELLOW, named=True),
    Speech.ANNOUNCE: Manner(Channel.CENTRE, RED, named=True),
    Speech.SYSTEM: Manner(Channel.SYSTEM),
}
"""Channel and colour of each kind of words: coemu and COPS v6 agree on the channels, colours are a
judgement."""

GESTURES: Final = {
    "happy": Emotion.DANCE_1,
    "depressed": Emotion.SAD,
    "sad": Emotion.SAD,
    "angry": Emotion.FURY,
    "confused": Emotion.SAD,
    "surprised": Emotion.EXCITED,
    "embarrassed": Emotion.GENUFLECT,
    "suicidal": Emotion.FAINT,
    "laugh": Emotion.LAUGH,
    "love": Emotion.EXCITED,
    "drunk": Emotion.DANCE_1,
    "moon": Emotion.GUFFAW,
    "bow": Emotion.GENUFLECT,
    "salute": Emotion.SALUTE,
    "wave": Emotion.HELLO,
    "dance": Emotion.DANCE_1,
    "kneel": Emotion.KNEEL,
    "pose": Emotion.COOL,
}
"""The emotion that comes nearest to each of the world's gestures."""

LONGEST_NAME: Final = 15
"""Bytes of a name that fit."""


class Whisper:
    """Words to one player. The client shows only those that name it as their hearer."""

    __slots__ = ("_figures", "_talk", "_version")
    droppable = False

    def __init__(self, words: Talk, version: CoVersion, figures: Figures) -> None:
        self._talk = words
        self._version = version
        self._figures = figures

    def bind(self, session: CoSession) -> bytes:
        """The packet."""
        hearer = session.mobile
        if hearer is None:
            return b""
        speaker, _, emotion, words = self._talk.strings
        named = copy(self._talk)
        named.hearer_look = self._figures.look(hearer)
        named.strings = (speaker, NAMING.of(hearer)[:LONGEST_NAME], emotion, words)
        return named.encode(self._version)


def said(event: Said, version: CoVersion, figures: Figures, *, own: bool) -> Sequence[Outgoing]:
    """Talk for whoever hears these words; nothing for who said them (`own`)."""
    manner = MANNERS[event.how]
    if own:
        return ()
    speaker = SYSTEM if manner.named or not event.spoken else NAMING.speaker(event)[:LONGEST_NAME]
    words = f"{NAMING.speaker(event)}: {event.text}" if manner.named and event.spoken else event.text
    look = figures.look(event.thing) if isinstance(event.thing, Mobile) else 0
    packet = talk(
        words[:LONGEST_WORDS],
        manner.channel,
        speaker=speaker,
        hearer=ALL_USERS,
        colour=manner.colour,
        speaker_look=look,
    )
    if event.how is Speech.TELL:
        return (Whisper(packet, version, figures),)
    return (Body(packet.encode(version)),)
