"""Commands about the sky: everybody may ask, staff may set, and what cannot be is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit.commands import refused, run
from tests.kit.office import Office
from world.daytime import daytime
from world.mobile import Access
from world.realm import Weather

if TYPE_CHECKING:
    from trio.testing import MockClock


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


async def test_players_ask_and_staff_sets(office: Office, autojump_clock: MockClock) -> None:
    world = office.world
    alric, _ = await office.player("Alric")
    berta, mobile = await office.player("Berta", Access.GAME_MASTER)
    assert mobile.realm is not None
    name = mobile.realm.name
    assert "only staff" in await office.order(alric, "time 12:00")
    assert "only staff" in await office.order(alric, f"weather {name} rain")
    assert office.audited == []
    before = daytime(world)
    assert f"it was {before}, is 21:30" in await office.order(berta, "time 21:30")
    assert "It is 21:30, night." in await office.order(alric, "time")
    told = await office.order(berta, f"weather {name} storm")
    assert f"the weather of {name} was clear, is storm" in told
    await trio.sleep(5)  # the pace of players
    assert "A storm is raging." in await office.order(alric, "weather")
    assert await run(office, "time") == "It is 21:32, night."
    assert f"{name}: storm" in await run(office, "weather")
    assert [what for _, what, _ in office.audited] == ["time", "weather"]


@pytest.mark.parametrize("time", ["24:00", "12:60", "noon", "1200", "-1:00", "12:5", "\u0661\u0662:00"])
async def test_a_time_that_there_is_not_is_refused(
    office: Office, autojump_clock: MockClock, time: str
) -> None:
    before = office.world.dawn
    assert "is no time of day" in await refused(office, f"time {time}")
    assert office.world.dawn == before


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("nowhere rain", "there is no realm nowhere; there are "),
        ("{} rein", "there is no weather rein"),
        ("{}", "say which weather; there are clear, rain, snow, storm"),
        ("{} rain now", "usage: weather [REALM] [KIND]"),
    ],
)
async def test_weather_that_there_is_not_is_refused(
    office: Office, autojump_clock: MockClock, words: str, reason: str
) -> None:
    realm = next(iter(office.world.realms.values()))
    assert reason in await refused(office, f"weather {words.format(realm.name)}")
    assert realm.weather is Weather.CLEAR
