"""Mobiles: things that move by themselves, characters and the realm's residents, and the records of their
state.

A mobile is state and nothing else: the rules that change it stand in modules of their own (`world.motion`,
`world.hands`, `world.life` ...), because everything in a world has to do with mobiles and a class with all of
it would be the longest of the program. Attributes that viewers see are `tracked`: setting one flags the
change and queues the mobile (`world.delta`). Numbers that only some mobiles have are in parts
(`world.parts`), which `held` shows as attributes here. The small records before the class are its state while
something goes on: a journey, a dialog, an item in the hand, a recovery. They hold mobiles and items
themselves and not serials, so that a rule needs no look-up; `World.leave` unties them.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, ClassVar, Final

import attrs

from world.delta import MobileDelta, tracked
from world.dialog import NEVER_MIND, Button, Draft, Input, Reply, type_id
from world.heading import SOUTH
from world.item import Layer
from world.parts import Caster, Fighter, Learner, bind, held
from world.stored import stored
from world.thing import Thing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from world.bargain import Trade
    from world.companions import Party
    from world.content import MobileTemplate, Resident, Spawner
    from world.guild import Guild
    from world.item import Item, Remains
    from world.parts import Brain, Duel, Effects, Journal, Marks, Merchant
    from world.paths import Search
    from world.realm import Realm
    from world.space import Sight
    from world.timers import Timer


class Notoriety:
    """Regard of others for a mobile. Ultima Online's numbers, which the other games fold into their own."""

    INNOCENT = 1
    ALLY = 2
    ATTACKABLE = 3
    CRIMINAL = 4
    ENEMY = 5
    MURDERER = 6
    INVULNERABLE = 7


class Posture:
    """Posture of a mobile's body."""

    STANDING = 0
    CHAIR = 1
    FLOOR = 2


class Access:
    """Access levels of staff, ascending; UO's names. Commands name the least level that may give them."""

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
    """A way that a mobile goes by itself, tile by tile, one straight part after the other; see
    `world.journeys`. `x`, `y` is where the part ends on which it is."""

    x: int
    y: int
    run: bool
    goal: tuple[int, int]
    """Where it ends at last, as far as one can get to where it was wanted."""
    aim: Aim = attrs.field(repr=False)
    rest: tuple[Sequence[tuple[int, int]], ...] = attrs.field(default=(), repr=False)
    """The tiles of all straight parts to come."""


@attrs.frozen
class Aim:
    """Why a mobile is on its way: the tile that was asked for, and what is done at the end of it."""

    x: int
    y: int
    run: bool
    near: Callable[[int, int], bool] | None = None
    """Whether a tile is near enough to that one, so that it goes no farther."""
    ended: Callable[[bool], None] | None = None
    """Called when it is there, with whether that is where it was to go; not if it was stopped on the way."""


@attrs.define(eq=False)
class Seeking:
    """A way that is looked for: why, and the search once it has begun."""

    aim: Aim
    search: Search | None = None


UNDER_WAY: Final = 10.0
"""Seconds that what the world does to a mobile may take to be known to its client: a slow line."""


@attrs.define
class Gait:
    """Pace of one mobile, in milliseconds per tile. `next_at` is the world time at which the next tile is
    due, `queue` the steps its client sent too early; see `world.motion`."""

    walk_ms: int = 400
    run_ms: int = 200
    next_at: float = 0.0
    queue: deque[Callable[[], None]] = attrs.field(factory=deque, repr=False)
    timer: Timer | None = attrs.field(default=None, repr=False)
    """Runs when the first of the queue is due."""
    complains_at: float = 0.0
    """World time from which its player may read again that it carries too much."""
    explains_at: float = 0.0
    """World time from which its player may read again that there is no way."""
    catches_up_until: float = 0.0
    """World time until which any lateness may be made up: the server stood still, its client walked on."""
    crosses_until: float = 0.0
    """World time until which its client may turn without having heard that the world turned it."""
    tiles_run: int = 0
    """Since running last took stamina."""
    journey: Journey | None = None
    """Where it is on its way to by itself; the steps of that are the queue."""
    seeking: Seeking | None = attrs.field(default=None, repr=False)
    """A way for it that is looked for now; it goes on as before meanwhile."""


