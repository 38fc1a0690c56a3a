"""Kinds of fields that a message can have: the vocabulary of `data/eq2/<version>/messages.toml`.

Everything is little-endian. Fixed kinds name a `struct` code, so that neighbours fold into one precompiled
`struct.Struct`; the others read from and write to the message's one buffer. Nothing here knows of a message.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Final, Protocol, cast

import attrs

from protocol.endings import WireError
from protocol.eq2.packing import small

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_ENCODING: Final = "latin-1"  # every byte is a letter of it, so no text can fail to decode


@attrs.frozen
class Fixed:
    """A value of `size` bytes. `inward` and `outward` turn what `struct` yields into the attribute and back,
    None where they are the same."""

    code: str
    size: int
    python: type
    blank: object
    """The attribute of a field whose bytes are all zero."""
    many: bool = False
    """Whether the attribute is a tuple of `python`."""
    is_float: bool = False
    inward: Callable[[object], object] | None = None
    outward: Callable[[object], object] | None = None


class Variable(Protocol):
    """A field whose size the message itself tells, or that is made of others."""

    @property
    def python(self) -> type:
        """Of what class the attribute is, or its elements are."""

    @property
    def many(self) -> bool:
        """Whether the attribute is a tuple."""

    @property
    def minimum(self) -> int:
        """Fewest bytes on the wire."""

    @property
    def maximum(self) -> int | None:
        """Most bytes on the wire, None if only the message bounds it."""

    @property
    def blank(self) -> object:
        """The value that a field without a name is sent as."""

    def read(self, data: bytes, at: int) -> tuple[object, int]:
        """The value at `at` and where the next field begins. Raises WireError or struct.error."""

    def write(self, out: bytearray, value: object) -> None:
        """Append the value."""


def _integer(code: str) -> Fixed:
    return Fixed(code, struct.calcsize(f"<{code}"), int, 0)


SCALARS: Final[Mapping[str, Fixed]] = {
    "u8": _integer("B"),
    "u16": _integer("H"),
    "u32": _integer("I"),
    "u64": _integer("Q"),
    "i8": _integer("b"),
    "i16": _integer("h"),
    "i32": _integer("i"),
    "f32": Fixed("f", 4, float, 0.0, is_float=True),
    "color": Fixed("3s", 3, bytes, bytes(3)),
}
"""Numbers by name, and the three bytes of a color."""


def fixed_text(size: int) -> Fixed:
    """Text of `size` bytes, filled up with NULs; at least one of them, so what is too long is cut."""

    def inward(value: object) -> object:
        return cast("bytes", value).partition(b"\0")[0].decode(_ENCODING)

    def outward(value: object) -> object:
        return cast("str", value).replace("\0", "").encode(_ENCODING, "replace")[: size - 1]

    return Fixed(f"{size}s", size, str, "", inward=inward, outward=outward)


def fixed_bytes(size: int) -> Fixed:
    """Exactly `size` bytes."""
    return Fixed(f"{size}s", size, bytes, bytes(size))


def fixed_array(scalar: Fixed, count: int) -> Fixed:
    """`count` scalars: a tuple. Raises ValueError for floats, whose arrays have names of their own."""
    layout = struct.Struct("<" + scalar.code * count)

    def inward(value: object) -> object:
        return layout.unpack(cast("bytes", value))

    def outward(value: object) -> object:
        return layout.pack(*cast("Sequence[object]", value))

    if scalar.is_float:
        raise ValueError("floats have names of their own")
    blank = (scalar.blank,) * count
    return Fixed(f"{layout.size}s", layout.size, scalar.python, blank, True, False, inward, outward)


@attrs.frozen
class Text:
    """A count of bytes in `width` bytes, then the text."""

    width: int
    python: type = str
    many: bool = False
    maximum: int | None = None
    blank: object = ""

    @property
    def minimum(self) -> int:
        return self.width

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        """Text at `at` without its NULs, which no client types, and the offset behind it. Raises WireError if
        the text is longer than its message."""
        begin = at + self.width
        end = begin + int.from_bytes(data[at:begin], "little")
        if end > len(data) or begin > len(data):
            raise WireError("text longer than its message")
        return data[begin:end].replace(b"\0", b"").decode(_ENCODING), end

    def write(self, out: bytearray, value: str) -> None:
        """Append count and text; OverflowError if it does not fit its count."""
        raw = value.replace("\0", "").encode(_ENCODING, "replace")
        out += len(raw).to_bytes(self.width, "little")
        out += raw


@attrs.frozen
class Small:
    """A number that is mostly small: a byte below FF; FF and u16 below FFFF; FF FF and u32."""

    python: type = int
    many: bool = False
    maximum: int | None = None
    minimum: int = 1
    blank: object = 0

    def read(self, data: bytes, at: int) -> tuple[int, int]:
        """The number at `at`, and the offset behind it. Raises WireError if the message ends before."""
        if at >= len(data):
            raise WireError("message ends early")
        if data[at] != 0xFF:
            return data[at], at + 1
        begin, end = (at + 1, at + 3) if data[at + 1 : at + 3] != b"\xff\xff" else (at + 3, at + 7)
        if end > len(data):
            raise WireError("message ends early")
        return int.from_bytes(data[begin:end], "little"), end

    def write(self, out: bytearray, value: int) -> None:
        """Append the number."""
        out += small(value)


def read_type_id(data: bytes, at: int) -> tuple[int, int]:
    """The number of a message at `at` (a byte below FF, or FF and u16) and the offset behind it. Raises
    WireError if the data ends before."""
    if at >= len(data):
        raise WireError("message without a type")
    if data[at] != 0xFF:
        return data[at], at + 1
    if at + 3 > len(data):
        raise WireError("message without a type")
    return int.from_bytes(data[at + 1 : at + 3], "little"), at + 3


def write_type_id(number: int) -> bytes:
    """A message's number as bytes."""
    return bytes((number,)) if number < 0xFF else b"\xff" + number.to_bytes(2, "little")


