"""Bodies of creatures that a client still draws: they have left the world, and their picture goes later.

A client draws how somebody falls, and would draw nothing of that if it were told at once to take the figure
away. A view's `hide` gives a `Burial` instead of the packet that does so. What else a game lets go of with a
figure (a target, say) it does in a subclass's `bind`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import ref

from world.timers import Priority

if TYPE_CHECKING:
    from protocol.outgoing import Sendable
    from protocol.session import Session
    from world.mobile import Mobile

LOOK_AGAIN: Final = 1.0
"""Seconds between two looks whether a client has loaded."""


class Burial:
    """A message that says nothing now, and the packet that takes a body away some seconds later."""

    __slots__ = ("_farewell", "_seconds")
    droppable = False

    def __init__(self, farewell: Sendable, seconds: float) -> None:
        self._farewell = farewell
        self._seconds = seconds

    def bind(self, session: Session) -> bytes:
        """Nothing yet."""
        mobile = session.mobile
        if mobile is not None:
            _wait(session, mobile, self._farewell, self._seconds)
        return b""


def _wait(session: Session, mobile: Mobile, farewell: Sendable, seconds: float) -> None:
    mobile.world.timers.after(
        seconds, _bury, ref(session), mobile, farewell, owner=mobile, priority=Priority.MS250
    )


def _bury(reference: ref[Session], mobile: Mobile, farewell: Sendable) -> None:
    """Take a body away, for whoever plays that mobile still; from a client that loads, when it has loaded."""
    session = reference()
    if session is None or session.mobile is not mobile:
        return
    if session.loading:
        _wait(session, mobile, farewell, LOOK_AGAIN)
    else:
        session.send(farewell)
