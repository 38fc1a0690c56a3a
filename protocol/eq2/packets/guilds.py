"""The window of the guild: what it is called, who is in it, and who comes and goes. What one does in it comes
as slash commands."""

from __future__ import annotations

from typing import Final

import attrs

from protocol.eq2.packets.base import Message, Record, from_client, from_server, record

INTO_GUILD: Final = 2
"""What ReceiveOffer asks (emagi/eq2emu: Guild.cpp)."""

RANK_COUNT: Final = 8
"""Ranks of a guild in this game, 0 the leader's (emagi/eq2emu: Guild.h)."""


@record
@attrs.define
class GuildRank(Record):
    """A rank: its name, and a bit for each thing that it may do."""

    name: str
    rights: int = 0


@record
@attrs.define
class GuildMember(Record):
    """One member. `last_login` is in seconds UTC; a member that is away has no `zone`."""

    character_id: int
    name: str
    level: int
    rank: int
    status: int = 0
    last_login: int = 0
    zone: str = ""
    note: str = ""
    adventure_class: int = 0
    tradeskill_class: int = 0
    tradeskill_level: int = 0
    flags: int = 0
    officer_note: str = ""
    account_id: int = 0


@record
@attrs.define
class GuildRoll(Record):
    """All members, in the client's tab of the own guild, which is 0."""

    members: tuple[GuildMember, ...]
    tab: int = 0


@from_server
@attrs.define
class GuildUpdate(Message):
    """A guild: its name, its notice, its ranks. `founded` is in seconds UTC."""

    name: str
    notice: str
    guild_id: int
    founded: int
    accounts: int
    ranks: tuple[GuildRank, ...]
    level: int = 1
    experience: int = 0
    next_level: int = 1


@from_client
@attrs.define
class RequestGuildMembership(Message):
    """The client asks for the members of a guild."""

    guild_id: int
    character_id: int


@from_server
@attrs.define
class GuildMembershipResponse(Message):
    """The members of a guild, for the member of that number; `roll` is a GuildRoll."""

    guild_id: int
    character_id: int
    roll: bytes


@from_server
@attrs.define
class LeaveGuildNotify(Message):
    """Somebody is in the guild no more; if that is the client's own character, it forgets the guild."""

    guild_id: int
    character_id: int


@from_server
@attrs.define
class JoinGuildNotify(Message):
    """Somebody is in the guild, or is otherwise than before."""

    guild_id: int
    member: GuildMember
