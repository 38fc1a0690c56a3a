"""What clients of Lineage II believe after every turn, through the real fan-out and without a wire: who comes
and goes.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol import l2
from protocol.l2.packets import (
    ChangeWaitType,
    CharInfo,
    DeleteObject,
    GetItem,
    ItemList,
    MoveToLocation,
    NpcInfo,
    RelationChanged,
    SpawnItem,
    UserInfo,
    ValidateLocation,
    Wait,
)
from protocol.l2.view import L2View
from protocol.tables import LookError
from protocol.wire.body import Body
from server.content.loading import load
from tests.kit.l2_scene import DATA, Client, Scene, l2_content, middle
from tests.kit.l2_view import goal, kinds, pack_of
from world import furniture, hands, holding, journeys, life, motion
from world.events import Why
from world.heading import EAST, OFFSETS
from world.mobile import Posture

if TYPE_CHECKING:
    from world.mobile import Mobile


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def alric(scene: Scene) -> Client:
    return scene.client("Alric", 20, 20)


@pytest.fixture
def berta(scene: Scene, alric: Client) -> Client:
    """Near Alric, and both know each other."""
    client = scene.client("Berta", 22, 20)
    scene.turn()
    alric.heard()
    client.heard()
    return client


# Coming and going


def test_a_client_is_told_of_itself_and_of_what_it_has(scene: Scene) -> None:
    client = scene.client("Alric", 20, 20)
    own, waits, items = client.heard()
    assert isinstance(own, UserInfo)
    assert (own.x, own.y, own.z) == middle(20, 20)
    assert waits == ChangeWaitType(client.mobile.serial, Wait.STANDING, *middle(20, 20))
    assert items == ItemList(0, ())


def test_whoever_sits_when_it_enters_sits(scene: Scene, alric: Client) -> None:
    furniture.sit_on_floor(alric.mobile)
    told = [
        scene.version.decode_server(body.raw)
        for body in scene.view.own(alric.mobile, scene.version)
        if isinstance(body, Body)
    ]
    assert [type(message) for message in told] == [UserInfo, ChangeWaitType]


def test_what_is_near_is_shown_and_taken_away(scene: Scene, alric: Client) -> None:
    berta = scene.client("Berta", 22, 20)
    alric.heard()
    scene.turn()
    assert kinds(alric) == [CharInfo, RelationChanged]
    scene.agree()
    scene.world.leave(berta.mobile)
    del scene.clients[2]
    scene.turn()
    assert alric.only(DeleteObject).object_id == berta.mobile.serial
    scene.agree()


def test_who_was_put_elsewhere_in_sight_is_placed_there(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 22, 20)
    scene.turn()
    assert kinds(alric).count(NpcInfo) == 1
    alric.heard()
    assert sheep.realm is not None
    scene.world.warp(sheep, sheep.realm, 26, 20)
    scene.turn()
    assert kinds(alric) == [NpcInfo, ValidateLocation]
    scene.agree()


def test_whoever_comes_into_sight_on_its_way_is_shown_walking(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 50, 20)
    scene.turn()
    journeys.travel(sheep, 30, 20)
    scene.wait(1.6)
    assert sheep.serial not in alric.screen.npcs
    alric.heard()
    scene.wait(1)
    assert goal(alric, sheep) == middle(30, 20)
    assert kinds(alric).count(MoveToLocation) == 1
    scene.agree()


def test_who_hides_is_gone_for_others(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.hidden = True
    scene.turn()
    assert berta.mobile.serial not in alric.screen.people
    berta.mobile.hidden = False
    scene.turn()
    scene.agree()


def test_items_on_the_ground(scene: Scene, alric: Client, berta: Client) -> None:
    bread = holding.make(scene.world, "bread", amount=2, stored=False)
    scene.world.enter(bread, scene.world.realms["plain"], 21, 21)
    scene.turn()
    assert alric.only(SpawnItem).count == 2
    bread.amount = 5
    scene.turn()
    assert kinds(alric) == [DeleteObject, SpawnItem]
    scene.agree()
    pack_of(scene, alric)
    scene.turn()
    alric.heard()
    berta.heard()
    hands.take(alric.mobile, bread)
    scene.turn()
    taken, gone = (message for message in berta.heard() if isinstance(message, GetItem | DeleteObject))
    assert taken == GetItem(alric.mobile.serial, bread.serial, *middle(20, 20))
    assert gone == DeleteObject(bread.serial)
    assert GetItem not in kinds(alric), "the handler that takes it says so"
    assert bread.serial in alric.screen.pack
    scene.agree()


def test_who_takes_a_thing_out_of_sight_is_not_told_of(scene: Scene, alric: Client) -> None:
    taker = scene.client("Taker", 45, 20)
    bread = holding.make(scene.world, "bread", stored=False)
    scene.world.enter(bread, scene.world.realms["plain"], 44, 20)
    pack_of(scene, taker)
    scene.turn()
    alric.heard()
    hands.take(taker.mobile, bread)
    scene.turn()
    alric.only(DeleteObject)
    scene.agree()


def test_who_reads_late_is_not_told_of_a_taker_that_came_later(
    scene: Scene, alric: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is bound when it is sent, turns after it happened, is of somebody whom a later message shows."""
    taker = scene.client("Taker", 45, 20)
    bread = holding.make(scene.world, "bread", stored=False)
    scene.world.enter(bread, scene.world.realms["plain"], 44, 20)
    pack_of(scene, taker)
    scene.turn()
    with monkeypatch.context() as patch:
        patch.setattr(alric, "flush", lambda: None)  # its connection takes nothing
        hands.take(taker.mobile, bread)
        scene.turn()
        scene.world.warp(taker.mobile, scene.world.realms["plain"], 30, 20)
        scene.turn()
    taker.appears()
    scene.turn()
    assert taker.mobile.serial in alric.session.known
    assert GetItem not in kinds(alric)
    assert alric.screen.faults == []
    scene.agree()


