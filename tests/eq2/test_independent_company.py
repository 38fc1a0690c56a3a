"""An independent version-546 client in company: others of its game and of other games, things, and what
happens while it loads.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
import trio

from tests.eq2.independent.messages import Heard, Teleport, ZoneInfo
from tests.eq2.independent.person import Person, typed
from tests.kit.eq2_visit import (
    OOC,
    ROUGH,
    SAY,
    TELL,
    Zone,
    gather,
    ghost_of,
    into_the_world,
    is_well,
    until,
)
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.town import Town
from world.heading import EAST, SOUTH

if TYPE_CHECKING:
    from trio.testing import MockClock


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


@pytest.fixture
def zone(town: Town) -> Zone:
    """The realm's."""
    atlas = town.content.charts["confluence"].atlas["eq2"]
    return Zone(float(str(atlas["x"])), float(str(atlas["y"])), float(str(atlas["z"])))


async def test_somebody_else_of_the_same_game(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    """What Cora's client tells of its motion comes to Dora's: places within a tile, speed, headings."""
    cora, dora = Person(town, "cora"), Person(town, "dora", seed=2)
    await into_the_world(cora, "Cora")
    await into_the_world(dora, "Dora")
    gather(town, "Cora", "Dora")
    await until(lambda: bool(cora.all(Teleport)) and bool(dora.all(Teleport)))
    me = town.mobile("Cora")
    ghost = ghost_of(dora, "Cora")
    start = me.x, me.y
    x, y, z = zone.middle(me.x, me.y)
    for step in range(1, 9):
        here = x + step / 4, y, z + step / 8
        cora.moves(here, 60.0, 2.0)
        await trio.sleep(0.25)
        # Others hear of it at every tile, where it then is.
        if (me.x, me.y) != start:
            assert ghost.speed == pytest.approx(2.0, abs=0.01), "it is on its way"
            assert zone.tile(ghost.place) == (me.x, me.y)
    cora.moves((x + 2, y, z + 1), 60.0)
    await trio.sleep(1)
    assert ghost.speed == 0
    assert ghost.place == pytest.approx((x + 2, y, z + 1), abs=0.01)
    assert ghost.heading == pytest.approx(60.0, abs=0.1)
    assert (me.x, me.y) == zone.tile((x + 2, y, z + 1))
    for heading in range(0, 360, 30):
        cora.moves((x + 2, y, z + 1), float(heading))
        await trio.sleep(1)
        # The world knows eight headings, and others hear of it when that changes.
        assert (ghost.heading - heading + 45) % 360 <= 90

    # Where nobody can come to is not where one is.
    cora.moves((x + 900, y, z + 900), 0.0)
    await until(lambda: len(cora.all(Teleport)) == 2)
    assert zone.tile(cora.all(Teleport)[-1].place) == (me.x, me.y)
    assert zone.tile(ghost.place) == (me.x, me.y)

    # Words of each to the other.
    dora.types_command("tell", "Cora hello")
    await until(lambda: ("Dora", "hello") in cora.heard(TELL))
    cora.types_command("ooc", "to all")
    await until(lambda: ("Cora", "to all") in dora.heard(OOC))
    assert dora.all(Heard)[-1].bubble == 0 or dora.all(Heard)[-1].channel == OOC

    # A line that dies takes its character with it after a while.
    cora.vanishes()
    await until(lambda: dora.ghosts.by_name("Cora") is None, 120)
    is_well(cora)
    is_well(dora)


async def test_things_that_lie_about(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    cora = Person(town, "cora")
    await into_the_world(cora, "Cora")
    gather(town, "Cora")
    await until(lambda: bool(cora.all(Teleport)))
    shown = set(cora.ghosts.by_index)
    cora.types_command("drop", "bread")
    await until(lambda: bool(cora.shown()))
    if len(cora.ghosts.by_index) == len(shown):
        pytest.fail(f"nothing lies there: {cora.shown()}")
    (index,) = set(cora.ghosts.by_index) - shown
    lying = cora.ghosts.by_index[index]
    me = town.mobile("Cora")
    assert zone.tile(lying.place) == (me.x, me.y)
    cora.targets(index)
    cora.types_command("take")
    await until(lambda: index not in cora.ghosts.by_index)
    is_well(cora)


async def test_a_player_of_endless_online_comes_by(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    cora, bert = Person(town, "cora", faults=ROUGH), EoPlayer(town)
    await into_the_world(cora, "Cora")
    await bert.enters("bert", "Bert")
    gather(town, "Cora", "Bert")
    him = town.mobile("Bert")
    await until(lambda: cora.ghosts.by_id(him.serial) is not None)
    await until(lambda: zone.tile(ghost_of(cora, him.name).place) == (him.x, him.y))
    await bert.does(bert.client.say("Good evening"))
    await until(lambda: (him.name, "Good evening") in cora.heard(SAY))
    number = him.serial
    bert.leaves()
    await until(lambda: cora.ghosts.by_id(number) is None, 60)
    is_well(cora)


async def test_what_happens_while_a_client_loads(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    """Who comes, goes or walks behind the loading screen is where it belongs when that is over."""
    anna, bert, dora = UoPlayer(town), EoPlayer(town), UoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    cora = Person(town, "cora")
    await cora.logs_in()
    await cora.creates("Cora", 1)
    _, characters = await cora.lists_worlds()
    chosen = characters.characters[0]
    await cora.knocks(await cora.plays(chosen.id, chosen.server, chosen.name))
    await cora.next(ZoneInfo)
    gather(town, "Cora", "Anna", "Bert")
    cora.sends(typed(30, struct.pack("<I", 0)))
    await cora.until(lambda: 31 in cora.types())
    assert cora.ghosts.by_name("Anna") is not None
    his = town.mobile("Bert").serial
    assert cora.ghosts.by_id(his) is not None
    await anna.walks(EAST)
    cora.sends(typed(32))
    await cora.until(lambda: cora.me != 0)
    await anna.walks(EAST)
    bert.leaves()
    await dora.enters("dora", "Dora")
    await trio.sleep(30)
    assert not any(mobile.serial == his for mobile in town.app.world.mobiles.values())
    gather(town, "Cora", "Dora")
    await anna.walks(SOUTH)
    cora.sends(typed(33))
    await until(lambda: 33 in cora.types())
    await trio.sleep(2)
    for name in ("Anna", "Dora", "Cora"):
        mobile = town.mobile(name)
        ghost = ghost_of(cora, name)
        assert zone.tile(ghost.place) == (mobile.x, mobile.y), name
        assert ghost.heading == [180, 135, 90, 45, 0, 315, 270, 225][mobile.heading], name
    assert cora.ghosts.by_id(his) is None, "who left is a ghost indeed"
    is_well(cora)
