"""The only list of games in the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol import eo, uo

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.family import FamilyFactory

GAMES: Final[Mapping[str, FamilyFactory]] = {"uo": uo.family, "eo": eo.family}
"""By the name of its `[listen.*]` table: what makes the game's family from the world's content."""
