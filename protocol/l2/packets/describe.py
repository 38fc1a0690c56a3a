"""Describes every message in Markdown, with the numbers of one version: what `causeway packets l2` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.packets import (
    CLIENT_MESSAGES,
    LOGIN_CLIENT_MESSAGES,
    LOGIN_SERVER_MESSAGES,
    SERVER_MESSAGES,
)
from protocol.l2.packets.base import least
from protocol.l2.versions import shown
from protocol.wire.describe import describe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.l2.versions import L2Version
    from protocol.wire.declare import Struct


def documents(version: L2Version) -> Iterator[str]:
    """All messages as Markdown, by door, direction and number, then the structures in them."""
    structures: dict[type[Struct], None] = {}
    for login, words in (
        (LOGIN_CLIENT_MESSAGES, "from the client, login"),
        (LOGIN_SERVER_MESSAGES, "from the server, login"),
    ):
        for packet in login:
            yield describe(packet, words)
            _collect(packet, structures)
    for classes, words in ((CLIENT_MESSAGES, "from the client"), (SERVER_MESSAGES, "from the server")):
        for cls in sorted(classes, key=version.number_of):
            yield _document(cls, f"{shown(version.number_of(cls))} {cls.__name__}", words)
            _collect(cls, structures)
    for structure in structures:
        yield _document(structure, structure.__name__, "structure")


def _collect(cls: type[Struct], found: dict[type[Struct], None]) -> None:
    for member in cls.MEMBERS:
        inner = getattr(member.field, "element", None)
        if isinstance(inner, type) and hasattr(inner, "MEMBERS"):
            found.setdefault(inner)
            _collect(inner, found)


def _document(cls: type[Struct], title: str, words: str) -> str:
    """A heading, the docstring, a table of the fields."""
    fewest = least(cls)
    most = [member.field.maximum for member in cls.MEMBERS]
    size = f"variable, at least {fewest} bytes of body" if None in most else f"{fewest} bytes of body"
    lines = [f"### {title} ({words}, {size})", "", " ".join((cls.__doc__ or "").split()), ""]
    if cls.MEMBERS:
        lines += ["| field | type | notes |", "|---|---|---|"]
        for member in cls.MEMBERS:
            name = "filler" if member.name.startswith("_") else member.name
            lines.append(f"| {name} | {member.field.describe()} | {'; '.join(member.notes)} |")
        lines.append("")
    return "\n".join(lines)
