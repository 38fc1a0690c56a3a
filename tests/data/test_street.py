"""The picture of one street in all games (data/realms/street.py) shows what is sent, and nothing by hand."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import pytest

from protocol.co.looks import compile_looks as co_looks
from protocol.eq2.looks import compile_looks as eq2_looks
from protocol.l2.looks import compile_looks as l2_looks
from world.content import Scenery

if TYPE_CHECKING:
    from types import ModuleType

    from world.content import Chart, Content

MAKERS: Final = Path(__file__).parents[2] / "data" / "realms"
AT: Final = (66, 54)
"""On the grass beside a house."""
PANELS: Final = 6


@pytest.fixture
def street(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(MAKERS))
    return importlib.import_module("street")


def test_what_is_put_there_is_in_all_pictures_but_as_each_game_has_it(
    content: Content, street: ModuleType
) -> None:
    corner = street.Street(63, 52, 6, 5)
    chart = content.charts["confluence"]
    pillar = Scenery(content.tiles["stone_post"], *AT)
    built = attrs.evolve(content, charts={"confluence": with_piece(chart, pillar)})
    alone = attrs.evolve(content, charts={"confluence": chart})
    before = street.panels(alone, street=corner)
    after = street.panels(built, street=corner)
    assert len(after) == PANELS
    assert [panel.image.size for panel in after] == [(6 * 16, 5 * 16)] * PANELS
    assert [
        one.image.tobytes() != other.image.tobytes() for one, other in zip(before, after, strict=True)
    ] == [True] * PANELS
    assert [panel.about.split("; ")[-1] for panel in after[3:]] != [
        panel.about.split("; ")[-1] for panel in before[3:]
    ]
    picture = street.sheet(after)
    assert picture.mode == "P"
    assert picture.width > 2 * 6 * 16


def with_piece(chart: Chart, piece: Scenery) -> Chart:
    """The same realm with one more thing that blocks."""
    blocked = bytearray(chart.blocked)
    assert not blocked[piece.y * chart.width + piece.x]
    blocked[piece.y * chart.width + piece.x] = 1
    return attrs.evolve(chart, scenery=[*chart.scenery, piece], blocked=bytes(blocked))


def test_every_look_of_a_landmark_has_a_name_and_a_drawing(content: Content, street: ModuleType) -> None:
    standins = importlib.import_module("standins")
    fences = {look.fence for look in l2_looks(content).props.values() if look.fence}
    npcs = {look.npc for look in l2_looks(content).props.values() if not look.fence}
    models = {
        model
        for look in eq2_looks(content).props.values()
        for model in (look.model, look.long, look.corner)
        if model
    }
    assert fences == standins.FENCES.keys()
    assert npcs == standins.L2_NPCS.keys()
    assert {look.npc for look in co_looks(content).props.values()} == standins.CO_NPCS.keys()
    assert models == standins.EQ2_MODELS.keys()
    tables = (standins.FENCES, standins.L2_NPCS, standins.CO_NPCS, standins.EQ2_MODELS)
    drawings = {drawing for table in tables for _, drawing in table.values()}
    assert drawings == standins.SIGNS.keys() | standins.SPRITES.keys()
