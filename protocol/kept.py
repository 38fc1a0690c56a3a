"""Keeps what is costly to make and follows from objects that never change, as long as content is read again
in which these objects are the same.

`is` compares them, because `==` of two realms takes as long as some of what is made of them;
`world.renewal.prepare` sees to it that what is equal is the same object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")


class Kept(Generic[T]):
    """The last `most` things of one kind. Only for what nobody changes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: list[tuple[Sequence[object], T]] = []
        """The newest last. The objects are held with what was made of them, so that no other object gets the
        place of one in memory."""

    def of(self, parts: Iterable[object], make: Callable[[], T]) -> T:
        """Have `make` make it of these parts, or return what it has made of them before. Raises whatever
        `make` does."""
        wanted = tuple(parts)
        for parts_before, thing in self._made:
            if is_same(wanted, parts_before):
                return thing
        thing = make()
        self._made = [*self._made, (wanted, thing)][-self._most :]
        return thing


def is_same(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether two sequences have the very same objects, and equal numbers and texts."""
    return len(some) == len(others) and all(
        one is other or (isinstance(one, int | str) and one == other)
        for one, other in zip(some, others, strict=True)
    )