@attrs.define
class Lines:
    """World times of a speaker's latest lines, and whether it received the warning that it speaks too fast;
    see `world.speech`."""

    times: deque[float] = attrs.field(factory=deque)
    told: bool = False


@attrs.define
class Recovery:
    """Recovery of a mobile that misses points: of hits, mana and stamina each the world time when some are
    due (0 if none are missing) and the part of a point gained so far; and the timer."""

    due: list[float] = attrs.field(factory=lambda: [0.0, 0.0, 0.0])
    part: list[float] = attrs.field(factory=lambda: [0.0, 0.0, 0.0])
    timer: Timer | None = None


@attrs.define
class Poison:
    """Poison in a mobile: hits that it takes each time, how often yet, and the serial of whose it is; see
    `world.ailments`."""

    venom: int
    left: int = 0
    by: int = 0
    timer: Timer | None = None


@attrs.define
class Dressing:
    """Wounds that a mobile is about to dress: whose (a serial, because two may dress each other's), whether
    of a ghost, and from where; see `world.healing`."""

    patient: int
    hits: int
    dead: bool
    x: int
    y: int
    until: float
    timer: Timer | None = None


@attrs.define(eq=False)
class Hand:
    """An item in a mobile's hand, and its place before: the ground (`realm`, x, y, z), a container (`parent`
    is an Item, x and y its slot) or a body (`parent` is a Mobile)."""

    item: Item
    parent: Item | Mobile | None
    realm: Realm | None
    x: int
    y: int
    z: int
    rest: Item | None = None
    """What stayed behind of a stack that was split."""
    fell: Remains | None = None
    """Of whom the corpse was that it had fallen out of."""


class Viewport:
    """A client's view of the world from its mobile. `key` is the id of its session.

    The square of tiles in sight is kept here and not worked out from the mobile: a step compares it with the
    tile of every mobile nearby. Only `Space` changes it, whenever the mobile or its sight did.
    """

    __slots__ = ("bottom", "inner", "key", "left", "mobile", "reach", "registered", "right", "sight", "top")

    def __init__(self, key: int, mobile: Mobile, sight: Sight) -> None:
        self.key = key
        self.mobile = mobile
        self.sight = sight
        self.left = self.top = 0
        self.right = self.bottom = -1
        self.reach: tuple[int, int, int, int] | None = None
        """Sectors it is registered in: x0, y0, x1, y1 inclusive."""
        self.inner: tuple[int, int, int, int] | None = None
        """Those of them of which it sees each tile."""
        self.registered: Sight | None = None
        """With which sight."""

    def covers(self, x: int, y: int) -> bool:
        """Whether a tile of the mobile's own realm is in the field of view."""
        if self.left <= x <= self.right and self.top <= y <= self.bottom:
            tiles = self.sight.tiles
            return tiles is None or (x - self.mobile.x, y - self.mobile.y) in tiles
        return False

    def sees(self, thing: Thing) -> bool:
        """Whether a thing other than the mobile itself is to be shown."""
        mobile = self.mobile
        return (
            thing.realm is mobile.realm
            and thing.realm is not None
            and thing is not mobile
            and self.covers(thing.x, thing.y)
            and not thing.hidden
        )


@attrs.frozen
class Dialog:
    """An open question to a player. `asker` is the mobile that asks, if one does; it has to be near when the
    answer comes, unless the question goes `anywhere`. `more`: the pages behind the text. `about`: the key of
    what it is about, which stays the same however that is called: of a quest; empty if it is of none."""

    serial: int
    name: str
    title: str
    text: str
    buttons: Sequence[Button]
    answered: Callable[[Mobile, Reply], object] = attrs.field(repr=False)
    asker: Mobile | None = None
    anywhere: bool = False
    more: Sequence[str] = ()
    inputs: Sequence[Input] = ()
    about: str = ""
    draft: Draft = attrs.field(factory=Draft)

    @property
    def type_id(self) -> int:
        """The stable id of this kind of dialog."""
        return type_id(self.name)

    @property
    def pages(self) -> Sequence[str]:
        """All of its text."""
        return (self.text, *self.more)

    @property
    def closing(self) -> Button:
        """The answer that closes the dialog, with the dialog's own label for it."""
        return next((button for button in self.buttons if not button.number), NEVER_MIND)


