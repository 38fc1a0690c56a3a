"""Guilds: all that the client's window of a syndicate sends, and what it asks about guilds that it sees
(`protocol.co.guilds`).

Who accepts an invitation sends an application to the one who asked, and who lets somebody in sends an
invitation: two who ask the same of one another have answered (`world.invites`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.figures import serial_of
from protocol.co.guilds import details, name_of, roll, shown_name, whole
from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import TABLE, action
from protocol.co.packets import (
    Action,
    ActionType,
    GuildAction,
    GuildMember,
    NameKind,
    NameMessage,
)
from protocol.co.packets import Guild as GuildMessage
from protocol.dispatch import Interval
from protocol.wishes import Wish, tell
from world import guild_bank, guild_ties, guilds, vaults
from world.guild import Bond, Guild
from world.guild_rolls import own, sheet
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.co.session import CoSession
    from world.guild_events import GuildSheet, MemberLine
    from world.mobile import Mobile


@action(ActionType.GUILD, loading=True, every=Interval(0.25, burst=3, coalesced=True))
def tell_guild(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """GUILD: one's guild, of which the client knows nothing yet, and the action again."""
    session.queue(whole(mobile))
    session.send(packet)


# Deeds


@TABLE.while_playing(GuildMessage, every=Interval(0.1, burst=20))
def act(session: CoSession, mobile: Mobile, packet: GuildMessage) -> None:
    """Guild: a question or the answer to one, a deed for one's guild, or what some guild is called. Clients
    ask that of each guild in a crowd, at once. Raises Cannot, as its deed does."""
    deed = DEEDS.get(packet.action)
    if deed is None:
        tell(session, Wish.UNKNOWN)
        return
    deed(session, mobile, packet.target)


def _apply(session: CoSession, mobile: Mobile, target: int) -> None:
    """APPLY: ask somebody in sight to be let into its guild, or accept."""
    guilds.apply(mobile, _in_sight(session, mobile, target))


def _invite(session: CoSession, mobile: Mobile, target: int) -> None:
    """INVITE: ask somebody in sight into one's guild, or let it in."""
    guilds.invite(mobile, _in_sight(session, mobile, target))


def _in_sight(session: CoSession, mobile: Mobile, number: int) -> Mobile:
    found = seen(session, mobile, number)
    if found is None:
        raise Cannot(Refusal.UNSEEN)
    return found


def _leave(session: CoSession, mobile: Mobile, target: int) -> None:
    """LEAVE: out of one's guild."""
    guilds.leave(mobile)


def _kick(session: CoSession, mobile: Mobile, target: int) -> None:
    """KICK: expel a member, who may be away."""
    member = own(mobile)[0].members.get(serial_of(target))
    if member is None:
        raise Cannot(Refusal.NO_MEMBER)
    guilds.expel(mobile, member.name)


def _query_name(session: CoSession, mobile: Mobile, target: int) -> None:
    """QUERY_NAME: what a guild is called."""
    session.send(name_of(target, _guild(mobile, target).name))


def _ally(session: CoSession, mobile: Mobile, target: int) -> None:
    """ALLY: ask for an alliance."""
    guild_ties.ask_alliance(mobile, _guild(mobile, target).name)


def _enemy(session: CoSession, mobile: Mobile, target: int) -> None:
    """ENEMY: declare war."""
    guild_ties.declare_war(mobile, _guild(mobile, target).name)


def _clear_ally(session: CoSession, mobile: Mobile, target: int) -> None:
    """CLEAR_ALLY: end an alliance."""
    guild_ties.end(mobile, _guild(mobile, target).name, Bond.ALLIED)


def _clear_enemy(session: CoSession, mobile: Mobile, target: int) -> None:
    """CLEAR_ENEMY: end a war, or ask for peace."""
    guild_ties.end(mobile, _guild(mobile, target).name, Bond.WAR)


def _guild(mobile: Mobile, number: int) -> Guild:
    guild = mobile.world.records.get(Guild, number)
    if guild is None:
        raise Cannot(Refusal.NO_SUCH_GUILD)
    return guild


def _donate(session: CoSession, mobile: Mobile, target: int) -> None:
    """DONATE: so much silver into the guild's bank, by the banker beside one."""
    own(mobile)
    guild_bank.deposit_gold(mobile, vaults.banker_near(mobile), target)


def _attributes(session: CoSession, mobile: Mobile, target: int) -> None:
    """ATTRIBUTES: one's guild, whoever is named."""
    session.queue(whole(mobile))


def _disband(session: CoSession, mobile: Mobile, target: int) -> None:
    """DISBAND: let one's guild cease to exist."""
    guilds.disband(mobile)


DEEDS: Final[Mapping[int, Callable[[CoSession, Mobile, int], None]]] = {
    GuildAction.APPLY: _apply,
    GuildAction.INVITE: _invite,
    GuildAction.LEAVE: _leave,
    GuildAction.KICK: _kick,
    GuildAction.QUERY_NAME: _query_name,
    GuildAction.ALLY: _ally,
    GuildAction.CLEAR_ALLY: _clear_ally,
    GuildAction.ENEMY: _enemy,
    GuildAction.CLEAR_ENEMY: _clear_enemy,
    GuildAction.DONATE: _donate,
    GuildAction.ATTRIBUTES: _attributes,
    GuildAction.DISBAND: _disband,
}


# Members by name


@TABLE.while_playing(NameMessage, every=Interval(0.1, burst=20))
def list_members(session: CoSession, mobile: Mobile, packet: NameMessage) -> None:
    """NameMessage: a page of the members of one's guild, or one of them is expelled. Raises Cannot: NO_GUILD;
    and as `guilds.expel`."""
    match packet.kind:
        case NameKind.MEMBERS:
            session.send(roll(_own_sheet(mobile), packet.subject))
        case NameKind.KICK_MEMBER:
            named = packet.strings[0] if packet.strings else ""
            guilds.expel(mobile, _member(_own_sheet(mobile), named).name)
        case NameKind.QUERY_MATE:
            tell(session, Wish.MARRIAGE)
        case _:
            tell(session, Wish.UNKNOWN)


@TABLE.while_playing(GuildMember, every=Interval(0.1, burst=20))
def tell_of_member(session: CoSession, mobile: Mobile, packet: GuildMember) -> None:
    """GuildMember: what a member has given, and its rank. Raises Cannot: NO_GUILD, NO_MEMBER."""
    session.send(details(_member(_own_sheet(mobile), packet.name)))


def _own_sheet(mobile: Mobile) -> GuildSheet:
    return sheet(mobile.world, own(mobile)[0])


def _member(shown: GuildSheet, name: str) -> MemberLine:
    """The member that the client knows by a name, whose letter case does not matter. Raises
    Cannot(NO_MEMBER)."""
    wanted = name.strip().casefold()
    for line in shown.members:
        if wanted in (shown_name(line).casefold(), line.name.casefold()):
            return line
    raise Cannot(Refusal.NO_MEMBER)
