"""The web client comes into the world and leaves it, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, gather, settled
from world import furniture, holding
from world.daytime import until_next_hour
from world.heading import EAST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


async def test_entering_tells_all_in_order(town: Town, autojump_clock: MockClock) -> None:
    anna = WebPlayer(town)
    await anna.logs_in("anna")
    number = await anna.makes("Anna")
    before = len(anna.got)
    await anna.plays()
    names = [str(message["t"]) for message in anna.got[before:]]
    assert names[:7] == ["entered", "realm", "show", "sheet", "skills", "belongings", "time"]
    entered, realm, show = anna.got[before : before + 3]
    mobile = town.mobile("Anna")
    assert entered == {
        "t": "entered",
        "id": number,
        "name": "Anna",
        "sight": 18,
        "walk_ms": 400,
        "run_ms": 200,
    }
    assert realm == {"t": "realm", "name": "confluence", "title": "Confluence"}
    assert (show["id"], show["kind"], show["x"], show["y"]) == (number, "mobile", mobile.x, mobile.y)
    assert show["game"] == "web"
    assert anna.screen.lines() == ["Welcome to Causeway, Anna."]
    sheet = anna.screen.sheet
    assert (sheet["hits"], sheet["hits_max"]) == (mobile.hits, mobile.hits_max)
    assert (sheet["gold"], sheet["weight"]) == (holding.gold(mobile), holding.weight(mobile))
    assert (sheet["strength"], sheet["level"]) == (mobile.strength, mobile.level)
    owned = {thing.name: thing for thing in anna.screen.owned.values()}
    assert owned["shirt"].worn
    assert owned["shirt"].wearable
    assert not owned["gold coin"].worn
    assert owned["gold coin"].amount == holding.gold(mobile)
    assert "backpack" not in owned
    assert anna.screen.counts["sheet"] == anna.screen.counts["belongings"] == 1
    await settled(town, anna)
    seen = mobile.realm.space.seen_by(mobile.viewport) if mobile.realm and mobile.viewport else {}
    assert anna.screen.things.keys() == {*seen, number}


async def test_hours_strike(town: Town, autojump_clock: MockClock) -> None:
    world = town.app.world
    world.dawn += until_next_hour(world) - 10
    anna = WebPlayer(town)
    await anna.enters("anna", "Anna")
    hour = anna.screen.time
    assert hour is not None
    assert hour[1] >= 56
    assert anna.screen.counts["time"] == 1
    await anna.sends(b"", wait=10.0)
    assert anna.screen.time == ((hour[0] + 1) % 24, 0)
    assert anna.screen.counts["time"] == 2
    assert anna.of("time")[-1]["pace"] == pytest.approx(1 / 3)
    # Who has left hears no more of it, and who came again hears it once.
    world.dawn += until_next_hour(world) - 8
    for _ in range(2):
        await anna.does(anna.client.leave_bytes())
        await anna.plays()
    assert anna.screen.counts["time"] == 4
    await anna.sends(b"", wait=6.0)
    assert anna.screen.counts["time"] == 5


async def test_leaving_and_coming_back_with_another(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    told = await anna.does(anna.client.leave_bytes() + anna.client.walk_bytes(EAST))
    assert [message["t"] for message in told] == ["left", "characters"]
    assert not town.here("Anna")
    await bert.sends(b"", wait=0.2)
    assert mobile.serial not in bert.screen.things
    await anna.makes("Berta")
    await anna.plays(1)
    assert anna.screen.name == "Berta"
    assert town.here("Berta")
    assert not town.here("Anna")
    gather(town, "Berta", "Bert")
    await settled(town, anna, bert)
    await anna.steps(EAST)
    assert anna.screen.answered == [0]
    await anna.does(anna.client.leave_bytes())
    told = await anna.does(anna.client.delete_bytes(town.mobile("Bert").serial))
    assert told[-1]["why"] == "no_character"
    await anna.plays(0)
    assert anna.screen.name == "Anna"
    await settled(town, anna, bert)


async def test_a_character_that_lingers_is_taken_over_where_it_is(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    furniture.sit_on_floor(mobile)
    await settled(town, anna)
    anna.leaves()
    again = WebPlayer(town)
    await again.sends(b"", wait=2.0)
    assert town.mobile("Anna") is mobile
    assert not mobile.online
    await again.enters("anna")
    assert town.mobile("Anna") is mobile
    assert again.client.me.sitting
    assert (again.screen.x, again.screen.y) == (mobile.x, mobile.y)
    await settled(town, again)
