"""Places and movement of characters, as their clients say and are told."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, Record, from_client, from_server, record


@record
@attrs.define
class MovementState(Record):
    """The place and the movement of a client's character, as the client says. Degrees, units and units per
    second.

    `x`, `y` (height) and `z` are the place; `heading` the direction faced; `desired_heading` where the player
    steers. A Movement carries it packed, as the difference to the one before.
    """

    state: int = 0
    state2: int = 0
    desired_heading: float = 0.0
    desired_pitch: float = 0.0
    speed_modifier: float = 0.0
    pitch_velocity: float = 0.0
    collision_radius: float = 0.0
    size: float = 0.0
    size_ratio: float = 0.0
    swim_modifier: float = 0.0
    strafe_speed: float = 0.0
    forward_speed: float = 0.0
    side_speed: float = 0.0
    vertical_speed: float = 0.0
    destination_x: float = 0.0
    destination_y: float = 0.0
    destination_z: float = 0.0
    destination2_x: float = 0.0
    destination2_y: float = 0.0
    destination2_z: float = 0.0
    base_x: float = 0.0
    base_y: float = 0.0
    base_z: float = 0.0
    face_actor: int = 0
    stop_range: float = 0.0
    mode: int = 0
    grid: int = 0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    heading: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0
    velocity_x: float = 0.0
    velocity_y: float = 0.0
    velocity_z: float = 0.0


@from_client
@attrs.define
class Movement(Message):
    """`packed`: a MovementState, as the difference (xor) to the one before, packed."""

    packed: bytes
    subtype: int = 0


@from_server
@attrs.define
class Teleport(Message):
    """You are there now, within the zone; the client loads anew."""

    x: float
    y: float
    z: float


@from_server
@attrs.define
class TeleportNoReload(Message):
    """You are there now, within the zone, without a loading screen."""

    x: float
    y: float
    z: float
    heading: float


@from_client
@attrs.define
class Sit(Message):
    """The player's key to sit down."""


@from_client
@attrs.define
class Stand(Message):
    """The player's key to stand up."""
