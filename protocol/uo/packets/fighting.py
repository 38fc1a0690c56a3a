"""War, blows and death."""

from typing import Annotated, ClassVar

from protocol.uo.packets.base import (
    ClientPacket,
    ServerPacket,
    UntilZero,
    element,
    packet,
    zeros,
)
from protocol.wire.declare import Struct
from protocol.wire.fields import (
    U8,
    U16,
    U32,
    Blob,
    Constant,
    Flag,
)

# --- client ---


@packet(0x05, length=5)
class AttackRequest(ClientPacket):
    """Attack somebody (0x05, AttackReq)."""

    serial: U32


@packet(0x72, length=5)
class WarModeRequest(ClientPacket):
    """Draw or sheathe (0x72, SetWarMode)."""

    war: Flag
    unknown: Annotated[bytes, Blob(3)]


@packet(0x2C, length=2)
class DeathAnswer(ClientPacket):
    """The player's choice on the screen "you are dead" (0x2C, DeathStatusResponse)."""

    choice: U8


@packet(0xBF2C)
class BandageRequest(ClientPacket):
    """Dress somebody's wounds with a bandage (0xBF 0x2C, BandageTarget)."""

    bandage: U32
    patient: U32


@packet(0xBF30)
class ResourceRequest(ClientPacket):
    """Use a tool on what is near of some kind (0xBF 0x30, TargetByResource)."""

    tool: U32
    resource: Annotated[U16, "0 ore, 1 sand, 2 wood, 3 graves, 4 mushrooms"]


# --- server ---


@packet(0x72, length=5)
class WarMode(ServerPacket):
    """Whether the player's weapon is drawn (0x72, SetWarMode)."""

    war: Flag
    pattern: ClassVar = Constant(b"\x00\x32\x00")


@packet(0xAA, length=5)
class Attacking(ServerPacket):
    """The mobile that the player attacks now, 0: nobody (0xAA, ChangeCombatant)."""

    serial: U32


@packet(0x2F, length=10, droppable=True)
class Swing(ServerPacket):
    """The player strikes at somebody, and turns to it (0x2F, Swing)."""

    zero: ClassVar = zeros(1)
    attacker: U32
    defender: U32


@packet(0x0B, length=7, droppable=True)
class Damage(ServerPacket):
    """A number over somebody: the hits it lost (0x0B, DamagePacket; from 5.0.0a on)."""

    serial: U32
    amount: U16


@packet(0xBF22, droppable=True)
class DamageOld(ServerPacket):
    """A number over somebody: the hits it lost (0xBF 0x22, DamagePacketOld; until 5.0.0a)."""

    one: ClassVar = Constant(b"\x01")
    serial: U32
    amount: U8


@packet(0xAF, length=13)
class DeathAnimation(ServerPacket):
    """Somebody falls dead and is a corpse then (0xAF, DeathAnimation)."""

    serial: U32
    corpse: Annotated[U32, "0: none"]
    running: Annotated[U32, "not 0: died running"]


@element
class CorpseWorn(Struct):
    """Something that a corpse wears."""

    layer: Annotated[U8, "its layer + 1"]
    serial: U32


@packet(0x89)
class CorpseClothes(ServerPacket):
    """Things in a corpse that it wears (0x89, CorpseEquip)."""

    corpse: U32
    worn: Annotated[tuple[CorpseWorn, ...], UntilZero(CorpseWorn, size=1)]


@packet(0x2C, length=2)
class YouAreDead(ServerPacket):
    """The player has died (0x2C, DeathStatus)."""

    action: Annotated[U8, "0 died, 2 lives again"]
