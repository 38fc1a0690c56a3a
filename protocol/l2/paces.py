"""Paces: how fast somebody strikes and runs, as clients were told last.

Both follow from much else (strength, what is worn, being tired or burdened), and nothing in the world says
that they changed. So they are compared with what everybody who draws somebody was told.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from protocol.l2.sheets import pace_of
from world.motion import cost

if TYPE_CHECKING:
    from protocol.l2.versions import L2Version
    from world.mobile import Mobile


class Paces:
    """The paces of all who were described."""

    def __init__(self) -> None:
        self._told: defaultdict[tuple[str, bool], WeakKeyDictionary[Mobile, tuple[int, float]]]
        self._told = defaultdict(WeakKeyDictionary)
        """By version, and whether it is one's own client that was told."""

    def change(self, mobile: Mobile, version: L2Version, *, own: bool) -> bool:
        """Note that clients are told how fast somebody is by now. Returns whether they have to be: it is not
        what they were told last. Others are told of blows only: who walks is drawn walking."""
        return self._note(mobile, version, pace_of(mobile), own=own)

    def described(self, mobile: Mobile, version: L2Version) -> int:
        """Note that others are told how fast somebody strikes, and return that (`pace_of`)."""
        pace = pace_of(mobile)
        self._note(mobile, version, pace, own=False)
        return pace

    def _note(self, mobile: Mobile, version: L2Version, pace: int, *, own: bool) -> bool:
        told = self._told[version.name, own]
        now = pace, cost(mobile, mobile.heading, run=True) if own else 0.0
        before = told.get(mobile)
        if before != now:
            told[mobile] = now
        return before != now