@attrs.frozen(eq=False)
class Visit:
    """A player at the counter of a resident. `service`: "shop" or "vault". `prices`: what it was shown, by
    item template: the price that is asked, and the one that is paid (None: it is not sold, or not bought)."""

    host: Mobile
    service: str
    prices: Mapping[str, tuple[int | None, int | None]] = attrs.field(factory=dict)

    def at(self, host: int, service: str) -> bool:
        """Whether it is this service that is had, and of the resident of that serial."""
        return self.service == service and self.host.serial == host


@attrs.define(eq=False)
class Mobile(Thing):
    """One character or resident. `account` is 0 for residents. Heading is one of the eight of
    `world.heading`."""

    # Of numbers views show bars and levels at most, and ask for these anew.
    LOOKS: ClassVar[int] = ~(
        MobileDelta.ATTRIBUTES | MobileDelta.STAT | MobileDelta.SKILLS | MobileDelta.WEIGHT | MobileDelta.GAME
    )

    template: MobileTemplate = attrs.field(kw_only=True, metadata=stored("template.key", str))
    account: int = attrs.field(default=0, metadata=stored(fixed=True))
    short_name: str = attrs.field(default="", metadata=stored(fixed=True, length=32))
    """A character's name for clients that cannot show it (`world.names`)."""
    heading: int = attrs.field(default=SOUTH, metadata=stored())
    running: bool = False
    _female: bool = attrs.field(default=False, metadata=stored())
    _hair: int = attrs.field(default=0, metadata=stored())
    """Hair style 0..20, 0 is bald; the games map it to theirs."""
    _hair_hue: int = attrs.field(default=1102, metadata=stored())
    """1102..1149, Ultima Online's hair hues; the games map it to their palettes."""
    _beard: int = attrs.field(default=0, metadata=stored())
    _skin_hue: int = attrs.field(default=1002, metadata=stored())
    """1002..1058, Ultima Online's skin hues."""
    _title: str = attrs.field(default="", metadata=stored())
    _hits: int = attrs.field(default=50, metadata=stored())
    _hits_max: int = attrs.field(default=50, metadata=stored())
    _stam: int = attrs.field(default=50, metadata=stored())
    _stam_max: int = attrs.field(default=50, metadata=stored())
    _dead: bool = attrs.field(default=False, metadata=stored())
    _hidden: bool = attrs.field(default=False, metadata=stored())
    _posture: int = Posture.STANDING
    _notoriety: int = attrs.field(default=Notoriety.INNOCENT, metadata=stored())
    access: int = Access.PLAYER
    """Set from the account when a character enters; never stored with the character."""
    online: bool = False
    """Whether a client plays it; a character without one lingers."""
    _target: int = 0
    """Serial of what its player aims at, 0 for nothing. Never stored."""
    _game: str = ""
    """Through which game its player came last; empty for residents. Never stored."""
    opens_corpses: bool = True
    """Whether its player's game has a way to look into corpses; else what was in them falls to the ground.
    Never stored, as `game`."""
    windows: frozenset[str] = frozenset()
    """Services for which its player's game has windows of its own ("shop", "vault", "journal"); the others
    come as dialogs. Never stored, as `game`."""
    hears_global: bool = True
    """Whether its player listens to the global chat. Never stored: it begins anew with every client."""
    takes_gifts: bool = True
    """Whether others may hand it things. Never stored, as `hears_global`."""
    heard_from: int = 0
    """Serial of who last spoke to it alone; 0: nobody. Never stored, as `hears_global`."""
    created_at: float = attrs.field(default=0.0, metadata=stored(fixed=True))
    spoken: dict[str, Lines] | None = attrs.field(default=None, repr=False)
    """What it said lately, by kind of limit; None until it speaks."""
    parts_changed: bool = False
    """Whether the store has to hear of one of its parts; each knows whether of itself."""
    fighter: Fighter | None = attrs.field(default=None, repr=False)
    learner: Learner | None = attrs.field(default=None, repr=False)
    caster: Caster | None = attrs.field(default=None, repr=False)
    effects: Effects | None = attrs.field(default=None, repr=False)
    brain: Brain | None = attrs.field(default=None, repr=False)
    merchant: Merchant | None = attrs.field(default=None, repr=False)
    vault: Item | None = attrs.field(default=None, repr=False)
    """What lies in the bank for it; None as long as nothing ever did. See `world.vaults`."""
    visit: Visit | None = attrs.field(default=None, repr=False)
    """At whose counter it stands."""
    trade: Trade[Mobile] | None = attrs.field(default=None, repr=False)
    """In which it trades with another player; see `world.trade`."""
    journal: Journal | None = attrs.field(default=None, repr=False)
    marks: Marks | None = attrs.field(default=None, repr=False)
    party: Party | None = attrs.field(default=None, repr=False)
    guild: Guild | None = attrs.field(default=None, repr=False)
    duel: Duel | None = attrs.field(default=None, repr=False)
    """While it fights another by consent, or is about to."""
    load: int | None = attrs.field(default=None, repr=False)
    """Stones of all that it carries; None when that has to be counted anew."""
    gait: Gait = attrs.field(factory=Gait)
    worn: dict[int, Item] = attrs.field(factory=dict, repr=False)
    """What it wears, by layer; at most one item each."""
    hand: Hand | None = attrs.field(default=None, repr=False)
    """What it has lifted and not yet put down; see `world.hands`."""
    viewport: Viewport | None = attrs.field(default=None, repr=False)
    onlookers: dict[int, None] = attrs.field(factory=dict, repr=False)
    """Keys of the viewports whose players were shown it, kept by `world.knowledge.Known`."""
    """Through which a client sees what is around this mobile."""
    dialogs: dict[int, Dialog] = attrs.field(factory=dict, repr=False)
    """Open questions to its player, by serial."""
    asking: dict[tuple[int, int], Mobile] = attrs.field(factory=dict, repr=False)
    """Whom it asks something, by the serials of who is asked and of the dialog; kept by `world.dialogs`."""
    recovery: Recovery | None = attrs.field(default=None, repr=False)
    """While it misses something; see `world.life`."""
    remedy_at: float = 0.0
    """World time from which something eaten, drunk or applied helps again."""
    _poisoned: bool = False
    """Whether poison takes its hits; see `world.ailments`. Never stored: who leaves is cured."""
    poison: Poison | None = attrs.field(default=None, repr=False)
    """While it is poisoned."""
    jail: Timer | None = attrs.field(default=None, repr=False)
    """While it is kept in jail; see `world.conduct`."""
    rescue: Timer | None = attrs.field(default=None, repr=False)
    """While it waits to be taken to where everybody begins; see `world.rescue`."""
    labour: Timer | None = attrs.field(default=None, repr=False)
    """While it gathers something; see `world.gathering`."""
    dressing: Dressing | None = attrs.field(default=None, repr=False)
    """While it dresses wounds, with a bandage."""
    _murders: int = attrs.field(default=0, metadata=stored())
    """Innocent players that it killed."""
    home_realm: str = attrs.field(default="", metadata=stored())
    """Where it has settled, by the name of the realm; empty: nowhere. See `world.lodging`."""
    home_x: int = attrs.field(default=0, metadata=stored())
    home_y: int = attrs.field(default=0, metadata=stored())
    home_at: float = 0.0
    """World time from which on it may go home by a word again."""
    criminal_until: float = 0.0
    """World time until which it is a criminal. Never stored."""
    aggressors: set[int] = attrs.field(factory=set, repr=False)
    """Serials of players that attacked it first, so that it may strike back; forgotten at its death."""
    assailant: bool = False
    """Whether it ever attacked a player since it came: newcomers are protected until they do."""
    wounds: dict[int, int] = attrs.field(factory=dict, repr=False)
    """Hits that each took from it, by serial, since it was last whole: who has a right to what it leaves."""
    fighting_until: float = 0.0
    """World time until which the last blow that it took counts as a fight."""
    stung: Callable[[Mobile], None] | None = attrs.field(default=None, repr=False)
    """Called with the attacker when it was struck at and lives; creatures answer by it."""
    slew: Callable[[Mobile], None] | None = attrs.field(default=None, repr=False)
    """Called with each dead creature in whose death it had a share; None unless it is after some."""
    after_death: Callable[[], None] | None = attrs.field(default=None, repr=False)
    """Called when it has died and left the world, which characters do not."""
    post: Resident | Spawner | None = attrs.field(default=None, repr=False)
    """The record of data/ by which it is in its realm; None if another brought it there."""

    female = tracked("_female", MobileDelta.BODY, bool)
    hair = tracked("_hair", MobileDelta.HAIR, int)
    hair_hue = tracked("_hair_hue", MobileDelta.HAIR, int)
    beard = tracked("_beard", MobileDelta.FACIAL_HAIR, int)
    skin_hue = tracked("_skin_hue", MobileDelta.HUE, int)
    title = tracked("_title", MobileDelta.PROPERTIES, str)
    hits = tracked("_hits", MobileDelta.HITS, int)
    hits_max = tracked("_hits_max", MobileDelta.HITS, int)
    stam = tracked("_stam", MobileDelta.STAM, int)
    stam_max = tracked("_stam_max", MobileDelta.STAM, int)
    dead = tracked("_dead", MobileDelta.BODY, bool)
    hidden = tracked("_hidden", MobileDelta.FLAGS, bool)
    posture = tracked("_posture", MobileDelta.POSTURE, int)
    notoriety = tracked("_notoriety", MobileDelta.NOTO, int)
    poisoned = tracked("_poisoned", MobileDelta.FLAGS, bool)
    murders = tracked("_murders", MobileDelta.NOTO, int)
    game = tracked("_game", MobileDelta.GAME, str)
    target = tracked("_target", MobileDelta.TARGET, int)

    # Of its parts; see `world.parts`.
    strength = held("fighter", "strength", Fighter, int)
    dexterity = held("fighter", "dexterity", Fighter, int)
    intelligence = held("fighter", "intelligence", Fighter, int)
    vitality = held("fighter", "vitality", Fighter, int)
    war = held("fighter", "war", Fighter, bool)
    level = held("learner", "level", Learner, int)
    experience = held("learner", "experience", Learner, int)
    mana = held("caster", "mana", Caster, int)
    mana_max = held("caster", "mana_max", Caster, int)

    def mark(self, flag: int) -> None:
        """Note a change for viewers and store; of what it carries the weight is counted anew."""
        if flag & MobileDelta.WEIGHT:
            self.load = None
        Thing.mark(self, flag)

    def endow(self) -> None:
        """Give the mobile the parts that every character has."""
        self.fighter = bind(self.fighter or Fighter(), self)
        self.learner = bind(self.learner or Learner(), self)
        self.caster = bind(self.caster or Caster(), self)

    @property
    def is_character(self) -> bool:
        """Whether an account owns it."""
        return self.account != 0

    @property
    def enemy(self) -> int:
        """Serial of whom it fights, blow after blow; 0 for nobody."""
        return self.fighter.enemy if self.fighter is not None and not self.dead else 0

    def has_role(self, role: str) -> bool:
        """Whether its kind has a role of `world.roles`, and does for others what that role says."""
        return role in self.template.roles

    @property
    def held(self) -> Item | None:
        """The item it has lifted and not yet put down. Its `parent` is this mobile, its layer 0."""
        return self.hand.item if self.hand is not None else None

    @property
    def backpack(self) -> Item | None:
        """The pack on its back."""
        return self.worn.get(Layer.BACKPACK)
