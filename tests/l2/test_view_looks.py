"""What clients of Lineage II believe of looks, health and belongings."""

from __future__ import annotations

import pytest

from protocol.l2.packets import (
    Attribute,
    AutoAttackStop,
    Change,
    Die,
    InventoryUpdate,
    ItemList,
    Revive,
    StatusUpdate,
    UserInfo,
)
from tests.kit.l2_scene import Client, Scene
from tests.kit.l2_view import kinds, lines, pack_of
from world import hands, holding, life
from world.events import YOU_DIED, YOU_LIVE


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


# Looks


def test_a_wound_is_a_status_for_who_aims_at_it(scene: Scene, alric: Client, berta: Client) -> None:
    alric.session.target = berta.mobile.serial
    berta.mobile.hits = 25
    scene.turn()
    for client in (alric, berta):
        status = client.only(StatusUpdate)
        assert status.object_id == berta.mobile.serial
        assert {entry.attribute: entry.value for entry in status.attributes} == {
            Attribute.HP: 25,
            Attribute.MAX_HP: 50,
        }
    berta.mobile.mana, berta.mobile.stam = 7, 8
    scene.turn()
    assert alric.heard() == [], "only oneself knows those"
    assert {entry.attribute: entry.value for entry in berta.only(StatusUpdate).attributes} == {
        Attribute.MP: 7,
        Attribute.MAX_MP: 50,
        Attribute.CP: 8,
        Attribute.MAX_CP: 50,
    }


def test_a_wound_is_no_concern_of_others(scene: Scene, alric: Client, berta: Client) -> None:
    carla = scene.client("Carla", 24, 20)
    scene.turn()
    for client in (alric, berta, carla):
        client.heard()
    carla.session.target = berta.mobile.serial
    alric.session.target = carla.mobile.serial
    berta.mobile.hits = 25
    scene.turn()
    assert alric.heard() == []
    assert berta.only(StatusUpdate) == carla.only(StatusUpdate)


def test_numbers_without_a_bar_are_told_with_all_of_ones_own(
    scene: Scene, alric: Client, berta: Client
) -> None:
    berta.mobile.strength, berta.mobile.hits = 33, 12
    scene.turn()
    own = berta.only(UserInfo)
    assert (own.strength, own.hp) == (31, 12)
    assert alric.heard() == []


def test_clothes_are_seen_as_they_are_put_on(scene: Scene, alric: Client, berta: Client) -> None:
    shirt = holding.make(scene.world, "shirt", stored=False)
    holding.wear(berta.mobile, shirt)
    scene.turn()
    assert scene.view.looks.items["shirt"].item in alric.screen.people[berta.mobile.serial].wears
    scene.agree()
    update, own = berta.heard()
    assert isinstance(own, UserInfo)
    assert isinstance(update, InventoryUpdate)
    (change,) = update.changes
    assert (change.change, change.item.object_id, change.item.equipped) == (Change.ADDED, shirt.serial, 1)


def test_what_changes_nothing_here_says_nothing(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.experience = 12
    scene.turn()
    assert alric.heard() == []


def test_names_and_titles_are_told_anew(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.title = "the Brave"
    scene.turn()
    assert alric.screen.people[berta.mobile.serial].title == "the Brave"
    sheep = scene.resident("sheep", 22, 22)
    scene.turn()
    sheep.name = "Bess"
    scene.turn()
    scene.agree()


def test_death_and_life(scene: Scene, alric: Client, berta: Client) -> None:
    life.kill(berta.mobile)
    scene.turn()
    assert alric.heard()[:2] == [AutoAttackStop(berta.mobile.serial), Die(berta.mobile.serial)]
    assert lines(berta) == [YOU_DIED]
    scene.agree()
    life.resurrect(berta.mobile)
    scene.turn()
    assert alric.heard()[0] == Revive(berta.mobile.serial)
    assert lines(berta) == [YOU_LIVE]
    assert berta.screen.me is not None
    assert berta.screen.me.status[Attribute.HP] == 10
    scene.agree()


# What one has


def test_things_come_change_and_go(scene: Scene, alric: Client) -> None:
    pack = pack_of(scene, alric)
    scene.turn()
    alric.heard()
    apple = holding.make(scene.world, "apple", amount=3, stored=False)
    scene.world.register(apple)
    holding.put(pack, apple)
    scene.turn()
    (update,) = (message for message in alric.heard() if isinstance(message, InventoryUpdate))
    assert [(one.change, one.item.count) for one in update.changes] == [(Change.ADDED, 3)]
    apple.amount = 2
    scene.turn()
    (update,) = (message for message in alric.heard() if isinstance(message, InventoryUpdate))
    assert [(one.change, one.item.count) for one in update.changes] == [(Change.MODIFIED, 2)]
    hands.drop(alric.mobile, apple, 2, 21, 21)
    scene.turn()
    scene.agree()
    assert apple.serial in alric.screen.ground
    (update,) = (message for message in alric.heard() if isinstance(message, InventoryUpdate))
    assert [one.change for one in update.changes] == [Change.REMOVED]


def test_one_is_told_of_nothing_twice(scene: Scene, alric: Client) -> None:
    pack_of(scene, alric)
    shirt = holding.make(scene.world, "shirt", stored=False)
    holding.wear(alric.mobile, shirt)
    scene.turn()
    alric.heard()
    alric.session.queue(*scene.view.item_list(alric.mobile, scene.version, show_window=True))
    alric.mobile.mark(0x100)
    scene.turn()
    listed, status = alric.heard()
    assert isinstance(listed, ItemList)
    assert isinstance(status, StatusUpdate)
    assert (listed.show_window, len(listed.items)) == (1, 1)


def test_before_its_list_a_client_is_not_told_of_changes(scene: Scene, alric: Client) -> None:
    scene.view.item_list(alric.mobile, scene.version)
    fresh = scene.client("Fresh", 21, 21)
    fresh.session.owns = None
    holding.wear(fresh.mobile, holding.make(scene.world, "shirt", stored=False))
    scene.turn()
    assert InventoryUpdate not in kinds(fresh)
