"""Parties as this game's client shows them: teams (facts/co-play.md, section 8; facts/co.md, section 12).

    PartyChanged    ->  Team CREATE for who leads it, TeamMember for each of the others; Team LEAVE, KICK or
                        DISMISS for who is of it no more
    PartyStirred    ->  UserAttrib with the life of a member, wherever it is; Action TEAM_MEMBER_POSITION

To a client the first of its list is the leader, for good: no message lets another lead. So with another one
the team is dismissed, and made anew. A client may also have a team in which it is alone, since it asks nobody
before it has made one; the world has none, and only the client's own state tells of it (`CoSession.team`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from protocol.co import combat
from protocol.co.figures import LONGEST_NAME, MOST, NAMING, Drawing, player_number
from protocol.co.looks import usual_body
from protocol.co.packets import (
    Action,
    ActionType,
    Attribute,
    AttributeEntry,
    Team,
    TeamAction,
    TeamMember,
    UserAttrib,
)
from protocol.co.session import TeamShown
from protocol.others import ToOthers
from protocol.wire.body import Body
from world.companions import LootRule, Stir
from world.events import PartyChanged, PartyShared, PartyStirred
from world.party_events import PartyTurn

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from protocol.co.figures import Figures
    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from protocol.co.versions import CoVersion
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.companions import MemberState
    from world.mobile import Mobile
    from world.thing import Surroundings

D = TypeVar("D", bound=Drawing)

ENDS: Final[Mapping[PartyTurn, TeamAction]] = {
    PartyTurn.LEFT: TeamAction.LEAVE,
    PartyTurn.EXPELLED: TeamAction.KICK,
}
"""How somebody leaves a team. To its own client it ends in all other cases, too: DISMISS."""

LOOT: Final[Mapping[LootRule, tuple[TeamAction, TeamAction]]] = {
    LootRule.FINDER: (TeamAction.SHARE_MONEY, TeamAction.SHARE_ITEMS),
    LootRule.TURNS: (TeamAction.SHARE_MONEY, TeamAction.SHARE_ITEMS),
    LootRule.LEADER: (TeamAction.KEEP_MONEY, TeamAction.KEEP_ITEMS),
}
"""Rules as the client's two switches have them, which know no turns."""


class TeamWindow:
    """The team as it is now, found out when it leaves: the difference from what the client shows."""

    __slots__ = ("_event", "_figures")
    droppable = False

    def __init__(self, figures: Figures, event: PartyChanged) -> None:
        self._figures = figures
        self._event = event

    def bind(self, session: CoSession) -> bytes:
        """The packets, one behind the other. Notes what the client shows from then on."""
        event = self._event
        shown = session.team
        members = tuple(member.serial for member in event.members)
        session.team = TeamShown(members, event.loot) if members else None
        self._figures.heads_no_more(event.thing)
        told = self._differences(shown, members)
        return b"".join(packet.encode(session.dialect) for packet in told)

    def _differences(self, shown: TeamShown | None, members: Sequence[int]) -> Iterator[Message]:
        event, own = self._event, self._event.thing.serial
        before = shown.members if shown is not None else ()
        leads, led = members[:1] == (own,), before[:1] == (own,)
        if before and before[:1] != members[:1]:
            ends = TeamAction.DISMISS if members else ENDS.get(event.what, TeamAction.DISMISS)
            yield Team(ends, player_number(own))
            before = ()
        if leads and not before:
            yield Team(TeamAction.CREATE, player_number(own))
            before = (own,)
        if leads != led:
            yield standing(self._figures, event.thing)
        for serial in before:
            if serial not in members:
                yield Team(ENDS.get(event.what, TeamAction.LEAVE), player_number(serial))
        for member in event.members:
            if member.serial not in before:
                yield _member(self._figures, event.thing.world, member)
            elif event.what is PartyTurn.BACK and member == event.who and member.serial != own:
                yield life(member)  # nobody knew how it fared while it was away
        if members and (shown is None or shown.members[0] != members[0] or shown.loot is not event.loot):
            yield from switches(event.loot, members[0])


def standing(figures: Figures, mobile: Mobile) -> UserAttrib:
    """The state of one's own character, which says whether it leads a team."""
    values = (AttributeEntry(Attribute.STATUS, figures.own_status(mobile)),)
    return UserAttrib(id=figures.ids.of(mobile), attributes=values)


def switches(rule: LootRule, leader: int) -> Iterator[Message]:
    """The leader's switches as they stand for a rule."""
    return (Team(action, player_number(leader)) for action in LOOT[rule])


def life(member: MemberState) -> UserAttrib:
    """The bar of a member."""
    values = ((Attribute.LIFE, member.hits), (Attribute.MAX_LIFE, member.hits_max))
    entries = tuple(AttributeEntry(attribute, max(0, value)) for attribute, value in values)
    return UserAttrib(id=player_number(member.serial), attributes=entries)


def position(figures: Figures, member: MemberState) -> Action | None:
    """The place of a member on the client's map; None if this game has no place for that."""
    if not figures.places.has(member.realm):
        return None
    place, number = figures.places.named(member.realm, member.x, member.y), player_number(member.serial)
    return Action.of(ActionType.TEAM_MEMBER_POSITION, number, data=place.map, x=place.x, y=place.y)


def _member(figures: Figures, world: Surroundings, member: MemberState) -> TeamMember:
    """Somebody of the team, with a figure that is the usual one of who is not in the world."""
    mobile = world.mobiles.get(member.serial)
    name = member.name if NAMING.fits(member.name) else member.short_name or member.name
    return TeamMember(
        action=0,
        count=1,
        name=name[:LONGEST_NAME],
        id=player_number(member.serial),
        look=usual_body(female=member.female) if mobile is None else figures.look(mobile),
        max_life=max(0, min(member.hits_max, MOST)),
        life=max(0, min(member.hits, MOST)),
    )


# Events


def declare(events: Renderings[D, CoVersion]) -> None:
    """Register how parties are shown."""
    events.renders(PartyChanged)(_changed)
    events.renders(PartyStirred)(_stirred)
    events.leaves_out(PartyShared, because="each reads its own share, and nothing draws those of the others")


def _changed(
    view: Drawing, event: PartyChanged, audience: Hashable, version: CoVersion
) -> Sequence[Outgoing]:
    """Team and TeamMember: who comes and goes, the leader first; the team is made anew for another leader. A
    line says the same."""
    lines = combat.line(event, own=True)
    return TeamWindow(view.figures, event), *(Body(line.encode(version)) for line in lines)


def _stirred(
    view: Drawing, event: PartyStirred, audience: Hashable, version: CoVersion
) -> Sequence[Outgoing]:
    """UserAttrib with a member's life, and Action TEAM_MEMBER_POSITION, to the others."""
    told: list[Outgoing] = []
    for one in event.stirred:
        packets: list[Message] = []
        if one.what & Stir.HITS:
            packets.append(life(one.member))
        if one.what & Stir.PLACE and (place := position(view.figures, one.member)) is not None:
            packets.append(place)
        told += [ToOthers(one.member.serial, packet.encode(version), droppable=True) for packet in packets]
    return told
