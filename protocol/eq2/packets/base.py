"""How EverQuest II's messages are declared: typed classes that say nothing of bytes.

A version of the client (2004 to today) has its own numbers and its own field order for the same message, so
both are data: `data/eq2/<version>/opcodes.toml` and `messages.toml`, read by `protocol.eq2.layouts`. A class
here holds what a message means. `role` is its number inside this program, the same for every version.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias, TypeVar

R = TypeVar("R", bound="type[Record]")
M = TypeVar("M", bound="type[Message]")

Color: TypeAlias = bytes
"""Three bytes: red, green, blue."""

Morph: TypeAlias = tuple[int, int, int]
"""Three sliders of a face, each from -100 to 100."""

BLACK: Color = b"\0\0\0"
NO_MORPH: Morph = (0, 0, 0)


class Record:
    """A structure inside messages, or one that lies packed in a message."""

    __slots__ = ()


class Message(Record):
    """One application message."""

    __slots__ = ()

    role: ClassVar[int] = -1
    """What handlers are found by; -1 for what cannot be sent."""
    droppable: ClassVar[bool] = False
    """Whether a slow client may lose it (its loss leaves no wrong belief)."""
    secret: ClassVar[bool] = False
    """Whether it tells its receiver a key, so that nobody may write it down."""


_FROM_CLIENT: list[type[Message]] = []
_FROM_SERVER: list[type[Message]] = []
_RECORDS: list[type[Record]] = []
_NUMBERED: list[type[Message]] = []


def record(cls: R) -> R:
    """Declare a structure."""
    _RECORDS.append(cls)
    return cls


def from_client(cls: M) -> M:
    """Declare a message that clients send."""
    _number(cls)
    _FROM_CLIENT.append(cls)
    return cls


def from_server(cls: M) -> M:
    """Declare a message that servers send."""
    _number(cls)
    _FROM_SERVER.append(cls)
    return cls


def _number(cls: type[Message]) -> None:
    if cls not in _NUMBERED:
        cls.role = len(_NUMBERED)
        _NUMBERED.append(cls)


def declared() -> tuple[tuple[type[Message], ...], tuple[type[Message], ...], tuple[type[Record], ...]]:
    """All messages of clients, all of servers, all structures, in the order of their declaration."""
    return tuple(_FROM_CLIENT), tuple(_FROM_SERVER), tuple(_RECORDS)
