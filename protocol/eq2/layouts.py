"""Compiles the layouts of one version: from `messages.toml` to functions that read and write.

    [Greeting]
    size = 7
    fields = [["color", "color"], ["", "u16", 7], ["volume", "u16"]]

`size` need not be said; if it is, the fields must add up to it. Each field is a name and a type, in wire
order. A field without a name is filler: sent as zero (or empty, or as its third element says), skipped when
read. The types:

    u8 u16 u32 u64 i8 i16 i32 f32      numbers; a float that is not finite ends the client
    color                              three bytes
    char[n]  bytes[n]  u16[n]          text filled up with NULs; bytes; a tuple of numbers or structures
    s8  s16                            a count of bytes in one or two bytes, then text
    small                              a byte; or FF, u16; or FF FF, u32
    type                               a byte; or FF, u16: as the number of a message
    blob[n]                            u32 size, at most n, then bytes
    rest                               what is left
    Name                               a structure: another table of the file
    sized Name                         a small size, then the structure; nothing behind a size of 0
    u8*Name  u16*s8  u32*u16 max 9     a count, then so many; "max" is 4096 if not said
    type?                              may be missing at the end of the message: None

All mistakes of a file are reported at once, and what class and layout do not agree on is a mistake too, so
that nothing is found out while somebody plays.
"""

from __future__ import annotations

import re
import struct
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

import attrs

from protocol.eq2 import compounds, kinds
from protocol.eq2.assembly import FieldRow, Layout, assemble, filler
from protocol.eq2.compounds import Structure, alone
from protocol.eq2.kinds import Fixed, Variable
from protocol.tables import LookError, nearest

if typing.TYPE_CHECKING:
    from protocol.eq2.packets import Record

_SIZED: Final = re.compile(r"(\w+)\[(\d+)\]")
_LISTED: Final = re.compile(r"(u8|u16|u32|small)\*(\w+)(?: max (\d+))?")


