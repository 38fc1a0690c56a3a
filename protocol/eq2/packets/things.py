"""Ghosts: whatever stands in the world, as a client keeps it.

A ghost is three structures, GhostPosition, GhostVisible and GhostInfo. A client gets them whole once and
differences later; both sides keep what was sent last.
"""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import (
    BLACK,
    NO_MORPH,
    Color,
    Message,
    Morph,
    Record,
    from_client,
    from_server,
    record,
)
from protocol.eq2.packets.login import EQUIPMENT

NO_TARGET = 0xFFFF
"""Target.index of nothing."""

NO_ANIMATION = 0xFFFF
FACES_NOBODY = 0xFFFFFFFF


@record
@attrs.define
class GhostPosition(Record):
    """The place and the movement of something. `x`, `y` (height), `z` in units; the rest in fixed point:
    headings, pitch and roll in 1/64 degree, speeds in 1/256, velocities, radius and size in 1/32 units."""

    grid: int = 0
    offset: tuple[int, int, int] = (0, 0, 0)
    velocity_x: int = 0
    velocity_y: int = 0
    velocity_z: int = 0
    heading1: int = 0
    heading2: int = 0
    speed: int = 0
    state: int = 0
    mode: int = 0
    destination: tuple[int, int, int] = (0, 0, 0)
    destination2: tuple[int, int, int] = (0, 0, 0)
    heading_speed: int = 0
    move_type: int = 0
    swim_modifier: int = 0
    side_speed: int = 0
    vertical_speed: int = 0
    pitch1: int = 0
    pitch_speed: int = 0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    pitch2: int = 0
    collision_radius: int = 0
    size: int = 0
    size_multiplier: int = 0
    face_actor: int = FACES_NOBODY
    stop_range: int = 0
    roll: int = 0


@record
@attrs.define
class GhostVisible(Record):
    """Something as one viewer sees it: whether it can be targeted, attacked, is named. `arrow` 0 grey to 5
    red, 3 white."""

    arrow: int = 3
    locked: int = 0
    consider: int = 0
    quest: int = 0
    flags: int = 0
    targetable: int = 0
    red_glow: int = 0
    show_name: int = 0
    attackable: int = 0
    attackable_icon: int = 0
    guild: str = ""


@record
@attrs.define
class GhostInfo(Record):
    """The kind, the name and the looks of something. Percent, model numbers, colors."""

    hits_code: int = 0
    """See `bars.hits_code`."""
    power_percent: int = 100
    target_id: int = 0
    follow_id: int = 0
    corpse: int = 0
    profession: int = 0
    effective_level: int = 0
    level: int = 0
    difficulty: int = 0
    heroic: int = 0
    npc: int = 0
    merchant: int = 0
    no_arrow_or_highlight: int = 0
    no_arrow_or_health: int = 0
    hand_icon: int = 0
    hide_health: int = 0
    transport: int = 0
    house_icon: int = 0
    loot_icon: int = 0
    auto_attack: int = 0
    afk: int = 0
    roleplaying: int = 0
    anonymous: int = 0
    linkdead: int = 0
    camping: int = 0
    solid: int = 0
    activity: int = 0
    model: int = 0
    soga_model: int = 0
    skin: Color = BLACK
    eyes: Color = BLACK
    soga_eyes: Color = BLACK
    soga_skin: Color = BLACK
    equipment: tuple[int, ...] = (0,) * EQUIPMENT
    hair: int = 0
    facial_hair: int = 0
    chest: int = 0
    legs: int = 0
    soga_hair: int = 0
    soga_facial_hair: int = 0
    equipment_colors: tuple[Color, ...] = (BLACK,) * EQUIPMENT
    hair_color: Color = BLACK
    facial_hair_color: Color = BLACK
    chest_color: Color = BLACK
    legs_color: Color = BLACK
    equipment_highlights: tuple[Color, ...] = (BLACK,) * EQUIPMENT
    hair_highlight: Color = BLACK
    facial_hair_highlight: Color = BLACK
    chest_highlight: Color = BLACK
    legs_highlight: Color = BLACK
    soga_hair_color: Color = BLACK
    soga_hair_highlight: Color = BLACK
    soga_facial_hair_color: Color = BLACK
    soga_facial_hair_highlight: Color = BLACK
    skull_morph: Morph = NO_MORPH
    eye_morph: Morph = NO_MORPH
    ear_morph: Morph = NO_MORPH
    brow_morph: Morph = NO_MORPH
    cheek_morph: Morph = NO_MORPH
    lip_morph: Morph = NO_MORPH
    chin_morph: Morph = NO_MORPH
    nose_morph: Morph = NO_MORPH
    body_size: int = 0
    bump: int = 0
    mount: int = 0
    mount_color: Color = BLACK
    saddle_color: Color = BLACK
    hair_base_color: Color = BLACK
    hair_second_color: Color = BLACK
    hair_streak_color: Color = BLACK
    combat_voice: int = 0
    emote_voice: int = 0
    flags: int = 0
    temporary_scale: float = 0.0
    name: str = ""
    last_name: str = ""
    prefix: str = ""
    suffix: str = ""
    guild: str = ""
    second_suffix: str = ""
    action_state: int = 0
    visual_state: int = 0
    mood_state: int = 0
    emote_state: int = 0
    race: int = 0
    gender: int = 0


@record
@attrs.define
class GhostCommand(Record):
    """A line of the menu of something: what it says, from how far, what is said from too far away, what is
    sent."""

    name: str
    distance: float
    error: str
    command: str


@from_server
@attrs.define
class CreateGhost(Message):
    """Something comes into sight. `packed`: GhostPosition, GhostVisible and GhostInfo behind one another,
    packed. `index` is this client's small number for it, `spawn_id` the large one."""

    index: int
    spawn_id: int
    packed: bytes
    commands: tuple[GhostCommand, ...] = ()
    default_command: str = ""
    distance: float = 0.0
    group: tuple[int, ...] = ()
    timestamp: int = 0
    animation: int = NO_ANIMATION


@record
@attrs.define
class GhostDelta(Record):
    """One structure of a ghost as the difference (xor) to what was sent last, packed."""

    index: int
    packed: bytes


@from_server
@attrs.define
class UpdateGhost(Message):
    """Changes of a ghost; None: nothing of that structure. `timestamp` in ms, 0 when a player moved."""

    timestamp: int = 0
    info: GhostDelta | None = None
    position: GhostDelta | None = None
    visible: GhostDelta | None = None


@from_server
@attrs.define
class DestroyGhost(Message):
    """Something went out of sight."""

    index: int


@from_server
@attrs.define
class SetControlGhost(Message):
    """The ghost the player steers, and how fast it may go."""

    spawn_id: int
    speed: float
    size: float = 0.51


@from_server
@attrs.define
class SetPovGhost(Message):
    """The ghost the camera follows."""

    spawn_id: int


@from_server
@attrs.define
class SetDefaultVerb(Message):
    """Says what a double click on something means from now on, and from how far."""

    spawn_id: int
    command: str
    distance: float


@from_server
@attrs.define
class UpdateTarget(Message):
    """The player's target."""

    spawn_id: int


@from_client
@attrs.define
class Target(Message):
    """The player aims at the ghost of this index, or at nothing (NO_TARGET)."""

    index: int


@from_client
@attrs.define
class EntityVerbsRequest(Message):
    """Asks what can be done with something: a click with the right button."""

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


@from_server
@attrs.define
class GhostState(Message):
    """Somebody's ghost changes its state (sits, for one)."""

    spawn_id: int
    state: int
