"""Packets found by their type: read without knowing what comes, and described for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.packets import (
    CLIENT_MESSAGES,
    HEADER_SIZE,
    SERVER_MESSAGES,
    Connect,
    ConnectEx,
    ConnectReject,
)
from protocol.co.versions import NEWEST, CoVersion
from protocol.endings import WireError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.co.packets import Message
    from protocol.wire.declare import Member, Struct

_FROM_CLIENT: Final[Mapping[int, type[Message]]] = {
    **{cls.type: cls for cls in CLIENT_MESSAGES},
    Connect.type: Connect,
}
_FROM_SERVER: Final[Mapping[int, type[Message]]] = {cls.type: cls for cls in SERVER_MESSAGES}


def type_of(frame: bytes) -> int:
    """The type of a whole packet; -1 if it is too short to have one."""
    return int.from_bytes(frame[2:HEADER_SIZE], "little") if len(frame) >= HEADER_SIZE else -1


def decode_client(frame: bytes, version: CoVersion = NEWEST) -> Message:
    """What a client sent; the type that both doors know is read as at the game's. Raises WireError."""
    return _class_of(_FROM_CLIENT, frame).decode(frame, version)


def decode_server(frame: bytes, version: CoVersion) -> Message:
    """What a server sent. Raises WireError."""
    cls = _class_of(_FROM_SERVER, frame)
    if cls.type == ConnectEx.type:
        cls = ConnectEx if any(frame[HEADER_SIZE : HEADER_SIZE + 4]) else ConnectReject
    return cls.decode(frame, version)


def _class_of(classes: Mapping[int, type[Message]], frame: bytes) -> type[Message]:
    try:
        return classes[type_of(frame)]
    except KeyError:
        raise WireError(f"packet of type {type_of(frame)}") from None


def documents() -> Iterator[str]:
    """All packets as Markdown, by type, then the structures in them."""
    structures: dict[type[Struct], None] = {}
    classes = dict.fromkeys((*CLIENT_MESSAGES, *SERVER_MESSAGES))
    for cls in sorted(classes, key=lambda cls: cls.type):
        yield _document(
            f"{cls.type} {cls.__name__} ({_senders(cls)})",
            cls,
            cls.MEMBERS,
            [cls.layouts[version].members for version in CoVersion],
            HEADER_SIZE,
        )
        for member in cls.MEMBERS:
            inner = getattr(member.field, "element", None)
            if isinstance(inner, type) and hasattr(inner, "MEMBERS"):
                structures.setdefault(inner)
    for structure in structures:
        members = structure.MEMBERS
        yield _document(
            f"{structure.__name__} (structure)", structure, members, [members for _ in CoVersion], 0
        )


def _senders(cls: type[Message]) -> str:
    if cls not in SERVER_MESSAGES:
        return "from the client"
    return "both ways" if cls in CLIENT_MESSAGES else "from the server"


def _document(
    title: str,
    cls: type[Struct],
    members: Sequence[Member],
    layouts: Sequence[Sequence[Member]],
    start: int,
) -> str:
    """A heading, the docstring, a table of the fields with their offsets in each version."""
    lines = [f"### {title}", "", " ".join((cls.__doc__ or "").split()), ""]
    offsets = [_offsets(layout, start) for layout in layouts]
    heads = [f"{int(version)}" for version in CoVersion]
    lines += [f"| {' | '.join(heads)} | field | type | notes |", "|---" * (len(heads) + 3) + "|"]
    for member in members:
        places = " | ".join(found.get(member.name, "-") for found in offsets)
        name = "filler" if member.name.startswith("_") else member.name
        lines.append(f"| {places} | {name} | {member.field.describe()} | {'; '.join(member.notes)} |")
    lines.append("")
    return "\n".join(lines)


def _offsets(members: Sequence[Member], start: int) -> Mapping[str, str]:
    """Where the members of a layout lie, by name; "" behind what varies in size."""
    found: dict[str, str] = {}
    at: int | None = start
    for member in members:
        found[member.name] = "" if at is None else str(at)
        size = member.field.maximum
        at = at + size if at is not None and size is not None and size == member.field.minimum else None
    return found