class Layouts:
    """All layouts of one version, by class."""

    def __init__(self, where: str, tables: Mapping[str, object], classes: Sequence[type[Record]]) -> None:
        """Compile `tables` for `classes`. Raises LookError with one line for each mistake; `where` is the
        file."""
        self._where = where
        self._problems: list[str] = []
        self._tables = tables
        self._classes = {cls.__name__: cls for cls in classes}
        self._done: dict[str, Layout | None] = {}
        for name in tables.keys() - self._classes.keys():
            self._problem(name, f"no class of that name{nearest(name, list(self._classes))}")
        for name in self._classes:
            self._layout(name)
        if self._problems:
            raise LookError(self._problems)
        self._by_class = {layout.cls: layout for layout in self._done.values() if layout is not None}

    def __getitem__(self, cls: type[Record]) -> Layout:
        return self._by_class[cls]

    def _problem(self, key: str, what: str) -> None:
        self._problems.append(f"{self._where}: {key}: {what}")

    def _layout(self, name: str) -> Layout | None:
        """The layout of that name; None, and a problem, if there is none."""
        if name not in self._done:
            self._done[name] = None  # should it contain itself
            self._done[name] = self._compile(name)
        return self._done[name]

    def _compile(self, name: str) -> Layout | None:
        rows = self._rows(name)
        if rows is None:
            return None
        fields: list[tuple[FieldRow, Fixed | Variable]] = []
        for row in rows:
            try:
                fields.append((row, self._kind(row.type)))
            except ValueError as error:
                self._problem(name, f"{row.name or 'filler'}: {error}")
        if len(fields) < len(rows):
            return None
        cls = self._classes[name]
        disagreements = list(_disagreements(cls, fields))
        for what in disagreements:
            self._problem(name, what)
        if disagreements:
            return None
        layout = assemble(cls, rows, fields)
        wanted = cast("Mapping[str, object]", self._tables[name]).get("size", layout.size)
        if wanted != layout.size:
            self._problem(name, f"size: is {layout.size or 'not fixed'}, must be {wanted!r}")
        return layout

    def _rows(self, name: str) -> list[FieldRow] | None:
        table = self._tables.get(name)
        if table is None:
            self._problem(name, "is missing")
            return None
        if not isinstance(table, Mapping) or not isinstance(table.get("fields"), list):
            self._problem(name, "must be a table with a list: fields")
            return None
        for key in table.keys() - {"fields", "size"}:
            self._problem(name, f"unknown key {key!r}{nearest(key, ['fields', 'size'])}")
        rows = []
        for number, row in enumerate(table["fields"]):
            if (
                isinstance(row, list)
                and 2 <= len(row) <= 3
                and all(isinstance(word, str) for word in row[:2])
            ):
                rows.append(FieldRow(*row))
            else:
                self._problem(
                    name, f'fields[{number}]: must be [name, type] or ["", type, value], is {row!r}'
                )
        return rows if len(rows) == len(table["fields"]) else None

    def _kind(self, text: str) -> Fixed | Variable:
        """What a type says. Raises ValueError."""
        if text in kinds.SCALARS:
            return kinds.SCALARS[text]
        if text in kinds.VARIABLES:
            return kinds.VARIABLES[text]
        if text.endswith("?"):
            return cast("Variable", compounds.Maybe(alone(self._kind(text[:-1]))))
        if text.startswith("sized "):
            return cast("Variable", compounds.Sized(self._structure(text.removeprefix("sized "))))
        if found := _LISTED.fullmatch(text):
            counter, element, limit = found.groups()
            return cast(
                "Variable",
                compounds.Listed(
                    alone(self._kind(counter)),
                    alone(self._kind(element)),
                    int(limit or compounds.MOST_ELEMENTS),
                ),
            )
        if found := _SIZED.fullmatch(text):
            return self._sized(found[1], int(found[2]))
        if text in self._classes:
            return cast("Variable", compounds.Inner(self._structure(text)))
        known = [*kinds.SCALARS, *kinds.VARIABLES, *self._classes]
        raise ValueError(f"no type {text!r}{nearest(text, known)}")

    def _sized(self, name: str, size: int) -> Fixed | Variable:
        if not size:
            raise ValueError("must not be empty")
        if name == "char":
            return kinds.fixed_text(size)
        if name == "bytes":
            return kinds.fixed_bytes(size)
        if name == "blob":
            return cast("Variable", kinds.Blob(size))
        element = self._kind(name)
        if isinstance(element, Fixed):
            return kinds.fixed_array(element, size)
        return cast("Variable", compounds.Repeated(element, size))

    def _structure(self, name: str) -> Structure:
        layout = self._layout(name) if name in self._classes else None
        if layout is None:
            raise ValueError(f"no structure {name!r}, or none that can be read")
        return cast("Structure", layout)


# What class and layout have to agree on


def _disagreements(cls: type[Record], fields: Sequence[tuple[FieldRow, Fixed | Variable]]) -> Iterator[str]:
    hints = typing.get_type_hints(cls)
    attributes = [attribute.name for attribute in attrs.fields(cast("type[attrs.AttrsInstance]", cls))]
    names = [row.name for row, _ in fields if row.name]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{name}: is there twice"
    for name in attributes:
        if name not in names:
            yield f"{name}: is missing, {cls.__name__} has it"
    for row, kind in fields:
        if not row.name:
            try:
                filler(alone(kind), row.value)
            except (struct.error, AttributeError, TypeError, ValueError, OverflowError):
                yield f"filler of type {row.type} cannot be {row.value!r}"
        elif row.name not in attributes:
            yield f"{row.name}: {cls.__name__} has no such attribute{nearest(row.name, attributes)}"
        elif row.value is not None:
            yield f"{row.name}: only filler has a value"
        elif not _fits(hints[row.name], kind):
            yield f"{row.name}: {row.type} does not fit the attribute"
    optional = [isinstance(kind, compounds.Maybe) for _, kind in fields]
    if any(optional) and not all(optional[optional.index(True) :]):
        yield "behind a field that may be missing all others may be missing"


def _fits(hint: object, kind: Fixed | Variable) -> bool:
    """Whether an attribute annotated like that can hold what the field is."""
    optional = typing.get_origin(hint) in (typing.Union, types.UnionType)
    if optional != isinstance(kind, compounds.Maybe | compounds.Sized):
        return False
    if optional:
        (hint,) = (part for part in typing.get_args(hint) if part is not types.NoneType)
    if kind.many:
        return typing.get_origin(hint) is tuple and typing.get_args(hint)[0] is kind.python
    return hint is kind.python
