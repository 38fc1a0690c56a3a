"""Ignoring: of whom a player wants to hear nothing, in any game.

What an ignored character says nearby, to its party or guild, or to everybody, does not reach the one that
ignores it; what is meant for that one alone (words, letters, invitations of all kinds) is refused, in words.
Staff is heard by all.
The list is one for all games and known by numbers, so that it holds for who is not there as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import audience
from world.events import IgnoreListed
from world.listing import named
from world.mobile import Access
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.directory import Known
    from world.elsewhere import Person
    from world.mobile import Mobile
    from world.thing import Surroundings

MOST: Final = 100
"""Characters that one can ignore: more than anybody reads through, and little to keep for each."""

NOBODY: Final = "There is nobody of that name."
NOT_IGNORED: Final = "You ignore nobody of that name."


def ignores(listener: Mobile | int, speaker: Mobile) -> bool:
    """Whether somebody, who may be away and is a serial then, wants to hear nothing of another; of who is
    away, if this world has the lists of all. Staff is never ignored."""
    serial = listener if isinstance(listener, int) else listener.serial
    return _ignores(speaker.world, serial, speaker)


def ignores_afar(listener: Mobile, speaker: Person) -> bool:
    """As `ignores`, of a speaker in another world."""
    return _ignores(listener.world, listener.serial, speaker)


def refuses(world: Surroundings, listener: int, player: int) -> bool:
    """As `ignores`, of a listener who is in this world and of a player who is none of the staff, both by
    their serials."""
    return player in world.lists.ignored.get(listener, ())


def _ignores(world: Surroundings, listener: int, speaker: Mobile | Person) -> bool:
    return refuses(world, listener, speaker.serial) and speaker.access == Access.PLAYER


def check_heeded(listener: Mobile | int, speaker: Mobile) -> None:
    """Check that somebody would hear of another. Raises Cannot(IGNORED)."""
    if ignores(listener, speaker):
        raise Cannot(Refusal.IGNORED)


def ignored_by(mobile: Mobile) -> Mapping[int, str]:
    """Names of those whom somebody ignores, by serial, in the order they were added."""
    entries = mobile.world.lists.ignored.get(mobile.serial, {})
    return {serial: one.name for serial, one in entries.items()}


def roll(mobile: Mobile) -> str:
    """Line that names those of whom somebody hears nothing."""
    names = sorted(ignored_by(mobile).values())
    return f"You hear nothing of {', '.join(names)}." if names else "You hear of everybody."


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
    actor.world.lists.add(actor.serial, known.serial, known.name, ignored=True)
    _tell(actor, known.serial, known.name, listed=True)
    return known


def heed(actor: Mobile, name: str) -> str:
    """Hear of somebody again; returns the name. Raises Cannot(NOBODY) if nobody of that name is ignored."""
    lists, known = actor.world.lists, actor.world.directory.find(name)
    found = named(lists.ignored.get(actor.serial, {}), known, name)
    if found is None:
        raise Cannot(Refusal.NOBODY, NOT_IGNORED)
    lists.remove(found)
    _tell(actor, found.other, found.name, listed=False)
    return found.name


def _tell(actor: Mobile, serial: int, name: str, *, listed: bool) -> None:
    actor.world.events.append(IgnoreListed(actor, serial, name, listed, audience.one(actor)))
