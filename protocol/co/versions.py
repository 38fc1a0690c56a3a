"""The versions of Conquer Online that are spoken here.

A version is a value: packets have the same numbers in all of them, and where fields differ their declarations
say from which version on they are there (`protocol.co.packets.base`).
"""

from __future__ import annotations

import enum
from typing import Final


class CoVersion(enum.IntEnum):
    """The number of a client's version; a listener's key `patch`."""

    V5017 = 5017
    """The counter cipher at both doors."""
    V5065 = 5065
    """Diffie-Hellman and Blowfish at the game's door, whose packets have a footer."""

    __hash__ = int.__hash__  # it is a dialect: see Relation


NEWEST: Final = CoVersion.V5065
OLDEST: Final = CoVersion.V5017
