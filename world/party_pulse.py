"""The news that members of a party are told: each change of it with the whole list, and once a second how the
others fare.

The list and the bars of a window are drawn from these values alone (`world.companions.MemberState`), since
members may be realms apart, in other worlds, or away. A pulse and not the change itself: in a fight hits
change much oftener than anybody can read, and whoever is of no party pays nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import audience
from world.companions import MemberState, Party
from world.party_events import PartyChanged, PartyStirred, PartyTurn, Stirred
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Mobile
    from world.thing import Surroundings

STIR_SECONDS: Final = 1.0
"""Seconds between two times at which members are told how the others fare."""

SLOW_BEATS: Final = 2
"""So many of these pass until they are told of mana and stamina alone, which come back bit by bit and are
spent with each blow: of what is told in a fight that would be half."""


def states(party: Party) -> Sequence[MemberState]:
    """States of all members of a party as they were told last, the leader first."""
    return tuple(party.fellows[serial].state for serial in party.members)


def tell(
    world: Surroundings,
    party: Party,
    what: PartyTurn,
    who: MemberState | None,
    newcomers: Sequence[Mobile] = (),
    but: Mobile | None = None,
) -> None:
    """Tell all members what became of their party."""
    members = states(party)
    for serial in party.members:
        member = world.mobiles.get(serial)
        if member is not None and member is not but:
            tell_one(member, party, what, who, members, begins=member in newcomers)


def tell_one(
    member: Mobile,
    party: Party,
    what: PartyTurn,
    who: MemberState | None,
    members: Sequence[MemberState],
    *,
    begins: bool = False,
) -> None:
    eyes = audience.one(member)
    if eyes:
        change = PartyChanged(member, what, who, members, party.rule, eyes, begins)
        member.world.events.append(change)


def watch(world: Surroundings, party: Party) -> None:
    """Let the pulse of a party run."""
    if party.pulse is None:
        party.pulse = world.timers.every(STIR_SECONDS, _pulse, world, party, priority=Priority.MS50)


def _pulse(world: Surroundings, party: Party) -> None:
    party.beats += 1
    beat(world, party, all_bars=party.beats % SLOW_BEATS == 1)


def beat(world: Surroundings, party: Party, *, but: Mobile | None = None, all_bars: bool = True) -> None:
    """Tell the members, but for one that is to be told of all, what has changed of each; not any more once
    there is nobody to be told."""
    there = [member for serial in party.members if (member := world.mobiles.get(serial)) is not None]
    eyes = audience.members([member for member in there if member is not but])
    if not eyes:
        if party.pulse is not None:
            party.pulse.cancel()
        party.pulse = None
        return
    stirred: list[Stirred] = []
    for member in there:
        fellow = party.fellows[member.serial]
        before = fellow.state
        if _is_as_told(member, before) and not (all_bars and _spent(member, before)):
            continue
        now = fellow.state = state_of(member)
        stirred.append(Stirred(now, now.differs(before)))
    if stirred:
        world.events.append(PartyStirred(None, party.number, stirred, eyes))


def _is_as_told(mobile: Mobile, told: MemberState) -> bool:
    """Whether nothing has changed that members are told of at once; most of the time nothing has."""
    return (
        mobile.hits == told.hits
        and mobile.x == told.x
        and mobile.y == told.y
        and mobile.level == told.level
        and mobile.hits_max == told.hits_max
        and mobile.mana_max == told.mana_max
        and mobile.stam_max == told.stam_max
        and mobile.dead == told.dead
        and mobile.game == told.game
        and (mobile.realm is None or mobile.realm.name == told.realm)
    )


def _spent(mobile: Mobile, told: MemberState) -> bool:
    """Whether mana or stamina are not what members were told last."""
    return mobile.mana != told.mana or mobile.stam != told.stam


def state_of(mobile: Mobile) -> MemberState:
    """State of a mobile now, as members of a party are told of it."""
    return MemberState(
        mobile.serial,
        mobile.name,
        mobile.short_name,
        mobile.female,
        mobile.level,
        mobile.hits,
        mobile.hits_max,
        mobile.mana,
        mobile.mana_max,
        mobile.stam,
        mobile.stam_max,
        mobile.dead,
        mobile.realm.name if mobile.realm is not None else "",
        mobile.x,
        mobile.y,
        mobile.game,
        mobile.online,
    )
