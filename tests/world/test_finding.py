"""What is meant by a name that somebody types."""

import pytest

from tests.kit.worlds import person, plain_world
from world import finding, holding, residents
from world.content import Resident


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("bread", "bread"),  # the kind
        ("LOAF of bread", "bread"),
        ("loaf", "bread"),
        ("ger", "dagger"),
        ("go", "gold"),
        (" shirt ", "shirt"),
        ("unicorn", None),
        ("", None),
        ("  ", None),
    ],
)
def test_things_by_name(typed: str, found: str | None) -> None:
    world = plain_world()
    things = [holding.make(world, key, stored=False) for key in ("shirt", "bread", "gold", "dagger")]
    item = finding.by_name(typed, things)
    assert (item.template.key if item is not None else None) == found


def test_a_whole_name_comes_before_a_beginning() -> None:
    world = plain_world()
    longer, whole = person(world, "Annabel"), person(world, "Anna")
    assert finding.by_name("anna", [longer, whole]) is whole
    assert finding.by_name("annab", [longer, whole]) is longer


def test_residents_go_by_what_they_are_and_characters_do_not() -> None:
    world = plain_world()
    healer = residents.place(world, world.realms["plain"], Resident("healer", 5, 5))
    alric = person(world)
    assert finding.by_name("healer", [alric, healer]) is healer
    assert finding.by_name("player", [alric, healer]) is None


def test_all_that_are_called_just_so() -> None:
    world = plain_world()
    things = [holding.make(world, key, stored=False) for key in ("bread", "gold", "bread")]
    assert finding.all_called("Bread", things) == [things[0], things[2]]
    assert finding.all_called("gold COIN", things) == [things[1]]
    assert finding.all_called("gold co", things) == []


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("bread 2", ("bread", 2)),
        ("loaf of bread 12", ("loaf of bread", 12)),
        ("loaf of bread", ("loaf of bread", 1)),
        ("12", ("12", 1)),
        ("bread ²", ("bread ²", 1)),
        ("bread -2", ("bread -2", 1)),
    ],
)
def test_a_number_behind_a_name(typed: str, meant: tuple[str, int]) -> None:
    assert finding.name_and_amount(typed) == meant
