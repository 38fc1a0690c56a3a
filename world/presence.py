"""Presence: who may know that a character is in the world, or in another one (`world.elsewhere`). Staff that
hides is nowhere, as far as players may know: whoever looks for it by name is answered as about somebody who
is not online. Staff finds everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.elsewhere import Person
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Mobile


def sneaks(mobile: Mobile | Person) -> bool:
    """Whether it is staff that wants no player to know that it is here."""
    return mobile.hidden and mobile.access > Access.PLAYER


def finds(viewer: Mobile, mobile: Mobile) -> bool:
    """Whether somebody may know that a client plays that character now."""
    return mobile.online and (not sneaks(mobile) or mobile is viewer or viewer.access >= Access.COUNSELOR)


def by_name(viewer: Mobile, name: str) -> Mobile | None:
    """The character of that name that a client plays now, as far as somebody may know."""
    mobile = viewer.world.online_by_name(name)
    return mobile if mobile is not None and finds(viewer, mobile) else None


def hearer(speaker: Mobile, name: str) -> Mobile | None:
    """As `by_name`, for words to that one alone: who wrote last to the speaker has shown itself, and is
    answered even if it hides."""
    mobile = speaker.world.online_by_name(name)
    if mobile is None or not (finds(speaker, mobile) or speaker.heard_from == mobile.serial):
        return None
    return mobile


# In other worlds


def person_of(mobile: Mobile) -> Person:
    """A character as other worlds know it."""
    return Person(
        mobile.serial,
        mobile.name,
        mobile.short_name,
        mobile.account,
        mobile.game,
        mobile.level,
        mobile.access,
        mobile.hidden,
        mobile.realm.name if mobile.realm is not None else "",
        mobile.title,
        mobile.guild.tag if mobile.guild is not None else "",
    )


def finds_afar(viewer: Mobile, person: Person) -> bool:
    """Whether somebody may know that a character is played in another world. Of one that is here as well,
    because it is just going over, this world knows better."""
    here = viewer.world.mobiles.get(person.serial)
    if here is not None and here.online:
        return False
    return not sneaks(person) or viewer.access >= Access.COUNSELOR


def hearer_afar(speaker: Mobile, name: str) -> Person | None:
    """As `hearer`, of those in other worlds."""
    person = speaker.world.elsewhere.find(name)
    if person is None or not (finds_afar(speaker, person) or speaker.heard_from == person.serial):
        return None
    return person


def listed_afar(viewer: Mobile) -> Sequence[Person]:
    """Those in other worlds who are in a list of who is online, for this viewer, by name; who hides is in it
    for staff only, whether or not it is of the staff itself."""
    people = viewer.world.elsewhere.people.values()
    staff = viewer.access >= Access.COUNSELOR
    found = [one for one in people if finds_afar(viewer, one) and (staff or not one.hidden)]
    return sorted(found, key=lambda person: person.name)
