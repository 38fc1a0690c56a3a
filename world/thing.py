"""The base of mobiles and items (`Thing`), that of events (`Event`), and the world around (`Surroundings`).

Things know their world, and the world knows its things. So that modules stand in layers all the same, the
protocol `Surroundings` names here what the lower modules need of the higher: `world.world.World` alone is all
this. Rules that the world itself builds on (`world.motion`, `world.hands`, and what these use) are written
against it; others may name `World`.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

import attrs

from world.delta import constant, tracked
from world.stored import stored

if TYPE_CHECKING:
    import random
    from collections import deque
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from world.companions import Party
    from world.content import Content
    from world.directory import Directory
    from world.elsewhere import Elsewhere
    from world.item import Item
    from world.letter import Letterboxes
    from world.listing import Lists
    from world.mobile import Mobile, Viewport
    from world.paths import Paths
    from world.pleas import Heard, Plea
    from world.realm import Realm
    from world.records import Records
    from world.scripting import Scripts
    from world.serials import Serials
    from world.timers import Timer, TimerGroup, TimerWheel

NAME_FLAG = 0x1
"""`MobileDelta.NAME`, and of items `ItemDelta.UPDATE`: a name is all that is shown of some."""


@attrs.define(eq=False)
class Thing:
    """One mobile or item. `x`, `y`, `z` are tiles of `realm`; `realm` is None while the thing is nowhere
    (contained, worn, or not in the world)."""

    LOOKS: ClassVar[int] = -1
    """The flags that change how it looks, in any game; by default all."""

    serial: int = attrs.field(metadata=stored(fixed=True))
    world: Surroundings = attrs.field(repr=False)
    _name: str = attrs.field(default="", metadata=stored(fixed=True, length=32))
    realm: Realm | None = attrs.field(default=None, metadata=stored("realm.chart.name", str, nullable=True))
    x: int = attrs.field(default=0, metadata=stored())
    y: int = attrs.field(default=0, metadata=stored())
    z: int = attrs.field(default=0, metadata=stored())
    stored: bool = False
    """Whether the store keeps this thing; those it does not are placed anew by every start."""
    delta: int = 0
    """Flags set since the viewers were last told; non-zero exactly while the thing is queued."""
    timers: set[Timer] | None = None
    rendered: dict[Hashable, object] | None = attrs.field(default=None, repr=False)
    """Behind `kept`, which views ask for; forgotten at every change of `LOOKS`."""

    name = tracked("_name", NAME_FLAG, str)
    hidden = constant(False)
    """Whether others do not see it; only mobiles hide."""

    @property
    def label(self) -> str:
        """Name of the thing for players."""
        return self._name

    def kept(self) -> dict[Hashable, object]:
        """Cache of a view's results about this thing, by keys of the view's own; emptied by every change of
        its looks. Nothing in it depends on the thing's place."""
        kept = self.rendered
        if kept is None:
            kept = self.rendered = {}
        return kept

    def mark(self, flag: int) -> None:
        """Note a change for viewers and store."""
        if flag & self.LOOKS:
            self.rendered = None
        if not self.delta:
            self.world.changed.append(self)
        self.delta |= flag
        if self.stored:
            self.world.dirty[self.serial] = self

    def touch(self) -> None:
        """Note a change for the store only (a move)."""
        if self.stored:
            self.world.dirty[self.serial] = self


_INNER_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Event:
    """Base of all events: the thing that it is about (None: nobody) and the viewports that see it. The kinds
    are in `world.events`."""

    __slots__ = ()

    thing: Thing | None
    viewers: Sequence[Viewport] = ()

    @property
    def anywhere(self) -> bool:
        """Whether all its viewers receive it, wherever they are and whether or not they see its thing; those
        that are loading, afterwards. Words for one player are so, and what concerns a group."""
        return False

    def replaces(self, older: Event) -> bool:
        """Whether an older event needs not be told any more to a viewer that is to receive this one."""
        return False

    def words(self, *, own: bool) -> str | None:
        """A line for clients of games that have no picture of it, to the player of its thing if `own`; None
        if there is nothing to be said. By default the name of its thing and of its kind."""
        kind = _INNER_CAPITAL.sub(" ", type(self).__name__).lower()
        return f"{kind.capitalize()}." if self.thing is None else f"{called(self.thing)}: {kind}."


def called(thing: Thing) -> str:
    """Name, in a line, of the thing that an event is about."""
    return thing.label or "Something"


class Why(enum.Enum):
    """Reasons for which a thing goes out of sight."""

    WALKED = "walked out of sight"
    WARPED = "warped away"
    LEFT = "left the world"
    DIED = "died"
    HIDDEN = "hid"

    __hash__ = object.__hash__  # as `world.audience.Relation`


class Surroundings(Protocol):
    """The world, as seen from inside; each member is explained in `world.world`."""

    content: Content
    serials: Serials
    random: random.Random
    now: float
    tick: int
    crowd: int
    dawn: float
    epoch: float
    stopped: float
    hours: TimerGroup
    realms: dict[str, Realm]
    mobiles: dict[int, Mobile]
    items: dict[int, Item]
    changed: list[Thing]
    events: list[Event]
    dirty: dict[int, Thing]
    listeners: dict[int, Callable[[Mobile, str], None]]
    gags: dict[int, float]
    parties: dict[int, Party]
    letters: Letterboxes
    lists: Lists
    directory: Directory
    elsewhere: Elsewhere
    promises: list[tuple[Mobile, str]]
    pleas: deque[Plea]
    heard: deque[Heard]
    timers: TimerWheel
    paths: Paths
    scripts: Scripts
    records: Records

    def enter(self, thing: Mobile | Item, realm: Realm, x: int, y: int, z: int = 0) -> None:
        """Place a thing on a tile of a realm."""

    def leave(self, thing: Mobile | Item, why: Why = Why.LEFT) -> None:
        """Take a thing off its tile."""

    def register(self, thing: Mobile | Item) -> None:
        """Make a thing, what it wears and what it contains known by serial."""

    def delete(self, item: Item) -> None:
        """An item and all it contains cease to exist."""

    def warp(self, mobile: Mobile, realm: Realm, x: int, y: int, z: int = 0) -> None:
        """Put a mobile elsewhere at once, on its feet."""

    def leads_to(self, realm: str) -> bool:
        """Whether characters can be taken to the realm of a key."""
        ...

    def travel(self, mobile: Mobile, realm: str, x: int, y: int) -> bool:
        """Put a mobile on a tile of the realm of a key, which may be beyond a border."""
        ...

    def online(self) -> Iterator[Mobile]:
        """Characters that clients play now."""
        ...

    def online_by_name(self, name: str) -> Mobile | None:
        """The character of that name that a client plays now."""
