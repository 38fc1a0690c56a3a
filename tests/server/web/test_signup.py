"""Accounts and logins at the page: the same services as at every other door, and a cookie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.denials import Denial
from protocol.services import AccountInfo
from server.settings.config import parse
from server.web import logins
from server.web.headers import LARGEST_BODY
from server.web.logins import LIFETIME, MOST_PER_ACCOUNT, Logins
from tests.kit.town import Town
from tests.kit.visitor import Rejected, Visitor, front_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import trio
    from trio.testing import MockClock

    from tests.kit.visitor import Answer

CONFIG = """
[accounts]
auto_create = {join}
[listen.web]
behind_proxy = {proxy}
hosts = ["play.example.org"]
[limits]
accounts_per_address_per_day = 2
"""
ALRIC = {"account": "alric", "password": "secret1"}


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> AsyncIterator[Town]:
    town = Town(nursery, parse(CONFIG.format(join='"loopback"', proxy="false")), games=("web",))
    await town.open()
    yield town
    nursery.cancel_scope.cancel()


def why(answer: Answer) -> tuple[int, object]:
    """A refusal; one is always explained to people."""
    found = answer.json()
    assert str(found["text"]).endswith(".")
    assert "set-cookie" not in answer.headers
    return answer.status, found["why"]


async def who(visitor: Visitor) -> object:
    return (await visitor.get("/session")).json()["account"]


async def test_somebody_new_makes_an_account_and_is_logged_in(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(front_of(town))
    session = (await visitor.get("/session")).json()
    assert (session["account"], session["may_register"], session["why"]) == (None, True, "")
    # So that the page can say whom a name or a password shuts out.
    clients = session["clients"]
    assert isinstance(clients, dict)
    assert clients["Endless Online"] == {"account": [4, 14], "password": [6, 12]}
    made = await visitor.post("/account", {"account": " Alric ", "password": "secret1"})
    assert (made.status, made.json()) == (201, {"account": "alric"})
    attributes = {word.strip().lower() for word in made.headers["set-cookie"].split(";")[1:]}
    assert attributes == {"httponly", "path=/", "samesite=strict"}
    assert len(visitor.cookies["causeway"]) == 64
    assert await who(visitor) == "alric"
    assert await who(Visitor(visitor.front)) is None
    ended = await visitor.delete("/session")
    assert ended.json() == {"account": None}
    assert visitor.cookies == {}
    again = await visitor.post("/session", ALRIC)
    assert (again.status, again.json()) == (200, {"account": "alric"})
    assert town.app.accounts._presence._proven == {}, "nobody stays behind"


async def test_a_cookie_is_worth_nothing_after_a_logout_or_another_login(
    town: Town, autojump_clock: MockClock
) -> None:
    visitor = Visitor(front_of(town))
    await visitor.post("/account", ALRIC)
    first = dict(visitor.cookies)
    await visitor.post("/session", ALRIC)
    second = dict(visitor.cookies)
    assert first != second
    visitor.cookies = dict(first)
    assert await who(visitor) is None, "one browser has one login"
    visitor.cookies = dict(second)
    assert await who(visitor) == "alric"
    await visitor.delete("/session")
    visitor.cookies = dict(second)
    assert await who(visitor) is None


async def test_refusals_have_a_word_for_programs_and_words_for_people(
    town: Town, autojump_clock: MockClock
) -> None:
    visitor = Visitor(front_of(town))
    await visitor.post("/account", ALRIC)
    visitor.cookies.clear()
    wrong = {"account": "alric", "password": "wrong11"}
    assert why(await visitor.post("/account", ALRIC)) == (409, "exists")
    assert why(await visitor.post("/session", wrong)) == (401, "bad_credentials")
    assert why(await visitor.post("/account", {**ALRIC, "account": "x"})) == (422, "bad_name")
    assert why(await visitor.post("/account", {"account": "hilda", "password": "a b"})) == (
        422,
        "bad_password",
    )
    row = await town.app.accounts.find("alric")
    assert row is not None
    await town.app.accounts.staff.ban(row, float("inf"), "He shouts.")
    banned = await visitor.post("/session", ALRIC)
    assert why(banned) == (403, "banned")
    assert banned.json()["text"] == "This account is banned. He shouts."
    assert visitor.cookies == {}


async def test_strangers_make_no_accounts_and_nobody_behind_a_proxy_is_at_home(
    town: Town, autojump_clock: MockClock
) -> None:
    front = front_of(town)
    for stranger in (
        Visitor(front, peer="203.0.113.9"),
        Visitor(front, headers={"x-forwarded-for": "127.0.0.1"}),
        Visitor(front, headers={"forwarded": "for=127.0.0.1"}),
    ):
        found = (await stranger.get("/session")).json()
        assert (found["may_register"], bool(found["why"])) == (False, True)
        assert why(await stranger.post("/account", ALRIC)) == (403, "not_approved")
        # Nor does a login with an unknown name make one.
        assert why(await stranger.post("/session", ALRIC)) == (401, "bad_credentials")
    assert await town.app.accounts.find("alric") is None


async def test_addresses_behind_our_proxy_are_what_it_says_and_have_limits_of_their_own(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery, parse(CONFIG.format(join="true", proxy="true")), games=("web",))
    await town.open()
    front = front_of(town)

    def somebody(address: str) -> Visitor:
        # What stands before the last address was sent by the client itself.
        headers = {"x-forwarded-for": f"198.51.100.1, {address}", "x-forwarded-proto": "https"}
        return Visitor(front, host="play.example.org", page="https://play.example.org", headers=headers)

    made = await somebody("203.0.113.1").post("/account", ALRIC)
    assert made.status == 201
    assert "; Secure" in made.headers["set-cookie"]
    assert (await somebody("203.0.113.1").post("/account", {**ALRIC, "account": "hilda"})).status == 201
    refused = await somebody("203.0.113.1").post("/account", {**ALRIC, "account": "edwin"})
    assert why(refused) == (403, "not_approved")
    assert (await somebody("203.0.113.2").post("/account", {**ALRIC, "account": "edwin"})).status == 201
    nursery.cancel_scope.cancel()


async def test_r50_wrong_passwords_here_count_at_all_doors(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(front_of(town), peer="203.0.113.9")
    await Visitor(visitor.front).post("/account", ALRIC)
    for _ in range(town.settings.limits.login_failures_per_address):
        assert why(await visitor.post("/session", {**ALRIC, "password": "guess11"}))[0] == 401
    assert why(await visitor.post("/session", ALRIC)) == (429, "busy")
    async with visitor.connect("/play") as socket:
        await socket.send({"t": "login", **ALRIC})
        assert (await socket.until("denied"))["why"] == "busy"
    assert (await Visitor(visitor.front, peer="203.0.113.8").post("/session", ALRIC)).status == 200


@pytest.mark.parametrize("change", ["ban", "password"])
async def test_r55_a_changed_account_logs_its_browsers_out(
    town: Town, autojump_clock: MockClock, change: str
) -> None:
    visitor, other = Visitor(front_of(town)), Visitor(front_of(town))
    await visitor.post("/account", ALRIC)
    other.front = visitor.front
    await other.post("/account", {**ALRIC, "account": "hilda"})
    row = await town.app.accounts.find("alric")
    assert row is not None
    if change == "ban":
        await town.app.accounts.staff.ban(row, float("inf"), "")
    else:
        await town.app.accounts.staff.set_password(row, "another1")
    assert await who(visitor) is None
    assert await who(other) == "hilda"


async def test_who_made_an_account_may_set_its_password_later(town: Town, autojump_clock: MockClock) -> None:
    """The page made the first one up, and showed it once."""
    visitor = Visitor(front_of(town))
    await visitor.post("/account", ALRIC)
    other = Visitor(visitor.front)
    await other.post("/session", ALRIC)
    assert why(await other.put("/account", {"password": "another1"})) == (401, "bad_credentials")
    assert why(await other.put("/account", {"password": "another1", "old": "wrong"})) == (
        401,
        "bad_credentials",
    )
    assert why(await visitor.put("/account", {"password": "x"}))[1] == "bad_password"
    assert (await visitor.put("/account", {"password": "another1"})).status == 200
    assert await who(visitor) == "alric"
    assert await who(other) is None, "the old password is worth nothing any more"
    assert (await other.post("/session", ALRIC)).status == 401
    assert (await other.post("/session", {**ALRIC, "password": "another1"})).status == 200
    assert why(await visitor.put("/account", {"password": "another2"})) == (401, "bad_credentials"), (
        "only once"
    )
    assert (await other.put("/account", {"password": "another2", "old": "another1"})).status == 200
    assert await who(other) == "alric"
    nobody = Visitor(visitor.front)
    assert why(await nobody.put("/account", {"password": "another3", "old": "another2"}))[0] == 401


async def test_r55_another_level_is_in_force_at_once_and_ends_no_login(
    town: Town, autojump_clock: MockClock
) -> None:
    """A visitor who tried the game out has only this browser's login: its password was shown once."""
    visitor = Visitor(front_of(town))
    await visitor.post("/account", ALRIC)
    async with visitor.connect("/play") as socket:
        row = await town.app.accounts.find("alric")
        assert row is not None
        await town.app.accounts.staff.set_access(row, 3)
        assert await who(visitor) == "alric"
        (session,) = [one for one in town.app.sessions() if one.account is not None]
        assert session.account is not None
        assert session.account.access == 3
        del socket
    (login,) = visitor.front.site.logins.entries()
    assert login[1].access == 3


