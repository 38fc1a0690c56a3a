"""What is so in Lineage II alone, and how those of other games see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from eolib import EmotePlayerServerPacket

from tests.kit import l2_shown
from tests.kit.l2_client import RUN, SIT, TILE
from tests.kit.l2_player import L2Player
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.square import gather
from world import life
from world.heading import EAST, OFFSETS, WEST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.l2_screen import Screen
    from tests.kit.square import Square
    from tests.kit.town import Town


@pytest.fixture
async def square(town: Town) -> Square:
    """Two of this game, and three who look on."""
    return await gather(town, "Anna", "Bert", "Cora", "Dora", "Emma")


async def test_a_long_way_is_one_line_for_its_own_kind_and_steps_for_the_others(
    square: Square, autojump_clock: MockClock
) -> None:
    """Another Lineage II client looks on."""
    guest, anna, cora, emma = square["Dora"], square["Anna"], square["Cora"], square["Emma"]
    dora, hers = square.player("Dora", L2Player), square["Dora"].mobile
    start = hers.x, hers.y
    watcher = square.player("Emma", L2Player).client.screen
    before = watcher.counts[0x01]
    await dora.does(dora.client.walk_bytes(EAST, tiles=6), wait=0.1)
    me = dora.client.screen.me
    assert me is not None
    assert me.moves(trio.current_time())
    tiles = set()
    for _ in range(40):
        await trio.sleep(0.05)
        tiles.add(anna.tile(anna.must_see(guest)))
        drawn = emma.tile(emma.must_see(guest))
        assert abs(drawn[0] - hers.x) <= 1, "where she is drawn is not where she is"
        assert cora.tile(cora.must_see(guest)) == guest.place
    assert (hers.x, hers.y) == (start[0] + 6, start[1])
    assert len(tiles) >= 6, "Ultima Online sees every step"
    assert watcher.counts[0x01] - before == 1, "one line"
    square.all_see("Dora")
    square.is_well()


async def test_who_changes_its_mind_on_the_way_is_seen_where_it_is(
    square: Square, autojump_clock: MockClock
) -> None:
    dora, hers = square.player("Dora", L2Player), square["Dora"].mobile
    start = hers.x, hers.y
    await dora.does(dora.client.walk_bytes(EAST, tiles=8), wait=0.6)
    await dora.does(dora.client.walk_bytes(WEST, tiles=8), wait=0.3)
    assert await dora.arrived(20)
    await trio.sleep(1)
    assert hers.y == start[1]
    square.all_see("Dora")
    square.is_well()


async def test_it_runs_and_walks_at_the_speed_that_its_client_draws(
    square: Square, autojump_clock: MockClock
) -> None:
    dora, hers = square.player("Dora", L2Player), square["Dora"].mobile
    took = []
    for heading in (EAST, WEST):
        goal = hers.x + 5 * OFFSETS[heading][0]
        began = trio.current_time()
        await dora.does(dora.client.walk_bytes(heading, tiles=5), wait=0)
        for _ in range(1000):
            await trio.sleep(0.01)
            if hers.x == goal:
                break
        me = dora.client.screen.me
        assert me is not None
        took.append((trio.current_time() - began, me.speed))
        assert await dora.arrived(20)
        await dora.does(dora.client.action_bytes(RUN))
    (first, fast), (second, slow) = took
    assert fast > slow
    assert first == pytest.approx(5 * TILE / fast, abs=TILE / fast)
    assert second == pytest.approx(5 * TILE / slow, abs=TILE / slow)
    assert dora.client.screen.corrections == 0
    square.is_well()


async def test_its_own_client_shows_what_it_does_when_it_comes_back(
    square: Square, autojump_clock: MockClock
) -> None:
    dora, bert, hers = square.player("Dora", L2Player), square.player("Bert", EoPlayer), square["Dora"].mobile
    screen = dora.client.screen
    assert screen.welcomed
    await dora.does(dora.client.say_bytes("between us", kind=l2_shown.TELL, target="bert"))
    assert screen.said[-1] == (l2_shown.TELL, "->Bert", "between us")
    await dora.does(dora.client.gesture_bytes(13))
    assert (hers.serial, 13) in screen.gestures
    assert len(bert.of(EmotePlayerServerPacket)) == 1
    for sits in (True, False):
        await dora.does(dora.client.action_bytes(SIT))
        assert bool(hers.posture) is sits
        square.all_see("Dora")
    square.is_well()


async def test_who_clicks_somebody_aims_at_them_and_sees_how_they_are(
    square: Square, autojump_clock: MockClock
) -> None:
    dora, his = square.player("Dora", L2Player), square["Anna"].mobile
    his.hits = his.hits_max // 4
    await square.changed()
    await dora.does(dora.client.click_bytes(his.serial))
    assert dora.client.screen.target == his.serial
    assert square["Dora"].must_see(square["Anna"]).hits == pytest.approx(25, abs=1)
    square.is_well()


async def test_a_body_falls_once_and_gets_up_once(square: Square, autojump_clock: MockClock) -> None:
    counts, mobile = square.player("Dora", L2Player).client.screen.counts, square["Emma"].mobile
    die, revive = 0x06, 0x07
    life.kill(mobile)
    await square.changed()
    assert (counts[die], counts[revive]) == (1, 0)
    life.resurrect(mobile)
    await square.changed()
    assert (counts[die], counts[revive]) == (1, 1)
    square.is_well()


async def test_money_goes_from_hand_to_hand(square: Square, autojump_clock: MockClock) -> None:
    anna, dora = square.player("Anna", UoPlayer), square.player("Dora", L2Player)
    screen = dora.client.screen
    (gold,) = [number for number, owned in screen.pack.items() if owned.kind == l2_shown.ADENA]
    had = screen.pack[gold].amount
    await dora.does(dora.client.drop_bytes(gold, 30))
    assert adena(screen) == had - 30
    (lying,) = [number for number, thing in screen.ground.items() if thing.kind == l2_shown.ADENA]
    assert screen.ground[lying].amount == 30
    assert anna.client.items[lying].amount == 30
    await dora.does(dora.client.click_bytes(lying), wait=3)
    assert lying not in screen.ground
    assert lying not in anna.client.items
    assert adena(screen) == had
    square.is_well()


def adena(screen: Screen) -> int:
    """The money in somebody's pack."""
    return sum(owned.amount for owned in screen.pack.values() if owned.kind == l2_shown.ADENA)


