"""Change flags: the differences between a thing and what its viewers received of it last.

The values and their meaning are ServUO's `MobileDelta` and `ItemDelta` (ServUO: Server/Mobile.cs,
Server/Item.cs) as far as it has them, because everybody in this field can read them in a log. Those that
nothing sets are left out. They are plain `int` constants of any size: `enum.IntFlag` costs about 370 ns per
operator on CPython 3.11, and every tracked attribute pays it.

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
    """Changes of a mobile. Single bits, as many as are needed, except the named combinations."""

    NAME: Final = 0x1
    FLAGS: Final = 0x2
    HITS: Final = 0x4
    MANA: Final = 0x8
    STAM: Final = 0x10
    STAT: Final = 0x20
    NOTO: Final = 0x40
    WEIGHT: Final = 0x100
    HUE: Final = 0x400
    BODY: Final = 0x800
    ARMOR: Final = 0x1000
    # Ours: what somebody aims at; EverQuest II shows it.
    TARGET: Final = 0x8000
    PROPERTIES: Final = 0x10000
    HAIR: Final = 0x100000
    FACIAL_HAIR: Final = 0x200000
    SKILLS: Final = 0x10000000
    # Ours: ServUO has no posture; EO draws sitting, UO does not.
    POSTURE: Final = 0x20000000
    # Ours: through which game somebody plays; browsers show it.
    GAME: Final = 0x40000000

    ATTRIBUTES: Final = HITS | MANA | STAM


class ItemDelta:
    """Changes of an item. ServUO's bit."""

    UPDATE: Final = 0x1


def flags_of(cls: type) -> dict[str, int]:
    """The single flags of a class of them, by name; named combinations are not among them."""
    return {
        name: value
        for name, value in vars(cls).items()
        if name.isupper() and isinstance(value, int) and value.bit_count() == 1
    }


class Marked(Protocol):
    """A thing whose attributes may be tracked."""

    def mark(self, flag: int) -> None:
        """Note that `flag` differs from what the viewers know."""

    def touch(self) -> None:
        """Note a change that only the store needs (a move)."""


class Attribute(Generic[T]):
    """Type of a tracked attribute for a type checker; at run time it is a plain `property`."""

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
