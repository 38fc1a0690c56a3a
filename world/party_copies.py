"""Copies of the parties, in a world that does not keep them (`world.copies`).

The rows say who is in a party, who leads it and whose the loot is, and nothing of why that has changed:
members who are here are told the difference (`PartyChanged`), and of who is in it no more just that. Whose
turn it was to take something is each world's own, since it is about those who are near.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import attrs

from world.companions import Fellow, MemberState, Party
from world.copies import missing, revise
from world.party_events import PartyTurn
from world.party_pulse import state_of, states, tell_one, watch
from world.snapshot import RECORD_TABLES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from world.mobile import Mobile
    from world.records import Record
    from world.snapshot import RecordRow
    from world.thing import Surroundings

KINDS: Final[tuple[type[Record], ...]] = (Party, Fellow)

TABLES: Final = tuple(kind.table for kind in KINDS)
"""Tables of what is copied."""

OWN: Final = ("took",)
"""Columns that are not copied."""

_PARTY: Final = [column.name for column in RECORD_TABLES[Fellow.table].columns].index("party")
"""Where a member's row says of which party it is."""


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
    _assemble(world, world.records.all(Party))
    for fellow in world.records.all(Fellow).values():
        fellow.state = fellow.unseen(online=False)


def copy(world: Surroundings, rows: Iterable[RecordRow]) -> None:
    """Let the parties be as these rows say, which are all there are."""
    rows = list(rows)
    change(world, rows, missing(world.records, KINDS, rows))


def change(world: Surroundings, rows: Sequence[RecordRow], gone: Sequence[tuple[str, int]]) -> None:
    """Let some parties and members be as these rows say, and others be no more, by table and number."""
    numbers = _parties_of(world, rows, gone)
    there = (world.records.get(Party, number) for number in numbers)
    before = {party.number: Before.of(party) for party in there if party is not None}
    found = revise(world.records, rows, gone, OWN)
    parties = world.records.all(Party)
    for was in before.values():
        for serial in was.members:
            if world.parties.get(serial) is was.party:
                del world.parties[serial]
    _assemble(world, numbers)
    for one in found.touched:
        # It is new; or its number was given anew, by a world that had forgotten the one before.
        if isinstance(one, Fellow) and one.state.serial != one.character:
            here = world.mobiles.get(one.character)
            # Who comes in has agreed to it, wherever it is.
            one.state = one.unseen(online=True) if here is None else state_of(here)
            one.world, one.left, one.sought, one.told, one.missed = 0, None, None, None, False
    concerned: set[int] = set().union(*(was.members for was in before.values()))
    for number in numbers:
        if number in parties:
            concerned.update(parties[number].fellows)
        elif number in before and (pulse := before[number].party.pulse) is not None:
            pulse.cancel()
    for mobile in [world.mobiles[serial] for serial in sorted(concerned) if serial in world.mobiles]:
        left, mobile.party = mobile.party, world.parties.get(mobile.serial)
        if mobile.party is not None:
            watch(world, mobile.party)
        _tell(mobile, left, None if mobile.party is None else before.get(mobile.party.number))


def _parties_of(
    world: Surroundings, rows: Iterable[RecordRow], gone: Iterable[tuple[str, int]]
) -> dict[int, None]:
    """The numbers of the parties that are concerned, or were by what is changed: in the order of the rows."""
    numbers: dict[int, None] = {}
    keys = [*gone]
    for row in rows:
        keys.append((row.table, cast("int", row.values[-1])))
        if row.table == Fellow.table:
            numbers[cast("int", row.values[_PARTY])] = None
    for table, number in keys:
        if table == Party.table:
            numbers[number] = None
        elif (fellow := world.records.get(Fellow, number)) is not None:
            numbers[fellow.party] = None
    return numbers


def _assemble(world: Surroundings, numbers: Collection[int]) -> None:
    """Let some parties, of whose members none is in one now, have those whose records say so."""
    parties = world.records.all(Party)
    some = [parties[number] for number in numbers if number in parties]
    for party in some:
        party.fellows = {}
    theirs = [one for one in world.records.all(Fellow).values() if one.party in numbers]
    for fellow in sorted(theirs, key=lambda one: one.number):
        its = parties.get(fellow.party)
        if its is not None and fellow.character not in world.parties:
            its.fellows[fellow.character] = fellow
            world.parties[fellow.character] = its
    for party in some:
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
