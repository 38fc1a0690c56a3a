"""Lineage II: what may be done while a client loads after a warp, and what is told then."""

from __future__ import annotations

import pytest

from protocol.l2.handlers.motion import ELSEWHERE
from protocol.l2.handlers.table import PLAYER_ACTION
from protocol.l2.packets import (
    Action,
    ActionFailed,
    AttackRequest,
    Change,
    ChangeMoveType,
    ChangeWaitType,
    CharInfo,
    DeleteObject,
    FinishRotating,
    InventoryUpdate,
    Message,
    MoveBackwardToLocation,
    MoveToLocation,
    RequestActionUse,
    RequestBypassToServer,
    RequestChangeMoveType,
    RequestChangeWaitType,
    RequestDestroyItem,
    RequestDropItem,
    RequestFriendInvite,
    RequestLinkHtml,
    RequestSocialAction,
    RequestTargetCancel,
    RequestUnEquipItem,
    Say2,
    SendBypassBuildCmd,
    TeleportToLocation,
    TradeRequest,
    UseItem,
    UserInfo,
    ValidatePosition,
    Wait,
)
from protocol.l2.session import LOADING_SECONDS
from tests.kit.l2_desk import CAVE_MOUTH, TILE, WARP, Desk, place_of
from tests.kit.l2_ways import way
from world import holding
from world.heading import EAST
from world.mobile import Posture


async def test_a_warp_has_to_be_loaded_first() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (28, 20)), await desk.enter("berta", (40, 25))
    resident = berta.mobile.serial
    await alric.goes(*WARP)
    await desk.wait(1)
    teleport = alric.only(TeleportToLocation)
    assert (teleport.x, teleport.y, teleport.z) == place_of(5, 5)
    assert [gone.object_id for gone in berta.took(DeleteObject)] == [alric.mobile.serial]
    alric.got.clear()
    await alric.goes(8, 5)
    await desk.wait(1)
    assert alric.tile == (5, 5), "it is still loading"
    assert alric.took(MoveToLocation) == []
    await alric.appears()
    info = alric.only(UserInfo)
    assert (info.x, info.y, info.z) == place_of(5, 5)
    assert resident not in alric.session.known
    await alric.goes(8, 5)
    assert way(alric.only(MoveToLocation)) == place_of(8, 5)


async def test_who_sat_when_it_was_put_elsewhere_stands_there_for_its_own_client() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(RequestActionUse(0))
    assert alric.only(ChangeWaitType).wait == Wait.SITTING
    alric.got.clear()
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 40, 40)
    await desk.wait(0.1)
    await alric.appears()
    stands = alric.only(ChangeWaitType)
    assert (stands.wait, stands.x, stands.y, stands.z) == (Wait.STANDING, *place_of(40, 40))


async def test_to_appear_without_having_been_sent_away_means_nothing() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.appears()
    assert alric.got == []


async def test_another_realm_lies_elsewhere_on_the_same_map() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (31, 20))
    await alric.goes(*CAVE_MOUTH)
    await desk.wait(1)
    teleport = alric.only(TeleportToLocation)
    assert (teleport.x - 45_000) // TILE == 5
    await alric.appears()
    assert alric.mobile.realm is desk.world.realms["cave"]
    assert alric.only(UserInfo).x == teleport.x


async def test_what_came_while_a_client_loaded_is_told_afterwards() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 40, 40)
    await desk.wait(0.1)
    bread = holding.make(desk.world, "bread", stored=False)
    assert alric.mobile.backpack is not None
    holding.put(alric.mobile.backpack, bread)
    await desk.wait(0.1)
    assert alric.took(InventoryUpdate) == []
    await alric.appears()
    (change,) = alric.only(InventoryUpdate).changes
    assert (change.change, change.item.object_id) == (Change.ADDED, bread.serial)
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 20, 20)
    await desk.wait(0.1)
    await alric.appears()
    assert alric.took(InventoryUpdate) == [], "nothing is told twice"


@pytest.mark.parametrize("packet", [RequestChangeWaitType(0), RequestChangeMoveType(0), FinishRotating(0)])
async def test_what_everybody_has_to_see_is_not_done_faster_than_a_player_clicks(packet: Message) -> None:
    alric = await Desk().enter("alric")
    entry = alric.table.entry(alric.table.opcode_of_frame(alric.session.dialect.encode(packet)))
    assert entry is not None
    assert entry.every == PLAYER_ACTION.seconds


