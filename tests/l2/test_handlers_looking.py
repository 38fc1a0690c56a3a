"""Lineage II: the first click, which aims."""

from __future__ import annotations

import pytest

from protocol.l2.handlers.aiming import aim
from protocol.l2.handlers.looking import COMES_WITHIN
from protocol.l2.handlers.motion import ELSEWHERE
from protocol.l2.packets import (
    Action,
    ActionFailed,
    AttackRequest,
    MoveToLocation,
    MyTargetSelected,
    RequestTargetCancel,
    StatusUpdate,
    TargetSelected,
    TargetUnselected,
    ValidatePosition,
)
from tests.kit.l2_clicks import clicks
from tests.kit.l2_desk import Desk, place_of
from world import life
from world.reach import Refusal


async def test_the_first_click_aims() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    await clicks(alric, berta.mobile)
    assert alric.only(MyTargetSelected) == MyTargetSelected(berta.mobile.serial, 0)
    assert alric.only(StatusUpdate).object_id == berta.mobile.serial
    assert alric.only(ActionFailed)
    assert alric.session.target == berta.mobile.serial


async def test_others_who_are_shown_somebody_see_whom_it_looks_at() -> None:
    """The wire forms but for the tail: server_packets_c6.json, 29 and 2a."""
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    carla = await desk.enter("carla", (50, 50))
    serial, place = alric.mobile.serial, place_of(20, 20)
    await clicks(alric, berta.mobile)
    assert berta.got == [TargetSelected(serial, berta.mobile.serial, *place)]
    berta.got.clear()
    await desk.wait(0.15)
    await alric.says(AttackRequest(berta.mobile.serial, 0, 0, 0, 0))
    assert berta.got == [], "it looks at nobody else than before"
    await clicks(alric, alric.mobile)
    assert berta.only(TargetSelected).target_id == serial
    await alric.says(RequestTargetCancel(1))
    assert berta.got == [TargetUnselected(serial, *place)]
    await alric.says(RequestTargetCancel(1))
    assert len(berta.got) == 1
    assert alric.took(TargetSelected) == carla.got == []
    version = alric.session.dialect
    told = version.encode(TargetSelected(0x1000A4D2, 0x1000A4D2, -71338, 258271, -3104))
    assert told.startswith(bytes.fromhex("29d2a40010d2a4001056e9feffdff00300e0f3ffff"))
    told = version.encode(TargetUnselected(0x1000A4D2, -71338, 258271, -3104))
    assert told.startswith(bytes.fromhex("2ad2a4001056e9feffdff00300e0f3ffff"))


async def test_whom_somebody_looks_at_is_encoded_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    others = [await desk.enter(name, (22, 22)) for name in ("berta", "carla", "doris")]
    bodies = []
    for player in others:
        monkeypatch.setattr(player, "flush", lambda: None)
    alric.desk.world.begin(desk.now)
    aim(alric.session, alric.mobile, alric.mobile)
    for player in others:
        bodies += player.session.outbox
    assert len(bodies) == 3
    assert len({id(body) for body in bodies}) == 1


async def test_who_loads_is_told_of_nobodys_target() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    desk.world.warp(berta.mobile, desk.world.realms["plain"], 21, 22)
    await desk.wait(0.1)
    assert berta.session.loading
    await clicks(alric, alric.mobile)
    assert berta.took(TargetSelected) == []


@pytest.mark.parametrize("how", ["goes", "hides", "leaves"])
async def test_who_was_out_of_sight_is_aimed_at_anew(how: str) -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (20, 40)), await desk.enter("berta", (30, 40))
    other, plain = berta.mobile, desk.world.realms["plain"]
    await clicks(alric, other)
    for away in (True, False):
        if how == "hides":
            other.hidden = away
        elif how == "leaves" and away:
            desk.world.leave(other)
        elif how == "leaves":
            desk.world.enter(other, plain, 30, 40)
        else:
            desk.world.warp(other, plain, 55 if away else 30, 40)
        await desk.wait(0.1)
        assert (other.serial in alric.session.known) is not away
        assert alric.session.target == 0
    alric.got.clear()
    await clicks(alric, other)
    assert alric.only(MyTargetSelected).object_id == other.serial
    assert alric.took(MoveToLocation) == [], "the first click on what was shown anew aims"


