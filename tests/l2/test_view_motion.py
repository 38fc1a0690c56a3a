"""What clients of Lineage II believe of motion, turns and warps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.endings import Ending
from protocol.l2.packets import (
    BeginRotation,
    ChangeMoveType,
    ChangeWaitType,
    DeleteObject,
    MoveToLocation,
    StopMove,
    StopRotation,
    TeleportToLocation,
    UserInfo,
    ValidateLocation,
    Wait,
)
from tests.kit.l2_scene import Client, Scene, middle
from tests.kit.l2_view import goal, kinds
from world import furniture, holding, journeys, motion
from world.heading import EAST, NORTH, SOUTH, WEST
from world.mobile import Posture

if TYPE_CHECKING:
    from collections.abc import Callable

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


def travels(client: Client) -> bool:
    return client.mobile.gait.journey is not None


# Motion


def test_a_step_is_one_line_to_the_next_tile(scene: Scene, alric: Client, berta: Client) -> None:
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    run, line = alric.heard()
    assert run == ChangeMoveType(berta.mobile.serial, 1)
    assert line == MoveToLocation(berta.mobile.serial, *middle(23, 20), *middle(22, 20))
    motion.step(berta.mobile, SOUTH, run=True)
    scene.turn()
    line = alric.only(MoveToLocation)
    assert (line.to_x, line.to_y, line.to_z) == middle(23, 21)
    motion.step(berta.mobile, WEST)
    scene.turn()
    assert alric.heard()[0] == ChangeMoveType(berta.mobile.serial, 0)
    scene.agree()


def test_who_walks_is_drawn_at_the_pace_of_its_game(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.gait.walk_ms, berta.mobile.gait.run_ms = 400, 200
    berta.mobile.name = "Berta"
    scene.world.warp(berta.mobile, scene.world.realms["plain"], 24, 20)
    berta.appears()
    scene.turn()
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    shown = alric.screen.people[berta.mobile.serial]
    assert shown.speed == 120
    assert shown.moves(scene.now + 0.19)
    assert not shown.moves(scene.now + 0.21)


def test_all_viewers_hear_whether_somebody_runs(scene: Scene, alric: Client, berta: Client) -> None:
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    carl = scene.client("Carl", 25, 25)
    scene.turn()
    motion.step(berta.mobile, EAST)
    scene.turn()
    dora = scene.client("Dora", 26, 25)
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    scene.agree()
    motion.step(berta.mobile, EAST)
    scene.turn()
    scene.agree()
    assert not any(one.screen.people[berta.mobile.serial].running for one in (alric, carl, dora))


def test_who_comes_to_see_a_runner_makes_nobody_hear_of_it_again(
    scene: Scene, alric: Client, berta: Client
) -> None:
    """With nearly every step somebody does."""
    journeys.set_running(berta.mobile, True)
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    alric.heard()
    carl = scene.client("Carl", 25, 25)
    scene.turn()
    alric.heard()
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    assert [type(message) for message in alric.heard()] == [MoveToLocation]
    assert carl.screen.people[berta.mobile.serial].running
    scene.agree()


def test_whoever_enters_from_this_game_runs(scene: Scene, alric: Client, berta: Client) -> None:
    journeys.set_running(berta.mobile, True)
    scene.turn()
    assert alric.screen.people[berta.mobile.serial].running
    assert scene.view.figures.own(berta.mobile).running == 1
    scene.agree()


def _is_stopped(mobile: Mobile) -> None:
    motion.halt(mobile)


def _is_warped(mobile: Mobile) -> None:
    mobile.world.warp(mobile, mobile.world.realms["plain"], 24, 24)


def _goes_elsewhere(mobile: Mobile) -> None:
    journeys.travel(mobile, 22, 27, run=True)


@pytest.mark.parametrize("then", [_is_stopped, _is_warped, _goes_elsewhere])
def test_of_a_way_that_ends_in_the_turn_it_begins_in_nobody_draws_the_line(
    scene: Scene, alric: Client, berta: Client, then: Callable[[Mobile], None]
) -> None:
    journeys.travel(berta.mobile, 27, 20)
    then(berta.mobile)
    scene.turn()
    if berta.session.loading:
        berta.appears()
    scene.turn()
    scene.agree()
    assert kinds(alric).count(MoveToLocation) == int(travels(berta))


def test_whoever_travels_is_one_line_for_everybody(scene: Scene, alric: Client, berta: Client) -> None:
    journeys.travel(berta.mobile, 27, 20, run=True)
    scene.turn()
    lines = [message for message in alric.heard() if isinstance(message, MoveToLocation)]
    assert lines == [MoveToLocation(berta.mobile.serial, *middle(27, 20), *middle(22, 20))]
    assert berta.only(MoveToLocation) == lines[0], "its own client goes nowhere by itself"
    scene.agree()
    scene.wait(0.8)
    assert alric.heard() == berta.heard() == []
    scene.agree()
    scene.wait(0.5)
    assert berta.mobile.x == 27
    assert berta.only(StopMove) == StopMove(berta.mobile.serial, *middle(27, 20), 0)
    assert alric.heard() == [], "it was told where it ends"
    scene.agree()


def test_the_line_takes_as_long_as_the_way(scene: Scene, alric: Client, berta: Client) -> None:
    journeys.travel(berta.mobile, 32, 20, run=True)
    scene.turn()
    shown = alric.screen.people[berta.mobile.serial]
    ends = next(now / 100 for now in range(1000) if not shown.moves(scene.now + now / 100))
    assert ends == pytest.approx(10 * 0.209, abs=0.02)
    scene.wait(ends - 0.3)
    assert travels(berta)
    scene.wait(0.6)
    assert not travels(berta)
    scene.agree()


def test_who_is_stopped_stands_there(scene: Scene, alric: Client, berta: Client) -> None:
    journeys.travel(berta.mobile, 30, 20)
    scene.wait(0.7)
    assert 22 < berta.mobile.x < 30
    alric.heard()
    berta.heard()
    motion.halt(berta.mobile)
    scene.turn()
    stop = StopMove(berta.mobile.serial, *middle(berta.mobile.x, 20), 0)
    assert alric.only(StopMove) == berta.only(StopMove) == stop
    scene.agree()


def test_a_change_of_looks_on_the_way_does_not_end_it(scene: Scene, alric: Client, berta: Client) -> None:
    journeys.travel(berta.mobile, 35, 20)
    scene.wait(0.7)
    holding.wear(berta.mobile, holding.make(scene.world, "shirt", stored=False))
    scene.turn()
    assert goal(alric, berta.mobile) == middle(35, 20)
    scene.agree()


def test_who_stands_up_and_goes_at_once_is_not_drawn_standing(
    scene: Scene, alric: Client, berta: Client
) -> None:
    furniture.sit_on_floor(berta.mobile)
    scene.turn()
    furniture.stand_up(berta.mobile)
    journeys.travel(berta.mobile, 35, 20)
    scene.turn()
    assert goal(alric, berta.mobile) == goal(berta, berta.mobile) == middle(35, 20)
    scene.agree()


def test_a_turn_is_a_rotation_and_a_forced_one_is_told_to_oneself(
    scene: Scene, alric: Client, berta: Client
) -> None:
    motion.turn(berta.mobile, NORTH)
    scene.turn()
    begin, end = alric.heard()
    assert isinstance(begin, BeginRotation)
    assert end == StopRotation(berta.mobile.serial, 49_152, 65_535)
    assert berta.heard() == []
    motion.turn(berta.mobile, WEST, forced=True)
    scene.turn()
    assert berta.only(ValidateLocation) == ValidateLocation(berta.mobile.serial, *middle(22, 20), 32_768)
    assert alric.screen.people[berta.mobile.serial].heading == 32_768


def test_whoever_sits_is_seen_sitting(scene: Scene, alric: Client, berta: Client) -> None:
    furniture.sit_on_floor(berta.mobile)
    assert berta.mobile.posture == Posture.FLOOR
    scene.turn()
    sits = ChangeWaitType(berta.mobile.serial, Wait.SITTING, *middle(22, 20))
    assert alric.only(ChangeWaitType) == berta.only(ChangeWaitType) == sits
    scene.agree()
    furniture.stand_up(berta.mobile)
    scene.turn()
    assert alric.only(ChangeWaitType).wait == Wait.STANDING
    scene.agree()


# Warps


def test_a_warp_is_a_loading_screen(scene: Scene, alric: Client, berta: Client) -> None:
    sheep = scene.resident("sheep", 55, 55)
    scene.turn()
    scene.world.warp(berta.mobile, scene.world.realms["plain"], 57, 57)
    scene.turn()
    assert TeleportToLocation(berta.mobile.serial, *middle(57, 57), 16_384) in berta.heard()
    assert berta.session.loading
    assert sheep.serial not in berta.screen.npcs
    assert alric.only(DeleteObject).object_id == berta.mobile.serial
    motion.step(sheep, EAST)
    scene.turn()
    assert berta.heard() == []
    berta.appears()
    scene.turn()
    assert UserInfo in kinds(berta)
    assert sheep.serial in berta.screen.npcs


def test_who_is_warped_within_sight_is_put_there(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 22, 20)
    scene.turn()
    scene.world.warp(sheep, scene.world.realms["plain"], 30, 25)
    scene.turn()
    scene.agree()


def test_who_is_warped_on_its_way_is_not_drawn_where_it_was(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 22, 20)
    scene.turn()
    plain = scene.world.realms["plain"]
    journeys.travel(sheep, 30, 20)
    scene.wait(0.7)
    alric.heard()
    scene.world.warp(sheep, plain, 18, 28)
    scene.turn()
    assert StopMove not in kinds(alric)
    scene.agree()
    journeys.travel(sheep, 30, 28)
    scene.world.warp(sheep, plain, 22, 22)
    scene.turn()
    assert not {StopMove, MoveToLocation} & set(kinds(alric))
    scene.agree()


def test_who_changes_its_mind_in_one_turn_is_drawn_going_where_it_goes(
    scene: Scene, alric: Client, berta: Client
) -> None:
    journeys.travel(berta.mobile, 35, 20)
    journeys.travel(berta.mobile, 22, 30)
    scene.turn()
    for client in (alric, berta):
        moves = [message for message in client.heard() if isinstance(message, MoveToLocation)]
        assert [(move.to_x, move.to_y, move.to_z) for move in moves] == [middle(22, 30)]
    scene.agree()


def test_a_realm_without_a_place_ends_the_client(scene: Scene, alric: Client) -> None:
    scene.turn()
    assert alric.link.endings == []
    scene.world.warp(alric.mobile, scene.world.realms["cave"], 5, 5)
    scene.turn()
    assert [ending for ending, _ in alric.link.endings] == [Ending.KICKED]
