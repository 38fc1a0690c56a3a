"""data/ is edited while people of all six games stand there: what was written is seen at once, and what is
wrong changes nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.kit.datadir import edit
from tests.kit.editor import MAP, Editor, begin_editing
from tests.kit.square import CAST, FIRST, Square

if TYPE_CHECKING:
    from pathlib import Path

    import trio
    from trio.testing import MockClock


@pytest.fixture
async def editor(nursery: trio.Nursery, autojump_clock: MockClock, tmp_path: Path) -> Editor:
    """One client of each game, on open ground, of a server whose data/ may be spoilt."""
    return await begin_editing(nursery, tmp_path)


async def test_a_being_is_added_changed_moved_and_removed_before_everybodys_eyes(
    editor: Editor, autojump_clock: MockClock
) -> None:
    square, here = editor.square, editor.square["Anna"].place
    before = {mobile.serial: mobile for mobile in editor.world.mobiles.values()}
    spot = free_tile(square, here)
    edit(
        editor.data / "mobiles.toml",
        "[innkeeper]",
        '[miller]\nname = "Otto"\ntitle = "the miller"\nsays = "Flour?"\n\n[innkeeper]',
    )
    give_looks(editor.data / "looks" / "mobiles.toml")
    editor.places("miller", *spot)
    said = await editor.reloads()
    assert said[:2] == ["True", "the content was read again"], said
    miller = editor.being("miller")
    assert miller is not None
    assert all(editor.world.mobiles[serial] is mobile for serial, mobile in before.items())
    editor.all_see(miller)

    edit(editor.data / "mobiles.toml", 'says = "Flour?"', 'says = "Bran?"')
    assert (await editor.reloads())[0] == "True"
    assert editor.being("miller") is miller
    assert miller.template.says == "Bran?"

    other = next(tile for tile in free_tiles(square, here) if tile != spot)
    editor.places("miller", *other)
    assert (await editor.reloads())[0] == "True"
    moved = editor.being("miller")
    assert moved is miller
    assert (moved.x, moved.y) == other
    editor.all_see(moved)

    edit(editor.data / MAP, '"value": "miller"', '"value": "milller"')
    said = await editor.reloads()
    assert said[:2] == ["False", "nothing was changed:"]
    assert said[2:] == [f"{MAP}: places: object 900: template: no 'milller', did you mean 'miller'?"]
    assert editor.being("miller") is moved
    edit(editor.data / MAP, '"value": "milller"', '"value": "miller"')

    editor.change_map(4, drop_miller)
    assert (await editor.reloads())[0] == "True"
    assert editor.being("miller") is None
    for guest in square:
        assert not editor.draws(guest, moved), f"{guest} still sees {moved.name}"
    square.is_well()


def drop_miller(layer: dict[str, list[dict[str, object]]]) -> None:
    layer["objects"] = [one for one in layer["objects"] if one["name"] != "miller"]


def give_looks(path: Path) -> None:
    """The miller looks as the innkeeper does. Endless Online has a record of its own for each kind."""
    table = path.read_text(encoding="utf-8")
    rows = table[table.index("[innkeeper]") :].split("\n[")[0].replace("[innkeeper]", "[miller]")
    free = 1 + max(int(number) for number in re.findall(r"eo = \{ id = (\d+)", table))
    rows = re.sub(r"eo = \{ id = \d+", f"eo = {{ id = {free}", rows)
    path.write_text(f"{table}\n{rows}\n", encoding="utf-8")


def free_tiles(square: Square, around: tuple[int, int]) -> list[tuple[int, int]]:
    taken = {guest.place for guest in square}
    return [tile for tile in square.realm.free_near(*around, 5) if tile not in taken]


def free_tile(square: Square, around: tuple[int, int]) -> tuple[int, int]:
    return free_tiles(square, around)[0]


async def test_a_wall_is_built_where_somebody_stands(editor: Editor, autojump_clock: MockClock) -> None:
    square = editor.square
    x, y = next(guest.place for guest in square if guest.place not in square.realm.chart.spawns)
    kinds = json.loads((editor.data / "realms" / "kinds.tsj").read_text(encoding="utf-8"))["tiles"]
    tree = next(one["id"] for one in kinds if (one.get("type") or one.get("class")) == "tree")
    width = square.realm.chart.width

    def change(layer: dict[str, list[int]]) -> None:
        layer["data"][y * width + x] = tree + 1

    names = [layer["name"] for layer in json.loads((editor.data / MAP).read_text())["layers"]]
    editor.change_map(names.index("objects"), change)
    said = await editor.reloads()
    assert said[0] == "True", said
    assert not square.realm.walkable(x, y)
    for guest in square:
        assert square.realm.walkable(*guest.place)
        square.all_see(guest.name)
    square.is_well()


def test_there_is_one_of_each_game() -> None:
    assert len({CAST[name].game for name in FIRST}) == 6
