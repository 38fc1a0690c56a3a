"""Notices that somebody saves files of data/.

Editors write a file in several steps, and whoever changes five files saves them one after the other: what
comes within a moment is one save. watchfiles asks the system to be told (inotify, FSEvents and the like) and
works with Trio through anyio; to look at the time of every file twice a second would find the same, later.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

log = logging.getLogger("server")

TOGETHER_MS: Final = 500
"""Milliseconds within which saves are one."""

MOST_TOLD: Final = 8
"""Lines that staff in the game is told of one save; the log has all."""

WATCHED: Final = (".toml", ".tmj", ".tsj", ".tsx", ".tj", ".dmap", ".scene", ".py")
"""How the names of files end that a server reads there."""


async def saves(folder: Path) -> AsyncIterator[None]:
    """Go on once after each save, until cancelled; at once at an end if the system cannot tell."""
    from watchfiles import awatch

    try:
        async for _ in awatch(
            folder, watch_filter=lambda _, path: path.endswith(WATCHED), debounce=TOGETHER_MS
        ):
            yield
    except OSError as error:
        log.error("%s cannot be watched: %s; `causeway reload content` reads it", folder, error)
