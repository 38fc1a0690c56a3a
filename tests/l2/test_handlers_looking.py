"""Lineage II: clicks on people and things."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.l2.handlers.looking import COMES_WITHIN, aim
from protocol.l2.handlers.motion import ELSEWHERE
from protocol.l2.packets import (
    Action,
    ActionFailed,
    AddTradeItem,
    AnswerTradeRequest,
    AttackRequest,
    DeleteObject,
    Die,
    DlgAnswer,
    GetItem,
    MoveToLocation,
    MyTargetSelected,
    NpcHtmlMessage,
    RequestJoinParty,
    RequestMagicSkillUse,
    RequestRestartPoint,
    RequestShowMiniMap,
    RequestTargetCancel,
    Revive,
    ShowMiniMap,
    StatusUpdate,
    TargetSelected,
    TargetUnselected,
    TeleportToLocation,
    TradeDone,
    TradeRequest,
    ValidatePosition,
)
from tests.kit.l2_desk import Desk, Player, place_of
from world import holding, life
from world.reach import Refusal

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile


def lying(desk: Desk, key: str, x: int, y: int, amount: int = 1) -> Item:
    """Something on the plain."""
    item = holding.make(desk.world, key, amount=amount, stored=False)
    desk.world.enter(item, desk.world.realms["plain"], x, y)
    return item


async def clicks(player: Player, thing: Mobile | Item) -> None:
    """One click, some time after the last."""
    await player.desk.wait(0.15)
    await player.says(Action(thing.serial, *place_of(0, 0), 0))


def owned(player: Player) -> set[int]:
    pack = player.mobile.backpack
    assert pack is not None
    return set(pack.contents)


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


async def test_an_attack_is_a_look_as_nobody_fights_yet() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    await alric.says(AttackRequest(berta.mobile.serial, 0, 0, 0, 0))
    assert alric.only(MyTargetSelected).object_id == berta.mobile.serial
    assert alric.only(ActionFailed)
    assert berta.kinds() == ["TargetSelected"]
    assert berta.mobile.hits == berta.mobile.hits_max


async def test_a_second_click_talks_to_who_stands_near() -> None:
    desk = Desk()
    crier = desk.resident("crier", 24, 20)
    alric = await desk.enter("alric")
    await clicks(alric, crier)
    assert alric.took(NpcHtmlMessage) == []
    await clicks(alric, crier)
    page = alric.only(NpcHtmlMessage)
    assert page.object_id == crier.serial
    assert "Alric" in page.html
    assert alric.took(ActionFailed)
    assert alric.took(MoveToLocation) == []


async def test_one_walks_up_to_who_is_far_and_talks_then() -> None:
    desk = Desk()
    crier = desk.resident("crier", 40, 40)
    alric = await desk.enter("alric", (20, 40))
    await clicks(alric, crier)
    await clicks(alric, crier)
    assert alric.only(MoveToLocation).to_x == place_of(40 - COMES_WITHIN, 40)[0]
    assert alric.took(NpcHtmlMessage) == []
    await desk.wait(10)
    assert alric.only(NpcHtmlMessage).object_id == crier.serial
    assert alric.tile == (40 - COMES_WITHIN, 40)


async def test_who_has_gone_away_meanwhile_is_not_talked_to() -> None:
    desk = Desk()
    crier = desk.resident("crier", 40, 40)
    alric = await desk.enter("alric", (20, 40))
    await clicks(alric, crier)
    await clicks(alric, crier)
    await desk.wait(1)
    desk.world.warp(crier, desk.world.realms["plain"], 55, 40)
    await desk.wait(10)
    assert alric.took(NpcHtmlMessage) == []
    assert Refusal.FAR.value in alric.told()


async def test_who_thinks_again_on_the_way_says_nothing() -> None:
    desk = Desk()
    crier = desk.resident("crier", 40, 40)
    alric = await desk.enter("alric", (20, 40))
    await clicks(alric, crier)
    await clicks(alric, crier)
    await desk.wait(1)
    await alric.goes(25, 30)
    await desk.wait(10)
    assert alric.took(NpcHtmlMessage) == []


async def test_who_is_taken_over_on_the_way_says_nothing() -> None:
    desk = Desk()
    crier = desk.resident("crier", 40, 40)
    alric = await desk.enter("alric", (20, 40))
    await clicks(alric, crier)
    await clicks(alric, crier)
    mobile = alric.mobile
    alric.hang_up()
    await desk.wait(10)
    assert not mobile.dialogs


async def test_somebody_who_listens_takes_a_click_for_a_greeting() -> None:
    desk = Desk()
    farmer, banker = desk.resident("farmer", 22, 20), desk.resident("banker", 20, 22)
    said: list[tuple[str, str]] = []
    desk.world.listeners[farmer.serial] = lambda speaker, text: said.append((speaker.name, text))
    desk.world.listeners[banker.serial] = lambda speaker, text: said.append((speaker.name, text))
    alric = await desk.enter("alric")
    for resident in (farmer, banker):
        await clicks(alric, resident)
        await clicks(alric, resident)
    assert said == [("Alric", f"hello, {farmer.name}"), ("Alric", "balance")]


async def test_the_healer_helps_the_dead_alone() -> None:
    desk = Desk()
    healer = desk.resident("healer", 22, 20)
    alric = await desk.enter("alric")
    await clicks(alric, healer)
    await clicks(alric, healer)
    assert not alric.mobile.dialogs
    life.kill(alric.mobile)
    await clicks(alric, healer)
    (dialog,) = alric.mobile.dialogs.values()
    assert dialog.name == life.RESURRECT
    await alric.says(DlgAnswer(0, 1, dialog.serial))
    assert not alric.mobile.dead


async def test_a_click_picks_up_what_lies_near() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    apple = lying(desk, "dagger", 21, 20)
    await desk.wait(0.1)
    alric.got.clear()
    await clicks(alric, apple)
    assert apple.serial in owned(alric)
    taken = alric.only(GetItem)
    assert (taken.player_id, taken.object_id) == (alric.mobile.serial, apple.serial)
    assert (taken.x, taken.y, taken.z) == place_of(21, 20)
    for player in (alric, berta):
        assert [gone.object_id for gone in player.took(DeleteObject)] == [apple.serial]
    assert alric.took(ActionFailed)


async def test_one_walks_to_what_lies_far_and_picks_it_up_then() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = lying(desk, "dagger", 35, 25)
    await desk.wait(0.1)
    await clicks(alric, dagger)
    assert alric.only(MoveToLocation).to_x == place_of(35, 25)[0]
    assert dagger.serial not in owned(alric)
    await desk.wait(10)
    assert dagger.serial in owned(alric)


async def test_who_comes_too_late_is_told_so() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = lying(desk, "dagger", 35, 25)
    await desk.wait(0.1)
    await clicks(alric, dagger)
    await desk.wait(1)
    desk.world.delete(dagger)
    alric.got.clear()
    await desk.wait(10)
    assert "not there any more" in str(alric.got)
    assert alric.took(ActionFailed)


async def test_what_lies_behind_a_wall_is_not_reached() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (20, 21))
    dagger = lying(desk, "dagger", 20, 14)
    await desk.wait(0.1)
    await clicks(alric, dagger)
    await desk.wait(5)
    assert alric.tile == (20, 19)
    assert dagger.realm is not None
    assert Refusal.FAR.value in alric.told()


async def test_a_click_opens_what_lies_near() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    bag = lying(desk, "bag", 21, 20)
    await desk.wait(0.1)
    await clicks(alric, bag)
    assert "empty" in alric.only(NpcHtmlMessage).html
    bread = holding.make(desk.world, "bread", amount=3, stored=False)
    holding.put(bag, bread)
    await clicks(alric, bag)
    assert "bread loaf (3)" in alric.only(NpcHtmlMessage).html
    assert bag.serial not in owned(alric)


async def test_who_holds_shift_does_not_walk() -> None:
    desk = Desk()
    crier = desk.resident("crier", 40, 40)
    alric = await desk.enter("alric", (20, 40))
    dagger = lying(desk, "dagger", 30, 40)
    await desk.wait(0.1)
    alric.got.clear()
    for serial in (dagger.serial, crier.serial, crier.serial):
        await alric.says(Action(serial, 0, 0, 0, 1))
    assert alric.took(MoveToLocation) == []
    assert alric.tile == (20, 40)
    assert len(alric.took(ActionFailed)) == 3


@pytest.mark.parametrize("kind", ["sitting", "dead"])
async def test_who_cannot_walk_picks_up_what_is_near_or_nothing(kind: str) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dagger = lying(desk, "dagger", 35, 25)
    await desk.wait(0.1)
    if kind == "dead":
        life.kill(alric.mobile)
    else:
        alric.mobile.posture = 2
    await clicks(alric, dagger)
    await desk.wait(5)
    assert alric.tile == (20, 20)
    assert dagger.realm is not None
    assert alric.took(ActionFailed)


async def test_what_the_world_does_not_have_yet_is_refused_and_hurts_nobody() -> None:
    """Also with a body that is too short, as one client sends it."""
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    alric.got.clear()
    for packet in (
        TradeRequest(berta.mobile.serial),
        AnswerTradeRequest(1),
        AddTradeItem(1, 2, 3),
        TradeDone(1),
        RequestJoinParty("Berta", 0),
        RequestMagicSkillUse(3, 0, 0),
    ):
        frame = alric.session.dialect.encode(packet)
        for body in (frame, frame[:1], frame + bytes(20)):
            await alric.sends(body)
            assert sorted(alric.kinds()) == ["ActionFailed", "SystemMessage"], "its player reads why"
            alric.got.clear()
            await alric.desk.wait(1.1)  # which is not said again sooner
            alric.got.clear()
    assert berta.got == []
    assert alric.line.ending is None


async def test_the_dead_are_shown_the_way_to_the_healer() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    healer = desk.resident("healer", 50, 50)
    await alric.says(RequestRestartPoint(0))
    await desk.wait(1)
    assert sorted(alric.kinds()) == ["ActionFailed", "SystemMessage"], "it is not dead"
    alric.got.clear()
    life.kill(alric.mobile)
    await desk.wait(1)
    (fallen,) = alric.took(Die)
    assert (fallen.object_id, fallen.to_village) == (alric.mobile.serial, 1)
    await alric.says(RequestRestartPoint(0))
    assert alric.took(Revive), "else its client lets nobody walk"
    assert alric.took(TeleportToLocation)
    assert alric.mobile.dead
    assert max(abs(alric.mobile.x - healer.x), abs(alric.mobile.y - healer.y)) == 1


async def test_the_button_of_the_map_opens_it() -> None:
    alric = await Desk().enter("alric")
    await alric.says(RequestShowMiniMap())
    assert alric.took(ShowMiniMap) == [ShowMiniMap(1665)]
    assert alric.session.dialect.encode(ShowMiniMap(1665)).hex() == "9d8106000000000000"