async def test_who_clicked_while_it_loaded_may_click_again_when_it_has() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 5, 5)
    await desk.wait(0.1)
    alric.got.clear()
    await alric.says(Action(alric.mobile.serial, 0, 0, 0, 0))
    assert alric.kinds() == ["ActionFailed"]
    await alric.appears()
    assert alric.kinds()[-1] == "ActionFailed"


DEEDS: list[Message] = [
    MoveBackwardToLocation(*place_of(8, 5), 0, 0, 0, 1),
    Say2("Here I am.", 0),
    Action(1, 0, 0, 0, 0),
    AttackRequest(1, 0, 0, 0, 0),
    RequestActionUse(0),
    RequestChangeWaitType(0),
    RequestChangeMoveType(0),
    RequestSocialAction(2),
    UseItem(1),
    RequestUnEquipItem(1),
    RequestDropItem(1, 1, 0, 0, 0),
    RequestDestroyItem(1, 1),
    SendBypassBuildCmd("help"),
    RequestBypassToServer("answer 1 2 3"),
    RequestLinkHtml("page.htm"),
    RequestFriendInvite("Berta"),
    RequestTargetCancel(1),
    TradeRequest(1),
]


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: type(deed).__name__)
async def test_what_is_refused_while_a_client_loads_is_answered(deed: Message) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 5, 5)
    await desk.wait(LOADING_SECONDS - 0.2)
    alric.got.clear()
    await alric.says(deed)
    assert alric.got == [ActionFailed()]
    assert alric.session.loading
    assert desk.orders == []


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: type(deed).__name__)
async def test_who_acts_long_after_it_was_put_elsewhere_has_loaded(deed: Message) -> None:
    """There are programs that never say so."""
    desk = Desk()
    berta, alric = await desk.enter("berta", (8, 8)), await desk.enter("alric", (40, 40))
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 5, 5)
    await desk.wait(LOADING_SECONDS + 0.2)
    assert alric.session.loading, "nobody said that it has loaded; a slow computer may need longer"
    alric.got.clear()
    await alric.says(deed)
    assert alric.session.playing is alric.mobile
    assert alric.kinds()[0] == "UserInfo"
    assert alric.only(UserInfo).x == place_of(5, 5)[0]
    assert [info.object_id for info in alric.took(CharInfo)] == [berta.mobile.serial]
    alric.got.clear()
    await alric.appears()
    assert alric.got == [], "it is late with that"


async def test_who_goes_on_without_a_word_goes() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 5, 5)
    await desk.wait(LOADING_SECONDS + 0.2)
    await alric.goes(8, 5)
    assert way(alric.only(MoveToLocation)) == place_of(8, 5)
    await desk.wait(2)
    assert alric.tile == (8, 5)


async def test_who_was_put_back_has_as_long_to_load() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await desk.wait(60)
    x, y, z = place_of(20 + ELSEWHERE + 1, 20)
    await alric.says(ValidatePosition(x, y, z, 0, 0))
    assert alric.session.loading
    await desk.wait(LOADING_SECONDS - 0.2)
    alric.got.clear()
    await alric.goes(22, 20)
    assert alric.got == [ActionFailed()]
    await desk.wait(0.4)
    await alric.goes(22, 20)
    assert alric.took(MoveToLocation)


async def test_a_client_is_told_to_load_before_it_is_told_what_is_gone() -> None:
    """Facts of the public servers: 28, then 12 for everything left behind."""
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    alric.got.clear()
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 50, 50)
    await desk.wait(0.1)
    assert alric.kinds() == ["TeleportToLocation", "DeleteObject"]
    assert alric.only(DeleteObject).object_id == berta.mobile.serial


async def test_who_ran_before_it_sat_on_a_seat_runs_afterwards() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric", (22, 20)), await desk.enter("berta", (24, 24))
    alric.mobile.heading = EAST
    await alric.says(RequestActionUse(0))
    assert alric.mobile.posture == Posture.CHAIR
    alric.mobile.title = "the Seated"
    await desk.wait(0.1)
    assert [info.running for info in alric.took(UserInfo)] == [1]
    assert berta.took(CharInfo)[-1].running == 1
    assert berta.took(ChangeMoveType)[-1].running == 1
    await alric.says(RequestActionUse(0))
    assert alric.mobile.posture == Posture.STANDING
    assert alric.mobile.running
    assert berta.took(ChangeMoveType)[-1].running == 1
