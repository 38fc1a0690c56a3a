"""The client's versions: the numbers of each, from `data/l2/<protocol>/`.

    profile.toml           which protocols of the client it is, and whether they are served
    opcodes.toml           the numbers of messages: [client] what clients send, [server] what servers send
    system_messages.toml   the numbers of the client's own texts, and what stands in them

The problem: chronicles of this game give the same messages other numbers. So a message is a class without a
number (`Message`), and a version is what gives it one: `L2Version` puts the opcode in front of what the class
writes. It knows no message itself but is given all of them (`Catalogue`), and so stands below them. An opcode
is one byte; of clients' D0 and servers' FE, a u16 behind it says which message it is, and such an *extended*
one stands in the tables as [0xd0, 8]. Layouts by version were not needed, because one version is served;
another one that differs in some would bring classes of its own. A version that is not served has only names:
they say in a log what a client of another chronicle was about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, Self, TypeVar

import attrs

from protocol.endings import WireError
from protocol.tables import LookError, nearest, read
from protocol.wire.body import Body
from protocol.wire.declare import NOT_FITTING, Struct, misfit
from protocol.wire.lenient import read_lenient

if TYPE_CHECKING:
    import enum
    from collections.abc import Callable, Sequence

GAME: Final = "l2"

CLIENT_EXTENDED: Final = 0xD0
SERVER_EXTENDED: Final = 0xFE
"""Opcodes behind which a u16 says which message it is."""

NO_OPCODE: Final = 0xFFFFFF
"""The number of an empty message, and of an extended one that ends before its u16 does."""

UNKNOWN: Final = 0x1000000
"""What is added to the number of a message that has no class; roles are below."""

LONGEST: Final = 0xFFFF - 2
"""Bytes of a message; its length on the wire is a u16 that counts itself."""


class Message(Struct):
    """One message of the game door, opcode not included."""

    __slots__ = ()

    role: ClassVar[int] = -1
    """What handlers are found by, the same for every version; -1 for what cannot be sent."""
    droppable: ClassVar[bool] = False
    """Whether a slow client may lose it (its loss leaves no wrong belief)."""
    secret: ClassVar[bool] = False
    """Whether it tells its receiver a key, so that nobody may write it down."""
    checked: ClassVar[bool] = False
    """Whether `check` has to be asked before it is sent."""

    def check(self, version: L2Version) -> None:
        """Raises ValueError for what a client of the version could not show: our bug."""

    @classmethod
    def short(cls, data: bytes, at: int) -> Self:
        """The message whose body is at `at`, where everything missing at the end reads as 0 or "".

        Other programs than the original client leave out last fields, and two public servers differ in their
        tails. What follows the last field is ignored. Raises WireError for what cannot be read even so: a
        list that is longer than its message.
        """
        message: Self = read_lenient(cls.__name__, cls.read, cls.MEMBERS, data, at)
        return message


M = TypeVar("M", bound=Message)


@attrs.frozen
class Catalogue:
    """All that a version has to have a number for."""

    client: Sequence[type[Message]]
    """What clients send."""
    server: Sequence[type[Message]]
    """What servers send."""
    texts: type[enum.IntEnum]
    """The client's own texts that are used, by their numbers."""
    parameters: type[enum.IntEnum]
    """What may stand in them."""


# Numbers on the wire and in tables: the opcode, or of an extended message the opcode times 10000 hexadecimal
# plus the u16.


def number_of_frame(frame: bytes, extended: int) -> int:
    """The number of the message in a frame; `extended` is the opcode behind which a u16 follows there."""
    if not frame:
        return NO_OPCODE
    opcode = frame[0]
    if opcode != extended:
        return opcode
    if len(frame) < 3:  # opcode and u16
        return NO_OPCODE
    return opcode << 16 | frame[2] << 8 | frame[1]


def prefix_size(number: int) -> int:
    """Bytes of the opcode, u16 included, in front of a message of this number."""
    return 1 if number <= 0xFF else 3


def prefix(number: int) -> bytes:
    """The opcode, u16 included."""
    if number <= 0xFF:
        return bytes([number])
    return bytes([number >> 16]) + (number & 0xFFFF).to_bytes(2, "little")


