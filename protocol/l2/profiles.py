"""The chronicles of the client: the numbers of each, from `data/l2/<protocol>/`.

    profile.toml           which versions of the client it is, and whether they are served
    opcodes.toml           the numbers of messages: [client] what clients send, [server] what servers send
    system_messages.toml   the numbers of the client's own texts, and what stands in them

A message is an opcode and a body. Extended ones (see `protocol.l2.opcodes`) stand in the tables as [0xd0, 8].
A profile that is not served has only names: they say in a log
what a client of another chronicle was about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

import attrs

from protocol.endings import WireError
from protocol.l2.opcodes import (
    CLIENT_EXTENDED,
    SERVER_EXTENDED,
    number_of_frame,
    prefix,
    prefix_size,
    read_numbers,
    shown,
)
from protocol.l2.packets import (
    CLIENT_MESSAGES,
    HTML_LIMIT,
    LOGIN_CLIENT_MESSAGES,
    LOGIN_SERVER_MESSAGES,
    SERVER_MESSAGES,
    ConfirmDlg,
    Message,
    NpcHtmlMessage,
    ParameterKind,
    SystemMessage,
    SystemMessageId,
    html_letters,
)
from protocol.l2.packets.base import least, read_short
from protocol.tables import LookError, nearest, read
from protocol.wire.body import Body
from protocol.wire.declare import NOT_FITTING, misfit
from protocol.wire.describe import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from protocol.wire.declare import Struct

M = TypeVar("M", bound=Message)

GAME: Final = "l2"

UNKNOWN: Final = 0x1000000
"""What is added to the number of a message that has no class; roles are below."""

LONGEST: Final = 0xFFFF - 2
"""Bytes of a message; its length on the wire is a u16 that counts itself."""


@attrs.frozen
class _ProfileRow:
    """profile.toml. `title`: what people call it; `protocols`: the first and last version that a client may
    name in ProtocolVersion to be this one; `served`: whether there are layouts for it."""

    title: str
    protocols: tuple[int, ...]
    served: bool


@attrs.frozen
class _TextRow:
    """One row of system_messages.toml."""

    id: int
    parameters: tuple[str, ...] = ()


@attrs.frozen(eq=False)
class Profile:
    """One chronicle: turns messages into bytes and back."""

    name: str
    """Its protocol version, as its folder is called."""
    title: str
    index: int
    """Its place among the profiles that are served; -1 for one that is not."""
    protocols: tuple[int, int]
    """The first and the last version that a client of this profile may name."""
    client_names: Mapping[int, str]
    """What clients' messages are called by their number, known ones or not."""
    server_names: Mapping[int, str]
    """The same of servers' messages."""
    texts: Mapping[int, tuple[ParameterKind, ...]]
    """The client's own texts that may be sent, and what must stand in them."""
    _prefixes: Mapping[type[Message], bytes]
    _from_client: Mapping[int, type[Message]]
    _from_server: Mapping[int, type[Message]]

    def encode(self, message: Message) -> bytes:
        """Opcode and body. EncodeError if a value does not fit; ValueError if a text gets other parameters
        than it has places for, or a page is so long that it crashes clients: our bug."""
        cls = type(message)
        out = bytearray(self._prefixes[cls])
        if cls is SystemMessage or cls is ConfirmDlg:
            self._check_text(cast("SystemMessage | ConfirmDlg", message))
        elif cls is NpcHtmlMessage:
            letters = html_letters(cast("NpcHtmlMessage", message).html)
            if letters > HTML_LIMIT:
                raise ValueError(f"a page of {letters} characters, at most {HTML_LIMIT} allowed")
        try:
            message.write(out)
        except NOT_FITTING as error:
            raise misfit(message, cls.MEMBERS, error) from None
        if len(out) > LONGEST:
            raise ValueError(f"{cls.__name__} of {len(out)} bytes, at most {LONGEST} allowed")
        return bytes(out)

    def bodies(self, *messages: Message) -> tuple[Body, ...]:
        """Messages as they are queued, to be shared by all clients of this profile."""
        return tuple(
            Body(self.encode(message), droppable=message.droppable, secret=message.secret)
            for message in messages
        )

    def _check_text(self, message: SystemMessage | ConfirmDlg) -> None:
        wanted = self.texts.get(message.message_id)
        if wanted is None:
            raise ValueError(f"{message!r}: no such text in {GAME}/{self.name}/system_messages.toml")
        given = tuple(parameter.kind for parameter in message.parameters)
        if given != wanted:
            raise ValueError(f"{message!r}: must have {[kind.name.lower() for kind in wanted]}")

    def decode_client(self, frame: bytes) -> Message:
        """A client's message; WireError if it is unknown or broken. Missing fields at its end read as 0 or
        "", what follows its last field is ignored."""
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
        return read_short(cls, frame, prefix_size(number))

    def decoder(self, cls: type[M]) -> Callable[[bytes], M]:
        """The function that reads frames of clients with a message of this class. It raises WireError."""
        size = len(self._prefixes[cls])

        def decode(frame: bytes) -> M:
            return read_short(cls, frame, size)

        return decode

    def number_of(self, cls: type[Message]) -> int:
        """The number of a class in this profile, see `protocol.l2.opcodes`."""
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
        """What a client's message is called, also if it has no class; "0x63" if nobody named it."""
        number = number_of_frame(frame, CLIENT_EXTENDED)
        return self.client_names.get(number) or shown(number)


