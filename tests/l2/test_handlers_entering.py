"""The way into the world, and the time of day there."""

from __future__ import annotations

from itertools import permutations

import pytest

from protocol.endings import Ending
from protocol.l2.figures import DAWN_HOUR, DAYS_A_DAY
from protocol.l2.packets import (
    ActionFailed,
    CharacterSelect,
    CharInfo,
    ClientSetTime,
    CreatureSay,
    DeleteObject,
    EnterWorld,
    FriendList,
    ItemList,
    Logout,
    Message,
    NpcInfo,
    RequestManorList,
    RequestRestart,
    RequestSkillCoolTime,
    SendMacroList,
    ServerClose,
    ShortCutInit,
    SkillCoolTime,
    SunRise,
    SunSet,
    SystemMessage,
    SystemMessageId,
    UserInfo,
)
from protocol.services import Denial, NewCharacter
from protocol.session import Phase
from tests.kit.l2_desk import Desk, Player, place_of
from world import speech
from world.daytime import DAY_SECONDS, HOUR_SECONDS, daytime

BURST: tuple[Message, ...] = (RequestSkillCoolTime(), RequestManorList(), EnterWorld())


async def enters(desk: Desk, name: str) -> Player:
    """A client that has just entered, with all that it was sent since it chose its character."""
    player = await desk.selected(name)
    player.got.clear()
    await player.says(EnterWorld())
    return player


# Into the world


@pytest.mark.parametrize("burst", list(permutations(BURST)))
async def test_the_last_packets_before_the_world_come_in_any_order(burst: tuple[Message, ...]) -> None:
    player = await Desk().selected("alric")
    player.got.clear()
    await player.says(*burst)
    assert player.session.phase is Phase.IN_WORLD
    assert len(player.took(UserInfo)) == 1
    assert player.line.ending is None


async def test_the_way_in_is_short() -> None:
    player = await Desk().selected("alric")
    player.got.clear()
    await player.says(*BURST)
    encode = player.session.dialect.encode
    sizes = [len(encode(message)) + 2 for message in player.got if isinstance(message, Message)]
    assert len(sizes) == len(player.got) <= 35
    assert sum(sizes) <= 4096
    await player.desk.wait(2)
    assert len(player.took(UserInfo)) == 1, "what changed afterwards is told by itself"


async def test_one_is_shown_oneself_before_all_others() -> None:
    desk = Desk()
    await desk.enter("betty", (22, 20))
    desk.resident("healer", 24, 20)
    player = await enters(desk, "alric")
    kinds = player.kinds()
    assert kinds.count("UserInfo") == 1
    assert kinds.index("UserInfo") < min(kinds.index("CharInfo"), kinds.index("NpcInfo"))
    assert len(player.took(CharInfo)) == 1
    assert len(player.took(NpcInfo)) == 1
    own = player.only(UserInfo)
    assert (own.x, own.y, own.z) == place_of(*player.tile)
    assert own.object_id == player.mobile.serial


async def test_what_the_client_is_told() -> None:
    player = await enters(Desk(), "alric")
    for kind in (SendMacroList, ItemList, ShortCutInit, FriendList, SkillCoolTime, ClientSetTime):
        assert len(player.took(kind)) == 1, kind.__name__
    welcome, greeting = player.took(SystemMessage)
    assert welcome.message_id == SystemMessageId.WELCOME
    assert greeting.parameters[0].value == "Welcome to Causeway, Alric."
    assert player.took(ActionFailed)


async def test_others_see_who_enters() -> None:
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    player = await enters(desk, "alric")
    assert [info.object_id for info in betty.took(CharInfo)] == [player.mobile.serial]


@pytest.mark.parametrize("body", [b"", bytes(104), bytes(3)])
async def test_what_enter_world_carries_does_not_matter(body: bytes) -> None:
    player = await Desk().selected("alric")
    await player.sends(b"\3" + body)
    assert player.session.phase is Phase.IN_WORLD


async def test_one_enters_once() -> None:
    player = await Desk().enter("alric")
    await player.says(EnterWorld())
    assert player.took(UserInfo) == []
    assert player.line.ending is None


