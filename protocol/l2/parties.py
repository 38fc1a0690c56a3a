"""Parties in the client's own window.

    Asked (party)   ->  AskJoinParty                    a box that names who asks; RequestAnswerJoinParty
    PartyChanged    ->  PartySmallWindowAll, ...Add,    the others, wherever they are
                        ...Delete, ...DeleteAll
    PartyStirred    ->  PartySmallWindowUpdate          bars and level
                        PartyMemberPosition             the place, to who is in the same realm

Who asks to be let in asks by a page: the client's box would say that one is asked into the other's party. The
window has no rule for a leader who takes it all, and nothing for somebody who is away: then its bars are
empty. What changes in a party is told in words as well, as the client tells none of it by itself.

The window is made anew when the leader or the rule changes, for it is told both with all members only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs

from protocol.l2 import words
from protocol.l2.bound import in_turn
from protocol.l2.figures import NAMING
from protocol.l2.packets import (
    AskJoinParty,
    JoinParty,
    LootType,
    MemberPlace,
    PartyMember,
    PartyMemberPosition,
    PartySmallWindowAdd,
    PartySmallWindowAll,
    PartySmallWindowDelete,
    PartySmallWindowDeleteAll,
    PartySmallWindowUpdate,
)
from protocol.l2.session import PartyShown
from protocol.l2.sheets import level
from world import party
from world.companions import LootRule, Stir
from world.directory import Known
from world.events import PartyChanged, PartyShared, PartyStirred
from world.party_events import LOOT_WORDS, PartyTurn

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from protocol.l2.figures import Figures
    from protocol.l2.packets import Message
    from protocol.l2.places import Places
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.companions import MemberState
    from world.mobile import Dialog

RULES: Final[Mapping[int, LootRule]] = {
    LootType.FINDER: LootRule.FINDER,
    LootType.RANDOM: LootRule.TURNS,
    LootType.RANDOM_AND_SPOIL: LootRule.TURNS,
    LootType.BY_TURN: LootRule.TURNS,
    LootType.BY_TURN_AND_SPOIL: LootRule.TURNS,
}
"""Rules by the client's; by chance is by turns here, which comes to as much for each."""

SHOWN: Final[Mapping[LootRule, LootType]] = {
    LootRule.FINDER: LootType.FINDER,
    LootRule.TURNS: LootType.BY_TURN,
    LootRule.LEADER: LootType.FINDER,
}

BARS: Final = Stir.HITS | Stir.MANA | Stir.STAM | Stir.LEVEL | Stir.LIFE


class Drawing(Protocol):
    """This game's view, as far as it is needed here."""

    figures: Figures
    places: Places


V = TypeVar("V", bound=Drawing)


def shows_parties(events: Renderings[V, L2Version]) -> None:
    """Declare how this game's view shows parties."""
    events.renders(PartyChanged)(changed)
    events.renders(PartyStirred)(stirred)
    events.leaves_out(PartyShared, because="each reads its own share, and nothing draws those of the others")


def asks(dialog: Dialog) -> bool:
    """Whether a question is one that the client has a box of its own for."""
    return dialog.name == party.KIND and dialog.about == party.INVITE and dialog.asker is not None


def asked(dialog: Dialog, version: L2Version) -> Sequence[Outgoing]:
    """AskJoinParty, with the rule that the question names; nothing for another question."""
    if not asks(dialog):
        return ()
    rule = next((rule for rule, means in LOOT_WORDS.items() if dialog.text.endswith(f"Loot: {means}.")), None)
    name = NAMING.of(dialog.asker) if dialog.asker is not None else ""
    return version.bodies(AskJoinParty(name, SHOWN[rule or LootRule.FINDER]))


