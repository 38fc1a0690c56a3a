"""Settings of an operator: config.toml as frozen classes, and `load`.

One class per table, names equal to the keys, defaults in the classes, units in the names. Nothing is coerced
("20" is not 20, true is not 1), an unknown key is an error, and every mistake of a file is reported at once:
while the server is down is no time to find them one by one. Parts of the server receive their own slice of
Settings, never the whole.

How a key is declared says `protocol.keys`; which keys the listeners of a game have says its `Game.listener`.

Why cattrs and attrs, and no library for settings: what such a library adds is to coerce, to merge several
files and to read the environment, and all three make it harder to know what a server runs with. The tables
are in one file because an operator sees them as one.
"""

import difflib
import ipaddress
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, get_args, get_origin

import attrs
import cattrs
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
)
from cattrs.gen import make_dict_structure_fn, override

from protocol.address import Address, Advertise
from protocol.background import LOGIN, WORLD
from protocol.games import GAMES
from protocol.keys import between, fixed, hidden, live, secret_text
from protocol.listener import Listener
from server.settings import roles
from server.settings.l2j_keys import called_here
from server.settings.roles import Role
from server.settings.urls import anchored_url, database_url, valkey_url
from server.settings.world_table import WorldTable

AutoCreate = bool | Literal["loopback"]
Level = Literal["TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]


class ConfigError(Exception):
    """The file cannot be used. `problems` holds every mistake found, each "file: key.path: message"."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def _not_blank(value: str) -> None:
    if not value.strip() or not value.isprintable():
        raise ValueError("must be printable text, and not empty")


def _networks(value: tuple[str, ...]) -> None:
    for text in value:
        try:
            ipaddress.ip_network(text)
        except ValueError:
            raise ValueError(f"{text!r} is not an address or a network such as 10.0.0.0/8") from None


@attrs.frozen
class Server:
    name: str = fixed("Causeway", _not_blank)
    state_dir: Path = fixed(Path("var"))
    roles: tuple[Role, ...] = fixed((LOGIN, WORLD))


@attrs.frozen
class Database:
    url: str = fixed("sqlite:///causeway.db", database_url, secret=True)


@attrs.frozen
class Accounts:
    auto_create: AutoCreate = live("loopback")
    characters: int = live(3, between(1, 7))


LISTENERS: Mapping[str, type[Listener]] = {name: game.listener for name, game in GAMES.items()}
"""By the first word behind `listen.`."""


@attrs.frozen
class Network:
    gather_ms: float = live(2.0, between(0, 50))
    motion_ms: float = live(100.0, between(0, 1000))
    tick_budget_ms: float = live(40.0, between(1, 10_000))
    turn_ms: float = live(60.0, between(10, 10_000))
    crowd: int = live(250, between(0, 100_000))
    nodelay: bool = fixed(True)
    backlog: int = fixed(4096, between(1, 65_535))
    receive_buffer_kib: int = fixed(64, between(4, 64))
    drop_packets: bool = live(True)
    drop_threshold: int = live(250, between(1, 1_000_000))
    hard_limit_kib: int = live(1024, between(16, 1_048_576))
    stalled_seconds: float = live(10.0, between(1, 3_600))
    shutdown_wait_seconds: float = live(5.0, between(0, 8))


@attrs.frozen
class Limits:
    exempt: tuple[str, ...] = live(("127.0.0.0/8", "::1"), _networks)
    connections: int = live(4096, between(1, 1_000_000))
    connections_per_address: int = live(10, between(1, 1_000_000))
    connects_per_10s: int = live(10, between(1, 1_000_000))
    unauthenticated: int = live(256, between(1, 1_000_000))
    first_byte_seconds: float = live(5.0, between(0.1, 3_600))
    handshake_seconds: float = live(20.0, between(0.1, 3_600))
    login_seconds: float = live(600.0, between(1, 86_400))
    idle_seconds: float = live(90.0, between(1, 86_400))
    packets_per_second: float = live(60.0, between(1, 100_000))
    packet_burst: int = live(200, between(1, 1_000_000))
    inbox_frames: int = live(64, between(1, 65_536))
    login_failures_per_address: int = live(5, between(1, 1_000_000))
    login_failures_per_account: int = live(10, between(1, 1_000_000))
    accounts_per_address_per_day: int = live(5, between(0, 1_000_000))
    joins_per_tick: int = live(5, between(1, 1_000))
    linger_seconds: float = live(10.0, between(0, 3_600))
    linger_in_combat_seconds: float = live(60.0, between(0, 3_600))
    bind_tickets: bool = live(False)


@attrs.frozen
class Storage:
    flush_seconds: float = live(1.0, between(0, 60))
    synchronous: Literal["full", "normal"] = fixed("full")
    max_pending_rows: int = live(200_000, between(1_000, 100_000_000))
    max_lag_seconds: float = live(60.0, between(1, 3_600))


@attrs.frozen
class Edge:
    worlds: tuple[Address, ...] = fixed(())
    secret: str = hidden("", secret_text)


@attrs.frozen
class Cluster:
    valkey: str = fixed("", valkey_url, secret=True)


@attrs.frozen
class ContentTable:
    watch: bool = fixed(False)


@attrs.frozen
class Log:
    level: Level = live("INFO")
    file: Path = fixed(Path("logs/causeway.jsonl"))
    json: bool = fixed(True)
    levels: Mapping[str, Level] = live({})


@attrs.frozen
class Settings:
    """A whole config.toml. `listen` holds the listeners by name: "uo", "eo", "uo_public" and so on."""

    server: Server = Server()
    database: Database = Database()
    world: WorldTable = WorldTable()
    accounts: Accounts = Accounts()
    listen: Mapping[str, Listener] = attrs.field(factory=dict)
    network: Network = Network()
    limits: Limits = Limits()
    storage: Storage = Storage()
    cluster: Cluster = Cluster()
    content: ContentTable = ContentTable()
    edge: Edge = Edge()
    log: Log = Log()

    def anchored(self, directory: Path) -> "Settings":
        """The same with absolute paths: state_dir taken from `directory`, the other files from state_dir."""
        state_dir = directory.absolute() / self.server.state_dir
        return attrs.evolve(
            self,
            server=attrs.evolve(self.server, state_dir=state_dir),
            database=attrs.evolve(self.database, url=anchored_url(self.database.url, state_dir)),
            log=attrs.evolve(self.log, file=state_dir / self.log.file),
        )


def load(path: Path) -> Settings:
    """Read a config file; paths in the result are absolute. Raises ConfigError with every mistake in it."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors put a mark of the order of bytes in front
    except OSError as error:
        raise ConfigError([f"{path}: cannot be read: {error.strerror or error}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path}: is not UTF-8 text (byte {error.start})"]) from error
    return parse(text, str(path)).anchored(path.absolute().parent)


def parse(text: str, source: str = "config.toml") -> Settings:
    """Read the text of a config file, leaving paths as they are written. Raises ConfigError."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([f"{source}: not TOML: {error}"]) from error  # the message names line and column
    try:
        settings = _CONVERTER.structure(table, Settings)
    except ClassValidationError as error:
        raise ConfigError([f"{source}: {problem}" for problem in _problems(error, "")]) from error
    if problems := [f"{source}: {problem}" for problem in roles.contradictions(settings)]:
        raise ConfigError(problems)
    return settings


def changed_at_runtime(old: Settings, new: Settings) -> tuple[Settings, list[str]]:
    """The result of a reload: `old` with the reloadable keys of `new`, and the keys that wait for a
    restart."""
    merged = old
    restart: list[str] = []
    for section in attrs.fields(Settings):
        before, after = getattr(old, section.name), getattr(new, section.name)
        if section.name == "listen":
            names = sorted({*before, *after})
            restart += [f"listen.{name}" for name in names if before.get(name) != after.get(name)]
            continue
        taken = {}
        for key in attrs.fields(type(before)):
            value = getattr(after, key.name)
            if getattr(before, key.name) == value:
                continue
            if key.metadata["reloadable"]:
                taken[key.name] = value
            else:
                restart.append(f"{section.name}.{key.name}")
        merged = attrs.evolve(merged, **{section.name: attrs.evolve(before, **taken)})
    return merged, restart


def _problems(error: Exception, path: str) -> Iterator[str]:
    """Flatten cattrs' nested errors into "key.path: message"."""
    match error:
        case ForbiddenExtraKeysError():
            known = [attribute.name for attribute in attrs.fields(error.cl)]
            for name in sorted(error.extra_fields):
                remark = called_here(name) or _nearest(name, known)
                yield f"{_join(path, _key(name))}: unknown key{remark}"
        case ClassValidationError():
            inner, plain = error.group_exceptions()
            for cause, note in inner:
                yield from _problems(cause, _join(path, note.name))
            for cause in plain:
                yield from _problems(cause, path)
        case IterableValidationError():
            for item, index in error.group_exceptions()[0]:
                yield from _problems(item, f"{path}[{index.index}]")
        case _:
            yield f"{path}: {error}"


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _key(name: str) -> str:
    """A key as TOML writes it."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f'"{name.encode("unicode_escape").decode()}"'


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else f" (known here: {', '.join(known)})"


_KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text in quotes",
}


def _wrong(value: object, expected: str) -> ValueError:
    match value:
        case bool():
            shown = str(value).lower()
        case dict():
            shown = "a table"
        case list():
            shown = "a list"
        case _:
            shown = repr(value)
    return ValueError(f"must be {expected}, not {shown}")


def _scalar(value: object, kind: type[object]) -> object:
    if type(value) is not kind:  # isinstance would let true pass as an int
        raise _wrong(value, _KINDS[kind])
    return value


def _number(value: object, _: object) -> float:
    if type(value) is not float and type(value) is not int:
        raise _wrong(value, _KINDS[float])
    return float(value)


def _text(value: object) -> str:
    if type(value) is not str:
        raise _wrong(value, _KINDS[str])
    return value


def _path(value: object, _: object) -> Path:
    text = _text(value)
    if not text or not text.isprintable():
        raise ValueError("must be a path, and not empty")
    return Path(text)


def _one_of(value: object, kind: object) -> object:
    """A Literal."""
    choices = get_args(kind)
    for choice in choices:
        if type(value) is type(choice) and value == choice:
            return choice
    raise _wrong(value, "one of " + ", ".join(json.dumps(choice) for choice in choices))


def _auto_create(value: object, _: object) -> AutoCreate:
    if value is True or value is False:
        return value
    if value == "loopback":
        return "loopback"
    raise _wrong(value, 'true, false or "loopback"')


def _websocket(value: object, _: object) -> Address | Literal[False]:
    if value is False:
        return False
    if type(value) is not str:
        raise _wrong(value, '"host:port", or false for none')
    return Address.parse(value)


def _named_texts(value: object, _: object) -> Mapping[str, str]:
    """A table of texts."""
    if not isinstance(value, dict):
        raise _wrong(value, "a table")
    return {name: _text(text) for name, text in value.items()}


def _levels(value: object, _: object) -> Mapping[str, Level]:
    """[log.levels]. An unquoted net.uo = ... makes a table in a table; say so."""
    if not isinstance(value, dict):
        raise _wrong(value, "a table")
    levels: dict[str, Level] = {}
    errors: list[Exception] = []
    for name, level in value.items():
        try:
            if isinstance(level, dict):
                raise ValueError(f'write the category in quotes: "{name}.{next(iter(level), "...")}" = ...')
            if not re.fullmatch(r"\w+(\.\w+)*", name, re.ASCII):
                raise ValueError('is not a category such as "net.uo"')
            levels[name] = _CONVERTER.structure(level, Level)  # type: ignore[arg-type]  # a Literal is no class
        except ValueError as error:
            errors.append(_at(error, _key(name)))
    if errors:
        raise ClassValidationError("levels", errors, Log)
    return levels


def _listeners(value: object, _: object) -> Mapping[str, Listener]:
    """[listen.<game>] and [listen.<game>_<suffix>]."""
    if not isinstance(value, dict):
        raise _wrong(value, "a table")
    listeners: dict[str, Listener] = {}
    errors: list[Exception] = []
    for name, table in value.items():
        game, underscore, suffix = name.partition("_")
        try:
            if game not in LISTENERS or (underscore and not re.fullmatch(r"[a-z0-9_]+", suffix)):
                raise ValueError(f"unknown key{_nearest(name, list(LISTENERS))}")
            listeners[name] = _CONVERTER.structure(table, LISTENERS[game])
        except (ValueError, ClassValidationError) as error:
            errors.append(_at(error, _key(name)))
            if isinstance(error, ClassValidationError) and isinstance(table, dict):
                errors += _contradictions_beside(error, name, game, table)
    errors += _contradictions(listeners)
    if errors:
        raise ClassValidationError("listen", errors, Settings)
    return listeners


def _contradictions(listeners: Mapping[str, Listener]) -> Iterator[Exception]:
    """What cannot be true together, of the listeners that are on."""
    taken: dict[tuple[bool, Address], str] = {}
    for name, listener in listeners.items():
        if not listener.enabled:
            continue
        for door, address in listener.addresses().items():
            key, port = f"{name}.{door}", (listener.datagrams, address)
            if address.port and taken.setdefault(port, key) != key:
                yield _at(ValueError(f"{address} is already taken by listen.{taken[port]}"), key)
        for key, message in listener.contradictions():
            yield _at(ValueError(message), f"{name}.{key}")


def _contradictions_beside(
    error: ClassValidationError, name: str, game: str, table: Mapping[str, object]
) -> Iterator[Exception]:
    """What contradicts itself among the keys of a table that are right, so that one look finds all."""
    wrong = {note.name for one in error.exceptions for note in _notes(one)}
    wrong |= table.keys() - {attribute.name for attribute in attrs.fields(LISTENERS[game])}
    right = {key: value for key, value in table.items() if key not in wrong}
    try:
        listener = _CONVERTER.structure(right, LISTENERS[game])
    except (ValueError, ClassValidationError):
        return
    for key, message in listener.contradictions():
        if listener.enabled and key not in wrong and not any(one in message for one in wrong):
            yield _at(ValueError(message), f"{name}.{key}")


def _notes(error: Exception) -> Iterator[AttributeValidationNote]:
    return (note for note in getattr(error, "__notes__", ()) if isinstance(note, AttributeValidationNote))


def _at(error: Exception, name: str) -> Exception:
    """Note the key under which a mistake was found, as cattrs does for the fields of a class."""
    error.__notes__ = [*getattr(error, "__notes__", ()), AttributeValidationNote(f"at {name}", name, str)]
    return error


def _table(table: type["attrs.AttrsInstance"]) -> Callable[[object, object], "attrs.AttrsInstance"]:
    fields = {attribute.name: override(struct_hook=_checked(attribute)) for attribute in attrs.fields(table)}
    structure_fields = make_dict_structure_fn(table, _CONVERTER, True, **fields)  # type: ignore[arg-type]

    def structure(value: object, _: object) -> "attrs.AttrsInstance":
        if not isinstance(value, dict):
            raise _wrong(value, "a table")
        return structure_fields(value, table)

    return structure


def _checked(attribute: "attrs.Attribute[object]") -> Callable[[object, type[object]], object]:
    """Apply a key's rules while it is read: here its path is known, and the other keys get their turn."""

    def structure(value: object, kind: type[object]) -> object:
        if get_origin(kind) is tuple and not isinstance(value, list):
            raise _wrong(value, "a list")
        result = _CONVERTER.structure(value, kind)
        if attribute.validator is not None:
            attribute.validator(None, attribute, result)
        return result

    return structure


def _register_hooks() -> None:
    for kind in (bool, int, str):
        _CONVERTER.register_structure_hook(kind, _scalar)
    _CONVERTER.register_structure_hook(float, _number)
    _CONVERTER.register_structure_hook(Path, _path)
    _CONVERTER.register_structure_hook(Address, lambda value, _: Address.parse(_text(value)))
    _CONVERTER.register_structure_hook(Advertise, lambda value, _: Advertise.parse(_text(value)))
    _CONVERTER.register_structure_hook_func(lambda kind: get_origin(kind) is Literal, _one_of)  # type: ignore[comparison-overlap]
    _CONVERTER.register_structure_hook_func(lambda kind: kind == AutoCreate, _auto_create)
    _CONVERTER.register_structure_hook_func(lambda kind: kind == Address | Literal[False], _websocket)
    _CONVERTER.register_structure_hook_func(lambda kind: kind == Mapping[str, Level], _levels)
    _CONVERTER.register_structure_hook_func(lambda kind: kind == Mapping[str, str], _named_texts)
    _CONVERTER.register_structure_hook_func(lambda kind: kind == Mapping[str, Listener], _listeners)
    sections = (
        Server,
        Database,
        WorldTable,
        Accounts,
        Network,
        Limits,
        Storage,
        Cluster,
        ContentTable,
        Edge,
        Log,
    )
    for table in (*sections, *LISTENERS.values(), Settings):
        _CONVERTER.register_structure_hook(table, _table(table))


_CONVERTER = cattrs.Converter(forbid_extra_keys=True)
_register_hooks()
