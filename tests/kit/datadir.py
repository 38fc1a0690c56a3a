"""Data for tests of data/: the tiles of a chart that are reached, and changes to a copy of the files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from world.content import Chart


def neighbours(x: int, y: int) -> Iterator[tuple[int, int]]:
    # EO has four directions; what they reach, everybody reaches.
    return ((x + dx, y + dy) for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)))


def standable(chart: Chart) -> set[tuple[int, int]]:
    return {(i % chart.width, i // chart.width) for i, blocked in enumerate(chart.blocked) if not blocked}


def reached(chart: Chart) -> set[tuple[int, int]]:
    free = standable(chart)
    found = {chart.spawns[0]}
    edge = list(found)
    while edge:
        for cell in neighbours(*edge.pop()):
            if cell in free and cell not in found:
                found.add(cell)
                warp = chart.warps.get(cell)
                target = (warp.x, warp.y) if warp and warp.realm == chart.name else cell
                found.add(target)
                edge.append(target)
    return found


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def look_alike(broken: Path, table: str, like: str, *keys: str) -> None:
    """Gives new kinds the look of an old one."""
    text = (broken / "looks" / table).read_text(encoding="utf-8")
    rows = text.split(f"[{like}]\n")[1].split("\n[")[0]
    add(broken / "looks" / table, "".join(f"\n[{key}]\n{rows}\n" for key in keys))


def area(
    kind: str, box: tuple[int, int, int, int], name: str = "", **properties: object
) -> dict[str, object]:
    """A rectangle of whole tiles, as Tiled saves it."""
    x, y, width, height = (32 * number for number in box)
    types = {str: "string", int: "int", bool: "bool", float: "float"}
    rows = [{"name": key, "type": types[type(value)], "value": value} for key, value in properties.items()]
    size = {"x": x, "y": y, "width": width, "height": height, "rotation": 0, "visible": True}
    return {"id": 1, "name": name, "type": kind, **size, "properties": rows}


def draw_areas(broken: Path, **layers: list[dict[str, object]]) -> None:
    path = broken / "realms" / "confluence.tmj"
    drawn = json.loads(path.read_text(encoding="utf-8"))
    drawn["layers"] = [layer for layer in drawn["layers"] if layer["name"] not in layers]
    for name, things in layers.items():
        layer = {"id": 90, "name": name, "type": "objectgroup", "x": 0, "y": 0, "opacity": 1, "visible": True}
        numbered = [{**thing, "id": number} for number, thing in enumerate(things, 1)]
        drawn["layers"].append({**layer, "draworder": "topdown", "objects": numbered})
    path.write_text(json.dumps(drawn), encoding="utf-8")