async def test_who_stands_where_this_game_has_no_place_is_sent_away() -> None:
    desk = Desk()
    player = await desk.selected("alric")
    desk.world.warp(desk.brings(desk.owned("alric")[0].serial), desk.world.realms["void"], 5, 5)
    await player.says(EnterWorld())
    assert player.took(ServerClose)
    assert player.line.ending is Ending.REFUSED


async def test_a_character_that_cannot_be_entered_ends_the_client() -> None:
    desk = Desk()
    player = await desk.selected("alric")
    desk.deny = Denial.UNAVAILABLE
    await player.says(EnterWorld())
    assert player.took(ServerClose)
    assert player.line.ending is Ending.REFUSED


async def test_a_class_is_seen_by_those_who_knew_the_character_already() -> None:
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    player = await desk.selected("alric")
    mobile = desk.brings(desk.owned("alric")[0].serial)  # played from another game
    desk.turn()
    assert [info.class_id for info in betty.took(CharInfo)] == [0]
    desk.keep(mobile.serial, "l2", "class", "18")
    await player.says(EnterWorld())
    assert [(info.race, info.class_id) for info in betty.took(CharInfo)] == [(1, 18)]
    assert player.took(UserInfo)[0].class_id == 18


async def test_a_class_is_seen_whatever_game_the_character_is_played_from() -> None:
    """Not by the object, which another login may make anew from what is stored."""
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    player = await desk.in_menu("alric")
    mobile = desk.owned("alric")[0]
    desk.keep(mobile.serial, "l2", "class", "18")
    await player.says(CharacterSelect(0), EnterWorld(), RequestRestart(), Logout())
    player.hang_up()
    betty.got.clear()
    desk.brings(mobile.serial)
    desk.turn()
    assert [(info.object_id, info.class_id) for info in betty.took(CharInfo)] == [(mobile.serial, 18)]


async def test_a_class_is_known_from_the_list_on() -> None:
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    mobile = desk.make_character("alric", NewCharacter("alric", False, 3, 1104, 1003))
    desk.keep(mobile.serial, "l2", "class", "53")
    await desk.in_menu("alric")
    desk.brings(mobile.serial)
    desk.turn()
    assert [(info.race, info.class_id) for info in betty.took(CharInfo)] == [(4, 53)]


# The time of day


async def test_the_client_is_told_the_time_every_hour() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await desk.wait(HOUR_SECONDS)
    told = player.only(ClientSetTime)
    now = daytime(desk.world)
    assert told.minutes // 60 == now.hour
    assert told.speed == DAYS_A_DAY == 20
    await desk.wait(DAY_SECONDS)
    assert len(player.took(ClientSetTime)) == 24
    assert len(player.took(SunRise)) == len(player.took(SunSet)) == 1


async def test_who_loads_is_told_the_time_when_it_has() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    before = daytime(desk.world).hour
    desk.world.warp(player.mobile, desk.world.realms["plain"], 5, 5)
    await desk.wait(0.1)
    assert player.session.loading
    player.got.clear()
    await desk.wait(HOUR_SECONDS * ((DAWN_HOUR - before) % 24 + 1))
    assert set(player.kinds()) <= {"NetPing"}, "nothing of it while it loads"
    await player.appears()
    now = daytime(desk.world)
    assert player.only(ClientSetTime).minutes == 60 * now.hour + now.minute
    assert len(player.took(SunRise)) == 1
    desk.world.warp(player.mobile, desk.world.realms["plain"], 20, 20)
    await desk.wait(0.1)
    await player.appears()
    assert len(player.took(ClientSetTime)) == 1
    assert not player.took(SunRise)
    assert not player.took(SunSet)


async def test_who_has_left_is_told_no_more() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    player.hang_up()
    await desk.wait(HOUR_SECONDS)
    assert player.got == []


async def test_news_reach_who_is_in() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    speech.to_all(desk.world, "Hear!", announce=True)
    desk.turn()
    assert [said.text for said in player.took(CreatureSay)] == ["Hear!"]
    assert player.took(DeleteObject) == []
