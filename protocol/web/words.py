"""Words, gestures and blows of the world as messages of this game, and the words for what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.denials import Denial
from protocol.web.figures import percent
from protocol.web.packets.fighting import Struck
from protocol.web.packets.login import Denied
from protocol.web.packets.talk import Gestured, Say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol import services
    from protocol.web.packets.base import Message
    from world import events

TEXTS: Final[Mapping[Denial, str]] = {
    Denial.BAD_CREDENTIALS: "The name or the password is wrong.",
    Denial.BANNED: "This account is banned.",
    Denial.BUSY: "Too many are trying at once. Please wait a little.",
    Denial.NOT_APPROVED: "This server makes no accounts for visitors. Ask whoever runs it for one.",
    Denial.EXISTS: "That name is taken.",
    Denial.FULL: "The account has as many characters as it may have.",
    Denial.BAD_NAME: "That name cannot be used.",
    Denial.BAD_PASSWORD: "That password cannot be used.",
    Denial.NO_CHARACTER: "There is no such character.",
    Denial.IN_USE: "Somebody plays that character.",
    Denial.UNAVAILABLE: "That does not work at the moment. Please try again later.",
}
"""Sentences for people where the server has no words of its own."""


def said(event: events.Said) -> Say:
    """Somebody's words; of nobody's the serial is 0."""
    speaker = event.thing or event.afar
    return Say(speaker.serial if speaker is not None else 0, event.name, event.how.value, event.text)


def gestured(event: events.Gestured) -> Gestured:
    """Somebody's gesture, which the page shows as words."""
    return Gestured(event.thing.serial, event.gesture)


def blow(event: events.Struck) -> Struck:
    """Somebody's blow, and what it left of whom it met."""
    return Struck(
        event.thing.serial,
        event.target.serial,
        event.outcome.name.lower(),
        event.damage,
        percent(event.left, event.target.hits_max),
        event.manner.value,
        event.ms,
        event.two_handed,
    )


def refusal(denied: services.Denied, kind: type[Message]) -> Denied:
    """The message for a request of that kind that is refused."""
    return Denied(denied.why.name.lower(), words_of(denied), kind.tag)


def words_of(denied: services.Denied) -> str:
    """The reason as a sentence for people. The page around the game says the same."""
    words = str(denied)
    if words == denied.why.value:
        words = TEXTS[denied.why]
    elif denied.why is Denial.BANNED:
        words = f"{TEXTS[Denial.BANNED]} {words}"
    words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "!", "?")) else f"{words}."
