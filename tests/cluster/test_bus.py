"""The bus in virtual time: nothing waits for it, too much is lost, and a line that is cut comes back."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import trio

from server.cluster.bus import (
    BURST,
    LATE_SECONDS,
    LONGEST_WAIT,
    MOST_QUEUED,
    PATIENCE,
    RATE,
    SILENCE,
    TTL_SECONDS,
    Allowance,
    Bus,
)
from server.cluster.messages import Beat, Heard, Message, Roster, ToAll, Who, encode
from tests.kit.exchange import Exchange

if TYPE_CHECKING:
    import pytest
    from trio.testing import MockClock

ZOE = Who(7, "Zoe")


class Ear:
    """A bus, and what it heard, beats left out."""

    def __init__(self, exchange: Exchange, world: int) -> None:
        self.messages: list[Message] = []
        self.beats = 0
        self.bus = Bus(exchange, world, heard=self._hear)

    def _hear(self, message: Message) -> None:
        if isinstance(message.body, Beat):
            self.beats += 1
        else:
            self.messages.append(message)

    @property
    def words(self) -> list[str]:
        return [one.body.text for one in self.messages if isinstance(one.body, ToAll)]


def are_up(*ears: Ear) -> bool:
    return all(ear.bus.up for ear in ears)


async def pair(nursery: trio.Nursery, exchange: Exchange) -> tuple[Ear, Ear]:
    one, two = Ear(exchange, 1), Ear(exchange, 2)
    for ear in (one, two):
        nursery.start_soon(ear.bus.run)
    await trio.sleep(0.5)
    assert are_up(one, two)
    return one, two


async def test_messages_go_to_all_others_or_to_one(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    exchange = Exchange()
    one, two = await pair(nursery, exchange)
    three = Ear(exchange, 3)
    nursery.start_soon(three.bus.run)
    await trio.sleep(0.5)
    one.bus.say(ToAll(ZOE, "to all"))
    one.bus.say(Heard(5), 3)
    await trio.sleep(0.1)
    assert two.messages == [Message(1, 1, ToAll(ZOE, "to all"))]
    assert three.messages == [Message(1, 1, ToAll(ZOE, "to all")), Message(1, 1, Heard(5))]
    assert one.messages == []
    assert (one.bus.counts.sent, two.bus.counts.dropped) == (2, {})


async def test_a_roster_is_read_by_key_which_outlives_its_world_by_seconds(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    exchange = Exchange()
    one, two = Ear(exchange, 1), Ear(exchange, 2)
    nursery.start_soon(two.bus.run)
    one.bus.show(Roster("first", [ZOE]))
    async with trio.open_nursery() as life:
        life.start_soon(one.bus.run)
        await trio.sleep(0.5)
        one.bus.show(Roster("second", [ZOE, ZOE]))
        await trio.sleep(1)
        life.cancel_scope.cancel()
    assert not are_up(one)
    two.bus.fetch(1)
    two.bus.fetch(99)
    await trio.sleep(0.1)
    assert [message.body for message in two.messages] == [Roster("second", [ZOE, ZOE])]
    await trio.sleep(TTL_SECONDS)
    two.bus.fetch(1)
    await trio.sleep(0.1)
    assert len(two.messages) == 1


async def test_what_waits_too_long_or_is_too_much_is_lost_and_counted(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    exchange = Exchange()
    one, two = await pair(nursery, exchange)
    exchange.cut()
    await trio.sleep(0.1)
    assert not are_up(one)
    for number in range(5):
        one.bus.say(ToAll(ZOE, f"early {number}"))
    await trio.sleep(LATE_SECONDS)
    for number in range(MOST_QUEUED - 2):
        await trio.sleep(1 / RATE)
        assert one.bus.say(ToAll(ZOE, str(number)))
    assert (one.bus.waiting, one.bus.counts.dropped) == (MOST_QUEUED, {"full": 3})
    exchange.mend()
    await trio.sleep(LONGEST_WAIT + 0.5)
    assert are_up(one)
    assert one.bus.counts.dropped == {"full": 3, "late": 2}
    assert two.words == [str(number) for number in range(MOST_QUEUED - 2)]


async def test_a_world_that_says_too_much_is_not_heard_and_says_no_more(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    exchange = Exchange()
    one, two = await pair(nursery, exchange)
    said = sum(one.bus.say(ToAll(ZOE, "x")) for _ in range(BURST + 50))
    assert (said, one.bus.counts.dropped["rate"]) == (BURST, 50)
    for _ in range(2 * BURST + 50):  # another program, that counts nothing
        exchange.publish("causeway:all", encode(9, ToAll(ZOE, "y")))
    await trio.sleep(0.01)
    assert two.words.count("y") <= 2 * BURST + 10
    assert two.bus.counts.dropped["flood"] >= 40
    await trio.sleep(1)
    assert one.bus.say(ToAll(ZOE, "again"))


async def test_what_is_no_message_is_counted_and_hurts_nobody(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    exchange = Exchange()
    one, two = await pair(nursery, exchange)
    for noise in (b"", b"{}", b"\xff" * 100, b"[" * 100_000, b'"' + b"x" * (5 << 20) + b'"'):
        exchange.publish("causeway:all", noise)
    one.bus.say(ToAll(ZOE, "still here"))
    await trio.sleep(0.1)
    assert two.words == ["still here"]
    assert two.bus.counts.dropped == {"bad": 5}


async def test_a_server_that_stands_still_is_left_and_found_again(
    nursery: trio.Nursery, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    exchange = Exchange()
    with caplog.at_level(logging.WARNING, "cluster"):
        one, two = await pair(nursery, exchange)
        exchange.silent = True
        await trio.sleep(PATIENCE + 1.1)
        assert not are_up(one)
        assert one.bus.say(ToAll(ZOE, "lost or late"))
        await trio.sleep(60)
        exchange.silent = False
        await trio.sleep(PATIENCE + LONGEST_WAIT + 0.5)
        assert are_up(one, two)
    assert [record.message for record in caplog.records] == [
        *["the line to the other worlds is cut: it does not answer"] * 2,
        *["the line to the other worlds is good again"] * 2,
    ]
    one.bus.say(ToAll(ZOE, "back"))
    await trio.sleep(0.1)
    assert two.words == ["back"]


async def test_a_world_that_does_not_hear_itself_asks_for_a_new_line(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    exchange = Exchange()
    one, _ = await pair(nursery, exchange)
    for line in exchange.lines:
        line.channels = frozenset()  # a subscription that was forgotten; all else works
    await trio.sleep(SILENCE + 2)
    assert are_up(one)
    assert one.bus.counts.lines == 2


def test_a_bus_is_busy_when_half_of_what_may_be_said_was() -> None:
    times = [100.0]
    bus = Bus(Exchange(), 1, heard=lambda _: None, clock=lambda: times[-1])
    busy = [(bus.busy, bus.say(Heard(1)))[0] for _ in range(202)]
    assert busy == [False] * 201 + [True]
    times.append(100.5)
    busy = [bus.busy]
    bus._queue.extend([*bus._queue] * 2)
    assert [*busy, bus.busy] == [False, True], "too many wait"


def test_an_allowance_fills_up_again_but_not_beyond_its_burst() -> None:
    allowance = Allowance(rate=2.0, burst=4)
    assert [allowance.take(100.0) for _ in range(5)] == [True, True, True, True, False]
    assert [allowance.take(100.6) for _ in range(2)] == [True, False]
    assert [allowance.take(200.0) for _ in range(5)] == [True, True, True, True, False]
