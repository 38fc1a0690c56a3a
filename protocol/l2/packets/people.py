"""Players and other mobiles: how they look, and that they are gone.

A client has three messages for this: UserInfo for its own character, CharInfo for other players, NpcInfo for
all other mobiles and for players who have no body like the client's. Each has all the looks, whatever changed
of them. Fields that the world has nothing for are constants, or have a default.
"""

import enum
from typing import Annotated, ClassVar, Final

from protocol.l2.packets.base import (
    C8,
    EMPTY_PAPERDOLL,
    D,
    F,
    H,
    Paperdoll,
    Q,
    S,
    Several,
    from_server,
    numbers,
    zeros,
)
from protocol.l2.versions import Message
from protocol.wire.fields import Constant

NPC_ID_BASE: Final = 1_000_000
"""What is added to the id of a kind of mobile wherever it is sent."""

WHITE: Final = 0xFFFFFF
TITLE_COLOR: Final = 0xFFFF77
"""Colours of names and titles: blue, green and red from the top byte down."""

VISIBLE_PAPERDOLL: Final = (
    "hair_all",
    "head",
    "right_hand",
    "left_hand",
    "gloves",
    "chest",
    "legs",
    "feet",
    "back",
    "both_hands",
    "hair",
    "face",
)
"""What the 12 items of CharInfo are."""

Visible = Annotated[tuple[int, ...], Several(len(VISIBLE_PAPERDOLL))]

NOTHING_WORN: Final = (0,) * len(VISIBLE_PAPERDOLL)


@from_server
class UserInfo(Message):
    """The client's own character; the first one takes it off the loading screen."""

    x: D
    y: D
    z: D
    _vehicle: ClassVar[Constant] = zeros(4)
    object_id: D
    name: S
    race: D
    sex: D
    base_class: D
    level: D
    exp: Q
    strength: D
    dexterity: D
    constitution: D
    intelligence: D
    wit: D
    mentality: D
    max_hp: D
    hp: D
    max_mp: D
    mp: D
    sp: D
    load: D
    max_load: D
    armed: Annotated[D, "20: bare hands, 40: a weapon"] = 20
    paperdoll_objects: Paperdoll = EMPTY_PAPERDOLL
    paperdoll_items: Paperdoll = EMPTY_PAPERDOLL
    _unused_1: ClassVar[Constant] = zeros(28)
    weapon_augmentation: D = 0
    _unused_2: ClassVar[Constant] = zeros(24)
    both_hands_augmentation: D = 0
    _unused_3: ClassVar[Constant] = zeros(8)
    p_atk: D = 1
    p_atk_spd: D = 300
    p_def: D = 1
    evasion: D = 0
    accuracy: D = 0
    critical: D = 0
    m_atk: D = 1
    m_atk_spd: D = 333
    p_atk_spd_again: D = 300
    m_def: D = 1
    pvp_flag: D = 0
    karma: D = 0
    run_speed: Annotated[D, "units per second, before the multiplier"] = 115
    walk_speed: D = 80
    swim_run_speed: D = 50
    swim_walk_speed: D = 50
    float_run_speed: D = 0
    float_walk_speed: D = 0
    fly_run_speed: D = 0
    fly_walk_speed: D = 0
    move_multiplier: F = 1.0
    attack_speed_multiplier: F = 1.0
    collision_radius: F = 9.0
    collision_height: F = 23.0
    hair_style: D = 0
    hair_color: D = 0
    face: D = 0
    builder_level: Annotated[D, "above 0: the client sends commands of the staff"] = 0
    title: S = ""
    clan_id: D = 0
    clan_crest_id: D = 0
    ally_id: D = 0
    ally_crest_id: D = 0
    relation: D = 0
    mount: C8 = 0
    private_store: C8 = 0
    can_craft: C8 = 0
    pk_kills: D = 0
    pvp_kills: D = 0
    cubics: Annotated[tuple[int, ...], numbers(2, 2)] = ()
    looking_for_party: C8 = 0
    abnormal_mask: D = 0
    _unused_4: ClassVar[Constant] = zeros(1)
    clan_privileges: D = 0
    recommendations_left: H = 0
    recommendations: H = 0
    mount_npc_id: Annotated[D, "plus 1000000, 0: none"] = 0
    inventory_limit: H = 80
    class_id: D = 0
    _unused_5: ClassVar[Constant] = zeros(4)
    max_cp: D = 0
    cp: D = 0
    enchant_glow: C8 = 0
    team: Annotated[C8, "1: blue, 2: red"] = 0
    large_clan_crest_id: D = 0
    noble: C8 = 0
    hero: C8 = 0
    fishing: C8 = 0
    fish_x: D = 0
    fish_y: D = 0
    fish_z: D = 0
    name_color: D = WHITE
    running: C8 = 1
    pledge_class: D = 0
    pledge_type: D = 0
    title_color: D = TITLE_COLOR
    cursed_weapon_level: D = 0