# The family


def test_the_shipped_content_makes_a_family_without_problems() -> None:
    made = l2.family(load(DATA))
    assert made.problems == ()
    view: object = made.view
    assert isinstance(view, L2View)
    assert view.places.has("confluence")


def test_a_realm_without_a_place_is_a_problem_and_a_wrong_row_a_mistake() -> None:
    content = l2_content()
    assert l2.family(content).problems == (
        "realms/cave.toml: atlas: no l2, so that players of Lineage II cannot go there",
    )
    wrong = attrs.evolve(content.charts["plain"], atlas={"l2": {"x": 1}})
    with pytest.raises(LookError) as error:
        l2.family(attrs.evolve(content, charts={"plain": wrong}))
    assert all(problem.startswith("realms/plain.toml: atlas.l2") for problem in error.value.problems)


def test_viewers_share_what_they_are_sent(scene: Scene, alric: Client, berta: Client) -> None:
    sheep = scene.resident("sheep", 25, 25)
    scene.turn()
    motion.step(sheep, EAST)
    sheep.hits -= 1
    scene.fan_out()
    assert len(alric.session.outbox) == 3
    assert all(one is other for one, other in zip(alric.session.outbox, berta.session.outbox, strict=True))


# Everything at once


@pytest.mark.parametrize("seed", range(8))
def test_belief_follows_the_world_whatever_happens(seed: int) -> None:
    dice, scene = random.Random(seed), Scene(seed=seed)
    clients = [scene.client(name, 20 + n, 20) for n, name in enumerate(("Alric", "Berta", "Carla"))]
    mobiles = [client.mobile for client in clients]
    mobiles += [scene.resident(kind, 20 + dice.randrange(20), 30) for kind in ("sheep", "sheep", "crier")]
    for client in clients:
        pack_of(scene, client)
    for _ in range(150):
        for _ in range(dice.randrange(3)):
            _something(scene, dice, dice.choice(mobiles))
        scene.turn(dice.choice((0.05, 0.1, 0.3)))
        scene.agree()


def _something(scene: Scene, dice: random.Random, mobile: Mobile) -> None:
    plain = scene.world.realms["plain"]
    match dice.randrange(14):
        case 0:
            mobile.hits = dice.randrange(1, 50)
        case 1:
            mobile.hidden = not mobile.hidden
        case 2:
            motion.turn(mobile, dice.randrange(8), forced=dice.random() < 0.3)
        case 3 if not mobile.is_character:
            scene.world.warp(mobile, plain, dice.randrange(60), dice.randrange(60))
        case 4:
            journeys.travel(mobile, dice.randrange(60), dice.randrange(60), run=dice.random() < 0.5)
        case 5:
            motion.halt(mobile)
        case 6:
            bread = holding.make(scene.world, "bread", amount=dice.randrange(1, 9), stored=False)
            scene.world.enter(bread, plain, dice.randrange(60), dice.randrange(60))
        case 7:
            lying = [item for item in scene.world.items.values() if item.realm is not None]
            if lying:
                scene.world.leave(dice.choice(lying), Why.LEFT)
        case 8 if mobile.is_character:
            life.kill(mobile) or life.resurrect(mobile)
        case 9 if mobile.posture != Posture.STANDING:
            furniture.stand_up(mobile)
        case 9 if not mobile.dead:
            furniture.sit_on_floor(mobile)
        case 10:
            mobile.title = dice.choice(("", "the Bold", "the Meek"))
        case 11 if mobile.backpack is not None:
            lying = [item for item in scene.world.items.values() if item.realm is not None]
            near = [i for i in lying if max(abs(i.x - mobile.x), abs(i.y - mobile.y)) <= 2]
            if near:
                hands.take(mobile, near[0])
        case _:
            heading = dice.randrange(8)
            x, y = mobile.x + OFFSETS[heading][0], mobile.y + OFFSETS[heading][1]
            if plain.inside(x, y):
                motion.halt(mobile)
                motion.step(mobile, heading, run=dice.random() < 0.5)
