"""Deadlines of codecs: one task wakes each at the moment it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import trio

from server.net.deadlines import GRAIN, NEVER, Deadlines

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.family import Codec


class Alarm:
    """Wants to be woken at the moments of a list."""

    def __init__(self, *events: float) -> None:
        self.noted_for = NEVER
        self.events = list(events)
        self.woken: list[float] = []
        self.ended = False

    @property
    def codec(self) -> Codec | None:
        return None if self.ended else cast("Codec", self)

    def deadline(self) -> float | None:
        return self.events[0] if self.events else None

    def expired(self, now: float) -> None:
        self.woken.append(round(now, 3))
        while self.events and self.events[0] <= now:
            del self.events[0]


async def test_each_is_woken_when_its_time_has_come(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    deadlines = Deadlines()
    nursery.start_soon(deadlines.run)
    alarms = [Alarm(3.0, 5.0), Alarm(1.0), Alarm(4.0, 4.5), Alarm()]
    for alarm in alarms:
        deadlines.note(alarm)
    await trio.sleep(10)
    assert [alarm.woken for alarm in alarms] == [[3.0, 5.0], [1.0], [4.0, 4.5], []]


async def test_a_deadline_that_moved_on_is_met_later_and_an_earlier_one_has_to_be_told(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    deadlines = Deadlines()
    nursery.start_soon(deadlines.run)
    later, earlier = Alarm(2.0), Alarm(9.0)
    deadlines.note(later)
    deadlines.note(earlier)
    await trio.sleep(1)
    later.events = [6.0]
    earlier.events = [3.0]
    deadlines.note(earlier)
    await trio.sleep(20)
    assert later.woken == [6.0]
    assert earlier.woken == [3.0]


async def test_many_changes_leave_one_note(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    deadlines = Deadlines()
    nursery.start_soon(deadlines.run)
    busy = Alarm(1.0)
    for n in range(1000):
        busy.events = [1.0 + n / 1000]
        deadlines.note(busy)
    assert len(deadlines._heap) == 1
    await trio.sleep(5)
    assert busy.woken == [1.999]


async def test_who_ended_is_not_woken_and_not_kept(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    deadlines = Deadlines()
    nursery.start_soon(deadlines.run)
    gone = Alarm(1.0)
    deadlines.note(gone)
    gone.ended = True
    await trio.sleep(2)
    assert gone.woken == []
    assert deadlines._heap == []


async def test_who_asks_for_the_past_for_ever_does_not_keep_the_others_from_running(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    class Stubborn(Alarm):
        def expired(self, now: float) -> None:
            self.woken.append(now)

    deadlines = Deadlines()
    nursery.start_soon(deadlines.run)
    stubborn, other = Stubborn(1.0), Alarm(2.0)
    deadlines.note(stubborn)
    deadlines.note(other)
    await trio.sleep(3)
    assert other.woken == [2.0]
    assert 100 < len(stubborn.woken) <= 2.0 / GRAIN + 1
