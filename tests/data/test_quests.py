"""Quests and gathering as they are written: the shipped ones can be done, and mistakes are named."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import pytest

from server.content.loading import ContentError, load
from server.content.quests import GATHERING, QUESTS
from tests.kit.datadir import edit
from tests.kit.worlds import goes_on, person
from world import gathering, granting, holding
from world.errands import Kind
from world.paths import Paths
from world.serials import Serials
from world.timers import TimerWheel
from world.world import World

if TYPE_CHECKING:
    from pathlib import Path

    from world.content import Content

NEAR_TOWN: Final = 25
"""Tiles from where newcomers appear to what they can gather from."""


def test_the_shipped_quests_are_of_different_kinds(content: Content) -> None:
    kinds = {step.kind for quest in content.quests.values() for step in quest.steps}
    assert kinds == set(Kind)
    assert [quest.key for quest in content.quests.values() if quest.letter] == ["letter_from_elsewhere"]


def test_there_is_something_to_gather_from_in_the_realms(content: Content) -> None:
    standing = {kind.key for chart in content.charts.values() for kind in chart.ground}
    standing |= {piece.kind.key for chart in content.charts.values() for piece in chart.scenery}
    assert all(not standing.isdisjoint(harvest.tiles) for harvest in content.harvests.values())


@pytest.mark.parametrize("key", ["fishing", "mining", "woodcutting"])
def test_a_newcomer_walks_to_it_and_has_goods_that_somebody_buys(content: Content, key: str) -> None:
    harvest, chart = content.harvests[key], content.charts["confluence"]
    world = World(content, Serials(), chance=random.Random(1))
    spawn = chart.spawns[0]
    pieces = [(i % chart.width, i // chart.width, kind.key) for i, kind in enumerate(chart.ground)]
    pieces += [(piece.x, piece.y, piece.kind.key) for piece in chart.scenery]
    sources = [(x, y) for x, y, kind in pieces if kind in harvest.tiles]
    x, y = min(sources, key=lambda tile: max(abs(tile[0] - spawn[0]), abs(tile[1] - spawn[1])))
    assert max(abs(x - spawn[0]), abs(y - spawn[1])) <= NEAR_TOWN
    near = range(-harvest.reach, harvest.reach + 1)
    goals = [(x + dx, y + dy) for dx in near for dy in near if chart.stands(x + dx, y + dy)]
    search = Paths(TimerWheel(), per_turn=10**6).ask(chart, spawn, goals, (x, y))
    assert search.done
    assert search.reached
    actor = person(world, x=search.path[0][0], y=search.path[0][1], realm="confluence")
    holding.wear(actor, holding.make(world, "backpack", stored=False))
    granting.make(actor, harvest.tool)
    gathering.gather(actor)
    goes_on(world, harvest.seconds + 1)
    assert granting.number_of(actor, harvest.item) == 1
    shops = [one.offers.shop for one in content.mobiles.values() if one.offers.shop is not None]
    assert any(shop.buys.get(harvest.item, 0) for shop in shops)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('giver = "farmer"', 'giver = "farmr"', "bread_for_edwin: giver: no 'farmr', did you mean 'farmer'?"),
        ('giver = "hermit"', 'giver = "player"', "names_of_the_dead: giver: 'player' lives in no realm"),
        ('item = "bread"', 'item = "bred"', "bread_for_edwin: bring: item: no 'bred', did you mean 'bread'?"),
        ("amount = 5", "amount = 0", "bread_for_edwin: bring: item: amount: must be 1 to 60000, is 0"),
        (
            "amount = 5",
            "amount = 5\nseconds = 4.0",
            "bread_for_edwin: bring: seconds: means nothing in a step to bring",
        ),
        ('kind = "go"', 'kind = "goo"', "names_of_the_dead: go: kind: no 'goo', did you mean 'go'?"),
        (
            '"rat", "giant_rat"',
            '"healer"',
            "rats_in_the_field: hunt: kinds: 'healer' is nothing that can be fought",
        ),
        ('to = "worn"', 'to = "wornn"', "names_of_the_dead: tell: to: no step 'wornn', did you mean 'worn'?"),
        ('to = "worn"', 'to = "blank"', "names_of_the_dead: worn: nobody comes to this step"),
        (
            "x = 12",
            "x = 500",
            "names_of_the_dead: go: nobody can stand within 5 tiles of 500, 20 in confluence",
        ),
        ("seconds = 20.0", "seconds = 0.0", "names_of_the_dead: read: seconds: must be 1 to 2592000, is 0"),
        (
            'letter = "letter"',
            'letter = "bread"',
            "letter_from_elsewhere: letter: 'bread' is no letter",
        ),
        (
            'letter = "letter"',
            "",
            "letter_from_elsewhere: a letter needs a step with words",
        ),
        (
            "{name}! Edwin",
            "{nam}! Edwin",
            "bread_for_edwin: text: no 'nam' to be named in braces, did you mean",
        ),
        ("{name}! Edwin", "{name:>9}! Edwin", "bread_for_edwin: text: no 'name:>9' to be named in braces"),
        ("Take five", "Take {five}", "bread_for_edwin: bring: text: no 'five' to be named in braces"),
        (
            "Worn off, by",
            "Worn off,\\u202e by",
            "names_of_the_dead: tell: ways: 1: text: has characters that",
        ),
        (
            'name = "Bread for Edwin"',
            'name = " "',
            "bread_for_edwin: name: must be 1 to 40 characters, is ' '",
        ),
        ("gold = 25", "gold = 1000001", "bread_for_edwin: reward.gold: must be 0 to 1000000, is 1000001"),
    ],
)
def test_mistakes_in_quests_are_named(broken: Path, old: str, new: str, problem: str) -> None:
    edit(broken / QUESTS, old, new)
    with pytest.raises(ContentError) as caught:
        load(broken)
    (found,) = caught.value.problems
    assert found.startswith(f"{QUESTS}: {problem}")


def test_steps_that_never_end_are_a_mistake(broken: Path) -> None:
    edit(broken / QUESTS, 'to = "end"', 'to = "worn"')
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert caught.value.problems == [
        f"{QUESTS}: names_of_the_dead: worn: from this step nobody comes to the end"
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('tool = "pickaxe"', 'tool = "pickax"', "mining: tool: no 'pickax', did you mean 'pickaxe'?"),
        ('tiles = ["rock"]', 'tiles = ["rok"]', "mining: tiles: no 'rok', did you mean 'rock'?"),
        ('skill = "mining"', 'skill = "minig"', "mining: skill: no 'minig', did you mean 'mining'?"),
        ("reach = 3", "reach = 9", "fishing: reach: must be 1 to 4, is 9"),
    ],
)
def test_mistakes_in_gathering_are_named(broken: Path, old: str, new: str, problem: str) -> None:
    edit(broken / GATHERING, old, new)
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert caught.value.problems == [f"{GATHERING}: {problem}"]


def test_the_welcome_is_a_quest(broken: Path) -> None:
    edit(broken / "start.toml", 'welcome = "bread_for_edwin"', 'welcome = "bred_for_edwin"')
    with pytest.raises(ContentError) as caught:
        load(broken)
    assert caught.value.problems == [
        "start.toml: welcome: no 'bred_for_edwin', did you mean 'bread_for_edwin'?"
    ]
