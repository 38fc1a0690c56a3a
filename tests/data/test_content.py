"""The shipped data is sound, its realm can be walked, and broken data is reported whole."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eo.looks import compile_looks
from server.content.loading import ContentError, load
from world.content import Creature, Loot, Spawner, Temper, Weapon
from world.item import Layer
from world.rules.combat import Manner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.content import Chart, Content

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def content() -> Content:
    return load(DATA)


@pytest.fixture(scope="module")
def confluence(content: Content) -> Chart:
    return content.charts["confluence"]


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
                target = (warp.x, warp.y) if warp else cell
                found.add(target)
                edge.append(target)
    return found


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


def test_the_undercroft_is_entered_from_the_graveyard_and_all_of_it_is_reached(content: Content) -> None:
    confluence, undercroft = content.charts["confluence"], content.charts["undercroft"]
    ((x, y), down), *_ = [
        (cell, warp) for cell, warp in confluence.warps.items() if warp.realm == "undercroft"
    ]
    place = confluence.region(x, y)
    assert place is not None
    assert (place.name, place.fights) == ("graveyard", True)
    assert (down.x, down.y) in undercroft.spawns
    walked = reached(attrs.evolve(undercroft, warps={}))
    assert standable(undercroft) - walked == set()
    ((out, up),) = undercroft.warps.items()
    assert (out in walked, up.realm) == (True, "confluence")
    assert (up.x, up.y) in reached(confluence)


def test_the_undercroft_has_three_rooms_and_a_boss(content: Content) -> None:
    undercroft = content.charts["undercroft"]
    bosses = [
        kind
        for spawner in undercroft.spawners
        for kind, _ in spawner.kinds
        if (fights := content.mobiles[kind].fights) is not None and fights.boss
    ]
    assert bosses == ["hollow_king"]
    for game in ("uo", "eo", "eq2", "l2", "co"):
        assert undercroft.atlas[game].keys() == content.charts["confluence"].atlas[game].keys()
    for game, key in (("uo", "map"), ("eq2", "zone"), ("co", "map")):
        assert undercroft.atlas[game][key] == content.charts["confluence"].atlas[game][key]


SQUARE = (46, 49, 65, 66)
"""The cobbled square: left, top, right and bottom."""


def test_no_spawner_reaches_the_square_and_the_town_is_guarded(content: Content, confluence: Chart) -> None:
    left, top, right, bottom = SQUARE
    assert len(confluence.spawners) > 5
    for spawner in confluence.spawners:
        leash = max(
            kind.leash for key, _ in spawner.kinds if (kind := content.mobiles[key].fights) is not None
        )
        beyond = leash + 1
        across = spawner.x - beyond > right or spawner.x + spawner.width - 1 + beyond < left
        down = spawner.y - beyond > bottom or spawner.y + spawner.height - 1 + beyond < top
        assert across or down, spawner
    for cell in ((left, top), (right, bottom), *confluence.spawns):
        town = confluence.region(*cell)
        assert town is not None
        assert (town.guarded, town.fights) == (True, False)
    guards = [one for one in confluence.residents if one.template == "guard"]
    for x, y in ((left, top), (right, top), (left, bottom), (right, bottom)):
        assert any(max(abs(one.x - x), abs(one.y - y)) <= 22 for one in guards)


def test_spawners_lie_where_one_can_walk_to(content: Content) -> None:
    for chart in (content.charts["confluence"], content.charts["undercroft"]):
        walked = reached(chart)
        for spawner in chart.spawners:
            cells = {
                (x, y)
                for x in range(spawner.x, spawner.x + spawner.width)
                for y in range(spawner.y, spawner.y + spawner.height)
            }
            free = cells & standable(chart)
            assert len(free) >= 2 * spawner.count
            assert free <= walked
        assert len(chart.residents) + sum(spawner.count for spawner in chart.spawners) <= 252


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    shutil.copytree(DATA, tmp_path / "data")
    return tmp_path / "data"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


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


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def look_alike(broken: Path, table: str, like: str, *keys: str) -> None:
    """Gives new kinds the look of an old one."""
    text = (broken / "looks" / table).read_text(encoding="utf-8")
    rows = text.split(f"[{like}]\n")[1].split("\n[")[0]
    add(broken / "looks" / table, "".join(f"\n[{key}]\n{rows}\n" for key in keys))


ARMS = """
[targe]
name = "targe"
layer = "two_handed"
armour = 2
shield = true

[shaft]
name = "arrow"
stackable = true

[longbow]
name = "bow"
layer = "two_handed"

