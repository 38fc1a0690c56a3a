"""Declares Conquer Online's packets: typed classes whose fields lie on the wire in their order.

    size (u16, counts itself) | type (u16) | fields

All numbers are little-endian; texts have one byte a letter (Windows-1252). A packet has the same type in all
versions. Where its fields differ, members carry `Since` or `Before`, and the class has one layout for each
version; in the others all are the same. What clients send is read leniently: fields that are missing at the
end are 0, and what follows the last is ignored.

    @from_server(1101)
    class MapItem(Message):
        \"\"\"Something lies on the ground, or is gone from there.\"\"\"
        id: U32
        ...
        colour: Annotated[U16, Since(CoVersion.V5065)] = 0
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Self, TypeAlias, TypeVar, dataclass_transform

import attrs

from protocol.co.versions import NEWEST, CoVersion
from protocol.endings import WireError
from protocol.wire import declare
from protocol.wire.declare import NOT_FITTING, EncodeError, Layout, Member, Struct, misfit
from protocol.wire.fields import Constant, Field, FixedText, Integer
from protocol.wire.lenient import read_lenient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

C = TypeVar("C", bound=type)

HEADER_SIZE: Final = 4
"""Bytes of size and type."""

ENCODING: Final = "cp1252"

NAME_SIZE: Final = 16
"""Bytes of a name outside of string packs, with its NUL."""

LONGEST_STRING: Final = 255
"""Bytes of one string in a string pack."""


@attrs.frozen
class Since:
    """The member is there from this version on."""

    version: CoVersion

    def holds(self, version: CoVersion) -> bool:
        """Whether a version has it."""
        return version >= self.version


@attrs.frozen
class Before:
    """The member is there in all versions before this one."""

    version: CoVersion

    def holds(self, version: CoVersion) -> bool:
        """Whether a version has it."""
        return version < self.version


@attrs.frozen
class Gap(Constant):
    """Zeros that a reader does not look at, in some versions."""

    only: Since | Before | None = None

    def holds(self, version: object) -> bool:
        """See Field."""
        return self.only is None or (isinstance(version, CoVersion) and self.only.holds(version))


class Message(Struct):
    """One packet, size and type not included."""

    __slots__ = ()

    type: ClassVar[int] = -1
    layouts: ClassVar[Mapping[CoVersion, Layout]] = {}
    droppable: ClassVar[bool] = False
    """Whether a slow client may lose it (its loss leaves no wrong belief)."""
    secret: ClassVar[bool] = False
    """Whether it tells its receiver a key, so that nobody may write it down."""

    @classmethod
    def decode(cls, frame: bytes, version: CoVersion = NEWEST) -> Self:
        """The packet in `frame` (size and type included). Raises WireError, never anything else."""
        layout = cls.layouts[version]
        packet: Self = read_lenient(cls.__name__, layout.read, layout.members, frame, HEADER_SIZE)
        return packet

    def encode(self, version: CoVersion) -> bytes:
        """The whole packet. Raises EncodeError if a number does not fit its field, or the packet its size."""
        out = bytearray(HEADER_SIZE)
        layout = self.layouts[version]
        try:
            layout.write(self, out)
        except NOT_FITTING as error:
            raise misfit(self, layout.members, error) from None
        if len(out) > LARGEST:
            raise EncodeError(f"{type(self).__name__} of {len(out)} bytes, at most {LARGEST} allowed")
        _HEADER.pack_into(out, 0, len(out), self.type)
        return bytes(out)


_HEADER: Final = struct.Struct("<HH")
LARGEST: Final = 0xFFFF
"""Bytes of a packet, as its size field holds them."""


_FROM_CLIENT: Final[list[type[Message]]] = []
_FROM_SERVER: Final[list[type[Message]]] = []
_NAMES: Final[dict[int, str]] = {}


def declared() -> tuple[tuple[type[Message], ...], tuple[type[Message], ...]]:
    """All packets of clients and all of servers, in the order of their declaration."""
    return tuple(_FROM_CLIENT), tuple(_FROM_SERVER)


def name_of_type(type_: int) -> str:
    """The name of packets of a type; where the two sides' differ, that of servers'."""
    return _NAMES.get(type_, f"{type_}")


@dataclass_transform()
def message(type_: int, *, droppable: bool = False, secret: bool = False) -> Callable[[C], C]:
    """Declare a packet that both sides send."""
    return _declared(type_, (_FROM_CLIENT, _FROM_SERVER), droppable=droppable, secret=secret)


@dataclass_transform()
def from_client(type_: int, *, secret: bool = False) -> Callable[[C], C]:
    """Declare a packet that only clients send."""
    return _declared(type_, (_FROM_CLIENT,), droppable=False, secret=secret)


@dataclass_transform()
def from_server(type_: int, *, droppable: bool = False, secret: bool = False) -> Callable[[C], C]:
    """Declare a packet that only servers send."""
    return _declared(type_, (_FROM_SERVER,), droppable=droppable, secret=secret)


def _declared(
    type_: int, senders: tuple[list[type[Message]], ...], *, droppable: bool, secret: bool
) -> Callable[[C], C]:
    def decorate(cls: C) -> C:
        declared = declare.element(cls)
        if not issubclass(declared, Message):
            raise TypeError(f"{cls.__name__} is no Message")
        declared.type, declared.droppable, declared.secret = type_, droppable, secret
        declared.layouts = declare.layouts(declared, CoVersion, _layout)
        for sender in senders:
            sender.append(declared)
        if type_ not in _NAMES or senders[-1] is _FROM_SERVER:
            _NAMES[type_] = declared.__name__
        return declared

    return decorate


def _layout(cls: type[Struct], members: tuple[Member, ...], title: str) -> Layout:
    """The layout of these members. What reads stops before a gap at the end: it is not always sent."""
    made = declare.layout(cls, members, title)
    if not members or not isinstance(members[-1].field, Gap):
        return made
    return attrs.evolve(made, read=declare.layout(cls, members[:-1], f"{title} without its end").read)


@dataclass_transform()
def element(cls: C) -> C:
    """Declare a structure inside packets: the same in all versions."""
    return declare.element(cls)


# Field types


@attrs.frozen
class EndedText(FixedText):
    """`size` bytes, NUL padded, of which the last one written is always NUL: clients read on until they find
    one."""

    def encode(self, text: str) -> bytes:
        return super().encode(text)[: self.size - 1]


@attrs.frozen
class StringPack(Field):
    """Several texts: their number (u8), then for each the number of its bytes (u8) and these. Longer ones are
    cut, and of more than `limit` the rest is left out."""

    limit: int = 255

    @property
    def minimum(self) -> int:
        return 1

    def read(self, data: bytes, at: int) -> tuple[tuple[str, ...], int]:
        """The texts at `at`, and the offset behind them. Raises WireError if there are more than `limit`, or
        the packet ends before them."""
        if at >= len(data):
            raise struct.error("string pack without its count")
        count = data[at]
        if count > self.limit:
            raise WireError(f"{count} strings, at most {self.limit} allowed")
        at += 1
        texts: list[str] = []
        for _ in range(count):
            if at >= len(data):
                raise WireError("a string pack with fewer strings than it says")
            end = at + 1 + data[at]
            if end > len(data):
                raise WireError("a string longer than its packet")
            raw = data[at + 1 : end]
            texts.append(raw.decode("ascii" if raw.isascii() else ENCODING, "replace"))
            at = end
        return tuple(texts), at

    def write(self, out: bytearray, value: Sequence[str]) -> None:
        """Append count and texts."""
        texts = value[: self.limit]
        out.append(len(texts))
        for text in texts:
            text = text.replace("\0", "")
            raw = text.encode("ascii" if text.isascii() else ENCODING, "replace")[:LONGEST_STRING]
            out.append(len(raw))
            out += raw

    def describe(self) -> str:
        return "u8 count, each u8 length and text"


U8: TypeAlias = Annotated[int, Integer(1)]
U16: TypeAlias = Annotated[int, Integer(2, little=True)]
U32: TypeAlias = Annotated[int, Integer(4, little=True)]
U64: TypeAlias = Annotated[int, Integer(8, little=True)]
S16: TypeAlias = Annotated[int, Integer(2, signed=True, little=True)]
S32: TypeAlias = Annotated[int, Integer(4, signed=True, little=True)]
Name: TypeAlias = Annotated[str, EndedText(encoding=ENCODING, size=NAME_SIZE)]
Strings: TypeAlias = Annotated[tuple[str, ...], StringPack()]
