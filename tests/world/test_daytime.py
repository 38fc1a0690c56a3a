"""What time it is in the world."""

from __future__ import annotations

import pytest

from tests.kit.worlds import plain_world
from world.daytime import DAY_SECONDS, HOUR_SECONDS, Daytime, daytime, until_next_hour


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