[longbow.weapon]
skill = "bows"
least = 4
most = 9
ms = 3000
manner = "shoot"
reach = 10
nearest = 2
ammunition = "shaft"
"""


def test_weapons_armour_and_shields_are_read(broken: Path) -> None:
    add(broken / "items.toml", ARMS)
    look_alike(broken, "items.toml", "dagger", "longbow", "shaft", "targe")
    items = load(broken).items
    assert items["longbow"].weapon == Weapon("bows", 4, 9, 3000, Manner.SHOOT, 10, 2, "shaft")
    assert (items["targe"].armour, items["targe"].shield) == (2, True)
    assert (items["shaft"].armour, items["shaft"].shield, items["shaft"].weapon) == (0, False, None)


def test_mistakes_of_arms_are_reported(broken: Path) -> None:
    wrong = ARMS
    for right, other in (('"bows"', '"bow"'), ("least = 4", "least = 12"), ("ms = 3000", "ms = 3")):
        wrong = wrong.replace(right, other)
    wrong = wrong.replace('"shoot"', '"shot"').replace("nearest = 2", "nearest = 11")
    add(broken / "items.toml", wrong.replace('"two_handed"\narmour = 2', '"cloak"\narmour = 201'))
    look_alike(broken, "items.toml", "dagger", "longbow", "shaft", "targe")
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert caught.value.problems == [
        "items.toml: targe: armour: must be 0 to 200, is 201",
        "items.toml: targe: shield: must be worn on the layer 'two_handed'",
        "items.toml: longbow: weapon: ms: must be 500 to 10000, is 3",
        "items.toml: longbow: weapon: skill: no 'bow', did you mean 'bows'?",
        "items.toml: longbow: weapon: manner: no 'shot', did you mean 'shoot'?",
        "items.toml: longbow: weapon: least: must be 9, which is most, or less, is 12",
        "items.toml: longbow: weapon: nearest: must be 10, which is reach, or less, is 11",
    ]


def test_a_weapon_shoots_something_that_there_is(broken: Path) -> None:
    add(broken / "items.toml", ARMS.replace('"shaft"', '"shoft"'))
    look_alike(broken, "items.toml", "dagger", "longbow", "shaft", "targe")
    with pytest.raises(ContentError, match="longbow: weapon: ammunition: no 'shoft', did you mean 'shaft'"):
        load(broken)


BEAST = """
[beast]
name = "a beast"
kind = "creature"
fights = { level = 10, temper = "hunts", kin = "beasts", sight = 9, venom = 2 }
loot = [{ item = "gold", least = 2, most = 9 }, { item = "bread", chance = 0.5 }]
"""


def test_a_creature_has_what_its_level_says_unless_its_row_does(broken: Path) -> None:
    add(broken / "mobiles.toml", BEAST)
    look_alike(broken, "mobiles.toml", "rat", "beast")
    plain = load(broken).mobiles["beast"].fights
    assert plain == Creature(
        level=10,
        hits=40,
        armour=7,
        skill=33.0,
        least=10,
        most=16,
        sight=9,
        temper=Temper.HUNTS,
        kin="beasts",
        venom=2,
        loot=(Loot("gold", 2, 9), Loot("bread", chance=0.5)),
    )
    edit(broken / "mobiles.toml", "venom = 2 }", "boss = true, armour = 3, skill = 50.0 }\nhits = 77")
    named = load(broken).mobiles["beast"]
    assert named.fights is not None
    assert (named.hits, named.fights.hits, named.fights.armour, named.fights.skill) == (77, 77, 3, 50.0)
    assert (named.fights.least, named.fights.most, named.fights.boss) == (20, 32, True)


def test_a_creature_without_a_look_in_a_game_has_that_of_its_size_and_temper(broken: Path) -> None:
    add(broken / "mobiles.toml", BEAST.replace('kind = "creature"', 'kind = "creature"\nsize = "large"'))
    add(broken / "looks" / "mobiles.toml", '\n[beast]\nuo = { body = 0x9, source = "servuo" }\n')
    content = load(broken)
    look, ogre = content.mobiles["beast"].look, content.mobiles["ogre"].look
    assert look["uo"] == {"body": 9}
    assert {game: look[game] for game in ("co", "eq2", "l2", "web")} == {
        game: ogre[game] for game in ("co", "eq2", "l2", "web")
    }
    npcs = compile_looks(content).npcs
    assert npcs["beast"].id == len(npcs)
    assert npcs["beast"].graphic == npcs["ogre"].graphic
    edit(
        broken / "mobiles.toml",
        'size = "large"\nfights = { level = 10',
        'size = "huge"\nfights = { level = 10',
    )
    with pytest.raises(ContentError, match="beast: size: no 'huge'"):
        load(broken)


def test_the_kinds_of_creatures_reach_from_a_rat_to_a_boss(content: Content) -> None:
    kinds = {key: template for key, template in content.mobiles.items() if template.fights is not None}
    assert len(kinds) >= 24
    levels = {template.fights.level for template in kinds.values() if template.fights is not None}
    assert min(levels) == 1
    bosses = [key for key, template in kinds.items() if template.fights is not None and template.fights.boss]
    assert bosses == ["hollow_king"]
    lootless = [key for key, it in kinds.items() if it.fights is not None and not it.fights.loot]
    assert lootless == ["sheep", "rat"]


def test_mistakes_of_creatures_are_reported(broken: Path) -> None:
    wrong = (
        BEAST.replace("level = 10", "level = 61").replace('"hunts"', '"hunt"').replace('"bread"', '"bred"')
    )
    wrong = wrong.replace("least = 2", "least = 10").replace("chance = 0.5", "chance = 1.5")
    add(broken / "mobiles.toml", wrong.replace("venom = 2", "least = 200"))
    look_alike(broken, "mobiles.toml", "rat", "beast")
    edit(broken / "mobiles.toml", "[crier]", "[crier]\nfights = { level = 1 }")
    edit(broken / "mobiles.toml", "[farmer]", '[farmer]\nloot = [{ item = "gold" }]')
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert caught.value.problems == [
        "mobiles.toml: crier: fights: only of kind 'creature'",
        "mobiles.toml: farmer: loot: only who fights leaves any",
        "mobiles.toml: beast: loot: no 'bred', did you mean 'bread'?",
        "mobiles.toml: beast: fights: level: must be 1 to 60, is 61",
        "mobiles.toml: beast: fights: temper: no 'hunt', did you mean 'hunts'?",
        "mobiles.toml: beast: fights: least: must be 91, which is most, or less, is 200",
        "mobiles.toml: beast: loot: gold: least and most: must be 1 or more, is 10 to 9",
        "mobiles.toml: beast: loot: bred: chance: must be above 0 and at most 1, is 1.5",
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


def test_regions_and_spawners_are_read(broken: Path) -> None:
    add(broken / "mobiles.toml", BEAST)
    look_alike(broken, "mobiles.toml", "rat", "beast")
    regions = [
        area("region", (40, 40, 30, 20), "the town", guarded=True),
        area("region", (0, 0, 9, 9), "a wood", fights=True),
    ]
    spawner = area("spawner", (1, 1, 20, 9), kinds="beast 3", count=5, least_seconds=10.0, most_seconds=20.0)
    draw_areas(broken, regions=regions, spawners=[spawner])
    edit(broken / "realms" / "confluence.toml", "[atlas]", "fights = false\n[atlas]")
    chart = load(broken).charts["confluence"]
    assert chart.spawners == (Spawner(1, 1, 20, 9, (("beast", 3),), 5, 10.0, 20.0),)
    assert [chart.allows_fights(x, 8) for x in (8, 9)] == [True, False]
    town = chart.region(69, 59)
    assert town is not None
    assert (town.name, town.guarded, town.fights, chart.region(70, 59)) == ("the town", True, False, None)


def test_mistakes_of_areas_are_reported(broken: Path) -> None:
    regions = [
        area("regoin", (1, 1, 2, 2), "a"),
        area("region", (110, 1, 11, 2), "b"),
        area("region", (1, 1, 2, 2), "", fight=True),
        {**area("region", (1, 1, 0, 0), "d"), "point": True},
    ]
    spawners = [
        area("spawner", (1, 1, 9, 9), kinds="rat, healer 2, beest", count=0),
        area("spawner", (1, 1, 9, 9), kinds="rat x", count=1, least_seconds=9.0, most_seconds=8.0),
        area("spawner", (90, 97, 2, 2), kinds="rat", count=1),
    ]
    draw_areas(broken, regions=regions, spawners=spawners)
    with pytest.raises(ContentError) as caught:
        load(broken)
    begins = "realms/confluence.tmj: "
    assert [problem.removeprefix(begins) for problem in caught.value.problems] == [
        "regions: object 1: no class 'regoin', here all are 'region'",
        "regions: object 2: 11 x 2 tiles at 110, 1 do not lie on a map of 120 x 120",
        "regions: object 3: unknown key 'fight', did you mean 'fights'?",
        "regions: object 4: must be a rectangle",
        "spawners: object 1: kinds: 'healer' does not fight (mobiles.toml)",
        "spawners: object 1: kinds: no 'beest'",
        "spawners: object 1: count: must be 1 to 1000, is 0",
        "spawners: object 2: kinds: weight of 'rat': must be 1 or more, is 'x'",
        "spawners: object 2: least_seconds and most_seconds: must be 1 or more, is 9 to 8",
        "spawners: object 3: nobody can stand anywhere in it",
    ]


def test_a_damaged_file_is_a_problem_and_not_a_crash(broken: Path) -> None:
    (broken / "mobiles.toml").write_text("[player\n", encoding="utf-8")
    (broken / "realms" / "confluence.tmj").write_text("{}", encoding="utf-8")
    (broken / "looks" / "people.toml").unlink()
    with pytest.raises(ContentError) as caught:
        load(broken)
    starts = {problem.split(": ")[0] for problem in caught.value.problems}
    assert {"mobiles.toml", "realms/confluence.tmj", "looks/people.toml"} <= starts
