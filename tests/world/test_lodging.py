"""Care, beds, homes and lessons: what is paid for is had, and nothing is paid for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import plain_content, plain_world
from tests.world.test_corpses import packed
from world import dialogs, holding, lessons, life, lodging, residents
from world.content import MobileTemplate, Resident
from world.events import Asked
from world.offers import Lesson, Offers
from world.reach import Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile
    from world.world import World


def served(role: str, offers: Offers, gold: int = 100) -> tuple[World, Mobile, Mobile]:
    """A world, somebody of that role, and a customer with that much gold."""
    content = plain_content(residents=(Resident("host", 11, 10),))
    assert isinstance(content.mobiles, dict)
    content.mobiles["host"] = MobileTemplate("host", "Anna", roles=(role,), offers=offers)
    world = plain_world(content)
    residents.settle(world)
    (host,) = world.mobiles.values()
    customer = packed(world, "Alric", 10, 10, gold)
    customer.endow()
    customer.level = 1
    world.open_viewport(customer, 1, Sight(18))
    world.take_changes()
    return world, host, customer


def refused(why: Refusal, customer: Mobile, deed: Callable[[], object]) -> None:
    gold = holding.gold(customer)
    with pytest.raises(Cannot) as caught:
        deed()
    assert caught.value.why is why
    assert holding.gold(customer) == gold


def say_yes(world: World, customer: Mobile, button: int = 1, **given: dialogs.Reply | object) -> None:
    (asked,) = [one.dialog for one in world.take_changes().events if isinstance(one, Asked)]
    dialogs.answer(customer, asked.serial, asked.type_id, button, given)  # type: ignore[arg-type]


def test_a_healer_asks_for_gold_of_the_living_only() -> None:
    world, healer, customer = served("healer", Offers(healing=15))
    refused(Refusal.USELESS, customer, lambda: lodging.tend(customer, healer))
    customer.hits = 1
    residents.talk_to(customer, healer)
    say_yes(world, customer)
    assert (customer.hits, holding.gold(customer)) == (customer.hits_max, 85)
    life.kill(customer)
    residents.talk_to(customer, healer)
    say_yes(world, customer)
    assert not customer.dead


def test_a_bed_costs_what_it_costs() -> None:
    world, innkeeper, customer = served("innkeeper", Offers(bed=60))
    customer.hits = 1
    residents.talk_to(customer, innkeeper)
    say_yes(world, customer)
    assert (customer.hits, holding.gold(customer)) == (customer.hits_max, 40)
    customer.hits = 1
    refused(Refusal.POOR, customer, lambda: lodging.rest(customer, innkeeper))
    assert customer.hits == 1
    refused(Refusal.USELESS, customer, lambda: lodging.settle(customer, innkeeper))


def test_home_is_where_one_has_settled() -> None:
    world, innkeeper, customer = served("innkeeper", Offers(home=True))
    refused(Refusal.NO_WAY, customer, lambda: lodging.go_home(customer))
    residents.talk_to(customer, innkeeper)
    say_yes(world, customer, 2)
    assert (customer.home_realm, customer.home_x, customer.home_y) == ("plain", 10, 10)
    world.warp(customer, world.realms["plain"], 50, 50)
    customer.fighting_until = world.now + 5
    refused(Refusal.BUSY, customer, lambda: lodging.go_home(customer))
    customer.fighting_until = 0
    lodging.go_home(customer)
    assert max(abs(customer.x - 10), abs(customer.y - 10)) <= 1
    refused(Refusal.SOON, customer, lambda: lodging.go_home(customer))
    life.kill(customer)
    refused(Refusal.DEAD, customer, lambda: lodging.go_home(customer))


def test_a_lesson_raises_a_skill_up_to_what_its_trainer_knows() -> None:
    world, trainer, customer = served("trainer", Offers(lessons=(Lesson("swords", 200, 4),)))
    assert customer.learner is not None
    customer.learner.learn("swords", 55)
    lessons.offer(customer, trainer)
    say_yes(world, customer, which=(1,), points=10)
    assert (customer.learner.skills["swords"].value, holding.gold(customer)) == (155, 60)
    refused(Refusal.AMOUNT, customer, lambda: lessons.learn(customer, trainer, "swords", 5))
    refused(Refusal.AMOUNT, customer, lambda: lessons.learn(customer, trainer, "swords", 0))
    refused(Refusal.USELESS, customer, lambda: lessons.learn(customer, trainer, "magery", 1))
    lessons.learn(customer, trainer, "swords", 4)
    refused(Refusal.USELESS, customer, lambda: lessons.offer(customer, trainer))
    expert = attrs.evolve(trainer.template, offers=Offers(lessons=(Lesson("swords", 1000, 30),)))
    trainer.template = expert
    assert lessons.left_of(customer, expert.offers.lessons[0]) == 16  # the cap of level 1 is 36.1
    refused(Refusal.POOR, customer, lambda: lessons.learn(customer, trainer, "swords", 2))
