"""Into the world: the map, the surroundings, and the requests whose echo the client waits for."""

from __future__ import annotations

import pytest

from protocol.co.figures import NIGHT_TINT, TINTS
from protocol.co.packets import (
    NO_TINT,
    Action,
    ActionType,
    Attribute,
    ItemInfo,
    ItemPosition,
    MapInfo,
    NpcInfo,
    Player,
    TaskDialog,
    UserAttrib,
    Weather,
)
from protocol.co.versions import CoVersion
from protocol.denials import Denial
from protocol.endings import Ending
from protocol.session import Phase
from tests.kit.co_desk import CORNER, DOCUMENT, FIRST_PLAYER, MAP, START, Desk, place_of
from world import speech
from world.daytime import DAY_SECONDS, HOUR_SECONDS, daytime

ECHOED = (
    ActionType.ITEMS,
    ActionType.FRIENDS,
    ActionType.WEAPON_SKILLS,
    ActionType.MAGIC,
    ActionType.GUILD,
    ActionType.LOGIN_COMPLETE,
)


@pytest.mark.parametrize("version", list(CoVersion))
async def test_the_first_map(version: CoVersion) -> None:
    desk = Desk(version=version)
    desk.makes("alric")
    alric = await desk.at_the_door("alric")
    alric.got.clear()
    await alric.acts(ActionType.ENTER_MAP)
    assert alric.kinds() == ["Action ENTER_MAP", "Action MAP_COLOUR", "MapInfo", "Weather", "UserAttrib"]
    (where,) = alric.actions(ActionType.ENTER_MAP)
    assert (where.id, where.data) == (alric.number, DOCUMENT)
    assert (where.x, where.y) == place_of(*START) == (CORNER[0] + 20, CORNER[1] + 20)
    info = alric.only(MapInfo)
    assert (info.map, info.document) == (MAP, DOCUMENT)
    assert alric.took(Weather)
    values = {entry.attribute: entry.value for entry in alric.only(UserAttrib).attributes}
    mobile = alric.mobile
    assert values[Attribute.LIFE] == mobile.hits
    assert values[Attribute.MAX_LIFE] == mobile.hits_max
    assert values[Attribute.SILVER] == 100
    assert values[Attribute.STATUS] == 0
    assert alric.session.phase is Phase.IN_WORLD
    assert alric.session.loading
    assert alric.screen.faults == []


async def test_nothing_of_the_world_is_shown_before_the_map_is_loaded() -> None:
    desk = Desk()
    desk.resident("crier", 22, 22)
    desk.makes("alric")
    alric = await desk.at_the_door("alric")
    await alric.acts(ActionType.ENTER_MAP)
    alric.got.clear()
    berta = await desk.enter("berta", (21, 20))
    speech.say(berta.mobile, "Hello")
    await desk.wait(1.0)
    assert alric.got == []
    await alric.acts(ActionType.SURROUNDINGS)
    await desk.wait(0.1)
    assert sorted(alric.kinds()) == ["NpcInfo", "Player"], "and the request itself does not come back"
    assert alric.screen.faults == []


async def test_others_see_who_enters() -> None:
    desk = Desk()
    berta = await desk.enter("berta", (22, 20))
    alric = await desk.enter("alric")
    assert [shown.id for shown in berta.took(Player)] == [alric.number]


@pytest.mark.parametrize("kind", ECHOED)
async def test_every_request_comes_back_as_it_was(kind: ActionType) -> None:
    desk = Desk()
    desk.makes("alric")
    alric = await desk.at_the_door("alric")
    await alric.acts(ActionType.ENTER_MAP)
    await alric.acts(ActionType.SURROUNDINGS)
    alric.got.clear()
    request = Action(0x1234, alric.number, 5, 6, 7, 8, kind)
    await alric.says(request)
    (echo,) = alric.actions(kind)
    assert echo == request
    if kind is ActionType.LOGIN_COMPLETE:
        assert alric.lines() == ["Welcome to Causeway, Alric."]


async def test_items_come_before_the_echo() -> None:
    desk = Desk()
    desk.makes("alric")
    alric = await desk.at_the_door("alric")
    await alric.acts(ActionType.ENTER_MAP)
    alric.got.clear()
    await alric.acts(ActionType.ITEMS)
    assert alric.kinds()[-1] == "Action ITEMS"
    assert {*alric.kinds()[:-1]} == {"ItemInfo"}
    told = alric.took(ItemInfo)
    assert len(told) == len({item.id for item in told})
    assert any(item.position == ItemPosition.ARMOUR for item in told)
    assert any(item.position == ItemPosition.BAG for item in told)
    gold = alric.figures.looks.items["gold"].item
    assert gold not in {item.item_type for item in told}, "coins are silver"


async def test_the_whole_way_in_and_the_screen_at_its_end() -> None:
    for version in CoVersion:
        desk = Desk(version=version)
        desk.resident("crier", 22, 22)
        desk.resident("sheep", 25, 25)
        await desk.enter("berta", (38, 38))
        await desk.enter("clara", (39, 20))  # beyond the screen
        alric = await desk.enter("alric")
        assert alric.screen.faults == []
        assert {shown.name for shown in alric.screen.people.values()} == {"Berta", "a sheep"}
        assert {shown.name for shown in alric.screen.npcs.values()} == {"Barnaby"}
        assert alric.session.complete
        assert not alric.session.loading


