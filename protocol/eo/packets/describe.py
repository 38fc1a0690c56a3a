"""Descriptions of Endless Online's packets, from eolib's signatures and docstrings: for docs and tests."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from protocol.eo.packets import name_of

if TYPE_CHECKING:
    from eolib import Packet


class Field(NamedTuple):
    """One line of a packet's documentation. Members of nested structures and arrays have dotted names."""

    name: str
    type: str
    note: str


# eolib documents a number by its range; each width has one.
_WIDTHS = {
    "0-252": "char",
    "0-255": "byte",
    "0-64008": "short",
    "0-16194276": "three",
    "0-4097152080": "int",
}
_RANGE = re.compile(r"\s*\((?:Element v|V)alue range is (\d+-\d+)\.\)")
_ARGUMENT = re.compile(r"^\s+(\w+) \(.*?\): ?(.*)$", re.MULTILINE)


def describe(packet: type) -> list[Field]:
    """The fields of a packet in wire order, read from eolib's signatures and docstrings."""
    return list(_fields(packet, ""))


def fields_of(struct: type) -> dict[str, object]:
    """Name and type of each field of a structure of eolib, in wire order."""
    init = inspect.getattr_static(struct, "__init__")
    if not inspect.isfunction(init):
        return {}
    hints: dict[str, object] = typing.get_type_hints(init)
    hints.pop("return", None)
    return hints


def notes_of(struct: type) -> dict[str, str]:
    """eolib's words about each field of a structure."""
    return dict(_ARGUMENT.findall(inspect.getdoc(inspect.getattr_static(struct, "__init__")) or ""))


def _fields(struct: type, prefix: str) -> Iterable[Field]:
    notes = notes_of(struct)
    for name, hint in fields_of(struct).items():
        note = notes.get(name, "")
        found = _RANGE.search(note)
        width = _WIDTHS[found[1]] if found else ""
        yield Field(prefix + name, _type_name(hint, width), _RANGE.sub("", note).strip())
        many = "[]" if typing.get_origin(hint) is Iterable else ""
        for part in _structs_in(hint):
            yield from _fields(part, f"{prefix}{name}{many}.{_variant(part, struct)}")


def _type_name(hint: object, width: str) -> str:
    """A field's type in the community's notation."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is Iterable:
        return f"{_type_name(arguments[0], width)}[]"
    if arguments:
        names = [_type_name(part, width) for part in arguments if part is not type(None)]
        return " or ".join(names) + (", may be absent" if type(None) in arguments else "")
    if hint is int:
        return width or "int"
    if hint is str:
        return "string"
    return hint.__qualname__.rpartition(".")[2] if isinstance(hint, type) else str(hint)


def _structs_in(hint: object) -> list[type]:
    """The structures of eolib a field may hold, in the order of the declaration."""
    if isinstance(hint, type) and hint.__module__.startswith("eolib.") and "serialize" in vars(hint):
        return [hint]
    return [struct for part in typing.get_args(hint) for struct in _structs_in(part)]


def _variant(part: type, owner: type) -> str:
    """Alternatives of a field are told apart by their name; a plain structure needs none."""
    return f"{part.__name__}." if part.__qualname__.startswith(f"{owner.__qualname__}.") else ""


def document(packet: type[Packet], direction: str) -> str:
    """One packet as Markdown: a heading, eolib's summary, a table of its fields."""
    number = f"family {int(packet.family())}, action {int(packet.action())}"
    summary = " ".join((inspect.getdoc(packet) or "").split())
    lines = [f"### {name_of(packet)} ({direction}, {number})", "", summary, ""]
    fields = describe(packet)
    if fields:
        lines += ["| field | type | notes |", "|---|---|---|"]
        lines += [f"| {field.name} | {field.type} | {field.note} |" for field in fields]
        lines.append("")
    return "\n".join(lines)
