"""Guilds, by the buttons of the client's window of clans and by its commands (`protocol.l2.pledges`).

The client knows clans of its own: with grades whose rights each clan sets, with an alliance to which it
belongs and that one of its clans leads, and with parts. Each request is taken for the deed of our guilds that
comes nearest, and where there is none the player reads so. It names members as its window shows them, and
whom it asks as its target, so a rule of the world looks at who that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.l2 import pledges
from protocol.l2.figures import LONGEST_TITLE
from protocol.l2.grades import GRADES, rank_of, rights
from protocol.l2.handlers.table import PLAYER_ACTION, ROWS, TRANSACTION
from protocol.l2.packets import (
    AllyDismiss,
    AllyLeave,
    ManagePledgePower,
    PledgeInfo,
    PledgePowerAction,
    PledgeReceiveMemberInfo,
    PledgeReceivePowerInfo,
    RequestAllyInfo,
    RequestAnswerJoinAlly,
    RequestAnswerJoinPledge,
    RequestCreatePledge,
    RequestDismissAlly,
    RequestJoinAlly,
    RequestJoinPledge,
    RequestOustPledgeMember,
    RequestPledgeInfo,
    RequestPledgeMemberInfo,
    RequestPledgeMemberList,
    RequestPledgeMemberPowerInfo,
    RequestPledgePower,
    RequestPledgePowerGradeList,
    RequestPledgeSetMemberPowerGrade,
    RequestPledgeWarList,
    RequestStartPledgeWar,
    RequestStopPledgeWar,
    RequestSurrenderPledgeWar,
    RequestWithdrawalPledge,
)
from protocol.l2.view import L2View
from protocol.wishes import Wish, tell
from world import dialogs, guild_hall, guild_ties, guilds, invites, speech
from world.guild import Bond, Guild, Rank
from world.guild_rolls import member_called, own, sheet
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.guild import Member
    from world.mobile import Mobile

LIST_SECONDS: Final = 1.0
"""Between two of the same list: of several wishes for it the newest is answered."""


def _lists() -> Interval:
    return Interval(LIST_SECONDS, burst=3, coalesced=True)


# To belong


@ROWS.while_acting(RequestCreatePledge, every=TRANSACTION.interval())
def create(session: L2Session, mobile: Mobile, packet: RequestCreatePledge) -> None:
    """RequestCreatePledge: found a guild. It names no tag, so a page asks for both. Raises
    Cannot(IN_GUILD)."""
    if mobile.guild is not None:
        raise Cannot(Refusal.IN_GUILD)
    guild_hall.at_guild(mobile)


@ROWS.while_acting(RequestJoinPledge, every=TRANSACTION.interval())
def invite(session: L2Session, mobile: Mobile, packet: RequestJoinPledge) -> None:
    """RequestJoinPledge: ask whom one has targeted into one's guild; which part of it does not matter. Raises
    Cannot, as `guilds.invite`, GONE and UNSEEN."""
    guilds.invite(mobile, _player(session, mobile, packet.object_id))


@ROWS.while_acting(RequestAnswerJoinPledge, every=PLAYER_ACTION.interval())
def answer(session: L2Session, mobile: Mobile, packet: RequestAnswerJoinPledge) -> None:
    """RequestAnswerJoinPledge: yes (1) or no to who asks one into a guild. Raises Cannot(NOT_ASKED) if nobody
    does any more."""
    _answer(mobile, guilds.GUILD, packet.answer)


@ROWS.while_acting(RequestWithdrawalPledge, every=PLAYER_ACTION.interval())
def leave(session: L2Session, mobile: Mobile, packet: RequestWithdrawalPledge) -> None:
    """RequestWithdrawalPledge: leave one's guild."""
    guilds.leave(mobile)


@ROWS.while_acting(RequestOustPledgeMember, every=PLAYER_ACTION.interval())
def expel(session: L2Session, mobile: Mobile, packet: RequestOustPledgeMember) -> None:
    """RequestOustPledgeMember: expel a member."""
    guilds.expel(mobile, packet.name)


