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

import math
import operator
import re
import struct
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, cast

import attrs

from protocol.endings import WireError
from protocol.eq2.fields import (
    MOST_ELEMENTS,
    SCALARS,
    SMALL,
    VARIABLES,
    Blob,
    Fixed,
    Listed,
    Maybe,
    Repeated,
    Variable,
    alone,
    fixed_array,
    fixed_bytes,
    fixed_text,
)
from protocol.eq2.packing import small
from protocol.tables import LookError, nearest

_SIZED: Final = re.compile(r"(\w+)\[(\d+)\]")
_LISTED: Final = re.compile(r"(u8|u16|u32|small)\*(\w+)(?: max (\d+))?")


class Record:
    """A structure inside messages, or one that lies packed in a message."""

    __slots__ = ()


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
        """The kind of field that a type names. Raises ValueError."""
        if text in SCALARS:
            return SCALARS[text]
        if text in VARIABLES:
            return VARIABLES[text]
        if text.endswith("?"):
            return cast("Variable", Maybe(alone(self._kind(text[:-1]))))
        if text.startswith("sized "):
            return cast("Variable", Sized(self._structure(text.removeprefix("sized "))))
        if found := _LISTED.fullmatch(text):
            counter, element, limit = found.groups()
            return cast(
                "Variable",
                Listed(
                    alone(self._kind(counter)),
                    alone(self._kind(element)),
                    int(limit or MOST_ELEMENTS),
                ),
            )
        if found := _SIZED.fullmatch(text):
            return self._sized(found[1], int(found[2]))
        if text in self._classes:
            return cast("Variable", Inner(self._structure(text)))
        known = [*SCALARS, *VARIABLES, *self._classes]
        raise ValueError(f"no type {text!r}{nearest(text, known)}")

    def _sized(self, name: str, size: int) -> Fixed | Variable:
        if not size:
            raise ValueError("must not be empty")
        if name == "char":
            return fixed_text(size)
        if name == "bytes":
            return fixed_bytes(size)
        if name == "blob":
            return cast("Variable", Blob(size))
        element = self._kind(name)
        if isinstance(element, Fixed):
            return fixed_array(element, size)
        return cast("Variable", Repeated(element, size))

    def _structure(self, name: str) -> Layout:
        layout = self._layout(name) if name in self._classes else None
        if layout is None:
            raise ValueError(f"no structure {name!r}, or none that can be read")
        return layout


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
    optional = [isinstance(kind, Maybe) for _, kind in fields]
    if any(optional) and not all(optional[optional.index(True) :]):
        yield "behind a field that may be missing all others may be missing"


def _fits(hint: object, kind: Fixed | Variable) -> bool:
    """Whether an attribute annotated like that can hold what the field is."""
    optional = typing.get_origin(hint) in (typing.Union, types.UnionType)
    if optional != isinstance(kind, Maybe | Sized):
        return False
    if optional:
        (hint,) = (part for part in typing.get_args(hint) if part is not types.NoneType)
    if kind.many:
        return typing.get_origin(hint) is tuple and typing.get_args(hint)[0] is kind.python
    return hint is kind.python


# Puts the fields of a layout together

Reader: TypeAlias = Callable[[bytes, int, list[object]], int]
Writer: TypeAlias = Callable[[bytearray, Record], None]


@attrs.frozen
class FieldRow:
    """One field as the file has it."""

    name: str
    type: str
    value: object = None


@attrs.frozen(eq=False)
class Layout:
    """The wire form of one class in one version."""

    cls: type[Record]
    fields: Sequence[FieldRow]
    kinds: Mapping[str, Fixed | Variable]
    """What each attribute is on the wire, in wire order."""
    minimum: int
    """Fewest bytes."""
    size: int | None
    """Bytes, None if they vary."""
    readers: Sequence[Reader]
    """Each appends the values of its fields and yields the offset behind them."""
    writers: Sequence[Writer]
    make: Callable[[list[object]], Record]
    """Turns the values, in wire order, into a record."""

    def read(self, data: bytes, at: int) -> tuple[Record, int]:
        """The record at `at` and the offset behind it. Raises WireError."""
        values: list[object] = []
        try:
            for read in self.readers:
                at = read(data, at, values)
        except (struct.error, WireError) as error:
            raise WireError(f"{self.cls.__name__}: {error}") from None
        return self.make(values), at

    def write(self, out: bytearray, value: Record) -> None:
        """Append the record. struct.error, ValueError or OverflowError if a value does not fit: our bug."""
        for write in self.writers:
            write(out, value)


def assemble(
    cls: type[Record], rows: Sequence[FieldRow], fields: Sequence[tuple[FieldRow, Fixed | Variable]]
) -> Layout:
    """The layout of `cls`, whose attributes are known to agree with `fields`."""
    readers: list[Reader] = []
    writers: list[Writer] = []
    for run in _runs(fields):
        row, kind = run[0]
        if isinstance(kind, Fixed) and (row.name or row.value is None):
            read, write = _run([(row.name, cast("Fixed", kind)) for row, kind in run])
        elif row.name:
            read, write = _field(row.name, cast("Variable", kind))
        else:
            read, write = filler(alone(kind), row.value)
        readers.append(read)
        writers.append(write)
    minimum = sum(alone(kind).minimum for _, kind in fields)
    maxima = [alone(kind).maximum for _, kind in fields]
    size = minimum if None not in maxima and sum(cast("list[int]", maxima)) == minimum else None
    named = {row.name: kind for row, kind in fields if row.name}
    return Layout(cls, rows, named, minimum, size, readers, writers, _maker(cls, list(named)))


