"""Others and their changes, as the web client is shown them, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.co_player import CoPlayer
from tests.kit.players import UoPlayer
from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, settled
from world.heading import EAST, SOUTH

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


async def test_numbers_are_told_when_they_change_and_to_nobody_else(
    town: Town, autojump_clock: MockClock
) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    anna.got.clear()
    bert.got.clear()
    mobile.hits = mobile.hits_max // 2
    mobile.strength += 1
    await settled(town, anna, bert)
    assert [message["t"] for message in anna.got] == ["change", "sheet"]
    assert bert.got == [{"t": "change", "id": mobile.serial, "hits": 49, "level": mobile.level}]
    anna.got.clear()
    before, mobile.mana = mobile.mana, 0
    mobile.mana = before
    await settled(town, anna, bert)
    assert anna.got == []
    mobile.name, mobile.title, mobile.notoriety = "Hanna", "the Old", 5
    await settled(town, anna, bert)
    shown = bert.screen.things[mobile.serial]
    assert (shown.name, shown.title, shown.notoriety) == ("Hanna", "the Old", 5)


async def test_hidden_staff_is_not_there(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    mobile.hidden = True
    await settled(town, anna, bert)
    assert mobile.serial not in bert.screen.things
    assert bert.of("hide")[-1]["why"] == "hidden"
    await anna.steps(EAST)
    await anna.does(anna.client.gesture_bytes("bow"))
    await settled(town, anna, bert)
    assert bert.screen.gestured == []
    told = await bert.does(bert.client.look_bytes(mobile.serial))
    assert [message["t"] for message in told] == ["say"]
    mobile.hidden = False
    await settled(town, anna, bert)
    assert bert.screen.things[mobile.serial].x == mobile.x


async def test_a_uo_client_and_a_jumper_are_seen_and_see(town: Town, autojump_clock: MockClock) -> None:
    bert, carla = UoPlayer(town), CoPlayer(town)
    anna = await anna_and(town, bert, carla)
    his, hers = town.mobile("Bert"), town.mobile("Carla")
    assert {anna.screen.things[m.serial].game for m in (his, hers)} == {"uo", "co"}
    assert town.mobile("Anna").serial in bert.client.mobiles
    await bert.walks(EAST)
    await bert.walks(SOUTH)
    shown = anna.screen.things[his.serial]
    assert (shown.x, shown.y, shown.heading) == (his.x, his.y, SOUTH)
    await carla.jumps(1, 1)
    assert anna.of("move")[-1]["jump"] is True
    shown = anna.screen.things[hers.serial]
    assert (shown.x, shown.y) == (hers.x, hers.y)
    step = bert.client.mobiles[town.mobile("Anna").serial].x
    await anna.steps(EAST)
    assert bert.client.mobiles[town.mobile("Anna").serial].x == step + 1
    bert.leaves()
    carla.leaves()
    await anna.sends(b"", wait=15.0)
    assert his.serial not in anna.screen.things
    assert anna.of("hide")[-1]["why"] == "left"
    await settled(town, anna)
