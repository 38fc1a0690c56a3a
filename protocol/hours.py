"""The full hours of the world, for games whose clients have a clock or a sky.

A clock ends by itself at the first hour at which its session plays nobody, or is gone. Where staff sets the
time of day, every clock strikes at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from weakref import ref

from world.daytime import at_next_hour

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.session import Session

S = TypeVar("S", bound="Session")


def every_hour(session: S, tell: Callable[[S], None]) -> None:
    """Call `tell` at each full hour from now on, and when the time of day is set, for as long as the session
    plays a mobile; a call made before counts no more."""
    if session.clock is not None:
        session.clock.cancel()
    session.clock = at_next_hour(session.world, _strike, ref(session), tell)


def _strike(reference: ref[S], tell: Callable[[S], None]) -> None:
    session = reference()
    if session is None or session.mobile is None:
        return
    tell(session)
    every_hour(session, tell)
