"""Calls for the staff."""

from __future__ import annotations

from typing import Final

import attrs

KEPT: Final = 50
"""So many of the newest are kept for staff who were not there."""


@attrs.frozen
class Plea:
    """One call for the staff."""

    at: float
    """World time."""
    who: str
    """The name of the character."""
    text: str


HEARD_KEPT: Final = 10_000
"""So many of the newest lines of everybody are kept, for reports; some megabytes of memory."""


@attrs.frozen
class Heard:
    """One line that somebody said: where, or to whom alone (serials)."""

    at: float
    """World time."""
    speaker: int
    name: str
    how: str
    text: str
    realm: str
    x: int
    y: int
    to: tuple[int, ...] = ()
