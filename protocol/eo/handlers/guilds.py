"""Guilds: `protocol.eo.guilds` shows them, `world.guilds` and `world.guild_bank` have the rules. What is said
to one is in `talk`.

The window has words of its own for many of the refusals, but not all clients show these: their player reads
the world's as well.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from eolib import (
    GuildAcceptClientPacket,
    GuildAgreeClientPacket,
    GuildBuyClientPacket,
    GuildBuyServerPacket,
    GuildCreateClientPacket,
    GuildInfoType,
    GuildJunkClientPacket,
    GuildKickClientPacket,
    GuildOpenClientPacket,
    GuildPlayerClientPacket,
    GuildRankClientPacket,
    GuildRankServerPacket,
    GuildRemoveClientPacket,
    GuildReply,
    GuildReplyServerPacket,
    GuildReportClientPacket,
    GuildRequestClientPacket,
    GuildSellServerPacket,
    GuildTakeClientPacket,
    GuildTakeServerPacket,
    GuildTellClientPacket,
    GuildUseClientPacket,
)

from protocol.dispatch import Interval
from protocol.eo.belongings import GOLD
from protocol.eo.guilds import RANKS, joined, rank_of, report, roll, window
from protocol.eo.handlers.looking import ASKING_SECONDS, known_npc
from protocol.eo.handlers.table import TABLE
from protocol.eo.handlers.trading import asker
from protocol.eo.view import EoView
from world import (
    guild_bank,
    guild_hall,
    guild_rolls,
    guilds,
    invites,
    presence,
    residents,
    speech,
    vaults,
    visits,
)
from world.guild import Rank
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from protocol.eo.session import EoSession
    from world.mobile import Mobile

SAME_NAMES: Final = "The ranks are called the same in all guilds."

AT_ONCE: Final = "Nobody has to join first here: say yes, pay {}, and the guild is yours."

OF_NAMES: Final[Mapping[Refusal, GuildReply]] = {
    Refusal.IN_GUILD: GuildReply.AlreadyMember,
    Refusal.GUILD_NAME: GuildReply.NotApproved,
    Refusal.GUILD_TAG: GuildReply.NotApproved,
    Refusal.GUILD_TAKEN: GuildReply.Exists,
}
OF_RECRUITERS: Final[Mapping[Refusal, GuildReply]] = {
    Refusal.IN_GUILD: GuildReply.AlreadyMember,
    Refusal.NO_SUCH_GUILD: GuildReply.NotFound,
    Refusal.NOBODY: GuildReply.RecruiterOffline,
    Refusal.THEY_NO_MEMBER: GuildReply.RecruiterWrongGuild,
    Refusal.NO_RIGHT: GuildReply.NotRecruiter,
    Refusal.ENGAGED: GuildReply.Busy,
}
OF_GUILDS: Final[Mapping[Refusal, GuildReply]] = {Refusal.NO_SUCH_GUILD: GuildReply.NotFound}
OF_OUT: Final[Mapping[Refusal, GuildReply]] = {Refusal.NO_MEMBER: GuildReply.RemoveNotMember}
OF_RANKS: Final[Mapping[Refusal, GuildReply]] = {Refusal.NO_MEMBER: GuildReply.RankingNotMember}
"""The client's own words for refusals, by what it asked for."""

InWindow: TypeAlias = (
    GuildAgreeClientPacket
    | GuildBuyClientPacket
    | GuildCreateClientPacket
    | GuildJunkClientPacket
    | GuildKickClientPacket
    | GuildPlayerClientPacket
    | GuildRankClientPacket
    | GuildRemoveClientPacket
    | GuildReportClientPacket
    | GuildRequestClientPacket
    | GuildTakeClientPacket
    | GuildTellClientPacket
)


def _check_window(session: EoSession, packet: InWindow) -> None:
    """Check that a wish comes out of the window that was opened last. Raises Cannot(GONE)."""
    if not 0 < packet.session_id == session.registrar:
        raise Cannot(Refusal.GONE, visits.CLOSED)


@contextmanager
def _replied(session: EoSession, replies: Mapping[Refusal, GuildReply]) -> Iterator[None]:
    """Give the client's own words for a refusal within the block, before it is told in the world's."""
    try:
        yield
    except Cannot as cannot:
        if cannot.why in replies:
            session.send(_reply(replies[cannot.why]))
        raise


def _reply(code: GuildReply) -> GuildReplyServerPacket:
    return GuildReplyServerPacket(reply_code=code)


