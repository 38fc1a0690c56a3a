"""Steps, turns and seats of the web client, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import trio

from protocol.session import Phase
from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, settled
from world import motion
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST
from world.mobile import UNDER_WAY, Posture
from world.realm import Realm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio.testing import MockClock

    from tests.kit.town import Town
    from world.mobile import Mobile


def about(mobile: Mobile, told: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """What concerns a character: residents come and go in her sight."""
    return [message for message in told if message.get("id", mobile.serial) == mobile.serial]


async def test_her_own_steps_are_answered_and_others_are_told(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    for heading in (EAST, SOUTH, WEST, NORTH, 1, 3, 5, 7):
        before = mobile.x, mobile.y
        dx, dy = OFFSETS[heading]
        told = await anna.does(anna.client.walk_bytes(heading), wait=0.5)
        assert about(mobile, told) == [
            {
                "t": "walked",
                "sequence": anna.client.sequence,
                "x": before[0] + dx,
                "y": before[1] + dy,
                "heading": heading,
            }
        ]
        assert bert.of("move")[-1] == {
            "t": "move",
            "id": mobile.serial,
            "x": mobile.x,
            "y": mobile.y,
            "heading": heading,
        }
    await anna.steps(EAST, run=True)
    assert bert.of("move")[-1]["ms"] == 200
    await trio.sleep(UNDER_WAY)  # she was put there
    await anna.does(anna.client.turn_bytes(NORTH))
    assert bert.of("turned") == [{"t": "turned", "id": mobile.serial, "heading": NORTH}]
    assert anna.of("turned") == []
    await settled(town, anna, bert)
    assert not anna.of("move")


async def test_steps_ahead_are_taken_in_their_time(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    await anna.sends(b"", wait=1.0)
    x = mobile.x
    steps = b"".join(anna.client.walk_bytes(heading) for heading in (EAST, EAST, EAST, WEST))
    await anna.sends(steps, wait=0.1)
    # Who has rested may begin with one step on credit.
    assert mobile.x == x + 2
    assert anna.screen.answered == [0, 1]
    await anna.sends(b"", wait=2.0)
    assert anna.screen.answered == [0, 1, 2, 3]
    assert mobile.x == x + 2
    await settled(town, anna)


async def test_who_turns_behind_steps_that_wait_faces_that_way_in_the_end(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    await anna.sends(b"", wait=1.0)
    steps = b"".join(anna.client.walk_bytes(EAST) for _ in range(3))
    await anna.sends(steps + anna.client.turn_bytes(NORTH), wait=0.1)
    assert mobile.heading == EAST, "steps wait"
    await anna.sends(b"", wait=2.0)
    assert anna.screen.answered == [0, 1, 2]
    assert mobile.heading == NORTH
    await settled(town, anna)


async def test_a_refused_step_makes_void_what_was_sent_behind_it(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    realm = mobile.realm
    assert realm is not None
    x, y = next(
        (x, y)
        for x, y in realm.free_near(mobile.x, mobile.y, 18)
        if not realm.walkable(x, y - 1) and (x, y - 1) not in realm.chart.doors and realm.walkable(x + 1, y)
    )
    town.app.world.warp(mobile, realm, x, y)
    await settled(town, anna)
    assert anna.client.sequence == -1
    wall = anna.client.walk_bytes(NORTH) + anna.client.walk_bytes(EAST) + anna.client.walk_bytes(EAST)
    told = await anna.does(wall, wait=2.0)
    assert told == [{"t": "walked", "sequence": 0, "x": x, "y": y, "heading": mobile.heading, "ok": False}]
    assert (mobile.x, mobile.y) == (x, y)
    # One that was under way then, and the page's next after it has heard.
    told = await anna.does(anna.client.say_bytes_of("walk", sequence=3, heading=EAST))
    assert told == []
    await anna.steps(EAST)
    assert (mobile.x, mobile.y) == (x + 1, y)
    assert anna.screen.answered[-1] == 0
    await settled(town, anna)


async def test_who_is_put_elsewhere_begins_anew(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile, realm = town.mobile("Anna"), town.app.world.realms["confluence"]
    await anna.steps(EAST, tiles=2)
    town.app.world.warp(mobile, realm, mobile.x - 2, mobile.y)
    told = await anna.does(anna.client.say_bytes_of("walk", sequence=2, heading=EAST))
    assert about(mobile, told) == [
        {"t": "place", "id": mobile.serial, "x": mobile.x, "y": mobile.y, "heading": mobile.heading}
    ]
    await anna.steps(EAST)
    assert anna.screen.answered[-1] == 0
    assert anna.screen.x == mobile.x
    await settled(town, anna, bert)
    assert bert.screen.things[mobile.serial].x == mobile.x


async def test_a_flood_of_steps_takes_no_more_than_its_time(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    steps = [anna.client.walk_bytes((EAST, WEST)[n % 2]) for n in range(40)]
    await anna.sends(b"".join(steps), wait=10.0)
    assert len(anna.screen.answered) <= motion.LONGEST_QUEUE + 1
    assert len(anna.screen.refused) == 1
    assert not mobile.gait.queue


async def test_a_door_opens_by_walking_into_it(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile, realm = town.mobile("Anna"), town.app.world.realms["confluence"]
    (x, y), warp = next((at, warp) for at, warp in sorted(realm.chart.warps.items()) if warp.door)
    before = x, y + 1
    assert realm.walkable(*before), "the doors of the realm are entered from the south"
    town.app.world.warp(mobile, realm, *before)
    await settled(town, anna)
    await anna.steps(NORTH)
    assert anna.screen.refused == [0]
    assert realm.is_open(x, y, town.app.world.now)
    # What was sent behind the step that leads on was meant to begin at the door.
    ahead = anna.client.walk_bytes(NORTH) + anna.client.walk_bytes(NORTH) + anna.client.walk_bytes(SOUTH)
    told = await anna.does(ahead, wait=0.5)
    assert told[0] == {"t": "walked", "sequence": 0, "x": x, "y": y, "heading": NORTH}
    assert [message["t"] for message in told if "sequence" in message] == ["walked"]
    assert (mobile.x, mobile.y) == (warp.x, warp.y)
    late = await anna.does(anna.client.say_bytes_of("walk", sequence=3, heading=SOUTH))
    assert late == []
    assert (anna.screen.x, anna.screen.y) == (mobile.x, mobile.y)
    await settled(town, anna)


async def test_another_realm_is_told_as_a_whole(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    world, mobile = town.app.world, town.mobile("Anna")
    chart = world.realms["confluence"].chart
    world.realms["elsewhere"] = Realm(attrs.evolve(chart, name="elsewhere", title="Elsewhere"))
    world.warp(mobile, world.realms["elsewhere"], mobile.x, mobile.y)
    before = len(anna.got)
    await settled(town, anna, bert)
    told = [message for message in anna.got[before:] if message["t"] != "hide"]
    assert [message["t"] for message in told[:2]] == ["realm", "show"]
    assert told[0]["name"] == "elsewhere"
    assert told[1]["id"] == mobile.serial
    assert anna.screen.things.keys() == {mobile.serial}
    assert mobile.serial not in bert.screen.things
    assert bert.of("hide")[-1] == {"t": "hide", "id": mobile.serial, "why": "warped"}
    await anna.steps(EAST)
    assert anna.screen.answered[-1] == 0


async def test_who_sits_is_turned_back(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    await anna.does(anna.client.sit_bytes())
    heading = mobile.heading
    there = {"t": "turned", "id": mobile.serial, "heading": heading, "crossed": True}
    for _ in range(3):
        anna.got.clear()
        bert.got.clear()
        await anna.sends(anna.client.turn_bytes((heading + 2) % 8), wait=0.2)
        assert anna.of("turned") == [there]
        assert anna.client.me.heading == mobile.heading == heading
        assert bert.of("turned") == []


async def test_sitting_and_standing_up(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    await anna.does(anna.client.sit_bytes())
    assert mobile.posture == Posture.FLOOR
    assert anna.client.me.sitting
    assert bert.screen.things[mobile.serial].sitting
    x = mobile.x
    await anna.steps(EAST)
    assert mobile.x == x + 1
    assert mobile.posture == Posture.STANDING
    assert not bert.screen.things[mobile.serial].sitting
    # On the chair it faces; no other way leads from there than back.
    realm = mobile.realm
    assert realm is not None
    (x, y), heading = next((at, side) for at, side in realm.chart.seats.items() if side == EAST)
    motion.go(mobile, x + 1, y, WEST)
    await settled(town, anna, bert)
    await anna.does(anna.client.sit_bytes())
    assert mobile.posture == Posture.CHAIR
    assert (anna.screen.x, anna.screen.y) == (mobile.x, mobile.y) == (x, y)
    assert mobile.heading == heading
    await anna.does(anna.client.turn_bytes(NORTH))
    assert mobile.heading == EAST
    await anna.does(anna.client.sit_bytes())
    assert mobile.posture == Posture.STANDING
    assert (anna.screen.x, anna.screen.y) == (mobile.x, mobile.y)
    await anna.steps(WEST)
    assert (anna.screen.x, anna.screen.y) == (mobile.x, mobile.y)
    await settled(town, anna, bert)


async def test_steps_that_wait_die_with_their_client(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    x = mobile.x
    await anna.sends(b"".join(anna.client.walk_bytes(EAST) for _ in range(4)), wait=0.05)
    anna.leaves()
    again = WebPlayer(town)
    await again.enters("anna")
    assert mobile.x <= x + 2
    assert not mobile.gait.queue
    assert all(session.phase is Phase.IN_WORLD for session in town.app.loop.sessions.values())
