"""Refusals by the world (`Cannot`): its player reads why, in words, unless the game has its own way.

A line that says no more than the reason carries the reason with it (`Said.means`). The view of a game whose
client has a text of its own that says the same shows that instead of the line.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from world.obstacles import what_blocks
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    import enum
    from collections.abc import Iterator

    from world.mobile import Mobile

SECONDS: Final = 1.0
"""A client that asks for the same again sooner does not read the line again."""

OBSTACLE_SECONDS: Final = 600.0
"""Whoever is held by something of ours is not told so again sooner, whatever else holds it."""


class Game(Protocol):
    """A game, as far as its players are told of orders (`protocol.family.Family`)."""

    @property
    def order_sign(self) -> str: ...


class Reader(Protocol):
    """A session, as far as lines of words for its player go (`protocol.session.Session`)."""

    unmet: dict[enum.Enum, float]

    @property
    def family(self) -> Game: ...
    @property
    def mobile(self) -> Mobile | None: ...


@contextmanager
def refused_in_words(mobile: Mobile) -> Iterator[None]:
    """Turn a refusal within the block into a line for the player of the mobile."""
    try:
        yield
    except Cannot as cannot:
        tell_refusal(mobile, cannot)


def tell_refusal(mobile: Mobile, cannot: Cannot) -> None:
    """Send a line that says why something cannot be done, unless its player has just read it."""
    if not cannot.told:
        notice(mobile, str(cannot), None if cannot.says_more else cannot.why)


def tell_now_and_then(session: Reader, mobile: Mobile, cannot: Cannot) -> bool:
    """Send the line as `tell_refusal`, but at most once a second: for wishes that a client repeats by itself,
    as long as a key is held. Returns whether it was time for it."""
    now = mobile.world.now
    if now < session.unmet.get(cannot.why, now):
        return False
    session.unmet[cannot.why] = now + SECONDS
    tell_refusal(mobile, cannot)
    return True


def tell_what_blocks(session: Reader, mobile: Mobile, tile: tuple[int, int]) -> None:
    """Send the line that says what is at a tile of the mobile's realm, on which nobody can stand, and what
    its player types to see it, the first time, and then seldom: for clients that draw their own ground and
    see none of our walls, and are put back."""
    now, realm = mobile.world.now, mobile.realm
    if realm is None or now < session.unmet.get(Refusal.OBSTACLE, now):
        return
    session.unmet[Refusal.OBSTACLE] = now + OBSTACLE_SECONDS
    words = what_blocks(realm, *tile, order=f"{session.family.order_sign}map")
    tell_refusal(mobile, Cannot(Refusal.OBSTACLE, words))
