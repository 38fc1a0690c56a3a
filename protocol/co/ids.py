"""Conquer Online's numbers for things. The client tells by the range of a number what it stands for.

    1 to 99,999             residents who stand there and talk
    400,001 to 499,999      creatures
    from 1,000,000 on       players

A character's number follows from its serial, so that it has one before it is in the world. Residents have
numbers of their own, handed out in a circle: one is not used again soon after it became free. Items have
their serials: nothing tells them from others by their range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.thing import Thing

NPCS: Final = range(1, 100_000)
CREATURES: Final = range(400_001, 500_000)
FIRST_PLAYER: Final = 1_000_000
"""conquer-online/wiki and the public servers agree on the ranges."""


class IdsExhausted(Exception):
    """More things at once than the game has numbers for."""


def player_number(serial: int) -> int:
    """The number of a character."""
    return FIRST_PLAYER + serial


class Ids:
    """A two-way table of mobiles and their numbers. `is_creature` tells creatures from people."""

    def __init__(self, is_creature: Callable[[Mobile], bool]) -> None:
        self._is_creature = is_creature
        self._numbers: WeakKeyDictionary[Mobile, int] = WeakKeyDictionary()
        self._mobiles: WeakValueDictionary[int, Mobile] = WeakValueDictionary()
        self._last = {NPCS: NPCS.stop - 1, CREATURES: CREATURES.stop - 1}

    def of(self, thing: Thing) -> int:
        """The number of a thing; a new one if it has none. Raises IdsExhausted."""
        if not isinstance(thing, Mobile):
            return thing.serial
        number = self._numbers.get(thing)
        if number is None:
            number = player_number(thing.serial) if thing.is_character else self._free(thing)
            self._numbers[thing] = number
            self._mobiles[number] = thing
        return number

    def mobile(self, number: int) -> Mobile | None:
        """Whose number it is; None if it is nobody's now."""
        return self._mobiles.get(number)

    @staticmethod
    def item(holder: Mobile, number: int) -> Item | None:
        """Which item of the holder's world has a number."""
        thing = holder.world.items.get(number)
        return thing if isinstance(thing, Item) else None

    def _free(self, mobile: Mobile) -> int:
        numbers = CREATURES if self._is_creature(mobile) else NPCS
        number = self._last[numbers]
        for _ in numbers:
            number = number + 1 if number + 1 < numbers.stop else numbers.start
            if number not in self._mobiles:
                self._last[numbers] = number
                return number
        raise IdsExhausted(f"all numbers from {numbers.start} to {numbers.stop - 1} are in use")
