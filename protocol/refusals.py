"""What every game does about `Cannot`: its player is told why, in words, unless the game has its own way.

A line that says no more than the reason carries the reason with it (`Said.means`). The view of a game whose
client has a text of its own that says the same shows that instead of the line.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from world.reach import Cannot
from world.speech import notice

if TYPE_CHECKING:
    import enum
    from collections.abc import Iterator

    from world.mobile import Mobile

SECONDS: Final = 1.0
"""A client that asks for the same again sooner does not read the line again."""


class Reader(Protocol):
    """A session, as far as lines of words for its player go (`protocol.session.Session`)."""

    unmet: dict[enum.Enum, float]

    @property
    def mobile(self) -> Mobile | None: ...


@contextmanager
def refused_in_words(mobile: Mobile) -> Iterator[None]:
    """Around a call into the world: what cannot be done is told to the player of the mobile."""
    try:
        yield
    except Cannot as cannot:
        tell_refusal(mobile, cannot)


def tell_refusal(mobile: Mobile, cannot: Cannot) -> None:
    """Say why something cannot be done, unless its player has just heard it."""
    if not cannot.told:
        notice(mobile, str(cannot), None if cannot.says_more else cannot.why)


def tell_now_and_then(session: Reader, mobile: Mobile, cannot: Cannot) -> bool:
    """The same for wishes that a client repeats by itself, as long as a key is held: not again within a
    second. Whether it was time for it."""
    now = mobile.world.now
    if now < session.unmet.get(cannot.why, now):
        return False
    session.unmet[cannot.why] = now + SECONDS
    tell_refusal(mobile, cannot)
    return True
