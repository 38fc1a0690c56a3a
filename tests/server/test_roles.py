"""Which part of the server a process is: its doors, and what cannot be true together."""

from __future__ import annotations

import pytest

from protocol import l2
from protocol.l2.bridge_settings import read
from protocol.l2.listener import L2Listener
from server.settings.config import ConfigError, Settings, parse
from server.settings.roles import background_sockets, open_doors, tables_of

EVERYTHING = "[listen.uo]\n[listen.eo]\n[listen.eq2]\n"

L2 = '[listen.l2]\nbridge = "127.0.0.1:9014"\nbridge_secret = "a secret for 1"\n'

SERVERS = '[listen.l2.servers]\n"2" = "a secret for 2"\n'


def roles(*names: str) -> str:
    return f"[server]\nroles = {list(names)}\n".replace("'", '"')


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse(text, "test.toml")
    return [problem.removeprefix("test.toml: ") for problem in caught.value.problems]


def doors(settings: Settings) -> set[tuple[str, str]]:
    return {(name, door) for name, _, door, _ in open_doors(settings)}


def heard(settings: Settings) -> list[tuple[str, str, str]]:
    """Where background services listen: the game, the key and the address."""
    return [
        (game, f"{wanted.table}.{wanted.key}", str(wanted.address))
        for game, wanted in background_sockets(settings)
    ]


def test_a_process_is_everything_by_default() -> None:
    settings = parse(EVERYTHING + "[listen.l2]")
    assert settings.server.roles == ("login", "world")
    assert doors(settings) == {
        ("uo", "game"),
        ("eo", "game"),
        ("eo", "websocket"),
        ("eq2", "login"),
        ("eq2", "world"),
        ("l2", "login"),
        ("l2", "game"),
    }
    assert heard(settings) == []


def test_an_edge_has_all_doors_and_may_have_the_page() -> None:
    edge = '[server]\nroles = ["edge"]\n[edge]\nworlds = ["127.0.0.1:7700"]\n'
    settings = parse(f"{edge}[listen.uo]\n[listen.l2]\n[listen.web]\n")
    assert doors(settings) == {("uo", "game"), ("l2", "login"), ("l2", "game"), ("web", "http")}


def test_sqlite_has_one_world() -> None:
    assert problems('[world]\nid = 2\nrealms = ["confluence"]\naddress = "nowhere"\n') == [
        "world.address: must be \"host:port\", not 'nowhere'"
    ]
    assert problems('[world]\nid = 2\nrealms = ["confluence"]\n') == [
        "world.id: a database of SQLite has one world, 1: for more it has to be PostgreSQL",
        "world.realms: a database of SQLite has one world, which has all realms",
    ]
    table = '[database]\nurl = "postgresql://x/y"\n[world]\nid = 2\nrealms = ["confluence"]\n'
    assert parse(table + 'address = "127.0.0.1:0"\n').world.realms == ("confluence",)


def test_a_login_server_opens_one_door() -> None:
    assert doors(parse(roles("login") + L2 + SERVERS)) == {("l2", "login")}


def test_a_world_opens_all_others() -> None:
    """EverQuest II's login door among them: its client is sent on within the process."""
    opened = doors(parse(roles("world") + EVERYTHING + L2))
    assert ("l2", "login") not in opened
    assert ("eq2", "login") in opened
    assert len(opened) == 6


def test_a_world_without_lineage_needs_no_bridge() -> None:
    assert parse(roles("world") + EVERYTHING)
    assert parse(roles("world") + "[listen.uo]\n[listen.l2]\nenabled = false")


def test_both_roles_may_have_game_servers_elsewhere_beside() -> None:
    settings = parse(L2 + SERVERS)
    assert heard(settings) == [("l2", "l2.bridge", "127.0.0.1:9014")]
    bridge = read(tables_of(settings, l2.GAME))
    assert (bridge.table, str(bridge.line), bridge.secrets) == ("l2", "127.0.0.1:9014", {2: "a secret for 2"})


@pytest.mark.parametrize(("role", "hears"), [("login", True), ("world", False)])
def test_only_a_login_server_hears_game_servers(role: str, hears: bool) -> None:
    settings = parse(roles(role) + L2 + SERVERS)
    assert bool(heard(settings)) is hears
    assert read(tables_of(settings, l2.GAME)).line is not None


