"""Figures of the world as packets: the skills of Ultima Online and those of the world."""

from __future__ import annotations

import pytest

from protocol.uo.packets.status import SKILL_NAMES, SKILL_NUMBERS
from protocol.uo.sheets import chosen_skills
from tests.kit.worlds import person, plain_world
from world import newcomers
from world.skills import SKILLS


def test_every_number_is_one_skill_of_the_world() -> None:
    assert set(SKILL_NUMBERS) == set(SKILLS) - {"staves"}
    assert len(SKILL_NAMES) == len(SKILL_NUMBERS)


def test_the_form_names_skills_by_number() -> None:
    assert chosen_skills(bytes([25, 50, 17, 30, 46, 20, 40, 0])) == {"magery": 50.0, "healing": 30.0}


@pytest.mark.parametrize(
    ("wishes", "tenths"),
    [
        ({"magery": 50.0, "healing": 30.5}, {"magery": 500, "healing": 305}),
        ({"magery": 200.0, "healing": -5.0, "flying": 30.0}, {"magery": 500}),
        ({"magery": 50, "healing": 50, "music": 50}, {"magery": 500, "healing": 500, "music": 200}),
    ],
)
def test_newcomers_know_so_much_at_most(wishes: dict[str, float], tenths: dict[str, int]) -> None:
    mobile = person(plain_world())
    mobile.endow()
    newcomers.choose_skills(mobile, wishes)
    assert mobile.learner is not None
    assert {name: skill.value for name, skill in mobile.learner.skills.items()} == tenths
