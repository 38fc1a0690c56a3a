"""Endless Online's numbers for things: small, and the same for all clients of this server.

The world names things by 32-bit serials. EO has 16 bits for players and for what lies on the ground, and one
byte for the NPCs of a map. Numbers are handed out in a circle, so that one is not used again soon after it
became free: what a slow client still has on its screen does not turn into something else.

A number needs no release. It is free as soon as what it stands for is gone (a character left the world, a
connection ended, an item was picked up), and that is looked at when the number's turn comes again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import attrs

from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.session import Session
    from world.item import Item
    from world.realm import Realm
    from world.thing import Surroundings

T = TypeVar("T", bound="Mobile | Item | Absent")

FIRST_PLAYER: Final = 10
"""The player id doubles as the id of the game session, and a session id below 10 reads as a reply code."""
LAST_SHORT: Final = 64_000
LAST_NPC: Final = 252
"""NPC indexes are one EO char; 0 is left out so that it can stand for nobody."""

_UNLUCKY_DIGIT: Final = 126
"""The higher digit of numbers that are left out: eoweb takes a packet whose last byte is 126 + 1 for an
unencrypted one, and those that take something away end with its number."""

_SPARE: Final = 256
"""Dead entries that may always stay: tidying up for fewer costs more than it frees."""


class IdsExhausted(Exception):
    """More things at once than the game has numbers for."""


@attrs.define(eq=False)
class Absent:
    """Somebody who is in another world, and in the party of somebody here."""

    serial: int
    world: Surroundings
    """The one where it is not."""


class Circle:
    """Numbers from `first` to `last`, handed out in order and around again, leaving out those in use."""

    def __init__(self, first: int, last: int, in_use: Callable[[int], bool]) -> None:
        self._first, self._last = first, last
        self._next = first
        self._in_use = in_use
        self._of = 1

    def divide(self, number: int, of: int) -> None:
        """Hand out, of all numbers, only one of so many: those that leave the rest `number`."""
        self._first += (number - self._first) % of
        self._next, self._of = self._first, of

    def take(self) -> int:
        """The next free number. Raises IdsExhausted."""
        for _ in range(self._first, self._last + 1, self._of):
            number = self._next
            self._next = number + self._of if number + self._of <= self._last else self._first
            if not self._in_use(number):
                return number
        raise IdsExhausted(f"all numbers from {self._first} to {self._last} are in use")


class Numbered(Generic[T]):
    """A two-way table of things and their numbers. `stays` says whether a thing still needs its number."""

    def __init__(
        self, first: int, last: int, stays: Callable[[T], bool], circle: Circle | None = None
    ) -> None:
        """`circle`: hands out the numbers, if they are also those of others."""
        self._stays = stays
        self._things: dict[int, T] = {}
        self._numbers: dict[int, int] = {}
        self._last: WeakKeyDictionary[T, int] = WeakKeyDictionary()
        self._circle = circle or Circle(first, last, self._taken)
        self._tidy_at = _SPARE

    def of(self, thing: T) -> int:
        """The number of a thing; a new one if it has none. Raises IdsExhausted."""
        number = self._numbers.get(thing.serial)
        if number is None:
            number = self._circle.take()
            self.bind(thing, number)
        elif self._things[number] is not thing:
            # The same character or item, read from the store once more.
            self._things[number] = thing
            self._last[thing] = number
        return number

    def thing(self, number: int) -> T | None:
        """The thing that a number stands for now, None if it is gone."""
        thing = self._things.get(number)
        return thing if thing is not None and self._stays(thing) else None

    def bind(self, thing: T, number: int) -> None:
        """Give a thing this number, whatever it had before."""
        self._forget(number)
        before = self._numbers.get(thing.serial)
        if before is not None:
            del self._things[before]
        self._things[number] = thing
        self._numbers[thing.serial] = self._last[thing] = number
        if len(self._things) >= self._tidy_at:
            self._tidy()

    def number(self, thing: T) -> int | None:
        """The number of a thing, None if it has none yet."""
        return self._numbers.get(thing.serial)

    def last(self, thing: T) -> int | None:
        """The number that clients saw it by last, though it be gone; None if it never had one."""
        return self._last.get(thing)

    def _taken(self, number: int) -> bool:
        return number // 253 == _UNLUCKY_DIGIT or self.thing(number) is not None

    def _forget(self, number: int) -> None:
        gone = self._things.pop(number, None)
        if gone is not None:
            del self._numbers[gone.serial]

    def _tidy(self) -> None:
        """Let go of what is gone, so that the table does not keep a day's items in memory."""
        for number in [number for number, thing in self._things.items() if not self._stays(thing)]:
            self._forget(number)
        self._tidy_at = 2 * len(self._things) + _SPARE


