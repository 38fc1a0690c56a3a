"""Guilds: who is in one's own, with which rank, and what it is to others. What may be done is decided by
`world.guilds`, `world.guild_ties` and `world.guild_bank`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web.handlers.looking import find_player
from protocol.web.handlers.table import TABLE
from protocol.web.packets.guilds import (
    AskGuild,
    GuildDisband,
    GuildExpel,
    GuildGold,
    GuildInvite,
    GuildLead,
    GuildLeave,
    GuildNotice,
    GuildPromote,
    GuildTieAsk,
)
from world import guild_bank, guild_hall, guild_ties, guilds, vaults

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile

TIES = {"war": guild_ties.declare_war, "alliance": guild_ties.ask_alliance, "end": guild_ties.end}
"""By `packets.guilds.TIES`."""


@TABLE.while_playing(AskGuild, every=Interval(0.2, burst=3))
def show(session: WebSession, mobile: Mobile, message: AskGuild) -> None:
    """guild: tell it anew; who is in none is asked whether to found one."""
    guild_hall.at_guild(mobile)


@TABLE.while_playing(GuildInvite, every=Interval(0.2, burst=3))
def invite(session: WebSession, mobile: Mobile, message: GuildInvite) -> None:
    """guild_invite: ask somebody. Raises Cannot as `find_player` and `guilds.invite`."""
    guilds.invite(mobile, find_player(session, mobile, message.id, message.name))


@TABLE.while_playing(GuildPromote, every=Interval(0.2, burst=3))
def promote(session: WebSession, mobile: Mobile, message: GuildPromote) -> None:
    """guild_rank: one rank up or down. Raises Cannot as `guilds.promote` and `demote`."""
    (guilds.promote if message.up else guilds.demote)(mobile, message.name)


@TABLE.while_playing(GuildExpel, every=Interval(0.2, burst=3))
def expel(session: WebSession, mobile: Mobile, message: GuildExpel) -> None:
    """guild_expel: send a member out. Raises Cannot as `guilds.expel`."""
    guilds.expel(mobile, message.name)


@TABLE.while_playing(GuildLead, every=Interval(0.2, burst=3))
def lead(session: WebSession, mobile: Mobile, message: GuildLead) -> None:
    """guild_lead: let another member lead. Raises Cannot as `guilds.hand_over`."""
    guilds.hand_over(mobile, message.name)


@TABLE.while_playing(GuildNotice, every=Interval(0.2, burst=3))
def notice(session: WebSession, mobile: Mobile, message: GuildNotice) -> None:
    """guild_notice: what members read when they come. Raises Cannot as `guilds.set_notice`."""
    guilds.set_notice(mobile, message.text)


@TABLE.while_playing(GuildLeave, every=Interval(0.2, burst=3))
def leave(session: WebSession, mobile: Mobile, message: GuildLeave) -> None:
    """guild_leave: be in it no more. Raises Cannot as `guilds.leave`."""
    guilds.leave(mobile)


@TABLE.while_playing(GuildDisband, every=Interval(0.2, burst=3))
def disband(session: WebSession, mobile: Mobile, message: GuildDisband) -> None:
    """guild_disband: let it cease to exist. Raises Cannot as `guilds.disband`."""
    guilds.disband(mobile)


@TABLE.while_playing(GuildTieAsk, every=Interval(0.2, burst=3))
def tie(session: WebSession, mobile: Mobile, message: GuildTieAsk) -> None:
    """guild_tie: war, an alliance, or the end of what there is. Raises Cannot as the deeds of
    `world.guild_ties`."""
    TIES[message.tie](mobile, message.name)


@TABLE.while_playing(GuildGold, every=Interval(0.2, burst=3))
def gold(session: WebSession, mobile: Mobile, message: GuildGold) -> None:
    """guild_gold: into the bank or out of it, at the banker who is near. Raises Cannot as
    `vaults.banker_near`, `guild_bank.deposit_gold` and `withdraw_gold`."""
    move = guild_bank.withdraw_gold if message.out else guild_bank.deposit_gold
    move(mobile, vaults.banker_near(mobile), message.amount)
