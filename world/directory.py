"""Directory of characters: whom a name means, of all there are, whether or not they are in the world.

Whoever writes to somebody who is not there, or wants to hear of him no more, names him; lists keep the number
that this finds. The server fills it at the start, and keeps it as characters are made and deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.names import name_key

if TYPE_CHECKING:
    from collections.abc import Iterable


@attrs.frozen
class Known:
    """A character as others name it, and the number of its account."""

    serial: int
    name: str
    short_name: str = ""
    account: int = 0


class Directory:
    """All characters, by the keys of their names and short names (`world.names.name_key`)."""

    def __init__(self) -> None:
        self._named: dict[str, Known] = {}
        self._known: dict[int, Known] = {}

    def note(self, *characters: Known) -> None:
        """Add characters; one that is known already is not looked at again."""
        for known in characters:
            if known.serial not in self._known:
                self._known[known.serial] = known
                for key in _keys(known):
                    self._named.setdefault(key, known)

    def forget(self, serial: int) -> None:
        """Remove a character that was deleted."""
        known = self._known.pop(serial, None)
        for key in () if known is None else _keys(known):
            if self._named.get(key) is known:
                del self._named[key]

    def find(self, name: str) -> Known | None:
        """The character of that name or short name, or of one that looks like it; None if there is none."""
        return self._named.get(name_key(name.strip()))

    def of(self, serial: int) -> Known | None:
        """The character of that number; None if there is none."""
        return self._known.get(serial)

    def __len__(self) -> int:
        return len(self._known)


def _keys(known: Known) -> Iterable[str]:
    return {name_key(name) for name in (known.name, known.short_name) if name}
