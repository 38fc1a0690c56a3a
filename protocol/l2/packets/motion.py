"""Walking, turning, standing and being carried elsewhere."""

import enum
from typing import Annotated, ClassVar, Final

from protocol.l2.packets.base import D, from_client, from_server, zeros
from protocol.l2.versions import Message
from protocol.wire.fields import Constant, Integer, Optional

FULL_TURN: Final = 65536
"""Headings count clockwise from east: 0 is east, 16384 south."""


class Wait(enum.IntEnum):
    """The ways to wait."""

    SITTING = 0
    STANDING = 1
    FEIGNING_DEATH = 2
    RISING = 3


# --- client ---


@from_client
class MoveBackwardToLocation(Message):
    """Walk there. The name is the community's: it has nothing to do with walking backwards."""

    to_x: D
    to_y: D
    to_z: D
    origin_x: D
    origin_y: D
    origin_z: D
    by_mouse: Annotated[
        int, Optional(Integer(4, signed=True, little=True), default=1), "0: with the arrow keys"
    ] = 1


@from_client
class ValidatePosition(Message):
    """The place where the client believes to be; about once a second while it walks."""

    x: D
    y: D
    z: D
    heading: D
    vehicle_id: D = 0


@from_client
class CannotMoveAnymore(Message):
    """The client walked into something."""

    x: D
    y: D
    z: D
    heading: D


@from_client
class StartRotating(Message):
    """The client begins to turn."""

    degree: Annotated[D, "its heading"]
    side: Annotated[D, "1: right, -1: left"]


@from_client
class FinishRotating(Message):
    """The client has turned."""

    degree: Annotated[D, "its heading"]
    unknown: D = 0


@from_client
class Appearing(Message):
    """The client has loaded the land it was carried to."""


@from_client
class RequestChangeMoveType(Message):
    """Walk (0) or run (1)."""

    run: D


@from_client
class RequestChangeWaitType(Message):
    """Sit (0) or stand (1)."""

    stand: D


# --- server ---


@from_server
class MoveToLocation(Message):
    """Somebody walks from one point to another."""

    droppable: ClassVar[bool] = True

    object_id: D
    to_x: D
    to_y: D
    to_z: D
    from_x: D
    from_y: D
    from_z: D


@from_server
class MoveToPawn(Message):
    """Somebody walks until it is near somebody."""

    droppable: ClassVar[bool] = True

    object_id: D
    target_id: D
    distance: D
    x: D
    y: D
    z: D


@from_server
class StopMove(Message):
    """Somebody stands still."""

    object_id: D
    x: D
    y: D
    z: D
    heading: D


@from_server
class ValidateLocation(Message):
    """The place where somebody really is."""

    object_id: D
    x: D
    y: D
    z: D
    heading: D


@from_server
class TeleportToLocation(Message):
    """Somebody is somewhere else at once; its own client loads and says Appearing."""

    object_id: D
    x: D
    y: D
    z: D
    _unused: ClassVar[Constant] = zeros(4)
    heading: D = 0


@from_server
class ChangeMoveType(Message):
    """Somebody walks or runs from now on."""

    object_id: D
    running: Annotated[D, "0 or 1"]
    _unused: ClassVar[Constant] = zeros(4)


@from_server
class ChangeWaitType(Message):
    """Somebody sits down or stands up."""

    object_id: D
    wait: Annotated[D, "Wait"]
    x: D
    y: D
    z: D


@from_server
class BeginRotation(Message):
    """Somebody begins to turn."""

    object_id: D
    degree: Annotated[D, "its heading"]
    side: Annotated[D, "1: right, -1: left"]
    speed: D = 0


@from_server
class StopRotation(Message):
    """Somebody has turned."""

    object_id: D
    degree: Annotated[D, "its heading"]
    speed: D = 0
    _unused: ClassVar[Constant] = zeros(1)
