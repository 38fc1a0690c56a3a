"""What things and rules may ask of the world they are in.

Things know their world, and the world its things. So that modules stand in layers all the same, the lower
one names here what it needs of the higher: `world.world.World` alone is all this. Rules that the world itself
builds on (`world.motion`, `world.hands`, and what these use) are written against it, others may name `World`.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import random
    from collections import deque
    from collections.abc import Callable, Iterator, Sequence

    from world.content import Content
    from world.item import Item
    from world.mobile import Mobile
    from world.pleas import Plea
    from world.realm import Realm
    from world.serials import Serials
    from world.space import Eyes
    from world.thing import Thing
    from world.timers import TimerWheel


_INNER_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Event:
    """What every kind of event has: a thing that it is about (None: nobody) and the eyes that see it. The
    kinds are in `world.moments`."""

    __slots__ = ()

    thing: Thing | None
    viewers: Sequence[Eyes] = ()

    @property
    def anywhere(self) -> bool:
        """Whether all its viewers are told, wherever they are and whether or not they see its thing; those
        who are loading, afterwards. Words for one player are so, and what concerns a group."""
        return False

    def words(self, *, own: bool) -> str | None:
        """A line for clients of games that have no picture of it, to the player of its thing if `own`; None
        if there is nothing to be said. By default the name of its thing and of its kind."""
        kind = _INNER_CAPITAL.sub(" ", type(self).__name__).lower()
        return f"{kind.capitalize()}." if self.thing is None else f"{called(self.thing)}: {kind}."


def called(thing: Thing) -> str:
    """What a line calls the thing that an event is about."""
    return thing.label or "Something"


class Why(enum.Enum):
    """Why a thing went out of sight."""

    WALKED = "walked out of sight"
    WARPED = "warped away"
    LEFT = "left the world"
    DIED = "died"
    HIDDEN = "hid"


class Surroundings(Protocol):
    """The world, as seen from inside; each member is explained in `world.world`."""

    content: Content
    serials: Serials
    random: random.Random
    now: float
    tick: int
    dawn: float
    realms: dict[str, Realm]
    mobiles: dict[int, Mobile]
    items: dict[int, Item]
    changed: list[Thing]
    moments: list[Event]
    dirty: dict[int, Thing]
    listeners: dict[int, Callable[[Mobile, str], None]]
    gags: dict[int, float]
    pleas: deque[Plea]
    timers: TimerWheel

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

    def online(self) -> Iterator[Mobile]:
        """Characters that clients play now."""
        ...

    def online_by_name(self, name: str) -> Mobile | None:
        """The character of that name that a client plays now."""
