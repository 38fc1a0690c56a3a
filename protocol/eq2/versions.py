"""The versions of the client that are served: numbers and layouts of each, from `data/eq2/<version>/`.

    build.toml      which numbers its clients name, and how it packs
    opcodes.toml    the numbers of messages: [root] on their own, [nested] inside ClientCmd
    messages.toml   their layouts, see `protocol.eq2.layouts`

A message is a type id (a byte below FF, else FF and u16) and a body. Nested ones travel in a ClientCmd: its
u32 length, then one or several of them, each with its own type id.

Which messages there are is not known here: `protocol.eq2.packets` hands in its catalogue, and every class of
it has to have a number and a layout. So packets stand above this, and a mistake in data/ is found at start.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar, cast

import attrs

from protocol.endings import WireError
from protocol.eq2.fields import read_type_id, write_type_id
from protocol.eq2.layouts import Layouts, Record
from protocol.tables import LookError, nearest, read

if TYPE_CHECKING:
    from protocol.eq2.layouts import Layout


GAME: Final = "eq2"

CLIENT_CMD: Final = "ClientCmd"
"""The name of the root message that carries nested ones."""

UNKNOWN: Final = 0x10000
"""What is added to the type id of a message that has no class; roles are below."""

_NO_TYPE: Final = 0xFFFF  # a message that ends before its type id does


class Message(Record):
    """One application message."""

    __slots__ = ()

    role: ClassVar[int] = -1
    """The number that handlers are found by; -1 for what cannot be sent."""
    droppable: ClassVar[bool] = False
    """Whether a slow client may lose it (its loss leaves no wrong belief)."""
    secret: ClassVar[bool] = False
    """Whether it tells its receiver a key, so that nobody may write it down."""


R = TypeVar("R", bound=Record)
M = TypeVar("M", bound=Message)


@attrs.frozen
class Catalogue:
    """The classes that a version has numbers and layouts for; `protocol.eq2.packets` declares them."""

    from_client: tuple[type[Message], ...]
    """All messages that clients send."""
    from_server: tuple[type[Message], ...]
    """All messages that servers send."""
    records: tuple[type[Record], ...]
    """All structures."""

    @property
    def messages(self) -> tuple[type[Message], ...]:
        """All messages, each once."""
        return *self.from_client, *(cls for cls in self.from_server if cls not in self.from_client)


@attrs.frozen
class _VersionRow:
    """build.toml. `versions`: the first and the last number of a client that is of this version;
    `reverse`: whether groups of packed bytes are written last byte first."""

    versions: tuple[int, ...]
    reverse: bool


@attrs.frozen(eq=False)
class Eq2Version:
    """One version: turns messages into bytes and back."""

    name: str
    index: int
    """Its place among the versions, the first byte of the frames that its clients' codecs hand out."""
    numbers: tuple[int, int]
    """The first and the last number that a client of this version may name."""
    reverse: bool
    """Its way of packing: an argument of `pack` and `unpack`."""
    names: Mapping[int, str]
    """The name of each type id, known messages or not."""
    layouts: Layouts
    catalogue: Catalogue
    """The classes that it has numbers and layouts for."""
    _prefixes: Mapping[type[Message], bytes]
    _command: bytes
    _nested: frozenset[type[Message]]
    _from_client: Mapping[int, type[Message]]
    _from_server: Mapping[int, type[Message]]

    # Messages

    def encode(self, message: Message) -> bytes:
        """Type id and body; a nested message in a ClientCmd of its own. Raises ValueError if a value does not
        fit: our bug."""
        cls = type(message)
        out = bytearray(self._prefixes[cls])
        try:
            self.layouts[cls].write(out, message)
        except (struct.error, OverflowError) as error:
            raise ValueError(f"{message!r}: {error}") from None
        if cls in self._nested:
            at = len(self._command)
            out[at : at + 4] = (len(out) - at - 4).to_bytes(4, "little")
        return bytes(out)

    def decode_client(self, payload: bytes) -> Message:
        """A client's message; WireError if it is unknown or broken. What follows its last field is
        ignored."""
        message, _ = self._decode(self._from_client, payload, 0)
        return message

    def decode_server(self, payload: bytes) -> list[Message]:
        """A server's message, or all that a ClientCmd carries. Raises WireError if one is unknown or
        broken."""
        if not payload.startswith(self._command):
            message, _ = self._decode(self._from_server, payload, 0)
            return [message]
        at = len(self._command)
        end = at + 4 + int.from_bytes(payload[at : at + 4], "little")
        at += 4
        if end != len(payload):
            raise WireError(f"ClientCmd of {end} bytes in {len(payload)}")
        messages = []
        while at < end:
            message, at = self._decode(self._from_server, payload, at)
            messages.append(message)
        return messages

    def _decode(self, classes: Mapping[int, type[Message]], data: bytes, at: int) -> tuple[Message, int]:
        number, at = read_type_id(data, at)
        cls = classes.get(number)
        if cls is None:
            raise WireError(f"unknown message {number} {self.names.get(number, '')}".rstrip())
        message, at = self.layouts[cls].read(data, at)
        return cast("Message", message), at

    def number_of(self, cls: type[Message]) -> int:
        """The type id of a class in this version."""
        prefix = self._prefixes[cls]
        number, _ = read_type_id(prefix, len(self._command) + 4 if cls in self._nested else 0)
        return number

    def is_nested(self, cls: type[Message]) -> bool:
        """Whether it travels in a ClientCmd."""
        return cls in self._nested

    def role_of(self, frame: bytes) -> int:
        """The role of a client's message in a frame of the codec (version, type id, body); UNKNOWN plus the
        type id if it has no class."""
        try:
            number, _ = read_type_id(frame, 1)
        except WireError:
            return UNKNOWN + _NO_TYPE
        cls = self._from_client.get(number)
        return UNKNOWN + number if cls is None else cls.role

    # Structures

    def size_of(self, cls: type[Record]) -> int:
        """Bytes of a structure. Raises ValueError if its size varies."""
        size = self.layouts[cls].size
        if size is None:
            raise ValueError(f"{cls.__name__} has no fixed size")
        return size

    def pack_struct(self, record: Record) -> bytes:
        """A structure as plain bytes, not yet packed. Raises ValueError if a value does not fit: our bug."""
        out = bytearray()
        try:
            self.layouts[type(record)].write(out, record)
        except (struct.error, OverflowError) as error:
            raise ValueError(f"{record!r}: {error}") from None
        return bytes(out)

    def unpack_struct(self, cls: type[R], data: bytes) -> R:
        """The structure that `data` is. Raises WireError if it is not exactly that long, or holds what cannot
        be."""
        record, end = self.layouts[cls].read(data, 0)
        if end != len(data):
            raise WireError(f"{cls.__name__} of {len(data)} bytes instead of {end}")
        return cast("R", record)


