"""Conquer Online's two doors of the whole server: real codecs, real storage, clients of both versions."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio

from server.settings.config import parse
from tests.kit.co_player import CoPlayer
from tests.kit.town import CONFIG, Town
from world import leaps, motion
from world.heading import EAST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.session import Session

VERSIONS = [5017, 5065]
ANOTHER, NEW = "Another character.", "A new character."


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    running = Town(nursery)
    await running.open()
    return running


def session_of(town: Town, name: str) -> Session:
    mobile = town.mobile(name)
    return next(session for session in town.app.sessions() if session.mobile is mobile)


async def at_the_crier(town: Town, player: CoPlayer) -> None:
    """With the crier's window open."""
    name = player.client.screen.me
    assert name is not None
    mobile = town.mobile(name.name)
    crier = next(one for one in town.app.world.mobiles.values() if one.template.key == "crier")
    assert crier.realm is not None
    town.app.world.warp(mobile, crier.realm, crier.x + 1, crier.y + 1)
    await trio.sleep(1.0)
    (number,) = [number for number, npc in player.client.screen.npcs.items() if npc.name == crier.name]
    player.client.screen.window = None
    await player.does(player.client.talk_to_bytes(number))


async def chooses(player: CoPlayer, label: str) -> None:
    window = player.client.screen.window
    assert window is not None, player.client.screen.notices
    (option,) = [number for number, text in window.options.items() if text.startswith(label)]
    player.client.screen.window = None
    await player.does(player.client.answer_bytes(option))


@pytest.mark.parametrize("version", VERSIONS)
async def test_from_the_first_byte_into_the_world_and_back(
    town: Town, autojump_clock: MockClock, version: int
) -> None:
    anna = CoPlayer(town, version=version)
    await anna.enters("anna", "Anna")
    screen = anna.client.screen
    assert anna.client.address == ("127.0.0.1", 5816 if version == 5017 else 5817)
    assert screen.answers == ["ANSWER_OK"]
    assert screen.faults == []
    assert (len(screen.date) > 0) is (version == 5065)
    x, y = town.mobile("Anna").x, town.mobile("Anna").y
    await anna.walks(EAST, tiles=2)
    await anna.jumps(3, 3)
    mobile = town.mobile("Anna")
    assert (mobile.x, mobile.y) != (x, y)
    assert screen.me is not None
    atlas = town.content.charts["confluence"].place("co")
    assert (screen.me.x - atlas["x"], screen.me.y - atlas["y"]) == (mobile.x, mobile.y)
    pings = screen.pings
    await anna.does(anna.client.ping_bytes())
    assert screen.pings == pings + 1
    anna.leaves()
    await trio.sleep(1)
    assert town.here("Anna"), "it lingers"
    await anna.enters("anna")
    assert town.mobile("Anna") is mobile
    assert (screen.me.x - atlas["x"], screen.me.y - atlas["y"]) == (mobile.x, mobile.y)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("other", VERSIONS)
async def test_the_second_login_replaces_the_first_whatever_version_it_has(
    town: Town, autojump_clock: MockClock, version: int, other: int
) -> None:
    first, second = CoPlayer(town, version=version), CoPlayer(town, version=other)
    await first.enters("anna", "Anna")
    mobile, lines = town.mobile("Anna"), len(first.client.screen.notices)
    await second.enters("anna")
    assert first.gone
    assert first.client.why == ""
    assert len(first.client.screen.notices) > lines, "it is told why"
    assert town.mobile("Anna") is mobile
    assert not second.gone
    assert second.client.in_world


