"""The files for EO's client, read back by eolib: they hold exactly the world's realm, and never change by
themselves.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
from eolib import EoReader
from eolib.protocol.map import Emf, MapTileSpec
from eolib.protocol.pub import Ecf, Eif, Enf, Esf, ItemType, NpcType

from protocol import eo
from protocol.eo import files
from protocol.eo.files import build, build_classes, build_items, build_map, build_npcs, build_spells
from protocol.eo.looks import LAYERS, EoLooks, compile_looks
from server.content.loading import load
from world.content import Chart, Content, Resident, Scenery, Sign, Spawner, Warp
from world.reach import TALKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def content() -> Content:
    return load(ROOT / "data")


@pytest.fixture(scope="module")
def looks(content: Content) -> EoLooks:
    return compile_looks(content)


@pytest.fixture(scope="module")
def chart(content: Content) -> Chart:
    return content.charts["confluence"]


def read_map(chart: Chart, looks: EoLooks) -> Emf:
    return Emf.deserialize(EoReader(build_map(chart, looks).data))


def cells(emf: Emf, layer: str) -> dict[tuple[int, int], int]:
    rows = emf.graphic_layers[LAYERS.index(layer)].graphic_rows
    return {(tile.x, row.y): tile.graphic for row in rows for tile in row.tiles}


def graphic(look: Mapping[str, object], layer: str) -> object:
    return look.get(layer, 0)


def test_the_ground_is_the_realms_cell_by_cell(chart: Chart, looks: EoLooks) -> None:
    emf = read_map(chart, looks)
    assert (emf.width, emf.height) == (chart.width - 1, chart.height - 1)
    assert emf.fill_tile == 377
    drawn = cells(emf, "ground")
    for index, kind in enumerate(chart.ground):
        cell = index % chart.width, index // chart.width
        assert drawn.get(cell, emf.fill_tile) == kind.look["eo"]["ground"]
    assert emf.fill_tile not in drawn.values()


@pytest.mark.parametrize("layer", ["object", "overlay", "down_wall", "right_wall", "roof", "top", "overlay2"])
def test_the_scenery_is_the_realms_cell_by_cell(chart: Chart, looks: EoLooks, layer: str) -> None:
    wanted = {
        (piece.x, piece.y): graphic(piece.kind.look["eo"], layer)
        for piece in chart.scenery
        if graphic(piece.kind.look["eo"], layer)
    }
    assert cells(read_map(chart, looks), layer) == wanted


def test_a_client_can_stand_where_the_world_lets_it(chart: Chart, looks: EoLooks) -> None:
    emf = read_map(chart, looks)
    specs = {(tile.x, row.y): tile.tile_spec for row in emf.tile_spec_rows for tile in row.tiles}
    # reoserv and eoweb agree on these: the client walks on every other spec.
    solid = {MapTileSpec(n) for n in (*range(8), 9, 16, 18, *range(20, 29))}
    for index, blocked in enumerate(chart.blocked):
        cell = index % chart.width, index // chart.width
        assert (specs.get(cell) in solid) == bool(blocked)
    chairs = {cell: spec for cell, spec in specs.items() if "Chair" in spec.name}
    assert chairs.keys() == chart.seats.keys()
    assert set(chairs.values()) == {MapTileSpec.ChairAll}, "the client asks from every side"
    assert MapTileSpec.BankVault in specs.values()


def test_a_vault_stands_near_a_banker_and_can_be_gone_up_to(chart: Chart, looks: EoLooks) -> None:
    (banker,) = (resident for resident in chart.residents if resident.template == "banker")
    vaults = [
        (piece.x, piece.y)
        for piece in chart.scenery
        if looks.tiles[piece.kind.key].spec == MapTileSpec.BankVault
    ]
    for x, y in vaults:
        beside = [(x + dx, y + dy) for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        free = [(at, to) for at, to in beside if not chart.blocked[to * chart.width + at]]
        assert free, "eoweb asks from a tile beside it only"
        assert min(max(abs(at - banker.x), abs(to - banker.y)) for at, to in free) <= TALKING


def test_warps_doors_signs_and_name(chart: Chart, looks: EoLooks) -> None:
    emf = read_map(chart, looks)
    warps = {(tile.x, row.y): tile.warp for row in emf.warp_rows for tile in row.tiles}
    assert warps.keys() == chart.warps.keys()
    for cell, warp in chart.warps.items():
        assert (warps[cell].destination_map, warps[cell].door) == (looks.maps[warp.realm], int(warp.door))
        assert (warps[cell].destination_coords.x, warps[cell].destination_coords.y) == (warp.x, warp.y)
    texts = [
        (sign.string_data[: sign.title_length], sign.string_data[sign.title_length :]) for sign in emf.signs
    ]
    assert texts == [(sign.title, sign.text) for sign in chart.signs]
    assert (emf.name, len(emf.npcs)) == ("Confluence", 0)


def test_a_door_without_a_warp_leads_to_itself(chart: Chart, looks: EoLooks) -> None:
    emf = read_map(attrs.evolve(chart, warps={}, doors=frozenset({(55, 63)})), looks)
    (tile,) = (tile for row in emf.warp_rows for tile in row.tiles)
    assert (tile.warp.door, tile.warp.destination_coords.x, tile.warp.destination_coords.y) == (1, 55, 63)


def test_every_item_is_at_its_id(content: Content, looks: EoLooks) -> None:
    pub = build_items(content, looks)
    eif = Eif.deserialize(EoReader(pub.data))
    assert eif.total_items_count == len(eif.items) == pub.count
    assert (eif.items[0].name, eif.items[0].type) == ("Gold Coin", ItemType.Currency)
    assert eif.items[-1].name == "eof"
    for key, template in content.items.items():
        for female in (False, True):
            record = eif.items[looks.item_id(key, female=female) - 1]
            assert record.name == template.name.title()
            # Of a key: what it opens. Of all others: how it looks on somebody.
            assert record.spec1 == (looks.items[key].lock or looks.doll(key, female=female))
            if record.type == ItemType.Armor:
                assert record.spec2 == (0 if female else 1)


def test_every_npc_is_at_its_id(content: Content, looks: EoLooks) -> None:
    pub = build_npcs(content, looks)
    enf = Enf.deserialize(EoReader(pub.data))
    assert enf.total_npcs_count == len(enf.npcs) == pub.count
    banker = enf.npcs[looks.npcs["banker"].id - 1]
    assert (banker.name, banker.graphic_id, banker.type) == ("Osric", 20, NpcType.Bank)
    assert enf.npcs[looks.npcs["sheep"].id - 1].name == "Sheep"
    assert enf.npcs[-1].name == "eof"


def test_spells_and_classes_end_with_the_sentinel() -> None:
    esf = Esf.deserialize(EoReader(build_spells().data))
    ecf = Ecf.deserialize(EoReader(build_classes().data))
    assert [record.name for record in esf.skills] == ["eof"]
    assert [record.name for record in ecf.classes] == ["Adventurer", "eof"]
    assert (esf.total_skills_count, ecf.total_classes_count) == (1, 2)


def test_the_revision_is_in_the_file_and_follows_its_content(
    content: Content, chart: Chart, looks: EoLooks
) -> None:
    first = build_map(chart, looks)
    assert Emf.deserialize(EoReader(first.data)).rid == first.rid
    assert first.size == len(first.data)
    other = build_map(attrs.evolve(chart, title="Elsewhere"), looks)
    assert other.rid != first.rid
    pub = build_items(content, looks)
    assert Eif.deserialize(EoReader(pub.data)).rid == pub.rid
    assert all(1 <= half <= 64000 for half in (*first.rid, *pub.rid))


def test_every_start_makes_the_same_bytes() -> None:
    program = (
        "import hashlib; from pathlib import Path; from server.content.loading import load;"
        "from protocol.eo.files import *; from protocol.eo.looks import compile_looks;"
        f"c = load(Path({str(ROOT / 'data')!r})); k = compile_looks(c);"
        "print(hashlib.sha256(build_map(c.charts['confluence'], k).data + build_items(c, k).data"
        " + build_npcs(c, k).data + build_spells().data + build_classes().data).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_start_makes_each_map_once(
    content: Content, looks: EoLooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def count(chart: Chart, looks: EoLooks, fixed: Mapping[tuple[int, int], MapTileSpec]) -> files.MapFile:
        made.append(chart.name)
        return build_map(chart, looks, fixed)

    monkeypatch.setattr(files, "build_map", count)
    assert not eo.family(content).problems
    assert sorted(made) == sorted(looks.maps)


def test_the_shipped_realm_passes_the_check(content: Content, looks: EoLooks) -> None:
    assert build(content, looks).problems == []


def test_what_a_client_cannot_take_is_found(content: Content, looks: EoLooks, chart: Chart) -> None:
    oak = content.tiles["oak"]
    spoilt = attrs.evolve(
        chart,
        title="A name that is longer than the map has room for",
        residents=[Resident("player", 55, 63)] * 253,
        spawners=(),
        warps={(1, 1): Warp("nowhere", 1, 1)},
        signs=[Sign(1, 1, "long", "x" * 250)],
        scenery=[*chart.scenery, Scenery(oak, 55, 63), Scenery(content.tiles["bush"], 55, 63)],
    )
    charts = {**content.charts, "confluence": spoilt}
    problems = build(attrs.evolve(content, charts=charts), looks).problems
    text = "\n".join(problems)
    assert "longer than 24 letters" in text
    assert "253 residents and creatures, 252 is the most" in text
    assert "'player' has no NPC id" in text
    assert "leads to 'nowhere'" in text
    assert "sign at 1, 1: more than 250 letters" in text
    assert "tile 55, 63: 'oak' and 'bush' both need object" in text


def test_creatures_that_may_come_count_among_the_npcs_of_a_map(
    content: Content, looks: EoLooks, chart: Chart
) -> None:
    room = 252 - len(chart.residents)
    woods = [Spawner(1, 1, 5, 5, (("rat", 1),), room - 10), Spawner(9, 9, 5, 5, (("rat", 1),), 10)]
    full = attrs.evolve(chart, spawners=woods)
    charts = {**content.charts, "confluence": full}
    assert build(attrs.evolve(content, charts=charts), looks).problems == []
    charts["confluence"] = attrs.evolve(full, spawners=[*woods, Spawner(20, 20, 5, 5, (("rat", 1),), 1)])
    (problem,) = build(attrs.evolve(content, charts=charts), looks).problems
    assert "253 residents and creatures, 252 is the most" in problem


def test_a_map_that_does_not_fit_one_packet_is_found(content: Content, looks: EoLooks, chart: Chart) -> None:
    motley = [kind for kind in content.tiles.values() if kind.layer == "ground" and kind.walkable]
    ground = [motley[i % len(motley)] for i in range(len(chart.ground))]
    charts = {**content.charts, "confluence": attrs.evolve(chart, ground=ground)}
    wide = attrs.evolve(content, charts=charts)
    (problem,) = build(wide, looks).problems
    assert "63900 is the most" in problem