def shown(number: int) -> str:
    """The number of a message for people."""
    if number == NO_OPCODE:
        return "without opcode"
    if number <= 0xFF:
        return f"0x{number:02x}"
    return f"0x{number >> 16:02x}:{number & 0xFFFF:04x}"


@attrs.frozen
class _VersionRow:
    """profile.toml. `title`: what people call it; `protocols`: the first and last that a client may
    name in ProtocolVersion to be this version; `served`: whether there are layouts for it."""

    title: str
    protocols: tuple[int, ...]
    served: bool


@attrs.frozen
class _TextRow:
    """One row of system_messages.toml."""

    id: int
    parameters: tuple[str, ...] = ()


@attrs.frozen(eq=False)
class L2Version:
    """One chronicle: turns messages into bytes and back."""

    name: str
    """Its protocol version, as its folder is called."""
    title: str
    index: int
    """Its place among the versions that are served; -1 for one that is not."""
    protocols: tuple[int, int]
    """The first and the last protocol that its clients may name."""
    client_names: Mapping[int, str]
    """What clients' messages are called by their number, known ones or not."""
    server_names: Mapping[int, str]
    """The same of servers' messages."""
    texts: Mapping[int, tuple[enum.IntEnum, ...]]
    """The client's own texts that may be sent, and what must stand in them."""
    _prefixes: Mapping[type[Message], bytes]
    _from_client: Mapping[int, type[Message]]
    _from_server: Mapping[int, type[Message]]

    def encode(self, message: Message) -> bytes:
        """Opcode and body. Raises EncodeError if a value does not fit, and ValueError if it is too long or if
        its `check` finds something: our bug."""
        cls = type(message)
        out = bytearray(self._prefixes[cls])
        if cls.checked:
            message.check(self)
        try:
            message.write(out)
        except NOT_FITTING as error:
            raise misfit(message, cls.MEMBERS, error) from None
        if len(out) > LONGEST:
            raise ValueError(f"{cls.__name__} of {len(out)} bytes, at most {LONGEST} allowed")
        return bytes(out)

    def bodies(self, *messages: Message) -> tuple[Body, ...]:
        """Messages as they are queued, to be shared by all clients of this version."""
        return tuple(
            Body(self.encode(message), droppable=message.droppable, secret=message.secret)
            for message in messages
        )

    def decode_client(self, frame: bytes) -> Message:
        """A client's message. Raises WireError if it is unknown or broken. Missing fields at its end read as
        0 or "", what follows its last field is ignored."""
        return self._decode(self._from_client, self.client_names, frame, CLIENT_EXTENDED)

    def decode_server(self, frame: bytes) -> Message:
        """A server's message, as `decode_client` does it."""
        return self._decode(self._from_server, self.server_names, frame, SERVER_EXTENDED)

    def _decode(
        self, classes: Mapping[int, type[Message]], names: Mapping[int, str], frame: bytes, extended: int
    ) -> Message:
        number = number_of_frame(frame, extended)
        cls = classes.get(number)
        if cls is None:
            raise WireError(f"unknown message {shown(number)} {names.get(number, '')}".rstrip())
        return cls.short(frame, prefix_size(number))

    def decoder(self, cls: type[M]) -> Callable[[bytes], M]:
        """The function that reads frames of clients with a message of this class. It raises WireError."""
        size = len(self._prefixes[cls])

        def decode(frame: bytes) -> M:
            return cls.short(frame, size)

        return decode

    def number_of(self, cls: type[Message]) -> int:
        """The number of a class in this version, opcode and u16 in one."""
        opcode = self._prefixes[cls]
        return opcode[0] if len(opcode) == 1 else opcode[0] << 16 | int.from_bytes(opcode[1:], "little")

    def role_of(self, frame: bytes) -> int:
        """The role of a client's message; UNKNOWN plus its number if it has no class."""
        number = number_of_frame(frame, CLIENT_EXTENDED)
        cls = self._from_client.get(number)
        return UNKNOWN + number if cls is None else cls.role

    def reads(self, number: int) -> bool:
        """Whether a client's message of this number has a class."""
        return number in self._from_client

    def name_of(self, frame: bytes) -> str:
        """The name of a client's message, also if it has no class; "0x63" if nobody named it."""
        number = number_of_frame(frame, CLIENT_EXTENDED)
        return self.client_names.get(number) or shown(number)


