"""Puts the fields of a layout together: functions that read and write one class.

Neighbours of fixed size fold into one `struct.Struct`, so that a structure of thirty numbers is one call.
"""

from __future__ import annotations

import math
import operator
import struct
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast

import attrs

from protocol.endings import WireError
from protocol.eq2 import compounds
from protocol.eq2.compounds import alone
from protocol.eq2.kinds import Fixed, Variable
from protocol.eq2.packets import Record

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
    """How one class lies on the wire in one version."""

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
    optional = isinstance(kind, compounds.Maybe)

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