async def test_r55_a_ban_while_the_password_is_checked_gives_no_cookie(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = Visitor(front_of(town))
    await visitor.post("/account", ALRIC)
    visitor.cookies.clear()
    accounts = town.app.accounts
    row = await accounts.find("alric")
    assert row is not None
    admit = accounts._admit

    async def slowly(*args: object) -> AccountInfo:
        info = await admit(*args)  # type: ignore[arg-type] # handed on as they came
        await accounts.staff.ban(row, float("inf"), "")  # the answer has been read, and is on its way
        return info

    monkeypatch.setattr(accounts, "_admit", slowly)
    assert (await visitor.post("/session", ALRIC)).status == 401
    assert len(visitor.front.site.logins) == 0


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"[" * 4000, "application/json", 400),
        (b'{"account": 1, "password": "secret1"}', "application/json", 400),
        (b'{"account": "alric", "password": null}', "application/json", 400),
        (b'{"account": "' + b"x" * 65 + b'", "password": "secret1"}', "application/json", 400),
        (b" " * (LARGEST_BODY + 1), "application/json", 413),
        (b'{"account": "alric", "password": "secret1"}', "text/plain", 415),
        (b"account=alric&password=secret1", "application/x-www-form-urlencoded", 415),
    ],
)
async def test_what_is_no_request_is_told_so(
    town: Town, autojump_clock: MockClock, body: bytes, kind: str, status: int
) -> None:
    visitor = Visitor(front_of(town))
    for path in ("/account", "/session"):
        assert why(await visitor.post(path, body, {"content-type": kind})) == (status, "bad_request")
    assert await town.app.accounts.staff.all() == []