async def test_who_was_put_back_aims_anew() -> None:
    """Its client forgot everybody, its own character too."""
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    for other in (berta.mobile, alric.mobile):
        await clicks(alric, other)
        x, y, z = place_of(20 + ELSEWHERE + 1, 20)
        await alric.says(ValidatePosition(x, y, z, 0, 0))
        assert alric.session.loading
        await alric.appears()
        alric.got.clear()
        await clicks(alric, berta.mobile)
        assert alric.took(MoveToLocation) == []
        assert alric.only(MyTargetSelected).object_id == berta.mobile.serial
        assert [told.target_id for told in berta.took(TargetSelected)][-1] == berta.mobile.serial
        berta.got.clear()


async def test_whom_one_aims_at_stays_that_when_somebody_else_goes() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (20, 40)), await desk.enter("berta", (30, 40))
    carla = await desk.enter("carla", (31, 40))
    await clicks(alric, berta.mobile)
    desk.world.warp(carla.mobile, desk.world.realms["plain"], 55, 10)
    await desk.wait(0.1)
    assert alric.session.target == berta.mobile.serial


async def test_a_second_click_on_a_player_walks_up_to_it() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (20, 40)), await desk.enter("berta", (40, 40))
    await clicks(alric, berta.mobile)
    assert alric.took(MoveToLocation) == []
    alric.got.clear()
    await clicks(alric, berta.mobile)
    assert alric.only(MoveToLocation).to_x == place_of(40 - COMES_WITHIN, 40)[0]
    assert len(alric.took(ActionFailed)) == 1
    await desk.wait(10)
    assert alric.tile == (40 - COMES_WITHIN, 40)
    alric.got.clear()
    await clicks(alric, berta.mobile)
    assert alric.kinds() == ["ActionFailed"], "it is there"


@pytest.mark.parametrize("kind", ["sitting", "dead", "shift"])
async def test_who_cannot_walk_up_to_a_player_is_answered_all_the_same(kind: str) -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (20, 40)), await desk.enter("berta", (40, 40))
    await clicks(alric, berta.mobile)
    if kind == "dead":
        life.kill(alric.mobile)
    elif kind == "sitting":
        alric.mobile.posture = 2
    await desk.wait(0.2)
    alric.got.clear()
    await alric.says(Action(berta.mobile.serial, 0, 0, 0, int(kind == "shift")))
    assert alric.kinds() == ["ActionFailed"]
    await desk.wait(2)
    assert alric.tile == (20, 40)


async def test_one_may_aim_at_oneself() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await clicks(alric, alric.mobile)
    assert alric.only(MyTargetSelected).object_id == alric.mobile.serial
    assert alric.only(ActionFailed)
    await clicks(alric, alric.mobile)
    assert alric.kinds() == ["ActionFailed"]


async def test_esc_forgets_the_target() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    alric.got.clear()
    await alric.says(RequestTargetCancel(1))
    assert alric.kinds() == ["ActionFailed"]
    await clicks(alric, berta.mobile)
    alric.got.clear()
    await alric.says(RequestTargetCancel(1))
    gone = alric.only(TargetUnselected)
    assert (gone.object_id, gone.x, gone.y, gone.z) == (alric.mobile.serial, *place_of(20, 20))
    assert alric.session.target == 0


async def test_what_is_not_in_sight_cannot_be_clicked() -> None:
    desk = Desk()
    alric, far = await desk.enter("alric", (5, 5)), await desk.enter("berta", (55, 55))
    near, hiding = desk.resident("crier", 7, 7), desk.resident("crier", 8, 7)
    near.hidden = True
    await desk.wait(0.1)
    alric.got.clear()
    hiding.hidden = True  # since the last turn
    await alric.says(Action(hiding.serial, 0, 0, 0, 0))
    assert alric.session.target == 0
    alric.got.clear()
    for serial in (far.mobile.serial, near.serial, 0, -1, 0x7FFFFFFF):
        await desk.wait(0.15)
        await alric.says(Action(serial, 0, 0, 0, 0))
        await alric.says(AttackRequest(serial, 0, 0, 0, 0))
        desk.turn()
        assert alric.told() == [Refusal.UNSEEN.value] * 2
        assert alric.session.target == 0
