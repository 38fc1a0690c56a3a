"""config.toml: what it may say, and that every way of saying it wrong is found and named (R-70, R-71)."""

import re
from pathlib import Path

import attrs
import pytest

import server
from protocol.address import Address, Advertise
from protocol.eo.listener import EoListener
from protocol.uo.listener import UoListener
from server.settings.config import (
    LISTENERS,
    Accounts,
    ConfigError,
    Database,
    Limits,
    Network,
    Server,
    Settings,
    changed_at_runtime,
    load,
    parse,
)


def problems(text: str) -> list[str]:
    """The mistakes found in a text, without the name of the file."""
    with pytest.raises(ConfigError) as caught:
        parse(text, "test.toml")
    assert all(problem.startswith("test.toml: ") for problem in caught.value.problems)
    return [problem.removeprefix("test.toml: ") for problem in caught.value.problems]


def test_an_empty_file_is_all_defaults_and_no_listener() -> None:
    assert parse("") == Settings()
    assert parse("").listen == {}


def test_values_arrive_in_their_place() -> None:
    settings = parse(
        """
        [server]
        name = "Elsewhere"
        [accounts]
        auto_create = false
        [listen.uo]
        game = "127.0.0.1:0"
        advertise = "play.example.org:2600"
        encryption = "plain"
        [listen.uo_lan]
        enabled = false
        [listen.eo]
        game = "[::1]:8078"
        websocket = false
        advertise = "192.0.2.7"
        behind_proxy = true
        [limits]
        exempt = []
        first_byte_seconds = 1
        [log]
        level = "TRACE"
        [log.levels]
        "net.uo" = "DEBUG"
        store = "ERROR"
        """
    )
    assert settings.server == Server(name="Elsewhere")
    assert settings.accounts.auto_create is False
    assert settings.listen == {
        "uo": UoListener(
            game=Address("127.0.0.1", 0), advertise=Advertise("play.example.org", 2600), encryption="plain"
        ),
        "uo_lan": UoListener(enabled=False),
        "eo": EoListener(
            game=Address("::1", 8078), websocket=False, advertise=Advertise("192.0.2.7"), behind_proxy=True
        ),
    }
    assert settings.listen["uo_lan"].family == "uo"
    assert settings.listen["eo"].addresses() == {"game": Address("::1", 8078)}
    assert settings.limits.exempt == ()
    assert isinstance(settings.limits.first_byte_seconds, float)
    assert settings.log.levels == {"net.uo": "DEBUG", "store": "ERROR"}


