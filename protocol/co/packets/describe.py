"""Describes the packets for people, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.co.packets import CLIENT_MESSAGES, HEADER_SIZE, SERVER_MESSAGES
from protocol.co.versions import CoVersion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.co.packets import Message
    from protocol.wire.declare import Member, Struct


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
    """Offsets of the members of a layout, by name; "" behind what varies in size."""
    found: dict[str, str] = {}
    at: int | None = start
    for member in members:
        found[member.name] = "" if at is None else str(at)
        size = member.field.maximum
        at = at + size if at is not None and size is not None and size == member.field.minimum else None
    return found