class Tabled(Protocol):
    """Holds the tables of data/: the world's content, of which nothing else concerns this module."""

    @property
    def tables(self) -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, object]]]]:
        """By game, version and file."""


class Eq2Versions:
    """All versions, ascending."""

    def __init__(self, versions: Sequence[Eq2Version]) -> None:
        self.all = tuple(versions)
        self.newest = self.all[-1]

    @classmethod
    def from_content(cls, content: Tabled, catalogue: Catalogue) -> Eq2Versions:
        """The versions of data/eq2/. Raises LookError with every mistake in them."""
        return cls.from_tables(content.tables.get(GAME, {}), catalogue)

    @classmethod
    def from_tables(
        cls, tables: Mapping[str, Mapping[str, Mapping[str, object]]], catalogue: Catalogue
    ) -> Eq2Versions:
        """The versions of tables by name of the version and of the file. Raises LookError with every
        mistake."""
        problems: list[str] = []
        versions: list[Eq2Version] = []
        for name in sorted(tables, key=lambda name: (len(name), name)):
            try:
                versions.append(_version(name, len(versions), tables[name], catalogue))
            except LookError as error:
                problems += error.problems
        if not tables:
            problems.append(f"{GAME}/: no version")
        if problems:
            raise LookError(problems)
        return cls(versions)

    def of_number(self, number: int) -> Eq2Version | None:
        """The version that a client names by that number; None if it is not served here."""
        return next(
            (version for version in self.all if version.numbers[0] <= number <= version.numbers[1]), None
        )

    # For a table of handlers: frames begin with the index of their version

    def role_of(self, frame: bytes) -> int:
        """The role of the message in a frame of the codec; UNKNOWN plus its type id if it has no class."""
        return self.all[frame[0]].role_of(frame)

    def decode(self, frame: bytes) -> Message:
        """The client's message in a frame of the codec. Raises WireError."""
        return self.all[frame[0]].decode_client(frame[1:])

    def decoder(self, cls: type[M]) -> Callable[[bytes], M]:
        """The function that reads frames of the codec with a message of this class. It raises WireError."""

        def decode(frame: bytes) -> M:
            message = self.decode(frame)
            if type(message) is not cls:
                raise WireError(f"{type(message).__name__} instead of {cls.__name__}")
            return message

        return decode


def role_of_class(cls: type) -> int:
    """The role of a message's class. Raises TypeError for any other."""
    if not issubclass(cls, Message) or cls.role < 0:
        raise TypeError(f"{cls.__name__} is no message of EverQuest II")
    return cls.role


