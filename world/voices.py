"""Voices: residents that hear words and answer them, by what their role knows, by their template, and to a
greeting.

A resident thinks for half a second before it answers, and words that it hears meanwhile get no answer, so
that nobody can make it talk without end. A greeting is answered by residents that stand near, or are named in
it: in a full inn not everybody answers one "hello".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import attrs

from world import speech
from world.heading import apart
from world.reach import Cannot
from world.talks import filled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.content import MobileTemplate
    from world.mobile import Mobile

HAILS: Final = ("hail", "hello", "hi", "greetings", "good day", "good morning", "good evening")
"""Words that greet."""

EARSHOT: Final = 4
"""Tiles within which somebody takes a greeting without a name for its own."""

SECONDS: Final = 0.5
"""What somebody thinks before it answers."""

_WORD: Final = re.compile(r"\w+")


@attrs.frozen
class Hearing:
    """Words and their answer: `answer` receives the mobile that hears and the one that speaks. `near`: only
    from speakers that stand near or say the name."""

    words: Sequence[str]
    answer: Callable[[Mobile, Mobile], object]
    seconds: float = SECONDS
    near: bool = False
    heeds: Callable[[Mobile, Mobile, str], object] | None = None
    """Called instead of `answer`, with what was said as well."""

    @property
    def greets(self) -> bool:
        """Whether it answers a greeting, and with that its name."""
        return HAILS[0] in self.words


def phrase(text: str) -> str:
    """The words of a text in small letters, with a blank before and behind each; empty, if it has none."""
    words = _WORD.findall(text.casefold())
    return f" {' '.join(words)} " if words else ""


def sayings(template: MobileTemplate) -> Sequence[Hearing]:
    """Answers of a mobile that come of its template alone."""
    found = [Hearing(saying.words, _line(saying.says)) for saying in template.hears]
    if template.says:
        found.append(Hearing(HAILS, _line(template.says), near=True))
    return found


def listen(mobile: Mobile, hearings: Sequence[Hearing]) -> None:
    """Let a mobile answer speakers that say one of the words; the first that fits counts. Its name alone is
    as good as a greeting."""
    known = [(tuple(map(phrase, hearing.words)), hearing) for hearing in hearings]
    name = phrase(mobile.name)
    thinking = False

    def hear(speaker: Mobile, text: str) -> None:
        nonlocal thinking
        if thinking or not speaker.is_character:  # residents would greet one another for ever
            return
        said = phrase(text)
        named = bool(name) and name in said
        for words, hearing in known:
            meant = any(word in said for word in words) or (named and hearing.greets)
            if meant and (not hearing.near or named or apart(mobile, speaker) <= EARSHOT):
                thinking = True
                mobile.world.timers.after(hearing.seconds, speak, hearing, speaker, text, owner=mobile)
                return

    def speak(hearing: Hearing, speaker: Mobile, text: str) -> None:
        nonlocal thinking
        thinking = False
        try:
            if hearing.heeds is not None:
                hearing.heeds(mobile, speaker, text)
            else:
                hearing.answer(mobile, speaker)
        except Cannot as cannot:
            speech.notice(speaker, str(cannot))

    if known:
        mobile.world.listeners[mobile.serial] = hear


def _line(words: str) -> Callable[[Mobile, Mobile], object]:
    def answer(resident: Mobile, speaker: Mobile) -> None:
        speech.say(resident, filled(words, speaker.name, resident.name))

    return answer


COMMON: Final = (
    Hearing(("vendor", "buy", "sell", "trade"), _line("I have nothing for sale, {name}."), near=True),
    Hearing(("bank", "balance", "vault"), _line("For that you want the banker, {name}."), near=True),
)
"""What everybody who talks at all answers to words of a trade that is not its own."""
