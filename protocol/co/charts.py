"""Reads a realm whose ground is a map of Conquer Online: `dmap = "..."` in its table.

The map says where one can stand and how high it is there; its table says everything else. No such map comes
with the program: the publisher's belong to whoever has the client, and `causeway export co` writes others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.charts import read_atlas
from protocol.clientfolder import find
from protocol.co.dmap import MOST_BYTES, DMap, MapError, read_dmap, read_scene, with_scenes
from protocol.reading import UnreadableError, read_bytes
from protocol.tables import nearest, read
from world.content import Chart, Warp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.charts import ChartSource
    from protocol.co.dmap import ScenePart
    from world.content import TileKind

REACH: Final = 1
"""A passage begins on the tiles around it, too."""


@attrs.frozen
class _PassageRow:
    realm: str
    x: int
    y: int


@attrs.frozen
class _DMapRow:
    title: str
    dmap: str
    ground: str
    spawns: tuple[tuple[int, int], ...] = ()
    client: str = ""
    scenes: bool = True
    passages: dict[str, _PassageRow] = attrs.field(factory=dict)
    atlas: dict[str, dict[str, object]] = attrs.field(factory=dict)


def read_chart(table: Mapping[str, object], source: ChartSource) -> Chart | None:
    """The realm whose table this is; None if it cannot be read. Mistakes go to the source's `problems`."""
    row = read(_DMapRow, table, source.where, source.problems)
    return None if row is None else _Reader(source).chart(row)


class _Reader:
    """Reads one realm."""

    def __init__(self, source: ChartSource) -> None:
        self.source = source
        self.folder = source.path.parent

    def chart(self, row: _DMapRow) -> Chart | None:
        """The realm of a row; None if its map or its ground cannot be read."""
        source = self.source
        atlas = read_atlas(row.atlas, source.where, source.problems, source.games)
        ground = self._ground(row.ground)
        dmap = self._dmap(row)
        if dmap is None or ground is None:
            return None
        blocked = dmap.blocked()
        for x, y in row.spawns:
            inside = 0 <= x < dmap.width and 0 <= y < dmap.height
            if not inside or blocked[y * dmap.width + x]:
                self._problem(f"spawns: {x}, {y}: nobody can stand there")
        return Chart(
            name=source.path.stem,
            title=row.title,
            width=dmap.width,
            height=dmap.height,
            ground=(ground,) * (dmap.width * dmap.height),
            scenery=(),
            blocked=blocked,
            spawns=row.spawns,
            warps=self._warps(row, dmap, blocked),
            heights=dmap.altitudes if any(dmap.altitudes) else (),
            atlas=atlas,
        )

    def _problem(self, what: str) -> None:
        self.source.problems.append(f"{self.source.where}: {what}")

    def _ground(self, key: str) -> TileKind | None:
        """What the games with a ground of their own are shown all over the realm."""
        kind = self.source.tiles.get(key)
        if kind is None:
            if key not in self.source.unread:
                self._problem(f"ground: no {key!r}{nearest(key, list(self.source.tiles))}")
        elif kind.layer != "ground" or not kind.walkable:
            self._problem(f"ground: {key!r} is not a ground on which one can stand")
            return None
        return kind

    def _dmap(self, row: _DMapRow) -> DMap | None:
        try:
            dmap = read_dmap(read_bytes(self.folder / row.dmap, MOST_BYTES))
        except OSError as error:
            self._problem(f"dmap: {row.dmap}: {error.strerror}")
        except (MapError, UnreadableError) as error:
            self._problem(f"dmap: {row.dmap}: {error}")
        else:
            return self._furnished(dmap, row) if row.scenes else dmap
        return None

    def _furnished(self, dmap: DMap, row: _DMapRow) -> DMap:
        """The map with its houses: what lies on it is in files of its own, below the client's folder."""
        scenes: dict[str, Sequence[ScenePart]] = {}
        for path in {scene.path for scene in dmap.scenes()}:
            try:
                scenes[path] = read_scene(read_bytes(find(self.folder / row.client, path), MOST_BYTES))
            except OSError as error:
                self._problem(f"client: {row.client or '.'}: {path}: {error.strerror}")
            except (MapError, UnreadableError) as error:
                self._problem(f"client: {row.client or '.'}: {path}: {error}")
        return with_scenes(dmap, lambda path: scenes.get(path, ()))

    def _warps(self, row: _DMapRow, dmap: DMap, blocked: bytes) -> dict[tuple[int, int], Warp]:
        """The passages that lead somewhere: the others are just tiles."""
        targets = {number: Warp(to.realm, to.x, to.y) for number, to in row.passages.items()}
        numbers = {str(passage.number) for passage in dmap.passages}
        for number in targets.keys() - numbers:
            self._problem(f"passages: {row.dmap} has no passage {number!r}{nearest(number, list(numbers))}")
        warps: dict[tuple[int, int], Warp] = {}
        for passage in dmap.passages:
            target = targets.get(str(passage.number))
            if target is None:
                continue
            for y in range(max(0, passage.y - REACH), min(dmap.height, passage.y + REACH + 1)):
                for x in range(max(0, passage.x - REACH), min(dmap.width, passage.x + REACH + 1)):
                    if not blocked[y * dmap.width + x]:
                        warps.setdefault((x, y), target)
        return warps
