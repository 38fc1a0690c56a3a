"""Bandages: time, place and skill that they take, and the dead whom they raise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import ailments, dialogs, healing, holding, life, using
from world.content import ItemTemplate, Remedy, Resident
from world.events import Mended
from world.reach import Cannot, Refusal
from world.residents import settle
from world.rules import healing as rules
from world.rules.numbers import HealingRule
from world.targets import target

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile
    from world.world import World

RULE = HealingRule()
SURE = HealingRule(least_chance=1.0, cure_divisor=0.1, raising_chance=1.0)
BASE = 5
LONGEST = RULE.slowest_seconds + 0.2


def ward(rule: HealingRule = SURE) -> tuple[World, Mobile, Item, Mobile]:
    """A healer with ten bandages, and somebody beside who is not well."""
    content = plain_content(residents=(Resident("sheep", 9, 10),))
    assert isinstance(content.items, dict)
    remedy = Remedy("apply", hits=BASE, dressing=True)
    content.items["bandage"] = ItemTemplate("bandage", "bandage", stackable=True, remedy=remedy)
    world = plain_world(attrs.evolve(content, healing=rule))
    settle(world)
    healer, patient = person(world), person(world, "Berta", 11)
    for one in (healer, patient):
        one.endow()
    pack = holding.make(world, "backpack")
    bandages = holding.make(world, "bandage", amount=10)
    holding.wear(healer, pack)
    holding.put(pack, bandages)
    world.register(pack)
    patient.hits = 20
    return world, healer, bandages, patient


def learn(healer: Mobile, points: int) -> None:
    assert healer.learner is not None
    for skill in ("healing", "anatomy"):
        healer.learner.learn(skill, points * 10)


def refused(healer: Mobile, bandages: Item, patient: Mobile | None) -> Refusal:
    before = bandages.amount
    with pytest.raises(Cannot) as caught:
        using.use(healer, bandages, patient)
    assert bandages.amount == before
    return caught.value.why


def test_the_nimble_and_the_skilled_are_better_at_it() -> None:
    assert [rules.seconds(dexterity, RULE) for dexterity in (0, 20, 1000)] == [8.0, 7.0, 3.0]
    assert [rules.chance(points, RULE) for points in (0, 30, 100)] == [0.5, 0.65, 1.0]
    assert [rules.cure_chance(points, RULE) for points in (0, 40, 100)] == [0.0, 0.5, 1.0]
    assert [rules.hits(5, 30, 0, luck, RULE) for luck in (0.0, 0.5, 1.0)] == [11, 14, 17]
    assert rules.hits(5, 100, 100, 0.5, RULE) == 50
    assert [rules.can_raise(80, anatomy, RULE) for anatomy in (79.9, 80)] == [False, True]
    assert [rules.raise_chance(points, RULE) for points in (80, 100)] == [0.5, 1.0]


def test_a_bandage_takes_its_time_and_helps_another() -> None:
    world, healer, bandages, patient = ward()
    assert using.use(healer, bandages, patient) is using.Deed.TAKEN
    assert bandages.amount == 9
    goes_on(world, rules.seconds(healer.dexterity, SURE) - 0.2)
    before = patient.hits
    world.take_changes()
    goes_on(world, 0.5)
    (mended,) = (event for event in world.events if isinstance(event, Mended))
    assert mended.thing is patient
    assert patient.hits - before >= mended.hits > 0
    assert healer.dressing is None


def test_without_a_name_it_is_for_oneself_or_for_whom_one_aims_at() -> None:
    _, healer, bandages, patient = ward()
    assert refused(healer, bandages, None) is Refusal.USELESS
    target(healer, patient)
    using.use(healer, bandages)
    assert healer.dressing is not None
    assert healer.dressing.patient == patient.serial
    life.kill(healer)
    assert healer.dressing is None


def test_aiming_at_whom_one_cannot_help_is_no_hindrance() -> None:
    world, healer, bandages, patient = ward()
    target(healer, patient)
    world.warp(patient, world.realms["plain"], 16, 10)
    healer.hits -= 10
    using.use(healer, bandages)
    assert healer.dressing is not None
    assert healer.dressing.patient == healer.serial


def test_nothing_is_used_up_by_what_is_refused() -> None:
    world, healer, bandages, patient = ward()
    sheep = next(one for one in world.mobiles.values() if one.template.key == "sheep")
    assert refused(healer, bandages, sheep) is Refusal.USELESS
    patient.hits = patient.hits_max
    assert refused(healer, bandages, patient) is Refusal.USELESS
    patient.hits = 10
    patient.hidden = True
    assert refused(healer, bandages, patient) is Refusal.UNSEEN
    patient.hidden = False
    world.warp(patient, world.realms["plain"], 13, 10)
    assert refused(healer, bandages, patient) is Refusal.FAR
    world.warp(patient, world.realms["plain"], 12, 10)
    using.use(healer, bandages, patient)
    assert refused(healer, bandages, patient) is Refusal.SOON
    healer.dead = True
    assert refused(healer, bandages, patient) is Refusal.DEAD


@pytest.mark.parametrize("who", ["healer", "patient"])
def test_who_goes_away_interrupts_it(who: str) -> None:
    world, healer, bandages, patient = ward()
    using.use(healer, bandages, patient)
    goes_on(world, 1)
    world.warp(healer if who == "healer" else patient, world.realms["plain"], 14, 14)
    goes_on(world, 1)
    world.warp(healer if who == "healer" else patient, world.realms["plain"], 11, 11)
    before = len([event for event in world.events if isinstance(event, Mended)])
    goes_on(world, LONGEST)
    assert len([event for event in world.events if isinstance(event, Mended)]) == before == 0
    assert healer.dressing is None


@pytest.mark.parametrize("who", ["healer", "patient"])
def test_a_death_interrupts_it(who: str) -> None:
    world, healer, bandages, patient = ward()
    using.use(healer, bandages, patient)
    goes_on(world, 1)
    life.kill(healer if who == "healer" else patient)
    goes_on(world, LONGEST)
    assert not any(isinstance(event, Mended) for event in world.events)
    assert (healer.dressing, patient.dialogs) == (None, {})


def test_one_dresses_ones_own_wounds() -> None:
    world, healer, bandages, _ = ward()
    healer.hits = 5
    using.use(healer, bandages, healer)
    goes_on(world, LONGEST)
    assert healer.hits >= 5 + BASE - 1


def test_without_luck_it_does_not_help_and_is_gone_all_the_same() -> None:
    world, healer, bandages, patient = ward(HealingRule(least_chance=-1.0))
    using.use(healer, bandages, patient)
    goes_on(world, LONGEST)
    assert not any(isinstance(event, Mended) for event in world.events)
    assert bandages.amount == 9


def test_poison_is_washed_out_first() -> None:
    world, healer, bandages, patient = ward()
    patient.hits = patient.hits_max = 300
    learn(healer, 50)
    ailments.poison(patient, 1)
    using.use(healer, bandages, patient)
    goes_on(world, LONGEST)
    assert not patient.poisoned
    assert not any(isinstance(event, Mended) for event in world.events)


def test_it_is_learnt_by_doing_and_not_by_scratches() -> None:
    world, healer, bandages, patient = ward()
    assert healer.learner is not None
    learn(healer, 30)
    for hits_missing, grows in ((1, False), (40, True)):
        before = {name: skill.value for name, skill in healer.learner.skills.items()}
        for _ in range(30):
            bandages.amount = 10
            patient.hits = patient.hits_max - hits_missing
            healing.dress(healer, bandages, patient)
            patient.fighting_until = world.now + 100  # so that nothing comes back meanwhile
            goes_on(world, LONGEST)
        after = {name: skill.value for name, skill in healer.learner.skills.items()}
        assert (after["healing"] > before["healing"]) == grows
        assert (after["anatomy"] > before["anatomy"]) == grows


def test_the_dead_are_asked_whether_they_want_to_live() -> None:
    world, healer, bandages, patient = ward()
    life.kill(patient)
    learn(healer, 79)
    assert refused(healer, bandages, patient) is Refusal.USELESS
    learn(healer, 80)
    using.use(healer, bandages, patient)
    goes_on(world, LONGEST)
    (dialog,) = patient.dialogs.values()
    assert (dialog.name, dialog.asker) == (life.RESURRECT, healer)
    assert refused(healer, bandages, patient) is Refusal.USELESS
    dialogs.choose(patient, dialog.serial, dialog.type_id, life.CONTINUE)
    assert not patient.dead
