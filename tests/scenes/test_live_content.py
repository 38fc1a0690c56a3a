"""data/ is edited while people of all six games stand there: what was written is seen at once, and what is
wrong changes nothing."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Final

import pytest
import trio

from server.content.families import DATA
from server.content.loading import load
from tests.kit.co_player import CoPlayer
from tests.kit.datadir import edit
from tests.kit.players import EoPlayer
from tests.kit.square import CAST, FIRST, Guest, Square, gather
from tests.kit.town import Town

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

    from world.mobile import Mobile

MAP: Final = "realms/confluence.tmj"


class Editor:
    """Whoever writes data/, beside the square."""

    def __init__(self, data: Path, square: Square) -> None:
        self.data = data
        self.square = square
        self.world = square.town.app.world

    async def reloads(self) -> list[str]:
        """`causeway reload content`; the answer's lines."""
        answer = await self.square.town.app.commands.run("test", "reload content")
        await trio.sleep(2)
        return [str(answer.ok), *answer.lines]

    def change_map(self, layer: int, change: object) -> None:
        """Change one layer of the map, as the editor of maps would."""
        path = self.data / MAP
        drawn = json.loads(path.read_text(encoding="utf-8"))
        change(drawn["layers"][layer])  # type: ignore[operator]
        path.write_text(json.dumps(drawn), encoding="utf-8")

    def places(self, key: str, x: int, y: int) -> None:
        """Put a being of that kind on a tile, in place of those of it there were."""

        def change(layer: dict[str, list[dict[str, object]]]) -> None:
            layer["objects"] = [one for one in layer["objects"] if one["name"] != key]
            kind = {"name": "template", "type": "string", "value": key}
            layer["objects"].append(
                {
                    "id": 900,
                    "name": key,
                    "type": "resident",
                    "point": True,
                    "visible": True,
                    "x": 32 * x,
                    "y": 32 * y,
                    "width": 0,
                    "height": 0,
                    "rotation": 0,
                    "properties": [kind],
                }
            )

        self.change_map(4, change)

    def being(self, key: str) -> Mobile | None:
        """The one of that kind that is in the world."""
        return next((one for one in self.world.mobiles.values() if one.template.key == key), None)

    def all_see(self, mobile: Mobile) -> None:
        """Every client draws it where the world has it."""
        for guest in self.square:
            assert self.draws(guest, mobile), f"{guest} does not see {mobile.name}"

    def draws(self, guest: Guest, mobile: Mobile) -> bool:
        """Whether a client has somebody, who is no character, on the tile on which it was last."""
        player = guest.player
        if isinstance(player, EoPlayer):
            return (mobile.x, mobile.y) in {(one.x, one.y) for one in player.client.npcs.values()}
        if isinstance(player, CoPlayer):
            place = guest.town.content.charts["confluence"].place("co")
            at = mobile.x + place["x"], mobile.y + place["y"]
            return at in {(one.x, one.y) for one in player.client.screen.npcs.values()}
        sight = guest.game.sees(player, mobile)
        return sight is not None and guest.tile(sight) == (mobile.x, mobile.y)


@pytest.fixture
async def editor(nursery: trio.Nursery, autojump_clock: MockClock, tmp_path: Path) -> Editor:
    """One client of each game, on open ground, of a server whose data/ may be spoilt."""
    data = tmp_path / "data"
    shutil.copytree(DATA, data, ignore=shutil.ignore_patterns("*.py", "*.png", "__pycache__"))
    for path in (data / "realms").glob("*.tmj"):
        drawn = json.loads(path.read_text(encoding="utf-8"))
        drawn["layers"] = [layer for layer in drawn["layers"] if layer["name"] != "spawners"]
        path.write_text(json.dumps(drawn), encoding="utf-8")
    town = Town(nursery, content=load(data), data_dir=data)
    await town.open()
    return Editor(data, await gather(town, *FIRST))


async def test_a_being_is_added_changed_moved_and_removed_before_everybodys_eyes(editor: Editor) -> None:
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
    assert moved is not None
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


async def test_a_wall_is_built_where_somebody_stands(editor: Editor) -> None:
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
