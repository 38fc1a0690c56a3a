"""What `make test` tries of what `make soak` tries all of.

A rule that holds for each of hundreds of packets, or after each of hundreds of steps, is mostly one piece of
code that all of them go through. `make test` tries some of each kind, the same ones each time, so that what
fails fails again; the long runs leave nothing out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

T = TypeVar("T")

SOME_OR_ALL: Final = pytest.mark.parametrize("amount", ["some", pytest.param("all", marks=pytest.mark.soak)])
"""Makes two tests of one that takes an `amount`: the second is for the long runs."""


def portion(
    items: Iterable[T],
    amount: str,
    every: int,
    *,
    begin: int = 0,
    kind: Callable[[T], Hashable] | None = None,
) -> list[T]:
    """All of them, or, of "some", every so many from one place on and the first of each kind."""
    chosen, kinds = [], set()
    for number, item in enumerate(items):
        what = None if kind is None else kind(item)
        first = kind is not None and what not in kinds
        kinds.add(what)
        if amount == "all" or first or (number - begin) % every == 0:
            chosen.append(item)
    return chosen
