"""Back to the menu, out of the game, and the question whether a quiet client is still there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.l2.handlers.leaving import PING_SECONDS
from protocol.l2.packets import (
    CharacterCreate,
    CharacterSelect,
    CharInfo,
    CharSelectInfo,
    ClientSetTime,
    DeleteObject,
    EnterWorld,
    LeaveWorld,
    Logout,
    MoveToLocation,
    NetPing,
    NetPingReply,
    RequestRestart,
    RestartResponse,
    ServerClose,
    UserInfo,
)
from protocol.l2.session import GAME_DOOR
from protocol.session import Phase
from server.settings.config import Limits
from tests.kit.l2_desk import Desk
from world import journeys
from world.daytime import HOUR_SECONDS

if TYPE_CHECKING:
    from protocol.services import AccountInfo, CharacterInfo


async def test_restart_leads_to_the_menu() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(RequestRestart())
    assert player.kinds() == ["RestartResponse", "CharSelectInfo"]
    assert player.only(RestartResponse).ok == 1
    assert [line.name for line in player.only(CharSelectInfo).characters] == ["Alric"]
    assert player.session.phase is Phase.MENU
    assert player.session.mobile is None
    assert player.line.ending is None
    assert desk.durables == 1, "the list has to show what was done"


async def test_a_list_that_cannot_be_read_is_a_farewell_and_no_bug_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fails(account: AccountInfo, *, doomed: bool = False) -> list[CharacterInfo]:
        raise Denied(Denial.UNAVAILABLE)

    desk = Desk()
    player = await desk.enter("alric")
    monkeypatch.setattr(player.session.services.characters, "all", fails)
    await player.says(RequestRestart())
    assert player.took(ServerClose)
    assert player.line.ending is Ending.REFUSED


async def test_others_see_who_goes() -> None:
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    player = await desk.enter("alric")
    betty.got.clear()
    serial = player.mobile.serial
    await player.says(RequestRestart())
    assert [gone.object_id for gone in betty.took(DeleteObject)] == [serial]


async def test_nothing_of_the_world_reaches_the_menu() -> None:
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    player = await desk.enter("alric")
    await player.says(RequestRestart())
    player.got.clear()
    journeys.travel(betty.mobile, 26, 20)
    await betty.says_text("Where are you?")
    await desk.wait(HOUR_SECONDS)
    assert player.got == []


async def test_the_next_character_enters_on_the_same_connection() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(RequestRestart(), CharacterCreate("Carol", 1, 1, 18), CharacterSelect(1))
    player.got.clear()
    await player.says(EnterWorld())
    own = player.only(UserInfo)
    assert (own.name, own.class_id) == ("Carol", 18)
    assert player.session.phase is Phase.IN_WORLD


async def test_the_list_highlights_who_was_played_last() -> None:
    desk = Desk()
    player = await desk.in_menu("alric", characters=2)
    await player.says(CharacterSelect(1), EnterWorld(), RequestRestart())
    assert [line.last_used for line in player.took(CharSelectInfo)[-1].characters] == [0, 1]


async def test_who_comes_back_sees_the_others_anew() -> None:
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    player = await desk.enter("alric")
    await player.says(RequestRestart(), CharacterSelect(0))
    player.got.clear()
    await player.says(EnterWorld())
    assert [info.object_id for info in player.took(CharInfo)] == [betty.mobile.serial]
    assert len(player.took(UserInfo)) == 1


async def test_what_was_underway_does_not_reach_the_next_life() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.goes(40, 20)
    assert player.took(MoveToLocation)
    session = player.session
    session.target, session.html = 7, frozenset({"x"})
    await player.says(RequestRestart(), CharacterSelect(0))
    player.got.clear()
    await player.says(EnterWorld())
    await desk.wait(3)
    assert player.took(MoveToLocation) == []
    assert (session.target, session.html) == (0, frozenset())


async def test_a_client_that_loads_may_leave_too() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    player.session.loading = True
    await player.says(RequestRestart(), CharacterSelect(0), EnterWorld())
    assert player.took(UserInfo)
    assert not player.session.loading


async def test_restart_means_nothing_in_the_menu() -> None:
    player = await Desk().in_menu("alric")
    player.got.clear()
    await player.says(RequestRestart())
    assert player.got == []
    assert player.line.ending is None


async def test_logout() -> None:
    player = await Desk().enter("alric")
    await player.says(Logout())
    assert player.took(LeaveWorld)
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_logout_in_the_menu() -> None:
    player = await Desk().in_menu("alric")
    await player.says(Logout())
    assert player.took(LeaveWorld)
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_a_quiet_client_is_asked_in_time() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await desk.wait(Limits().idle_seconds)
    asked = player.took(NetPing)
    assert len(asked) >= 2
    await player.says(NetPingReply(asked[-1].ping_id), NetPingReply(0, 5, 1500))
    assert player.line.ending is None


async def test_nobody_is_asked_in_the_menu_and_nobody_twice() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(RequestRestart())
    await desk.wait(2 * PING_SECONDS)
    assert player.took(NetPing) == []
    await player.says(CharacterSelect(0), EnterWorld())
    player.got.clear()
    await desk.wait(PING_SECONDS + 2)
    assert len(player.took(NetPing)) == 1
    await desk.wait(HOUR_SECONDS)
    assert len(player.took(ClientSetTime)) == 1


async def test_a_client_without_an_answer_is_still_the_same_client() -> None:
    player = await Desk().enter("alric")
    await player.sends(bytes.fromhex("a801000000"))
    assert player.line.ending is None


# Sent away


async def test_who_is_sent_away_in_the_world_is_told_why() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    desk.family.goodbye(player.session, "Out with you.")
    player.flush()
    assert player.kinds() == ["SystemMessage", "ServerClose"]


@pytest.mark.parametrize("phase", [Phase.MENU, Phase.ENTERING])
async def test_who_is_sent_away_before_it_is_in_is_told_that_it_is(phase: Phase) -> None:
    """It has no window for words, but would take a connection that just ends for a lost one."""
    desk = Desk()
    player = await (desk.in_menu if phase is Phase.MENU else desk.selected)("alric")
    assert player.session.phase is phase
    player.got.clear()
    desk.family.goodbye(player.session, "Out with you.")
    player.flush()
    assert player.got == [ServerClose()]


async def test_a_stranger_is_told_nothing() -> None:
    desk = Desk()
    greeted, (typing, _) = await desk.greeted_game(), await desk.sent_on("alric")
    for player in (desk.connect(GAME_DOOR), greeted, typing):
        player.got.clear()
        desk.family.goodbye(player.session, "Out with you.")
        player.flush()
        assert player.got == []
