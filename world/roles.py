"""Roles: what somebody does for others, by the name that its template in data/mobiles.toml gives.

A role is data about three small functions: what begins when somebody of that role comes into the world, what
happens when a player comes up to talk, and what when a ghost does. Nothing in the program asks for the key of
a template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from world import holding, news, speech
from world.life import RESURRECT, offer_resurrection
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from world.news import Topic

HEALER_SEES: Final = 4
"""Tiles within which a healer notices a ghost: ServUO, Scripts/Mobiles/Healers/BaseHealer.cs."""

HEALER_LOOKS: Final = 1.0
"""Seconds between two looks around."""

HEALER_PATIENCE: Final = 15.0
"""Seconds before a healer asks the same ghost again."""

GREETING: Final = "hello"
"""What a click stands for with all others who listen."""

Talk: TypeAlias = "Callable[[Mobile, Mobile, Sequence[Topic]], object]"
"""A player, whom it talks to, and what its game adds to the topics of conversation."""


@attrs.frozen
class Role:
    """What one role means; None where it means nothing."""

    begin: Callable[[Mobile], None] | None = None
    talk: Talk | None = None
    ghosts: Talk | None = None
    greeting: str = ""
    """What a click stands for with those who talk by listening."""


# The healer


def _healer(mobile: Mobile) -> None:
    asked: dict[int, float] = {}
    mobile.world.timers.every(HEALER_LOOKS, _look_for_ghosts, mobile, asked, owner=mobile)


def _look_for_ghosts(healer: Mobile, asked: dict[int, float]) -> None:
    """Offer resurrection to ghosts nearby, each once while the question is open, and not too often."""
    if healer.realm is None:
        return
    now = healer.world.now
    for thing in healer.realm.space.around(healer.x, healer.y, HEALER_SEES):
        if not (isinstance(thing, Mobile) and thing.is_character and thing.dead and thing.online):
            continue
        is_open = any(dialog.name == RESURRECT for dialog in thing.dialogs.values())
        if not is_open and now - asked.get(thing.serial, -HEALER_PATIENCE) >= HEALER_PATIENCE:
            asked[thing.serial] = now
            offer_resurrection(thing, healer)
    for serial in [serial for serial, at in asked.items() if now - at >= HEALER_PATIENCE]:
        del asked[serial]


# Those who listen


def _listen(
    resident: Mobile, words: tuple[str, ...], seconds: float, answer: Callable[[Mobile, Mobile], None]
) -> None:
    """Let a resident answer, some seconds later, whoever says one of the words. What it hears while it
    thinks of an answer gets none."""
    thinking = False

    def hear(speaker: Mobile, text: str) -> None:
        nonlocal thinking
        said = text.casefold()
        if not thinking and any(word in said for word in words):
            thinking = True
            resident.world.timers.after(seconds, speak, speaker, owner=resident)

    def speak(speaker: Mobile) -> None:
        nonlocal thinking
        thinking = False
        answer(resident, speaker)

    resident.world.listeners[resident.serial] = hear


def _crier(mobile: Mobile) -> None:
    _listen(mobile, ("hail", "hello", "news", "who"), 0.8, _cry)


def _cry(crier: Mobile, speaker: Mobile) -> None:
    """Tell who is here."""
    names = sorted(mobile.name for mobile in crier.world.online())
    others = [name for name in names if name != speaker.name]
    company = f"About today: {', '.join(others[:8])}." if others else "You have the realm to yourself today."
    place = crier.realm.chart.title if crier.realm else "the realm"
    speech.say(crier, f"Welcome to {place}, {speaker.name}! {company}")


def _banker(mobile: Mobile) -> None:
    _listen(mobile, ("bank", "balance"), 0.5, _balance)


def _balance(banker: Mobile, speaker: Mobile) -> None:
    """Tell the balance; the vault itself opens when banking lands."""
    speech.say(banker, f"Greetings, {speaker.name}. I see {holding.gold(speaker)} gold in your pack.")


ROLES: Final[Mapping[str, Role]] = {
    "healer": Role(begin=_healer, ghosts=lambda mobile, healer, topics: offer_resurrection(mobile, healer)),
    "crier": Role(begin=_crier, talk=news.offer_news),
    "banker": Role(begin=_banker, greeting="balance"),
    # Known by name: what they do comes with food and trade.
    "innkeeper": Role(),
}
"""All roles there are."""
