"""Parties: all that the client's window of a team sends (`protocol.co.parties`).

A client asks nobody before it has a team of its own, in which it is alone; to the world that is nothing, and
what is done with it is answered here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.figures import serial_of
from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import TABLE, action
from protocol.co.packets import Action, ActionType, Team, TeamAction
from protocol.co.parties import LOOT, life, position, standing, switches
from protocol.co.session import TeamShown
from protocol.co.view import CoView
from protocol.dispatch import Interval
from protocol.wishes import Wish, tell
from world import invites, party
from world.companions import LootRule
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.co.session import CoSession
    from world.companions import MemberState
    from world.mobile import Mobile

ASKS_FIRST: Final = "Whoever wants into your team asks you first."
HAS_TEAM: Final = "You have a team already."
NO_PLACE: Final = "{} is somewhere that is not on your maps."


@TABLE.while_playing(Team, every=Interval(0.1, burst=5))
def act(session: CoSession, mobile: Mobile, packet: Team) -> None:
    """Team: a question or the answer to one, the way out, or the leader's switches. Raises Cannot, as its
    deed does."""
    deed = DEEDS.get(packet.action)
    if deed is None:
        tell(session, Wish.UNKNOWN)
        return
    deed(session, mobile, packet.id)


# Alone


def _create(session: CoSession, mobile: Mobile, number: int) -> None:
    """CREATE: a team in which one is alone."""
    if mobile.party is not None or session.team is not None:
        raise Cannot(Refusal.HAS_PARTY, HAS_TEAM)
    figures = CoView.of(session).figures
    figures.heads(mobile)
    session.team = TeamShown((mobile.serial,))
    session.send(Team(TeamAction.CREATE, figures.ids.of(mobile)), standing(figures, mobile))


def _alone(session: CoSession, mobile: Mobile) -> TeamShown | None:
    """The team in which one is alone."""
    team = session.team
    return team if team is not None and mobile.party is None and team.members == (mobile.serial,) else None


def _dissolve(session: CoSession, mobile: Mobile, action: TeamAction) -> None:
    """End that team."""
    figures = CoView.of(session).figures
    figures.heads_no_more(mobile)
    session.team = None
    session.send(Team(action, figures.ids.of(mobile)), standing(figures, mobile))


# Together


def _invite(session: CoSession, mobile: Mobile, number: int) -> None:
    """INVITE: ask somebody in sight into one's team."""
    team = _alone(session, mobile)
    party.invite(mobile, _in_sight(session, mobile, number), None if team is None else team.loot)


def _apply(session: CoSession, mobile: Mobile, number: int) -> None:
    """APPLY: ask to be let into the team of somebody in sight."""
    party.apply(mobile, _in_sight(session, mobile, number))


def _accept(session: CoSession, mobile: Mobile, number: int) -> None:
    """ACCEPT_INVITATION or ACCEPT_APPLICATION: say yes to who asks, by its number."""
    asker = CoView.of(session).figures.ids.mobile(number)
    if asker is None:
        raise Cannot(Refusal.NOT_ASKED)
    invites.accept(mobile, party.KIND, asker)


def _leave(session: CoSession, mobile: Mobile, number: int) -> None:
    """LEAVE: out of one's team."""
    if _alone(session, mobile) is not None:
        _dissolve(session, mobile, TeamAction.LEAVE)
    else:
        party.leave(mobile)


def _dismiss(session: CoSession, mobile: Mobile, number: int) -> None:
    """DISMISS: end one's team."""
    if _alone(session, mobile) is not None:
        _dissolve(session, mobile, TeamAction.DISMISS)
    else:
        party.disband(mobile)


def _kick(session: CoSession, mobile: Mobile, number: int) -> None:
    """KICK: send a member away, who may be anywhere."""
    party.expel(mobile, serial_of(number))


def _stay_open(session: CoSession, mobile: Mobile, number: int) -> None:
    """OPEN or CLOSE, which makes no difference: the leader is always asked."""
    notice(mobile, ASKS_FIRST)


def _keep(session: CoSession, mobile: Mobile, number: int) -> None:
    """KEEP_MONEY or KEEP_ITEMS: all that is left by creatures is the leader's."""
    _set_loot(session, mobile, LootRule.LEADER)


def _share(session: CoSession, mobile: Mobile, number: int) -> None:
    """SHARE_MONEY or SHARE_ITEMS: all of it is for whoever finds it."""
    _set_loot(session, mobile, LootRule.FINDER)


def _set_loot(session: CoSession, mobile: Mobile, rule: LootRule) -> None:
    if _alone(session, mobile) is not None:
        session.team = TeamShown((mobile.serial,), rule)
        session.send(*switches(rule, mobile.serial))
        return
    before = mobile.party.rule if mobile.party is not None else None
    party.set_loot(mobile, rule)
    if before is not None and LOOT[before] == LOOT[rule]:  # no more than the switch has moved
        session.send(*switches(rule, mobile.serial))


def _in_sight(session: CoSession, mobile: Mobile, number: int) -> Mobile:
    """Somebody that this client sees. Raises Cannot(UNSEEN)."""
    found = seen(session, mobile, number)
    if found is None:
        raise Cannot(Refusal.UNSEEN)
    return found


DEEDS: Final[Mapping[int, Callable[[CoSession, Mobile, int], None]]] = {
    TeamAction.CREATE: _create,
    TeamAction.APPLY: _apply,
    TeamAction.LEAVE: _leave,
    TeamAction.ACCEPT_INVITATION: _accept,
    TeamAction.INVITE: _invite,
    TeamAction.ACCEPT_APPLICATION: _accept,
    TeamAction.DISMISS: _dismiss,
    TeamAction.KICK: _kick,
    TeamAction.CLOSE: _stay_open,
    TeamAction.OPEN: _stay_open,
    TeamAction.KEEP_MONEY: _keep,
    TeamAction.SHARE_MONEY: _share,
    TeamAction.KEEP_ITEMS: _keep,
    TeamAction.SHARE_ITEMS: _share,
}


# Questions about members


@action(ActionType.TEAM_MEMBER, every=Interval(0.2, burst=5))
def how_it_fares(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """TEAM_MEMBER: the life of a member; `data` is who."""
    session.send(life(_of_team(mobile, packet.data)))


@action(ActionType.TEAM_MEMBER_POSITION, every=Interval(0.2, burst=5))
def where_it_is(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """TEAM_MEMBER_POSITION: where a member is, who is the one that the action is about (Redux)."""
    figures = CoView.of(session).figures
    own = packet.id == figures.ids.of(mobile)
    member = _of_team(mobile, packet.data if own else packet.id)
    place = position(figures, member)
    if place is None:
        notice(mobile, NO_PLACE.format(member.name))
    else:
        session.send(place)


def _of_team(mobile: Mobile, number: int) -> MemberState:
    """A member of one's party by its number. Raises Cannot: NO_PARTY, NO_FELLOW."""
    if mobile.party is None:
        raise Cannot(Refusal.NO_PARTY)
    for member in party.states(mobile.party):
        if member.serial == serial_of(number):
            return member
    raise Cannot(Refusal.NO_FELLOW)