@attrs.frozen
class TypeId:
    """A number written like that of a message."""

    python: type = int
    many: bool = False
    maximum: int | None = None
    minimum: int = 1
    blank: object = 0

    def read(self, data: bytes, at: int) -> tuple[int, int]:
        """The number at `at`, and the offset behind it."""
        return read_type_id(data, at)

    def write(self, out: bytearray, value: int) -> None:
        """Append the number; OverflowError above 65535."""
        out += write_type_id(value)


@attrs.frozen
class Blob:
    """A u32 size, at most `limit`, then so many bytes."""

    limit: int
    python: type = bytes
    many: bool = False
    maximum: int | None = None
    minimum: int = 4
    blank: object = b""

    def read(self, data: bytes, at: int) -> tuple[bytes, int]:
        """The bytes at `at`, and the offset behind them. Raises WireError if they are more than the limit, or
        than there are."""
        begin = at + 4
        size = int.from_bytes(data[at:begin], "little")
        if size > self.limit or begin + size > len(data):
            raise WireError(f"{size} bytes do not fit")
        return data[begin : begin + size], begin + size

    def write(self, out: bytearray, value: bytes) -> None:
        """Append size and bytes. Raises ValueError for more than the limit, which the client would not
        take."""
        if len(value) > self.limit:
            raise ValueError(f"{len(value)} bytes, at most {self.limit} allowed")
        out += len(value).to_bytes(4, "little")
        out += value


@attrs.frozen
class Rest:
    """Everything up to the end."""

    python: type = bytes
    many: bool = False
    maximum: int | None = None
    minimum: int = 0
    blank: object = b""

    def read(self, data: bytes, at: int) -> tuple[bytes, int]:
        """The bytes from `at` on."""
        return data[at:], len(data)

    def write(self, out: bytearray, value: bytes) -> None:
        """Append the bytes."""
        out += value


SMALL: Final = Small()

VARIABLES: Final[Mapping[str, Variable]] = {
    "s8": cast("Variable", Text(1)),
    "s16": cast("Variable", Text(2)),
    "small": cast("Variable", SMALL),
    "type": cast("Variable", TypeId()),
    "rest": cast("Variable", Rest()),
}
"""Fields of any size by name."""

# Made of others

MOST_ELEMENTS: Final = 4096
"""Elements of a list whose layout names no bound of its own."""


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
        """Append all of them. Raises ValueError if the number is wrong."""
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
        """The elements at `at`, and the offset behind them. Raises WireError if they are more than the limit,
        or than there can be."""
        counted, at = self.counter.read(data, at)
        count = cast("int", counted)
        if count > self.limit or count * self.element.minimum > len(data) - at:
            raise WireError(f"list of {count} does not fit")
        return _read_many(self.element, count, data, at)

    def write(self, out: bytearray, value: Sequence[object]) -> None:
        """Append count and elements. Raises ValueError for more than the limit."""
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
        """The value at `at`, and the offset behind it. Raises WireError for a float that is no finite
        number."""
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
