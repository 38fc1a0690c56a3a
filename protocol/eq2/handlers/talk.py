"""Talking and gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.figures import NAMING
from protocol.eq2.handlers.commands import command
from protocol.eq2.packets import NOBODY, HearChat
from protocol.eq2.view import OUT_OF_CHARACTER, TELL
from protocol.refusals import refused_in_words, tell_refusal
from world import speech
from world.moments import Speech
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile

TELL_WHAT: Final = "Type /tell, a name, and what you want to say."


@command("say")
def say(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """To those around."""
    with refused_in_words(mobile):
        speech.say(mobile, text)


@command("shout")
def shout(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """As far as a voice carries."""
    with refused_in_words(mobile):
        speech.say(mobile, text, Speech.YELL)


@command("ooc")
def say_to_all(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Out of character: the global chat. A client of this game shows its own words when it hears them."""
    with refused_in_words(mobile):
        speech.to_all(mobile.world, text, speaker=mobile)
        _echo(session, mobile, OUT_OF_CHARACTER, text)


@command("tell")
def tell(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """To one character, wherever it is and whatever game it is played from."""
    name, words = speech.addressed(text)
    if not speech.clean(words):
        speech.notice(mobile, TELL_WHAT)
        return
    try:
        speech.tell(mobile, name, words)
    except Cannot as cannot:
        if cannot.why is Refusal.NOBODY:
            speech.notice(mobile, f"There is no {speech.clean(name)} here.")
        else:
            tell_refusal(mobile, cannot)
    else:
        _echo(session, mobile, TELL, words, to=name.capitalize())


def _echo(session: Eq2Session, mobile: Mobile, channel: int, text: str, *, to: str = "") -> None:
    """One's own words, which nobody else tells one."""
    if text := speech.clean(text):
        session.send(
            HearChat(
                from_id=mobile.serial,
                to_id=NOBODY,
                sender=NAMING.of(mobile),
                recipient=to,
                channel=channel,
                text=text,
            )
        )


@command("groupsay", "gsay", "g")
def say_to_group(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """To one's party."""
    with refused_in_words(mobile):
        speech.to_company(mobile, Speech.PARTY, text)


@command("guildsay", "gu")
def say_to_guild(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """To one's guild."""
    with refused_in_words(mobile):
        speech.to_company(mobile, Speech.GUILD, text)


@command("emote")
def emote(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """What one does, in words of one's own; a word that is a gesture is made."""
    with refused_in_words(mobile):
        if text.lower() in speech.EMOTES:
            speech.gesture(mobile, text.lower())
        else:
            speech.say(mobile, text, Speech.EMOTE)


def _gesture_command(name: str) -> None:
    @command(name)
    def gesture(session: Eq2Session, mobile: Mobile, text: str) -> None:
        with refused_in_words(mobile):
            speech.gesture(mobile, name)


for _name in sorted(speech.EMOTES):
    _gesture_command(_name)
