"""Parties as messages of this game: frames with bars, and a panel of all members.

Members may be realms apart, and some are away: all of it is told of the states that the world's events hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.web.packets.parties import Member, Party, Stirred
from protocol.wire.body import Body
from world.companions import Stir

if TYPE_CHECKING:
    from world.companions import MemberState
    from world.events import PartyChanged
    from world.party_events import Stirred as Change
    from world.thing import Surroundings

PASSING: Final = Stir.HITS | Stir.MANA | Stir.STAM | Stir.PLACE
"""Changes that the next one makes up for, if a slow client loses one."""


def changed(event: PartyChanged) -> Party:
    """All members of the party now, for one of them."""
    if not event.members:
        return Party()
    world = event.thing.world
    return Party(tuple(_member(state, world) for state in event.members), event.loot.value)


def stirred(change: Change, world: Surroundings) -> Body:
    """Changes of a member, the same for all who are told."""
    now, what = change.member, change.what
    hits, mana, stam, place = (what & flag for flag in (Stir.HITS, Stir.MANA, Stir.STAM, Stir.PLACE))
    message = Stirred(
        now.serial,
        game=now.game if what & Stir.GAME else None,
        level=now.level if what & Stir.LEVEL else None,
        hits=now.hits if hits else None,
        hits_max=now.hits_max if hits else None,
        mana=now.mana if mana else None,
        mana_max=now.mana_max if mana else None,
        stam=now.stam if stam else None,
        stam_max=now.stam_max if stam else None,
        dead=now.dead if what & Stir.LIFE else None,
        realm=now.realm if place else None,
        title=_title(now, world) if place else None,
        x=now.x if place else None,
        y=now.y if place else None,
    )
    return Body(message.encode(), droppable=not what & ~PASSING)


def _member(state: MemberState, world: Surroundings) -> Member:
    return Member(
        id=state.serial,
        name=state.name,
        game=state.game,
        level=state.level,
        hits=state.hits,
        hits_max=state.hits_max,
        mana=state.mana,
        mana_max=state.mana_max,
        stam=state.stam,
        stam_max=state.stam_max,
        dead=state.dead,
        realm=state.realm,
        title=_title(state, world),
        x=state.x,
        y=state.y,
        online=state.online,
    )


def _title(state: MemberState, world: Surroundings) -> str:
    """How people call the realm where a member is."""
    chart = world.content.charts.get(state.realm)  # also of a realm of another world
    return chart.title if chart is not None else ""
