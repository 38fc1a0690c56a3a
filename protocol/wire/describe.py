"""Packet declarations as Markdown, for `causeway packets GAME`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.wire.declare import Packet


def describe(cls: type[Packet], direction: str) -> str:
    """One packet as a heading, its docstring and a table of its fields with offsets while they are fixed."""
    number = f"0x{cls.opcode:02X}"
    size = f"{cls.length} bytes" if cls.length is not None else f"variable, at least {cls.minimum}"
    lines = [
        f"### {number} {cls.__name__} ({direction}, {size})",
        "",
        " ".join((cls.__doc__ or "").split()),
        "",
    ]
    if cls.MEMBERS:
        lines += ["| offset | field | type | notes |", "|---|---|---|---|"]
        at: int | None = len(cls.header.prefix)
        for member in cls.MEMBERS:
            notes = "; ".join(member.notes)
            lines.append(
                f"| {'' if at is None else at} | {member.name} | {member.field.describe()} | {notes} |"
            )
            fixed = member.field.maximum
            at = (
                at + fixed if at is not None and fixed is not None and fixed == member.field.minimum else None
            )
        lines.append("")
    return "\n".join(lines)
