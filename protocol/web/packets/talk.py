"""Words and gestures."""

from __future__ import annotations

from typing import Final

from protocol.web.packets.base import Message, message, one_of, text

LONGEST_WORDS: Final = 128
"""Characters of one utterance, as in `world.speech`."""
WAYS_TO_SPEAK: Final = ("say", "whisper", "yell", "emote", "tell", "global", "party", "guild", "alliance")


@message("speak")
class Speak(Message):
    """Words: `how` is one of `WAYS_TO_SPEAK`, tell goes with `to`. A line that begins with "." or "/" and a
    letter is a command to the server, however it is said. What one tells somebody alone, or everybody, is not
    said back (`Say`): one's own client shows it by itself."""

    words: str = text(LONGEST_WORDS)
    how: str = one_of(WAYS_TO_SPEAK, default="say")
    to: str = text(32, default="")


@message("gesture")
class MakeGesture(Message):
    """One of `world.speech.EMOTES`."""

    gesture: str = text(16)


@message("say")
class Say(Message):
    """Somebody's words. `id` is the speaker, 0 if it is nobody; `how` as in `world.events.Speech`."""

    id: int
    name: str
    how: str
    words: str


@message("gestured", droppable=True)
class Gestured(Message):
    """Somebody makes a gesture."""

    id: int
    gesture: str
