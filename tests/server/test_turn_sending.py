"""The seam, driven by toy games: sending, slow clients, datagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.endings import Ending
from tests.kit.datagrams import Faults, datagram_pipe
from tests.kit.pipe import End
from tests.kit.stage import Stage, ToyClient, settle
from tests.kit.toys import Heard, Hello, Say, Step, Stepping, Welcome, brook, pebble
from world.heading import NORTH, SOUTH

if TYPE_CHECKING:
    from trio.testing import MockClock


async def test_short_writes_keep_every_byte_and_shed_only_what_may_be_lost(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    stage.settings.network = attrs.evolve(stage.settings.network, drop_threshold=10)
    game = brook()
    slow, fast = stage.client(game, "Slow"), stage.client(game, "Fast")
    await settle()
    slow.end.window = 0  # type: ignore[union-attr]
    for n in range(40):
        fast.say(Say(b"chatter %d" % n), Step(NORTH if n % 2 else SOUTH))
        await trio.sleep(0.05)
    assert stage.connections[0].shed
    slow.end.window = 1 << 20  # type: ignore[union-attr]
    await settle(3)
    his = fast.of(Welcome)[0].serial
    assert len([p for p in slow.of(Stepping) if p.serial == his]) == 40, "steps may not be lost"
    assert len(slow.of(Heard)) < 40
    assert stage.connections[0].shed.total() > 0
    assert len(fast.of(Heard)) == 40, "nobody else is affected"


async def test_a_client_that_takes_nothing_is_cut_and_nobody_waits(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    stage.settings.network = attrs.evolve(stage.settings.network, hard_limit_kib=16, drop_packets=False)
    game = brook()
    slow, fast = stage.client(game, "Slow"), stage.client(game, "Fast")
    await settle()
    slow.end.window = 0  # type: ignore[union-attr]
    for n in range(200):
        fast.say(Say(b"%0100d" % n))
        await trio.sleep(0.02)
    await settle()
    assert stage.connections[0].ending is Ending.TOO_SLOW
    assert len(fast.of(Heard)) == 200


@pytest.mark.parametrize("seed", range(5))
async def test_a_datagram_game_loses_one_datagram_in_three_each_way(
    nursery: trio.Nursery, autojump_clock: MockClock, seed: int
) -> None:
    stage = Stage(nursery)
    game = pebble()
    ours, theirs = datagram_pipe(faults=Faults(loss=1 / 3), seed=seed)
    stage.connect(game, theirs)
    client = ToyClient(ours, game)
    nursery.start_soon(client.run)
    client.say(Hello(b"Anna"))
    await settle(5)
    own = client.of(Welcome)[0].serial
    for n in range(30):
        client.say(Say(b"line %d" % n), Step(SOUTH if n % 2 else NORTH))
        await trio.sleep(0.1)
    await settle(20)
    assert ours.way.lost > 5
    assert theirs.way is not None
    assert theirs.way.lost > 5
    assert [packet.text for packet in client.of(Heard)] == [b"line %d" % n for n in range(30)]
    assert [packet.heading for packet in client.of(Stepping) if packet.serial == own] == [
        SOUTH if n % 2 else NORTH for n in range(30)
    ]
    assert stage.connections[0].ending is None


async def test_a_forced_flush_keeps_the_order_of_bytes(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    client = stage.client(game, "Anna")
    await settle()
    assert isinstance(client.end, End)
    session = stage.connections[0].session
    client.end.window = 3

    def speak(_: object) -> None:
        for text in (b"one", b"two", b"three"):
            session.send(Heard(1, text))
            session.flush()

    before = len(client.got)
    await stage.loop.in_world(session, speak)
    await settle(0.2)
    client.end.window = 1 << 20
    await settle()
    assert client.got[before:] == [Heard(1, b"one"), Heard(1, b"two"), Heard(1, b"three")]


async def test_a_client_that_takes_nothing_for_stalled_seconds_is_cut(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    client = stage.client(game, "Anna")
    await settle()
    assert isinstance(client.end, End)
    connection = stage.connections[0]
    client.end.window = 0
    client.say(Say(b"echo"))
    await settle(5)
    connection.check(trio.current_time())
    assert connection.ending is None
    await settle(6)
    connection.check(trio.current_time())
    assert connection.ending is Ending.TOO_SLOW


async def test_the_last_words_of_an_ended_client_still_arrive(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    client = stage.client(game, "Anna")
    await settle()
    session = stage.connections[0].session

    def farewell(_: object) -> None:
        session.send(Heard(0, b"farewell"))
        session.end(Ending.KICKED, "for the test")

    await stage.loop.in_world(None, farewell)
    await settle()
    assert client.got[-1] == Heard(0, b"farewell")
    assert client.ended
