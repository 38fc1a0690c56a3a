"""Friends: whom a player wants to find again, one list for all games.

A list is its owner's alone, as in most of the games; whoever is on it need not be in the world, and hears
nothing of it. Who has friends is told when one of them comes or goes. Where a game's client asks the other
one first (Lineage II, Conquer Online), both have each other on their lists when that one agrees (`ask`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from world import audience, invites, presence
from world.directory import Known
from world.events import FriendListed, FriendStirred
from world.listing import named
from world.reach import Cannot, Refusal
from world.speech import or_tell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.elsewhere import Person
    from world.mobile import Mobile
    from world.thing import Surroundings

MOST: Final = 100
"""Friends on one list: what a packet of each game that lists them holds."""

FRIENDSHIP: Final = "friendship"
"""The name of the question whether to be somebody's friend."""

NOBODY: Final = "There is nobody of that name."
NO_FRIEND: Final = "You have no friend of that name."
NO_FRIENDS: Final = "You have no friends on your list: `friend NAME` adds one."


def friends_of(mobile: Mobile) -> Mapping[int, str]:
    """Names of somebody's friends by serial, in the order they were added."""
    entries = mobile.world.lists.friends.get(mobile.serial, {})
    return {serial: one.name for serial, one in entries.items()}


def roll(mobile: Mobile) -> Sequence[str]:
    """Lines that name somebody's friends, those who are here first."""
    listed = friends_of(mobile)
    here = sorted(name for serial, name in listed.items() if is_here(mobile.world, serial))
    away = sorted(name for serial, name in listed.items() if not is_here(mobile.world, serial))
    if not listed:
        return [NO_FRIENDS]
    return [
        f"Here: {', '.join(here) or 'none of your friends'}.",
        *([f"Away: {', '.join(away)}."] if away else []),
    ]


def is_here(world: Surroundings, serial: int) -> bool:
    """Whether a client plays that character now, in this world or another, as far as others may know: staff
    that hides is nowhere."""
    mobile = world.mobiles.get(serial)
    if mobile is not None and mobile.online:
        return not presence.sneaks(mobile)
    person = world.elsewhere.people.get(serial)
    return person is not None and not presence.sneaks(person)


def game_of(world: Surroundings, serial: int) -> str:
    """Through which game that character is played now, as far as others may know; empty while it is not
    here."""
    if not is_here(world, serial):
        return ""
    mobile = world.mobiles.get(serial)
    if mobile is not None and mobile.online:
        return mobile.game
    return world.elsewhere.people[serial].game


def befriend(actor: Mobile, name: str) -> Known:
    """Put somebody of that name on one's list. Raises Cannot: NOBODY, ONESELF, LISTED or MANY."""
    known = actor.world.directory.find(name)
    if known is None:
        raise Cannot(Refusal.NOBODY, NOBODY)
    add(actor, known)
    return known


def add(actor: Mobile, known: Known) -> None:
    """Put somebody on one's list. Raises Cannot: ONESELF, LISTED or MANY."""
    friends = friends_of(actor)
    if known.serial == actor.serial:
        raise Cannot(Refusal.ONESELF)
    if known.serial in friends:
        raise Cannot(Refusal.LISTED)
    if len(friends) >= MOST:
        raise Cannot(Refusal.MANY)
    actor.world.lists.add(actor.serial, known.serial, known.name, ignored=False)
    _tell(actor, known.serial, known.name, listed=True)


def ask(actor: Mobile, other: Mobile) -> None:
    """Ask somebody who is there to be one's friend; who agrees is put on one's list, and puts oneself on its
    own. Raises Cannot: as `invites.ask`; LISTED, MANY."""
    invites.check_asks(actor, other)
    if invites.meets(actor, other, FRIENDSHIP):
        return
    friends = friends_of(actor)
    if other.serial in friends:
        raise Cannot(Refusal.LISTED)
    if len(friends) >= MOST:
        raise Cannot(Refusal.MANY)
    invites.ask(
        actor,
        other,
        FRIENDSHIP,
        title="Friendship",
        text=f"{actor.name} wants to be your friend.",
        told=f"You asked {other.name} to be your friend.",
        accepted=partial(_agreed, actor, other),
    )


def _agreed(actor: Mobile, other: Mobile) -> None:
    """Both are friends now, unless a list is full."""
    for one, friend in ((actor, other), (other, actor)):
        if friend.serial not in friends_of(one):
            known = Known(friend.serial, friend.name, friend.short_name, friend.account)
            or_tell(one, partial(add, one, known))


def adopt(mobile: Mobile, names: Mapping[int, str]) -> None:
    """Put those on a list whom a game has kept itself so far, without a word; whoever does not exist any
    more, or has no room there, is left out."""
    for serial, name in names.items():
        friends = friends_of(mobile)
        there = mobile.world.directory.of(serial) is not None
        if there and serial not in friends and serial != mobile.serial and len(friends) < MOST:
            mobile.world.lists.add(mobile.serial, serial, name, ignored=False)


def unfriend(actor: Mobile, name: str) -> str:
    """Take somebody off one's list; returns the name that stood there. Raises Cannot(NOBODY)."""
    lists, known = actor.world.lists, actor.world.directory.find(name)
    found = named(lists.friends.get(actor.serial, {}), known, name)
    if found is None:
        raise Cannot(Refusal.NOBODY, NO_FRIEND)
    lists.remove(found)
    _tell(actor, found.other, found.name, listed=False)
    return found.name


def stirred(mobile: Mobile) -> None:
    """Tell whoever has this character for a friend that it came into the world, or left it."""
    if mobile.online and presence.sneaks(mobile):
        return
    _stirred(mobile.world, mobile.serial, mobile.name, online=mobile.online)


def stirred_afar(world: Surroundings, person: Person, *, online: bool) -> None:
    """As `stirred`, of a character of another world."""
    _stirred(world, person.serial, person.name, online=online)


def _stirred(world: Surroundings, serial: int, name: str, *, online: bool) -> None:
    for other in world.online():
        if other.serial != serial and serial in world.lists.friends.get(other.serial, ()):
            viewers = audience.one(other)
            world.events.append(FriendStirred(other, serial, name, online, viewers))


def _tell(actor: Mobile, serial: int, name: str, *, listed: bool) -> None:
    here = is_here(actor.world, serial)
    actor.world.events.append(FriendListed(actor, serial, name, here, listed, audience.one(actor)))
