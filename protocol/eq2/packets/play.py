"""In the world: moving, aiming, commands and talk."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, Record, from_client, from_server, record

NO_TARGET = 0xFFFF
"""Target.index of nothing."""

NOBODY = 0xFFFFFFFF
"""The spawn id of nobody."""


@record
@attrs.define
class MovementState(Record):
    """Where a client says its character is and how it moves. Degrees, units and units per second.

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


@from_client
@attrs.define
class Target(Message):
    """The player aims at the ghost of this index, or at nothing (NO_TARGET)."""

    index: int


@from_client
@attrs.define
class RemoteCmd(Message):
    """A command: its number in RemoteCmds and what was typed behind it."""

    index: int
    arguments: str


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


@from_server
@attrs.define
class HearChat(Message):
    """Somebody says something. `channel`: 8 say, 9 shout, 10 emote, 12 narrative, 28 tell, 32 out of
    character; `bubble` 1: above the speaker's head."""

    from_id: int
    to_id: int
    sender: str
    recipient: str
    channel: int
    text: str
    language: int = 0
    channel_name: str = ""
    bubble: int = 1


@from_server
@attrs.define
class DisplayText(Message):
    """A line in the chat window, in the color of a channel."""

    channel: int
    text: str


@from_server
@attrs.define
class OnscreenMessage(Message):
    """Large words on the screen."""

    text: str
    kind: str = ""
    size: float = 1.0
    red: int = 255
    green: int = 255
    blue: int = 255


@from_server
@attrs.define
class DialogOpen(Message):
    """Somebody asks something: its words, and the answers one may give."""

    conversation: int
    title: str
    text: str
    responses: tuple[str, ...]
    spawn_id: int
    closeable: int = 1


@from_server
@attrs.define
class ChoiceWindow(Message):
    """A question with yes and no, or with a box to type into. What is chosen comes back as a command, that of
    the box with the words behind it."""

    text: str
    accept: str
    accept_command: str
    cancel: str
    cancel_command: str
    seconds: int = 0
    """Until it closes by itself; 0: never."""
    box: int = 1
    required: int = 1
    longest: int = 0


@from_server
@attrs.define
class DialogClose(Message):
    """A conversation is over."""

    conversation: int


@from_client
@attrs.define
class DialogSelect(Message):
    """An answer, by its place among those of DialogOpen."""

    conversation: int
    response: int


@from_client
@attrs.define
class DialogDismiss(Message):
    """The player closed the window of a conversation."""

    conversation: int


@from_client
@attrs.define
class EntityVerbsRequest(Message):
    """What can be done with something? A click with the right button."""

    spawn_id: int


@record
@attrs.define
class EntityVerb(Record):
    """A line of a menu: the word that stands for it, from how near it can be chosen, and what the client
    shows."""

    command: str
    label: str
    distance: float = 10.0


@from_server
@attrs.define
class EntityVerbsReply(Message):
    """The menu of something."""

    spawn_id: int
    verbs: tuple[EntityVerb, ...]


@from_client
@attrs.define
class EntityVerbsVerb(Message):
    """A line of a menu was chosen."""

    spawn_id: int
    command: str


@from_client
@attrs.define
class Sit(Message):
    """The player's key to sit down."""


@from_client
@attrs.define
class Stand(Message):
    """The player's key to stand up."""


@from_server
@attrs.define
class CannedEmote(Message):
    """Somebody's ghost plays an animation and words say so."""

    spawn_id: int
    text: str
    animation: int = 0


@from_server
@attrs.define
class GhostState(Message):
    """Somebody's ghost changes its state (sits, for one)."""

    spawn_id: int
    state: int