async def test_r52_a_cookie_is_a_ticket_to_the_game(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(front_of(town))
    await visitor.post("/account", ALRIC)
    for _ in range(2):  # it is not used up
        async with visitor.connect("/play") as socket:
            assert (await socket.receive())["t"] == "welcome"
            assert (await socket.until("account"))["account"] == "alric"
    assert len(town.app.tickets) == 0
    visitor.cookies["causeway"] = "0" * 64
    async with visitor.connect("/play") as socket:
        assert (await socket.receive())["t"] == "welcome"
        await socket.send({"t": "ping", "number": 7})
        assert (await socket.receive()) == {"t": "pong", "number": 7}
    with pytest.raises(Rejected):
        async with Visitor(visitor.front, page=None, headers={"cookie": "causeway=1"}).connect("/play"):
            pass


def account(number: int) -> AccountInfo:
    return AccountInfo(number, f"name{number}")


def tokens(monkeypatch: pytest.MonkeyPatch) -> Logins:
    monkeypatch.setattr(logins, "MOST", 20)
    numbers = iter(range(1000))
    return Logins(lambda size: next(numbers).to_bytes(size, "big"))


def test_a_login_lasts_while_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tokens(monkeypatch)
    token = found.issue(account(1), 0.0)
    assert found.find(token, LIFETIME - 1) == account(1)
    assert found.find(token, 2 * LIFETIME - 2) == account(1)
    assert found.find(token, 3 * LIFETIME) is None
    assert found.find(token, 0.0) is None, "nor ever again"
    assert found.find("", 0.0) is None
    assert found.find("\udc80", 0.0) is None


def test_logins_are_bounded_and_nobody_crowds_out_others(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tokens(monkeypatch)
    victim = found.issue(account(1), 0.0)
    many = [found.issue(account(2), 1.0) for _ in range(100)]
    assert len(found) == 1 + MOST_PER_ACCOUNT
    assert found.find(victim, 2.0) == account(1)
    assert [found.find(token, 2.0) for token in many[-MOST_PER_ACCOUNT:]] == [account(2)] * MOST_PER_ACCOUNT
    assert found.find(many[0], 2.0) is None
    for number in range(3, 60):
        found.issue(account(number), 3.0)
    assert len(found) == 20
    found.revoke(59)
    assert len(found) == 19
    assert not any(token in repr(vars(found)) for token in [victim, *many]), "only hashes are kept"


def test_every_refusal_has_a_status() -> None:
    from server.web.signup import STATUS

    at_logins = set(Denial) - {Denial.FULL, Denial.NO_CHARACTER, Denial.IN_USE}
    assert STATUS.keys() == at_logins