@pytest.mark.parametrize("named", ["", '"login", "login"'])
def test_there_is_a_role_and_each_once(named: str) -> None:
    assert problems(f"[server]\nroles = [{named}]") == [
        'server.roles: must be ["login"], ["world"], both, or ["edge"]'
    ]


def test_what_is_no_role_is_named() -> None:
    assert problems(roles("login", "game"))[0].startswith('server.roles[1]: must be one of "login", "world"')


def test_a_login_server_has_no_other_games() -> None:
    found = problems(roles("login") + "[listen.uo]\n[listen.eo]\nenabled = false\n" + L2 + SERVERS)
    assert found == [
        "listen.uo: a login server has no door for it: leave the table out, or enabled = false",
    ]
    assert problems(roles("login"))[0].startswith("server.roles: a login server needs [listen.l2]")


@pytest.mark.parametrize("role", ["login", "world"])
def test_one_role_alone_needs_the_bridge(role: str) -> None:
    (problem,) = problems(roles(role) + "[listen.l2]")
    assert problem.startswith(f'listen.l2.bridge: must be an address if roles is ["{role}"]')


def test_a_login_server_knows_its_game_servers() -> None:
    (problem,) = problems(roles("login") + L2)
    assert problem.startswith("listen.l2.servers: must name the game servers")


def test_a_game_server_has_a_secret_and_the_login_servers_port() -> None:
    found = problems(roles("world") + '[listen.l2]\nbridge = "127.0.0.1:0"')
    assert [problem.partition(":")[0] for problem in found] == ["listen.l2.bridge", "listen.l2.bridge_secret"]


def test_the_game_server_in_the_process_has_its_id_alone() -> None:
    (problem,) = problems(L2 + '[listen.l2.servers]\n"1" = "a secret for 1"\n')
    assert problem.startswith("listen.l2.servers: 1 is the game server in this process")


def test_one_table_has_the_bridge() -> None:
    more = '[listen.l2_lan]\nlogin = "127.0.0.1:2107"\ngame = "127.0.0.1:7778"\n'
    assert parse(L2 + SERVERS + more)
    assert "only one table" in problems(roles("world") + L2 + more)[0]
    assert "only one table" in problems(L2 + SERVERS + more + 'bridge = "127.0.0.1:9015"\n')[0]


@pytest.mark.parametrize(
    "line",
    [
        "server_id = 0",
        "server_id = 256",
        'bridge_secret = "short"',
        "bridge = true",
        'bridge = "nowhere"',
        'servers = { "0" = "long enough" }',
        'servers = { "01" = "long enough" }',
        'servers = { "256" = "long enough" }',
        'servers = { "one" = "long enough" }',
        'servers = { "2" = "short" }',
        'servers = { "2" = "" }',
        'servers = { "2" = 12345678 }',
        "servers = []",
    ],
)
def test_bad_values_are_refused_without_being_shown(line: str) -> None:
    (problem,) = problems(f"[listen.l2]\n{line}")
    assert problem.startswith(f"listen.l2.{line.split()[0]}")
    assert "long enough" not in problem
    assert '"short"' not in problem


@pytest.mark.parametrize("key", ["bridge_secret", "servers"])
def test_a_number_of_l2j_has_to_be_one(key: str) -> None:
    text = L2 + SERVERS
    old = {"bridge_secret": "a secret for 1", "servers": "a secret for 2"}[key]
    parse(text.replace(old, "hexid:-5fa3c0de"))
    (problem,) = problems(text.replace(old, "hexid:-5fa3c0dx"))
    assert problem.startswith(f"listen.l2.{key}: what follows hexid: must be the number")


def test_secrets_are_not_in_what_is_printed() -> None:
    text = repr(parse(L2 + SERVERS))
    assert "a secret" not in text
    assert "***" in text


def test_secrets_are_no_business_of_a_codec() -> None:
    assert L2Listener().codec_settings().keys() == {
        "packet_encryption",
        "protocols",
        "show_licence",
        "delete_days",
    }
