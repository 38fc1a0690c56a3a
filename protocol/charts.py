"""Charts of realms whose table names a map of a game's own client.

A realm is a table (data/realms/<name>.toml) and a map. Most maps are drawn in the Tiled editor and read by
the server; a table with one of the keys of `Game.chart_readers` has a map in that game's format instead, and
its reader makes the whole chart of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import attrs

from protocol.landmarks import SWITCH
from protocol.tables import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Set
    from pathlib import Path

    from world.content import Chart, TileKind


@attrs.frozen
class ChartSource:
    """Source of a chart: the place of the realm's table, and the rest of data/ as far as its reader needs it.
    References to a key of `unread` were wrong elsewhere and are not reported again."""

    path: Path
    """Of the table; its stem is the realm's name."""
    where: str
    """The same for people, as a path within data/."""
    problems: list[str]
    """Takes a line for every mistake."""
    unread: Set[str]
    tiles: Mapping[str, TileKind]
    """The kinds of tiles, by key."""
    games: Collection[str]
    """Every game that may have a row in an atlas."""


ReadChart: TypeAlias = Callable[[Mapping[str, object], ChartSource], "Chart | None"]
"""Makes a chart of a realm's table; None if it cannot be read, with the mistakes in `problems`."""


def read_atlas(
    atlas: Mapping[str, Mapping[str, object]], where: str, problems: list[str], games: Collection[str]
) -> dict[str, dict[str, float | str]]:
    """The atlas of a realm's table, as far as it is right. Mistakes go to `problems`."""
    problems.extend(
        f"{where}: atlas: no game {game!r}{nearest(game, list(games))}" for game in atlas if game not in games
    )
    problems.extend(
        f"{where}: atlas.{game}.{key}: must be a number or a text, is {value!r}"
        for game, place in atlas.items()
        for key, value in place.items()
        if type(value) not in (int, float, str) and key != SWITCH
    )
    problems.extend(
        f"{where}: atlas.{game}.{SWITCH}: must be true or false, is {place[SWITCH]!r}"
        for game, place in atlas.items()
        if type(place.get(SWITCH, True)) is not bool
    )
    return {
        game: {key: value for key, value in place.items() if isinstance(value, int | float | str)}
        for game, place in atlas.items()
    }
