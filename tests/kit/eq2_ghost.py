"""A ghost as a client of EverQuest II has it."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from protocol.eq2 import packets as eq2


@attrs.define(eq=False)
class Ghost:
    """Something it was shown: the three structures as bytes, which updates change, and read."""

    index: int
    id: int
    pos: bytes
    vis: bytes
    info: bytes
    position: eq2.GhostPosition
    visible: eq2.GhostVisible
    about: eq2.GhostInfo
    updates: int = 0

    @property
    def name(self) -> str:
        """What stands over it."""
        return self.about.name

    @property
    def place(self) -> tuple[float, float, float]:
        """East, up, south."""
        return self.position.x, self.position.y, self.position.z

    @property
    def tile(self) -> tuple[int, int]:
        """In whole units."""
        return floor(self.position.x), floor(self.position.z)

    @property
    def heading(self) -> int:
        """The world's, by the angle it is drawn at."""
        return heading_of(self.position.heading1 / 64.0)


def heading_of(degrees: float) -> int:
    """The nearest of the eight: 180 degrees look north (to smaller z), 90 east."""
    return round((180.0 - degrees) / 45.0) % 8
