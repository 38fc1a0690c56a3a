"""Talking, gestures, orders to the server."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.web.handlers.table import TABLE
from protocol.web.packets.talk import MakeGesture, Speak
from world import speech
from world.events import Speech
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile

ORDER_SIGNS: Final = (".", "/")
"""First letters of a line that is an order, if a letter follows: the signs of the other games."""

LONGEST_NAME: Final = 16


def _is_order(message: Speak) -> bool:
    """Whether it is one, or was meant to be one. It may hold a password, so no log shows it."""
    return message.words.startswith(ORDER_SIGNS) and message.words[1:2].isalpha()


@TABLE.while_playing(Speak, secret=_is_order)
def speak(session: WebSession, mobile: Mobile, message: Speak) -> None:
    """speak: words, and how; or an order to the server."""
    if _is_order(message):
        session.services.command(session, message.words[1:])
        return
    try:
        match Speech(message.how):
            case Speech.TELL:
                refused = partial(_refused, session, mobile, message.to)
                speech.tell(mobile, message.to, message.words, refused=refused)
            case Speech.GLOBAL:
                speech.to_all(mobile.world, message.words, speaker=mobile)
            case (Speech.PARTY | Speech.GUILD | Speech.ALLIANCE) as company:
                speech.to_company(mobile, company, message.words)
            case how:
                speech.say(mobile, message.words, how)
    except Cannot as cannot:
        _refused(session, mobile, message.to, cannot)


def _refused(session: WebSession, mobile: Mobile, hearer: str, cannot: Cannot) -> None:
    if cannot.why is Refusal.NOBODY:
        speech.notice(mobile, f"{speech.clean(hearer, LONGEST_NAME)} is not online.")
    else:
        session.refuse_wish(mobile, cannot)


@TABLE.while_playing(MakeGesture, every=Interval(0.2, burst=3))
def gesture(session: WebSession, mobile: Mobile, message: MakeGesture) -> None:
    """gesture: one of the world's."""
    speech.gesture(mobile, message.gesture)