async def test_who_leaves_is_told_goodbye(square: Square, autojump_clock: MockClock) -> None:
    dora = square.player("Dora", L2Player)
    await dora.does(dora.client.logout_bytes())
    assert dora.client.screen.goodbye == "LeaveWorld"
    assert dora.gone


async def test_back_in_the_menu_another_character_is_chosen(
    square: Square, autojump_clock: MockClock
) -> None:
    anna, dora = square.player("Anna", UoPlayer), square.player("Dora", L2Player)
    screen = dora.client.screen
    serial = square["Dora"].mobile.serial
    await dora.does(dora.client.restart_bytes(), wait=2)
    assert screen.left
    assert screen.menu is not None
    assert [line.name for line in screen.menu] == ["Dora"]
    assert not square.town.here("Dora")
    assert serial not in anna.client.mobiles
    assert not dora.gone
    await dora.does(dora.client.create_bytes("Elena", sex=1, race=1, class_id=18, hair=3))
    assert screen.created == 0
    assert [line.name for line in dora.client.screen.menu or ()] == ["Dora", "Elena"]
    await dora.plays(1)
    assert screen.me is not None
    assert screen.me.name == "Elena"
    assert screen.me.kind == 18
    assert square.town.here("Elena")
    assert {"Anna", "Bert", "Cora"} & {seen.name for seen in screen.people.values()}
    assert screen.faults == []


async def test_a_teleport_is_a_new_place_with_all_that_is_there(
    square: Square, autojump_clock: MockClock
) -> None:
    dora, anna = square["Dora"], square["Anna"]
    screen = square.player("Dora", L2Player).client.screen
    await square.warps("Dora", *square.far_off("Dora"))
    assert screen.teleports == 2
    assert not screen.loading
    assert dora.sees(anna) is None
    assert dora.tile(dora.must_see(dora)) == dora.place
    await dora.walks(EAST)
    square.is_well()


async def test_after_hours_in_the_world_there_is_time_for_the_menu(
    town: Town, autojump_clock: MockClock
) -> None:
    seconds = town.settings.limits.login_seconds
    dora = L2Player(town)
    await dora.enters("doraacct", "Dora")
    await trio.sleep(2 * seconds)
    await dora.does(dora.client.restart_bytes(), wait=seconds - 10)
    assert not town.here("Dora")
    assert not dora.hung_up
    await dora.plays()
    assert town.here("Dora")
    await dora.does(dora.client.restart_bytes(), wait=seconds + 10)
    assert dora.hung_up
