"""Teams, trades, friends and guilds."""

import enum
from typing import Annotated, ClassVar

from protocol.co.packets.base import S16, U8, U16, U32, Gap, Message, Name, from_server, message


class TeamAction(enum.IntEnum):
    """What is done with a team."""

    CREATE = 0
    APPLY = 1
    LEAVE = 2
    ACCEPT_INVITATION = 3
    INVITE = 4
    ACCEPT_APPLICATION = 5
    DISMISS = 6
    KICK = 7
    CLOSE = 8
    OPEN = 9
    KEEP_MONEY = 10
    SHARE_MONEY = 11
    KEEP_ITEMS = 12
    SHARE_ITEMS = 13


class TradeAction(enum.IntEnum):
    """What is done in a trade."""

    APPLY = 1
    QUIT = 2
    OPEN = 3
    SUCCESS = 4
    FAIL = 5
    ADD_ITEM = 6
    ADD_MONEY = 7
    PARTNERS_MONEY = 8
    OWN_MONEY = 9
    ACCEPT = 10
    ITEM_REFUSED = 11
    PARTNERS_POINTS = 12
    ADD_POINTS = 13
    OWN_POINTS = 14
    SUSPICIOUS = 16


class FriendAction(enum.IntEnum):
    """What a Friend is about."""

    APPLY = 10
    ACCEPT = 11
    ONLINE = 12
    OFFLINE = 13
    BREAK = 14
    INFO = 15
    ENEMY_ONLINE = 16
    ENEMY_OFFLINE = 17
    ENEMY_DELETE = 18
    ENEMY_ADD = 19


class GuildAction(enum.IntEnum):
    """What is done with a guild."""

    APPLY = 1
    INVITE = 2
    LEAVE = 3
    KICK = 4
    QUERY_NAME = 6
    ALLY = 7
    CLEAR_ALLY = 8
    ENEMY = 9
    CLEAR_ENEMY = 10
    DONATE = 11
    ATTRIBUTES = 12
    SET = 14
    DISBAND = 19


@message(1023)
class Team(Message):
    """Something about a team. MsgTeam."""

    action: Annotated[U32, "TeamAction"]
    id: U32


@from_server(1026)
class TeamMember(Message):
    """Somebody joins the hero's team (action 0) or leaves it (1). MsgTeamMember."""

    action: U8
    count: U8
    _unused: ClassVar[Gap] = Gap(bytes(2))
    name: Name
    id: U32
    look: U32
    max_life: U16
    life: U16


@message(1056)
class Trade(Message):
    """Something about a trade. MsgTrade."""

    data: Annotated[U32, "who, the item, or how much"]
    action: Annotated[U32, "TradeAction"]


@message(1019)
class Friend(Message):
    """Something about a friend or an enemy. MsgFriend."""

    id: U32
    action: Annotated[U8, "FriendAction"]
    online: U8
    _unused: ClassVar[Gap] = Gap(bytes(2))
    name: Name = ""


@from_server(2033)
class FriendInfo(Message):
    """More of a friend or an enemy. MsgFriendInfo."""

    id: U32
    look: U32
    level: U8
    profession: U8
    pk_points: S16
    guild: Annotated[U32, "and rank"] = 0
    mate: Name = ""


@from_server(1106)
class GuildAttributes(Message):
    """The hero's guild. MsgSyndicateAttributeInfo."""

    guild: U32
    donation: U32
    fund: U32
    members: U32
    rank: Annotated[U8, "50 member, 90 deputy, 100 leader"]
    leader: Name
    _unused: ClassVar[Gap] = Gap(bytes(3))


@message(1107)
class Guild(Message):
    """Something about a guild. MsgSyndicate."""

    action: Annotated[U32, "GuildAction"]
    target: U32
