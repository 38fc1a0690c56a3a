"""Time of day in the world. A day takes 72 minutes, and goes on while the server is down.

Staff may set it (`set_time`): it goes on from there until the server ends, and at the next start is again
what the clock on the wall makes it. Nothing in the world depends on it yet; views whose clients have a sky
send it to them.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, TypeVarTuple

import attrs

from world import audience
from world.sky import TimeSet
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.thing import Surroundings
    from world.timers import Timer

MINUTE_SECONDS: Final = 3.0
"""Real seconds of a minute of the world: EverQuest II's (emagi/eq2emu: World.cpp)."""

HOUR_SECONDS: Final = 60 * MINUTE_SECONDS
DAY_SECONDS: Final = 24 * HOUR_SECONDS

Ts = TypeVarTuple("Ts")


@attrs.frozen
class Daytime:
    """A time of day; days are counted from 0."""

    day: int
    hour: int
    minute: int

    def __str__(self) -> str:
        return f"{self.hour:02}:{self.minute:02}"


class Daylight(enum.Enum):
    """Parts of the day, by how light they are; the values are what they are called."""

    NIGHT = "night"
    DAWN = "dawn"
    DAY = "day"
    DUSK = "dusk"


DAWN_HOURS: Final = (5, 6)
DUSK_HOURS: Final = (19, 20)
"""Hours of dawn and of dusk; between them is day, and night. A judgement: games differ."""


def daytime(world: Surroundings) -> Daytime:
    """The time of day in the world now."""
    hours, minute = divmod(int((world.dawn + world.now) // MINUTE_SECONDS), 60)
    day, hour = divmod(hours, 24)
    return Daytime(day, hour, minute)


def daylight(hour: int) -> Daylight:
    """Tell how light it is in an hour of the day, 0 to 23."""
    if hour in DAWN_HOURS:
        return Daylight.DAWN
    if hour in DUSK_HOURS:
        return Daylight.DUSK
    return Daylight.DAY if DAWN_HOURS[-1] < hour < DUSK_HOURS[0] else Daylight.NIGHT


def in_words(world: Surroundings) -> str:
    """Line that tells the time of day."""
    now = daytime(world)
    return f"It is {now}, {daylight(now.hour).value}."


def until_next_hour(world: Surroundings) -> float:
    """Real seconds until the hour is over; more than 0."""
    return HOUR_SECONDS - (world.dawn + world.now) % HOUR_SECONDS


def at_next_hour(world: Surroundings, call: Callable[[*Ts], object], *state: *Ts) -> Timer:
    """Call `call(*state)` at the next full hour, or at once if the time of day is set before."""
    left = until_next_hour(world)
    return world.timers.after(left, call, *state, priority=Priority.MS250, owner=world.hours)


def set_time(world: Surroundings, hour: int, minute: int) -> Daytime:
    """Let it be that time of this day, and tell everybody. Returns the time that it was before. Raises
    ValueError if a day has no such time."""
    if not (0 <= hour < 24 and 0 <= minute < 60):
        raise ValueError(f"no time of day: {hour}:{minute}")
    before = daytime(world)
    since_midnight = (world.dawn + world.now) % DAY_SECONDS
    world.dawn += (hour * 60 + minute) * MINUTE_SECONDS - since_midnight
    for timer in tuple(world.hours.timers or ()):
        timer.change(0.0)
    viewers = audience.everybody(world)
    if viewers:
        world.events.append(TimeSet(hour, in_words(world), viewers))
    return before
