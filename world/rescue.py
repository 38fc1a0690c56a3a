"""A way out for somebody who cannot get out: back to where newcomers appear, after a wait that nobody uses to
escape from anything.

It is called off when the character moves, dies (or comes to life), or is left by its player. A ghost may ask
too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world import newcomers
from world.speech import notice
from world.timers import Priority

if TYPE_CHECKING:
    from world.mobile import Mobile

WAIT_SECONDS: Final = 10

TOLD: Final = f"In {WAIT_SECONDS} seconds you will be where everybody begins, if you do not move or die."
UNDER_WAY: Final = "help is on its way already"


@attrs.define
class _Waiting:
    """Somebody who waits, and how it was when it asked."""

    mobile: Mobile
    before: tuple[object, ...]
    seconds_left: int = WAIT_SECONDS


def begin(mobile: Mobile) -> bool:
    """Begin the wait of a character; False if it waits already."""
    if mobile.rescue is not None and mobile.rescue.active:
        return False
    mobile.rescue = mobile.world.timers.every(
        1.0,
        _look,
        _Waiting(mobile, _state(mobile)),
        times=WAIT_SECONDS,
        priority=Priority.EXACT,
        owner=mobile,
    )
    return True


def _look(waiting: _Waiting) -> None:
    """Look once a second whether it still waits."""
    mobile = waiting.mobile
    waiting.seconds_left -= 1
    if mobile.viewport is None or _state(mobile) != waiting.before:
        if mobile.rescue is not None:
            mobile.rescue.cancel()
        notice(mobile, "You stay here: whoever waits for help must not move or die.")
    elif not waiting.seconds_left and mobile.world.travel(mobile, *newcomers.start_place(mobile.world)):
        notice(mobile, "You are back where everybody begins.")


def _state(mobile: Mobile) -> tuple[object, ...]:
    """What must not change while it waits."""
    return mobile.realm, mobile.x, mobile.y, mobile.dead
