"""The list of mistakes in data/: lines of bounded length, and so many that somebody can read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self, SupportsIndex

from protocol.reading import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PROBLEMS: Final = 500
"""Whoever has more of them has one that causes the others. To find the nearest name for each of a hundred
thousand would take minutes."""


class TooManyError(Exception):
    """The list is full."""


class Findings(list[str]):
    """Takes lines until it is full, and raises TooManyError then."""

    def append(self, line: str) -> None:
        """Take a line. Raises TooManyError if the list is full."""
        if len(self) >= MOST_PROBLEMS:
            raise TooManyError
        super().append(one_line(line))

    def extend(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.append(line)

    def insert(self, index: SupportsIndex, line: str) -> None:
        super().insert(index, one_line(line))

    def __iadd__(self, lines: Iterable[str]) -> Self:  # type: ignore[misc,override] # as `list` has it
        self.extend(lines)
        return self
