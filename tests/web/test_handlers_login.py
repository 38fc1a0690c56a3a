"""The web client's way in: accounts, tickets, the character menu, and how it is refused and sent away."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
import trio

from protocol.services import AccountInfo
from protocol.session import Phase
from tests.kit.players import PASSWORD, UoPlayer
from tests.kit.web_player import WebPlayer
from world.speech import EMOTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trio.testing import MockClock

    from protocol.session import Session
    from tests.kit.town import Town


def session_of(town: Town) -> Session:
    """The newest connection."""
    return town.app.loop.sessions[max(town.app.loop.sessions)]


async def welcomed(town: Town) -> WebPlayer:
    """Somebody whose page has connected."""
    player = WebPlayer(town)
    await player.sends(b"", wait=0.5)
    return player


def refused(told: Sequence[Mapping[str, object]]) -> tuple[object, object]:
    """What was refused, and why; there is a word for people."""
    assert [message["t"] for message in told] == ["denied"]
    assert str(told[0]["text"])[-1] in ".!?"
    return told[0]["to"], told[0]["why"]


async def test_the_server_speaks_first(town: Town, autojump_clock: MockClock) -> None:
    anna = WebPlayer(town)
    await anna.sends(b"", wait=0.5)
    assert anna.got == [{"t": "welcome", "server": "Causeway"}]
    assert session_of(town).phase is Phase.LOGIN
    told = await anna.does(anna.client.ping_bytes(7))
    assert told == [{"t": "pong", "number": 7}]


async def test_a_person_has_time_to_type(town: Town, autojump_clock: MockClock) -> None:
    anna = WebPlayer(town)
    await anna.sends(b"", wait=500.0)
    await anna.logs_in("anna")
    assert anna.screen.characters == {}
    await anna.sends(b"", wait=150.0)
    assert anna.gone


async def test_logging_in(town: Town, autojump_clock: MockClock) -> None:
    anna = await welcomed(town)
    told = await anna.does(anna.client.login_bytes("Anna", PASSWORD))
    assert told == [
        {"t": "account", "account": "anna", "limit": 3, "gestures": sorted(EMOTES)},
        {"t": "characters", "characters": []},
    ]
    assert session_of(town).phase is Phase.MENU
    # Once is enough.
    assert await anna.does(anna.client.login_bytes("bert", PASSWORD)) == []
    assert session_of(town).account == AccountInfo(1, "anna")


async def test_wrong_words_may_be_tried_again(town: Town, autojump_clock: MockClock) -> None:
    anna = await welcomed(town)
    await anna.does(anna.client.register_bytes("anna", PASSWORD))
    bert = await welcomed(town)
    for name, password in (("anna", "secret2"), ("anna", "\ud800" * 6), ("\ud800nna", PASSWORD), ("", "")):
        told = await bert.does(bert.client.login_bytes(name, password), wait=10.0)
        assert refused(told) == ("login", "bad_credentials")
    assert not anna.gone
    await bert.logs_in("anna")
    assert session_of(town).phase is Phase.MENU


async def test_too_many_failures_keep_out_at_every_door(town: Town, autojump_clock: MockClock) -> None:
    anna = WebPlayer(town, peer="192.0.2.7")
    await anna.sends(b"", wait=0.5)
    told: list[object] = []
    for n in range(9):
        message = (anna.client.login_bytes("nobody", "secret2"), anna.client.ticket_bytes(b"x" * 32))[n % 2]
        told.append(refused(await anna.does(message))[1])
    assert told[0] == "bad_credentials"
    assert told[-2:] == ["busy", "busy"]
    assert "wait" in str(anna.got[-1]["text"])
    uo = UoPlayer(town, peer="192.0.2.7")
    await uo.does(uo.client.login_bytes("anna", PASSWORD))
    assert uo.client.rejected is not None


async def test_registering(town: Town, autojump_clock: MockClock) -> None:
    anna = await welcomed(town)
    for name, password, why in (
        ("an", PASSWORD, "bad_name"),
        ("anna", "sho", "bad_password"),
        ("anna", "\ud83d" * 6, "bad_password"),
        ("anna", "with blank", "bad_password"),
    ):
        told = await anna.does(anna.client.register_bytes(name, password))
        assert refused(told) == ("register", why)
    told = await anna.does(anna.client.register_bytes("anna", PASSWORD))
    assert [message["t"] for message in told] == ["account", "characters"]
    bert = await welcomed(town)
    assert refused(await bert.does(bert.client.register_bytes("anna", PASSWORD))) == ("register", "exists")
    stranger = WebPlayer(town, peer="192.0.2.7")
    await stranger.sends(b"", wait=0.5)
    told = await stranger.does(stranger.client.register_bytes("carla", PASSWORD))
    assert refused(told) == ("register", "not_approved")
    # The account is one for all games.
    uo = UoPlayer(town)
    await uo.enters("anna", "Anna")
    assert uo.client.in_world


async def test_who_is_banned_is_told_so(town: Town, autojump_clock: MockClock) -> None:
    anna = await welcomed(town)
    await anna.logs_in("anna")
    row = await town.app.accounts.find("anna")
    assert row is not None
    await town.app.accounts.staff.ban(row, float("inf"), "for testing")
    await anna.sends(b"")
    assert anna.gone
    assert anna.screen.goodbye == "You are banned. for testing"
    again = await welcomed(town)
    told = await again.does(again.client.login_bytes("anna", PASSWORD))
    assert refused(told) == ("login", "banned")
    assert told[0]["text"] == "This account is banned. for testing."


async def test_a_ticket_is_good_once(town: Town, autojump_clock: MockClock) -> None:
    anna = await welcomed(town)
    await anna.logs_in("anna")
    key = town.app.tickets.issue(session_of(town), "", {}, name="", size=32)
    anna.leaves()
    page = await welcomed(town)
    told = await page.does(page.client.ticket_bytes(key))
    assert [message["t"] for message in told] == ["account", "characters"]
    assert page.screen.account == "anna"
    other = await welcomed(town)
    told = await other.does(other.client.ticket_bytes(key))
    assert refused(told) == ("ticket", "bad_credentials")
    assert told[0]["text"] == "Please log in."
    for digits in ("", "zz", "0", "\ud800", " "):
        told = await other.says("ticket", key=digits)
        assert refused(told)[0] == "ticket"
    assert not page.gone


async def test_a_ticket_of_another_game_is_worth_nothing(town: Town, autojump_clock: MockClock) -> None:
    uo = UoPlayer(town)
    await uo.logs_in("anna")
    key = town.app.tickets.issue(session_of(town), "", {}, name="", size=32)
    page = await welcomed(town)
    assert refused(await page.does(page.client.ticket_bytes(key)))[1] == "bad_credentials"


async def test_a_server_that_is_closed_says_so(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = await welcomed(town)
    await anna.logs_in("anna")
    key = town.app.tickets.issue(session_of(town), "", {}, name="", size=32)
    monkeypatch.setattr(type(town.app), "closed", "we restart in a minute")
    page = await welcomed(town)
    for said in (page.client.ticket_bytes(key), page.client.login_bytes("anna", PASSWORD)):
        told = await page.does(said)
        assert refused(told)[1] == "unavailable"
        assert told[0]["text"] == "We restart in a minute."


async def test_the_newest_login_has_the_account(town: Town, autojump_clock: MockClock) -> None:
    anna = WebPlayer(town)
    await anna.enters("anna", "Anna")
    mobile = town.mobile("Anna")
    again = WebPlayer(town)
    await again.enters("anna")
    assert anna.gone
    assert anna.screen.goodbye == "Somebody else logged in to this account."
    assert town.mobile("Anna") is mobile
    assert mobile.online
    # By another game, and back.
    uo = UoPlayer(town)
    await uo.enters("anna")
    assert again.gone
    assert again.screen.goodbye
    assert uo.client.in_world
    assert mobile.game == "uo"
    third = WebPlayer(town)
    await third.enters("anna")
    assert uo.gone
    assert town.mobile("Anna") is mobile


async def test_making_and_deleting_characters(town: Town, autojump_clock: MockClock) -> None:
    anna = await welcomed(town)
    await anna.logs_in("anna")
    looks = {"female": True, "hair": 3, "hair_hue": 1120, "skin_hue": 1017}
    told = await anna.does(anna.client.create_bytes("anna", **looks))
    (line,) = cast("list[dict[str, object]]", told[0]["characters"])
    look = cast("dict[str, object]", line["look"])
    assert (line["name"], line["level"], line["realm"]) == ("Anna", 1, "Confluence")
    assert (look["figure"], look["female"]) == ("person", True)
    assert look["top"]
    for name, why in (
        ("Anna", "exists"),
        ("X", "bad_name"),
        ("\ud800nnnnn", "bad_name"),
        ("Bert\u202e", "bad_name"),
    ):
        assert refused(await anna.does(anna.client.create_bytes(name))) == ("create", why)
    berta = await anna.makes("Berta")
    await anna.makes("Carla")
    assert refused(await anna.does(anna.client.create_bytes("Dora"))) == ("create", "full")
    await anna.does(anna.client.delete_bytes(berta))
    assert list(anna.screen.characters.values()) == ["Anna", "Carla"]
    for number in (berta, 0, 0xFFFF_FFFF):
        assert refused(await anna.does(anna.client.delete_bytes(number))) == ("delete", "no_character")
        assert refused(await anna.does(anna.client.enter_bytes(number))) == ("enter", "no_character")
    assert session_of(town).phase is Phase.MENU
    # Nobody else's.
    bert = await welcomed(town)
    await bert.logs_in("bert")
    number = next(iter(anna.screen.characters))
    assert refused(await bert.does(bert.client.delete_bytes(number))) == ("delete", "no_character")
    assert refused(await bert.does(bert.client.enter_bytes(number))) == ("enter", "no_character")
    told = await anna.does(anna.client.list_bytes())
    assert [message["t"] for message in told] == ["characters"]
    await anna.plays()
    assert anna.screen.name == "Anna"


async def test_lists_are_not_told_faster_than_they_may_be_asked(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = await welcomed(town)
    await anna.logs_in("anna")
    before = anna.screen.listed
    start = trio.current_time()
    await anna.sends(anna.client.list_bytes() * 5, wait=1.2)
    assert trio.current_time() - start < 1.5
    assert anna.screen.listed - before == 3
    await anna.sends(b"", wait=2.0)
    assert anna.screen.listed - before == 5


BAD: list[tuple[bytes, str]] = [
    (b'{"t":"fly"}', "there is no such message"),
    (b'{"t":"welcome","server":"me"}', "there is no such message"),
    (b"not json", "is no line of JSON"),
    (b'["t"]', 'is no object with a name in "t"'),
    (b'{"t":"walk","heading":1}', "walk: lacks 'sequence'"),
    (b'{"t":"walk","sequence":1,"heading":8}', "walk: heading must be from 0 to 7"),
    (b'{"t":"walk","sequence":1,"heading":true}', "walk: something in it is not a whole number"),
    (b'{"t":"speak","words":"x","how":"sing"}', "speak: how must be one of say, "),
    (b'{"t":"speak","words":"' + b"x" * 129 + b'"}', "speak: words must have at most 128 letters"),
    (b'{"t":"look","id":1,"also":2}', "look: has a field that it does not know"),
    (b'{"t":"ping"}\xff', "is no line of JSON"),
    (b"x" * 5000, "bad_length: a line of more than 4096 bytes"),
]


@pytest.mark.parametrize(("line", "why"), BAD)
async def test_what_cannot_be_read_is_told_and_ends(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, line: bytes, why: str
) -> None:
    caplog.set_level("INFO", "net.web")
    anna = await welcomed(town)
    await anna.sends(anna.client.raw_bytes(line) + anna.client.ping_bytes(9))
    assert anna.gone
    assert anna.screen.goodbye.startswith(f"Your client said what cannot be read: {why}")
    assert anna.got[-1]["t"] == "goodbye"
    assert "ended: bad packet" in caplog.text


async def test_who_is_not_logged_in_plays_nothing(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "net.web")
    for said in (b'{"t":"walk","sequence":0,"heading":1}', b'{"t":"enter","id":1}', b'{"t":"list"}'):
        anna = await welcomed(town)
        await anna.sends(anna.client.raw_bytes(said))
        assert anna.gone
        assert "ended: wrong phase" in caplog.text
        caplog.clear()


async def test_what_comes_too_late_is_passed_over(town: Town, autojump_clock: MockClock) -> None:
    """In the menu, what is for the world; in the world, what is for the menu."""
    anna = await welcomed(town)
    await anna.logs_in("anna")
    number = await anna.makes("Anna")
    assert await anna.does(anna.client.walk_bytes(1)) == []
    await anna.plays()
    for said in (anna.client.list_bytes(), anna.client.enter_bytes(number), anna.client.delete_bytes(number)):
        assert await anna.does(said) == []
    assert town.here("Anna")


async def test_no_log_shows_a_password(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(1)
    anna = await welcomed(town)
    for said in (
        anna.client.login_bytes("anna", "hunter21"),
        anna.client.register_bytes("anna", "hunter22"),
        anna.client.raw_bytes(b'{"t":"ticket","key":"hunter23"}'),
        anna.client.raw_bytes(b'{"t":"login","account":"anna","password":["hunter24"]}'),
    ):
        if anna.gone:
            anna = await welcomed(town)
        await anna.sends(said)
    other = await welcomed(town)
    await other.sends(other.client.raw_bytes(b'{"t":"login","account":"a","hunter25":1,"password":""}'))
    assert other.gone
    assert "hunter2" not in caplog.text
    assert "Login" in caplog.text or "login" in caplog.text
