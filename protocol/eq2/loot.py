"""The window of a corpse or a chest, as one client has it open.

A client has at most one. What is in it follows from the world when the message leaves, so whoever else takes
something, of whatever game, changes it, and all that is taken in one turn is told at once. It is closed when
nothing is left, when its player is out of reach or dies, and when the corpse is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeGuard

from protocol.eq2.packets import MOST_COUNTED, MOST_WEIGHED, LootItem, StoppedLooting, UpdateLoot
from world.containers import counted
from world.item import Item

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.ghosts import Ghosts
    from protocol.eq2.versions import Eq2Version
    from world.content import ItemTemplate
    from world.thing import Thing

MOST_SHOWN: Final = 255
"""Things in the window: a request names no more."""


class Looter(Protocol):
    """A client, as far as its window goes."""

    ghosts: Ghosts
    dialect: Eq2Version
    looting: int
    """Serial of the corpse or chest that its window is about; 0: it has none."""
    loot_shown: Sequence[LootItem]
    """What the window says."""

    def icon(self, kind: ItemTemplate) -> int:
        """The picture of a kind."""


def is_opened(thing: Thing) -> TypeGuard[Item]:
    """Whether it is looked into by a window: a corpse, or a chest."""
    return isinstance(thing, Item) and (thing.remains is not None or thing.template.chest is not None)


class LootWindow:
    """Tells what is in a corpse or a chest to a client whose window is about it."""

    __slots__ = ("_corpse",)
    droppable = False

    def __init__(self, corpse: Item) -> None:
        self._corpse = corpse

    def bind(self, looter: Looter) -> bytes:
        """UpdateLoot if the window says something else, StoppedLooting if nothing is left."""
        corpse = self._corpse
        if looter.looting != corpse.serial:
            return b""
        things = described(looter, tuple(corpse.contents.values()))
        if not things:
            return _closed(looter)
        if things == looter.loot_shown:
            return b""
        looter.loot_shown = things
        return looter.dialect.encode(UpdateLoot(things, looter.ghosts.called(corpse.serial)))


class LootClosed:
    """Closes the window of a corpse or a chest, or whatever window there is."""

    __slots__ = ("_serial",)
    droppable = False

    def __init__(self, serial: int = 0) -> None:
        self._serial = serial

    def bind(self, looter: Looter) -> bytes:
        """StoppedLooting, if the client has that window."""
        return _closed(looter) if looter.looting and self._serial in (0, looter.looting) else b""


def described(looter: Looter, things: Sequence[Item]) -> tuple[LootItem, ...]:
    """Things as the window draws them."""
    return tuple(
        LootItem(
            number=item.serial,
            count=min(item.amount, MOST_COUNTED),
            unique=item.serial,
            weight=min(item.template.weight, MOST_WEIGHED),
            name=counted(item),
            icon=looter.icon(item.template),
        )
        for item in things[:MOST_SHOWN]
    )


def _closed(looter: Looter) -> bytes:
    serial, looter.looting, looter.loot_shown = looter.looting, 0, ()
    return looter.dialect.encode(StoppedLooting(looter.ghosts.called(serial)))
