"""Fights in a running server before clients of Ultima Online: creatures without a will of their own, dice
that show what they are told to."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from world import residents
from world.content import Resident

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.kit.uo_people import Person
    from world.item import Item
    from world.mobile import Mobile
    from world.world import World

HIT, CRITICAL, MISS = 0.1, 0.01, 0.99
"""Throws by which a blow hits, hits hard, misses. With the first a skill that is 0 grows, too."""


class Dice(random.Random):
    """Chance that always throws the same."""

    def __new__(cls, throw: float) -> Dice:
        return super().__new__(cls)

    def __init__(self, throw: float) -> None:
        super().__init__(1)
        self.throw = throw

    def random(self) -> float:
        """The one throw."""
        return self.throw


def throws(world: World, throw: float) -> None:
    """From now on all dice show this."""
    world.random = Dice(throw)


def beast(world: World, beside: Mobile, kind: str = "wolf", *, hits: int = 25, dx: int = 1) -> Mobile:
    """A creature that does nothing, to the east of somebody who stands in peace with it."""
    realm = beside.realm
    assert realm is not None
    made = residents.place(world, realm, Resident(kind, beside.x + dx, beside.y, heading=6))
    made.hits = made.hits_max = hits
    return made


def of(frames: Iterable[bytes], *opcodes: int) -> list[bytes]:
    """The packets with one of these opcodes, in their order; 0xBF00 and its number for an extended one."""
    numbered = ((frame, frame[0] if frame[0] != 0xBF else 0xBF00 | frame[4]) for frame in frames)
    return [frame for frame, number in numbered if number in opcodes]


def serial(thing: Mobile | Item) -> bytes:
    """As packets hold it."""
    return thing.serial.to_bytes(4, "big")


def place(person: Person, thing: Mobile | Item) -> bytes:
    """Where it is, as a sound says it: x, y and z, two bytes each."""
    x, y = person.tile(thing.x - person.mobile.x, thing.y - person.mobile.y)
    realm = thing.realm or person.mobile.realm
    assert realm is not None
    numbers = x, y, realm.chart.place("uo").get("z", 0) + thing.z
    return b"".join(number.to_bytes(2, "big", signed=True) for number in numbers)