class Tabled(Protocol):
    """What has the tables of data/: the world's content, of which nothing else concerns this module."""

    @property
    def tables(self) -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, object]]]]:
        """By game, profile and file."""


class Profiles:
    """All profiles, ascending: those that are served (`all`), and those that have only names (`others`)."""

    def __init__(self, served: Sequence[Profile], others: Sequence[Profile] = ()) -> None:
        self.all = tuple(served)
        self.others = tuple(others)
        self.newest = self.all[-1]

    @classmethod
    def from_content(cls, content: Tabled) -> Profiles:
        """The profiles of data/l2/. Raises LookError with every mistake in them."""
        return cls.from_tables(content.tables.get(GAME, {}))

    @classmethod
    def from_tables(cls, tables: Mapping[str, Mapping[str, Mapping[str, object]]]) -> Profiles:
        """The profiles of tables by name of the profile and of the file. Raises LookError with every
        mistake."""
        problems: list[str] = []
        served: list[Profile] = []
        others: list[Profile] = []
        for name in sorted(tables, key=lambda name: (len(name), name)):
            try:
                profile = _profile(name, len(served), tables[name])
            except LookError as error:
                problems += error.problems
                continue
            (others if profile.index < 0 else served).append(profile)
        if not served and not problems:
            problems.append(f"{GAME}/: no profile that is served")
        if problems:
            raise LookError(problems)
        return cls(served, others)

    def for_protocol(self, protocol: int) -> Profile | None:
        """The profile of a client that names this version; also of one that is not served."""
        return next(
            (one for one in (*self.all, *self.others) if one.protocols[0] <= protocol <= one.protocols[1]),
            None,
        )

    def name_of(self, frame: bytes) -> str:
        """What a client's message is called, as a log may show it: by the newest profile, and if that does
        not know it, in brackets, what clients of the others mean by it."""
        name = self.newest.name_of(frame)
        if number_of_frame(frame, CLIENT_EXTENDED) in self.newest.client_names:
            return name
        elsewhere = self.elsewhere(frame)
        return f"{name} ({', '.join(elsewhere)})" if elsewhere else name

    def elsewhere(self, frame: bytes) -> list[str]:
        """What clients of the other profiles mean by it, as "273: ProtocolVersion"."""
        number = number_of_frame(frame, CLIENT_EXTENDED)
        return [
            f"{other.name}: {other.client_names[number]}"
            for other in (*self.all[:-1], *self.others)
            if number in other.client_names
        ]

    # For a table of handlers. Frames do not say which profile they are of, so one is served at a time.

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
    """The role of a message's class; TypeError for any other."""
    if not issubclass(cls, Message) or cls.role < 0:
        raise TypeError(f"{cls.__name__} is no message of Lineage II's game door")
    return cls.role


# Reading the tables