@ROWS.while_acting(RequestPledgeSetMemberPowerGrade, every=PLAYER_ACTION.interval())
def set_grade(session: L2Session, mobile: Mobile, packet: RequestPledgeSetMemberPowerGrade) -> None:
    """RequestPledgeSetMemberPowerGrade: give a member another rank, the nearest to the client's grade."""
    guilds.set_rank(mobile, packet.name, rank_of(packet.grade))


# To look


@ROWS.while_playing(RequestPledgeMemberList, every=_lists())
def list_members(session: L2Session, mobile: Mobile, packet: RequestPledgeMemberList) -> None:
    """RequestPledgeMemberList: the window's list anew. Raises Cannot(NO_GUILD)."""
    session.pledge = shown = sheet(mobile.world, own(mobile)[0])
    session.send(pledges.window(L2View.of(session).figures, mobile.world, shown))


@ROWS.while_playing(RequestPledgeInfo)
def tell_name(session: L2Session, mobile: Mobile, packet: RequestPledgeInfo) -> None:
    """RequestPledgeInfo: the name of a guild, for which the client asks by itself when it sees a member. One
    that is no more has none."""
    guild = mobile.world.records.all(Guild).get(packet.clan_id)
    if guild is not None:
        session.send(PledgeInfo(guild.number, guild.name, ""))


@ROWS.while_playing(RequestPledgeMemberInfo)
def tell_member(session: L2Session, mobile: Mobile, packet: RequestPledgeMemberInfo) -> None:
    """RequestPledgeMemberInfo: a page of the window about one member. Raises Cannot: NO_GUILD, NO_MEMBER."""
    guild, member = _member(mobile, packet.name)
    there = mobile.world.mobiles.get(member.character)
    title = "" if there is None else there.title[:LONGEST_TITLE]
    name = pledges.name_of(mobile.world, member.character, member.name)
    session.send(PledgeReceiveMemberInfo(name, title, GRADES[Rank(member.rank)], guild.name))


@ROWS.while_playing(RequestPledgeMemberPowerInfo)
def tell_member_grade(session: L2Session, mobile: Mobile, packet: RequestPledgeMemberPowerInfo) -> None:
    """RequestPledgeMemberPowerInfo: the grade of one member. Raises Cannot: NO_GUILD, NO_MEMBER."""
    _, member = _member(mobile, packet.name)
    rank, name = Rank(member.rank), pledges.name_of(mobile.world, member.character, member.name)
    session.send(PledgeReceivePowerInfo(GRADES[rank], name, rights(rank)))


@ROWS.while_playing(RequestPledgePowerGradeList, every=_lists())
def list_grades(session: L2Session, mobile: Mobile, packet: RequestPledgePowerGradeList) -> None:
    """RequestPledgePowerGradeList: the grades that there are. Raises Cannot(NO_GUILD)."""
    session.send(pledges.grades(own(mobile)[0]))


@ROWS.while_playing(RequestPledgePower)
def tell_grade(session: L2Session, mobile: Mobile, packet: RequestPledgePower) -> None:
    """RequestPledgePower: the rights of a grade, which nobody can change. Raises Cannot(NO_GUILD)."""
    own(mobile)
    if packet.action == PledgePowerAction.CHANGE:
        tell(session, Wish.RANKS)
    session.send(ManagePledgePower(rights(rank_of(packet.grade))))


# Wars and allies


@ROWS.while_playing(RequestPledgeWarList, every=_lists())
def list_wars(session: L2Session, mobile: Mobile, packet: RequestPledgeWarList) -> None:
    """RequestPledgeWarList: the wars that one's guild has declared, or those of others. Raises
    Cannot(NO_GUILD)."""
    session.send(pledges.wars(sheet(mobile.world, own(mobile)[0]), packet.tab))


@ROWS.while_acting(RequestStartPledgeWar, every=PLAYER_ACTION.interval())
def declare_war(session: L2Session, mobile: Mobile, packet: RequestStartPledgeWar) -> None:
    """RequestStartPledgeWar: declare war on another guild."""
    guild_ties.declare_war(mobile, packet.name)


@ROWS.while_acting(RequestStopPledgeWar, every=PLAYER_ACTION.interval())
def end_war(session: L2Session, mobile: Mobile, packet: RequestStopPledgeWar) -> None:
    """RequestStopPledgeWar: end a war that one's own guild has declared, or ask the other one for peace."""
    guild_ties.end(mobile, packet.name, Bond.WAR)


