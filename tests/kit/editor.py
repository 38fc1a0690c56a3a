"""Somebody who edits data/ while people of all six games stand there."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Final

import trio

from server.content.families import DATA
from server.content.loading import load
from tests.kit.co_player import CoPlayer
from tests.kit.players import EoPlayer
from tests.kit.square import FIRST, Guest, Square, gather
from tests.kit.town import Town

if TYPE_CHECKING:
    from pathlib import Path

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


async def begin_editing(nursery: trio.Nursery, folder: Path) -> Editor:
    """One client of each game, on open ground, of a server whose data/ lies in that folder and may be
    spoilt. Nobody is asked anything at the door."""
    data = folder / "data"
    shutil.copytree(DATA, data, ignore=shutil.ignore_patterns("*.py", "*.png", "__pycache__"))
    start = (data / "start.toml").read_text(encoding="utf-8")
    (data / "start.toml").write_text(start.replace("\nwelcome", "\n# welcome"), encoding="utf-8")
    for path in (data / "realms").glob("*.tmj"):
        drawn = json.loads(path.read_text(encoding="utf-8"))
        drawn["layers"] = [layer for layer in drawn["layers"] if layer["name"] != "spawners"]
        path.write_text(json.dumps(drawn), encoding="utf-8")
    town = Town(nursery, content=load(data), data_dir=data)
    await town.open()
    return Editor(data, await gather(town, *FIRST))
