"""Lists that characters keep of one another: friends, and those of whom one wants to hear nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world import records
from world.records import Record
from world.stored import stored

if TYPE_CHECKING:
    from world.directory import Known
    from world.records import Records


@records.kind("listing")
class Listing(Record):
    """One entry of somebody's list. Whoever stands there may have been deleted since, so a name stands
    beside the number."""

    owner: int = attrs.field(default=0, metadata=stored(refers="character"))
    other: int = attrs.field(default=0, metadata=stored())
    name: str = attrs.field(default="", metadata=stored())
    ignored: bool = attrs.field(default=False, metadata=stored())
    """Whether it is the list of those of whom one hears nothing; else that of friends."""


class Lists:
    """The lists of all characters, by owner and then by who stands there."""

    def __init__(self, kept: Records) -> None:
        self.friends: dict[int, dict[int, Listing]] = {}
        self.ignored: dict[int, dict[int, Listing]] = {}
        self._kept = kept

    def settle(self) -> None:
        """Put the stored entries in their places, when the world begins."""
        for one in self._kept.all(Listing).values():
            self._of(one).setdefault(one.owner, {})[one.other] = one

    def add(self, owner: int, other: int, name: str, *, ignored: bool) -> None:
        """Add an entry."""
        one = self._kept.add(Listing(owner, other, name, ignored))
        self._of(one).setdefault(owner, {})[other] = one

    def remove(self, one: Listing) -> None:
        """Take an entry off its list."""
        entries = self._of(one)[one.owner]
        del entries[one.other]
        if not entries:
            del self._of(one)[one.owner]
        self._kept.delete(one)

    def forget(self, owner: int) -> None:
        """Drop the lists of a character that is deleted."""
        for entries in (self.friends.get(owner, {}), self.ignored.get(owner, {})):
            for one in list(entries.values()):
                self.remove(one)

    def _of(self, one: Listing) -> dict[int, dict[int, Listing]]:
        return self.ignored if one.ignored else self.friends


def named(entries: dict[int, Listing], known: Known | None, name: str) -> Listing | None:
    """The entry of that character, or else of that name; None if there is neither."""
    folded = name.strip().casefold()
    found = None if known is None else entries.get(known.serial)
    return found or next((one for one in entries.values() if one.name.casefold() == folded), None)
