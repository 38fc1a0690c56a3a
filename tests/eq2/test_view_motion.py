"""What clients of EverQuest II believe of motion and warps."""

from __future__ import annotations

import pytest

from protocol.endings import Ending
from protocol.eq2.figures import Rendering
from protocol.eq2.packets import CreateGhost, DestroyGhost, Teleport, TeleportNoReload, UpdateGhost
from protocol.eq2.places import Place
from tests.kit.eq2_screen import Client, Scene, eq2_content
from tests.kit.eq2_view import heard, only
from world import furniture, motion
from world.heading import EAST, NORTH, SOUTH, WEST
from world.mobile import Posture


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def alric(scene: Scene) -> Client:
    return scene.client("Alric", 20, 20)


@pytest.fixture
def berta(scene: Scene, alric: Client) -> Client:
    """Near Alric, who knows her."""
    client = scene.client("Berta", 22, 20)
    scene.turn()
    return client


# Motion


def test_a_step_is_one_update_with_the_position_alone(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    heard(berta)
    assert motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    update = only(UpdateGhost, heard(alric))
    assert update.timestamp == 0
    assert (update.info, update.visible) == (None, None)
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.x, shown.z, shown.heading1, shown.speed) == (123.5, 220.5, 90 * 64, 5 * 256)
    assert heard(berta) == [], "a client knows where it went"


def test_several_steps_in_a_turn_are_one_update(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    for heading in (EAST, EAST, SOUTH):
        motion.step(berta.mobile, heading)
    motion.turn(berta.mobile, WEST)
    scene.turn()
    only(UpdateGhost, heard(alric))
    scene.agree()


def test_a_slow_client_is_told_of_the_last_of_many_steps(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    for _ in range(10):
        motion.step(berta.mobile, EAST)
        scene.turn(flush=False)
    alric.flush()
    berta.flush()
    only(UpdateGhost, heard(alric))
    scene.agree()


def test_who_stops_has_no_speed(scene: Scene, alric: Client, berta: Client) -> None:
    motion.step(berta.mobile, EAST)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).position.speed > 0
    motion.rest(berta.mobile)
    scene.turn()
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.x, shown.speed) == (123.5, 0)
    heard(alric)
    motion.rest(berta.mobile)
    scene.turn()
    assert heard(alric) == []


def test_a_step_and_the_stop_after_it_are_one_update(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    motion.step(berta.mobile, EAST)
    motion.rest(berta.mobile)
    scene.turn()
    only(UpdateGhost, heard(alric))
    assert alric.screen.seen(berta.mobile.serial).position.speed == 0


def test_players_of_this_game_are_seen_where_they_are_on_their_tile(
    scene: Scene, alric: Client, berta: Client
) -> None:
    motion.step(berta.mobile, EAST)
    scene.view.places.report(berta.mobile, Place(123.1, -4.0, 220.9, 77.5, 4.0))
    scene.turn()
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.x, shown.y, shown.z) == pytest.approx((123.1, -4.0, 220.9))
    assert (shown.heading1, shown.speed) == (round(77.5 * 64), 4 * 256)
    motion.step(berta.mobile, EAST)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).position.x == 124.5
    late = scene.client("Late", 25, 25)
    scene.view.places.report(berta.mobile, Place(124.9, -4.0, 220.9, 77.5, 4.0))
    scene.turn()
    assert late.screen.seen(berta.mobile.serial).position.x == pytest.approx(124.9)


def test_a_player_of_this_game_that_stops_has_no_speed(scene: Scene, alric: Client, berta: Client) -> None:
    motion.step(berta.mobile, EAST)
    scene.view.places.report(berta.mobile, Place(123.1, -4.0, 220.9, 77.5, 4.0, 1.0))
    scene.turn()
    motion.rest(berta.mobile)
    scene.turn()
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.speed, shown.side_speed) == (0, 0)
    assert shown.x == pytest.approx(123.1)


def test_what_a_client_said_before_it_was_put_back_is_void(
    scene: Scene, alric: Client, berta: Client
) -> None:
    scene.view.places.report(berta.mobile, Place(122.1, -4.0, 220.9, 77.5))
    motion.turn(berta.mobile, NORTH, forced=True)
    scene.turn()
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.x, shown.z, shown.heading1) == (122.5, 220.5, 180 * 64)


def test_a_forced_turn_puts_the_client_where_it_is(scene: Scene, alric: Client, berta: Client) -> None:
    heard(berta)
    motion.turn(berta.mobile, NORTH, forced=True)
    scene.turn()
    there, place = heard(berta)
    assert there == TeleportNoReload(x=122.5, y=-5.0, z=220.5, heading=180.0)
    assert isinstance(place, UpdateGhost)
    assert alric.screen.seen(berta.mobile.serial).position.heading1 == 180 * 64


def test_whoever_sits_down_is_seen_sitting(scene: Scene, alric: Client, berta: Client) -> None:
    furniture.sit_on_floor(berta.mobile)
    assert berta.mobile.posture == Posture.FLOOR
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).position.state == Rendering().sitting
    furniture.stand_up(berta.mobile)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).position.state == 0
    scene.agree()


# Warps


def test_a_warp_tells_where_the_client_is_and_what_is_there(
    scene: Scene, alric: Client, berta: Client
) -> None:
    sheep = scene.resident("sheep", 55, 55)
    scene.turn()
    scene.view.places.report(alric.mobile, Place(120.1, -5.0, 220.1))
    heard(alric)
    scene.world.warp(alric.mobile, scene.world.realms["plain"], 57, 57)
    scene.turn()
    gone, there, own, *shown = heard(alric)
    assert isinstance(gone, DestroyGhost)
    assert there == Teleport(x=157.5, y=-5.0, z=257.5)
    assert isinstance(own, UpdateGhost)
    assert own.position is not None
    assert own.position.index == 1
    assert alric.screen.seen(alric.mobile.serial).position.x == 157.5
    assert [type(message) for message in shown] == [CreateGhost]
    assert alric.screen.of(sheep.serial) is not None
    assert not alric.session.loading
    assert berta.screen.of(alric.mobile.serial) is None
    scene.agree()


def test_a_warp_can_be_told_without_a_loading_screen(scene: Scene, alric: Client) -> None:
    scene.view.figures.rendering = Rendering(loading_teleport=False)
    scene.turn()
    heard(alric)
    scene.world.warp(alric.mobile, scene.world.realms["plain"], 57, 57)
    scene.turn()
    assert TeleportNoReload(x=157.5, y=-5.0, z=257.5, heading=0.0) in heard(alric)


def test_a_realm_without_a_place_ends_the_client(scene: Scene, alric: Client) -> None:
    scene.turn()
    assert alric.link.endings == []
    scene.world.warp(alric.mobile, scene.world.realms["cave"], 5, 5)
    scene.turn()
    assert [ending for ending, _ in alric.link.endings] == [Ending.KICKED]


def test_another_zone_is_another_loading_screen() -> None:
    scene = Scene(eq2_content(cave=True))
    alric = scene.client("Alric", 20, 20)
    scene.turn()
    asked: list[bool] = []
    alric.session.rezone = lambda: asked.append(True)
    heard(alric)
    scene.world.warp(alric.mobile, scene.world.realms["cave"], 5, 5)
    scene.turn()
    assert asked == [True]
    assert alric.link.endings == []
    assert not any(isinstance(message, Teleport) for message in heard(alric))
