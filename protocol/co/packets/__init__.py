"""Every packet of Conquer Online that is known here, by direction, what they are made of, and reading one
without knowing what comes.

A module for each topic declares its packets (`base`), by which they are in the lists below. A type may be two
packets, one of each side, or of each door: MsgConnect is Connect at the game's, FileReport at the account
server's, and a ConnectEx without a token is a ConnectReject. Handlers and figures take packets from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.packets import base
from protocol.co.packets.base import (
    ENCODING,
    HEADER_SIZE,
    LONGEST_STRING,
    NAME_SIZE,
    Message,
    name_of_type,
)
from protocol.co.packets.dialogs import (
    LONGEST_TEXT,
    NO_ANSWER,
    DialogAction,
    Npc,
    NpcEvent,
    TaskDialog,
)
from protocol.co.packets.entering import (
    NO_TINT,
    NOBODY,
    Date,
    MapFlag,
    MapInfo,
    UserInfo,
    Weather,
    WeatherKind,
)
from protocol.co.packets.fighting import (
    Interact,
    InteractType,
    MagicEffect,
    MagicHit,
    disguised,
    revealed,
)
from protocol.co.packets.friends import Friend, FriendAction, FriendInfo
from protocol.co.packets.guilds import (
    Guild,
    GuildAction,
    GuildAttributes,
    GuildMember,
    GuildRank,
)
from protocol.co.packets.login import (
    ANSWER_OK,
    NEW_ROLE,
    PASSWORD_SIZE,
    Account,
    Body,
    Connect,
    ConnectEx,
    ConnectReject,
    FileReport,
    Profession,
    Register,
    RejectCode,
)
from protocol.co.packets.misc import (
    Action,
    ActionType,
    Emotion,
    PkMode,
    Tick,
    pack_xy,
    unpack_xy,
)
from protocol.co.packets.motion import (
    STEPS,
    Pace,
    Walk,
    facing,
    to_wire,
    to_world,
)
from protocol.co.packets.parties import Team, TeamAction, TeamMember
from protocol.co.packets.people import (
    FACE,
    GHOST_MAN,
    GHOST_WOMAN,
    TRANSFORMATION,
    NpcInfo,
    NpcInfoEx,
    NpcKind,
    NpcSort,
    Player,
    StatusFlag,
)
from protocol.co.packets.status import (
    Allot,
    Attribute,
    AttributeEntry,
    FlushExp,
    Magic,
    SkillKind,
    UserAttrib,
    WeaponSkill,
)
from protocol.co.packets.talk import (
    ALL_USERS,
    LONGEST_WORDS,
    SYSTEM,
    WHITE,
    BoardAction,
    Channel,
    MessageBoard,
    NameKind,
    NameMessage,
    Talk,
    TalkStyle,
    said,
)
from protocol.co.packets.things import (
    BAG_SIZE,
    DEFAULT_COLOUR,
    MOST_SILVER,
    ColouredItem,
    DataArray,
    GemEmbed,
    ItemAction,
    ItemActionType,
    ItemInfo,
    ItemInfoEx,
    ItemInfoExMode,
    ItemInfoMode,
    ItemPosition,
    MapItem,
    MapItemAction,
    Package,
    PackageAction,
    PackageKind,
    PackageList,
    PickUp,
    StoredItem,
)
from protocol.co.packets.trading import Trade, TradeAction
from protocol.co.versions import NEWEST, CoVersion
from protocol.endings import WireError

if TYPE_CHECKING:
    from collections.abc import Mapping

CLIENT_MESSAGES: Final[tuple[type[Message], ...]] = base.declared()[0]
"""Packets of clients, at both doors."""

ACCOUNT_MESSAGES: Final[tuple[type[Message], ...]] = (Account, FileReport)
"""Packets of clients at the account server's door."""

SERVER_MESSAGES: Final[tuple[type[Message], ...]] = base.declared()[1]
"""Packets of servers, at both doors."""

_FROM_CLIENT: Final[Mapping[int, type[Message]]] = {
    **{cls.type: cls for cls in CLIENT_MESSAGES},
    Connect.type: Connect,
}
_FROM_SERVER: Final[Mapping[int, type[Message]]] = {cls.type: cls for cls in SERVER_MESSAGES}