@ROWS.while_acting(RequestSurrenderPledgeWar, every=PLAYER_ACTION.interval())
def surrender(session: L2Session, mobile: Mobile, packet: RequestSurrenderPledgeWar) -> None:
    """RequestSurrenderPledgeWar: the same; nobody loses anything by it."""
    guild_ties.end(mobile, packet.name, Bond.WAR)


@ROWS.while_acting(RequestJoinAlly, every=TRANSACTION.interval())
def ask_alliance(session: L2Session, mobile: Mobile, packet: RequestJoinAlly) -> None:
    """RequestJoinAlly: ask the guild of whom one has targeted for an alliance; whoever leads it is asked.
    Raises Cannot, as `guild_ties.ask_alliance`, GONE and UNSEEN, and NO_SUCH_GUILD if that one is in none."""
    guild = _player(session, mobile, packet.object_id).guild
    if guild is None:
        raise Cannot(Refusal.NO_SUCH_GUILD, "They are in no guild.")
    guild_ties.ask_alliance(mobile, guild.name)


@ROWS.while_acting(RequestAnswerJoinAlly, every=PLAYER_ACTION.interval())
def answer_alliance(session: L2Session, mobile: Mobile, packet: RequestAnswerJoinAlly) -> None:
    """RequestAnswerJoinAlly: yes (1) or no to an alliance. Raises Cannot(NOT_ASKED)."""
    _answer(mobile, guild_ties.ALLIANCE, packet.answer)


@ROWS.while_acting(AllyLeave, every=PLAYER_ACTION.interval())
def leave_alliance(session: L2Session, mobile: Mobile, packet: AllyLeave) -> None:
    """AllyLeave: be nobody's ally any more."""
    guild_ties.end_alliances(mobile)


@ROWS.while_acting(RequestDismissAlly, every=PLAYER_ACTION.interval())
def dissolve_alliance(session: L2Session, mobile: Mobile, packet: RequestDismissAlly) -> None:
    """RequestDismissAlly: the same, for here no guild leads an alliance."""
    guild_ties.end_alliances(mobile)


@ROWS.while_acting(AllyDismiss, every=PLAYER_ACTION.interval())
def end_alliance(session: L2Session, mobile: Mobile, packet: AllyDismiss) -> None:
    """AllyDismiss: end the alliance with one guild."""
    guild_ties.end(mobile, packet.name, Bond.ALLIED)


@ROWS.while_playing(RequestAllyInfo, every=_lists())
def tell_allies(session: L2Session, mobile: Mobile, packet: RequestAllyInfo) -> None:
    """RequestAllyInfo: the allies of one's guild, in words. Raises Cannot: NO_GUILD, NO_ALLIANCE."""
    allies = [tie for tie in sheet(mobile.world, own(mobile)[0]).ties if tie.bond is Bond.ALLIED]
    if not allies:
        raise Cannot(Refusal.NO_ALLIANCE)
    for tie in allies:
        speech.notice(mobile, f"Your guild is allied with {tie.name} [{tie.tag}].")


# Inside


def _player(session: L2Session, mobile: Mobile, serial: int) -> Mobile:
    """Somebody whom the client is shown, or its own character; a rule then looks at who that is. Raises
    Cannot: GONE, UNSEEN."""
    other = mobile.world.mobiles.get(serial)
    if other is None:
        raise Cannot(Refusal.GONE)
    if other is not mobile and serial not in session.known:
        raise Cannot(Refusal.UNSEEN)
    return other


def _answer(mobile: Mobile, kind: str, answer: int) -> None:
    """Answer a question in a box of the client's own, which is closed by that. Raises Cannot(NOT_ASKED)."""
    question = invites.pending(mobile, kind)
    if question is None or not pledges.asks(question):
        raise Cannot(Refusal.NOT_ASKED)
    dialogs.answer(mobile, question.serial, question.type_id, invites.YES if answer == 1 else 0)


def _member(mobile: Mobile, name: str) -> tuple[Guild, Member]:
    """A member of one's guild. Raises Cannot: NO_GUILD, NO_MEMBER."""
    guild, _ = own(mobile)
    return guild, member_called(mobile.world, guild, name)
