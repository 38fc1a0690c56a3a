"""Who may ask the page for anything: its names, the pages that ask, and how many at once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from server.__main__ import main
from server.settings.config import ConfigError, parse
from server.web.admission import Admission
from server.web.headers import SECURITY
from tests.kit.town import Town
from tests.kit.visitor import Rejected, Visitor, front_of

if TYPE_CHECKING:
    from pathlib import Path

    import trio
    import trio.testing

    from server.web.front import Front

ALRIC = {"account": "alric", "password": "secret1"}


async def page(nursery: trio.Nursery, table: str = "", more: str = "") -> Front:
    town = Town(nursery, parse(f"[listen.web]\n{table}\n{more}"), games=("web",))
    await town.open()
    return front_of(town)


async def status(visitor: Visitor) -> int:
    answer = await visitor.get("/session")
    assert SECURITY.items() <= answer.headers.items()
    return answer.status


@pytest.mark.parametrize(
    ("table", "heard", "refused"),
    [
        (
            "",
            "localhost LOCALHOST:8080 127.0.0.1:8080 [::1]:8080 [::1] localhost.:80",
            "example.org rebound.example:8080 192.0.2.1:8080 127.0.0.1.example localhost.example ::1 0.0.0.0",
        ),
        (
            'hosts = ["Play.Example.org", "other.example:8443"]\nbehind_proxy = true',
            "play.example.org play.example.org:8443 other.example:8443 localhost:8080",
            "example.org other.example other.example:80 evil.play.example.org",
        ),
        ('http = "127.0.0.7:8080"', "127.0.0.7:8080 localhost", "127.0.0.8:8080"),
        ('http = "0.0.0.0:8080"\npublic = true', "example.org 192.0.2.1:8080 localhost:8080", ""),
        (
            'http = "[::]:8080"\npublic = true\nhosts = ["play.example.org"]',
            "play.example.org",
            "localhost:8080 192.0.2.1:8080",
        ),
    ],
)
async def test_it_answers_to_its_own_names_only(
    table: str, heard: str, refused: str, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    front = await page(nursery, table)
    for host in heard.split():
        assert await status(Visitor(front, host=host)) == 200, host
    for host in refused.split():
        assert await status(Visitor(front, host=host)) == 421, host
        with pytest.raises(Rejected) as rejected:
            async with Visitor(front, host=host).connect("/play"):
                pass
        assert rejected.value.answer.status == 421
        assert "hosts in [listen.web]" in rejected.value.answer.text
    assert await status(Visitor(front, host="")) == 400
    nursery.cancel_scope.cancel()


OURS = "http://localhost:8080"
FOREIGN = [
    *(
        "http://evil.example",
        "null",
        " ",
        "https://localhost:8080",
        "http://localhost",
        "http://localhost:8081",
    ),
    *("http://127.0.0.1:8080", "http://localhost:8080.evil.example", "http://localhost:8080/", "file://"),
    *("http://[::1", "http://evil@localhost:8080", "javascript:alert(1)"),
]


async def test_foreign_pages_open_nothing_and_change_nothing(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    front = await page(nursery)
    owner = Visitor(front)
    assert owner.page == OURS
    assert (await owner.post("/account", ALRIC)).status == 201
    for origin in FOREIGN:
        foreign = Visitor(front, page=origin)
        foreign.cookies = dict(owner.cookies)
        assert (await foreign.post("/account", {**ALRIC, "account": "hilda"})).status == 403, origin
        assert (await foreign.post("/session", ALRIC)).status == 403, origin
        assert (await foreign.delete("/session")).status == 403, origin
        for path in ("/play", "/watch"):
            with pytest.raises(Rejected) as rejected:
                async with foreign.connect(path):
                    pass
            assert rejected.value.answer.status == 403
            assert SECURITY.items() <= rejected.value.answer.headers.items()
    assert (await owner.get("/session")).json()["account"] == "alric", "nobody logged it out"
    program = Visitor(front, page=None)
    async with program.connect("/play") as socket:
        await socket.until("welcome")
    program.cookies = dict(owner.cookies)
    with pytest.raises(Rejected):
        async with program.connect("/play"):
            pass
    nursery.cancel_scope.cancel()


async def test_behind_a_proxy_a_page_is_known_by_scheme_or_by_hosts(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    front = await page(nursery, 'behind_proxy = true\nhosts = ["play.example.org"]')
    secure = {"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9"}
    for host, origin, allowed in (
        ("localhost:8080", "https://localhost:8080", True),
        ("localhost:8080", "http://localhost:8080", False),
        ("localhost:8080", "https://play.example.org", True),
        ("play.example.org", "https://play.example.org:8443", True),
        ("play.example.org", "https://play.example.org.evil.example", False),
        ("play.example.org", "wss://play.example.org", False),
    ):
        visitor = Visitor(front, host=host, page=origin, headers=secure)
        answer = await visitor.post("/session", ALRIC)
        assert answer.status == (401 if allowed else 403), origin
    nursery.cancel_scope.cancel()


async def test_r21_websockets_are_counted_by_the_address_that_is_meant(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "net.web")
    front = await page(nursery, "behind_proxy = true\nsockets_per_address = 1")

    def somebody(address: str) -> Visitor:
        return Visitor(front, page="http://localhost:8080", headers={"x-forwarded-for": address})

    async with somebody("203.0.113.1").connect("/play") as first:
        await first.until("welcome")
        written = ("203.0.113.1", "198.51.100.7, 203.0.113.1", "203.0.113.1:49152", "::ffff:203.0.113.1")
        for address in (*written, "[::ffff:203.0.113.1]:49152"):
            with pytest.raises(Rejected) as rejected:
                async with somebody(address).connect("/play"):
                    pass
            assert rejected.value.answer.status == 429
        async with somebody("203.0.113.2").connect("/play") as second:
            await second.until("welcome")
    assert caplog.text.count("203.0.113.1 refused: 1 WebSockets of one address") == 5
    async with somebody("203.0.113.1").connect("/play") as again:
        await again.until("welcome")
    assert front.site.admission.sockets == 0
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("header", ["forwarded", "x-forwarded-for", "x-real-ip", "x-forwarded-host"])
async def test_whoever_comes_through_a_proxy_is_exempt_from_nothing(
    header: str, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    front = await page(nursery, "sockets_per_address = 2", "[limits]\nconnections_per_address = 1")
    proxied = Visitor(front, headers={header: "for=127.0.0.1"})
    async with proxied.connect("/play") as first:
        await first.until("welcome")
        (connection,) = front.site.app.gateway.connections.values()
        assert connection.session.forwarded
        assert connection.session.peer == "127.0.0.1", "what it says of the address is not believed"
        assert not front.site.app.accounts.may_join(connection.session)
        async with proxied.connect("/play") as second:
            assert await second.closed() == 1013, "one of one address may play"
        async with Visitor(front).connect("/play") as near, Visitor(front).connect("/play") as nearer:
            await near.until("welcome")  # those on this machine are
            await nearer.until("welcome")
            session = max(front.site.app.gateway.connections.items())[1].session
            assert not session.forwarded
            assert front.site.app.accounts.may_join(session)
    nursery.cancel_scope.cancel()


def test_r21_connections_are_counted() -> None:
    limits = parse('[limits]\nconnections = 5\nexempt = ["127.0.0.0/8"]').limits
    admission = Admission(lambda: limits, 2)
    assert [admission.connect("192.0.2.1", behind_proxy=False) for _ in range(3)] == [
        "",
        "",
        "2 connections from one address",
    ]
    assert admission.connect("127.0.0.1", behind_proxy=False) == ""
    assert admission.connect("192.0.2.1", behind_proxy=True) == ""
    assert admission.connect("127.0.0.1", behind_proxy=False) == ""
    assert admission.connect("127.0.0.1", behind_proxy=False) == "5 connections are open"
    for _ in range(3):
        admission.disconnect("192.0.2.1")
    assert admission.connections == 2
    assert admission.connect("192.0.2.1", behind_proxy=False) == ""


async def test_r56_no_secret_gets_into_the_log(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(0)
    front = await page(nursery)
    visitor = Visitor(front)
    await visitor.post("/account?hush1", {"account": "alric", "password": "hush-22"})
    cookie = visitor.cookies["causeway"]
    await visitor.post("/session?hush1", {"account": "alric", "password": "hush-33"})
    await visitor.get("/?hush1")
    await Visitor(front, host="evil.example").get("/some/path?hush1")
    async with visitor.connect("/play?hush1") as socket:
        await socket.until("characters")
        await socket.send({"t": "ping"})
        await socket.until("pong")
    with pytest.raises(Rejected):
        async with Visitor(front, page="http://evil.example").connect("/play?hush1"):
            pass
    assert "evil" not in caplog.text, "nor what others say of themselves"
    assert "127.0.0.1 refused at '/some/path'" in caplog.text
    for secret in ("hush", cookie):
        assert secret not in caplog.text
    nursery.cancel_scope.cancel()


# Where it may listen


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "[::]", "[2001:db8::1]", "example.org"])
def test_r73_an_address_that_others_can_reach_has_to_be_meant(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[listen.web]\nhttp = "{host}:8080"\n')
    for command, code in (("check", 1), ("serve", 2)):
        assert main([command, "--config", str(config)]) == code
        out, err = capsys.readouterr()
        assert (
            f"listen.web.http: {host}:8080 can be reached from other machines: say public = true" in out + err
        )
    parse(f'[listen.web]\nhttp = "{host}:8080"\npublic = true\n')
    parse(f'[listen.web]\nhttp = "{host}:8080"\nenabled = false\n')


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "[::1]"])
def test_r73_this_machine_needs_no_permission(host: str) -> None:
    assert not parse(f'[listen.web]\nhttp = "{host}:8080"\n').listen["web"].is_public  # type: ignore[attr-defined] # it is the page's


def test_a_login_server_has_no_page() -> None:
    login = (
        '[server]\nroles = ["login"]\n[listen.l2]\nbridge = "127.0.0.1:9014"\nservers = {1 = "12345678"}\n'
    )
    parse(login)
    parse(login + "[listen.web]\nenabled = false\n")
    with pytest.raises(ConfigError) as error:
        parse(login + "[listen.web]\n")
    assert "listen.web: a login server has no door for it: leave the table out, or enabled = false" in str(
        error.value
    )


@pytest.mark.parametrize("host", ["https://play.example.org", "play.example.org/", "*.example.org", ""])
def test_a_host_is_a_name(host: str) -> None:
    with pytest.raises(ConfigError, match=r"listen\.web\.hosts"):
        parse(f'[listen.web]\nhosts = ["{host}"]')


@pytest.mark.parametrize(
    ("table", "more", "words"),
    [
        ('http = "127.0.0.1:0"', "", None),
        ('http = "127.0.0.1:0"\npublic = true', "", None),
        (
            'http = "0.0.0.0:0"\npublic = true',
            "",
            "the page, logins, the game, the live map. Without a proxy",
        ),
        (
            'http = "0.0.0.0:0"\npublic = true\nmap = false\nbehind_proxy = true',
            "[accounts]\nauto_create = true",
            "the page, logins, the game, new accounts. A proxy with TLS should be the only one",
        ),
    ],
)
async def test_r73_what_can_be_reached_is_said_at_the_start(
    table: str,
    more: str,
    words: str | None,
    nursery: trio.Nursery,
    autojump_clock: trio.testing.MockClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    front = await page(nursery, table, more)
    front._warn()
    if words is None:
        assert caplog.text == ""
    else:
        assert words in caplog.text
    nursery.cancel_scope.cancel()
