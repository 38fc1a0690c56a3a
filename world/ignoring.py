"""Ignoring: of whom a player wants to hear nothing, in any game.

What an ignored character says nearby, or to everybody, does not reach the one that ignores it; what is meant
for that one alone (words, letters, invitations of all kinds) is refused, in words. Staff is heard by all.
The list is one for all games and known by numbers, so that it holds for who is not there as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import audience
from world.events import IgnoreListed
from world.mobile import Access, Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.directory import Known

MOST: Final = 100
"""Characters that one can ignore: more than anybody reads through, and little to keep for each."""

NOBODY: Final = "There is nobody of that name."
NOT_IGNORED: Final = "You ignore nobody of that name."


def ignores(listener: Mobile, speaker: Mobile | int) -> bool:
    """Whether somebody wants to hear nothing of another, who is given as a mobile or by serial. Staff that is
    there is never ignored."""
    ignored = listener.world.ignored.get(listener.serial)
    if not ignored:
        return False
    if isinstance(speaker, Mobile):
        return speaker.serial in ignored and speaker.access == Access.PLAYER
    return speaker in ignored


def check_heeded(listener: Mobile, speaker: Mobile) -> None:
    """Check that somebody would hear of another. Raises Cannot(IGNORED)."""
    if ignores(listener, speaker):
        raise Cannot(Refusal.IGNORED)


def ignored_by(mobile: Mobile) -> Mapping[int, str]:
    """Names of those whom somebody ignores, by serial, in the order they were added."""
    return mobile.world.ignored.get(mobile.serial, {})


def ignore(actor: Mobile, name: str) -> Known:
    """Hear of somebody no more, who need not be there. Raises Cannot: NOBODY, ONESELF, LISTED, MANY; STAFF of
    those of the staff who are there."""
    known = actor.world.directory.find(name)
    if known is None:
        raise Cannot(Refusal.NOBODY, NOBODY)
    if known.serial == actor.serial:
        raise Cannot(Refusal.ONESELF)
    there = actor.world.mobiles.get(known.serial)
    if there is not None and there.access > Access.PLAYER:
        raise Cannot(Refusal.STAFF)
    ignored = ignored_by(actor)
    if known.serial in ignored:
        raise Cannot(Refusal.LISTED)
    if len(ignored) >= MOST:
        raise Cannot(Refusal.MANY)
    actor.world.ignored.setdefault(actor.serial, {})[known.serial] = known.name
    _tell(actor, known.serial, known.name, listed=True)
    return known


def heed(actor: Mobile, name: str) -> str:
    """Hear of somebody again; returns the name. Raises Cannot(NOBODY) if nobody of that name is ignored."""
    ignored = actor.world.ignored.get(actor.serial, {})
    folded = name.strip().casefold()
    known = actor.world.directory.find(name)
    serial = known.serial if known is not None and known.serial in ignored else None
    if serial is None:
        serial = next((one for one, called in ignored.items() if called.casefold() == folded), None)
    if serial is None:
        raise Cannot(Refusal.NOBODY, NOT_IGNORED)
    called = ignored.pop(serial)
    if not ignored:
        del actor.world.ignored[actor.serial]
    _tell(actor, serial, called, listed=False)
    return called


def _tell(actor: Mobile, serial: int, name: str, *, listed: bool) -> None:
    actor.world.events.append(IgnoreListed(actor, serial, name, listed, audience.one(actor)))
