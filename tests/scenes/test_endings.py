"""Every connection ends with exactly one Ending; bad input costs its sender only; the same story gives the
same bytes."""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING

import pytest
import trio
from eolib import Direction, WalkPlayerServerPacket
from trio.testing import MockClock

from protocol.endings import Ending
from tests.kit.eq2_player import Eq2Player
from tests.kit.in_memory import content_anew
from tests.kit.pipe import End
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.split import ONE_PROCESS
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Iterator

DOORS = [("uo", "game"), ("eo", "game"), ("eo", "websocket")]

FOREIGN = {
    "http": b"GET / HTTP/1.1\r\nHost: example\r\n\r\n",
    "tls": bytes.fromhex("16030100c8010000c40303") + bytes(190),
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "proxy": b"PROXY TCP4 192.0.2.1 192.0.2.2 1000 2593\r\n",
    "zeros": bytes(64),
    "noise": random.Random(5).randbytes(300),
}


@pytest.fixture
def endings(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """The INFO lines of endings."""
    lines: list[str] = []
    with caplog.at_level(logging.INFO):
        yield lines
    lines += [
        r.getMessage() for r in caplog.records if r.name.startswith("net.") and " ended: " in r.getMessage()
    ]


async def newest_ending(town: Town, send: bytes, game: str, door: str, *, wait: float = 1) -> Ending | None:
    """Connect, send bytes, and see how the connection ends."""
    end = town.connect(game, door)
    await trio.sleep(0.1)
    connection = list(town.app.gateway.connections.values())[-1]
    end.send_nowait(send)
    await trio.sleep(wait)
    return connection.ending


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize(("game", "door"), DOORS, ids=["uo", "eo", "eo-ws"])
async def test_r16_foreign_protocols_are_shown_the_door_and_players_notice_nothing(
    town: Town, autojump_clock: MockClock, game: str, door: str, what: str
) -> None:
    anna, bert = UoPlayer(town), EoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    ending = await newest_ending(town, FOREIGN[what], game, door, wait=25)
    assert ending in (Ending.BAD_PACKET, Ending.WRONG_PHASE, Ending.TIMED_OUT)
    before = len(bert.of(WalkPlayerServerPacket))
    for heading in (2, 2, 4, 4, 6, 6):
        await anna.does(anna.client.walk_bytes(heading))
    assert not anna.gone
    assert not bert.gone
    assert len(bert.of(WalkPlayerServerPacket)) > before


@pytest.mark.parametrize(("game", "door"), DOORS, ids=["uo", "eo", "eo-ws"])
async def test_silence_ends_after_first_byte_seconds(
    town: Town, autojump_clock: MockClock, game: str, door: str
) -> None:
    assert await newest_ending(town, b"", game, door, wait=4) is None
    assert await newest_ending(town, b"", game, door, wait=7) is Ending.TIMED_OUT


@pytest.mark.parametrize(("game", "first"), [("uo", b"\xef"), ("eo", b"\x10")])
async def test_r18_a_slow_loris_is_timed_from_accept(
    town: Town, autojump_clock: MockClock, game: str, first: bytes
) -> None:
    end = town.connect(game)
    await trio.sleep(0.1)
    (connection,) = town.app.gateway.connections.values()
    for n in range(10):
        if not end.closed and connection.ending is None:
            end.send_nowait(first if n == 0 else b"\x01")
        await trio.sleep(1)
    assert connection.ending in (Ending.TIMED_OUT, Ending.BAD_PACKET)


async def test_a_client_that_says_nothing_in_the_world_is_timed_out(
    town: Town, autojump_clock: MockClock
) -> None:
    player = UoPlayer(town)
    await player.enters("anna", "Anna")
    (connection,) = town.app.gateway.connections.values()
    await trio.sleep(85)
    assert connection.ending is None
    await trio.sleep(10)
    assert connection.ending is Ending.TIMED_OUT


async def test_an_eo_client_that_answers_pings_stays_and_one_that_does_not_is_ended(
    town: Town, autojump_clock: MockClock
) -> None:
    good = EoPlayer(town)
    await good.enters("anna", "Anna")
    await trio.sleep(600)
    assert not good.gone
    await good.does(good.client.walk(Direction.Left))
    assert not good.gone, "the sequence still fits after ten pings"
    deaf = EoPlayer(town)
    await deaf.enters("bert", "Bert")
    deaf.client.answers = lambda: b""  # type: ignore[method-assign]
    await trio.sleep(150)
    assert deaf.gone


@ONE_PROCESS
async def test_every_connection_has_one_ending_and_one_line(
    town: Town, autojump_clock: MockClock, endings: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    player = UoPlayer(town)
    await player.enters("anna", "Anna")
    await player.does(player.client.logout_bytes())
    player.leaves()
    lost = EoPlayer(town)
    await lost.enters("bert", "Bert")
    lost.leaves()
    await newest_ending(town, b"\xff\xff\xff\xff\xff\xff", "eo", "game")
    await trio.sleep(15)
    lines = [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith("net.") and " ended: " in record.getMessage()
    ]
    # The login connection of UO, its game connection, EO's, and the bad one.
    assert len(lines) == 4
    assert "client left" in lines[1]
    assert "connection lost" in lines[2]
    assert "account bert" in lines[2]
    assert "bad packet" in lines[3]
    assert not any("secret1" in record.getMessage() for record in caplog.records)


def story(seed: int) -> list[bytes]:
    """Two clients' bytes of one little story."""

    async def run() -> list[bytes]:
        async with trio.open_nursery() as nursery:
            town = Town(nursery, seed=seed, content=content_anew())
            await town.open()
            anna, bert = UoPlayer(town), EoPlayer(town)
            await anna.enters("anna", "Anna")
            await bert.enters("bert", "Bert")
            for heading in (2, 2, 4, 4):
                await anna.does(anna.client.walk_bytes(heading))
                await bert.does(bert.client.walk(Direction.Left))
            await anna.does(anna.client.say_bytes("the same words"))
            nursery.cancel_scope.cancel()
        return [bytes(anna.raw), bytes(bert.raw)]

    return trio.run(run, clock=MockClock(autojump_threshold=0))


def test_the_same_story_gives_the_same_bytes() -> None:
    first = story(7)
    assert all(len(part) > 1000 for part in first)
    assert story(7) == first
    assert story(8) != first


async def test_r56_no_log_at_any_level_shows_a_password(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    password = "Hunter2x"
    caplog.set_level(1)
    uo, eo = UoPlayer(town), EoPlayer(town)
    await uo.enters("anna", "Anna", password=password)
    await eo.enters("bert", "Bert", password=password)
    # A login packet cut short, and one whose handler fails.
    short = UoPlayer(town)
    await short.does(short.client.login_bytes("anna", password)[:-3])
    town.passwords.verify = None  # type: ignore[method-assign,assignment]
    broken = EoPlayer(town)
    await broken.logs_in("anna", password)
    assert broken.gone
    records = [record.getMessage() + (record.exc_text or "") for record in caplog.records]
    assert any("not shown: it carries a password" in text for text in records)
    for text in records:
        assert password not in text
        assert password.encode().hex() not in text


async def stopped(town: Town) -> float:
    """How many seconds it takes the server to stop."""
    began = trio.current_time()
    town.app.stop(0)
    with trio.fail_after(20):
        while town.exit_code is None:  # noqa: ASYNC110 # it tells nobody but its process
            await trio.sleep(0.1)
    return trio.current_time() - began


@ONE_PROCESS
@pytest.mark.parametrize(("wait", "over"), [(None, 7.0), (0.0, 2.0), (3.0, 5.0)])
async def test_a_shutdown_waits_so_long_for_those_who_take_nothing(
    town: Town, autojump_clock: MockClock, wait: float | None, over: float
) -> None:
    """Two seconds for goodbyes, and `shutdown_wait_seconds` (5 if nobody says otherwise) for what is under
    way."""
    if wait is not None:
        town.change("network", shutdown_wait_seconds=wait)
    anna = UoPlayer(town)
    await anna.enters("anna", "Anna")
    assert isinstance(anna.end, End)
    anna.end.window = 0
    assert await stopped(town) == pytest.approx(over, abs=0.25)


@ONE_PROCESS
@pytest.mark.parametrize("wait", [0.0, 8.0])
async def test_a_shutdown_waits_two_seconds_for_those_who_acknowledge_nothing(
    town: Town, autojump_clock: MockClock, wait: float
) -> None:
    """However long it waits for others: then the stream says its goodbye unasked."""
    town.change("network", shutdown_wait_seconds=wait)
    cora = Eq2Player(town)
    await cora.enters("cora", "Cora")
    cora.vanishes()
    assert await stopped(town) == pytest.approx(2.0, abs=0.25)


async def test_a_shutdown_does_not_wait_for_those_who_read(town: Town, autojump_clock: MockClock) -> None:
    anna = UoPlayer(town)
    await anna.enters("anna", "Anna")
    assert await stopped(town) < 1
