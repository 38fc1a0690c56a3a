"""Elsewhere: who is played in other worlds of the same server, and the way there for words.

Where several worlds share their players, each keeps what the others say of theirs: a name, a game, a level.
That is no presence in this world: nobody is seen, struck or traded with here who is elsewhere. But whoever
asks who is there, looks for a friend or speaks to one, to its company or to everybody means them as well.

This is data alone; who may know of whom is in `world.presence`, and how words from there are heard here in
`world.afar`. A world that stands alone knows nobody elsewhere, and its words go nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import attrs

from world.names import name_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

GRACE: Final = 3.0
"""Seconds for which somebody who is in no world is not said to have left: it may be on its way from one to
another, and each tells of its own once a second."""


@attrs.frozen
class Person:
    """A character that is played in another world, as far as it matters here."""

    serial: int
    name: str
    short_name: str = ""
    account: int = 0
    game: str = ""
    level: int = 0
    access: int = 0
    hidden: bool = False
    realm: str = ""
    """The name of one; empty if it stands in none."""
    title: str = ""
    tag: str = ""
    """That of its guild; empty if it is in none."""


@attrs.frozen
class Order:
    """Something that a player wants to have done where records are kept (`world.books`)."""

    actor: int
    """Serial of its character."""
    deed: str
    words: tuple[str | int, ...] = ()
    other: int = 0
    """Serial of the character that it is about, if it is about one."""
    gold: int = 0
    """Gold that goes with it."""
    age: float = 0.0
    """Seconds since it was sent, where it is carried out."""


class Books(Protocol):
    """The way of orders to the world that keeps records, of a world that keeps none."""

    def ask(self, order: Order) -> bool:
        """Send an order, together with all else that changes in this turn; whether that can be done now. It
        is carried out once, sooner or later."""


class NoBooks:
    """Of a world that stands alone, and keeps its own."""

    def ask(self, order: Order) -> bool:
        """See Books."""
        return False


class Ways(Protocol):
    """The way of words to other worlds. Nothing of it waits, and nothing of it is certain: what is lost on
    the way is lost."""

    def to_all(self, speaker: Person, text: str, *, announce: bool) -> None:
        """Words to everybody, or an announcement."""

    def to_one(
        self,
        speaker: Person,
        hearer: Person,
        text: str,
        answered: Callable[[str, str], None],
        *,
        answers: bool,
    ) -> bool:
        """Words to one alone; `answers`: who wrote last to the speaker. `answered` is called once, later:
        with "" if they were heard, else with the name of a `world.reach.Refusal` and the line of words for
        it, if that says more. Returns False if there is no way there now; then it is not called."""

    def invite(
        self,
        asker: Person,
        hearer: Person,
        loot: str,
        answered: Callable[[str, str], None],
        *,
        joins: bool = False,
    ) -> bool:
        """Ask one into a party, or (`joins`) to be let into that one's: `world.party_asking.hear`.
        `answered` is called once, later, as of `to_one`; so is what is returned."""
        ...

    def to_company(
        self, speaker: Person, kind: str, members: Sequence[int], guilds: Sequence[int], text: str, hue: int
    ) -> None:
        """Words to a company: `kind` is a `world.events.Speech`; to those of its members who are elsewhere,
        by serial, and of a guild or an alliance to all in guilds of these numbers."""


class NoWay:
    """The ways of a world that stands alone."""

    def to_all(self, speaker: Person, text: str, *, announce: bool) -> None:
        """See Ways."""

    def to_one(
        self,
        speaker: Person,
        hearer: Person,
        text: str,
        answered: Callable[[str, str], None],
        *,
        answers: bool,
    ) -> bool:
        """See Ways."""
        return False

    def invite(
        self,
        asker: Person,
        hearer: Person,
        loot: str,
        answered: Callable[[str, str], None],
        *,
        joins: bool = False,
    ) -> bool:
        """See Ways."""
        return False

    def to_company(
        self, speaker: Person, kind: str, members: Sequence[int], guilds: Sequence[int], text: str, hue: int
    ) -> None:
        """See Ways."""


class Elsewhere:
    """All other worlds, as this one knows them."""

    def __init__(self) -> None:
        self.ways: Ways = NoWay()
        self.books: Books = NoBooks()
        self.people: dict[int, Person] = {}
        """By serial, of all other worlds."""
        self.unsure: set[int] = set()
        """Serials of players here whose windows show a party that is not known here
        (`world.party_memory`)."""
        self._of: dict[int, Mapping[int, Person]] = {}
        """Those of each world, by its number."""
        self._named: dict[str, Person] = {}
        self._missed: dict[int, tuple[Person, float]] = {}
        """Those who were there until the time that stands here, and of whom nobody was told yet."""

    def find(self, name: str) -> Person | None:
        """The one that is played elsewhere under that name or short name, or one that looks like it; None if
        nobody is."""
        return self._named.get(name_key(name.strip()))

    def world_of(self, serial: int) -> int | None:
        """The number of the world in which a character is played; None if in none of the others."""
        return next((number for number, people in self._of.items() if serial in people), None)

    def settle(self, world: int, people: Iterable[Person], now: float) -> list[Person]:
        """Let these be all who are played in another world; returns those of them who were in none a moment
        ago. A world that is gone has nobody. It costs by those who are other objects than before: of
        thousands few change in a second."""
        before = self._of.pop(world, {})
        theirs = {person.serial: person for person in people}
        if theirs:
            self._of[world] = theirs
        came = []
        for serial, person in theirs.items():
            if before.get(serial) is person:
                continue
            if serial not in self.people and self._missed.pop(serial, None) is None:
                came.append(person)
            self._put(person)
        for serial in before.keys() - theirs.keys():
            other = self.world_of(serial)
            if other is None:
                self._missed[serial] = (self._drop(serial), now)
            else:
                self._put(self._of[other][serial])
        return came

    def _put(self, person: Person) -> None:
        if person.serial in self.people:
            self._drop(person.serial)
        self.people[person.serial] = person
        for key in _keys(person):
            self._named[key] = person

    def _drop(self, serial: int) -> Person:
        person = self.people.pop(serial)
        for key in _keys(person):
            if self._named.get(key) is person:
                del self._named[key]
        return person

    def missed(self, now: float) -> list[Person]:
        """Take those who have been in no other world for `GRACE`."""
        gone = [person for person, since in self._missed.values() if since + GRACE <= now]
        for person in gone:
            del self._missed[person.serial]
        return gone


def _keys(person: Person) -> Iterable[str]:
    return {name_key(name) for name in (person.name, person.short_name) if name}
