"""Promises: lines that a player reads when what they tell of is on disk, and not before.

A rule promises in the turn in which it does something. The server tells the line once the store has written
that turn (`server.boot.app`); whoever reads it does not lose what it says, whatever becomes of the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from world.mobile import Mobile


def promise(mobile: Mobile, text: str) -> None:
    """Send a line to one player as soon as all that has happened so far is on disk."""
    if mobile.viewport is not None:
        mobile.world.promises.append((mobile, text))