_FILES: Final = ("profile", "opcodes", "system_messages")


def _profile(name: str, index: int, files: Mapping[str, Mapping[str, object]]) -> Profile:
    folder = f"{GAME}/{name}"
    problems: list[str] = []
    row = None
    if "profile" in files:
        row = read(_ProfileRow, files["profile"], f"{folder}/profile.toml", problems)
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
    texts: dict[int, tuple[ParameterKind, ...]] = {}
    if served:
        _every_class(f"{folder}/opcodes.toml: client", client, CLIENT_MESSAGES, problems)
        _every_class(f"{folder}/opcodes.toml: server", server, SERVER_MESSAGES, problems)
        texts = _texts(f"{folder}/system_messages.toml", files["system_messages"], problems)
    if problems:
        raise LookError(problems)
    known = {
        cls: table[cls.__name__]
        for table, classes in ((client, CLIENT_MESSAGES), (server, SERVER_MESSAGES))
        for cls in classes
        if served
    }
    return Profile(
        name=name,
        title=row.title,
        index=index if served else -1,
        protocols=(row.protocols[0], row.protocols[1]),
        client_names={number: word for word, number in client.items()},
        server_names={number: word for word, number in server.items()},
        texts=texts,
        prefixes={cls: prefix(number) for cls, number in known.items()},
        from_client={known[cls]: cls for cls in CLIENT_MESSAGES if served},
        from_server={known[cls]: cls for cls in SERVER_MESSAGES if served},
    )


def _every_class(
    where: str, table: Mapping[str, int], classes: Sequence[type[Message]], problems: list[str]
) -> None:
    problems += [f"{where}: {cls.__name__}: is missing" for cls in classes if cls.__name__ not in table]


def _texts(
    where: str, table: Mapping[str, object], problems: list[str]
) -> dict[int, tuple[ParameterKind, ...]]:
    """What stands in the client's own texts, by their number, checked against the numbers that are used."""
    kinds = {kind.name.lower(): kind for kind in ParameterKind}
    ids = {one.name.lower(): one for one in SystemMessageId}
    texts: dict[int, tuple[ParameterKind, ...]] = {}
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


# What `causeway packets` shows


def documents(profile: Profile) -> Iterator[str]:
    """All messages as Markdown, by door, direction and number, then the structures in them."""
    structures: dict[type[Struct], None] = {}
    for login, words in (
        (LOGIN_CLIENT_MESSAGES, "from the client, login"),
        (LOGIN_SERVER_MESSAGES, "from the server, login"),
    ):
        for packet in login:
            yield describe(packet, words)
            _collect(packet, structures)
    for classes, words in ((CLIENT_MESSAGES, "from the client"), (SERVER_MESSAGES, "from the server")):
        for cls in sorted(classes, key=profile.number_of):
            yield _document(cls, f"{shown(profile.number_of(cls))} {cls.__name__}", words)
            _collect(cls, structures)
    for structure in structures:
        yield _document(structure, structure.__name__, "structure")


def _collect(cls: type[Struct], found: dict[type[Struct], None]) -> None:
    for member in cls.MEMBERS:
        inner = getattr(member.field, "element", None)
        if isinstance(inner, type) and hasattr(inner, "MEMBERS"):
            found.setdefault(inner)
            _collect(inner, found)


def _document(cls: type[Struct], title: str, words: str) -> str:
    """A heading, the docstring, a table of the fields."""
    fewest = least(cls)
    most = [member.field.maximum for member in cls.MEMBERS]
    size = f"variable, at least {fewest} bytes of body" if None in most else f"{fewest} bytes of body"
    lines = [f"### {title} ({words}, {size})", "", " ".join((cls.__doc__ or "").split()), ""]
    if cls.MEMBERS:
        lines += ["| field | type | notes |", "|---|---|---|"]
        for member in cls.MEMBERS:
            name = "filler" if member.name.startswith("_") else member.name
            lines.append(f"| {name} | {member.field.describe()} | {'; '.join(member.notes)} |")
        lines.append("")
    return "\n".join(lines)


__all__ = ["GAME", "UNKNOWN", "Profile", "Profiles", "documents", "role_of_class"]
