"""Time of day in the world. A day takes 72 minutes, and goes on while the server is down.

Nothing in the world depends on it yet; views whose clients have a sky send it to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from world.thing import Surroundings

MINUTE_SECONDS: Final = 3.0
"""Real seconds of a minute of the world: EverQuest II's (emagi/eq2emu: World.cpp)."""

HOUR_SECONDS: Final = 60 * MINUTE_SECONDS
DAY_SECONDS: Final = 24 * HOUR_SECONDS


@attrs.frozen
class Daytime:
    """A time of day; days are counted from 0."""

    day: int
    hour: int
    minute: int


def daytime(world: Surroundings) -> Daytime:
    """The time of day in the world now."""
    hours, minute = divmod(int((world.dawn + world.now) // MINUTE_SECONDS), 60)
    day, hour = divmod(hours, 24)
    return Daytime(day, hour, minute)


def until_next_hour(world: Surroundings) -> float:
    """Real seconds until the hour is over; more than 0."""
    return HOUR_SECONDS - (world.dawn + world.now) % HOUR_SECONDS