BROKEN = {
    "unknown table": ("[netwrk]", "netwrk: unknown key (did you mean 'network'?)"),
    "unknown key": ("[network]\nback_log = 5", "network.back_log: unknown key (did you mean 'backlog'?)"),
    "unknown key, nothing near": ("[accounts]\nzzz = 1", "accounts.zzz: unknown key (known here: "),
    "key outside a table": ('name = "x"', "name: unknown key"),
    "key with odd characters": ('[server]\n"a\\nb" = 1', 'server."a\\nb": unknown key'),
    "value for a table": ("network = 5", "network: must be a table, not 5"),
    "list for a table": ("[[network]]", "network: must be a table, not a list"),
    "text for a number": ('[network]\nbacklog = "20"', "network.backlog: must be a whole number, not '20'"),
    "true for a number": ("[network]\nbacklog = true", "network.backlog: must be a whole number, not true"),
    "fraction for a count": ("[network]\nbacklog = 1.5", "network.backlog: must be a whole number, not 1.5"),
    "text for seconds": (
        '[storage]\nflush_seconds = "1"',
        "storage.flush_seconds: must be a number, not '1'",
    ),
    "true for seconds": (
        "[storage]\nflush_seconds = true",
        "storage.flush_seconds: must be a number, not true",
    ),
    "number for a switch": ("[network]\nnodelay = 1", "network.nodelay: must be true or false, not 1"),
    "text for a switch": ('[log]\njson = "no"', "log.json: must be true or false, not 'no'"),
    "number for text": ("[server]\nname = 5", "server.name: must be text in quotes, not 5"),
    "table for text": ("[server.name]", "server.name: must be text in quotes, not a table"),
    "date for text": ("[server]\nname = 2026-01-01", "server.name: must be text in quotes, not "),
    "text for a list": ('[limits]\nexempt = "::1"', "limits.exempt: must be a list, not '::1'"),
    "wrong item of a list": (
        '[limits]\nexempt = ["::1", 5]',
        "limits.exempt[1]: must be text in quotes, not 5",
    ),
    "below the range": ("[accounts]\ncharacters = 0", "accounts.characters: must be from 1 to 7, not 0"),
    "above the range": ("[accounts]\ncharacters = 8", "accounts.characters: must be from 1 to 7, not 8"),
    "not a number": ("[network]\ngather_ms = nan", "network.gather_ms: must be from 0 to 50, not nan"),
    "endless": ("[limits]\nidle_seconds = inf", "limits.idle_seconds: must be from 1 to 86400, not inf"),
    "not a choice": (
        '[storage]\nsynchronous = "off"',
        'storage.synchronous: must be one of "full", "normal", not ',
    ),
    "not a switch or choice": (
        '[accounts]\nauto_create = "lan"',
        "accounts.auto_create: must be true, false or \"loopback\", not 'lan'",
    ),
    "one for true": ("[accounts]\nauto_create = 1", "accounts.auto_create: must be true, false or"),
    "more than is read at a time": (
        "[network]\nreceive_buffer_kib = 65",
        "network.receive_buffer_kib: must be from 4 to 64, not 65",
    ),
    "blank name": ('[server]\nname = " "', "server.name: must be printable text"),
    "name with a control character": ('[server]\nname = "a\\u001b"', "server.name: must be printable text"),
    "empty path": ('[server]\nstate_dir = ""', "server.state_dir: must be a path"),
    "not a network": (
        '[limits]\nexempt = ["10.0.0.1/8"]',
        "limits.exempt: '10.0.0.1/8' is not an address or",
    ),
    "other bus": ('[cluster]\nvalkey = "http://h"', "cluster.valkey: must begin with valkey:// or redis://"),
    "bus without a host": ('[cluster]\nvalkey = "valkey://"', "cluster.valkey: must be valkey://HOST:PORT"),
    "bus with a wrong port": (
        '[cluster]\nvalkey = "redis://h:x"',
        "cluster.valkey: must be valkey://HOST:PORT",
    ),
    "bus with a wrong database": (
        '[cluster]\nvalkey = "redis://:secret@h:1/x"',
        "cluster.valkey: must be valkey://HOST:PORT/DATABASE, perhaps",
    ),
    "world 0": ("[world]\nid = 0", "world.id: "),
    "other database": ('[database]\nurl = "mysql://h/x"', "database.url: must begin with sqlite:// or"),
    "game that is not here": ("[listen.rs]", "listen.rs: unknown key (known here: uo, eo, eq2, co, l2, web)"),
    "misspelt game": ("[listen.eoo]", "listen.eoo: unknown key (did you mean 'eo'?)"),
    "empty suffix": ("[listen.uo_]", "listen.uo_: unknown key"),
    "value for a listener": ("[listen]\nuo = true", "listen.uo: must be a table, not true"),
    "value for listen": ("listen = 1", "listen: must be a table, not 1"),
    "key of another game": ('[listen.uo]\nwebsocket = "h:1"', "listen.uo.websocket: unknown key"),
    "no port": ('[listen.uo]\ngame = "0.0.0.0"', 'listen.uo.game: must be "host:port", not'),
    "no host": ('[listen.uo]\ngame = ":2593"', 'listen.uo.game: must be "host:port", not'),
    "number for an address": ("[listen.uo]\ngame = 2593", "listen.uo.game: must be text in quotes, not 2593"),
    "port too high": (
        '[listen.uo]\ngame = "h:65536"',
        "listen.uo.game: the port must be a number from 0 to 65535",
    ),
    "port with a sign": ('[listen.uo]\ngame = "h:+1"', "listen.uo.game: the port must be a number"),
    "port in other digits": ('[listen.uo]\ngame = "h:٢"', "listen.uo.game: the port must be a number"),
    "address of five parts": ('[listen.uo]\ngame = "1.2.3.4.5:1"', "listen.uo.game: '1.2.3.4.5' is neither"),
    "byte above 255": ('[listen.uo]\ngame = "1.2.3.256:1"', "listen.uo.game: '1.2.3.256' is neither"),
    "blank in a name": ('[listen.uo]\ngame = "a b:1"', "listen.uo.game: 'a b' is neither"),
    "IPv6 without brackets": (
        '[listen.uo]\ngame = "::1:2593"',
        "listen.uo.game: an IPv6 address goes into brackets",
    ),
    "wrong IPv6": ('[listen.uo]\ngame = "[::g]:1"', "listen.uo.game: '[::g]' is not an IPv6 address"),
    "websocket = true": (
        "[listen.eo]\nwebsocket = true",
        'listen.eo.websocket: must be "host:port", or false',
    ),
    "advertised IPv6": (
        '[listen.uo]\nadvertise = "::1"',
        "listen.uo.advertise: must be an IPv4 address or a name",
    ),
    "advertised port 0": (
        '[listen.uo]\nadvertise = "h:0"',
        "listen.uo.advertise: the port must be a number from 1",
    ),
    "IPv6 without advertise": (
        '[listen.uo]\ngame = "[::]:1"',
        "listen.uo.advertise: must be given for an IPv6",
    ),
    "one address twice": (
        '[listen.uo]\ngame = "h:1"\n[listen.eo]\ngame = "h:1"',
        "listen.eo.game: h:1 is already taken by listen.uo.game",
    ),
    "unknown level": ('[log]\nlevel = "info"', 'log.level: must be one of "TRACE", "DEBUG", "INFO"'),
    "unknown level of a category": ('[log.levels]\n"net.uo" = "LOUD"', 'log.levels."net.uo": must be one of'),
    "category without quotes": (
        '[log.levels]\nnet.uo = "DEBUG"',
        'log.levels.net: write the category in quotes: "net.uo" = ...',
    ),
    "odd category": ('[log.levels]\n"net uo" = "DEBUG"', 'log.levels."net uo": is not a category'),
    "value for levels": ('[log]\nlevels = "DEBUG"', "log.levels: must be a table, not 'DEBUG'"),
}