@TABLE.while_playing(GuildOpenClientPacket, every=Interval(ASKING_SECONDS, burst=3))
def open_window(session: EoSession, mobile: Mobile, packet: GuildOpenClientPacket) -> None:
    """Guild_Open: a click on an NPC of guilds. The window is also for those who are in none. Raises Cannot,
    as `residents.talk_to`; UNSEEN."""
    npc = known_npc(session, packet.npc_index)
    if npc is None:
        raise Cannot(Refusal.UNSEEN)
    if mobile.guild is None and npc.has_role(guild_hall.REGISTRAR):
        guild_hall.check_registrar(mobile, npc)
        session.send(window(session))
    else:
        residents.talk_to(mobile, npc)


# Founding and ending


@TABLE.while_playing(GuildRequestClientPacket)
def begin(session: EoSession, mobile: Mobile, packet: GuildRequestClientPacket) -> None:
    """Guild_Request: a name and a tag. If they can be had, the client hears that enough have joined, and asks
    its player whether to found the guild. It lists its own player already and adds whoever is named, so that
    is nobody: a public server that needs no others names nobody either. Raises Cannot, as `guilds.found`."""
    _check_window(session, packet)
    with _replied(session, OF_NAMES):
        guilds.check_found(mobile, packet.guild_name, packet.guild_tag)
    session.send(
        _reply(GuildReply.CreateBegin),
        GuildReplyServerPacket(
            reply_code=GuildReply.CreateAddConfirm,
            reply_code_data=GuildReplyServerPacket.ReplyCodeDataCreateAddConfirm(name=""),
        ),
    )
    speech.notice(mobile, AT_ONCE.format(guilds.fee(mobile.world)))


@TABLE.while_playing(GuildCreateClientPacket)
def create(session: EoSession, mobile: Mobile, packet: GuildCreateClientPacket) -> None:
    """Guild_Create: found it, with a description, which is the notice here. One that is no notice is refused
    in words, and the guild is there. Raises Cannot, as `guilds.found`."""
    _check_window(session, packet)
    with _replied(session, OF_NAMES):
        guilds.found(mobile, packet.guild_name, packet.guild_tag)
    if packet.description.strip():
        speech.or_tell(mobile, lambda: guilds.set_notice(mobile, packet.description))


@TABLE.while_playing(GuildJunkClientPacket)
def disband(session: EoSession, mobile: Mobile, packet: GuildJunkClientPacket) -> None:
    """Guild_Junk: end the guild. Its client has left it by itself. Raises Cannot, as `guilds.disband`."""
    with _still_in(session):
        _check_window(session, packet)
        guilds.disband(mobile)


# Who belongs to it


@TABLE.while_playing(GuildPlayerClientPacket)
def apply(session: EoSession, mobile: Mobile, packet: GuildPlayerClientPacket) -> None:
    """Guild_Player: ask a recruiter to be let in. Raises Cannot, as `guilds.apply`, and NOBODY."""
    _check_window(session, packet)
    with _replied(session, OF_RECRUITERS):
        recruiter = presence.by_name(mobile, packet.recruiter_name)
        if recruiter is None:
            raise Cannot(Refusal.NOBODY)
        guilds.apply(mobile, recruiter, packet.guild_tag)


@TABLE.while_playing(GuildUseClientPacket)
def let_in(session: EoSession, mobile: Mobile, packet: GuildUseClientPacket) -> None:
    """Guild_Use: the recruiter's yes. Raises Cannot(NOT_ASKED)."""
    guest = asker(session, packet.player_id)
    invites.accept(mobile, guilds.GUILD, guest)
    if guest.guild is not None and guest.guild is mobile.guild:
        session.send(_reply(GuildReply.Accepted))


@TABLE.while_playing(GuildAcceptClientPacket)
def join(session: EoSession, mobile: Mobile, packet: GuildAcceptClientPacket) -> None:
    """Guild_Accept: yes to who asked one in. Raises Cannot(NOT_ASKED)."""
    invites.accept(mobile, guilds.GUILD, asker(session, packet.inviter_player_id))


@TABLE.while_playing(GuildRemoveClientPacket)
def leave(session: EoSession, mobile: Mobile, packet: GuildRemoveClientPacket) -> None:
    """Guild_Remove: leave it, as its client has done by itself. Raises Cannot, as `guilds.leave`."""
    with _still_in(session):
        _check_window(session, packet)
        guilds.leave(mobile)
        session.guild = None


@contextmanager
def _still_in(session: EoSession) -> Iterator[None]:
    """Tell a client that has left its guild by itself that it is in it still, if the block is refused."""
    try:
        yield
    except Cannot:
        if session.guild is not None:
            session.send(*joined(session, session.guild))
        raise


@TABLE.while_playing(GuildKickClientPacket)
def expel(session: EoSession, mobile: Mobile, packet: GuildKickClientPacket) -> None:
    """Guild_Kick: send a member out. Raises Cannot, as `guilds.expel`."""
    _check_window(session, packet)
    with _replied(session, _of_member(mobile, packet.member_name, OF_OUT, GuildReply.RemoveLeader)):
        guilds.expel(mobile, packet.member_name)
    session.send(_reply(GuildReply.Removed))