class Players(Numbered[Mobile]):
    """Player ids: one for each connection from its greeting on, one for each character of another game, and
    one for each member of a party that is in another world.

    A client is told its own id before anybody knows which character it will play, so the character takes its
    connection's number when it enters the world.
    """

    def __init__(self) -> None:
        super().__init__(FIRST_PLAYER, LAST_SHORT, _in_world)
        self.absent: Numbered[Absent] = Numbered(FIRST_PLAYER, LAST_SHORT, _is_fellow, self._circle)
        self.sessions: WeakValueDictionary[int, Session] = WeakValueDictionary()
        """The living connections by player id."""

    def connect(self, session: Session) -> int:
        """An id for a new connection. Raises IdsExhausted."""
        number = self._circle.take()
        self._forget(number)  # or a character that had it and comes back would find itself in another's place
        self.sessions[number] = session
        return number

    def divide(self, number: int, of: int) -> None:
        """Hand out only the share of one of so many worlds, so that no client brings a number from another
        that one has here; `number` counts from 0."""
        self._circle.divide(number, of)

    def play(self, player_id: int, mobile: Mobile) -> int | None:
        """Give `mobile` the id of the connection that plays it. Returns the id by which it was known before,
        if that was another."""
        before = self.number(mobile)
        self.bind(mobile, player_id)
        return before if before != player_id else None

    def _taken(self, number: int) -> bool:
        held = number in self.sessions or self.absent.thing(number) is not None
        return held or super()._taken(number)


class Ids:
    """All numbers of one server."""

    def __init__(self) -> None:
        self.players = Players()
        self.items: Numbered[Item] = Numbered(1, LAST_SHORT, _on_the_ground)
        self._npcs: dict[Realm, Numbered[Mobile]] = {}
        self._last_npcs: WeakKeyDictionary[Mobile, int] = WeakKeyDictionary()

    def npcs(self, realm: Realm) -> Numbered[Mobile]:
        """The NPC indexes of one map."""
        table = self._npcs.get(realm)
        if table is None:
            table = self._npcs[realm] = Numbered(1, LAST_NPC, lambda mobile: mobile.realm is realm)
        return table

    def npc_index(self, mobile: Mobile) -> int:
        """The index of an NPC on the map it is on. Raises IdsExhausted, or ValueError if it is nowhere."""
        if mobile.realm is None:
            raise ValueError(f"{mobile.name} is on no map")
        index = self._last_npcs[mobile] = self.npcs(mobile.realm).of(mobile)
        return index

    def last_npc_index(self, mobile: Mobile) -> int | None:
        """The index an NPC was last shown by, though it be gone; None if it never was."""
        return self._last_npcs.get(mobile)


def _in_world(mobile: Mobile) -> bool:
    return mobile.world.mobiles.get(mobile.serial) is mobile


def _is_fellow(absent: Absent) -> bool:
    return absent.serial in absent.world.parties and absent.serial not in absent.world.mobiles


def _on_the_ground(item: Item) -> bool:
    return item.realm is not None