class Tabled(Protocol):
    """Has the tables of data/: the world's content, of which nothing else concerns this module."""

    @property
    def tables(self) -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, object]]]]:
        """By game, version and file."""


class L2Versions:
    """All versions, ascending: those that are served (`all`), and those that have only names (`others`)."""

    def __init__(self, served: Sequence[L2Version], others: Sequence[L2Version] = ()) -> None:
        self.all = tuple(served)
        self.others = tuple(others)
        self.newest = self.all[-1]

    @classmethod
    def from_content(cls, content: Tabled, catalogue: Catalogue) -> L2Versions:
        """The versions of data/l2/. Raises LookError with every mistake in them."""
        return cls.from_tables(content.tables.get(GAME, {}), catalogue)

    @classmethod
    def from_tables(
        cls, tables: Mapping[str, Mapping[str, Mapping[str, object]]], catalogue: Catalogue
    ) -> L2Versions:
        """The versions of tables by name of the version and of the file. Raises LookError with every
        mistake."""
        problems: list[str] = []
        served: list[L2Version] = []
        others: list[L2Version] = []
        for name in sorted(tables, key=lambda name: (len(name), name)):
            try:
                version = _version(name, len(served), tables[name], catalogue)
            except LookError as error:
                problems += error.problems
                continue
            (others if version.index < 0 else served).append(version)
        if not served and not problems:
            problems.append(f"{GAME}/: no version that is served")
        if problems:
            raise LookError(problems)
        return cls(served, others)

    def for_protocol(self, protocol: int) -> L2Version | None:
        """The version of a client that names this protocol; also of one that is not served."""
        return next(
            (one for one in (*self.all, *self.others) if one.protocols[0] <= protocol <= one.protocols[1]),
            None,
        )

    def name_of(self, frame: bytes) -> str:
        """The name of a client's message, as a log may show it: by the newest version, and if that does
        not know it, in brackets, what clients of the others mean by it."""
        name = self.newest.name_of(frame)
        if number_of_frame(frame, CLIENT_EXTENDED) in self.newest.client_names:
            return name
        elsewhere = self.elsewhere(frame)
        return f"{name} ({', '.join(elsewhere)})" if elsewhere else name

    def elsewhere(self, frame: bytes) -> list[str]:
        """The names that it has with clients of the other versions, as "273: ProtocolVersion"."""
        number = number_of_frame(frame, CLIENT_EXTENDED)
        return [
            f"{other.name}: {other.client_names[number]}"
            for other in (*self.all[:-1], *self.others)
            if number in other.client_names
        ]

    # For a table of handlers. Frames do not say which version they are of, so one is served at a time.

    def role_of(self, frame: bytes) -> int:
        """The role of the message in a frame of the codec; UNKNOWN plus its number if it has no class."""
        return self.newest.role_of(frame)

    def decode(self, frame: bytes) -> Message:
        """The client's message in a frame of the codec. Raises WireError."""
        return self.newest.decode_client(frame)

    def decoder(self, cls: type[M]) -> Callable[[bytes], M]:
        """The function that reads frames of the codec with a message of this class. It raises WireError."""
        return self.newest.decoder(cls)


def role_of_class(cls: type) -> int:
    """The role of a message's class. Raises TypeError for any other class."""
    if not issubclass(cls, Message) or cls.role < 0:
        raise TypeError(f"{cls.__name__} is no message of Lineage II's game door")
    return cls.role


# Reading the tables

_FILES: Final = ("profile", "opcodes", "system_messages")


