"""Memory of those members of a party who are in other worlds, for somebody who comes into one where nobody
was told of them until now: over a border, or from nowhere.

Who crosses takes along how the others fare, and who enters is told who is played elsewhere; what is wrong
about it is put right within a second (`world.party_afar`). And the window of who crosses may show a party of
which the world where it comes has not read yet, or which is no more.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, cast

import attrs

from world.companions import MemberState, Party
from world.party_events import PartyTurn
from world.party_pulse import state_of, states, tell_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from world.mobile import Mobile
    from world.thing import Surroundings


_VALUES: Final[Callable[[MemberState], tuple[object, ...]]] = attrgetter(
    *(field.name for field in attrs.fields(MemberState))
)


def recollect(mobile: Mobile, party: Party) -> None:
    """Bring to mind how those elsewhere fare, for somebody who comes in here."""
    world = mobile.world
    if not _is_first(mobile, party):
        return
    for serial, fellow in party.fellows.items():
        if serial != mobile.serial:
            person = world.elsewhere.people.get(serial)
            state = fellow.unseen(online=person is not None)
            if person is not None:
                state = attrs.evolve(state, level=person.level, realm=person.realm, game=person.game)
            fellow.state, fellow.missed, fellow.sought = state, False, None


def _is_first(mobile: Mobile, party: Party) -> bool:
    """Whether nobody here was told of a party until now. Where parties are kept all is known of each."""
    world = mobile.world
    others = (serial for serial in party.members if serial != mobile.serial)
    return not world.records.kept and not any(serial in world.mobiles for serial in others)


def taken(mobile: Mobile) -> list[tuple[object, ...]]:
    """Write down how the others fare, as plain values that a member takes along over a border."""
    party = mobile.party
    if party is None:
        return []
    return [_VALUES(one) for one in states(party) if one.serial != mobile.serial]


def given(mobile: Mobile, values: Sequence[Sequence[object]]) -> None:
    """Let a member know what it has brought along of the others."""
    party = mobile.world.parties.get(mobile.serial)
    if party is None or not _is_first(mobile, party):
        return
    for told in values:
        fellow = party.fellows.get(cast("int", told[0]))
        if fellow is not None:
            fellow.state = MemberState(*told)  # type: ignore[arg-type] # as they were taken
            fellow.sought = None  # nobody has looked since others of the party were here


# Whose window shows a party that is not known here


def unknown(mobile: Mobile) -> None:
    """Note that a player's window shows a party, of which nothing is known here. Where parties are kept it is
    in none; elsewhere the next copy may have it."""
    if mobile.world.records.kept:
        _close(mobile)
    else:
        mobile.world.elsewhere.unsure.add(mobile.serial)


def close_windows(world: Surroundings, serials: Iterable[int]) -> None:
    """Tell those of whom `unknown` was noted before all was read that there is, and who still are in no
    party, that they are in none."""
    for serial in serials:
        world.elsewhere.unsure.discard(serial)
        mobile = world.mobiles.get(serial)
        if mobile is not None and mobile.party is None:
            _close(mobile)


def _close(mobile: Mobile) -> None:
    tell_one(mobile, Party(), PartyTurn.OUT, state_of(mobile), ())
