"""Corrections of a client that walks by itself: rare, and as late as they may be.

The client of such a game shows its character where its player has led it, and says so; the world follows, or
does not. Where it does not, the client is put to where its character is. That is felt as a blow, so it
happens no more than twice a second: what the client says before it has learnt of a correction was said on the
wrong tile, and to answer each of that with another one would only drag it to and fro. A client that is still
astray when the time has come is put right once more.

What "to put right" is, and how one sees that a client has come back by itself, is the game's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar
from weakref import ref

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile

SECONDS: Final = 0.5
"""Between two corrections: more than the way to the client and back."""


@attrs.define
class Corrections:
    """State of a client's corrections."""

    at: float = float("-inf")
    """World time of the last one."""
    astray: bool = False
    """Whether the client is where its character is not, as far as is known, and has not been put right."""
    waits: bool = False
    """Whether a correction waits for its time."""


class Walker(Protocol):
    """A session, as far as corrections go."""

    corrections: Corrections

    @property
    def playing(self) -> Mobile | None: ...


W = TypeVar("W", bound=Walker)


def put_right(session: W, mobile: Mobile, put: Callable[[W, Mobile], object]) -> None:
    """Have `put` put a client that is astray to where its character is: now, or when it is time for another
    correction, if it is still astray then."""
    state, world = session.corrections, mobile.world
    state.astray = True
    delay = state.at + SECONDS - world.now
    if delay <= 0:
        state.at, state.astray = world.now, False
        put(session, mobile)
    elif not state.waits:
        state.waits = True
        world.timers.after(delay, _late, ref(session), put)


def _late(reference: ref[W], put: Callable[[W, Mobile], object]) -> None:
    session = reference()
    if session is None:
        return
    session.corrections.waits = False
    mobile = session.playing
    if mobile is not None and session.corrections.astray:
        put_right(session, mobile, put)