@pytest.mark.parametrize(("text", "expected"), BROKEN.values(), ids=BROKEN.keys())
def test_a_mistake_is_named_with_its_place(text: str, expected: str) -> None:
    (problem,) = problems(text)
    assert problem.startswith(expected)


def test_all_mistakes_are_reported_at_once() -> None:
    """The tables of BROKEN that can stand in one file, all in one file."""
    text = """
        nonsense = 1
        [server]
        naem = "x"
        [accounts]
        characters = 9
        auto_create = "no"
        [listen.uo]
        game = "h:99999"
        [listen.eo]
        game = "h:5"
        websocket = "h:5"
        [listen.rs]
        [network]
        backlog = "20"
        nodelay = 1
        [limits]
        exempt = ["x", 5]
        connectoins = 5
        [log.levels]
        world = "loud"
        "a b" = "DEBUG"
        """
    places = {problem.partition(": ")[0] for problem in problems(text)}
    assert places == {
        "nonsense",
        "server.naem",
        "accounts.characters",
        "accounts.auto_create",
        "listen.uo.game",
        "listen.eo.websocket",
        "listen.rs",
        "network.backlog",
        "network.nodelay",
        "limits.exempt[1]",
        "limits.connectoins",
        "log.levels.world",
        'log.levels."a b"',
    }


def test_a_syntax_error_is_one_problem_with_its_line() -> None:
    (problem,) = problems('[server]\nname = "x\n')
    assert problem.startswith("not TOML: ")
    assert "line 2" in problem


def test_a_key_given_twice_is_a_problem_with_its_line() -> None:
    (problem,) = problems('[server]\nname = "x"\nname = "y"\n')
    assert "line 3" in problem


def test_a_missing_file_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "none.toml")
    assert caught.value.problems == [f"{tmp_path / 'none.toml'}: cannot be read: No such file or directory"]


def test_a_directory_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path)


def test_a_file_that_is_not_text_is_a_config_error(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'[server]\nname = "\xff"')
    with pytest.raises(ConfigError, match="is not UTF-8 text"):
        load(path)


def test_problems_of_a_file_carry_its_path(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("x = 1\ny = 2\n")
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert len(caught.value.problems) == 2
    assert all(problem.startswith(f"{path}: ") for problem in caught.value.problems)


def test_the_same_rules_hold_for_classes_made_in_code() -> None:
    with pytest.raises(ValueError, match="must be from 1 to 7"):
        Accounts(characters=0)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Settings().network.backlog = 5  # type: ignore[misc]


# Where files lie


def test_paths_start_at_the_directory_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[server]\nstate_dir = "state"\n')
    settings = load(path)
    assert settings.server.state_dir == tmp_path / "state"
    assert settings.database.url == f"sqlite:///{tmp_path.as_posix()}/state/causeway.db"
    assert settings.log.file == tmp_path / "state/logs/causeway.jsonl"


def test_a_relative_config_path_gives_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    assert load(Path("config.toml")).server.state_dir == tmp_path / "var"


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:////srv/causeway.db",
        "sqlite:///file:x?mode=memory&uri=true",
        "postgresql://causeway@db.example.org/causeway",
        "postgresql+psycopg://db.example.org/causeway",
    ],
)
def test_an_absolute_url_stays_as_it_is(url: str) -> None:
    settings = attrs.evolve(Settings(), database=Database(url=url))
    assert settings.anchored(Path("/etc/causeway")).database.url == url


