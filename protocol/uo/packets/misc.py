"""The rest: pings, leaving, sounds, pointing, and the names of what nothing here reads."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

from protocol.uo.packets.base import (
    ClientPacket,
    ServerPacket,
    packet,
    zeros,
)
from protocol.wire.fields import (
    S8,
    S16,
    U8,
    U16,
    U32,
    Flag,
)


@packet(0x73, length=2)
class Ping(ClientPacket):
    """Are you there? (0x73, PingReq)"""

    number: U8


@packet(0x73, length=2)
class Pong(ServerPacket):
    """I am (0x73, PingAck): the same number."""

    number: U8


@packet(0xD1, length=2)
class LogoutRequest(ClientPacket):
    """The player leaves (0xD1, LogoutReq)."""

    flag: U8


@packet(0xD1, length=2)
class LogoutAnswer(ServerPacket):
    """The player may leave (0xD1, LogoutAck)."""

    flag: U8


@packet(0x01, length=5)
class Disconnecting(ClientPacket):
    """The client is about to close the connection (0x01, Disconnect)."""

    unknown: U32


@packet(0x6C, length=19)
class TargetAnswer(ClientPacket):
    """The thing or place that the player pointed at (0x6C, TargetResponse)."""

    kind: Annotated[U8, "0 thing, 1 place"]
    cursor: U32
    flags: U8
    serial: U32
    x: U16
    y: U16
    z: S16
    item: U16


@packet(0x6C, length=19)
class Target(ServerPacket):
    """The client is to let its player point at something (0x6C, TargetReq)."""

    kind: Annotated[U8, "0 thing, 1 place"]
    cursor: U32
    flags: Annotated[U8, "0 neutral, 1 harmful, 2 beneficial"]
    zero: ClassVar = zeros(12)


@packet(0x54, length=12, droppable=True)
class Sound(ServerPacket):
    """Something sounds (0x54, PlaySound)."""

    mode: Annotated[U8, "1: once"]
    sound: U16
    volume: U16
    x: U16
    y: U16
    z: S16


class EffectKind:
    """Kinds of 0x70."""

    MOVES = 0
    LIGHTNING = 1
    AT_PLACE = 2
    AT_SOURCE = 3


@packet(0x70, length=28, droppable=True)
class Effect(ServerPacket):
    """Pictures that play once at a thing or a place, or fly from one to another (0x70, GraphicalEffect)."""

    kind: Annotated[U8, "see EffectKind"]
    source: U32
    target: U32
    item: U16
    x: U16
    y: U16
    z: S8
    target_x: U16
    target_y: U16
    target_z: S8
    speed: U8
    duration: U8
    zero: ClassVar = zeros(2)
    fixed: Annotated[Flag, "it does not turn to where it flies"]
    explodes: Flag


UNREAD: Final[Mapping[int, str]] = {
    0x04: "GodModeRequest",
    0x0A: "Edit",
    0x14: "ChangeZ",
    0x47: "NewTerrain",
    0x48: "NewAnimData",
    0x56: "MapCommand",
    0x58: "NewRegion",
    0x61: "DeleteStatic",
    0x66: "BookContentChange",
    0x75: "RenameRequest",
    0x79: "ResourceQuery",
    0x7D: "MenuResponse",
    0x7E: "GodviewQuery",
    0x8D: "ECCreateCharacter",
    0x93: "OldBookHeaderChange",
    0x95: "HuePickerResponse",
    0x96: "GameCentralMonitor",
    0x9A: "AsciiPromptResponse",
    0x9D: "GMSingle",
    0xA4: "SystemInfo",
    0xAC: "TextEntryResponse",
    0xBB: "AccountID",
    0xBE: "AssistVersion",
    0xC2: "UnicodePromptResponse",
    0xC9: "TripTime",
    0xCA: "UTripTime",
    0xD0: "ConfigurationFile",
    0xD4: "BookHeaderChange",
    0xD9: "HardwareInfo",
    0xDA: "Mahjong",
    0xE1: "ClientType",
    0xF4: "CrashReport",
    0xFA: "UOStoreRequest",
    0xFB: "PublicHouseContent",
    0xBF05: "ScreenSize",
    0xBF09: "DisarmRequest",
    0xBF0A: "StunRequest",
    0xBF0B: "Language",
    0xBF0C: "CloseStatus",
    0xBF0F: "ClientTypeOld",
    0xBF1C: "CastSpell",
    0xBF1E: "QueryDesignDetails",
    0xBF24: "UnhandledBF",
    0xBF2A: "HeritageTransform",
    0xBF2D: "TargetedSpell",
    0xBF2E: "TargetedSkillUse",
    0xBF32: "ToggleFlying",
    0xBF33: "MultiMouseMovement",
    0xBF00: "AnyOtherExtended",
    0xD702: "DesignerBackup",
    0xD703: "DesignerRestore",
    0xD704: "DesignerCommit",
    0xD705: "DesignerDelete",
    0xD706: "DesignerBuild",
    0xD70A: "DesignerAction",
    0xD70C: "DesignerClose",
    0xD70D: "DesignerStairs",
    0xD70E: "DesignerSync",
    0xD70F: "DesignerOtherAction",
    0xD710: "DesignerClear",
    0xD712: "DesignerLevel",
    0xD713: "DesignerRoof",
    0xD714: "DesignerRoofDelete",
    0xD719: "SetAbility",
    0xD71A: "DesignerRevert",
    0xD71E: "EquipLastWeapon",
    0xD700: "AnyOtherEncoded",
}
"""By packet number, as ServUO's and ClassicUO's sources call them: what a client may send and nothing here
reads. What comes of each the handlers say."""
