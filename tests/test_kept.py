"""What is made once of the same objects, and what of data/ is not read twice."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Final

from protocol.kept import Kept, is_same
from protocol.reading import read_toml
from server.content.tiled import read_map

REALMS: Final = Path(__file__).parents[1] / "data" / "realms"


def test_a_thing_is_made_once_of_the_same_objects_and_only_the_last_are_kept() -> None:
    made: list[str] = []
    kept = Kept[str](most=2)

    def thing(name: str) -> str:
        made.append(name)
        return name

    first, second, third = [1], [1], [1]
    assert kept.of(iter([first, "a"]), lambda: thing("first")) == "first"
    assert kept.of([first, "a"], lambda: thing("again")) == "first"
    assert kept.of([second, "a"], lambda: thing("second")) == "second"  # equal, and another
    assert kept.of([first, "b"], lambda: thing("third")) == "third"
    assert kept.of([first, "a"], lambda: thing("fourth")) == "fourth"
    assert made == ["first", "second", "third", "fourth"]
    assert is_same([third, 1000], [third, int("1000")])
    assert not is_same([third], [third, third])


def test_a_table_is_parsed_again_when_its_text_differs_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("a = 1", encoding="utf-8")
    table = read_toml(path)
    os.utime(path, (1, 1))
    assert read_toml(path) is table
    path.write_text("a = 2", encoding="utf-8")
    os.utime(path, (1, 1))  # as long and as old as it was: what counts is what it says
    assert read_toml(path) == {"a": 2}


def test_a_map_is_read_again_when_it_differs_or_a_file_that_it_names(tmp_path: Path) -> None:
    path, tileset = (Path(shutil.copy(REALMS / name, tmp_path)) for name in ("confluence.tmj", "kinds.tsj"))
    drawn = read_map(path)
    assert read_map(path) is drawn
    kinds = json.loads(tileset.read_text(encoding="utf-8"))
    tileset.write_text(json.dumps(kinds | {"name": "others"}), encoding="utf-8")
    anew = read_map(path)
    assert [one.name for one in anew.tilesets.values()] == ["others"]
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert read_map(path) is not anew
