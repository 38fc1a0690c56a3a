"""Fields of messages that are made of others: structures, lists, and what may be missing."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Final, Protocol, cast

import attrs

from protocol.endings import WireError
from protocol.eq2.kinds import SMALL, Fixed, Variable
from protocol.eq2.packing import small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.packets import Record

MOST_ELEMENTS: Final = 4096
"""Elements of a list whose layout names no bound of its own."""


class Structure(Protocol):
    """A compiled layout, as fields use it."""

    @property
    def cls(self) -> type[Record]:
        """What it describes."""

    @property
    def minimum(self) -> int:
        """Fewest bytes on the wire."""

    @property
    def size(self) -> int | None:
        """Bytes on the wire, None if they vary."""

    def read(self, data: bytes, at: int) -> tuple[Record, int]:
        """The record at `at` and what follows it."""

    def write(self, out: bytearray, value: Record) -> None:
        """Append the record."""


@attrs.frozen
class Inner:
    """A structure in its place."""

    structure: Structure
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

    structure: Structure
    many: bool = False
    maximum: int | None = None
    minimum: int = 1
    blank: object = None

    @property
    def python(self) -> type:
        return self.structure.cls

    def read(self, data: bytes, at: int) -> tuple[Record | None, int]:
        """The structure at `at`."""
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


@attrs.frozen
class Repeated:
    """A fixed number of one kind."""

    element: Variable
    count: int
    many: bool = True

    @property
    def python(self) -> type:
        return self.element.python

    @property
    def minimum(self) -> int:
        return self.element.minimum * self.count

    @property
    def blank(self) -> object:
        return (self.element.blank,) * self.count

    @property
    def maximum(self) -> int | None:
        most = self.element.maximum
        return None if most is None else most * self.count

    def read(self, data: bytes, at: int) -> tuple[tuple[object, ...], int]:
        """All of them."""
        return _read_many(self.element, self.count, data, at)

    def write(self, out: bytearray, value: Sequence[object]) -> None:
        """Append all of them; ValueError if the number is wrong."""
        if len(value) != self.count:
            raise ValueError(f"{len(value)} of {self.count}")
        for element in value:
            self.element.write(out, element)


@attrs.frozen
class Listed:
    """A count, at most `limit`, then so many of one kind."""

    counter: Variable
    element: Variable
    limit: int
    many: bool = True
    maximum: int | None = None
    blank: object = ()

    @property
    def python(self) -> type:
        return self.element.python

    @property
    def minimum(self) -> int:
        return self.counter.minimum

    def read(self, data: bytes, at: int) -> tuple[tuple[object, ...], int]:
        """The elements at `at`."""
        counted, at = self.counter.read(data, at)
        count = cast("int", counted)
        if count > self.limit or count * self.element.minimum > len(data) - at:
            raise WireError(f"list of {count} does not fit")
        return _read_many(self.element, count, data, at)

    def write(self, out: bytearray, value: Sequence[object]) -> None:
        """Append count and elements; ValueError for more than the limit."""
        if len(value) > self.limit:
            raise ValueError(f"list of {len(value)}, at most {self.limit} allowed")
        self.counter.write(out, len(value))
        for element in value:
            self.element.write(out, element)


@attrs.frozen
class Maybe:
    """A field at the end that may be missing: None then."""

    inner: Variable
    maximum: int | None = None

    @property
    def python(self) -> type:
        return self.inner.python

    @property
    def many(self) -> bool:
        return self.inner.many

    @property
    def minimum(self) -> int:
        return 0

    @property
    def blank(self) -> object:
        return self.inner.blank

    def read(self, data: bytes, at: int) -> tuple[object, int]:
        """The value, None at the end."""
        return (None, at) if at >= len(data) else self.inner.read(data, at)

    def write(self, out: bytearray, value: object) -> None:
        """Append the value, if there is one."""
        if value is not None:
            self.inner.write(out, value)


@attrs.frozen
class Single:
    """A fixed field on its own, as an element or where it may be missing."""

    fixed: Fixed

    @property
    def python(self) -> type:
        return self.fixed.python

    @property
    def many(self) -> bool:
        return self.fixed.many

    @property
    def minimum(self) -> int:
        return self.fixed.size

    @property
    def blank(self) -> object:
        return self.fixed.blank

    @property
    def maximum(self) -> int | None:
        return self.fixed.size

    def read(self, data: bytes, at: int) -> tuple[object, int]:
        """The value at `at`."""
        (value,) = struct.unpack_from("<" + self.fixed.code, data, at)
        if self.fixed.is_float and not math.isfinite(value):
            raise WireError(f"{value} is no number")
        if self.fixed.inward is not None:
            value = self.fixed.inward(value)
        return value, at + self.fixed.size

    def write(self, out: bytearray, value: object) -> None:
        """Append the value."""
        if self.fixed.outward is not None:
            value = self.fixed.outward(value)
        out += struct.pack("<" + self.fixed.code, value)


def _read_many(element: Variable, count: int, data: bytes, at: int) -> tuple[tuple[object, ...], int]:
    values = []
    for _ in range(count):
        value, at = element.read(data, at)
        values.append(value)
    return tuple(values), at


def alone(kind: Fixed | Variable) -> Variable:
    """The kind as a field of its own."""
    return cast("Variable", Single(kind)) if isinstance(kind, Fixed) else kind
