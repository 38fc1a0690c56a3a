"""Parts of mobiles: there where they are needed, and heard of when they change."""

from __future__ import annotations

import gc
import weakref

import attrs
import pytest

from tests.kit.worlds import person, plain_world
from world.delta import MobileDelta
from world.mobile import Mobile
from world.parts import Caster, Learner

PARTS = ("fighter", "learner", "caster", "effects", "brain", "merchant", "vault", "journal", "party", "guild")


def test_a_rat_carries_no_part_and_is_as_it_was() -> None:
    rat = person(plain_world(), "a rat")
    assert [getattr(rat, part) for part in PARTS] == [None] * len(PARTS)
    assert (rat.strength, rat.level, rat.mana, rat.mana_max, rat.war) == (10, 0, 50, 50, False)
    rat.war, rat.mana = False, 50
    assert [getattr(rat, part) for part in PARTS] == [None] * len(PARTS)
    rat.level = 3
    assert rat.level == 3
    assert [part for part in PARTS if getattr(rat, part) is not None] == ["learner"]


@pytest.mark.parametrize(
    ("part", "name", "flag"),
    [
        ("fighter", "strength", MobileDelta.STAT),
        ("fighter", "vitality", MobileDelta.STAT),
        ("fighter", "war", MobileDelta.FLAGS),
        ("learner", "experience", MobileDelta.STAT),
        ("caster", "mana", MobileDelta.MANA),
    ],
)
def test_a_part_marks_its_mobile(part: str, name: str, flag: int) -> None:
    world = plain_world()
    mobile = person(world, stored=True)
    mobile.endow()
    world.take_changes()
    world.dirty.clear()
    setattr(getattr(mobile, part), name, 7)
    assert getattr(mobile, name) == 7
    assert world.take_changes().dirty == [(mobile, flag)]
    assert world.dirty == {mobile.serial: mobile}
    setattr(getattr(mobile, part), name, 7)
    assert not world.stirred


def test_what_a_character_has_is_kept_when_it_is_endowed_again() -> None:
    mobile = person(plain_world())
    mobile.strength = 40
    mobile.endow()
    assert mobile.strength == 40
    assert isinstance(mobile.learner, Learner)
    assert isinstance(mobile.caster, Caster)


def test_a_part_does_not_keep_its_mobile() -> None:
    gc.disable()
    try:
        world = plain_world()
        mobile = person(world)
        mobile.endow()
        seen, fighter = weakref.ref(mobile), mobile.fighter
        world.leave(mobile)
        world.take_changes()
        del mobile
        assert seen() is None
        assert fighter is not None
        fighter.strength = 99  # nobody to be told
    finally:
        gc.enable()


def test_there_are_no_kinds_of_mobiles() -> None:
    fields = attrs.fields_dict(Mobile)
    assert all(fields[part].default is None for part in PARTS)
    assert Mobile.__subclasses__() == []