def _version(
    name: str, index: int, files: Mapping[str, Mapping[str, object]], catalogue: Catalogue
) -> Eq2Version:
    folder = f"{GAME}/{name}"
    problems = [f"{folder}/{stem}.toml: is missing" for stem in _FILES if stem not in files]
    problems += [
        f"{folder}/{stem}.toml: no such file{nearest(stem, [*_FILES, *_OTHERS])}"
        for stem in files.keys() - {*_FILES, *_OTHERS}
    ]
    if problems:
        raise LookError(problems)
    row = read(_VersionRow, files["build"], f"{folder}/build.toml", problems)
    if row is not None and (len(row.versions) != 2 or row.versions[0] > row.versions[1]):
        problems.append(
            f"{folder}/build.toml: versions: must be the first and the last, is {list(row.versions)}"
        )
    numbers = _numbers(f"{folder}/opcodes.toml", files["opcodes"], catalogue, problems)
    classes = [*catalogue.records, *catalogue.messages]
    layouts = None
    try:
        layouts = Layouts(f"{folder}/messages.toml", files["messages"], classes)
    except LookError as error:
        problems += error.problems
    if problems or row is None or layouts is None:
        raise LookError(problems)
    command = write_type_id(numbers["root"][CLIENT_CMD])
    prefixes: dict[type[Message], bytes] = {}
    for cls in catalogue.messages:
        if cls.__name__ in numbers["root"]:
            prefixes[cls] = write_type_id(numbers["root"][cls.__name__])
        else:
            prefixes[cls] = command + bytes(4) + write_type_id(numbers["nested"][cls.__name__])
    every = numbers["root"] | numbers["nested"]
    return Eq2Version(
        name=name,
        index=index,
        numbers=(row.versions[0], row.versions[1]),
        reverse=row.reverse,
        names={number: word for word, number in every.items()},
        layouts=layouts,
        catalogue=catalogue,
        prefixes=prefixes,
        command=command,
        nested=frozenset(cls for cls in prefixes if cls.__name__ in numbers["nested"]),
        from_client={every[cls.__name__]: cls for cls in catalogue.from_client},
        from_server={every[cls.__name__]: cls for cls in catalogue.from_server},
    )


_FILES: Final = ("build", "opcodes", "messages")

_OTHERS: Final = ("rendering",)
"""Not needed, and read elsewhere."""


def _numbers(
    where: str, table: Mapping[str, object], catalogue: Catalogue, problems: list[str]
) -> dict[str, dict[str, int]]:
    """The two lists of numbers by name, checked: every message has one, and only one."""
    lists: dict[str, dict[str, int]] = {"root": {}, "nested": {}}
    seen: dict[int, str] = {}
    for key, rows in table.items():
        if key not in lists or not isinstance(rows, Mapping):
            problems.append(f"{where}: {key}: must be [root] or [nested]")
            continue
        for name, number in rows.items():
            if type(number) is not int or not 0 <= number < 0xFFFF:
                problems.append(f"{where}: {key}.{name}: must be 0 to 65534, is {number!r}")
            elif number in seen:
                problems.append(f"{where}: {key}.{name}: {number} is the number of {seen[number]}")
            else:
                seen[number] = name
                lists[key][name] = number
    root, nested = lists["root"], lists["nested"]
    wanted = {CLIENT_CMD, *(cls.__name__ for cls in catalogue.messages)}
    problems += [
        f"{where}: {name}: must have one number"
        for name in sorted(wanted)
        if (name in root) == (name in nested)
    ]
    alone = {CLIENT_CMD, *(cls.__name__ for cls in catalogue.from_client)} & nested.keys()
    problems += [f"{where}: nested.{name}: can only be a root message" for name in sorted(alone)]
    return lists


# What `causeway packets` shows


def documents(version: Eq2Version) -> Iterator[str]:
    """All messages of a version as Markdown, by direction and number, then the structures in them."""
    catalogue = version.catalogue
    for direction, words in (
        (catalogue.from_client, "from the client"),
        (catalogue.from_server, "from the server"),
    ):
        for cls in sorted(direction, key=version.number_of):
            inside = f", in {CLIENT_CMD}" if version.is_nested(cls) else ""
            yield _document(version.layouts[cls], f"{version.number_of(cls)} {cls.__name__}", words + inside)
    for record in catalogue.records:
        yield _document(version.layouts[record], record.__name__, "structure")


def _document(layout: Layout, title: str, words: str) -> str:
    """A heading, the docstring, a table of the fields."""
    size = f"{layout.size} bytes" if layout.size is not None else f"variable, at least {layout.minimum}"
    lines = [f"### {title} ({words}, {size})", "", " ".join((layout.cls.__doc__ or "").split()), ""]
    if layout.fields:
        lines += ["| field | type |", "|---|---|"]
        lines += [f"| {row.name or 'filler'} | {row.type} |" for row in layout.fields]
        lines.append("")
    return "\n".join(lines)


__all__ = ["GAME", "UNKNOWN", "Eq2Version", "Eq2Versions", "documents", "role_of_class"]
