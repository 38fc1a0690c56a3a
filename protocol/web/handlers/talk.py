"""Talking, gestures, orders to the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.web.handlers.table import while_playing
from protocol.web.messages import MakeGesture, Speak
from world import speech
from world.moments import Speech

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile

ORDER_SIGNS: Final = (".", "/")
"""What a line begins with that is an order, if a letter follows: the signs of the other games."""

TO_ALL_SECONDS: Final = 0.5
"""Between two lines of one player to everybody, as in the other games."""

TOO_SOON: Final = "Not so fast: everybody is listening."

LONGEST_NAME: Final = 16


def _is_order(message: Speak) -> bool:
    """Whether it is one, or was meant to be one. It may hold a password, so no log shows it."""
    return message.words.startswith(ORDER_SIGNS) and message.words[1:2].isalpha()


@while_playing(Speak, secret=_is_order)
def speak(session: WebSession, mobile: Mobile, message: Speak) -> None:
    """speak: words, and how; or an order to the server."""
    if _is_order(message):
        session.services.command(session, message.words[1:])
        return
    match Speech(message.how):
        case Speech.TELL:
            if not speech.tell(mobile, message.to, message.words):
                speech.notice(mobile, f"{speech.clean(message.to, LONGEST_NAME)} is not online.")
        case Speech.GLOBAL:
            _say_to_all(session, mobile, message.words)
        case how:
            speech.say(mobile, message.words, how)


def _say_to_all(session: WebSession, mobile: Mobile, words: str) -> None:
    """The global chat of all games."""
    now = mobile.world.now
    if now < session.spoken_at + TO_ALL_SECONDS:
        speech.notice(mobile, TOO_SOON)
        return
    session.spoken_at = now
    speech.to_all(mobile.world, words, speaker=mobile)


@while_playing(MakeGesture, every=0.2)
def gesture(session: WebSession, mobile: Mobile, message: MakeGesture) -> None:
    """gesture: one of the world's. Ghosts make none."""
    if not mobile.dead:
        speech.gesture(mobile, message.gesture)
