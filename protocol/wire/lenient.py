"""Lenient reading of messages that are shorter or longer than declared."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, TypeVar

from protocol.endings import WireError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from protocol.wire.declare import Member

T = TypeVar("T")


def read_lenient(
    name: str, read: Callable[[bytes, int], tuple[T, int]], members: Iterable[Member], data: bytes, at: int
) -> T:
    """The structure at `at`, where everything missing at the end reads as 0 or "".

    Other programs than a game's original client leave out last fields, or pad. What follows the last field is
    ignored. Raises WireError for what cannot be read even so: a list that is longer than its message.
    """
    try:
        try:
            message, _ = read(data, at)
        except (struct.error, IndexError):
            message, _ = read(data + bytes(_padding(members)), at)
    except (struct.error, ValueError, IndexError, OverflowError) as error:
        raise WireError(f"{name}: {error}") from None
    return message


def _padding(members: Iterable[Member]) -> int:
    """As many zeros make a whole structure of nothing: a text takes its end, and one more if it was cut in a
    letter."""
    return sum(member.field.minimum or 3 for member in members)