def test_options_of_a_relative_url_are_kept() -> None:
    settings = parse('[database]\nurl = "sqlite:///other.db?timeout=5"').anchored(Path("/srv"))
    assert settings.database.url == "sqlite:////srv/var/other.db?timeout=5"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://causeway:s3cr3t@host/db",
        "postgresql://a:s3cr3t@s3cr3t@host/db",
        "postgresql:///db?password=s3cr3t",
    ],
)
def test_a_database_password_is_not_shown(url: str) -> None:
    assert "s3cr3t" not in repr(attrs.evolve(Settings(), database=Database(url=url)))
    with pytest.raises(ConfigError) as caught:
        parse(f'[database]\nurl = "x{url}"')
    assert "s3cr3t" not in str(caught.value)


# Addresses


@pytest.mark.parametrize("text", ["0.0.0.0:2593", "127.0.0.1:0", "[::]:65535", "localhost:80", "a-b.c_d.e:1"])
def test_an_address_reads_back_as_written(text: str) -> None:
    assert str(Address.parse(text)) == text


def test_an_advertised_address_may_lack_its_port() -> None:
    assert Advertise.parse("play.example.org") == Advertise("play.example.org", None)
    assert str(Advertise.parse("play.example.org:99")) == "play.example.org:99"


def test_a_switched_off_listener_takes_no_address() -> None:
    text = '[listen.uo]\ngame = "h:1"\n[listen.uo_off]\nenabled = false\ngame = "h:1"'
    assert set(parse(text).listen) == {"uo", "uo_off"}


def test_port_zero_may_be_asked_for_twice() -> None:
    assert parse('[listen.eo]\ngame = "127.0.0.1:0"\nwebsocket = "127.0.0.1:0"').listen


# Reload


def test_a_reload_takes_what_may_change_and_names_the_rest() -> None:
    old = parse("[listen.uo]\n[listen.eo]")
    new = parse(
        """
        [server]
        name = "Other"
        [accounts]
        auto_create = true
        [listen.uo]
        game = "0.0.0.0:2594"
        [listen.uo_new]
        [network]
        gather_ms = 5
        backlog = 10
        [limits]
        connections = 7
        [log]
        level = "DEBUG"
        file = "other.jsonl"
        [log.levels]
        world = "TRACE"
        """
    )
    merged, restart = changed_at_runtime(old, new)
    assert restart == [
        "server.name",
        "listen.eo",
        "listen.uo",
        "listen.uo_new",
        "network.backlog",
        "log.file",
    ]
    assert merged.server == old.server
    assert merged.listen == old.listen
    assert merged.accounts == new.accounts
    assert merged.network == attrs.evolve(Network(), gather_ms=5.0)
    assert merged.limits == Limits(connections=7)
    assert merged.log == attrs.evolve(new.log, file=old.log.file)


def test_a_reload_without_changes_changes_nothing() -> None:
    old = parse("[listen.uo]")
    assert changed_at_runtime(old, parse("[listen.uo]")) == (old, [])


def keys() -> list[str]:
    """Every key there is, by its own name."""
    settings = Settings()
    tables = [
        type(getattr(settings, field.name)) for field in attrs.fields(Settings) if field.name != "listen"
    ]
    return sorted({field.name for table in (*tables, *LISTENERS.values()) for field in attrs.fields(table)})


def test_every_key_is_read_by_something() -> None:
    """A key that nothing reads promises what the server does not do."""
    root = Path(server.__file__).parent.parent
    files = [*(root / "server").rglob("*.py"), *(root / "protocol").rglob("*.py")]
    declared = {"config.py", "listeners.py"}
    sources = "\n".join(file.read_text(encoding="utf-8") for file in files if file.name not in declared)
    # A key that only one game's listeners have may be asked for by its name in quotes.
    unread = [key for key in keys() if not re.search(rf'\.{key}\b|"{key}"', sources)]
    assert unread == []


def test_a_mark_of_the_order_of_bytes_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'\xef\xbb\xbf[server]\nname = "Marked"\n')
    assert load(path).server.name == "Marked"
