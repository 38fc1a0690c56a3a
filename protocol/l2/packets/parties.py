"""Parties: to ask somebody into one, and the window with the bars of the others.

The window lists all but one's own character, each under its object id, wherever it is. Layouts are those of
recorded traffic (tests/golden/l2/server_packets_c6.json), where eldarkg/lineage2wireshark (746.ini) has the
same; that of PartyMemberPosition stands there alone.
"""

import enum
from typing import Annotated, ClassVar

from protocol.l2.packets.base import D, S, counted, element, from_client, from_server, zeros
from protocol.l2.versions import Message
from protocol.wire.declare import Struct
from protocol.wire.fields import Constant


class LootType(enum.IntEnum):
    """Rules for what creatures leave; there is none for a leader who takes it all."""

    FINDER = 0
    RANDOM = 1
    RANDOM_AND_SPOIL = 2
    BY_TURN = 3
    BY_TURN_AND_SPOIL = 4


# --- client ---


@from_client
class RequestJoinParty(Message):
    """Ask somebody into a party."""

    name: S
    loot_rule: Annotated[D, "LootType, of a party that begins with this"]


@from_client
class RequestAnswerJoinParty(Message):
    """Whether to join."""

    answer: Annotated[D, "1: yes"]


@from_client
class RequestWithDrawalParty(Message):
    """Leave it."""


@from_client
class RequestOustPartyMember(Message):
    """Send somebody out of it."""

    name: S


@from_client
class RequestChangePartyLeader(Message):
    """Let somebody else lead it."""

    name: S


# --- server ---


@from_server
class AskJoinParty(Message):
    """Somebody asks one into a party; RequestAnswerJoinParty answers."""

    name: S
    loot_rule: Annotated[D, "LootType"]


@from_server
class JoinParty(Message):
    """Whether who was asked joins."""

    answer: Annotated[D, "1: yes"]


@element
class PartyMember(Struct):
    """Somebody in the window."""

    object_id: D
    name: S
    cp: D
    max_cp: D
    hp: D
    max_hp: D
    mp: D
    max_mp: D
    level: D
    class_id: D
    _unused: ClassVar[Constant] = zeros(4)
    race: D


@from_server
class PartySmallWindowAll(Message):
    """The window, with all others."""

    leader_id: D
    loot_rule: Annotated[D, "LootType"]
    members: Annotated[tuple[PartyMember, ...], counted(PartyMember)]


@from_server
class PartySmallWindowAdd(Message):
    """Somebody comes into it."""

    leader_id: D
    loot_rule: Annotated[D, "LootType"]
    object_id: D
    name: S
    cp: D
    max_cp: D
    hp: D
    max_hp: D
    mp: D
    max_mp: D
    level: D
    class_id: D
    _unused: ClassVar[Constant] = zeros(4)
    race: D


@from_server
class PartySmallWindowUpdate(Message):
    """Bars and level of somebody in it."""

    object_id: D
    name: S
    cp: D
    max_cp: D
    hp: D
    max_hp: D
    mp: D
    max_mp: D
    level: D
    class_id: D


@from_server
class PartySmallWindowDelete(Message):
    """Somebody goes out of it."""

    object_id: D
    name: S


@from_server
class PartySmallWindowDeleteAll(Message):
    """The window closes."""


@element
class MemberPlace(Struct):
    """The place of somebody on the map."""

    object_id: D
    x: D
    y: D
    z: D


@from_server
class PartyMemberPosition(Message):
    """The places of others on the map."""

    members: Annotated[tuple[MemberPlace, ...], counted(MemberPlace)]

    droppable: ClassVar[bool] = True
