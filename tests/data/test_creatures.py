"""Arms, creatures, regions and spawners: read, checked, and where they are in the shipped realms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eo.looks import compile_looks
from server.content.loading import ContentError, load
from tests.kit.datadir import add, area, draw_areas, edit, look_alike, reached, standable
from world.content import Creature, Loot, Spawner, Temper, Weapon
from world.rules.combat import Manner

if TYPE_CHECKING:
    from pathlib import Path

    from world.content import Chart, Content


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
    own = [key for key in npcs if not content.mobiles[key].drawn_as]
    assert npcs["beast"].id == len(own)
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