def changed(view: Drawing, event: PartyChanged, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """PartySmallWindowAll, PartySmallWindowAdd or PartySmallWindowDelete, PartySmallWindowDeleteAll at the
    end, and a SystemMessage with the line."""
    own = event.thing.serial
    others = {member.serial: member for member in event.members if member.serial != own}
    now = PartyShown(event.leader, event.loot, others) if event.members else None

    def make(session: L2Session) -> Sequence[Message]:
        told = list(_changes(view.figures, session.party, now, begins=event.begins))
        session.party = now
        return told

    told = in_turn(version, MOST, make)
    if event.what is PartyTurn.JOINED and event.leader == own:
        told = *version.bodies(JoinParty(1)), *told
    return *told, *words.own(event, version)


MOST: Final = 2 * party.MOST
"""Messages of one change: all others go, and as many come."""


def _changes(
    figures: Figures, before: PartyShown | None, now: PartyShown | None, *, begins: bool
) -> Iterator[Message]:
    """Messages after which the window shows the party."""
    if before is not None and (begins or now is None or _other_rules(before, now)):
        yield PartySmallWindowDeleteAll()
        before = None
    if now is None:
        return
    if before is None:
        members = tuple(_member(figures, one) for one in now.others.values())
        yield PartySmallWindowAll(now.leader, SHOWN[now.loot], members)
        return
    for serial, one in before.others.items():
        if serial not in now.others:
            yield PartySmallWindowDelete(serial, name_of(one))
    for serial, one in now.others.items():
        if serial not in before.others:
            yield _added(now, _member(figures, one))
        elif one != before.others[serial]:
            yield _updated(_member(figures, one))


def _other_rules(before: PartyShown, now: PartyShown) -> bool:
    return (before.leader, before.loot) != (now.leader, now.loot)


def stirred(view: Drawing, event: PartyStirred, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """PartySmallWindowUpdate, and PartyMemberPosition to who is in the same realm."""
    told: list[Outgoing] = []
    for one in event.stirred:
        state = one.member
        if one.what & BARS:
            told.append(OfMember(state, version.encode(_updated(_member(view.figures, state)))))
        if one.what & Stir.PLACE and view.places.has(state.realm):
            place = MemberPlace(state.serial, *view.places.named(state.realm).spot(state.x, state.y, 0))
            told.append(OfMember(state, version.encode(PartyMemberPosition((place,))), near=True))
    return told


class OfMember:
    """A message about a member of a party, for those whose window has it; `near`: in its realm."""

    __slots__ = ("_near", "_raw", "_state", "droppable")

    def __init__(self, state: MemberState, raw: bytes, *, near: bool = False) -> None:
        self._state = state
        self._raw = raw
        self._near = near
        self.droppable = near

    def bind(self, session: L2Session) -> bytes:
        """The message; none for others. Notes how it is shown."""
        shown, state, mobile = session.party, self._state, session.mobile
        if shown is None or state.serial not in shown.others or mobile is None:
            return b""
        if self._near:
            return self._raw if mobile.realm is not None and mobile.realm.name == state.realm else b""
        session.party = attrs.evolve(shown, others={**shown.others, state.serial: state})
        return self._raw


def name_of(state: MemberState) -> str:
    """Name of a member, as this game's clients show and type it."""
    return NAMING.known(Known(state.serial, state.name, state.short_name))


def _member(figures: Figures, state: MemberState) -> PartyMember:
    """A row of the window; of one that is away the bars are empty."""
    calling, there = figures.calling(state), state.online
    return PartyMember(
        object_id=state.serial,
        name=name_of(state),
        cp=max(0, state.stam) if there else 0,
        max_cp=max(0, state.stam_max),
        hp=max(0, state.hits) if there else 0,
        max_hp=max(1, state.hits_max),
        mp=max(0, state.mana) if there else 0,
        max_mp=max(0, state.mana_max),
        level=level(state.level),
        class_id=calling.class_id,
        race=calling.race,
    )


def _added(now: PartyShown, row: PartyMember) -> PartySmallWindowAdd:
    numbers = row.object_id, row.name, row.cp, row.max_cp, row.hp, row.max_hp, row.mp, row.max_mp
    return PartySmallWindowAdd(now.leader, SHOWN[now.loot], *numbers, row.level, row.class_id, row.race)


def _updated(row: PartyMember) -> PartySmallWindowUpdate:
    numbers = row.object_id, row.name, row.cp, row.max_cp, row.hp, row.max_hp, row.mp, row.max_mp
    return PartySmallWindowUpdate(*numbers, row.level, row.class_id)
