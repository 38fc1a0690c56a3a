"""Parties, which this game calls teams: one packet for all deeds, told apart by `action`, and one for a
member."""

import enum
from typing import Annotated, ClassVar

from protocol.co.packets.base import U8, U16, U32, Gap, Message, Name, from_server, message


class TeamAction(enum.IntEnum):
    """Deeds about a team."""

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
