"""The shipped data is sound, its realm can be walked, and broken data is reported whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from server.content.loading import ContentError, load
from tests.kit.datadir import edit, neighbours, reached, standable
from world.content import Spawner
from world.errands import Kind
from world.item import Layer

if TYPE_CHECKING:
    from world.content import Chart, Content


def test_the_shipped_data_has_no_problems(content: Content) -> None:
    assert content.start_realm == "confluence"
    assert {"player", "healer", "banker", "crier"} <= content.mobiles.keys()
    assert content.items["backpack"].container
    assert content.items["robe"].layer == Layer.OUTER_TORSO
    assert content.mobiles["healer"].worn[0] == ("robe", 1719)


def test_looks_carry_no_sources_and_the_doubtful_rows_are_listed(content: Content) -> None:
    looks = [kind.look for kind in content.tiles.values()]
    looks += [template.look for template in content.items.values()]
    looks += [template.look for template in content.mobiles.values()]
    assert not any("source" in row or "unverified" in row for look in looks for row in look.values())
    assert "looks/tiles.toml: table.eo" in content.unverified
    assert "looks/tiles.toml: grass.eo" not in content.unverified


def test_every_tile_on_which_one_can_stand_is_reached(confluence: Chart) -> None:
    assert standable(confluence) - reached(confluence) == set()


def test_residents_spawns_and_doors_are_reached(confluence: Chart) -> None:
    walked = reached(confluence)
    assert {(resident.x, resident.y) for resident in confluence.residents} <= walked
    assert set(confluence.spawns) <= walked
    assert confluence.doors <= walked


def test_one_can_get_next_to_every_seat_sign_and_vault(confluence: Chart) -> None:
    walked = reached(confluence)
    vaults = {(piece.x, piece.y) for piece in confluence.scenery if piece.kind.key == "vault"}
    places = vaults | confluence.seats.keys() | {(sign.x, sign.y) for sign in confluence.signs}
    assert len(vaults) > 0
    assert [cell for cell in places if not walked & set(neighbours(*cell))] == []


def test_the_river_runs_unbroken_under_a_bridge_that_one_can_cross(confluence: Chart) -> None:
    kinds = {(i % confluence.width, i // confluence.width): kind for i, kind in enumerate(confluence.ground)}
    bridge = {cell for cell, kind in kinds.items() if kind.key == "bridge_x"}
    wet = {cell for cell, kind in kinds.items() if kind.water and kind.key != "basin"} | bridge
    source = next(cell for cell in sorted(wet) if cell[1] == 0)
    found, edge = {source}, [source]
    while edge:
        for cell in neighbours(*edge.pop()):
            if cell in wet and cell not in found:
                found.add(cell)
                edge.append(cell)
    assert found == wet
    walked = reached(confluence)
    assert bridge <= walked
    for row in {y for _, y in bridge}:
        columns = [x for x, y in bridge if y == row]
        assert {(min(columns) - 1, row), (max(columns) + 1, row)} <= walked


def test_a_blocked_tile_shows_why(confluence: Chart) -> None:
    stops = {(piece.x, piece.y) for piece in confluence.scenery if not piece.kind.walkable}
    for index, blocked in enumerate(confluence.blocked):
        cell = index % confluence.width, index // confluence.width
        assert bool(blocked) == (cell in stops or not confluence.ground[index].walkable)


def test_the_realm_lies_on_green_acres(confluence: Chart) -> None:
    atlas = confluence.place("uo")
    assert 5376 <= atlas["x"] <= 6142 - confluence.width
    assert 512 <= atlas["y"] <= 1278 - confluence.height


def test_all_mistakes_are_reported_at_once_with_file_and_key(broken: Path) -> None:
    edit(
        broken / "tiles.toml",
        'grass = { name = "grass", layer',
        'grass = { name = "grass", walkabel = false, layer',
    )
    edit(
        broken / "items.toml", 'layer = "outer_torso", weight = 3 }', 'layer = "outer_torsi", weight = "3" }'
    )
    edit(
        broken / "items.toml",
        'sandals = { name = "sandals", layer = "shoes" }',
        'sandals = { name = "sandals", layer = "shoo" }',
    )
    edit(broken / "mobiles.toml", '{ item = "half_apron" }', '{ item = "half_aprom" }, { item = "bread" }')
    edit(broken / "mobiles.toml", "notoriety = 7", "notoriety = 8")
    edit(broken / "mobiles.toml", 'roles = ["banker"]', 'roles = ["baker"]')
    edit(broken / "mobiles.toml", 'kind = "creature"', 'kind = "creatur"')
    edit(broken / "rules.toml", "parts = 20", "parts = 0")
    edit(broken / "looks" / "items.toml", "[apple]", "[aple]")
    edit(broken / "looks" / "tiles.toml", 'source = "land"', 'source = "lamd"')
    edit(broken / "start.toml", '"confluence"', '"confluense"')
    with pytest.raises(ContentError) as caught:
        load(broken)
    problems = caught.value.problems
    expected = {
        "tiles.toml: grass: unknown key 'walkabel', did you mean 'walkable'?",
        "items.toml: robe: weight: must be a whole number, is '3'",
        "items.toml: sandals: layer: no 'shoo', did you mean 'shoes'?",
        "mobiles.toml: innkeeper: worn: no 'half_aprom', did you mean 'half_apron'?",
        "mobiles.toml: innkeeper: worn: 'bread' cannot be worn",
        "mobiles.toml: healer: notoriety: must be 1 to 7, is 8",
        "mobiles.toml: banker: roles: no 'baker', did you mean 'banker'?",
        "mobiles.toml: sheep: kind: no 'creatur', did you mean 'creature'?",
        "rules.toml: regeneration: parts: must be 1 at least, is 0",
        "looks/items.toml: aple: not in items.toml, did you mean 'apple'?",
        "looks/items.toml: apple.uo: is missing",
        "looks/tiles.toml: grass.uo: source: no 'lamd' in [sources], did you mean 'land'?",
        "start.toml: realm: no 'confluense', did you mean 'confluence'?",
    }
    assert expected - set(problems) == set()
    # What could not be read is known all the same: nothing complains that it uses it.
    assert sorted(set(problems) - set(expected)) == [
        "looks/items.toml: apple.co: is missing",
        "looks/items.toml: apple.eo: is missing",
        "looks/items.toml: apple.eq2: is missing",
        "looks/items.toml: apple.l2: is missing",
        "looks/items.toml: apple.web: is missing",
    ]


def test_mistakes_in_the_map_are_reported(broken: Path) -> None:
    path = broken / "realms" / "confluence.tmj"
    drawn = json.loads(path.read_text(encoding="utf-8"))
    layers = {layer["name"]: layer for layer in drawn["layers"]}
    layers["objects"]["data"][5] = 1
    layers["objects"]["data"][7] |= 0x80000000
    layers["walls_south"]["name"] = "walls_soth"
    places = layers["places"]["objects"]
    resident = next(place for place in places if place["name"] == "healer")
    resident["properties"][0]["value"] = "heeler"
    banker = next(place for place in places if place["name"] == "banker")
    banker["properties"].append({"name": "wandr", "type": "int", "value": 1})
    banker["properties"].append({"name": "script", "type": "string", "value": "banker"})
    crier = next(place for place in places if place["name"] == "crier")
    crier["properties"].append({"name": "respawn", "type": "int", "value": 0})
    spawns = [place for place in places if place["type"] == "spawn"]
    spawns[0]["x"], spawns[0]["y"] = 85 * 32, 40 * 32
    spawns[1]["x"] = 500 * 32
    spawns[2]["type"] = "spwan"
    path.write_text(json.dumps(drawn), encoding="utf-8")
    with pytest.raises(ContentError) as caught:
        load(broken)
    text = "\n".join(caught.value.problems)
    for expected in (
        "realms/confluence.tmj: layer objects: 'grass' belongs on a layer of kind ground",
        "is turned",
        "realms/confluence.tmj: no layer 'walls_soth' is known, did you mean 'walls_south'?",
        "template: no 'heeler', did you mean 'healer'?",
        "unknown key 'wandr', did you mean 'wander'?",
        "unknown key 'script'",
        "respawn: must be 1 second at least, is 0",
        "places: spawn at 85, 40: nobody can stand there",
        "is not on the map",
        "no class 'spwan', did you mean 'spawn'?",
    ):
        assert expected in text


def test_a_table_to_which_all_refer_is_mended_first(broken: Path) -> None:
    """A quotation mark in items.toml is one line, and not one for each thing that is named anywhere."""
    edit(broken / "items.toml", 'name = "bread loaf"', 'name = "bread loaf')
    edit(broken / "quests.toml", "[bread_for_edwin]", "[bread_for_edwin")
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert [line.partition(" (")[0] for line in caught.value.problems] == [
        "items.toml: Unclosed inline table",
        "quests.toml: Expected ']' at the end of a table declaration",
    ]


def test_creatures_of_the_realms_table(broken: Path) -> None:
    table = broken / "realms" / "undercroft.toml"
    drawn = load(broken).charts["undercroft"].spawners
    area = '[[spawner]]\nx = 5\ny = 46\nwidth = 4\nheight = 4\nkinds = "rat 3, bat"\ncount = 2\n'
    table.write_text(table.read_text(encoding="utf-8") + area, encoding="utf-8")
    found = load(broken).charts["undercroft"].spawners
    assert found == (*drawn, Spawner(5, 46, 4, 4, (("rat", 3), ("bat", 1)), 2, 30.0, 90.0))
    edit(table, "width = 4", "width = 400")
    edit(table, "rat 3", "ratt 3")
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert [*caught.value.problems] == [
        "realms/undercroft.toml: spawner 1: 400 x 4 tiles at 5, 46 do not lie on a map of 60 x 60"
    ]
    edit(table, "width = 400", "width = 4")
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert [*caught.value.problems] == [
        "realms/undercroft.toml: spawner 1: kinds: no 'ratt', did you mean 'rat'?"
    ]


def written_in(page: str, title: str) -> str:
    """The indented lines of a chapter of docs/content.md."""
    chapter = page.split(f"## {title}\n")[1].split("\n## ")[0]
    return "\n".join(line[4:] for line in chapter.splitlines() if line.startswith("    ") or not line)


def test_the_quest_and_the_creatures_of_the_page_are_right(broken: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "content.md").read_text(encoding="utf-8")
    berta = page.split("```toml\n")[1].split("```")[0]
    (broken / "people" / "berta.toml").write_text(berta, encoding="utf-8")
    for name, title in (("quests", "Quests"), ("realms/confluence", "Creatures")):
        path = broken / f"{name}.toml"
        path.write_text(path.read_text(encoding="utf-8") + written_in(page, title), encoding="utf-8")
    content = load(broken)
    assert {step.kind for step in content.quests["helping_berta"].steps} == set(Kind)
    assert content.charts["confluence"].spawners[-1].kinds == (("rat", 3), ("giant_rat", 1))
    nowhere = berta.partition("[[place]]")[0]
    (broken / "people" / "dora.toml").write_text(nowhere, encoding="utf-8")
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert [*caught.value.problems] == [
        "people/dora.toml: place: stands nowhere: write [[place]] with realm, x and y below it"
    ]


def test_a_damaged_file_is_a_problem_and_not_a_crash(broken: Path) -> None:
    (broken / "rules.toml").write_text("[player\n", encoding="utf-8")
    (broken / "realms" / "confluence.tmj").write_text("{}", encoding="utf-8")
    (broken / "looks" / "people.toml").unlink()
    with pytest.raises(ContentError) as caught:
        load(broken)
    starts = {problem.split(": ")[0] for problem in caught.value.problems}
    assert {"rules.toml", "realms/confluence.tmj", "looks/people.toml"} <= starts


def test_a_jail_is_where_somebody_can_stand(broken: Path) -> None:
    edit(broken / "rules.toml", 'jail_realm = "confluence"', 'jail_realm = "confluense"')
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert caught.value.problems == [
        "rules.toml: conduct: jail_realm: no 'confluense', did you mean 'confluence'?"
    ]
    edit(broken / "rules.toml", 'jail_realm = "confluense"', 'jail_realm = "confluence"')
    edit(broken / "rules.toml", "jail_y = 8", "jail_y = 800")
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert caught.value.problems == ["rules.toml: conduct: nobody can stand on 105 800"]
