"""What time it is in the world."""

from __future__ import annotations

import pytest

from tests.kit.worlds import plain_world
from world.daytime import (
    DAY_SECONDS,
    HOUR_SECONDS,
    Daytime,
    at_next_hour,
    daylight,
    daytime,
    set_time,
    until_next_hour,
)


@pytest.mark.parametrize(
    ("dawn", "now", "time", "left"),
    [
        (0.0, 0.0, Daytime(0, 0, 0), HOUR_SECONDS),
        (0.0, 3.0, Daytime(0, 0, 1), HOUR_SECONDS - 3),
        (0.0, DAY_SECONDS - 0.5, Daytime(0, 23, 59), 0.5),
        (2 * DAY_SECONDS, 12.5 * HOUR_SECONDS, Daytime(2, 12, 30), HOUR_SECONDS / 2),
        (-10.0, 10.0 + 5 * DAY_SECONDS, Daytime(5, 0, 0), HOUR_SECONDS),
    ],
)
def test_the_time_follows_the_clock(dawn: float, now: float, time: Daytime, left: float) -> None:
    world = plain_world()
    world.dawn = dawn
    world.begin(now)
    assert daytime(world) == time
    assert until_next_hour(world) == pytest.approx(left)


def test_a_day_takes_seventy_two_minutes() -> None:
    assert DAY_SECONDS == 72 * 60


@pytest.mark.parametrize(("hour", "minute"), [(21, 30), (0, 0), (23, 59), (4, 5)])
def test_the_time_that_was_set_goes_on_from_there(hour: int, minute: int) -> None:
    world = plain_world()
    world.begin(3 * DAY_SECONDS + 11.25 * HOUR_SECONDS + 1)
    assert set_time(world, hour, minute) == Daytime(3, 11, 15)
    assert daytime(world) == Daytime(3, hour, minute)
    world.begin(world.now + 3)
    assert daytime(world).minute == (minute + 1) % 60


@pytest.mark.parametrize(("hour", "minute"), [(24, 0), (-1, 0), (3, 60), (3, -1)])
def test_a_time_that_there_is_not_changes_nothing(hour: int, minute: int) -> None:
    world = plain_world()
    with pytest.raises(ValueError, match="no time of day"):
        set_time(world, hour, minute)
    assert daytime(world) == Daytime(0, 0, 0)


def test_what_waits_for_the_hour_is_done_when_the_time_is_set() -> None:
    world = plain_world()
    struck: list[int] = []
    at_next_hour(world, struck.append, 1)
    gone = at_next_hour(world, struck.append, 2)
    gone.cancel()
    world.begin(1.0)
    world.run_timers()
    assert struck == []
    set_time(world, 12, 0)
    world.begin(1.5)
    world.run_timers()
    assert struck == [1]
    assert not world.hours.timers


def test_a_day_has_its_parts() -> None:
    names = [daylight(hour).value for hour in range(24)]
    assert names == ["night"] * 5 + ["dawn"] * 2 + ["day"] * 12 + ["dusk"] * 2 + ["night"] * 3