def type_of(frame: bytes) -> int:
    """The type of a whole packet; -1 if it is too short to have one."""
    return int.from_bytes(frame[2:HEADER_SIZE], "little") if len(frame) >= HEADER_SIZE else -1


def decode_client(frame: bytes, version: CoVersion = NEWEST) -> Message:
    """The packet in a client's frame; the type that both doors know is read as at the game's. Raises
    WireError."""
    return _class_of(_FROM_CLIENT, frame).decode(frame, version)


def decode_server(frame: bytes, version: CoVersion) -> Message:
    """The packet in a server's frame. Raises WireError."""
    cls = _class_of(_FROM_SERVER, frame)
    if cls.type == ConnectEx.type:
        cls = ConnectEx if any(frame[HEADER_SIZE : HEADER_SIZE + 4]) else ConnectReject
    return cls.decode(frame, version)


def _class_of(classes: Mapping[int, type[Message]], frame: bytes) -> type[Message]:
    try:
        return classes[type_of(frame)]
    except KeyError:
        raise WireError(f"packet of type {type_of(frame)}") from None


__all__ = [
    "ACCOUNT_MESSAGES",
    "ALL_USERS",
    "ANSWER_OK",
    "BAG_SIZE",
    "CLIENT_MESSAGES",
    "DEFAULT_COLOUR",
    "ENCODING",
    "FACE",
    "GHOST_MAN",
    "GHOST_WOMAN",
    "HEADER_SIZE",
    "LONGEST_STRING",
    "LONGEST_TEXT",
    "LONGEST_WORDS",
    "MOST_SILVER",
    "NAME_SIZE",
    "NEW_ROLE",
    "NOBODY",
    "NO_ANSWER",
    "NO_TINT",
    "PASSWORD_SIZE",
    "SERVER_MESSAGES",
    "STEPS",
    "SYSTEM",
    "TRANSFORMATION",
    "WHITE",
    "Account",
    "Action",
    "ActionType",
    "Allot",
    "Attribute",
    "AttributeEntry",
    "BoardAction",
    "Body",
    "Channel",
    "ColouredItem",
    "Connect",
    "ConnectEx",
    "ConnectReject",
    "DataArray",
    "Date",
    "DialogAction",
    "Emotion",
    "FileReport",
    "FlushExp",
    "Friend",
    "FriendAction",
    "FriendInfo",
    "GemEmbed",
    "Guild",
    "GuildAction",
    "GuildAttributes",
    "GuildMember",
    "GuildRank",
    "Interact",
    "InteractType",
    "ItemAction",
    "ItemActionType",
    "ItemInfo",
    "ItemInfoEx",
    "ItemInfoExMode",
    "ItemInfoMode",
    "ItemPosition",
    "Magic",
    "MagicEffect",
    "MagicHit",
    "MapFlag",
    "MapInfo",
    "MapItem",
    "MapItemAction",
    "Message",
    "MessageBoard",
    "NameKind",
    "NameMessage",
    "Npc",
    "NpcEvent",
    "NpcInfo",
    "NpcInfoEx",
    "NpcKind",
    "NpcSort",
    "Pace",
    "Package",
    "PackageAction",
    "PackageKind",
    "PackageList",
    "PickUp",
    "PkMode",
    "Player",
    "Profession",
    "Register",
    "RejectCode",
    "SkillKind",
    "StatusFlag",
    "StoredItem",
    "Talk",
    "TalkStyle",
    "TaskDialog",
    "Team",
    "TeamAction",
    "TeamMember",
    "Tick",
    "Trade",
    "TradeAction",
    "UserAttrib",
    "UserInfo",
    "Walk",
    "WeaponSkill",
    "Weather",
    "WeatherKind",
    "decode_client",
    "decode_server",
    "disguised",
    "facing",
    "name_of_type",
    "pack_xy",
    "revealed",
    "said",
    "to_wire",
    "to_world",
    "type_of",
    "unpack_xy",
]
