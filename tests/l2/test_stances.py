"""Stances of Lineage II: they begin with the first blow, for both, and end some time after the last."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from protocol.l2.packets import Attack, AutoAttackStart, AutoAttackStop
from protocol.l2.stances import SECONDS
from tests.kit.l2_scene import Client, Scene
from world import life
from world.events import Manner, Outcome, Struck

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
    for one in (alric, client):
        one.heard()
    return client


def strikes(scene: Scene, attacker: Mobile, target: Mobile) -> None:
    """A blow that misses, for all who see it."""
    viewers = [client.mobile.viewport for client in scene.clients.values()]
    seen = [viewport for viewport in viewers if viewport is not None]
    scene.world.events.append(Struck(attacker, target, Outcome.MISSED, 0, Manner.SLASH, 1500, seen))
    scene.turn()


def stances(client: Client) -> list[AutoAttackStart | AutoAttackStop]:
    return [one for one in client.heard() if isinstance(one, AutoAttackStart | AutoAttackStop)]


def both(kind: type[AutoAttackStart | AutoAttackStop], *clients: Client) -> list[object]:
    return [kind(client.mobile.serial) for client in clients]


def test_both_stand_ready_from_the_first_blow_on(scene: Scene, alric: Client, berta: Client) -> None:
    strikes(scene, alric.mobile, berta.mobile)
    for client in (alric, berta):
        assert stances(client) == both(AutoAttackStart, alric, berta)
        assert all(seen.fighting for seen in client.screen.everybody().values())
    strikes(scene, berta.mobile, alric.mobile)
    for client in (alric, berta):
        assert stances(client) == []
    character = scene.view.figures.character
    assert (character(alric.mobile).in_combat, character(berta.mobile).in_combat) == (1, 1)


def test_it_ends_after_the_last_blow_given_or_taken(scene: Scene, alric: Client, berta: Client) -> None:
    carla = scene.client("Carla", 24, 20)
    strikes(scene, alric.mobile, berta.mobile)
    scene.wait(SECONDS - 2)
    strikes(scene, carla.mobile, alric.mobile)
    for client in (alric, berta, carla):
        client.heard()
    scene.wait(3)
    for client in (alric, berta, carla):
        assert stances(client) == both(AutoAttackStop, berta)
    scene.wait(SECONDS - 4)
    assert stances(alric) == []
    scene.wait(2)
    for client in (alric, berta, carla):
        ended = sorted(stances(client), key=lambda one: one.object_id)
        assert ended == both(AutoAttackStop, alric, carla)
        assert not any(seen.fighting for seen in client.screen.everybody().values())
        assert client.screen.faults == []
    assert scene.view.figures.character(alric.mobile).in_combat == 0


def test_who_comes_later_is_shown_it(scene: Scene, alric: Client, berta: Client) -> None:
    strikes(scene, alric.mobile, berta.mobile)
    carla = scene.client("Carla", 24, 20)
    scene.turn()
    assert scene.view.figures.character(alric.mobile).in_combat == 1
    assert stances(carla) == []
    scene.wait(SECONDS + 1)
    assert len(stances(carla)) == 2


def test_who_sees_but_one_of_both_is_told_of_that_one(scene: Scene, alric: Client, berta: Client) -> None:
    scene.world.warp(berta.mobile, scene.world.realms["plain"], 43, 20)
    carla = scene.client("Carla", 10, 20)
    scene.turn()
    for client in (alric, berta, carla):
        client.heard()
    strikes(scene, alric.mobile, berta.mobile)
    assert [type(one) for one in carla.heard()] == [Attack, AutoAttackStart]
    assert carla.screen.faults == []


def test_the_dead_do_not_stand(scene: Scene, alric: Client, berta: Client) -> None:
    strikes(scene, alric.mobile, berta.mobile)
    life.kill(berta.mobile)
    for client in (alric, berta):
        client.heard()
    scene.turn()
    for client in (alric, berta):
        assert stances(client) == both(AutoAttackStop, berta)
    life.resurrect(berta.mobile)
    scene.turn()
    assert scene.view.figures.character(berta.mobile).in_combat == 0
    scene.wait(SECONDS + 1)
    assert stances(alric) == both(AutoAttackStop, alric)
    berta.heard()
    strikes(scene, alric.mobile, berta.mobile)
    assert stances(berta) == both(AutoAttackStart, alric, berta)


def test_nothing_of_the_gone_is_kept(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 21, 20)
    scene.turn()
    strikes(scene, alric.mobile, sheep)
    scene.world.leave(sheep)
    del sheep
    scene.turn()
    gc.collect()
    assert list(scene.view.stances._stances) == [alric.mobile]