def _version(
    name: str, index: int, files: Mapping[str, Mapping[str, object]], catalogue: Catalogue
) -> L2Version:
    folder = f"{GAME}/{name}"
    problems: list[str] = []
    row = None
    if "profile" in files:
        row = read(_VersionRow, files["profile"], f"{folder}/profile.toml", problems)
    if row is not None and (len(row.protocols) != 2 or row.protocols[0] > row.protocols[1]):
        problems.append(
            f"{folder}/profile.toml: protocols: must be the first and the last, is {list(row.protocols)}"
        )
    served = row is None or row.served
    wanted = _FILES if served else _FILES[:2]
    problems += [f"{folder}/{stem}.toml: is missing" for stem in wanted if stem not in files]
    problems += [
        f"{folder}/{stem}.toml: no such file{nearest(stem, [*wanted])}"
        for stem in sorted(files.keys() - {*wanted})
    ]
    if problems or row is None:
        raise LookError(problems)
    client, server = read_numbers(f"{folder}/opcodes.toml", files["opcodes"], problems)
    texts: dict[int, tuple[enum.IntEnum, ...]] = {}
    if served:
        _every_class(f"{folder}/opcodes.toml: client", client, catalogue.client, problems)
        _every_class(f"{folder}/opcodes.toml: server", server, catalogue.server, problems)
        texts = _texts(f"{folder}/system_messages.toml", files["system_messages"], catalogue, problems)
    if problems:
        raise LookError(problems)
    known = {
        cls: table[cls.__name__]
        for table, classes in ((client, catalogue.client), (server, catalogue.server))
        for cls in classes
        if served
    }
    return L2Version(
        name=name,
        title=row.title,
        index=index if served else -1,
        protocols=(row.protocols[0], row.protocols[1]),
        client_names={number: word for word, number in client.items()},
        server_names={number: word for word, number in server.items()},
        texts=texts,
        prefixes={cls: prefix(number) for cls, number in known.items()},
        from_client={known[cls]: cls for cls in catalogue.client if served},
        from_server={known[cls]: cls for cls in catalogue.server if served},
    )


def _every_class(
    where: str, table: Mapping[str, int], classes: Sequence[type[Message]], problems: list[str]
) -> None:
    problems += [f"{where}: {cls.__name__}: is missing" for cls in classes if cls.__name__ not in table]


def _texts(
    where: str, table: Mapping[str, object], catalogue: Catalogue, problems: list[str]
) -> dict[int, tuple[enum.IntEnum, ...]]:
    """The parameters of the client's own texts, by their number, checked against the numbers that are
    used."""
    kinds = {kind.name.lower(): kind for kind in catalogue.parameters}
    ids = {one.name.lower(): one for one in catalogue.texts}
    texts: dict[int, tuple[enum.IntEnum, ...]] = {}
    for name, raw in table.items():
        row = read(_TextRow, raw, f"{where}: {name}", problems)
        if row is None:
            continue
        if name not in ids:
            problems.append(f"{where}: {name}: nothing uses it{nearest(name, [*ids])}")
        elif row.id != ids[name]:
            problems.append(f"{where}: {name}: id: must be {int(ids[name])}, is {row.id}")
        problems += [
            f"{where}: {name}: parameters: no kind {word!r}{nearest(word, [*kinds])}"
            for word in row.parameters
            if word not in kinds
        ]
        texts[row.id] = tuple(kinds[word] for word in row.parameters if word in kinds)
    problems += [f"{where}: {name}: is missing" for name in ids if name not in table]
    return texts


def read_numbers(
    where: str, tables: Mapping[str, object], problems: list[str]
) -> tuple[dict[str, int], dict[str, int]]:
    """The numbers by name that a table gives clients' and servers' messages, checked: none twice. Every
    mistake is a line in `problems` that begins with `where`."""
    found: dict[str, dict[str, int]] = {"client": {}, "server": {}}
    extended = {"client": CLIENT_EXTENDED, "server": SERVER_EXTENDED}
    for key, rows in tables.items():
        if key not in found or not isinstance(rows, Mapping):
            problems.append(f"{where}: {key}: must be [client] or [server]")
            continue
        seen: dict[int, str] = {}
        for name, raw in rows.items():
            number = _read_number(raw, extended[key])
            if number is None:
                problems.append(
                    f"{where}: {key}.{name}: must be a byte or [{extended[key]:#04x}, u16], is {raw!r}"
                )
            elif number in seen:
                problems.append(f"{where}: {key}.{name}: {shown(number)} is the number of {seen[number]}")
            else:
                seen[number] = name
                found[key][name] = number
    return found["client"], found["server"]


def _read_number(raw: object, extended: int) -> int | None:
    if type(raw) is int:
        return raw if 0 <= raw <= 0xFF and raw != extended else None
    if not isinstance(raw, list) or len(raw) != 2:  # opcode and u16
        return None
    first, second = raw
    if type(first) is not int or type(second) is not int or first != extended:
        return None
    return first << 16 | second if 0 <= second <= 0xFFFF else None
