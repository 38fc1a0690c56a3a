"""Guilds, which this game calls syndicates: one packet for all deeds, told apart by `action`, one with the
hero's own guild, and one with a member of it. Names come as NameMessage."""

import enum
from typing import Annotated, ClassVar

from protocol.co.packets.base import U8, U32, Gap, Message, Name, from_server, message


class GuildAction(enum.IntEnum):
    """Deeds about a guild. `target` is somebody's number, where nothing else is said."""

    APPLY = 1
    """Asks to be let in by somebody; also what accepts an INVITE."""
    INVITE = 2
    """Asks somebody in; also what lets in who sent an APPLY."""
    LEAVE = 3
    KICK = 4
    QUERY_NAME = 6
    """target: a guild; answered by a NameMessage."""
    ALLY = 7
    """target: a guild, as of the next three."""
    CLEAR_ALLY = 8
    ENEMY = 9
    CLEAR_ENEMY = 10
    DONATE = 11
    """target: so much silver."""
    ATTRIBUTES = 12
    """Answered by GuildAttributes."""
    SET = 14
    """target: the hero's guild, which the client is told as it enters."""
    DISBAND = 19
    """target: a guild that is no more."""


class GuildRank(enum.IntEnum):
    """Ranks as all these versions have them (conquer-online/wiki; Redux). Those between 50 and 90 are ranks
    of branches, of which there are none."""

    NONE = 0
    MEMBER = 50
    DEPUTY = 90
    LEADER = 100


@from_server(1106)
class GuildAttributes(Message):
    """The hero's guild; zeros for none. MsgSyndicateAttributeInfo."""

    guild: U32 = 0
    donation: Annotated[U32, "the hero's own"] = 0
    fund: U32 = 0
    members: U32 = 0
    rank: Annotated[U8, "GuildRank"] = 0
    leader: Name = ""
    _unused: ClassVar[Gap] = Gap(bytes(3))


@message(1107)
class Guild(Message):
    """Something about a guild. MsgSyndicate."""

    action: Annotated[U32, "GuildAction"]
    target: U32


@message(1112)
class GuildMember(Message):
    """More of a member of the hero's guild, by name; a client asks with the name alone. MsgSynMemberInfo."""

    donation: U32
    rank: Annotated[U8, "GuildRank"]
    name: Name = ""
    _unused: ClassVar[Gap] = Gap(bytes(3))
