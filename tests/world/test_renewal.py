"""New content for a world that goes on: only what differs is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tests.kit.worlds import WALL, goes_on, person, plain_content, plain_world
from world import holding, journals, life, quests, residents
from world.content import Content, Creature, ItemTemplate, MobileTemplate, Resident, Scenery, Spawner
from world.errands import Kind, Quest, Step
from world.quest_events import QuestsRenewed
from world.renewal import obstacles, prepare, renew

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.renewal import Renewal
    from world.world import World

SHEEP = Resident("sheep", 20, 20)
CRIER = Resident("crier", 25, 25)
FIERCE = Creature(level=1, hits=10, armour=0, skill=10.0, least=1, most=2)


def content(*posts: Resident, walls: frozenset[tuple[int, int]] = frozenset(), **changed: str) -> Content:
    """A content read anew: with records of its own for all that it says. `changed`: fields of the crier."""
    made = plain_content(residents=posts, walls=walls)
    mobiles = dict(made.mobiles)
    mobiles["crier"] = attrs.evolve(mobiles["crier"], **changed)  # type: ignore[arg-type] # those are texts
    return attrs.evolve(made, mobiles=mobiles)


def peopled(*posts: Resident) -> World:
    world = plain_world(content(*posts))
    residents.settle(world)
    return world


def become(world: World, new: Content) -> Renewal:
    return renew(world, prepare(world.content, new))


def named(world: World, key: str) -> Mobile:
    (found,) = (mobile for mobile in world.mobiles.values() if mobile.template.key == key)
    return found


def test_what_is_equal_stays_the_same_record_and_nobody_is_touched() -> None:
    world = peopled(SHEEP, CRIER)
    sheep, before = named(world, "sheep"), world.content
    sheep.hits = 3
    world.take_changes()
    done = become(world, content(SHEEP, CRIER))
    assert (done.came, done.left, done.anew) == (0, 0, 0)
    assert named(world, "sheep") is sheep
    assert sheep.hits == 3
    assert world.content is not before
    assert world.content.charts["plain"] is before.charts["plain"]
    assert world.content.mobiles["sheep"] is before.mobiles["sheep"]
    assert not world.stirred


def test_players_are_told_of_other_quests_and_theirs_go_on_by_them() -> None:
    world = peopled(SHEEP)
    anna, bert = person(world, "Anna"), person(world, "Bert", 12)
    anna.online, bert.online = True, False
    anna.level = 1
    step = Step("talk", Kind.TALK, "Talk", whom="crier")
    quest = Quest("walk", "A walk", "Go.", "crier", [step, attrs.evolve(step, key="more")])
    with_it = attrs.evolve(content(SHEEP), quests={"walk": quest})

    def heard(new: Content) -> list[str]:
        world.events.clear()
        become(world, new)
        return [one.thing.name for one in world.events if isinstance(one, QuestsRenewed)]

    assert heard(content(SHEEP)) == []
    assert heard(with_it) == ["Anna"]
    quests.begin(anna, "walk")
    waits = attrs.evolve(quest, steps=[Step("talk", Kind.WAIT, "Wait", seconds=5), quest.steps[1]])
    assert heard(attrs.evolve(with_it, quests={"walk": waits})) == ["Anna"]
    goes_on(world, 6)
    assert journals.step_of(anna, "walk") == "more", "the step waits now, as it is written"


def test_who_is_new_comes_and_who_is_gone_leaves() -> None:
    world = peopled(SHEEP)
    sheep = named(world, "sheep")
    done = become(world, content(CRIER))
    assert (done.came, done.left) == (1, 1)
    assert sheep.serial not in world.mobiles
    assert (named(world, "crier").x, named(world, "crier").y) == (25, 25)


def test_who_only_says_something_else_stays_where_it_is_and_says_it() -> None:
    world = peopled(SHEEP, CRIER)
    crier, heard = named(world, "crier"), world.listeners[named(world, "crier").serial]
    world.realms["plain"].space.move(crier, 27, 25)
    done = become(world, content(SHEEP, CRIER, says="Hear, {name}!"))
    assert (done.came, done.left, done.anew) == (0, 0, 1)
    assert named(world, "crier") is crier
    assert (crier.x, crier.template.says) == (27, "Hear, {name}!")
    assert world.listeners[crier.serial] is not heard


def test_who_looks_different_is_replaced() -> None:
    world = peopled(SHEEP, CRIER)
    crier = named(world, "crier")
    done = become(world, content(SHEEP, CRIER, name="Odo"))
    assert (done.came, done.left) == (1, 1)
    assert crier.serial not in world.mobiles
    assert named(world, "crier").name == "Odo"


def test_whoever_died_comes_back_once_and_not_to_a_place_that_is_gone() -> None:
    world = peopled(SHEEP, CRIER)
    life.kill(named(world, "sheep"))
    assert become(world, content(SHEEP, CRIER)).came == 0
    goes_on(world, SHEEP.respawn + 1)
    assert named(world, "sheep").hits == 12
    life.kill(named(world, "sheep"))
    become(world, content(CRIER))
    goes_on(world, 2 * SHEEP.respawn)
    assert {mobile.template.key for mobile in world.mobiles.values()} == {"crier"}


def test_a_creature_of_a_place_that_is_gone_is_followed_by_nobody_else() -> None:
    world = peopled(SHEEP)
    become(world, content())
    goes_on(world, 2 * SHEEP.respawn)
    assert not world.mobiles


def test_an_area_is_filled_anew_when_it_differs() -> None:
    world = peopled()
    wolf = MobileTemplate("wolf", "a wolf", creature=True, fights=FIERCE)
    made = attrs.evolve(content(), mobiles={**content().mobiles, "wolf": wolf})
    plain = attrs.evolve(made.charts["plain"], spawners=(Spawner(5, 5, 5, 5, (("wolf", 1),), 3),))
    made = attrs.evolve(made, charts={**made.charts, "plain": plain})
    assert become(world, made).came == 3
    again = attrs.evolve(made, charts=dict(made.charts))
    assert become(world, again).came == 0
    more = attrs.evolve(plain, spawners=(Spawner(5, 5, 5, 5, (("wolf", 1),), 4),))
    done = become(world, attrs.evolve(made, charts={**made.charts, "plain": more}))
    assert (done.left, done.came) == (3, 4)


def test_things_of_a_kind_that_is_gone_stay_and_those_that_changed_are_shown_anew() -> None:
    world = peopled()
    mobile = person(world, x=10, y=10)
    bread = holding.make(world, "bread")
    world.enter(bread, world.realms["plain"], 11, 10)
    world.take_changes()
    made = content()
    items = {key: item for key, item in made.items.items() if key != "dagger"}
    items["bread"] = ItemTemplate("bread", "loaf of rye", stackable=True)
    become(world, attrs.evolve(made, items=items))
    assert bread.label == "loaf of rye"
    assert any(thing is bread for thing, _ in world.take_changes().dirty)
    assert world.content.items["dagger"].name == "dagger"
    assert mobile.template is world.content.mobiles["player"]


def test_whoever_stands_where_a_wall_is_built_stands_beside_it() -> None:
    world = peopled()
    mobile = person(world, x=10, y=10)
    realm = world.realms["plain"]
    become(world, content(walls=frozenset({(10, 10)})))
    assert realm is world.realms["plain"]
    assert realm.opaque(10, 10)
    assert not realm.walkable(10, 10)
    assert realm.walkable(mobile.x, mobile.y)
    assert max(abs(mobile.x - 10), abs(mobile.y - 10)) == 1
    assert Scenery(WALL, 10, 10) in realm.chart.scenery


def test_a_new_realm_is_there_and_another_size_or_a_missing_one_is_an_obstacle() -> None:
    world, made = peopled(), content()
    hill = attrs.evolve(made.charts["cave"], name="hill")
    become(world, attrs.evolve(made, charts={**made.charts, "hill": hill}))
    assert world.realms["hill"].chart is hill
    small = attrs.evolve(hill, width=10, height=40)
    assert [*obstacles(world.content, attrs.evolve(made, charts={**made.charts, "hill": small}))] == [
        "realms/hill: 10 x 40 tiles, and they are 20 x 20 now: another size needs a restart"
    ]
    assert [*obstacles(world.content, made)] == [
        "realms/hill.toml: is gone: to remove a realm needs a restart"
    ]


def test_what_of_a_realm_is_equal_stays_the_same_object() -> None:
    old, new = plain_content(), plain_content()
    old_chart = next(iter(old.charts.values()))
    spawns = (*old_chart.spawns, (3, 3))
    changed = attrs.evolve(
        new, charts={old_chart.name: attrs.evolve(new.charts[old_chart.name], spawns=spawns)}
    )
    found = prepare(old, changed)
    chart = found.content.charts[old_chart.name]
    assert found.charts == {old_chart.name}
    assert chart.spawns == spawns
    assert all(one is other for one, other in zip(chart.drawing, old_chart.drawing, strict=True))


def test_whose_place_is_another_goes_there_as_hurt_as_it_is() -> None:
    world = peopled(SHEEP, CRIER)
    sheep = named(world, "sheep")
    sheep.hits, serial = 3, sheep.serial
    elsewhere = attrs.evolve(SHEEP, x=30, y=31, wander=2)
    done = become(world, content(elsewhere, CRIER))
    assert (done.came, done.left, done.moved) == (0, 0, 1)
    assert named(world, "sheep") is sheep is world.mobiles[serial]
    assert (sheep.x, sheep.y, sheep.hits, sheep.post) == (30, 31, 3, elsewhere)
    world.realms["plain"].space.move(sheep, 31, 31)
    done = become(world, content(attrs.evolve(elsewhere, wander=1), SHEEP, CRIER))
    assert (done.came, done.left, done.moved) == (1, 0, 1)  # not moved if only how far it goes is another
    assert (sheep.x, sheep.y) == (31, 31)
    life.hurt(sheep, 1)
    goes_on(world, 1)
    assert sheep.hits < 3
