"""Lists that characters keep of one another: friends, and those of whom one wants to hear nothing.

A list is its owner's alone. Where several worlds share their characters it is in the world that has its
owner, for as long as that is there (`world.records`): it comes with the rows of that one, and goes with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world import records
from world.records import Record
from world.stored import stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from world.directory import Known
    from world.records import Records


@records.kind("listing", of="owner")
class Listing(Record):
    """One entry of somebody's list. Whoever stands there may have been deleted since, so a name stands
    beside the number."""

    owner: int = attrs.field(default=0, metadata=stored(refers="character"))
    other: int = attrs.field(default=0, metadata=stored())
    name: str = attrs.field(default="", metadata=stored())
    ignored: bool = attrs.field(default=False, metadata=stored())
    """Whether it is the list of those of whom one hears nothing; else that of friends."""


class Lists:
    """The lists of all characters whom this world has, by owner and then by who stands there."""

    def __init__(self, kept: Records) -> None:
        self.friends: dict[int, dict[int, Listing]] = {}
        self.ignored: dict[int, dict[int, Listing]] = {}
        self._kept = kept
        kept.holders.append(self)

    def settle(self) -> None:
        """Put the stored entries in their places, when the world begins."""
        self._put(self._kept.all(Listing).values())

    def of(self, owner: int) -> Sequence[Listing]:
        """All entries of a character's lists."""
        lists = (self.friends.get(owner, {}), self.ignored.get(owner, {}))
        return [one for entries in lists for one in entries.values()]

    def add(self, owner: int, other: int, name: str, *, ignored: bool) -> None:
        """Add an entry."""
        one = self._kept.add(Listing(owner, other, name, ignored))
        self._put([one])

    def remove(self, one: Listing) -> None:
        """Take an entry off its list."""
        entries = self._list_of(one)[one.owner]
        del entries[one.other]
        if not entries:
            del self._list_of(one)[one.owner]
        self._kept.delete(one)

    def forget(self, owner: int) -> None:
        """Drop the lists of a character that is deleted."""
        for one in self.of(owner):
            self.remove(one)

    # Where they go with their owners

    def bring(self, owner: int, records: Iterable[Record]) -> None:
        """A character comes, and of what the store has of it these are its lists."""
        self.part(owner)
        came = [one for one in records if isinstance(one, Listing)]
        self._kept.load(came)
        self._put(came)

    def part(self, owner: int) -> Sequence[Listing]:
        """A character leaves, and its lists with it: they are the store's alone. Returns their entries."""
        entries = self.of(owner)
        for one in entries:
            self._kept.release(one)
        self.friends.pop(owner, None)
        self.ignored.pop(owner, None)
        return entries

    # Their parts

    def _put(self, entries: Iterable[Listing]) -> None:
        for one in entries:
            self._list_of(one).setdefault(one.owner, {})[one.other] = one

    def _list_of(self, one: Listing) -> dict[int, dict[int, Listing]]:
        return self.ignored if one.ignored else self.friends


def named(entries: dict[int, Listing], known: Known | None, name: str) -> Listing | None:
    """The entry of that character, or else of that name; None if there is neither."""
    folded = name.strip().casefold()
    found = None if known is None else entries.get(known.serial)
    return found or next((one for one in entries.values() if one.name.casefold() == folded), None)
