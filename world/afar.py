"""Words and news from other worlds, as they are heard in this one.

What somebody says elsewhere to everybody, to its company or to one alone is said here by the same events as
words of this world, and by the same rules: who ignores the speaker hears nothing, who does not listen to the
global chat neither, and staff that hides is not there. The other world has asked its own rules before; these
are asked again because this one alone knows who it is that hears.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from world import audience, friends, presence
from world.directory import Known
from world.events import Said, Speech
from world.ignoring import ignores_afar
from world.mobile import Access
from world.reach import Cannot, Refusal
from world.speech import fit, note_afar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from world.elsewhere import Person
    from world.mobile import Mobile
    from world.world import World


def hear_all(world: World, speaker: Person, text: str, *, announce: bool = False) -> None:
    """Let everybody here hear what somebody says to all: an announcement, or global chat for those who listen
    to it. What is announced by no staff is not."""
    text = fit(world, text)
    if not text or (announce and speaker.access < Access.GAME_MASTER):
        return
    if announce:
        how, ears = Speech.ANNOUNCE, audience.everybody(world)
    else:
        note_afar(world, speaker, Speech.GLOBAL, text)
        listening = (mobile for mobile in world.online() if mobile.hears_global)
        how, ears = Speech.GLOBAL, audience.members(_heeding(speaker, listening))
    if ears:
        world.events.append(Said(None, how, text, ears, speaker.name, afar=speaker))


def hear_one(world: World, speaker: Person, hearer: int, text: str, *, answers: bool = False) -> None:
    """Let one character hear what somebody says to it alone. `answers`: it was the last to write to the
    speaker, so it has shown itself. Raises Cannot: NOBODY if it is not played here, as far as the speaker may
    know; IGNORED."""
    mobile = world.mobiles.get(hearer)
    if mobile is None or mobile.viewport is None or not mobile.online:
        raise Cannot(Refusal.NOBODY)
    if presence.sneaks(mobile) and not answers and speaker.access < Access.COUNSELOR:
        raise Cannot(Refusal.NOBODY)
    if ignores_afar(mobile, speaker):
        raise Cannot(Refusal.IGNORED)
    text = fit(world, text)
    if text:
        mobile.heard_from = speaker.serial
        note_afar(world, speaker, Speech.TELL, text, to=(mobile.serial,))
        ears = audience.one(mobile)
        world.events.append(Said(None, Speech.TELL, text, ears, speaker.name, afar=speaker))


def hear_company(
    world: World,
    speaker: Person,
    kind: Speech,
    members: Collection[int],
    guilds: Collection[int],
    text: str,
    hue: int = 0,
) -> None:
    """Let those of a company who are here hear what one of it says: its members by serial, and of a guild or
    alliance all whose guild is one of these. Where this world knows better of which party or guild one is,
    what it knows counts."""
    text, named = fit(world, text), frozenset(members)
    found = []
    for one in world.online():
        if kind is Speech.PARTY:
            hears = one.serial in named and (one.party is None or speaker.serial in one.party.members)
        else:
            hears = one.serial in named if one.guild is None else one.guild.number in guilds
        if hears and one.serial != speaker.serial:
            found.append(one)
    there = _heeding(speaker, found)
    ears = audience.members(there)
    if text and ears:
        note_afar(world, speaker, kind, text, to=tuple(mobile.serial for mobile in there))
        world.events.append(Said(None, kind, text, ears, speaker.name, hue, afar=speaker))


def meet(world: World, number: int, people: Iterable[Person]) -> None:
    """Let these be all who are played in the world of that number: whoever has one of them for a friend is
    told who came."""
    for person in world.elsewhere.settle(number, people, world.now):
        world.directory.note(Known(person.serial, person.name, person.short_name, person.account))
        if not _is_here(world, person) and not presence.sneaks(person):
            friends.stirred_afar(world, person, online=True)


def miss(world: World) -> None:
    """Tell friends of those who have left all worlds; to be asked now and then."""
    for person in world.elsewhere.missed(world.now):
        if not _is_here(world, person) and not presence.sneaks(person):
            friends.stirred_afar(world, person, online=False)


def _is_here(world: World, person: Person) -> bool:
    """Whether it is played in this world: it has come over, or is about to go."""
    mobile = world.mobiles.get(person.serial)
    return mobile is not None and mobile.online


def _heeding(speaker: Person, mobiles: Iterable[Mobile]) -> list[Mobile]:
    return [mobile for mobile in mobiles if not ignores_afar(mobile, speaker)]
