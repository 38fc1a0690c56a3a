"""Quests and gathering as they are written: the shipped ones can be done, and mistakes are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.content.loading import ContentError, load
from server.content.quests import GATHERING, QUESTS
from tests.kit.datadir import edit
from world.errands import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from world.content import Content


def test_the_shipped_quests_are_of_different_kinds(content: Content) -> None:
    kinds = {step.kind for quest in content.quests.values() for step in quest.steps}
    assert kinds == set(Kind)
    assert [quest.key for quest in content.quests.values() if quest.letter] == ["letter_from_elsewhere"]


def test_there_is_something_to_gather_from_in_the_realms(content: Content) -> None:
    standing = {kind.key for chart in content.charts.values() for kind in chart.ground}
    standing |= {piece.kind.key for chart in content.charts.values() for piece in chart.scenery}
    assert all(not standing.isdisjoint(harvest.tiles) for harvest in content.harvests.values())


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
        ("seconds = 20.0", "seconds = 0.0", "names_of_the_dead: read: seconds: must be 1 to 2.592e+06, is 0"),
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
        ("{name}! Edwin", "{nam}! Edwin", "bread_for_edwin: text: of names in braces there is only {name}: "),
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
