"""Members of a party who are in other worlds: whether they are played there, and how they fare.

The problem: who goes over a border is away from nobody, and who is gone for good is to be waited for,
whichever world it was in; what is said between worlds may be lost, and the line for it be cut for an hour.
The idea: who is in which world says the database, which each world asks once a second for those members that
it has not itself (`asked`, `look`); how they fare is told by the world that has them (`news`, `hear`), and if
that is lost their bars are old and nothing else. Only the world that keeps the parties waits for somebody,
and strikes off whom it has waited for too long.

Who is in no world for a moment may be about to go on in the next process that has its realm, so it is away
only after `world.elsewhere.GRACE`. Somebody whose client is gone lingers for a while in its world, which says
so; should that be lost, the others hear of it when it has left that world.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

import attrs

from world import audience, party
from world.companions import Party
from world.elsewhere import GRACE
from world.party_events import PartyStirred, Stirred
from world.party_pulse import state_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from world.companions import Fellow, MemberState
    from world.thing import Surroundings

MOST_NEWS: Final = 400
"""Members of whom another world is told at once; of the others it is told a second later."""

RETOLD: Final = 10
"""A member of whom nothing has changed is told of again after so many times: something may have been lost."""

LEFT_SECONDS: Final = 30.0
"""For so long the word of a world counts that somebody whom it still has is not played any more. It is said
again every ten seconds (`RETOLD`): should the line be cut, that one may have come back."""


def asked(world: Surroundings) -> list[int]:
    """Members who are not here, and of whom it matters where they are: where parties are kept all, elsewhere
    those with whom somebody is here."""
    mobiles, found = world.mobiles, []
    for one in world.records.all(Party).values():
        absent = [serial for serial in one.fellows if serial not in mobiles]
        if world.records.kept or len(absent) < len(one.fellows):
            found += absent
    return found


def look(world: Surroundings, serials: Collection[int], where: Mapping[int, int], own: int) -> None:
    """Take note of where those were found for whom was asked: `where` are the numbers of their worlds, for
    those who are in a living one; `own` is the number of this one."""
    for serial in serials:
        of, at = world.parties.get(serial), where.get(serial, 0)
        if of is None:
            continue
        fellow = of.fellows[serial]
        if serial in world.mobiles:
            fellow.sought = None
            continue
        if at == own:
            at = 0  # it has left just now, or is about to come; or was to come, and did not
        if fellow.left is not None and (at != fellow.left[0] or fellow.left[1] + LEFT_SECONDS < world.now):
            fellow.left = None
        fellow.world = at
        there = at != 0 and fellow.left is None
        if there or not fellow.state.online:
            fellow.sought = None
        elif fellow.sought is None:
            fellow.sought = world.now
        if there and not fellow.state.online:
            party.back(world, of, fellow)
        elif fellow.sought is not None and fellow.sought + GRACE <= world.now:
            fellow.sought = None
            party.gone(world, of, fellow)


def news(world: Surroundings, turn: int | None = None) -> Mapping[int, list[MemberState]]:
    """Find how members fare who are here, for the worlds in which there are others of their parties, by
    number: of whom it is not as these were told last. `turn` is a number that grows: each time a tenth
    (`RETOLD`) is told of anew. At most `MOST_NEWS` for one world, first those who were told of the longest
    ago, and all who went or came back."""
    first: list[tuple[Fellow, tuple[MemberState, frozenset[int]]]] = []
    others: list[tuple[Fellow, tuple[MemberState, frozenset[int]]]] = []
    mobiles = world.mobiles
    for of in world.records.all(Party).values():
        worlds = frozenset(fellow.world for fellow in of.fellows.values() if fellow.world)
        for serial, fellow in of.fellows.items() if worlds else ():
            mobile = mobiles.get(serial)
            if mobile is None:
                continue
            before, now = fellow.told, (state_of(mobile), worlds)
            if (before is None or before[0].online) != now[0].online:
                first.append((fellow, now))
            elif before != now or (turn is not None and (serial + turn) % RETOLD == 0):
                others.append((fellow, now))
    found: dict[int, list[MemberState]] = {}
    others.sort(key=lambda one: one[0].told_at)
    for count, (fellow, now) in enumerate(chain(first, others)):
        state, worlds = now
        if count >= len(first) and any(len(found.get(number, ())) >= MOST_NEWS for number in worlds):
            continue
        fellow.told, fellow.told_at = now, world.now
        for number in worlds:
            found.setdefault(number, []).append(state)
    return found


def hear(world: Surroundings, number: int, states: Iterable[MemberState]) -> None:
    """Take note of how members fare who are in the world of that number, and tell those who are here. That
    one is not played there any more, or again, is believed of a world only where it was found."""
    stirred: dict[int, list[Stirred]] = {}
    for told in states:
        of = world.parties.get(told.serial)
        if of is None or told.serial in world.mobiles:
            continue
        fellow = of.fellows[told.serial]
        found = fellow.world == number
        if not (found or told.online):
            continue
        before = fellow.state
        now = fellow.state = attrs.evolve(
            told,
            name=fellow.name,
            short_name=fellow.short_name,
            female=fellow.female,
            online=before.online,
        )
        if what := now.differs(before):
            stirred.setdefault(of.number, []).append(Stirred(now, what))
        if found:
            fellow.left = None if told.online else (number, world.now)
        if found and told.online and not before.online:
            party.back(world, of, fellow)
        elif before.online and not told.online:
            party.gone(world, of, fellow)
    parties = world.records.all(Party)
    for of_party, told_of in stirred.items():
        here = (world.mobiles.get(serial) for serial in parties[of_party].members)
        eyes = audience.members(mobile for mobile in here if mobile is not None)
        if eyes:
            world.events.append(PartyStirred(None, of_party, told_of, eyes))
