"""What a newcomer is told to write into each client: the exact lines, for whatever is open and wherever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import pytest
from starlette.applications import Starlette

from server.settings.config import parse
from server.web import connect
from server.web.connect import (
    MAY_NOT_REGISTER,
    MAY_REGISTER,
    Client,
    WordsError,
    asked_host,
    games,
    read_words,
)
from server.web.site import Caller
from tests.kit.town import Town
from tests.kit.visitor import Visitor, front_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import trio
    from trio.testing import MockClock

WORDS: Final = read_words()
PORTS: Final = {
    ("web", "http"): 8080,
    ("uo", "game"): 2593,
    ("eo", "game"): 8078,
    ("eo", "websocket"): 8079,
    ("eq2", "login"): 9100,
    ("eq2", "world"): 9001,
    ("co", "account"): 9958,
    ("co_5065", "account"): 9959,
    ("l2", "login"): 2106,
    ("l2", "game"): 7777,
}
EVERYTHING: Final = """
[listen.l2]
[listen.uo]
[listen.eo]
[listen.eq2]
[listen.co]
[listen.co_5065]
patch = 5065
account = "0.0.0.0:9959"
game = "0.0.0.0:5817"
[listen.web]
"""
HERE: Final = Caller("127.0.0.1", "127.0.0.1:8080", remote=False)
STRANGER: Final = Caller("203.0.113.9", "192.0.2.1:8080", remote=False)
PROXIED: Final = Caller("203.0.113.9", "127.0.0.1:8080", remote=True)


def told(
    config: str,
    asked: str = "play.example.org",
    ports: Mapping[tuple[str, str], int] = PORTS,
    clients: tuple[Client, ...] | None = None,
) -> dict[str, list[dict[str, str]]]:
    """The steps by the name of the client; two of one name are told apart by their listener."""
    listen = parse(config).listen
    entries = games(clients or WORDS, listen, ports, page="web", asked=asked, server="Testland")
    found: dict[str, list[dict[str, str]]] = {}
    for entry in entries:
        name = str(entry["name"])
        key = f"{name} at {entry['listener']}" if name in found else name
        found[key] = cast("list[dict[str, str]]", entry["steps"])
    return found


def lines(steps: list[dict[str, str]]) -> list[tuple[str, str]]:
    return [(step["file"], step["line"]) for step in steps if "line" in step]


def texts(steps: list[dict[str, str]]) -> str:
    return "\n".join(step["text"] for step in steps)


def test_the_exact_lines_of_every_client() -> None:
    found = told(EVERYTHING, "192.0.2.7")
    assert {name: lines(steps) for name, steps in found.items()} == {
        "In the browser": [],
        "Ultima Online": [("login.cfg", "LoginServer=192.0.2.7,2593")],
        "Ultima Online with ClassicUO": [
            ("settings.json", '"ip": "192.0.2.7",'),
            ("settings.json", '"port": 2593,'),
            ("settings.json", '"clientversion": "7.0.102.3",'),
        ],
        "Endless Online": [("config/setup.ini", "Host=192.0.2.7"), ("config/setup.ini", "Port=8078")],
        "Endless Online with eoweb": [("config.json", '"host": "ws://192.0.2.7:8079",')],
        "EverQuest II": [("eq2_default.ini", "cl_ls_address 192.0.2.7")],
        "Lineage II": [("l2.ini", "ServerAddr=192.0.2.7"), ("hosts", "192.0.2.7 L2authd.Lineage2.com")],
        "Conquer Online 5017": [
            ("Server.dat", "192.0.2.7"),
            ("Server.dat", "9958"),
            ("shortcut", "Conquer.exe blacknull"),
        ],
        "Conquer Online 5065": [
            ("Server.dat", "192.0.2.7"),
            ("Server.dat", "9959"),
            ("shortcut", "Conquer.exe blacknull"),
        ],
    }
    assert next(iter(found)) == "In the browser"
    words = "\n".join(texts(steps) for steps in found.values())
    assert "{" not in words
    assert "UDP port 9100" not in words
    assert "refuses" not in words


def test_a_name_goes_into_every_file_but_hosts() -> None:
    found = told(EVERYTHING, "play.example.org")
    assert lines(found["Ultima Online"]) == [("login.cfg", "LoginServer=play.example.org,2593")]
    assert lines(found["Lineage II"]) == [("l2.ini", "ServerAddr=play.example.org")]


def test_what_is_off_or_not_bound_is_not_shown() -> None:
    config = """
    [listen.uo]
    enabled = false
    [listen.eo]
    websocket = false
    [listen.l2]
    """
    ports = {key: port for key, port in PORTS.items() if key != ("l2", "login")}
    assert list(told(config, ports=ports)) == ["Endless Online"]


def test_the_port_is_the_one_that_is_bound() -> None:
    config = '[listen.uo]\ngame = "0.0.0.0:0"\n[listen.l2]\n[listen.eq2]'
    ports = {("uo", "game"): 31337, ("l2", "login"): 2107, ("eq2", "login"): 9200}
    found = told(config, ports=ports)
    assert lines(found["Ultima Online"]) == [("login.cfg", "LoginServer=play.example.org,31337")]
    assert "asks at port 2106, but the server listens at 2107" in texts(found["Lineage II"])
    assert "asks at UDP port 9100, but the server listens at 9200" in texts(found["EverQuest II"])


def test_what_is_advertised_counts_before_everything() -> None:
    """A port that is advertised is that of the door to which clients are sent on."""
    config = """
    [listen.uo]
    advertise = "uo.example.org:2600"
    [listen.uo_lan]
    game = "192.168.0.5:2594"
    [listen.l2]
    advertise = "l2.example.org:7000"
    """
    found = told(config, "asked.example.org", {**PORTS, ("uo_lan", "game"): 2594})
    assert lines(found["Ultima Online"]) == [("login.cfg", "LoginServer=uo.example.org,2600")]
    assert lines(found["Ultima Online at uo_lan"]) == [("login.cfg", "LoginServer=192.168.0.5,2594")]
    assert lines(found["Lineage II"]) == [("l2.ini", "ServerAddr=l2.example.org")]
    assert "2106, but" not in texts(found["Lineage II"])


@pytest.mark.parametrize("bound", ["127.0.0.1", "localhost", "127.0.0.5"])
def test_what_is_bound_to_this_machine_says_so(bound: str) -> None:
    """In a note: nobody can do it, as one does a step."""
    listen = parse(f'[listen.uo]\ngame = "{bound}:2593"\n[listen.eo]').listen
    entries = games(WORDS, listen, PORTS, page="web", asked="play.example.org", server="Testland")
    notes = {entry["name"]: entry.get("note") for entry in entries}
    assert notes["Ultima Online"] == connect.HERE_ONLY
    assert notes["Endless Online"] is None
    steps = told(f'[listen.uo]\ngame = "{bound}:2593"')["Ultima Online"]
    assert lines(steps) == [("login.cfg", "LoginServer=127.0.0.1,2593")]
    assert connect.HERE_ONLY not in texts(steps)


def test_conquer_online_warns_of_loopback() -> None:
    assert "refuses to be sent on to 127.0.0.1" in texts(told(EVERYTHING, "127.0.0.1")["Conquer Online 5017"])


def test_without_an_address_there_is_no_line_and_the_port_at_least() -> None:
    for steps in told(EVERYTHING, "").values():
        assert lines(steps) == []
    assert "The port is 2593." in texts(told(EVERYTHING, "")["Ultima Online"])


def test_an_ipv6_listener_is_shown_by_what_it_advertises() -> None:
    config = '[listen.uo]\ngame = "[::]:2593"\nadvertise = "192.0.2.8"'
    assert lines(told(config)["Ultima Online"]) == [("login.cfg", "LoginServer=192.0.2.8,2593")]


@pytest.mark.parametrize(
    ("header", "caller", "host"),
    [
        ("play.example.org", STRANGER, "play.example.org"),
        ("Play.Example.org:8080", STRANGER, "play.example.org"),
        ("192.0.2.1:8080", STRANGER, "192.0.2.1"),
        ("play.example.org:8443", PROXIED, "play.example.org"),
        ("localhost:8080", HERE, "127.0.0.1"),
        ("127.0.0.1:8080", HERE, "127.0.0.1"),
        ("[::1]:8080", HERE, "127.0.0.1"),
        ("localhost:8080", PROXIED, ""),
        ("127.0.0.1", STRANGER, ""),
        ("[2001:db8::1]:8080", STRANGER, ""),
        ("0.0.0.0:8080", STRANGER, ""),
        ("[::]:8080", STRANGER, ""),
        ("", STRANGER, ""),
        ('x" onload="y', STRANGER, ""),
        ("a,2593\nLoginServer=evil", STRANGER, ""),
        ("a:b:c", STRANGER, ""),
        ("example.org:99999", STRANGER, ""),
        ("1.2.3", STRANGER, ""),
        ("{port}", STRANGER, ""),
    ],
)
def test_of_the_host_header_only_addresses_and_names_are_taken(
    header: str, caller: Caller, host: str
) -> None:
    assert asked_host(header, caller) == host


def test_every_mistake_in_the_words_is_found(tmp_path: Path) -> None:
    path = tmp_path / "connect.toml"
    path.write_text(
        '[[client]]\ngame = "uo"\ndoor = "game"\nname = "a"\nversions = "b"\nsteps = [{ txt = "c" }]',
        encoding="utf-8",
    )
    with pytest.raises(WordsError, match=r"unknown key 'txt', did you mean 'text'\?"):
        read_words(path)
    path.write_text(path.read_text(encoding="utf-8").replace("txt", 'only = "never", text'), encoding="utf-8")
    with pytest.raises(WordsError, match="only: no 'never'"):
        read_words(path)


@pytest.mark.parametrize(
    ("peer", "headers", "may_register"),
    [
        ("127.0.0.1", {}, True),
        ("203.0.113.9", {}, False),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1"}, False),
    ],
)
async def test_the_page_tells_each_whether_he_may_make_an_account(
    nursery: trio.Nursery,
    autojump_clock: MockClock,
    peer: str,
    headers: dict[str, str],
    *,
    may_register: bool,
) -> None:
    town = Town(nursery, parse(EVERYTHING), games=("uo", "web"))
    town.app.gateway.ports.update(PORTS)
    front = front_of(town)
    front.asgi = Starlette(routes=connect.routes(front.site))
    answer = await Visitor(front, peer=peer).get("/connect.json", headers)
    assert answer.headers["cache-control"] == "no-store"
    found = answer.json()
    assert found["server"] == "Causeway"
    assert found["accounts"] == {
        "may_register": may_register,
        "text": MAY_REGISTER if may_register else MAY_NOT_REGISTER,
    }
    entries = cast("list[dict[str, object]]", found["games"])
    assert [entry["game"] for entry in entries] == ["web", "uo", "uo", "eo", "eo", "eq2", "l2", "co", "co"]
    uo = entries[1]
    host = "" if headers or peer != "127.0.0.1" else "127.0.0.1"
    assert (uo["host"], uo["port"], uo["listener"]) == (host, 2593, "uo")


@pytest.mark.parametrize(
    ("table", "peer", "local", "told"),
    [
        ("", "127.0.0.1", "127.0.0.1:2593", "http://127.0.0.1:8080"),
        ("", "203.0.113.9", "192.0.2.1:2593", ""),
        ("map = false", "127.0.0.1", "127.0.0.1:2593", ""),
        ('hosts = ["play.example.org", "b"]', "203.0.113.9", "192.0.2.1:2593", "play.example.org"),
        ('advertise = "one.example.org"', "203.0.113.9", "192.0.2.1:2593", "one.example.org"),
        ('http = "0.0.0.0:8080"\npublic = true', "203.0.113.9", "192.0.2.1:2593", "http://192.0.2.1:8080"),
        ('http = "0.0.0.0:8080"\npublic = true\nbehind_proxy = true', "203.0.113.9", "192.0.2.1:2593", ""),
        ("enabled = false", "127.0.0.1", "127.0.0.1:2593", ""),
    ],
)
def test_where_somebody_in_a_game_finds_the_live_map(table: str, peer: str, local: str, told: str) -> None:
    listen = parse(f"[listen.web]\n{table}").listen
    ports = PORTS if listen["web"].enabled else {}
    assert connect.page_address(listen, ports, peer, local) == told