@pytest.mark.parametrize("version", VERSIONS)
async def test_ten_logins_at_once_leave_one(town: Town, autojump_clock: MockClock, version: int) -> None:
    anna = CoPlayer(town, version=version)
    await anna.enters("anna", "Anna")
    items = len(town.app.world.items)
    players = [CoPlayer(town, version=VERSIONS[n % 2], peer=f"192.0.2.{n + 1}") for n in range(10)]

    for player in players:
        await player.gets_token("anna")

    async def tries(player: CoPlayer) -> None:
        player.turns_to("game")
        await player.sends(b"", wait=0.5)
        await player.does(player.client.connect_bytes(), wait=5.0)

    async with trio.open_nursery() as nursery:
        for player in players:
            nursery.start_soon(tries, player)
    await trio.sleep(5)
    assert sum(not player.gone for player in players) == 1
    assert anna.gone
    assert sum(mobile.name == "Anna" for mobile in town.app.world.mobiles.values()) == 1
    assert len(town.app.world.items) == items


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_key_used_again_and_a_key_that_is_late(
    town: Town, autojump_clock: MockClock, version: int
) -> None:
    anna = CoPlayer(town, version=version)
    await anna.enters("anna", "Anna")
    thief = CoPlayer(town, version=version)
    thief.client.token = anna.client.token
    await thief.arrives()
    assert thief.gone
    assert thief.client.screen.answers == ["wrong name or password"]
    assert not anna.gone
    bert = CoPlayer(town, version=version)
    await bert.gets_token("bert")
    await trio.sleep(31)
    await bert.arrives()
    assert bert.gone
    assert bert.client.screen.answers == ["wrong name or password"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("bound", [True, False])
async def test_a_key_from_another_address(
    town: Town, autojump_clock: MockClock, version: int, bound: bool
) -> None:
    town.change("limits", bind_tickets=bound)
    newcomer = CoPlayer(town, version=version)
    await newcomer.enters("anna", "Anna")
    newcomer.leaves()
    anna = CoPlayer(town, version=version, peer="192.0.2.1")
    await anna.gets_token("anna")
    thief = CoPlayer(town, version=version, peer="192.0.2.2")
    thief.client.token = anna.client.token
    await thief.arrives()
    assert (thief.client.screen.answers == ["ANSWER_OK"]) is not bound


@pytest.mark.parametrize("version", VERSIONS)
async def test_who_guesses_keys_is_kept_out_of_both_doors(
    town: Town, autojump_clock: MockClock, version: int
) -> None:
    anna = CoPlayer(town, version=version)
    await anna.enters("anna", "Anna")
    told = set()
    for guess in range(40):
        thief = CoPlayer(town, version=version, peer="192.0.2.66")
        thief.client.token = (guess + 1).to_bytes(8, "little")
        await thief.arrives()
        assert thief.gone
        told |= {*thief.client.screen.answers}
    assert told == {"wrong name or password", "too many failed logins from this address"}
    thief = CoPlayer(town, version=version, peer="192.0.2.66")
    await thief.does(thief.client.login_bytes("anna", "wrong"))
    assert thief.client.refused == 51
    assert not anna.gone


async def test_the_account_door_alone(town: Town, autojump_clock: MockClock) -> None:
    anna = CoPlayer(town)
    await anna.enters("anna", "Anna")
    anna.leaves()
    anna.turns_to("account")
    await anna.does(anna.client.login_bytes("anna", "wrong"))
    assert anna.client.refused == 1
    assert anna.gone
    anna.turns_to("account")
    await anna.does(anna.client.raw_bytes(b"\x34\0\x1b\4" + b"anna".ljust(16, b"\0") + b"\xaa" * 32))
    assert anna.client.refused == 1
    anna.turns_to("account")
    await anna.does(anna.client.login_bytes("anna", "secret1"))
    await anna.does(anna.client.report_bytes())
    assert anna.hung_up is False
    assert any(anna.client.token)


async def test_the_address_that_is_advertised(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    settings = parse(CONFIG.replace("[listen.co]", '[listen.co]\nadvertise = "192.0.2.7"'))
    town = Town(nursery, settings)
    await town.open()
    anna, bert = CoPlayer(town), CoPlayer(town, version=5065)
    await anna.gets_token("anna")
    await bert.gets_token("bert")
    assert anna.client.address == ("192.0.2.7", 5816)
    assert bert.client.address == ("127.0.0.1", 5817)


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_crier_changes_ones_character(town: Town, autojump_clock: MockClock, version: int) -> None:
    anna = CoPlayer(town, version=version)
    await anna.enters("anna", "Anna")
    screen = anna.client.screen
    await at_the_crier(town, anna)
    await chooses(anna, ANOTHER)
    assert screen.notices[-1] == "You have no other character that could come here."
    await at_the_crier(town, anna)
    await chooses(anna, NEW)
    await trio.sleep(1)
    assert anna.gone
    assert "log in again" in screen.notices[-1]
    assert not town.here("Anna"), "she takes her leave"
    assert await anna.logs_in("anna") == "NEW_ROLE"
    await anna.does(anna.client.register_bytes("Berta", body=2002, profession=100))
    assert screen.answers[-1] == "ANSWER_OK"
    await anna.enters("anna")
    assert screen.me is not None
    assert screen.me.name == "Berta"
    assert screen.me.look % 10_000 == 2002
    await at_the_crier(town, anna)
    await chooses(anna, ANOTHER)
    assert screen.window is not None
    assert [*screen.window.options.values()] == ["Anna, level 1", "I would rather stay Berta."]
    await chooses(anna, "Anna")
    assert anna.gone
    assert "You are Anna from now on" in screen.notices[-1]
    await anna.enters("anna")
    assert screen.me.name == "Anna"
    assert screen.faults == []


async def test_a_form_that_was_ordered_is_shown_once(town: Town, autojump_clock: MockClock) -> None:
    anna = CoPlayer(town)
    await anna.enters("anna", "Anna")
    await at_the_crier(town, anna)
    serial = town.mobile("Anna").serial
    await chooses(anna, NEW)
    assert town.database.note(serial, "co", "wants_new") == "1", "it outlives the server"
    assert await anna.logs_in("anna") == "NEW_ROLE"
    assert await anna.logs_in("anna") == "ANSWER_OK"


async def test_a_flood_of_forms_makes_one_character(town: Town, autojump_clock: MockClock) -> None:
    anna = CoPlayer(town)
    assert await anna.logs_in("anna") == "NEW_ROLE"
    forms = [anna.client.register_bytes("Anna" + "abcdefghijklmnopqrstuvwxyz"[n % 26]) for n in range(200)]
    await anna.does(b"".join(forms), wait=60)
    assert anna.client.screen.answers == ["NEW_ROLE", "ANSWER_OK"]
    assert not anna.gone
    bert = CoPlayer(town)
    await bert.enters("bert", "Bert")


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_flood_of_jumps_gains_no_speed(town: Town, autojump_clock: MockClock, version: int) -> None:
    """Sent as fast as they can be: as many jumps as an honest client does in that time, and fewer tiles a
    second than their length and pace allow."""
    anna = CoPlayer(town, version=version)
    await anna.enters("anna", "Anna")
    mobile = town.mobile("Anna")
    await trio.sleep(2)
    realm = mobile.realm
    assert realm is not None
    began, jumps, tiles = trio.current_time(), 0, 0
    ways = (4, -4, 3, -3)
    way = next(way for way in ways if leaps.can_jump(realm, mobile.x, mobile.y, mobile.x + way, mobile.y))
    for _ in range(400):
        x = mobile.x
        await anna.sends(anna.client.jump_bytes(way, 0), wait=0.01)
        if mobile.x != x:
            jumps += 1
            tiles += abs(mobile.x - x)
            way = -way
    seconds = trio.current_time() - began
    assert 1 <= jumps <= (seconds + 2 * motion.CREDIT) / leaps.JUMP_SECONDS + 1
    assert tiles <= 4 * jumps
    assert not anna.gone


@pytest.mark.parametrize("version", VERSIONS)
async def test_string_packs_that_lie_cost_one_client(
    town: Town, autojump_clock: MockClock, version: int, caplog: pytest.LogCaptureFixture
) -> None:
    anna = CoPlayer(town, version=version)
    await anna.enters("anna", "Anna")
    bert = CoPlayer(town, version=version)
    await bert.enters("bert", "Bert")
    body = bytes.fromhex("ffffff00 d007 0000 00000000 00000000 00000000 04 ff 41")
    with caplog.at_level(logging.WARNING):
        await anna.does(anna.client.raw_bytes((4 + len(body)).to_bytes(2, "little") + b"\xec\3" + body))
    assert anna.gone
    assert not bert.gone
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_second_exchange_of_keys_is_no_bug_of_ours(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """A packet of type 0 would be taken for one, were it let through."""
    for version in VERSIONS:
        anna = CoPlayer(town, version=version)
        await anna.gets_token("anna")
        anna.turns_to("game")
        await anna.sends(b"", wait=0.5)
        if version == 5017:
            await anna.does(anna.client.connect_bytes())
        with caplog.at_level(logging.WARNING):
            await anna.does(anna.client.raw_bytes(b"\x0c\0\0\0" + b"ABCDEF1\0"))
        assert anna.gone
        assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
