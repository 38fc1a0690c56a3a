"""Slash commands; talking and gestures, which are such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.figures import NAMING
from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.table import NAMES, ORDER, ROWS, command, run_word
from protocol.eq2.packets import NOBODY, HearChat, RemoteCmd
from protocol.eq2.words import OUT_OF_CHARACTER, TELL
from world import residents, speech
from world.events import Speech
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.elsewhere import Person

TELL_WHAT: Final = "Type /tell, a name, and what you want to say."


def _may_hold_password(packet: RemoteCmd) -> bool:
    """Whether it is an order, which may hold a password, or was meant to be one and was mistyped."""
    if packet.index >= len(NAMES) or NAMES[packet.index] == ORDER:
        return True
    words = packet.arguments.lstrip("/ ").split(maxsplit=1)
    return bool(words) and words[0].lower() == ORDER


@ROWS.while_playing(RemoteCmd, secret=_may_hold_password)
def run_command(session: Eq2Session, mobile: Mobile, packet: RemoteCmd) -> None:
    """RemoteCmd: the player typed a slash command, or something that stands for one."""
    name = NAMES[packet.index] if packet.index < len(NAMES) else ""
    run_word(session, mobile, name, packet.arguments.strip())


@command(ORDER)
def order(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Something for the server, not for the world."""
    if text:
        session.services.command(session, text)
    else:
        speech.notice(mobile, f"Type /{ORDER} help.")


# Talking


@command("say")
def say(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say something to those around."""
    speech.say(mobile, text)


@command("shout")
def shout(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say something as far as a voice carries."""
    speech.say(mobile, text, Speech.YELL)


@command("ooc")
def say_to_all(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say something out of character, in the global chat. A client of this game shows its own words when it
    hears them."""
    speech.to_all(mobile.world, text, speaker=mobile)
    _echo(session, mobile, OUT_OF_CHARACTER, text)


@command("tell")
def tell(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say something to one character, wherever it is and whatever game it is played from. Raises Cannot."""
    name, words = speech.addressed(text)
    if not speech.clean(words):
        speech.notice(mobile, TELL_WHAT)
        return

    def told(_: Mobile | Person) -> None:
        _echo(session, mobile, TELL, words, to=name.capitalize())

    def refused(cannot: Cannot) -> None:
        if cannot.why is Refusal.NOBODY:
            speech.notice(mobile, f"There is no {speech.clean(name)} here.")
        else:
            session.refuse_wish(mobile, cannot)

    try:
        speech.tell(mobile, name, words, told, refused)
    except Cannot as cannot:
        refused(cannot)


def _echo(session: Eq2Session, mobile: Mobile, channel: int, text: str, *, to: str = "") -> None:
    """Show one's own words, which nobody else tells one."""
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
    """Say something to one's party."""
    speech.to_company(mobile, Speech.PARTY, text)


@command("guildsay", "gu")
def say_to_guild(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say something to one's guild."""
    speech.to_company(mobile, Speech.GUILD, text)


@command("emote")
def emote(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say what one does, in words of one's own; a word that is a gesture is made."""
    if text.lower() in speech.EMOTES:
        speech.gesture(mobile, text.lower())
    else:
        speech.say(mobile, text, Speech.EMOTE)


@command("hail")
def hail(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """A greeting for the target, which may have something to say; aloud, if that is no resident."""
    thing = target_of(session)
    if not isinstance(thing, Mobile) or thing is mobile:
        speech.say(mobile, "Hail.")
    elif thing.is_character:
        speech.say(mobile, f"Hail, {thing.name}.")
    else:
        residents.talk_to(mobile, thing)


def _gesture_command(name: str) -> None:
    @command(name)
    def gesture(session: Eq2Session, mobile: Mobile, text: str) -> None:
        speech.gesture(mobile, name)


for _name in sorted(speech.EMOTES):
    _gesture_command(_name)
