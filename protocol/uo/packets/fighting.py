"""War, blows and death."""

from typing import Annotated, ClassVar

from protocol.uo.packets.base import (
    ClientPacket,
    ServerPacket,
    packet,
)
from protocol.wire.fields import (
    U8,
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


@packet(0x2C, length=2)
class YouAreDead(ServerPacket):
    """The player has died (0x2C, DeathStatus)."""

    action: Annotated[U8, "0 died, 2 lives again"]
