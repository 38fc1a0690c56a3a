"""Limits, floods, faults on the wire and endings with an edge between clients and world: the essential rows
of harnesses that run in one process otherwise (all of these, in this form: `make test-split`).

Two games each, of which the one may be any other's stand-in: what a game makes of a byte is its codec's, and
that is the same here. What is not the same is who counts, who ends a client, and how the other process hears
of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from protocol.endings import Ending
from tests.kit import split
from tests.kit.connections import SHAKEN
from tests.kit.games import GAMES, Person, session_of
from tests.kit.players import UoPlayer
from tests.reliability import test_connection, test_connection_breaks, test_connection_floods, test_wire
from tests.reliability.conftest import easy_town as easy_town
from tests.reliability.conftest import town as town
from tests.reliability.test_connection_breaks import brief_town as brief_town
from tests.reliability.test_connection_breaks import failing
from tests.scenes import test_endings as scenes

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(autouse=True)
def _split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(split.SWITCH, "1")


# Limits and floods


async def test_r21_beyond_the_limits_nothing_is_made(town: Town, autojump_clock: MockClock) -> None:
    """With fewer of each than tests/reliability has: it is the edge that counts, and its world hears of none
    that is not let in."""
    town.change("limits", connections=20, connections_per_address=1000, connects_per_10s=1000)
    anna = UoPlayer(town)
    await anna.enters("anna", "Anna")
    ends = [town.connect(*SHAKEN[n % len(SHAKEN)], peer=f"192.0.2.{n}") for n in range(100)]
    await trio.sleep(0.5)
    assert len(town.doors.connections) == len(town.app.gateway.connections) == 20
    assert sum(end.closed or end._in.closed for end in ends) == 100 - 19
    await trio.sleep(15)
    assert len(town.doors.connections) == len(town.app.gateway.connections) == 1
    assert not anna.gone


test_r23_who_connects_too_often_waits = (
    test_connection_floods.test_r23_who_connects_too_often_waits_before_anything_is_computed
)


@pytest.mark.parametrize(("game", "door"), [("l2", "login"), ("uo", "game")])
async def test_r18_a_byte_every_four_seconds(
    town: Town, autojump_clock: MockClock, game: str, door: str
) -> None:
    await test_connection.test_r18_a_byte_every_four_seconds_is_no_handshake(town, autojump_clock, game, door)


# Faults on the wire


@pytest.mark.parametrize(("game", "where"), [("eo", "at once"), ("co", "in the world")])
async def test_r03_a_length_out_of_bounds(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, where: str
) -> None:
    await test_wire.test_r03_a_length_out_of_bounds_ends_its_client(
        easy_town, autojump_clock, caplog, game, where
    )


test_r04_what_belongs_into_the_world = (
    test_wire.test_r04_what_belongs_into_the_world_ends_who_is_not_logged_in
)


@pytest.mark.parametrize(("game", "door"), [("uo", "game"), ("eo", "websocket")])
async def test_r16_foreign_protocols(town: Town, autojump_clock: MockClock, game: str, door: str) -> None:
    await scenes.test_r16_foreign_protocols_are_shown_the_door_and_players_notice_nothing(
        town, autojump_clock, game, door, "noise"
    )


# Endings


@pytest.mark.parametrize(("game", "door"), [("uo", "game"), ("eo", "game")])
async def test_silence_ends(town: Town, autojump_clock: MockClock, game: str, door: str) -> None:
    await scenes.test_silence_ends_after_first_byte_seconds(town, autojump_clock, game, door)


test_who_says_nothing_in_the_world = scenes.test_a_client_that_says_nothing_in_the_world_is_timed_out
test_a_shutdown_does_not_wait = scenes.test_a_shutdown_does_not_wait_for_those_who_read
test_no_log_shows_a_password = scenes.test_r56_no_log_at_any_level_shows_a_password


@pytest.mark.parametrize("game", ["eq2", "l2"])
async def test_r24_a_handler_that_fails_costs_its_client_only(
    town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
) -> None:
    """It fails in the world; the socket is the edge's."""
    record, who, anna = GAMES[game], Person(1), UoPlayer(town)
    await anna.enters("anna", "Anna")
    player = record.player(town)
    await record.enters(player, who)
    session = session_of(town, who)
    here, there = split.socket_of(town, session), town.app.gateway.connections[session.id]
    table = town.families[game].doors[session.door].table
    for entry in table:
        monkeypatch.setitem(table._entries, entry.opcode, failing(entry, session))
    await player.sends(record.says(player, "hello"), wait=2)
    assert here.ending is there.ending is Ending.OUR_BUG
    assert player.gone
    assert any("failed for" in record.getMessage() for record in caplog.records)
    assert not anna.gone
    assert "hello" in "".join(GAMES["uo"].heard(await _says(anna, "hello")))


async def _says(player: UoPlayer, text: str) -> UoPlayer:
    await player.sends(player.client.say_bytes(text))
    return player


@pytest.mark.parametrize(("game", "wait"), [("uo", 0.0), ("eq2", 0.3)])
async def test_r26_hanging_up_in_the_middle_of_a_warp(
    brief_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, wait: float
) -> None:
    await test_connection_breaks.test_r26_hanging_up_in_the_middle_of_a_warp(
        brief_town, autojump_clock, caplog, game, wait
    )