@TABLE.while_playing(GuildRankClientPacket)
def rank(session: EoSession, mobile: Mobile, packet: GuildRankClientPacket) -> None:
    """Guild_Rank: give a member another rank; by that of who leads it, the guild. Raises Cannot, as
    `guilds.set_rank` and `guilds.hand_over`; UNKNOWN for no rank."""
    _check_window(session, packet)
    wanted, name = rank_of(packet.rank), packet.member_name
    if wanted is None:
        raise Cannot(Refusal.UNKNOWN)
    with _replied(session, _of_member(mobile, name, OF_RANKS, GuildReply.RankingLeader)):
        if wanted is Rank.LEADER:
            guilds.hand_over(mobile, name)
        else:
            guilds.set_rank(mobile, name, wanted)
    session.send(_reply(GuildReply.Updated))


def _of_member(
    mobile: Mobile, name: str, replies: Mapping[Refusal, GuildReply], leads: GuildReply
) -> Mapping[Refusal, GuildReply]:
    """The client's words for what cannot be done to a member; there are others if that one leads the
    guild."""
    guild = mobile.guild
    try:
        member = None if guild is None else guild_rolls.member_called(mobile.world, guild, name)
    except Cannot:
        member = None
    return replies if member is None or member.rank != Rank.LEADER else {**replies, Refusal.NO_RIGHT: leads}


# What the window shows


@TABLE.while_playing(GuildReportClientPacket, every=Interval(ASKING_SECONDS, burst=3))
def show_guild(session: EoSession, mobile: Mobile, packet: GuildReportClientPacket) -> None:
    """Guild_Report: what a guild is. Raises Cannot, as `guild_rolls.look_up`."""
    _check_window(session, packet)
    with _replied(session, OF_GUILDS):
        session.send(report(mobile, guild_rolls.look_up(mobile, packet.guild_identity)))


@TABLE.while_playing(GuildTellClientPacket, every=Interval(ASKING_SECONDS, burst=3))
def show_members(session: EoSession, mobile: Mobile, packet: GuildTellClientPacket) -> None:
    """Guild_Tell: who is in it. Raises Cannot, as `guild_rolls.look_up`."""
    _check_window(session, packet)
    with _replied(session, OF_GUILDS):
        session.send(roll(guild_rolls.look_up(mobile, packet.guild_identity)))


@TABLE.while_playing(GuildTakeClientPacket, every=Interval(ASKING_SECONDS, burst=3))
def show_own(session: EoSession, mobile: Mobile, packet: GuildTakeClientPacket) -> None:
    """Guild_Take: the description, the ranks or the gold of one's own, before one changes it. Raises Cannot:
    NO_GUILD; UNKNOWN for anything else."""
    _check_window(session, packet)
    guild, _ = guild_rolls.own(mobile)
    match packet.info_type:
        case GuildInfoType.Description:
            session.send(GuildTakeServerPacket(description=guild.notice))
        case GuildInfoType.Ranks:
            session.send(GuildRankServerPacket(ranks=RANKS))
        case GuildInfoType.Bank:
            session.send(GuildSellServerPacket(gold_amount=guild_rolls.gold(mobile.world, guild)))
        case _:
            raise Cannot(Refusal.UNKNOWN)


@TABLE.while_playing(GuildAgreeClientPacket)
def describe(session: EoSession, mobile: Mobile, packet: GuildAgreeClientPacket) -> None:
    """Guild_Agree: another description, which is the notice here; or names of ranks, which are the same for
    all. Raises Cannot, as `guilds.set_notice`; USELESS; UNKNOWN for anything else."""
    _check_window(session, packet)
    match packet.info_type_data:
        case GuildAgreeClientPacket.InfoTypeDataDescription() as data:
            guilds.set_notice(mobile, data.description)
        case GuildAgreeClientPacket.InfoTypeDataRanks():
            raise Cannot(Refusal.USELESS, SAME_NAMES)
        case _:
            raise Cannot(Refusal.UNKNOWN)
    session.send(_reply(GuildReply.Updated))


@TABLE.while_playing(GuildBuyClientPacket)
def deposit(session: EoSession, mobile: Mobile, packet: GuildBuyClientPacket) -> None:
    """Guild_Buy: gold into the bank of one's guild. Raises Cannot, as `guild_bank.deposit_gold`; NO_BANK if
    no banker is near."""
    _check_window(session, packet)
    guild_rolls.own(mobile)
    guild_bank.deposit_gold(mobile, vaults.banker_near(mobile), packet.gold_amount)
    left = EoView.of(session).figures.amounts(mobile).get(GOLD, 0)
    session.send(GuildBuyServerPacket(gold_amount=left))
    session.belongings.owns(GOLD, left)
