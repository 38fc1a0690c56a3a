"""Fights in a plain world: whom one may attack, when blows come, and what comes of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import fighting, guards, holding, journeys, law, learning, life, motion
from world.content import Creature, MobileTemplate, Region, Weapon
from world.events import (
    Advanced,
    Died,
    Disengaged,
    Engaged,
    Gained,
    Manner,
    Outcome,
    Practised,
    Said,
    Struck,
    Swung,
    Turned,
)
from world.heading import EAST, NORTH, SOUTH
from world.mobile import Mobile, Notoriety, Posture
from world.reach import Cannot, Refusal
from world.rules import creatures
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.events import Event
    from world.world import World


def kind(level: int = 1, **changes: object) -> MobileTemplate:
    """A kind of creature of that level."""
    least, most = creatures.damage(level)
    fights = Creature(
        level, creatures.hits(level), creatures.armour(level), creatures.skill(level), least, most
    )
    return MobileTemplate("wolf", "a wolf", creature=True, fights=attrs.evolve(fights, **changes))  # type: ignore[arg-type]


def wolf(world: World, x: int = 11, y: int = 10, level: int = 1, **changes: object) -> Mobile:
    """A creature that stands there."""
    template = kind(level, **changes)
    assert template.fights is not None
    hits = template.fights.hits
    mobile = Mobile(world.serials.mobile(), world, "a wolf", template=template, hits=hits, hits_max=hits)
    world.enter(mobile, world.realms["plain"], x, y)
    return mobile


def fighter(world: World, name: str = "Alric", x: int = 10, y: int = 10, level: int = 10) -> Mobile:
    """A character with all parts."""
    mobile = person(world, name, x, y)
    mobile.endow()
    mobile.level, mobile.experience = level, 133_100
    learning.measure(mobile)
    mobile.hits, mobile.stam = mobile.hits_max, mobile.stam_max
    return mobile


def arm(mobile: Mobile, weapon: Weapon, key: str = "dagger", layer: int = 1) -> None:
    """Put a weapon of that kind into its hands."""
    item = holding.make(mobile.world, key)
    item.template = attrs.evolve(item.template, weapon=weapon, layer=layer)
    mobile.world.register(item)
    holding.wear(mobile, item)


@pytest.fixture
def world() -> World:
    """With nobody in it."""
    return plain_world()


def blows(events: list[Event]) -> Iterator[Struck]:
    """The blows among what happened."""
    return (event for event in events if isinstance(event, Struck))


def refused(act: object, *args: object) -> Refusal:
    """Why something cannot be done."""
    assert callable(act)
    with pytest.raises(Cannot) as caught:
        act(*args)
    return caught.value.why


# Blow after blow


def test_the_first_blow_comes_at_once_and_the_others_in_their_time(world: World) -> None:
    hero, prey = fighter(world), wolf(world, level=40)
    fighting.attack(hero, prey)
    assert [type(event) for event in world.take_changes().events if isinstance(event, Engaged | Struck)] == [
        Engaged,
        Struck,
    ]
    assert hero.war
    assert hero.heading == EAST
    times = []
    for _ in range(100):
        goes_on(world, 0.1)
        times += [world.now for _ in blows(world.take_changes().events)]
    waits = [later - sooner for sooner, later in pairwise(times)]
    assert len(times) == 6, "fists of somebody with a dexterity of 10 take 1.45 s"
    assert waits == [pytest.approx(1.5, abs=0.11)] * 5


def test_a_fight_ends_with_the_death_of_the_one(world: World) -> None:
    hero, prey = fighter(world), wolf(world, hits=3)
    prey.hits = 3
    experience = hero.experience
    fighting.attack(hero, prey)
    goes_on(world, 60)
    events = world.take_changes().events
    assert prey.dead
    assert prey.realm is None
    assert sum(blow.damage for blow in blows(events)) == 3, "never more than it had"
    kinds = [type(event) for event in events]
    assert kinds.count(Died) == kinds.count(Disengaged) == 1
    assert hero.fighter is not None
    assert hero.fighter.enemy == 0
    assert hero.fighter.swing is None
    (gained,) = (event for event in events if isinstance(event, Gained))
    assert gained.experience == hero.experience - experience > 0
    assert gained.of is prey


def test_who_stops_strikes_no_more_and_may_not_begin_sooner_for_it(world: World) -> None:
    hero, prey = fighter(world), wolf(world, level=40)
    for _ in range(20):
        fighting.attack(hero, prey)
        fighting.stop(hero)
    assert len(list(blows(world.take_changes().events))) == 1
    goes_on(world, 5)
    assert not list(blows(world.take_changes().events))
    fighting.attack(hero, prey)
    fighting.set_war(hero, False)
    assert hero.fighter is not None
    assert hero.fighter.enemy == 0


def test_an_enemy_that_walks_off_is_struck_again_when_it_is_near(world: World) -> None:
    hero, prey = fighter(world), wolf(world, level=40)
    fighting.attack(hero, prey)
    assert prey.realm is not None
    world.warp(prey, prey.realm, 15, 10)
    world.take_changes()
    goes_on(world, 5)
    assert not list(blows(world.take_changes().events))
    world.warp(prey, prey.realm, 11, 11)
    goes_on(world, 0.3)
    assert len(list(blows(world.take_changes().events))) == 1
    world.warp(prey, prey.realm, 31, 10)
    goes_on(world, 2)
    assert any(isinstance(event, Disengaged) for event in world.take_changes().events)


def test_who_strikes_on_the_way_keeps_its_steps(world: World) -> None:
    hero, prey = fighter(world), wolf(world, 9, 10, level=40)
    motion.turn(hero, SOUTH)
    journeys.travel(hero, 10, 20)
    waiting = len(hero.gait.queue)
    assert waiting
    fighting.attack(hero, prey)
    assert list(blows(world.take_changes().events))
    assert len(hero.gait.queue) == waiting
    assert hero.heading == SOUTH


def test_who_is_struck_from_out_of_its_sight_is_told(world: World) -> None:
    archer, victim = fighter(world), wolf(world, 18, 10, level=40)
    arm(archer, Weapon("bows", 5, 5, 1000, Manner.SHOOT, reach=10, nearest=2))
    world.open_viewport(victim, victim.serial, Sight(5))
    world.take_changes()
    fighting.attack(archer, victim)
    said = [event for event in world.take_changes().events if isinstance(event, Said)]
    assert any("out of your sight" in one.text for one in said if one.viewers[0].mobile is victim)


def test_nothing_acts_on_the_dead_nor_do_they(world: World) -> None:
    hero, prey, other = fighter(world), wolf(world, level=40), wolf(world, 10, 11, level=40)
    fighting.attack(hero, prey)
    life.kill(hero, prey)
    world.take_changes()
    goes_on(world, 5)
    assert not list(blows(world.take_changes().events))
    assert refused(fighting.attack, hero, other) is Refusal.DEAD
    assert refused(fighting.attack, prey, hero) is Refusal.DEFEATED


def test_who_dies_fights_nobody_from_that_moment(world: World) -> None:
    hero, prey = fighter(world), wolf(world, level=40)
    fighting.attack(hero, prey)
    world.take_changes()
    life.kill(hero, prey)
    assert hero.enemy == 0
    kinds = [type(event) for event in world.take_changes().events if event.thing is hero]
    assert kinds.index(Disengaged) < kinds.index(Died)


def test_a_turn_that_may_cross_one_of_the_world_is_told_to_its_own_client(world: World) -> None:
    """The world turned it north; its client had just turned it south, and hears of the north last."""
    hero = fighter(world)
    motion.turn(hero, NORTH, forced=True)
    motion.face(hero, SOUTH)
    goes_on(world, 11)
    motion.face(hero, EAST)
    turns = [event for event in world.take_changes().events if isinstance(event, Turned)]
    assert [(turn.heading, turn.forced, turn.crossed) for turn in turns] == [
        (NORTH, True, False),
        (SOUTH, False, True),
        (EAST, False, False),
    ]


# Striking ahead


def test_of_early_requests_one_is_kept(world: World) -> None:
    hero, prey = fighter(world), wolf(world, level=40)
    for _ in range(9):
        fighting.strike(hero, EAST)
    assert len(list(blows(world.take_changes().events))) == 1
    goes_on(world, 6)
    assert len(list(blows(world.take_changes().events))) == 1
    fighting.strike(hero, SOUTH)
    (swung,) = (event for event in world.take_changes().events if isinstance(event, Swung))
    assert (swung.thing, swung.heading) == (hero, SOUTH)
    assert prey.wounds.keys() <= {hero.serial}


def test_who_clicked_once_and_who_holds_the_key_strike_equally_often(world: World) -> None:
    clicker, holder = fighter(world), fighter(world, "Berta", 20, 20)
    fighting.attack(clicker, wolf(world, level=60, hits=10**6))
    wolf(world, 21, 20, level=60, hits=10**6)
    counts = {clicker: 0, holder: 0}
    for _ in range(6000):
        clicker.stam, holder.stam = clicker.stam_max, holder.stam_max
        fighting.strike(holder, EAST)
        goes_on(world, 0.1)
        for blow in blows(world.take_changes().events):
            counts[blow.thing] += 1
    assert counts[clicker] == pytest.approx(counts[holder], rel=0.02)
    assert counts[clicker] > 300


# Who may be attacked


def test_whom_nobody_may_attack(world: World) -> None:
    hero = fighter(world)
    young = fighter(world, "Berta", 11, 10, level=4)
    assert refused(fighting.attack, hero, hero) is Refusal.ONESELF
    assert refused(fighting.attack, hero, young) is Refusal.YOUNG
    crier = Mobile(world.serials.mobile(), world, "Otto", template=world.content.mobiles["crier"])
    world.enter(crier, world.realms["plain"], 9, 10)
    assert refused(fighting.attack, hero, crier) is Refusal.GUARDED
    assert refused(fighting.attack, hero, wolf(world, 14, 10)) is Refusal.FAR
    hidden = wolf(world, 10, 9)
    hidden.hidden = True
    assert refused(fighting.attack, hero, hidden) is Refusal.UNSEEN
    hero.posture = Posture.FLOOR
    assert refused(fighting.attack, hero, wolf(world)) is Refusal.SITTING
    assert (hero.war, hero.stam) == (False, hero.stam_max)
    assert not list(blows(world.take_changes().events))


def test_players_do_not_fight_in_peaceful_places() -> None:
    content = plain_content()
    chart = attrs.evolve(content.charts["plain"], regions=(Region("town", 0, 0, 15, 15, guarded=True),))
    world = plain_world(attrs.evolve(content, charts={**content.charts, "plain": chart}))
    hero, other = fighter(world), fighter(world, "Berta", 11, 10)
    assert refused(fighting.attack, hero, other) is Refusal.PEACE
    fighting.attack(hero, wolf(world, 10, 11))
    other.notoriety = Notoriety.CRIMINAL
    fighting.attack(hero, other)


def test_to_attack_an_innocent_is_a_crime_for_a_time_and_to_strike_back_is_none(world: World) -> None:
    rogue, victim = fighter(world), fighter(world, "Berta", 11, 10)
    fighting.attack(rogue, victim)
    assert rogue.notoriety == Notoriety.CRIMINAL
    fighting.attack(victim, rogue)
    assert victim.notoriety == Notoriety.INNOCENT
    fighting.stop(rogue)
    fighting.stop(victim)
    goes_on(world, 130)
    assert rogue.notoriety == Notoriety.INNOCENT


def test_five_killings_make_a_murderer(world: World) -> None:
    rogue = fighter(world)
    for number in range(5):
        assert rogue.notoriety != Notoriety.MURDERER
        victim = fighter(world, f"Victim{number}", 11, 10)
        law.assaulted(rogue, victim)
        life.hurt(victim, victim.hits, rogue)
    assert (rogue.murders, rogue.notoriety) == (5, Notoriety.MURDERER)
    goes_on(world, 200)
    assert rogue.notoriety == Notoriety.MURDERER


# What it costs and gives


def test_a_bow_needs_arrows_distance_and_a_free_line(world: World) -> None:
    hero = fighter(world)
    pack = holding.make(world, "backpack")
    world.register(pack)
    holding.wear(hero, pack)
    arm(hero, Weapon("bows", 5, 9, 2500, Manner.SHOOT, reach=10, nearest=2, ammunition="gold"))
    assert refused(fighting.attack, hero, wolf(world, 15, 10, level=40)) is Refusal.NO_AMMUNITION
    arrows = holding.make(world, "gold", amount=2)
    world.register(arrows)
    holding.put(pack, arrows)
    assert refused(fighting.attack, hero, wolf(world, 11, 10)) is Refusal.NEAR
    assert refused(fighting.attack, hero, wolf(world, 21, 10)) is Refusal.FAR
    fighting.attack(hero, wolf(world, 10, 15, level=40))
    goes_on(world, 20)
    found = list(blows(world.take_changes().events))
    assert len(found) == 2, "and then there are no arrows left"
    assert {blow.manner for blow in found} == {Manner.SHOOT}
    assert holding.gold(hero) == 0
    assert not pack.contents


def test_a_shield_blocks_and_teaches(world: World) -> None:
    hero, prey = fighter(world), wolf(world, level=20, hits=10**6)
    shield = holding.make(world, "candle")
    shield.template = attrs.evolve(shield.template, shield=True)
    world.register(shield)
    holding.wear(hero, shield)
    assert hero.learner is not None
    hero.learner.learn("parry", 300)
    hero.hits_max = hero.hits = 10**6
    fighting.attack(prey, hero)
    outcomes = []
    for _ in range(600):
        goes_on(world, 1)
        outcomes += [blow.outcome for blow in blows(world.take_changes().events)]
    blocked = outcomes.count(Outcome.BLOCKED) / (len(outcomes) - outcomes.count(Outcome.MISSED))
    assert blocked == pytest.approx(0.12, abs=0.06)
    assert hero.learner.skills["parry"].value > 300


def test_blows_tire_and_the_tired_strike_half_as_often(world: World) -> None:
    hero, prey = fighter(world), wolf(world, level=60, hits=10**6)
    hero.stam = 2
    hero.fighter.vitality = 10  # type: ignore[union-attr]
    fighting.attack(hero, prey)
    first = list(blows(world.take_changes().events))
    assert hero.stam == 1
    goes_on(world, 1.6)
    hero.stam = 0
    goes_on(world, 1.6)
    assert first[0].ms == 1450
    later = list(blows(world.take_changes().events))
    assert later[-1].ms == 2900


def test_enough_experience_is_a_level_with_points_to_spend(world: World) -> None:
    hero = fighter(world, level=1)
    hero.experience = 1000
    learning.gain(hero, 65)
    events = world.take_changes().events
    assert [type(event) for event in events if isinstance(event, Gained | Advanced)] == [Gained, Advanced]
    assert hero.learner is not None
    assert (hero.level, hero.learner.points) == (2, 3)
    learning.spend(hero, "vitality", 3)
    assert (hero.vitality, hero.learner.points, hero.hits_max) == (13, 0, 30 + 5 + 26 + 12)
    assert refused(learning.spend, hero, "vitality") is Refusal.AMOUNT
    assert refused(learning.spend, hero, "beauty") is Refusal.UNKNOWN


def test_a_death_costs_experience_once_and_no_level(world: World) -> None:
    hero, prey = fighter(world), wolf(world)
    hero.experience = 150_000
    life.hurt(hero, hero.hits, prey)
    assert hero.experience == 150_000 - round(0.04 * (177_156 - 133_100))
    before = hero.experience
    life.hurt(hero, 50, prey)
    assert not life.kill(hero, prey)
    assert (hero.experience, hero.level) == (before, 10)


def test_use_teaches_up_to_the_cap_unless_it_is_locked(world: World) -> None:
    hero = fighter(world, level=1)
    learner = hero.learner
    assert learner is not None
    for _ in range(20_000):
        learning.practise(hero, "swords", 40)
    assert learner.skills["swords"].value == 361
    learner.lock("maces", 2)
    for _ in range(200):
        learning.practise(hero, "maces", 40)
    assert learner.skills["maces"].value == 0
    assert len([event for event in world.take_changes().events if isinstance(event, Practised)]) == 361


# Guards


def test_guards_warn_criminals_and_then_strike_them_down() -> None:
    content = plain_content()
    chart = attrs.evolve(content.charts["plain"], regions=(Region("town", 0, 0, 15, 15, guarded=True),))
    world = plain_world(attrs.evolve(content, charts={**content.charts, "plain": chart}))
    guard = Mobile(
        world.serials.mobile(),
        world,
        "Gerold",
        template=MobileTemplate("guard", "Gerold", notoriety=7, roles=("guard",)),
    )
    world.enter(guard, world.realms["plain"], 5, 5)
    guards.watch(guard)
    honest, rogue = fighter(world), fighter(world, "Berta", 20, 20)
    law.commit_crime(rogue)
    goes_on(world, 5)
    assert rogue.hits > 0, "outside of the region"
    world.warp(rogue, world.realms["plain"], 12, 12)
    world.take_changes()
    goes_on(world, 1.2)
    (warning,) = (event.text for event in world.take_changes().events if isinstance(event, Said))
    assert warning == "Halt, Berta! Leave, or be struck down!"
    goes_on(world, 1.2)
    assert rogue.dead
    assert not honest.dead
    assert any(isinstance(event, Struck) for event in world.take_changes().events)
    goes_on(world, 5)
    assert not [event for event in world.take_changes().events if isinstance(event, Said | Struck)]
