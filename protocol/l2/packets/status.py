"""Changes of players and other mobiles: numbers, targets, gestures, death."""

import enum
from typing import Annotated, ClassVar

from protocol.l2.packets.base import C8, D, H, counted, element, from_server, zeros
from protocol.l2.versions import Message
from protocol.wire.declare import Struct
from protocol.wire.fields import Constant


class Attribute(enum.IntEnum):
    """The numbers that a StatusUpdate can tell."""

    LEVEL = 0x01
    EXP = 0x02
    STRENGTH = 0x03
    DEXTERITY = 0x04
    CONSTITUTION = 0x05
    INTELLIGENCE = 0x06
    WIT = 0x07
    MENTALITY = 0x08
    HP = 0x09
    MAX_HP = 0x0A
    MP = 0x0B
    MAX_MP = 0x0C
    SP = 0x0D
    LOAD = 0x0E
    MAX_LOAD = 0x0F
    P_ATK = 0x11
    ATK_SPD = 0x12
    P_DEF = 0x13
    EVASION = 0x14
    ACCURACY = 0x15
    CRITICAL = 0x16
    M_ATK = 0x17
    CAST_SPD = 0x18
    M_DEF = 0x19
    PVP_FLAG = 0x1A
    KARMA = 0x1B
    CP = 0x21
    MAX_CP = 0x22


@element
class StatusEntry(Struct):
    """One attribute of a StatusUpdate."""

    attribute: Annotated[D, "Attribute"]
    value: D


@element
class EffectEntry(Struct):
    """One line of AbnormalStatusUpdate."""

    skill_id: D
    level: H
    seconds: Annotated[D, "left; -1: for ever"]


@from_server
class StatusUpdate(Message):
    """Numbers of a character changed."""

    droppable: ClassVar[bool] = True

    object_id: D
    attributes: Annotated[tuple[StatusEntry, ...], counted(StatusEntry, 4)]


class Blow(enum.IntFlag):
    """Marks of a blow, beside its damage."""

    CRITICAL = 0x20
    SHIELD = 0x40
    MISS = 0x80


@element
class FurtherHit(Struct):
    """Another one that the same blow hits."""

    target_id: D
    damage: D
    flags: Annotated[C8, "Blow"]


@from_server
class Attack(Message):
    """Somebody strikes a blow: the client draws it, and what it does when half of its time is over."""

    object_id: D
    target_id: D
    damage: D
    flags: Annotated[C8, "Blow"]
    x: D
    y: D
    z: D
    further: Annotated[tuple[FurtherHit, ...], counted(FurtherHit, 2)] = ()


@from_server
class Die(Message):
    """Somebody died; its own client is told where it may rise again."""

    object_id: D
    to_village: D = 0
    to_hideout: D = 0
    to_castle: D = 0
    to_siege_headquarters: D = 0
    sweepable: D = 0
    fixed_resurrection: D = 0


@from_server
class Revive(Message):
    """Somebody lives again."""

    object_id: D


@from_server
class SocialAction(Message):
    """Somebody makes a gesture."""

    droppable: ClassVar[bool] = True

    object_id: D
    action: Annotated[D, "Social"]


class Social(enum.IntEnum):
    """Gestures. Clients may ask for those from 2 to 13."""

    HELLO = 2
    VICTORY = 3
    CHARGE = 4
    NO = 5
    YES = 6
    BOW = 7
    UNAWARE = 8
    WAITING = 9
    LAUGH = 10
    APPLAUSE = 11
    DANCE = 12
    SORROW = 13
    LEVEL_UP = 15


@from_server
class MyTargetSelected(Message):
    """The client's own target."""

    object_id: D
    color: Annotated[H, "its level below the own one; 0: cannot be attacked"] = 0


@from_server
class TargetSelected(Message):
    """Somebody else takes a target."""

    object_id: D
    target_id: D
    x: D
    y: D
    z: D


@from_server
class TargetUnselected(Message):
    """Somebody has no target any more."""

    object_id: D
    x: D
    y: D
    z: D
    _unused: ClassVar[Constant] = zeros(4)


@from_server
class AutoAttackStart(Message):
    """Somebody takes a fighting stance."""

    droppable: ClassVar[bool] = True

    object_id: D


@from_server
class AutoAttackStop(Message):
    """Somebody leaves the fighting stance."""

    droppable: ClassVar[bool] = True

    object_id: D


@from_server
class AbnormalStatusUpdate(Message):
    """The effects upon the client's own character for a time."""

    effects: Annotated[tuple[EffectEntry, ...], counted(EffectEntry, 2)] = ()


@from_server
class ExSetCompassZoneCode(Message):
    """The word of the compass on the place where one is."""

    zone: Annotated[D, "CompassZone"]


class CompassZone(enum.IntEnum):
    """Kinds of places."""

    PEACE = 0x0C


@from_server
class EtcStatusUpdate(Message):
    """Small icons of the client's own character."""

    charges: D = 0
    weight_penalty: D = 0
    chat_banned: D = 0
    danger_area: D = 0
    grade_penalty: D = 0
    charm_of_courage: D = 0
    death_penalty: D = 0
