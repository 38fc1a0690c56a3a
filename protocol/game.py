"""The record of a game: everything it brings along before there is a world.

Each folder below `protocol/` ends in one `GAME`; `protocol.games` lists them. A server reads from it which
keys the game has in config.toml, which files it can read and write, what is known of its packets, and makes
its `Family` of the world's content. Nothing else of a game is known outside its folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from protocol.background import Background
    from protocol.family import FamilyFactory


@attrs.frozen
class Game:
    """A game as the program knows it."""

    name: str
    """Its key in `[listen.<name>]`, endpoints.json, looks and atlases."""
    title: str
    """What people call it, within a sentence."""
    family: FamilyFactory
    """Makes the seam to the server of a world's content. Raises LookError with all that it misses there."""
    background: type[Background] | None = None
    """What runs for it as long as the server does, beside its clients."""
    login_door: str = ""
    """The door that may be in a process of its own, without a world (`[server] roles`): its background
    service joins it to the others."""
