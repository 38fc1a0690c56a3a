"""Declarations of Lineage II's messages: typed classes whose fields lie on the wire in their order.

All numbers are little-endian, texts are UTF-16 and end with a zero. A class has no opcode: each version of
the client has numbers of its own, which are data (`data/l2/<version>/opcodes.toml`, read by
`protocol.l2.versions`). Messages of the login door have one opcode for ever; they are declared with
`login_packet` and need no version.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Annotated, Final, Self, TypeAlias, TypeVar, dataclass_transform

import attrs

from protocol.l2.versions import Message
from protocol.wire import declare
from protocol.wire.declare import Header, Packet, Struct
from protocol.wire.fields import Constant, Field, Integer, Listed, Nested, Numbers, ZeroText
from protocol.wire.lenient import read_lenient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

C = TypeVar("C", bound=type)


_FROM_CLIENT: list[type[Message]] = []
_FROM_SERVER: list[type[Message]] = []


@dataclass_transform()
def from_client(cls: C) -> C:
    """Declare a message that clients send."""
    return _declare(cls, _FROM_CLIENT)


@dataclass_transform()
def from_server(cls: C) -> C:
    """Declare a message that servers send."""
    return _declare(cls, _FROM_SERVER)


def _declare(cls: C, direction: list[type[Message]]) -> C:
    declared = declare.element(cls)
    if not issubclass(declared, Message):
        raise TypeError(f"{cls.__name__} is no Message")
    declared.role = len(_FROM_CLIENT) + len(_FROM_SERVER)
    direction.append(declared)
    return declared


def declared() -> tuple[tuple[type[Message], ...], tuple[type[Message], ...]]:
    """All messages of clients and all of servers, in the order of their declaration."""
    return tuple(_FROM_CLIENT), tuple(_FROM_SERVER)


@dataclass_transform()
def element(cls: C) -> C:
    """Declare a structure inside messages."""
    return declare.element(cls)


def least(cls: type[Struct]) -> int:
    """Bytes of the shortest body."""
    return sum(member.field.minimum for member in cls.MEMBERS)


# Messages of the login door


class LoginMessage(Packet):
    """One message of the login door: an opcode and fields. What is missing at the end reads as 0, what is too
    much is padding and checksum."""

    __slots__ = ()

    @classmethod
    def decode(cls, frame: bytes) -> Self:
        """The message in `frame` (opcode included). Raises WireError, never anything else."""
        message: Self = read_lenient(cls.__name__, cls.read, cls.MEMBERS, frame, len(cls.header.prefix))
        return message


@dataclass_transform()
def login_packet(opcode: int) -> Callable[[C], C]:
    """Declare a message of the login door."""
    return declare.packet(opcode, header=Header(bytes([opcode])))


# Field types


@attrs.frozen
class Float(Integer):
    """A floating-point number of eight bytes, little-endian (an Integer for its byte order only)."""

    size: int = 8
    signed: bool = True
    little: bool = True

    @property
    def code(self) -> str:
        return "d"

    def describe(self) -> str:
        return "f64 LE"


_LETTERS: Final = {1: "B", 2: "H", 4: "i"}


@attrs.frozen
class Several(Field):
    """A fixed number of integers of `size` bytes; more are cut off, and zeros stand for missing ones."""

    number: int
    size: int = 4
    _layout: struct.Struct = attrs.field(init=False, repr=False, eq=False)

    @property
    def minimum(self) -> int:
        return self._layout.size

    @property
    def maximum(self) -> int:
        return self._layout.size

    @_layout.default
    def _make_layout(self) -> struct.Struct:
        return struct.Struct(f"<{self.number}{_LETTERS[self.size]}")

    def read(self, data: bytes, at: int) -> tuple[tuple[int, ...], int]:
        """The integers at `at`, and the offset behind them."""
        return self._layout.unpack_from(data, at), at + self._layout.size

    def write(self, out: bytearray, value: Sequence[int]) -> None:
        """Append the integers."""
        fitted = [*value[: self.number], *[0] * (self.number - len(value))]
        out += self._layout.pack(*fitted)

    def describe(self) -> str:
        return f"{self.number} x {'s' if self.size == 4 else 'u'}{self.size * 8} LE"


@attrs.frozen
class One(Field):
    """Another declared class in place, without a count."""

    element: type[Nested]

    @property
    def minimum(self) -> int:
        members: Sequence[declare.Member] = getattr(self.element, "MEMBERS", ())
        return sum(member.field.minimum for member in members)

    def read(self, data: bytes, at: int) -> tuple[Nested, int]:
        """The structure at `at`, and the offset behind it."""
        return self.element.read(data, at)

    def write(self, out: bytearray, value: Nested) -> None:
        """Append the structure."""
        value.write(out)

    def describe(self) -> str:
        return self.element.__name__


def counted(element: type[Nested], count: int = 4, limit: int = 1024) -> Listed:
    """Several of another declared class, after their number: an integer of `count` bytes."""
    return Listed(element, count, limit, little=True)


def numbers(size: int, count: int, limit: int = 1024) -> Numbers:
    """Several integers of `size` bytes, after their number: an integer of `count` bytes."""
    return Numbers(size, count, limit, little=True)


def zeros(size: int) -> Constant:
    """`size` bytes that no server is known to fill."""
    return Constant(bytes(size))


def number(value: int) -> Constant:
    """A 32-bit number that never varies."""
    return Constant(value.to_bytes(4, "little"))


# The letters are those of the community's notation of this protocol.

D: TypeAlias = Annotated[int, Integer(4, signed=True, little=True)]
"""A signed 32-bit number: what most of this protocol is made of."""
H: TypeAlias = Annotated[int, Integer(2, little=True)]
"""An unsigned 16-bit number."""
C8: TypeAlias = Annotated[int, Integer(1)]
"""A byte."""
Q: TypeAlias = Annotated[int, Integer(8, little=True, signed=True)]
"""A signed 64-bit number."""
F: TypeAlias = Annotated[float, Float()]
"""A floating-point number of eight bytes."""
S: TypeAlias = Annotated[str, ZeroText(encoding="utf-16-le", wide=True)]
"""A text."""
Key: TypeAlias = Annotated[int, Integer(4, little=True)]
"""One of the random numbers that lead from the login door to the game door; unsigned."""

PAPERDOLL: Final = (
    "hair_all",
    "right_ear",
    "left_ear",
    "neck",
    "right_finger",
    "left_finger",
    "head",
    "right_hand",
    "left_hand",
    "gloves",
    "chest",
    "legs",
    "feet",
    "back",
    "both_hands",
    "hair",
    "face",
)
"""What the 17 numbers of a paperdoll stand for, in their order."""

Paperdoll: TypeAlias = Annotated[tuple[int, ...], Several(len(PAPERDOLL))]

EMPTY_PAPERDOLL: Final = (0,) * len(PAPERDOLL)
