"""The window of the group, and what asks one into it. What one does with it comes as slash commands."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, Record, from_client, from_server, record

NO_MEMBER, IN_ZONE, ELSEWHERE, AWAY = 0, 1, 2, 3
"""Whether a place of the group is taken, and where its member is (emagi/eq2emu: WorldStructs.xml, GroupMember
546)."""

INTO_GROUP = 1
"""What somebody is asked (emagi/eq2emu: Commands.cpp); 2 and 3 are guilds and raids."""

TO_LEADER, FREE, BY_LOT = 0, 1, 2
"""Who takes what a creature leaves (WS_DefaultGroupOptions)."""


@record
@attrs.define
class GroupMember(Record):
    """One of the five others in one's group, as the character sheet has them. `spawn_id` and `pet_id` are of
    the client's own numbers."""

    status: int = NO_MEMBER
    name: str = ""
    spawn_id: int = 0
    pet_id: int = 0
    level: int = 0
    max_level: int = 0
    race: int = 0
    adventure_class: int = 0
    hits: int = 0
    max_hits: int = 0
    power: int = 0
    max_power: int = 0
    zone: str = ""


@from_server
@attrs.define
class ReceiveOffer(Message):
    """Somebody asks one to join something: a window with yes and no, which come back as commands."""

    kind: int
    name: str
    guild: str = ""


@from_server
@attrs.define
class CloseGroupInviteWindow(Message):
    """The question of ReceiveOffer is asked no more."""


@from_client
@attrs.define
class DefaultGroupOptionsRequest(Message):
    """The player opens the options of its group."""


@from_server
@attrs.define
class DefaultGroupOptions(Message):
    """The options of the group. Of these only `loot` means something here."""

    loot: int
    rarity: int = 0
    split: int = 0
    yell: int = 0
    lock: int = 0
    autolock: int = 0


@from_client
@attrs.define
class GroupOptions(Message):
    """The player chose other options."""

    loot: int
    rarity: int = 0
    split: int = 0
    yell: int = 0
    lock: int = 0
    autolock: int = 0
