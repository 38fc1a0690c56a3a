"""Saying things, and who hears them."""

from __future__ import annotations

import logging
import unicodedata
from typing import TYPE_CHECKING, Final

from world.moments import Gestured, Said, Speech

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.space import Eyes
    from world.world import World

log = logging.getLogger("world")

RANGES: Final = {Speech.SAY: 15, Speech.EMOTE: 15, Speech.WHISPER: 1, Speech.YELL: 18}
"""Tiles (Chebyshev) each way of speaking carries: ServUO's, Server/Mobile.cs DoSpeech."""

LONGEST: Final = 128
"""Characters of one utterance: the limit of UO's and EO's clients."""

EMOTES: Final = frozenset(
    {
        *("happy", "depressed", "sad", "angry", "confused", "surprised", "love", "moon"),
        *("suicidal", "embarrassed", "drunk", "laugh", "bow", "salute"),
    }
)
"""Gestures every game has a picture or a line for."""


def clean(text: str, longest: int = LONGEST) -> str:
    """What somebody typed, fit to be shown to others: no control or format characters, bounded, trimmed."""
    kept = "".join(
        ch for ch in text if unicodedata.category(ch) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    )
    return kept.strip()[:longest]


def say(
    mobile: Mobile, text: str, how: Speech = Speech.SAY, *, hue: int = 0, font: int = 3, language: str = "ENU"
) -> None:
    """Speak where others hear it, as far as `how` carries. What is left empty by `clean` is not said."""
    text = clean(text)
    if not text or mobile.realm is None:
        return
    viewers = within_hearing(mobile, RANGES[how])
    world = mobile.world
    world.moments.append(Said(mobile, how, text, viewers, mobile.name, hue, font, language))
    for listener in mobile.realm.space.around(mobile.x, mobile.y, RANGES[how]):
        hears = world.listeners.get(listener.serial)
        if hears is not None and listener is not mobile:
            try:
                hears(mobile, text)
            except Exception:
                log.exception("%s cannot bear what it hears, and listens no more", listener.name)
                del world.listeners[listener.serial]


def within_hearing(mobile: Mobile, distance: int) -> list[Eyes]:
    """The eyes (the mobile's own among them) whose mobile is near enough and that see the speaker."""
    if mobile.realm is None:
        return []
    return [
        eyes
        for eyes in mobile.realm.space.watching(mobile.x, mobile.y)
        if abs(eyes.mobile.x - mobile.x) <= distance and abs(eyes.mobile.y - mobile.y) <= distance
    ]


def tell(speaker: Mobile, name: str, text: str) -> bool:
    """Words for one character alone, anywhere; False if it is not online."""
    target = speaker.world.online_by_name(name)
    text = clean(text)
    if target is None or target.eyes is None:
        return False
    if text:
        speaker.world.moments.append(Said(speaker, Speech.TELL, text, [target.eyes], speaker.name))
    return True


def to_all(world: World, text: str, *, speaker: Mobile | None = None, announce: bool = False) -> None:
    """Words for everybody online: an announcement, or global chat of a speaker for those who listen to it."""
    text = clean(text)
    if not text:
        return
    ears = [
        mobile.eyes
        for mobile in world.online()
        if mobile.eyes is not None and mobile is not speaker and (announce or mobile.hears_global)
    ]
    how = Speech.ANNOUNCE if announce else Speech.GLOBAL
    world.moments.append(Said(speaker, how, text, ears, speaker.name if speaker else "System"))


def notice(mobile: Mobile, text: str) -> None:
    """A line from the server for one player."""
    if mobile.eyes is not None:
        mobile.world.moments.append(Said(None, Speech.SYSTEM, text, [mobile.eyes]))


def gesture(mobile: Mobile, name: str) -> None:
    """Make one of `EMOTES`; an unknown one is ignored."""
    if name in EMOTES and mobile.realm is not None:
        mobile.world.moments.append(Gestured(mobile, name, mobile.world.watching(mobile)))