async def test_who_never_asks_for_its_surroundings_is_shown_them_when_it_is_done() -> None:
    desk = Desk()
    desk.resident("crier", 22, 22)
    desk.makes("alric")
    alric = await desk.at_the_door("alric")
    await alric.acts(ActionType.ENTER_MAP)
    await alric.acts(ActionType.LOGIN_COMPLETE)
    await desk.wait(0.1)
    assert alric.took(NpcInfo)
    assert not alric.session.loading


async def test_surroundings_are_shown_anew_as_often_as_they_are_asked_for() -> None:
    desk = Desk()
    crier = desk.resident("crier", 22, 22)
    alric = await desk.enter("alric")
    for _ in range(3):
        await alric.acts(ActionType.SURROUNDINGS)
        await desk.wait(1.0)
        assert [info.id for info in alric.took(NpcInfo)] == [alric.figures.ids.of(crier)]


async def test_the_welcome_is_said_once() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await desk.wait(2.0)
    await alric.acts(ActionType.LOGIN_COMPLETE)
    assert alric.lines() == []
    assert len(alric.actions(ActionType.LOGIN_COMPLETE)) == 1


async def test_the_map_may_be_asked_for_again() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await desk.wait(2.0)
    await alric.acts(ActionType.ENTER_MAP)
    (where,) = alric.actions(ActionType.ENTER_MAP)
    assert (where.x, where.y) == place_of(*START)
    assert alric.session.phase is Phase.IN_WORLD


@pytest.mark.parametrize("kind", [kind for kind in ActionType if kind is not ActionType.ENTER_MAP])
async def test_before_the_first_map_nothing_else_is_answered(kind: ActionType) -> None:
    desk = Desk()
    desk.makes("alric")
    alric = await desk.at_the_door("alric")
    alric.got.clear()
    await alric.acts(kind)
    assert alric.got == []
    assert alric.line.ending is None
    assert alric.session.phase is Phase.ENTERING


async def test_one_enters_once() -> None:
    desk = Desk()
    desk.makes("alric")
    alric = await desk.at_the_door("alric")
    frame = Action.of(ActionType.ENTER_MAP, alric.number).encode(desk.version)
    entry = alric.table.entry(Action.type)
    assert entry is not None
    packet = entry.decode(frame)
    for _ in range(3):
        entry.handler(alric.session, packet)
    await desk.settle()
    assert alric.session.mobile is not None
    assert len(alric.took(MapInfo)) == 1


async def test_who_stands_where_this_game_has_no_place_is_sent_away() -> None:
    desk = Desk()
    mobile = desk.makes("alric")
    alric = await desk.at_the_door("alric")
    desk.world.warp(mobile, desk.world.realms["void"], 5, 5)
    alric.got.clear()
    await alric.acts(ActionType.ENTER_MAP)
    assert alric.lines() == ["Your character stands where this client has no map."]
    assert alric.line.ending is Ending.REFUSED


async def test_a_character_that_cannot_be_entered_ends_the_client() -> None:
    desk = Desk()
    desk.makes("alric")
    alric = await desk.at_the_door("alric")
    alric.got.clear()
    desk.deny = Denial.UNAVAILABLE
    await alric.acts(ActionType.ENTER_MAP)
    assert alric.lines() == ["temporarily unavailable"]
    assert alric.line.ending is Ending.REFUSED


async def test_a_build_is_seen_by_those_who_knew_the_character_already() -> None:
    desk = Desk()
    mobile = desk.makes("alric")
    desk.keep(mobile.serial, "co", "body", "1004")
    berta = await desk.enter("berta", (22, 20))
    number = FIRST_PLAYER + mobile.serial
    assert berta.screen.people[number].look % 10_000 == 1003
    await desk.enter("alric")
    assert berta.screen.people[number].look % 10_000 == 1004


async def test_the_ghost_that_comes_back_is_a_ghost() -> None:
    desk = Desk()
    mobile = desk.makes("alric")
    mobile.dead = True
    alric = await desk.at_the_door("alric")
    await alric.loads()
    assert alric.screen.me is not None
    assert alric.screen.me.ghost
    assert alric.screen.me.status & 0x400


# The time of day


async def test_the_hour_colours_the_map() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    seen = set()
    for _ in range(24):
        await desk.wait(HOUR_SECONDS)
        (told,) = alric.actions(ActionType.MAP_COLOUR)
        hour = daytime(desk.world).hour
        assert told.data == TINTS.get(hour, NIGHT_TINT if hour > 20 or hour < 5 else NO_TINT), hour
        seen.add(told.data)
    assert len(seen) == 5


async def test_who_loads_is_told_the_hour_with_its_map() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    alric.session.loading = True
    await desk.wait(HOUR_SECONDS)
    assert alric.got == []


async def test_who_has_left_is_told_no_more() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    alric.hang_up()
    await desk.wait(DAY_SECONDS / 6)
    assert alric.got == []


async def test_a_window_that_opens_while_it_loads_waits() -> None:
    desk = Desk()
    healer = desk.resident("healer", 22, 22)
    alric = await desk.enter("alric")
    alric.session.loading = True
    alric.mobile.dead = True
    await desk.wait(0.1)
    alric.session.loading = False
    await alric.clicks(healer)
    assert alric.took(TaskDialog)
