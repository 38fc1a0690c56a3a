"""Copies of the parties, in a world that does not keep them (`world.copies`).

The rows say who is in a party, who leads it and whose the loot is, and nothing of why that has changed:
members who are here are told the difference (`PartyChanged`), and of who is in it no more just that. Whose
turn it was to take something is each world's own, since it is about those who are near.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world.companions import Fellow, MemberState, Party
from world.copies import overwrite
from world.party_events import PartyTurn
from world.party_pulse import state_of, states, tell_one, watch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from world.mobile import Mobile
    from world.records import Record
    from world.snapshot import RecordRow
    from world.thing import Surroundings

KINDS: Final[tuple[type[Record], ...]] = (Party, Fellow)

TABLES: Final = tuple(kind.table for kind in KINDS)
"""Tables of what is copied."""

OWN: Final = ("took",)
"""Columns that are not copied."""


@attrs.frozen
class Before:
    """A party as it was in the last copy."""

    party: Party
    leader: int
    loot: str
    members: Mapping[int, MemberState]

    @classmethod
    def of(cls, party: Party) -> Before:
        """That of a party now."""
        members = {serial: fellow.state for serial, fellow in party.fellows.items()}
        return cls(party, party.leader, party.loot, members)


def settle(world: Surroundings) -> None:
    """Make of the stored records what rules look things up in, when the world begins: nobody is here yet."""
    _assemble(world)
    for fellow in world.records.all(Fellow).values():
        fellow.state = fellow.unseen(online=False)


def copy(world: Surroundings, rows: Iterable[RecordRow]) -> None:
    """Let the parties be as these rows say."""
    parties = world.records.all(Party)
    before = {party.number: Before.of(party) for party in parties.values()}
    found = overwrite(world.records, KINDS, rows, OWN)
    _assemble(world)
    for one in found.new:
        if isinstance(one, Fellow):
            here = world.mobiles.get(one.character)
            # Who comes in has agreed to it, wherever it is.
            one.state = one.unseen(online=True) if here is None else state_of(here)
    for number, was in before.items():
        if number not in parties and was.party.pulse is not None:
            was.party.pulse.cancel()
    for mobile in [one for one in world.mobiles.values() if one.is_character]:
        left, mobile.party = mobile.party, world.parties.get(mobile.serial)
        if mobile.party is not None:
            watch(world, mobile.party)
        _tell(mobile, left, None if mobile.party is None else before.get(mobile.party.number))


def _assemble(world: Surroundings) -> None:
    parties = world.records.all(Party)
    world.parties.clear()
    for party in parties.values():
        party.fellows = {}
    for fellow in sorted(world.records.all(Fellow).values(), key=lambda one: one.number):
        its = parties.get(fellow.party)
        if its is not None and fellow.character not in world.parties:
            its.fellows[fellow.character] = fellow
            world.parties[fellow.character] = its
    for party in parties.values():
        party.members = sorted(party.fellows, key=lambda serial: serial != party.leader)


def _tell(mobile: Mobile, left: Party | None, was: Before | None) -> None:
    """Tell a player what is different: `left` is the party that it was in, `was` what the one that it is in
    was then."""
    party, own = mobile.party, state_of(mobile)
    if left is not None and left is not party:
        ended = mobile.world.records.get(Party, left.number) is not left
        tell_one(mobile, left, PartyTurn.ENDED if ended else PartyTurn.OUT, None if ended else own, ())
    if party is None:
        return
    members = states(party)
    if left is not party or was is None:
        # Of one that is new its leader reads who came into it.
        leads = party.leader == mobile.serial and len(members) > 1
        tell_one(mobile, party, PartyTurn.JOINED, members[-1] if leads else own, members, begins=True)
        return
    gone = [state for serial, state in was.members.items() if serial not in party.fellows]
    came = [fellow.state for serial, fellow in party.fellows.items() if serial not in was.members]
    turns: list[tuple[PartyTurn, MemberState | None]] = [
        *((PartyTurn.OUT, state) for state in gone),
        *((PartyTurn.JOINED, state) for state in came),
    ]
    if was.leader != party.leader:
        turns.append((PartyTurn.LED, members[0]))
    if was.loot != party.loot:
        turns.append((PartyTurn.LOOT, None))
    for what, who in turns:
        tell_one(mobile, party, what, who, members)