def _runs(
    fields: Sequence[tuple[FieldRow, Fixed | Variable]],
) -> Iterator[list[tuple[FieldRow, Fixed | Variable]]]:
    """Fixed neighbours together, every other field, and filler that is not zero, alone."""
    run: list[tuple[FieldRow, Fixed | Variable]] = []
    for row, kind in fields:
        if isinstance(kind, Fixed) and (row.name or row.value is None):
            run.append((row, kind))
            continue
        if run:
            yield run
            run = []
        yield [(row, kind)]
    if run:
        yield run


def _run(members: Sequence[tuple[str, Fixed]]) -> tuple[Reader, Writer]:
    """Reader and writer of fixed fields side by side; those without a name are zeros."""
    layout = struct.Struct("<" + "".join(kind.code if name else f"{kind.size}x" for name, kind in members))
    named = [(name, kind) for name, kind in members if name]
    inward = [(at, kind.inward) for at, (_, kind) in enumerate(named) if kind.inward is not None]
    outward = [(at, kind.outward) for at, (_, kind) in enumerate(named) if kind.outward is not None]
    floats = [at for at, (_, kind) in enumerate(named) if kind.is_float]
    size, unpack, pack = layout.size, layout.unpack_from, layout.pack
    values_of = _getter([name for name, _ in named])

    def read(data: bytes, at: int, values: list[object]) -> int:
        got = unpack(data, at)
        # Floats of four bytes add up to no infinity unless one of them is none.
        if floats and not math.isfinite(sum([got[i] for i in floats])):
            raise WireError("a float is not finite")
        if inward:
            made = list(got)
            for i, convert in inward:
                made[i] = convert(got[i])
            values += made
        else:
            values += got
        return at + size

    if not outward:

        def write(out: bytearray, record: Record) -> None:
            out += pack(*values_of(record))

    else:

        def write(out: bytearray, record: Record) -> None:
            values = list(values_of(record))
            for i, convert in outward:
                values[i] = convert(values[i])
            out += pack(*values)

    return read, write


def _getter(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    """Reads those attributes."""
    if not names:
        return lambda record: ()
    if len(names) == 1:
        one = operator.attrgetter(names[0])
        return lambda record: (one(record),)
    return cast("Callable[[object], tuple[object, ...]]", operator.attrgetter(*names))


def _field(name: str, kind: Variable) -> tuple[Reader, Writer]:
    """Reader and writer of one field of variable size."""
    read_one, write_one, value_of = kind.read, kind.write, operator.attrgetter(name)

    def read(data: bytes, at: int, values: list[object]) -> int:
        value, at = read_one(data, at)
        values.append(value)
        return at

    def write(out: bytearray, record: Record) -> None:
        write_one(out, value_of(record))

    return read, write


def filler(kind: Variable, value: object) -> tuple[Reader, Writer]:
    """Reader and writer of what has no name. Filler that may be missing may end early, too."""
    sent = bytearray()
    kind.write(sent, kind.blank if value is None else value)
    constant = bytes(sent)
    optional = isinstance(kind, Maybe)

    def read(data: bytes, at: int, values: list[object]) -> int:
        try:
            return kind.read(data, at)[1]
        except (WireError, struct.error):
            if not optional:
                raise
            return len(data)

    def write(out: bytearray, record: Record) -> None:
        out += constant

    return read, write


class _Maker(typing.Protocol):
    """A class of records, called with its attributes in their order."""

    def __call__(self, *values: object) -> Record: ...


def _maker(cls: type[Record], names: Sequence[str]) -> Callable[[list[object]], Record]:
    """Turns the values of the named fields, in wire order, into a record."""
    make = cast("_Maker", cls)
    order = [
        names.index(attribute.name) for attribute in attrs.fields(cast("type[attrs.AttrsInstance]", cls))
    ]
    if order == list(range(len(names))):
        return lambda values: make(*values)
    in_order = operator.itemgetter(*order)  # at least two, or they were in order
    return lambda values: make(*in_order(values))


# Structures as fields


@attrs.frozen
class Inner:
    """A structure in its place."""

    structure: Layout
    many: bool = False
    blank: object = None

    @property
    def python(self) -> type:
        return self.structure.cls

    @property
    def minimum(self) -> int:
        return self.structure.minimum

    @property
    def maximum(self) -> int | None:
        return self.structure.size

    def read(self, data: bytes, at: int) -> tuple[Record, int]:
        """The structure at `at`."""
        return self.structure.read(data, at)

    def write(self, out: bytearray, value: Record) -> None:
        """Append the structure."""
        self.structure.write(out, value)


@attrs.frozen
class Sized:
    """A structure behind its size in bytes (a small number); nothing but a size of 0 for None."""

    structure: Layout
    many: bool = False
    maximum: int | None = None
    minimum: int = 1
    blank: object = None

    @property
    def python(self) -> type:
        return self.structure.cls

    def read(self, data: bytes, at: int) -> tuple[Record | None, int]:
        """The structure at `at`, and the offset behind it. Raises WireError if it is longer than its
        message."""
        size, at = SMALL.read(data, at)
        if not size:
            return None, at
        end = at + size
        if end > len(data):
            raise WireError(f"{size} bytes do not fit")
        value, _ = self.structure.read(data[at:end], 0)
        return value, end

    def write(self, out: bytearray, value: Record | None) -> None:
        """Append size and structure."""
        if value is None:
            out.append(0)
            return
        part = bytearray()
        self.structure.write(part, value)
        out += small(len(part))
        out += part
