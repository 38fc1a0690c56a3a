"""The vocabulary of packet declarations.

A field type says how one attribute lies on the wire. Fixed-size ones name a `struct` code, so that runs of
them fold into one precompiled `struct.Struct`; the others read from and write to the packet's one buffer.
`protocol.wire.declare` compiles declarations made of these into plain functions; nothing here runs per field
and packet except variable-length text and lists.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Annotated, Literal, Protocol, TypeAlias

import attrs

from protocol.endings import WireError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Nested(Protocol):
    """A declared packet class as the element of a list."""

    @classmethod
    def read(cls, data: bytes, at: int) -> tuple[Nested, int]: ...
    def write(self, out: bytearray) -> None: ...


@attrs.frozen
class Field:
    """Base of all field types. `code` is a struct code without byte order, "" for variable sizes."""

    @property
    def code(self) -> str:
        """The struct code, or "" when the size is not fixed."""
        return ""

    @property
    def minimum(self) -> int:
        """Fewest bytes on the wire."""
        return 0

    @property
    def maximum(self) -> int | None:
        """Most bytes on the wire, None if only the frame bounds it."""
        return None

    def holds(self, version: object) -> bool:
        """Whether a version of the game has it; see `declare.Condition`."""
        return True

    def describe(self) -> str:
        """One or two words for the documentation."""
        raise NotImplementedError


@attrs.frozen
class Integer(Field):
    """An unsigned or signed integer of `size` bytes."""

    size: int
    signed: bool = False
    little: bool = False

    @property
    def code(self) -> str:
        letter = {1: "b", 2: "h", 4: "i", 8: "q"}[self.size]
        return letter if self.signed else letter.upper()

    @property
    def minimum(self) -> int:
        return self.size

    @property
    def maximum(self) -> int:
        return self.size

    def describe(self) -> str:
        return f"{'s' if self.signed else 'u'}{self.size * 8}{' LE' if self.little and self.size > 1 else ''}"


@attrs.frozen
class Boolean(Field):
    """One byte, 0 or not."""

    @property
    def code(self) -> str:
        return "?"

    @property
    def minimum(self) -> int:
        return 1

    @property
    def maximum(self) -> int:
        return 1

    def describe(self) -> str:
        return "bool"


@attrs.frozen
class Blob(Field):
    """Exactly `size` bytes."""

    size: int

    @property
    def code(self) -> str:
        return f"{self.size}s"

    @property
    def minimum(self) -> int:
        return self.size

    @property
    def maximum(self) -> int:
        return self.size

    def describe(self) -> str:
        return f"bytes[{self.size}]"


@attrs.frozen
class Constant(Field):
    """Bytes that always read `value`; not an attribute of the packet, not checked when read."""

    value: bytes

    @property
    def code(self) -> str:
        return f"{len(self.value)}x"

    @property
    def minimum(self) -> int:
        return len(self.value)

    @property
    def maximum(self) -> int:
        return len(self.value)

    def describe(self) -> str:
        return f"{len(self.value)} zero" if not any(self.value) else f"const {self.value.hex()}"


@attrs.frozen
class Text(Field):
    """Base of all text: decoded with replacement, never raising; NUL ends it."""

    encoding: str = "latin-1"

    def decode(self, raw: bytes) -> str:
        """Bytes as text; what cannot be read becomes U+FFFD, so that no spelling ends a client."""
        return raw.decode(self.encoding, "replace")

    def encode(self, text: str) -> bytes:
        """Text as bytes; what the encoding lacks becomes a question mark, NUL becomes nothing."""
        return text.replace("\0", "").encode(self.encoding, "replace")


@attrs.frozen
class FixedText(Text):
    """`size` bytes, NUL padded."""

    size: int = attrs.field(kw_only=True)

    @property
    def code(self) -> str:
        return f"{self.size}s"

    @property
    def minimum(self) -> int:
        return self.size

    @property
    def maximum(self) -> int:
        return self.size

    def decode(self, raw: bytes) -> str:
        return raw.partition(b"\0")[0].decode(self.encoding, "replace")

    def encode(self, text: str) -> bytes:
        return Text.encode(self, text)[: self.size]

    def describe(self) -> str:
        return f"text[{self.size}]"


class Variable(Protocol):
    """A field whose size is in the packet itself."""

    def read(self, data: bytes, at: int) -> tuple[object, int]:
        """The value at `at` and where the next field begins. Raises WireError."""

    def write(self, out: bytearray, value: object) -> None:
        """Append the value."""


@attrs.frozen
class ZeroText(Text):
    """Text up to a NUL of one (or, `wide`, two aligned) bytes, or to the end of the frame."""

    wide: bool = False

    @property
    def minimum(self) -> int:
        return 0

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        """Text at `at`, and the offset behind its NUL."""
        if not self.wide:
            end = data.find(b"\0", at)
            if end < 0:
                return self.decode(data[at:]), len(data)
            return self.decode(data[at:end]), end + 1
        end = data.find(b"\0\0", at)
        while end >= 0 and (end - at) % 2:
            end = data.find(b"\0\0", end + 1)
        if end < 0:
            return self.decode(data[at : at + (len(data) - at) // 2 * 2]), len(data)
        return self.decode(data[at:end]), end + 2

    def write(self, out: bytearray, value: str) -> None:
        """Append the text and its NUL."""
        out += self.encode(value)
        out += b"\0\0" if self.wide else b"\0"

    def describe(self) -> str:
        return f"{self.encoding} text, NUL"


@attrs.frozen
class CountedText(Text):
    """A big-endian u16 count of characters (`unit` bytes each), then the text."""

    unit: int = 1

    @property
    def minimum(self) -> int:
        return 2

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        """Text at `at`, and the offset behind it. Raises WireError if the frame ends before it does."""
        if at + 2 > len(data):
            raise WireError("text without its count")
        end = at + 2 + int.from_bytes(data[at : at + 2], "big") * self.unit
        if end > len(data):
            raise WireError("text longer than its packet")
        return self.decode(data[at + 2 : end]), end

    def write(self, out: bytearray, value: str) -> None:
        """Append count and text."""
        raw = self.encode(value)
        out += (len(raw) // self.unit).to_bytes(2, "big")
        out += raw

    def describe(self) -> str:
        return f"u16 count, {self.encoding} text"


@attrs.frozen
class Rest(Field):
    """Everything up to the end of the frame."""

    def read(self, data: bytes, at: int) -> tuple[bytes, int]:
        """The bytes from `at` on."""
        return data[at:], len(data)

    def write(self, out: bytearray, value: bytes) -> None:
        """Append the bytes."""
        out += value

    def describe(self) -> str:
        return "rest"


@attrs.frozen
class Listed(Field):
    """Several of another declared class: counted by an integer of `count` bytes, or (0) up to the end of the
    frame."""

    element: type[Nested]
    count: int = 0
    limit: int = 1024
    optional: bool = False
    """Whether the frame may end before the count: then there are none."""
    little: bool = False
    """Byte order of the count."""

    @property
    def minimum(self) -> int:
        return 0 if self.optional else self.count

    def read(self, data: bytes, at: int) -> tuple[tuple[Nested, ...], int]:
        """The elements at `at`, and the offset behind them. Raises WireError for more than `limit`,
        struct.error if the frame ends before the count."""
        elements: list[Nested] = []
        read = self.element.read
        if self.optional and at >= len(data):
            return (), at
        if self.count:
            if at + self.count > len(data):
                raise struct.error("list without its count")
            count = int.from_bytes(data[at : at + self.count], "little" if self.little else "big")
            at += self.count
            if count > self.limit:
                raise WireError(f"list of {count}, at most {self.limit} allowed")
            for _ in range(count):
                element, at = read(data, at)
                elements.append(element)
        else:
            while at < len(data):
                element, at = read(data, at)
                elements.append(element)
        return tuple(elements), at

    def write(self, out: bytearray, value: Sequence[Nested]) -> None:
        """Append count and elements."""
        if self.count:
            out += len(value).to_bytes(self.count, "little" if self.little else "big")
        for element in value:
            element.write(out)

    def describe(self) -> str:
        head = f"u{self.count * 8} count, " if self.count else ""
        return f"{head}{self.element.__name__}..."


@attrs.frozen
class Numbers(Field):
    """Several integers of `size` bytes: counted by an integer of `count` bytes, or (0) up to the end."""

    size: int
    count: int = 0
    limit: int = 1024
    optional: bool = False
    """Whether the frame may end before the count: then there are none."""
    little: bool = False
    """Byte order of the count, and of the integers."""
    gap: int = 0
    """Zeros behind the count, which a reader does not look at."""

    @property
    def _order(self) -> Literal["little", "big"]:
        return "little" if self.little else "big"

    @property
    def minimum(self) -> int:
        return 0 if self.optional else self.count + self.gap

    def read(self, data: bytes, at: int) -> tuple[tuple[int, ...], int]:
        """The numbers at `at`, and the offset behind them. Raises WireError if there are more than `limit` or
        than the frame holds, struct.error if it ends before the count."""
        if self.optional and at >= len(data):
            return (), at
        if self.count:
            if at + self.count + self.gap > len(data):
                raise struct.error("list without its count")
            count = int.from_bytes(data[at : at + self.count], self._order)
            at += self.count + self.gap
        else:
            count = (len(data) - at) // self.size
        end = at + count * self.size
        if count > self.limit or end > len(data):
            raise WireError(f"list of {count} numbers does not fit its packet")
        step, order = self.size, self._order
        return tuple(int.from_bytes(data[i : i + step], order) for i in range(at, end, step)), end

    def write(self, out: bytearray, value: Sequence[int]) -> None:
        """Append count and numbers."""
        order = self._order
        if self.count:
            out += len(value).to_bytes(self.count, order) + bytes(self.gap)
        for number in value:
            out += number.to_bytes(self.size, order)

    def describe(self) -> str:
        head = f"u{self.count * 8} count, " if self.count else ""
        return f"{head}u{self.size * 8}..."


@attrs.frozen
class Optional(Field):
    """A tail that old clients leave out: `default` is read where the frame ends before it."""

    inner: Integer
    default: int = 0

    def read(self, data: bytes, at: int) -> tuple[int, int]:
        """The value, or the default at the end of the frame."""
        end = at + self.inner.size
        if end > len(data):
            return self.default, len(data)
        if self.inner.little:
            return int.from_bytes(data[at:end], "little", signed=self.inner.signed), end
        return int.from_bytes(data[at:end], "big", signed=self.inner.signed), end

    def write(self, out: bytearray, value: int) -> None:
        """Append the value."""
        out += value.to_bytes(
            self.inner.size, "little" if self.inner.little else "big", signed=self.inner.signed
        )

    def describe(self) -> str:
        return f"{self.inner.describe()}, optional"


U8: TypeAlias = Annotated[int, Integer(1)]
U16: TypeAlias = Annotated[int, Integer(2)]
U32: TypeAlias = Annotated[int, Integer(4)]
U64: TypeAlias = Annotated[int, Integer(8)]
S8: TypeAlias = Annotated[int, Integer(1, signed=True)]
S16: TypeAlias = Annotated[int, Integer(2, signed=True)]
S32: TypeAlias = Annotated[int, Integer(4, signed=True)]
U16LE: TypeAlias = Annotated[int, Integer(2, little=True)]
U32LE: TypeAlias = Annotated[int, Integer(4, little=True)]
U64LE: TypeAlias = Annotated[int, Integer(8, little=True)]
S16LE: TypeAlias = Annotated[int, Integer(2, signed=True, little=True)]
S32LE: TypeAlias = Annotated[int, Integer(4, signed=True, little=True)]
Flag: TypeAlias = Annotated[bool, Boolean()]
Tail: TypeAlias = Annotated[bytes, Rest()]