@from_server
class CharInfo(Message):
    """Another player."""

    x: D
    y: D
    z: D
    _vehicle: ClassVar[Constant] = zeros(4)
    object_id: D
    name: S
    race: D
    sex: D
    base_class: D
    items: Annotated[Visible, "ids of what is worn"] = NOTHING_WORN
    _unused_1: ClassVar[Constant] = zeros(8)
    weapon_augmentation: D = 0
    _unused_2: ClassVar[Constant] = zeros(24)
    both_hands_augmentation: D = 0
    _unused_3: ClassVar[Constant] = zeros(8)
    pvp_flag: D = 0
    karma: D = 0
    m_atk_spd: D = 333
    p_atk_spd: D = 300
    pvp_flag_again: D = 0
    karma_again: D = 0
    run_speed: Annotated[D, "units per second, before the multiplier"] = 115
    walk_speed: D = 80
    swim_run_speed: D = 50
    swim_walk_speed: D = 50
    float_run_speed: D = 0
    float_walk_speed: D = 0
    fly_run_speed: D = 0
    fly_walk_speed: D = 0
    move_multiplier: F = 1.0
    attack_speed_multiplier: F = 1.0
    collision_radius: F = 9.0
    collision_height: F = 23.0
    hair_style: D = 0
    hair_color: D = 0
    face: D = 0
    title: S = ""
    clan_id: D = 0
    clan_crest_id: D = 0
    ally_id: D = 0
    ally_crest_id: D = 0
    _unused_4: ClassVar[Constant] = zeros(4)
    standing: Annotated[C8, "0: sits"] = 1
    running: C8 = 1
    in_combat: C8 = 0
    dead: C8 = 0
    invisible: C8 = 0
    mount: C8 = 0
    private_store: C8 = 0
    cubics: Annotated[tuple[int, ...], numbers(2, 2)] = ()
    looking_for_party: C8 = 0
    abnormal_mask: D = 0
    recommendations_left: C8 = 0
    recommendations: H = 0
    class_id: D = 0
    max_cp: D = 0
    cp: D = 0
    enchant_glow: C8 = 0
    team: Annotated[C8, "1: blue, 2: red"] = 0
    large_clan_crest_id: D = 0
    noble: C8 = 0
    hero: C8 = 0
    fishing: C8 = 0
    fish_x: D = 0
    fish_y: D = 0
    fish_z: D = 0
    name_color: D = WHITE
    heading: D = 0
    pledge_class: D = 0
    pledge_type: D = 0
    title_color: D = TITLE_COLOR
    cursed_weapon_level: D = 0


@from_server
class RelationChanged(Message):
    """The relation of another player to the client's own."""

    object_id: D
    relation: D = 0
    auto_attackable: D = 0
    karma: D = 0
    pvp_flag: D = 0


@from_server
class NpcInfo(Message):
    """A mobile that nobody plays, or one whose game has no bodies like the client's. An empty name or title:
    the client shows its own for that kind."""

    object_id: D
    npc_id: Annotated[D, "plus 1000000; the client must know it"]
    attackable: D
    x: D
    y: D
    z: D
    heading: D
    _unused_1: ClassVar[Constant] = zeros(4)
    m_atk_spd: D = 333
    p_atk_spd: D = 278
    run_speed: Annotated[D, "units per second, before the multiplier"] = 120
    walk_speed: D = 80
    swim_run_speed: D = 50
    swim_walk_speed: D = 50
    float_run_speed: D = 0
    float_walk_speed: D = 0
    fly_run_speed: D = 0
    fly_walk_speed: D = 0
    move_multiplier: F = 1.0
    attack_speed_multiplier: F = 1.0
    collision_radius: F = 9.0
    collision_height: F = 23.0
    right_hand: D = 0
    chest: D = 0
    left_hand: D = 0
    name_above: C8 = 1
    running: C8 = 0
    in_combat: C8 = 0
    dead: C8 = 0
    summoned: Annotated[C8, "2: it appears with a show"] = 0
    name: S = ""
    title: S = ""
    title_color: D = 0
    pvp_flag: D = 0
    karma: D = 0
    abnormal_mask: D = 0
    clan_id: D = 0
    clan_crest_id: D = 0
    ally_id: D = 0
    ally_crest_id: D = 0
    in_water: Annotated[C8, "1: swims, 2: flies"] = 0
    team: Annotated[C8, "1: blue, 2: red"] = 0
    collision_radius_again: F = 9.0
    collision_height_again: F = 23.0
    enchant_glow: D = 0
    flying: D = 0
    # Recorded traffic of the original servers has two more numbers than L2J's servers send.
    _unused_2: ClassVar[Constant] = zeros(8)


class FenceState(enum.IntEnum):
    """The values of `state` of a fence."""

    NOTHING = 0
    POSTS = 1
    CLOSED = 2
    """Posts, and rails between them."""


@from_server
class ExColosseumFenceInfo(Message):
    """A fence stands there: a rectangle around its middle with a post at each corner. It cannot be targeted;
    DeleteObject takes it away."""

    object_id: D
    state: Annotated[D, "FenceState"]
    x: D
    y: D
    z: D
    width: Annotated[D, "from west to east"]
    length: Annotated[D, "from north to south"]


@from_server
class DeleteObject(Message):
    """Somebody or something is out of sight, or gone."""

    object_id: D
    _unused: ClassVar[Constant] = zeros(4)
