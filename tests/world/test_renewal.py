"""New content for a world that goes on: only what differs is touched."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import attrs

from tests.kit.worlds import WALL, goes_on, person, plain_content, plain_world
from world import fighting, holding, journals, life, quests, residents, spawners
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


WOODS = Spawner(5, 5, 5, 5, (("wolf", 1),), 3)


def wooded(*areas: Spawner, **changed: str) -> Content:
    """With areas of wolves and boars. `changed`: fields of the wolves."""
    made = content()
    wolf = MobileTemplate("wolf", "a wolf", creature=True, fights=FIERCE)
    wolf = attrs.evolve(wolf, **changed)  # type: ignore[arg-type] # those are texts
    mobiles = {**made.mobiles, "wolf": wolf, "boar": attrs.evolve(wolf, key="boar", name="a boar")}
    charts = {**made.charts, "plain": attrs.evolve(made.charts["plain"], spawners=areas)}
    return attrs.evolve(made, mobiles=mobiles, charts=charts)


def wild(*areas: Spawner) -> World:
    world = plain_world(wooded(*areas))
    spawners.populate(world)
    return world


def test_a_new_area_is_filled_and_an_equal_one_left_alone() -> None:
    world = peopled()
    assert become(world, wooded(WOODS)).came == 3
    assert become(world, wooded(WOODS)).came == 0


def test_creatures_stay_as_they_are_where_their_area_only_has_room_for_more() -> None:
    world = wild(WOODS)
    one, *others = before = list(world.mobiles.values())
    enemy = person(world, x=7, y=7)
    one.hits = 4
    fighting.attack(one, enemy)
    world.realms["plain"].space.move(one, 12, 12)  # after somebody, and out of its area
    done = become(world, wooded(attrs.evolve(WOODS, count=5, least_seconds=1.0, most_seconds=1.0)))
    assert (done.left, done.came) == (0, 2)
    assert all(world.mobiles[mobile.serial] is mobile for mobile in before)
    assert (one.hits, one.x, one.y) == (4, 12, 12)
    assert one.fighter is not None
    assert one.fighter.enemy == enemy.serial
    for mobile in others:
        life.kill(mobile)
    goes_on(world, 1.5)  # the new time
    assert len(wolves(world)) == 5


def test_of_an_area_for_fewer_those_go_who_are_at_nothing() -> None:
    world = wild(WOODS)
    *_, last = wolves(world)
    last.hits = 4
    done = become(world, wooded(attrs.evolve(WOODS, count=1)))
    assert (done.left, done.came) == (2, 0)
    assert wolves(world) == [last]
    done = become(world, wooded())
    assert (done.left, done.came) == (1, 0)
    assert not world.mobiles


def test_who_died_is_not_called_back_by_an_area_that_differs() -> None:
    world = wild(WOODS)
    life.kill(wolves(world)[0])
    slow = attrs.evolve(WOODS, kinds=(("wolf", 2),), least_seconds=100.0, most_seconds=100.0)
    done = become(world, wooded(slow))
    assert (done.left, done.came) == (0, 0)
    goes_on(world, 95.0)
    assert len(wolves(world)) == 2
    goes_on(world, 10.0)
    assert len(wolves(world)) == 3
    life.kill(wolves(world)[0])
    assert become(world, wooded(attrs.evolve(slow, count=2))).left == 0
    goes_on(world, 300.0)
    assert len(wolves(world)) == 2  # nobody follows whom there is no room for


def test_creatures_of_a_kind_that_is_no_more_asked_for_go_and_others_come() -> None:
    world = wild(WOODS)
    done = become(world, wooded(attrs.evolve(WOODS, kinds=(("boar", 1),))))
    assert (done.left, done.came) == (3, 3)
    assert {mobile.template.key for mobile in world.mobiles.values()} == {"boar"}


def test_creatures_that_look_different_are_replaced() -> None:
    world = wild(WOODS)
    before = set(world.mobiles)
    done = become(world, wooded(attrs.evolve(WOODS, count=2), name="a grey wolf"))
    assert (done.left, done.came) == (3, 2)
    assert not before & set(world.mobiles)


def test_creatures_stay_in_an_area_that_was_moved_if_they_stand_in_it() -> None:
    world = wild(attrs.evolve(WOODS, count=2))
    one, other = wolves(world)
    space = world.realms["plain"].space
    space.move(one, 5, 5)
    space.move(other, 9, 9)
    one.hits = other.hits = 4
    done = become(world, wooded(Spawner(8, 8, 20, 20, (("wolf", 1),), 2)))
    assert (done.left, done.came) == (1, 1)
    assert one.serial not in world.mobiles
    assert (other.hits, other.x, other.y) == (4, 9, 9)
    assert other.brain is not None
    assert other.brain.roam == (8, 8, 27, 27)
    assert (other.brain.home_x, other.brain.home_y) == (9, 9)


def test_of_two_areas_creatures_belong_to_that_of_their_own_tiles() -> None:
    world = wild(attrs.evolve(WOODS, count=2))
    wider = Spawner(0, 0, 30, 30, (("wolf", 1),), 2)
    done = become(world, wooded(wider, attrs.evolve(WOODS, count=3)))
    assert (done.left, done.came) == (0, 3)
    posts = Counter(mobile.post for mobile in wolves(world))
    assert posts == {wider: 2, attrs.evolve(WOODS, count=3): 3}
    first, second, *_ = wolves(world)
    assert first.post == second.post == attrs.evolve(WOODS, count=3)


def wolves(world: World) -> list[Mobile]:
    return [mobile for mobile in world.mobiles.values() if mobile.template.key == "wolf"]


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
