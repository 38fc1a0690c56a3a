"""Parts of a mobile: groups of attributes that only some mobiles have, so that a rat carries no journal.

A part is a plain record; a mobile that does without has None in its place. There are no kinds of mobiles
beside these: a mobile that fights has a `fighter`, whatever it is. A part reports its changes to its mobile,
but holds it by a weak reference only: rings are found by a full collection only.

The stored attributes of a part are one row of a table of its name (of a learner's skills one row each), which
is only written when something of the part has changed.
"""

from __future__ import annotations

import enum
import weakref
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

import attrs

from world.delta import Attribute, Marked, MobileDelta, tracked
from world.skills import ATTRIBUTES
from world.stored import stored

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.content import Content
    from world.offers import Catalogue, Shop
    from world.paths import Search
    from world.timers import Timer

T = TypeVar("T")
P = TypeVar("P", bound="Part")


class Whole(Marked, Protocol):
    """Owner of parts: a mobile."""

    parts_changed: bool


@attrs.define(eq=False)
class Part:
    """Base of all parts: their owner, and whether the store has their latest values."""

    _owner: weakref.ReferenceType[Whole] | None = attrs.field(default=None, init=False, repr=False)
    changed: bool = attrs.field(default=False, init=False, repr=False)
    """Whether a row has to be written of it."""

    def mark(self, flag: int) -> None:
        """Note a change for viewers and store."""
        self.changed = True
        owner = self._owner() if self._owner is not None else None
        if owner is not None:
            owner.parts_changed = True
            owner.mark(flag)

    def touch(self) -> None:
        """Note a change for the store only."""
        self.changed = True
        owner = self._owner() if self._owner is not None else None
        if owner is not None:
            owner.parts_changed = True
            owner.touch()


@attrs.define(eq=False)
class Fighter(Part):
    """Attributes of a mobile that can fight, and the state of its fight. (PLAY, "What a being is made of")"""

    _strength: int = attrs.field(default=10, metadata=stored())
    _dexterity: int = attrs.field(default=10, metadata=stored())
    _intelligence: int = attrs.field(default=10, metadata=stored())
    _vitality: int = attrs.field(default=10, metadata=stored())
    _war: bool = False
    swing_at: float = 0.0
    """The world time from which on it may strike again."""
    enemy: int = 0
    """Serial of whom it strikes, blow after blow; 0: nobody. What it aims at is `Mobile.target`."""
    swing: Timer | None = attrs.field(default=None, repr=False)
    """Runs when the next blow is due."""

    strength = tracked("_strength", MobileDelta.STAT, int)
    dexterity = tracked("_dexterity", MobileDelta.STAT, int)
    intelligence = tracked("_intelligence", MobileDelta.STAT, int)
    vitality = tracked("_vitality", MobileDelta.STAT, int)
    war = tracked("_war", MobileDelta.FLAGS, bool)


class Lock:
    """Direction in which a skill or an attribute changes by use; Ultima Online's numbers."""

    UP: Final = 0
    DOWN: Final = 1
    FIXED: Final = 2


@attrs.define
class Skill:
    """Value of a skill, in tenths of a point, and whether it may change."""

    value: int = attrs.field(default=0, metadata=stored())
    lock: int = attrs.field(default=Lock.UP, metadata=stored())


@attrs.define(eq=False)
class Learner(Part):
    """Level, experience and skills of a mobile that gets better at things."""

    _level: int = attrs.field(default=0, metadata=stored())
    _experience: int = attrs.field(default=0, metadata=stored(wide=True))
    _points: int = attrs.field(default=0, metadata=stored())
    """Points that may be spent on attributes."""
    strength_lock: int = attrs.field(default=Lock.UP, metadata=stored())
    dexterity_lock: int = attrs.field(default=Lock.UP, metadata=stored())
    intelligence_lock: int = attrs.field(default=Lock.UP, metadata=stored())
    skills: dict[str, Skill] = attrs.field(factory=dict)
    """By name; what is not in it is 0. Changed by `learn` and `lock`, as are the locks of attributes."""

    # The level sets the caps of the skills.
    level = tracked("_level", MobileDelta.STAT | MobileDelta.SKILLS, int)
    experience = tracked("_experience", MobileDelta.STAT, int)
    points = tracked("_points", MobileDelta.STAT, int)

    def learn(self, name: str, value: int) -> None:
        """Set a skill, in tenths."""
        self.skills.setdefault(name, Skill()).value = value
        self.mark(MobileDelta.SKILLS)

    def lock(self, name: str, lock: int) -> None:
        """Set whether a skill or an attribute may rise or fall (`Lock`). The client receives it even if it
        was so before: it may have drawn something else."""
        if name in ATTRIBUTES:
            setattr(self, f"{name}_lock", lock)
        else:
            self.skills.setdefault(name, Skill()).lock = lock
        self.mark(MobileDelta.SKILLS)


@attrs.define(eq=False)
class Caster(Part):
    """Mana and spells of a mobile that casts."""

    _mana: int = attrs.field(default=50, metadata=stored())
    _mana_max: int = attrs.field(default=50, metadata=stored())
    casting: str = ""
    """The spell that is being cast; empty if none is."""
    reuse: dict[str, float] = attrs.field(factory=dict)
    """The world time from which on each spell may be cast again."""

    mana = tracked("_mana", MobileDelta.MANA, int)
    mana_max = tracked("_mana_max", MobileDelta.MANA, int)


@attrs.define(eq=False)
class Effects(Part):
    """Changes that end by themselves: until when, in world time, by name."""

    running: dict[str, float] = attrs.field(factory=dict)


