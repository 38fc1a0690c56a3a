"""The patches of Conquer Online that are spoken here.

A patch is a value: packets have the same numbers in all of them, and where fields differ their declarations
say from which patch on they are there (`protocol.co.packets.base`).
"""

from __future__ import annotations

import enum
from typing import Final


class Patch(enum.IntEnum):
    """The number of a client's patch; a listener's key `patch`."""

    P5017 = 5017
    """The counter cipher at both doors."""
    P5065 = 5065
    """Diffie-Hellman and Blowfish at the game's door, whose packets have a footer."""


NEWEST: Final = Patch.P5065
OLDEST: Final = Patch.P5017
