"""A party in this game's own list of its members.

    click on a player   ->  Party_Request     ->  Party_Request, a box with yes and no
    yes                 ->  Party_Accept      ->  Party_Create to who comes in, Party_Add to the others
    a cross in the list ->  Party_Remove      ->  Party_Close to who is out, Party_Remove to the others
    the list is opened  ->  Party_Take        ->  Party_List

The list has level and hits of each, and no places; its numbers are player ids, which the players of all games
have, and members in other worlds. Who is away has none and is not in it: of that, of another leader and of
the rule for loot its player reads, as of all else that becomes of the party, and the list comes anew. One
client empties its list when it loses all but one of it (sorokya/eoweb: party-controller), so of one that was
so short nothing is added to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs
from eolib import (
    PartyAddServerPacket,
    PartyAgreeServerPacket,
    PartyCloseServerPacket,
    PartyCreateServerPacket,
    PartyListServerPacket,
    PartyMember,
    PartyRemoveServerPacket,
    PartyRequestServerPacket,
    PartyRequestType,
)

from protocol.eo.figures import LONGEST_NAME, NAMING
from protocol.eo.ids import Absent, IdsExhausted
from protocol.eo.packets import body
from protocol.eo.session import Companion
from protocol.eo.status import level, percent
from protocol.eo.words import told
from world import party
from world.companions import Stir
from world.events import PartyChanged, PartyShared, PartyStirred
from world.party_events import PartyTurn

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from protocol.eo.figures import Figures
    from protocol.eo.session import EoSession
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from protocol.wire.body import Body
    from world.companions import MemberState
    from world.mobile import Dialog, Mobile

_GOES = frozenset({PartyTurn.LEFT, PartyTurn.EXPELLED, PartyTurn.LOST, PartyTurn.OUT})


class Draws(Protocol):
    """A view, as far as it is asked here."""

    figures: Figures


SHOWN: Final = Stir.HITS | Stir.LIFE | Stir.LEVEL
"""What changes a row of the list."""

V = TypeVar("V", bound=Draws)


def declare(events: Renderings[V, Hashable]) -> None:
    """Register how parties are shown."""
    events.renders(PartyChanged)(changed)
    events.renders(PartyStirred)(stirred)
    events.leaves_out(
        PartyShared,
        because="each client counts its own share with the kill, and shows no other",
    )


def request(figures: Figures, dialog: Dialog, asker: Mobile) -> PartyRequestServerPacket:
    """The question whether one would come into a party, or let somebody into one's own."""
    joins = dialog.about == party.JOIN
    return PartyRequestServerPacket(
        request_type=PartyRequestType.Join if joins else PartyRequestType.Invite,
        inviter_player_id=figures.player_id(asker),
        player_name=NAMING.of(asker).lower()[:LONGEST_NAME],
    )


def changed(view: Draws, event: PartyChanged, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Party_Create, Party_Add, Party_Remove, Party_Close or Party_List, and a line of words."""
    return PartyNow(view.figures, event), *told(event)


def stirred(view: Draws, event: PartyStirred, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Party_Agree of hits, Party_List for a level; places the list does not have."""
    return [MemberNow(one.member) for one in event.stirred if one.what & SHOWN]


def listed(companions: Iterable[Companion]) -> PartyListServerPacket:
    """The list of the members as a whole."""
    return PartyListServerPacket(members=[_row(one) for one in companions])


class PartyNow:
    """Packet after which the list of a client is that of an event."""

    droppable = False

    def __init__(self, figures: Figures, event: PartyChanged) -> None:
        self._what, self._begins, self._ended = event.what, event.begins, not event.members
        self._now: Mapping[int, Companion] = _companions(figures, event)

    def bind(self, session: EoSession) -> bytes | Body:
        """The packet for this client, if its list is another; notes what it knows then."""
        before, now = session.party, self._now
        session.party = dict(now)
        if self._ended:
            return body(PartyCloseServerPacket()) if before else b""  # type: ignore[no-untyped-call]
        if self._begins and self._what is PartyTurn.JOINED:
            return body(PartyCreateServerPacket(members=[_row(one) for one in now.values()]))
        came = [serial for serial in now if serial not in before]
        gone = [serial for serial in before if serial not in now]
        if self._what in _GOES and len(gone) == 1 and not came:
            # Who leads by now is told next.
            session.party = {serial: one for serial, one in before.items() if serial not in gone}
            return body(PartyRemoveServerPacket(player_id=before[gone[0]].number))
        if self._what is PartyTurn.JOINED and len(came) == 1 and not gone and len(before) > 1:
            session.party = {**before, came[0]: now[came[0]]}
            return body(PartyAddServerPacket(member=_row(now[came[0]])))
        if _order(before) == _order(now) and not self._begins:
            session.party = before
            return b""
        return body(listed(now.values()))


class MemberNow:
    """Bar and level of one member, for those whose list has it."""

    droppable = False

    def __init__(self, state: MemberState) -> None:
        self._state = state
        self._percent, self._level = percent(state.hits, state.hits_max), level(state.level)
        self._bar: Body | None = None

    def bind(self, session: EoSession) -> bytes | Body:
        """The packet for this client, if its list shows something else; notes what it knows then."""
        before = session.party.get(self._state.serial)
        if before is None or (before.percent, before.level) == (self._percent, self._level):
            return b""
        now = attrs.evolve(before, percent=self._percent, level=self._level)
        session.party[self._state.serial] = now
        if now.level != before.level:
            return body(listed(session.party.values()))
        if self._bar is None:
            self._bar = body(PartyAgreeServerPacket(player_id=now.number, hp_percentage=now.percent))
        return self._bar


def _companions(figures: Figures, event: PartyChanged) -> dict[int, Companion]:
    """Members that have a number, the leader first."""
    found: dict[int, Companion] = {}
    world, players = event.thing.world, figures.ids.players
    for state in event.members:
        if not state.online:
            continue
        mobile = world.mobiles.get(state.serial)
        try:
            if mobile is not None:
                number = players.of(mobile)
            else:
                number = players.absent.of(Absent(state.serial, world))
        except IdsExhausted:
            continue
        name = state.name if NAMING.fits(state.name) else state.short_name or state.name
        found[state.serial] = Companion(
            number,
            name.lower()[:LONGEST_NAME],
            state.serial == event.leader,
            level(state.level),
            percent(state.hits, state.hits_max),
        )
    return found


def _order(companions: Mapping[int, Companion]) -> list[tuple[int, bool]]:
    return [(one.number, one.leads) for one in companions.values()]


def _row(one: Companion) -> PartyMember:
    return PartyMember(
        player_id=one.number, leader=one.leads, level=one.level, hp_percentage=one.percent, name=one.name
    )
