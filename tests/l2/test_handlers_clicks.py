"""Lineage II: the second click, which talks, picks up, opens and uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.l2.handlers.looking import COMES_WITHIN
from protocol.l2.packets import (
    Action,
    ActionFailed,
    AttackRequest,
    DeleteObject,
    Die,
    DlgAnswer,
    GetItem,
    MoveToLocation,
    MyTargetSelected,
    NpcHtmlMessage,
    RequestMagicSkillUse,
    RequestRestartPoint,
    RequestShowMiniMap,
    Revive,
    ShowMiniMap,
    SystemMessage,
    TeleportToLocation,
)
from tests.kit.l2_clicks import clicks, lying
from tests.kit.l2_desk import Desk, Player, place_of, small_content
from world import holding, life
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile


def owned(player: Player) -> set[int]:
    pack = player.mobile.backpack
    assert pack is not None
    return set(pack.contents)


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


async def on_the_way() -> tuple[Desk, Mobile, Player]:
    """Somebody who has clicked on a crier at the other end of the plain, and walks up to talk to him."""
    desk = Desk()
    crier = desk.resident("crier", 40, 40)
    alric = await desk.enter("alric", (20, 40))
    await clicks(alric, crier)
    await clicks(alric, crier)
    await desk.wait(1)
    return desk, crier, alric


async def test_who_has_gone_away_meanwhile_is_not_talked_to() -> None:
    desk, crier, alric = await on_the_way()
    desk.world.warp(crier, desk.world.realms["cave"], 5, 5)
    await desk.wait(10)
    assert alric.took(NpcHtmlMessage) == []
    assert Refusal.GONE.value in alric.told()


async def test_who_has_gone_on_meanwhile_is_followed() -> None:
    desk, crier, alric = await on_the_way()
    desk.world.warp(crier, desk.world.realms["plain"], 45, 30)
    await desk.wait(10)
    assert len(alric.took(NpcHtmlMessage)) == 1
    assert alric.told() == []


async def test_who_thinks_again_on_the_way_says_nothing() -> None:
    desk, _, alric = await on_the_way()
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
    desk = Desk(attrs.evolve(small_content(), quests={}))  # those who have any talk of that
    farmer, banker = desk.resident("farmer", 22, 20), desk.resident("banker", 20, 22)
    said: list[tuple[str, str]] = []
    desk.world.listeners[farmer.serial] = lambda speaker, text: said.append((speaker.name, text))
    desk.world.listeners[banker.serial] = lambda speaker, text: said.append((speaker.name, text))
    alric = await desk.enter("alric")
    for resident in (farmer, banker):
        await clicks(alric, resident)
        await clicks(alric, resident)
    assert said == [("Alric", f"hello, {farmer.name}")]
    assert "I keep" in alric.only(NpcHtmlMessage).html, "a banker has a counter"


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


async def test_coins_that_are_picked_up_are_the_clients_own() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await clicks(alric, lying(desk, "gold", 21, 20, 35))
    assert [
        (text.message_id, *(one.value for one in text.parameters)) for text in alric.took(SystemMessage)
    ] == [(28, (35,))]  # "You have obtained $s1 adena."


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


async def test_what_lies_behind_a_wall_is_walked_around_to() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (20, 21))
    dagger = lying(desk, "dagger", 20, 14)
    await desk.wait(0.1)
    await clicks(alric, dagger)
    await desk.wait(5)
    assert alric.tile == (20, 14)
    assert dagger.realm is None
    assert alric.told() == ["You pick up dagger."]


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
    for packet in (RequestMagicSkillUse(3, 0, 0),):
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
