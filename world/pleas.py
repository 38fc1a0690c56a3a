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
