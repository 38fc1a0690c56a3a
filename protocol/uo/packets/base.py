"""Declaring Ultima Online's packets.

A packet of fixed size is its opcode and its fields; the others carry a u16 with the size of the whole packet
behind the opcode. 0xBF is a family of its own: a u16 behind the size says which packet it is. Its members are
numbered 0xBF00 plus that number, so that each is a packet like any other. 0xD7 is the same, with the player's
serial before that u16.
"""

import typing
from collections.abc import Callable
from typing import Annotated, Final, TypeAlias, TypeVar, cast

import attrs

from protocol.endings import WireError
from protocol.wire import declare
from protocol.wire.declare import Header, Packet, Struct
from protocol.wire.fields import Blob, Constant, Field, FixedText, ZeroText

C = TypeVar("C", bound=type)
E = TypeVar("E", bound=Struct)

EXTENDED: Final = 0xBF
"""The opcode whose packets are told apart by the u16 at offset 3."""

ENCODED: Final = 0xD7
"""The opcode whose packets are told apart by the u16 at offset 7, behind the player's serial."""


class ClientPacket(Packet):
    """A packet that clients send."""

    __slots__ = ()


class ServerPacket(Packet):
    """A packet that servers send."""

    __slots__ = ()


@typing.dataclass_transform()
def packet(
    opcode: int,
    *,
    length: int | None = None,
    least: int | None = None,
    droppable: bool = False,
    trailing: bool = False,
) -> Callable[[C], C]:
    """Declare a packet; `length` is its fixed size in bytes, None: it carries its size.

    An opcode above 0xFF is 0xBF00 plus the number of an extended packet, or (any other) 0x100 times an opcode
    plus a number of ours, which tells two layouts of the same client packet apart. A class with a layout of
    its own (`read` and `write`) says with `least` how few bytes it may take. `trailing`: more may follow
    the fields, as behind the NUL of a text of what the client keeps in a buffer.
    """
    first = opcode >> 8 if opcode > 0xFF else opcode
    if length is not None:
        header = Header(bytes([first]))
    elif first == EXTENDED:
        header = Header(bytes([first, 0, 0, 0, opcode & 0xFF]), length_at=1)
    else:
        header = Header(bytes([first, 0, 0]), length_at=1)
    decorate = declare.packet(opcode, header=header, length=length, droppable=droppable, trailing=trailing)
    if least is None:
        return decorate

    def with_own_layout(cls: C) -> C:
        declared = decorate(cls)
        made = cast("type[Packet]", declared)
        made.minimum, made.maximum = least, None
        return declared

    return with_own_layout


@typing.dataclass_transform()
def element(cls: C) -> C:
    """Declare the element of a list."""
    return declare.element(cls)


class Written(tuple[E, ...]):
    """Elements that are told again and again as they are, and are written once."""

    raw: bytes | None = None


@attrs.frozen
class UntilZero(Field):
    """A list of another declared class that ends with zeros where its first number, of `size` bytes, would
    be."""

    element: type[Struct]
    size: int = 4

    @property
    def minimum(self) -> int:
        return self.size

    def read(self, data: bytes, at: int) -> tuple[tuple[Struct, ...], int]:
        """The elements at `at`, and the offset behind the zero. Raises WireError if there is none."""
        found: list[Struct] = []
        while True:
            if at + self.size > len(data):
                raise WireError("list without its end")
            if not any(data[at : at + self.size]):
                return tuple(found), at + self.size
            one, at = self.element.read(data, at)
            found.append(one)

    def write(self, out: bytearray, value: "typing.Sequence[Struct]") -> None:
        """Append the elements and the zero."""
        if not isinstance(value, Written):
            for one in value:
                one.write(out)
        elif value.raw is None:
            begins = len(out)
            for one in value:
                one.write(out)
            value.raw = bytes(out[begins:])
        else:
            out += value.raw
        out += bytes(self.size)

    def describe(self) -> str:
        return f"{self.element.__name__}..., u{self.size * 8} zero"


@attrs.frozen
class CountedUtf16(Field):
    """A big-endian u16 with the number of bytes, then little-endian UTF-16: arguments of the client's own
    texts."""

    @property
    def minimum(self) -> int:
        return 2

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        """The text at `at`, and the offset behind it. Raises WireError if it is longer than its packet."""
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        if at + 2 > len(data) or end > len(data):
            raise WireError("text longer than its packet")
        return data[at + 2 : end].decode("utf-16-le", "replace"), end

    def write(self, out: bytearray, value: str) -> None:
        """Append size and text."""
        raw = value.encode("utf-16-le", "replace")
        out += len(raw).to_bytes(2, "big")
        out += raw

    def describe(self) -> str:
        return "u16 bytes, utf-16-le text"


@attrs.frozen
class CountedLatin(Field):
    """A big-endian count of `size` bytes, then so many characters of Latin-1; with `ends` a NUL is the last
    of them. What is longer than the count can say is cut."""

    size: int
    ends: bool = False

    @property
    def minimum(self) -> int:
        return self.size

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        """The text at `at`, and the offset behind it. Raises WireError if it is longer than its packet."""
        start = at + self.size
        end = start + int.from_bytes(data[at:start], "big")
        if start > len(data) or end > len(data):
            raise WireError("text longer than its packet")
        return data[start:end].partition(b"\0")[0].decode("latin-1"), end

    def write(self, out: bytearray, value: str) -> None:
        """Append size and text."""
        end = b"\0" if self.ends else b""
        raw = value.encode("latin-1", "replace")[: 256**self.size - 1 - len(end)] + end
        out += len(raw).to_bytes(self.size, "big")
        out += raw

    def describe(self) -> str:
        return f"u{self.size * 8} bytes, text{' and NUL' if self.ends else ''}"


def zeros(size: int) -> Constant:
    """`size` bytes nobody knows a use for."""
    return Constant(bytes(size))


Name: TypeAlias = Annotated[str, FixedText(size=30)]
"""A name as nearly every packet carries one."""
Key: TypeAlias = Annotated[bytes, Blob(4)]
"""The four bytes that lead from the login connection to the game connection; also its seed."""
Address: TypeAlias = Annotated[bytes, Blob(4)]
"""An IPv4 address, in the order it is written."""
Language: TypeAlias = Annotated[str, FixedText(size=4)]
Ascii: TypeAlias = Annotated[str, ZeroText()]
Unicode: TypeAlias = Annotated[str, ZeroText(encoding="utf-16-be", wide=True)]
UnicodeLE: TypeAlias = Annotated[str, ZeroText(encoding="utf-16-le", wide=True)]
