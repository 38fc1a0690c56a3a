"""The time of day: told when a client enters or has loaded, and with every full hour of the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2.handlers.table import playing
from protocol.l2.packets import ClientSetTime, SunRise, SunSet
from world.daytime import DAY_SECONDS, daytime

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.thing import Surroundings

DAWN_HOUR: Final = 6
"""When the client's night ends; it begins at midnight."""

DAYS_A_DAY: Final = round(24 * 60 * 60 / DAY_SECONDS)
"""How often a day of the world goes into a real one."""


def clock(world: Surroundings) -> ClientSetTime:
    """What time it is in the world."""
    now = daytime(world)
    return ClientSetTime(60 * now.hour + now.minute, DAYS_A_DAY)


def _sky(world: Surroundings) -> SunRise | SunSet:
    return SunRise() if daytime(world).hour >= DAWN_HOUR else SunSet()


def tell_time(session: L2Session) -> None:
    """The hour is over: set the client's clock right, and its sky."""
    turns = daytime(session.world).hour in (0, DAWN_HOUR)
    if playing(session) is not None:
        session.send(clock(session.world))
        if turns:
            session.send(_sky(session.world))
    elif turns:
        session.sky_missed = True


def catch_up(session: L2Session) -> None:
    """A client has loaded: what time it is by now, and the sky if that turned meanwhile."""
    session.send(clock(session.world))
    if session.sky_missed:
        session.sky_missed = False
        session.send(_sky(session.world))