class Mood(enum.Enum):
    """Intent of a creature."""

    IDLE = "idle"
    """It is at home: it wanders, looks around, or sleeps."""
    CHASE = "chase"
    FLEE = "flee"
    HOME = "home"
    """It has given up and goes back."""


@attrs.define(eq=False)
class Brain(Part):
    """Home and enemy of a creature that acts by itself; see `world.brains`."""

    home_x: int = 0
    home_y: int = 0
    roam: tuple[int, int, int, int] = (0, 0, 0, 0)
    """The tiles on which it wanders: left, top, right and bottom, edges included."""
    mood: Mood = Mood.IDLE
    enemy: int = 0
    """The serial of whom it is after, or flees from; 0 if nobody."""
    path: list[tuple[int, int]] = attrs.field(factory=list, repr=False)
    """The tiles that lie before it, the next one last."""
    search: Search | None = attrs.field(default=None, repr=False)
    """A way that it waits for."""
    until: float = 0.0
    """World time: while it flees, when that ends; at home, before when it notices nobody."""
    stuck: int = 0
    """How often there was no way to where it wanted to go."""
    timer: Timer | None = attrs.field(default=None, repr=False)
    """Runs when it thinks again; None while it sleeps."""


@attrs.define
class Shelf:
    """Pieces of one ware that are left, as of a world time; what is missing comes back from then on."""

    left: int
    since: float


@attrs.frozen(eq=False)
class Showcase:
    """Lists of a vendor as they are until a world time, if until then nobody buys or sells and neither its
    shop nor the content becomes another."""

    catalogue: Catalogue
    shop: Shop
    content: Content
    until: float


@attrs.define(eq=False)
class Merchant(Part):
    """Stock of a vendor, by item template; what is not in it has not been touched. Never stored."""

    stock: dict[str, Shelf] = attrs.field(factory=dict)
    showcase: Showcase | None = attrs.field(default=None, repr=False)
    """Its lists, if somebody has asked since they changed."""


@attrs.define
class Progress:
    """Progress of a character with one quest. Times are in seconds UTC
    (`world.journals.calendar`)."""

    step: str = attrs.field(default="", metadata=stored())
    """Key of the step that is to be done; empty if the quest is not open."""
    count: int = attrs.field(default=0, metadata=stored())
    """How much of the step is done."""
    chosen: str = attrs.field(default="", metadata=stored())
    """The steps that were chosen, the letter that was given (its serial), and whether it was read, parted by
    blanks."""
    begun_at: float = attrs.field(default=0.0, metadata=stored())
    step_at: float = attrs.field(default=0.0, metadata=stored())
    """When the step became the one to be done."""
    finished_at: float = attrs.field(default=0.0, metadata=stored())
    """When it was finished last; 0 if it never was."""
    times: int = attrs.field(default=0, metadata=stored())
    """How often it was finished."""


@attrs.define(eq=False)
class Journal(Part):
    """Quests of a character, by key: those that are open, those that are done, and those it was offered once
    and did not want."""

    quests: dict[str, Progress] = attrs.field(factory=dict)
    """Changed by `world.quests` only, which touches the part then."""
    timer: Timer | None = attrs.field(default=None, repr=False)
    """Runs while a step goes by place or time."""
    again: Timer | None = attrs.field(default=None, repr=False)
    """Waits for the moment at which one of those that are done can be begun anew."""


@attrs.define
class Mark:
    """A fact about a character; one that holds no more keeps its row."""

    borne: bool = attrs.field(default=True, metadata=stored())


@attrs.define(eq=False)
class Marks(Part):
    """Facts about a character that last, by name: what it has done or promised."""

    marks: dict[str, Mark] = attrs.field(factory=dict)

    def has(self, name: str) -> bool:
        """Whether the character bears a mark."""
        mark = self.marks.get(name)
        return mark is not None and mark.borne

    def set(self, name: str, borne: bool) -> None:
        """Let the character bear a mark, or bear it no more."""
        self.marks.setdefault(name, Mark()).borne = borne
        self.touch()


@attrs.define(eq=False)
class Duel:
    """A fight by consent: one object that both hold, with their serials. See `world.duels`."""

    first: int
    second: int
    struck_down: Callable[[int, int], None] = attrs.field(repr=False)
    """Called with the serials of the loser and the winner when a blow has left one hit."""
    begun: bool = False
    """Whether the blows between both are lawful; else the seconds are counted."""
    until: float = 0.0
    """World time at which nobody has won."""
    timer: Timer | None = attrs.field(default=None, repr=False)

    def other_of(self, serial: int) -> int:
        """The serial of the other one."""
        return self.second if serial == self.first else self.first


def bind(part: P, owner: Whole) -> P:
    """Give a part to its mobile, to which it reports its changes from now on. Returns the part."""
    part._owner = weakref.ref(owner)
    return part


def held(part: str, name: str, make: type[Part], kind: type[T]) -> Attribute[T]:
    """Make an attribute of a mobile that reads and writes one of a part. Without that part it has the value
    of a new one; setting another value makes the part."""
    plain: T = getattr(make(), name)

    def read(thing: Whole) -> T:
        found = getattr(thing, part)
        if found is None:
            return plain
        value: T = getattr(found, name)  # no `cast`: it is asked for with every step, and that is a call
        return value

    def write(thing: Whole, value: T) -> None:
        found = getattr(thing, part)
        if found is None:
            if value == plain:
                return
            found = bind(make(), thing)
            setattr(thing, part, found)
        setattr(found, name, value)

    return cast("Attribute[T]", property(read, write))
