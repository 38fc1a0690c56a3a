"""Kinds of gathering: what there is to be had from the ground and the scenery of a realm, as it is written.

The rule is in `world.gathering`, the table in data/gathering.toml.
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # rows of data/ are read into these

import attrs


@attrs.frozen
class Harvest:
    """One kind of gathering: `tool` and `item` are item templates, `tiles` keys of tile kinds."""

    key: str
    verb: str
    """What one does, as in "You begin to fish."."""
    tool: str
    tiles: Sequence[str]
    item: str
    skill: str
    difficulty: float = 0.0
    """In points of the skill: see `world.learning.practise`."""
    seconds: float = 3.0
    """What one piece takes."""
    reach: int = 1
    """Tiles (Chebyshev) from which it can be done."""
    store: int = 5
    """Pieces in one tile."""
    refill: float = 120.0
    """Seconds after the first piece until all are there again."""
