"""Things that move by themselves: characters and the realm's residents."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import attrs

from world.delta import MobileDelta, tracked
from world.heading import SOUTH
from world.item import Layer
from world.thing import Thing

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.content import MobileTemplate
    from world.dialogs import Dialog
    from world.hands import Hand
    from world.item import Item
    from world.space import Eyes
    from world.timers import Timer


class Notoriety:
    """How others regard a mobile. Ultima Online's numbers, which the other games fold into their own."""

    INNOCENT = 1
    ALLY = 2
    ATTACKABLE = 3
    CRIMINAL = 4
    ENEMY = 5
    MURDERER = 6
    INVULNERABLE = 7


class Posture:
    """How a mobile holds itself."""

    STANDING = 0
    CHAIR = 1
    FLOOR = 2


class Access:
    """Who may give which orders; UO's names, ascending."""

    PLAYER = 0
    COUNSELOR = 1
    GAME_MASTER = 2
    SEER = 3
    ADMIN = 4
    DEVELOPER = 5
    OWNER = 6

    NAMES = ("player", "counselor", "gamemaster", "seer", "admin", "developer", "owner")


@attrs.frozen
class Journey:
    """A straight way that a mobile goes by itself, tile by tile, and where it ends; see
    `world.motion.travel`."""

    x: int
    y: int
    run: bool
    arrived: Callable[[], None] | None = attrs.field(default=None, repr=False)
    """Called when it is there; not if it was stopped on the way."""


@attrs.define
class Gait:
    """How fast one mobile may go: milliseconds per tile. `next_at` is the world time at which the next tile
    is due, `queue` the steps its client sent too early; see `world.motion`.
    """

    walk_ms: int = 400
    run_ms: int = 200
    next_at: float = 0.0
    queue: deque[Callable[[], None]] = attrs.field(factory=deque, repr=False)
    timer: Timer | None = attrs.field(default=None, repr=False)
    """Runs when the first of the queue is due."""
    journey: Journey | None = None
    """Where it is on its way to by itself; the steps of that are the queue."""


@attrs.define(eq=False)
class Mobile(Thing):
    """One character or resident. `account` is 0 for residents. Heading is one of the eight of
    `world.heading`."""

    template: MobileTemplate = attrs.field(kw_only=True)
    account: int = 0
    heading: int = SOUTH
    running: bool = False
    _female: bool = False
    _hair: int = 0
    """Hair style 0..20, 0 is bald; the games map it to theirs."""
    _hair_hue: int = 1102
    """1102..1149, Ultima Online's hair hues; the games map it to their palettes."""
    _beard: int = 0
    _skin_hue: int = 1002
    """1002..1058, Ultima Online's skin hues."""
    _title: str = ""
    _hits: int = 50
    _hits_max: int = 50
    _mana: int = 50
    _mana_max: int = 50
    _stam: int = 50
    _stam_max: int = 50
    _strength: int = 10
    _dexterity: int = 10
    _intelligence: int = 10
    _level: int = 0
    _experience: int = 0
    _dead: bool = False
    _war: bool = False
    _hidden: bool = False
    _posture: int = Posture.STANDING
    _notoriety: int = Notoriety.INNOCENT
    access: int = Access.PLAYER
    """Set from the account when a character enters; never stored with the character."""
    online: bool = False
    """Whether a client plays it; a character without one lingers."""
    _game: str = ""
    """Through which game its player came last; empty for residents. Never stored."""
    hears_global: bool = True
    """Whether its player listens to the global chat. Never stored: it begins anew with every client."""
    takes_gifts: bool = True
    """Whether others may hand it things. Never stored, as `hears_global`."""
    created_at: float = 0.0
    gait: Gait = attrs.field(factory=Gait)
    worn: dict[int, Item] = attrs.field(factory=dict, repr=False)
    """What it wears, by layer; at most one item each."""
    hand: Hand | None = attrs.field(default=None, repr=False)
    """What it has lifted and not yet put down; see `world.hands`."""
    eyes: Eyes | None = attrs.field(default=None, repr=False)
    """Through which a client sees what is around this mobile."""
    dialogs: dict[int, Dialog] = attrs.field(factory=dict, repr=False)
    """Open questions to its player, by serial."""

    female = tracked("_female", MobileDelta.BODY, bool)
    hair = tracked("_hair", MobileDelta.HAIR, int)
    hair_hue = tracked("_hair_hue", MobileDelta.HAIR, int)
    beard = tracked("_beard", MobileDelta.FACIAL_HAIR, int)
    skin_hue = tracked("_skin_hue", MobileDelta.HUE, int)
    title = tracked("_title", MobileDelta.PROPERTIES, str)
    hits = tracked("_hits", MobileDelta.HITS, int)
    hits_max = tracked("_hits_max", MobileDelta.HITS, int)
    mana = tracked("_mana", MobileDelta.MANA, int)
    mana_max = tracked("_mana_max", MobileDelta.MANA, int)
    stam = tracked("_stam", MobileDelta.STAM, int)
    stam_max = tracked("_stam_max", MobileDelta.STAM, int)
    strength = tracked("_strength", MobileDelta.STAT, int)
    dexterity = tracked("_dexterity", MobileDelta.STAT, int)
    intelligence = tracked("_intelligence", MobileDelta.STAT, int)
    level = tracked("_level", MobileDelta.STAT, int)
    experience = tracked("_experience", MobileDelta.STAT, int)
    dead = tracked("_dead", MobileDelta.BODY, bool)
    war = tracked("_war", MobileDelta.FLAGS, bool)
    hidden = tracked("_hidden", MobileDelta.FLAGS, bool)
    posture = tracked("_posture", MobileDelta.POSTURE, int)
    notoriety = tracked("_notoriety", MobileDelta.NOTO, int)
    game = tracked("_game", MobileDelta.GAME, str)

    @property
    def is_character(self) -> bool:
        """Whether an account owns it."""
        return self.account != 0

    @property
    def held(self) -> Item | None:
        """What it has lifted and not yet put down. Its `parent` is this mobile, its layer 0."""
        return self.hand.item if self.hand is not None else None

    @property
    def backpack(self) -> Item | None:
        """The pack on its back."""
        return self.worn.get(Layer.BACKPACK)
