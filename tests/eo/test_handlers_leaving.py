"""Pings, as long as the connection lives."""

from __future__ import annotations

import gc

from eolib import ConnectionPlayerServerPacket, MessagePingClientPacket, MessagePongServerPacket

from protocol.endings import Ending
from protocol.eo.handlers.leaving import PING_SECONDS
from tests.kit.eo_desk import Desk


async def test_the_latency_ping_is_answered() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    ping = MessagePingClientPacket()  # type: ignore[no-untyped-call]
    await alric.sends(alric.client.bytes_of(ping) * 1)
    assert alric.client.last(MessagePongServerPacket)


async def test_a_client_that_answers_pings_stays() -> None:
    desk = Desk()
    player = await desk.greeted()
    for _ in range(5):
        await desk.wait(PING_SECONDS + 10)
    pings = [p for p in player.client.received if isinstance(p, ConnectionPlayerServerPacket)]
    assert len(pings) == 5
    # Each ping moved the sequence; the client must still be understood.
    await player.sends(player.client.login("alric", "wrong"))
    assert player.line.ending is None


async def test_a_client_that_does_not_answer_is_given_up() -> None:
    desk = Desk()
    player = await desk.greeted()
    player.client.mute = True
    await desk.wait(PING_SECONDS + 10)
    assert player.line.ending is None
    await desk.wait(PING_SECONDS + 10)
    assert player.line.ending is Ending.TIMED_OUT


async def test_no_ping_outlives_its_client() -> None:
    desk = Desk()
    before = len(desk.world.timers)
    player = await desk.greeted()
    number = player.client.player_id
    sessions = desk.view.figures.ids.players.sessions
    assert number in sessions
    player.hang_up()
    desk.players.clear()
    del player
    gc.collect()
    assert number not in sessions, "the session is kept alive by something"
    await desk.wait(PING_SECONDS + 10)
    assert len(desk.world.timers) == before
