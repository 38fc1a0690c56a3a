"""Parties (0xBF 0x06), and where their members are on the map (0xF0)."""

from typing import Annotated

from protocol.uo.packets.base import ClientPacket, ServerPacket, UntilZero, element, packet
from protocol.wire.declare import Struct
from protocol.wire.fields import U8, U16, U32, Numbers, Tail

# --- client ---


@packet(0xBF06)
class PartyRequest(ClientPacket):
    """Something for one's party (0xBF 0x06, PartyMessage); behind `PartyDeed.SAY` it is UTF-16 text."""

    kind: Annotated[U8, "see PartyDeed"]
    rest: Tail


class PartyDeed:
    """Kinds of 0xBF 0x06: ServUO, Server/Network/PacketHandlers.cs, PartyMessage."""

    INVITE = 1
    REMOVE = 2
    TELL = 3
    SAY = 4
    LOOT = 6
    INVITED = 7
    ACCEPT = 8
    DECLINE = 9


@packet(0xF0)
class MapRequest(ClientPacket):
    """Asks where the others are (0xF0, ProtocolExtension): ClassicUO's map of the world does, again and
    again."""

    kind: Annotated[U8, "0 party, 1 guild"]
    rest: Tail


# --- server ---


@packet(0xBF06)
class PartyList(ServerPacket):
    """Everybody in the party, the leader first (0xBF 0x06 kind 1, PartyMemberList)."""

    kind: Annotated[U8, "1"]
    members: Annotated[tuple[int, ...], Numbers(4, count=1)]


@packet(0xBF06)
class PartyLeft(ServerPacket):
    """Somebody is in the party no more (0xBF 0x06 kind 2, PartyRemoveMember): who is left, and none to the
    one that it is about."""

    kind: Annotated[U8, "2"]
    count: U8
    gone: U32
    members: Annotated[tuple[int, ...], Numbers(4)]


@packet(0xBF06)
class PartyInvited(ServerPacket):
    """Somebody asks into its party (0xBF 0x06 kind 7, PartyInvitation)."""

    kind: Annotated[U8, "7"]
    leader: U32


@packet(0xF0)
class MapGranted(ServerPacket):
    """The client may ask where the others are (0xF0 kind 0)."""

    kind: Annotated[U8, "0"]


@element
class OnMap(Struct):
    """The place of somebody."""

    serial: U32
    x: U16
    y: U16
    map: U8


@packet(0xF0)
class PartyOnMap(ServerPacket):
    """Places of the others of the party (0xF0 kind 1, PartyTrack)."""

    kind: Annotated[U8, "1"]
    members: Annotated[tuple[OnMap, ...], UntilZero(OnMap)]
