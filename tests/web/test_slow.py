"""A web client that reads slowly: what it may lose, and that it is told what is so when it has caught up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.session import Phase
from protocol.web.packets import CLIENT_PACKETS, SERVER_PACKETS
from protocol.web.packets.motion import Move, Turned
from protocol.web.packets.talk import Gestured
from tests.kit.players import UoPlayer
from tests.kit.web_player import WebPlayer
from world import motion
from world.heading import EAST, WEST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


def test_what_may_be_lost() -> None:
    assert {cls for cls in (*SERVER_PACKETS, *CLIENT_PACKETS) if cls.droppable} == {
        Move,
        Turned,
        Gestured,
    }


async def test_who_has_lost_moves_is_told_where_everybody_is(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = WebPlayer(town), UoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    his, realm = town.mobile("Bert"), town.app.world.realms["confluence"]
    town.change("network", drop_threshold=5, stalled_seconds=60.0)
    spot = next(
        at
        for at in realm.free_near(*realm.chart.spawns[0], 6)
        if all(motion.can_step(realm, *at, heading) for heading in range(8))
    )
    for mobile in (his, town.mobile("Anna")):
        town.app.world.warp(mobile, realm, *spot)
    await anna.sends(b"", wait=0.5)
    assert anna.screen.faults == []
    number = next(
        c.session.id for c in town.app.gateway.connections.values() if c.session.family.name == "web"
    )
    connection = town.app.gateway.connections[number]
    end = anna.end
    end.window = 0  # type: ignore[attr-defined] # of a pipe
    for n in range(41):
        motion.step(his, (EAST, WEST)[n % 2])
        motion.turn(his, n % 8)
        town.app.loop.wake()
        await anna.sends(b"", wait=0.1)
    assert connection.shed.keys() == {"move", "turned"}
    assert connection.session.phase is Phase.IN_WORLD
    end.window = 1 << 20  # type: ignore[attr-defined] # of a pipe
    await anna.sends(b"", wait=3.0)
    shown = anna.screen.things[his.serial]
    assert (shown.x, shown.y, shown.heading) == (his.x, his.y, his.heading)
    assert anna.client.why == ""


async def test_who_enters_anew_before_it_has_caught_up_is_told_all_again(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = WebPlayer(town)
    await anna.enters("anna", "Anna")
    town.change("network", stalled_seconds=60.0)
    anna.end.window = 0  # type: ignore[attr-defined] # of a pipe
    # What was on its way is taken; from here on all waits in her outbox.
    for _ in range(2):
        await anna.says("ping", number=1)
    town.mobile("Anna").hits -= 1
    town.app.loop.wake()
    await anna.sends(b"")
    await anna.says("leave")
    await anna.does(anna.client.enter_bytes(next(iter(anna.screen.characters))))
    anna.end.window = 1 << 20  # type: ignore[attr-defined] # of a pipe
    await anna.sends(b"", wait=3.0)
    told = [message["t"] for message in anna.got]
    entered = len(told) - told[::-1].index("entered")
    assert told.count("entered") == 2
    assert {"sheet", "belongings"} <= {*told[entered:]}
