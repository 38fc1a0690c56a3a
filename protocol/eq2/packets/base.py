"""Declares EverQuest II's messages: typed classes that say nothing of bytes.

A version of the client (2004 to today) has its own numbers and its own field order for the same message, so
both are data: `data/eq2/<version>/opcodes.toml` and `messages.toml`, read by `protocol.eq2.layouts`. A class
here holds what a message means. `role` is its number inside this program, the same for every version.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from protocol.eq2.layouts import Record
from protocol.eq2.versions import Catalogue, Message

R = TypeVar("R", bound="type[Record]")
M = TypeVar("M", bound="type[Message]")

Color: TypeAlias = bytes
"""Three bytes: red, green, blue."""

Morph: TypeAlias = tuple[int, int, int]
"""Three sliders of a face, each from -100 to 100."""

BLACK: Color = b"\0\0\0"
NO_MORPH: Morph = (0, 0, 0)


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


def declared() -> Catalogue:
    """Everything that was declared so far, in the order of its declaration."""
    return Catalogue(tuple(_FROM_CLIENT), tuple(_FROM_SERVER), tuple(_RECORDS))


__all__ = [
    "BLACK",
    "NO_MORPH",
    "Color",
    "Message",
    "Morph",
    "Record",
    "declared",
    "from_client",
    "from_server",
    "record",
]
