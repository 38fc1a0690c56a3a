"""Clicks that attack: walking up to somebody, going after it when it goes on, and what ends the fight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.l2.packets import (
    ActionFailed,
    Attack,
    AttackRequest,
    AutoAttackStart,
    CannotMoveAnymore,
    MoveToLocation,
    MyTargetSelected,
    RequestActionUse,
    RequestChangeWaitType,
    RequestTargetCancel,
    StopMove,
    TargetUnselected,
)
from tests.kit.l2_clicks import clicks, lying
from tests.kit.l2_desk import WALL, Desk, Player, place_of, small_content
from world import arms, fighting, motion
from world.heading import EAST, OFFSETS, apart
from world.mobile import Notoriety, Posture
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from world.content import Content
    from world.mobile import Mobile


def prey_on(desk: Desk, x: int, y: int) -> Mobile:
    """A creature that stands there, and bears much."""
    mobile = desk.resident("rat", x, y)
    assert mobile.template.fights is not None
    mobile.hits = mobile.hits_max = 500
    return mobile


def boxed(x: int, y: int) -> Content:
    """The small world, with walls all around a tile."""
    content = small_content()
    plain = content.charts["plain"]
    blocked = bytearray(plain.blocked)
    for dx, dy in OFFSETS:
        blocked[(y + dy) * plain.width + x + dx] = 1
    return attrs.evolve(
        content, charts={**content.charts, "plain": attrs.evolve(plain, blocked=bytes(blocked))}
    )


async def attacks(player: Player, thing: Mobile, *, shift: bool = False) -> None:
    """AttackRequest: a click with ctrl."""
    await player.desk.wait(0.15)
    await player.says(AttackRequest(thing.serial, *place_of(0, 0), int(shift)))


async def clicks_twice(player: Player, thing: Mobile) -> None:
    """Two clicks: one aims, another one attacks."""
    await clicks(player, thing)
    await clicks(player, thing)


def seeks(player: Player) -> bool:
    """Whether a way is looked for."""
    return player.mobile.gait.seeking is not None


def enemy_of(player: Player) -> int:
    """Serial of whom it fights; 0: nobody."""
    fighter = player.mobile.fighter
    return fighter.enemy if fighter is not None else 0


WAYS = pytest.mark.parametrize("way", [clicks_twice, attacks])


# Beginning


async def test_a_second_click_attacks_a_creature() -> None:
    desk = Desk()
    rat = prey_on(desk, 21, 20)
    alric = await desk.enter("alric")
    await clicks(alric, rat)
    (target,) = alric.took(MyTargetSelected)
    assert target.color == (arms.level_of(alric.mobile) - arms.level_of(rat)) & 0xFFFF
    assert enemy_of(alric) == 0
    await clicks(alric, rat)
    assert enemy_of(alric) == rat.serial
    assert alric.took(AutoAttackStart)
    assert alric.took(ActionFailed)


@WAYS
async def test_who_is_far_walks_up_and_strikes_then(
    way: Callable[[Player, Mobile], Awaitable[None]],
) -> None:
    desk = Desk()
    rat = prey_on(desk, 28, 26)
    alric = await desk.enter("alric", (20, 26))
    await way(alric, rat)
    assert enemy_of(alric) == 0
    assert [(m.to_x, m.to_y) for m in alric.took(MoveToLocation)] == [place_of(27, 26)[:2]]
    await desk.wait(6)
    assert enemy_of(alric) == rat.serial
    assert (alric.mobile.x, alric.mobile.y) == (27, 26)
    assert alric.took(Attack)
    assert Refusal.FAR.value not in alric.told()


@WAYS
async def test_who_finds_no_way_is_told_once_and_stands_as_near_as_it_gets(
    way: Callable[[Player, Mobile], Awaitable[None]],
) -> None:
    desk = Desk(boxed(28, 20))
    rat = prey_on(desk, 28, 20)
    alric = await desk.enter("alric", (21, 20))
    await way(alric, rat)
    await desk.wait(3)
    assert apart(alric.mobile, rat) == 2
    assert alric.told() == [Refusal.NO_PATH.value]
    assert alric.took(ActionFailed)
    assert enemy_of(alric) == 0
    assert alric.session.hunt is None


@WAYS
async def test_what_is_in_the_way_is_gone_around(way: Callable[[Player, Mobile], Awaitable[None]]) -> None:
    desk = Desk()
    rat = prey_on(desk, 28, 20)
    alric = await desk.enter("alric", (21, 20))  # a chair stands between
    await way(alric, rat)
    await desk.wait(3)
    assert apart(alric.mobile, rat) == 1
    assert len(alric.took(MoveToLocation)) > 1, "more than one straight line"
    assert enemy_of(alric) == rat.serial


async def test_with_shift_nobody_walks() -> None:
    desk = Desk()
    rat = prey_on(desk, 28, 26)
    alric = await desk.enter("alric", (20, 26))
    await attacks(alric, rat, shift=True)
    assert alric.told() == [Refusal.FAR.value]
    await desk.wait(3)
    assert (alric.mobile.x, alric.mobile.y) == (20, 26)


async def test_nobody_walks_to_what_must_not_be_attacked() -> None:
    desk = Desk()
    guard = desk.resident("guard", 26, 20)
    berta = await desk.enter("berta", (26, 24))
    alric = await desk.enter("alric", (20, 24))
    await attacks(alric, guard)
    await attacks(alric, berta.mobile)
    assert alric.told() == [Refusal.GUARDED.value, Refusal.YOUNG.value]
    assert alric.mobile.gait.journey is None
    assert alric.session.hunt is None


async def test_another_prey_is_not_struck_on_the_way_from_the_first() -> None:
    desk = Desk()
    near, far = prey_on(desk, 21, 26), prey_on(desk, 28, 26)
    alric = await desk.enter("alric", (20, 26))
    await attacks(alric, near)
    assert enemy_of(alric) == near.serial
    await attacks(alric, far)
    assert enemy_of(alric) == 0
    hits = near.hits
    await desk.wait(6)
    assert near.hits >= hits
    assert enemy_of(alric) == far.serial


@pytest.mark.parametrize(
    ("notoriety", "fought"),
    [(Notoriety.INNOCENT, False), (Notoriety.CRIMINAL, True), (Notoriety.MURDERER, True)],
)
async def test_a_second_click_attacks_criminals_and_goes_to_others(notoriety: int, fought: bool) -> None:
    desk = Desk()
    berta = await desk.enter("berta", (21, 20))
    alric = await desk.enter("alric", (20, 20))
    alric.mobile.level, berta.mobile.level = 9, 7
    berta.mobile.notoriety = notoriety
    await clicks(alric, berta.mobile)
    (target,) = alric.took(MyTargetSelected)
    assert target.color == (2 if fought else 0)
    await clicks(alric, berta.mobile)
    assert enemy_of(alric) == (berta.mobile.serial if fought else 0)


# Going after it


async def flees(desk: Desk, prey: Mobile, tiles: int, seconds: float) -> None:
    """It goes so many tiles to the east, each in that time."""
    for _ in range(tiles):
        assert motion.step(prey, EAST)
        await desk.wait(seconds)


async def test_who_flees_is_gone_after_and_struck_again() -> None:
    desk = Desk()
    rat = prey_on(desk, 21, 26)
    alric = await desk.enter("alric", (20, 26))
    await clicks_twice(alric, rat)
    assert enemy_of(alric) == rat.serial
    alric.got.clear()
    await flees(desk, rat, 12, 0.35)
    ways = [way for way in alric.took(MoveToLocation) if way.object_id == alric.mobile.serial]
    assert 2 <= len(ways) <= 12 * 0.35 / 0.4 + 1
    await desk.wait(3)
    assert apart(alric.mobile, rat) == 1
    alric.got.clear()
    await desk.wait(5)
    assert {(blow.object_id, blow.target_id) for blow in alric.took(Attack)} == {
        (alric.mobile.serial, rat.serial)
    }
    assert Refusal.FAR.value not in alric.told()


async def test_who_is_too_fast_is_given_up() -> None:
    desk = Desk()
    rat = prey_on(desk, 21, 26)
    alric = await desk.enter("alric", (20, 26))
    await clicks_twice(alric, rat)
    await flees(desk, rat, 36, 0.05)
    assert apart(alric.mobile, rat) > fighting.FARTHEST
    await desk.wait(8)
    assert enemy_of(alric) == 0
    assert alric.session.hunt is None
    stays = alric.mobile.x, alric.mobile.y
    await desk.wait(5)
    assert (alric.mobile.x, alric.mobile.y) == stays


async def test_prey_that_got_behind_something_is_given_up_in_words() -> None:
    desk = Desk(boxed(28, 20))
    rat = prey_on(desk, 23, 19)
    alric = await desk.enter("alric", (22, 20))
    await clicks_twice(alric, rat)
    assert enemy_of(alric) == rat.serial
    assert rat.realm is not None
    desk.world.warp(rat, rat.realm, 28, 20)
    await desk.wait(5)
    assert alric.told().count(Refusal.NO_PATH.value) == 1
    assert enemy_of(alric) == 0


# The end of it


async def ground(player: Player) -> None:
    await player.goes(20, 28)


async def sits(player: Player) -> None:
    await player.says(RequestChangeWaitType(0))


async def presses_sit(player: Player) -> None:
    await player.says(RequestActionUse(0, 0, 0))


async def esc(player: Player) -> None:
    await player.says(RequestTargetCancel(1))


@pytest.mark.parametrize("ends", [ground, sits, presses_sit, esc])
async def test_what_ends_a_fight(ends: Callable[[Player], Awaitable[None]]) -> None:
    desk = Desk()
    rat = prey_on(desk, 21, 26)
    alric = await desk.enter("alric", (20, 26))
    await clicks_twice(alric, rat)
    assert enemy_of(alric) == rat.serial
    await ends(alric)
    assert enemy_of(alric) == 0
    hits = rat.hits
    motion.step(rat, EAST)
    await desk.wait(6)
    assert rat.hits >= hits
    assert apart(alric.mobile, rat) > 1, "it goes after nobody"


@pytest.mark.parametrize("ends", [ground, sits, esc])
async def test_what_ends_the_way_to_a_fight(ends: Callable[[Player], Awaitable[None]]) -> None:
    desk = Desk()
    rat = prey_on(desk, 29, 26)
    alric = await desk.enter("alric", (20, 26))
    await attacks(alric, rat)
    await desk.wait(0.5)
    await ends(alric)
    await desk.wait(6)
    assert (enemy_of(alric), rat.hits) == (0, 500)
    assert alric.session.hunt is None


async def test_who_walks_to_something_else_leaves_the_fight() -> None:
    desk = Desk()
    rat = prey_on(desk, 21, 26)
    alric = await desk.enter("alric", (20, 26))
    dagger = lying(desk, "dagger", 28, 32)
    await clicks_twice(alric, rat)
    await clicks(alric, dagger)
    assert enemy_of(alric) == 0
    await desk.wait(4)
    assert dagger.root is alric.mobile


async def test_esc_lets_go_of_the_target() -> None:
    desk = Desk()
    rat = prey_on(desk, 21, 26)
    alric = await desk.enter("alric", (20, 26))
    await clicks_twice(alric, rat)
    await esc(alric)
    assert alric.session.target == 0
    assert alric.took(TargetUnselected)


async def test_who_is_made_to_sit_hunts_no_more() -> None:
    desk = Desk()
    rat = prey_on(desk, 29, 26)
    alric = await desk.enter("alric", (20, 26))
    await attacks(alric, rat)
    await desk.wait(0.5)
    motion.halt(alric.mobile)
    alric.mobile.posture = Posture.FLOOR
    await desk.wait(2)
    assert alric.session.hunt is None


async def test_who_bumps_into_something_while_a_way_is_looked_for_is_answered() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    desk.world.paths._per_turn = 0  # others are looked for
    await alric.goes(WALL[0], WALL[1] - 5)
    assert seeks(alric)
    assert alric.took(StopMove) == []
    await alric.says(CannotMoveAnymore(*place_of(20, 20), 0))
    assert not seeks(alric)
    assert alric.took(StopMove)
