"""Change flags: what about a thing differs from what its viewers were last told.

The values and their meaning are ServUO's `MobileDelta` and `ItemDelta` (ServUO: Server/Mobile.cs,
Server/Item.cs), because everybody in this field can read them in a log. They are plain `int` constants:
`enum.IntFlag` costs about 370 ns per operator on CPython 3.11, and every tracked attribute pays it.

A tracked attribute sets its flag and queues its thing once; the world task renders each queued thing once per
tick, to every viewer, and clears the flags *before* rendering so that a failing view cannot loop for ever.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar, cast, overload

if TYPE_CHECKING:
    from typing import Self

T = TypeVar("T")


class MobileDelta:
    """What changed on a mobile. Single bits below 2**32, except the named combination `ATTRIBUTES`."""

    NAME: Final = 0x1
    FLAGS: Final = 0x2
    HITS: Final = 0x4
    MANA: Final = 0x8
    STAM: Final = 0x10
    STAT: Final = 0x20
    NOTO: Final = 0x40
    GOLD: Final = 0x80
    WEIGHT: Final = 0x100
    DIRECTION: Final = 0x200
    HUE: Final = 0x400
    BODY: Final = 0x800
    ARMOR: Final = 0x1000
    STAT_CAP: Final = 0x2000
    GHOST_UPDATE: Final = 0x4000
    FOLLOWERS: Final = 0x8000
    PROPERTIES: Final = 0x10000
    TITHING_POINTS: Final = 0x20000
    RESISTANCES: Final = 0x40000
    WEAPON_DAMAGE: Final = 0x80000
    HAIR: Final = 0x100000
    FACIAL_HAIR: Final = 0x200000
    RACE: Final = 0x400000
    HEALTHBAR_YELLOW: Final = 0x800000
    HEALTHBAR_POISON: Final = 0x1000000
    FACE: Final = 0x8000000
    SKILLS: Final = 0x10000000
    # Ours: ServUO has no posture; EO draws sitting, UO does not.
    POSTURE: Final = 0x20000000
    # Ours: through which game somebody plays; browsers show it.
    GAME: Final = 0x40000000

    ATTRIBUTES: Final = HITS | MANA | STAM


class ItemDelta:
    """What changed on an item. ServUO's bits."""

    UPDATE: Final = 0x1
    EQUIP_ONLY: Final = 0x2
    PROPERTIES: Final = 0x4


class Marked(Protocol):
    """Anything whose attributes may be tracked."""

    def mark(self, flag: int) -> None:
        """Note that `flag` differs from what the viewers know."""


class Attribute(Generic[T]):
    """What a type checker sees of a tracked attribute; at run time it is a plain `property`."""

    @overload
    def __get__(self, thing: None, owner: type) -> Self: ...
    @overload
    def __get__(self, thing: object, owner: type) -> T: ...
    def __get__(self, thing: object, owner: type) -> T | Self:
        raise NotImplementedError

    def __set__(self, thing: object, value: T) -> None:
        raise NotImplementedError


def tracked(slot: str, flag: int, kind: type[T]) -> Attribute[T]:
    """An attribute over the slot `slot` that marks its thing with `flag` when its value really changes."""
    read = attrgetter(slot)

    def write(thing: Marked, value: T) -> None:
        if read(thing) != value:
            setattr(thing, slot, value)
            thing.mark(flag)

    return cast("Attribute[T]", property(read, write))


def constant(value: T) -> Attribute[T]:
    """An attribute of a base class that only some of its subclasses track."""
    return cast("Attribute[T]", value)
