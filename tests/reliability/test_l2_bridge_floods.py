"""Connections to the login server's end of Lineage II's bridge: slow, too many, guessing, cancelled. R-18,
R-23, R-25 and R-50.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.lowlevel
import trio.testing

from protocol.l2.bridge.links import PROVE_SECONDS, STRANGERS, WRONG_SECRET_SECONDS
from protocol.l2.bridge.packets import LoginServerFail
from tests.kit.l2_bridge import Bridgehead, ByHand, proof
from tests.kit.l2_bridgehead import GOLDEN, STATES, all_is_well, in_state
from tests.kit.wire_faults import loud

if TYPE_CHECKING:
    from trio.testing import MockClock


@pytest.fixture
async def bridgehead(nursery: trio.Nursery, autojump_clock: MockClock) -> Bridgehead:
    return Bridgehead(nursery)


#


async def test_r18_whoever_is_slow_on_purpose_keeps_no_game_server_out(
    bridgehead: Bridgehead, autojump_clock: MockClock
) -> None:
    """As many as may be there, each a byte every half second, of a key and of a proof."""
    slow = []
    for number in range(STRANGERS):
        peer = await in_state(bridgehead, STATES[number % 2])
        data = peer.codec.outgoing() if number % 2 == 0 else peer.framed(proof().encode())
        slow.append(peer)

        async def drip(peer: ByHand = peer, data: bytes = data) -> None:
            for at in range(len(data)):
                await peer.sends(data[at : at + 1])
                await trio.sleep(0.5)

        bridgehead.nursery.start_soon(drip)
    honest = await bridgehead.honest()
    await trio.sleep(PROVE_SECONDS + 0.5)
    assert all(peer.ended_at is not None for peer in slow)
    await all_is_well(bridgehead, honest)


async def test_r23_connections_by_the_thousand_keep_no_game_server_out(
    bridgehead: Bridgehead, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """2,000 a second that say nothing, while a game server comes over a line of 50 ms."""
    honest = await bridgehead.honest()
    newcomer: list[ByHand] = []

    async def comes() -> None:
        peer = bridgehead.connect("192.0.2.1")
        await trio.sleep(0.05)
        bridgehead.nursery.start_soon(peer.listens)
        await trio.sleep(0.05)
        await peer.says(proof())
        newcomer.append(peer)

    bridgehead.nursery.start_soon(comes)
    for number in range(400):
        bridgehead.connect(f"203.0.113.{number % 3}")
        await trio.sleep(0.0005)
        assert len(bridgehead.door._strangers) <= STRANGERS
    await trio.sleep(0.1)
    assert newcomer[0].is_known
    await newcomer[0].leaves()
    await trio.sleep(PROVE_SECONDS + 1)
    assert loud(caplog.records) == []
    await all_is_well(bridgehead, honest)


async def test_r50_a_secret_is_guessed_once_a_second(
    bridgehead: Bridgehead, autojump_clock: MockClock
) -> None:
    """By as many as may be there at once; who has it comes in all the same."""
    honest = await bridgehead.honest()
    for number in range(100):
        peer = await bridgehead.agrees()
        await peer.says(proof(1, f"guess number {number}"))
        began = trio.current_time()
        await trio.sleep(0.01)
        assert not peer.heard
        if number % 20 == 19:
            known = await in_state(bridgehead, "known")
            await known.leaves()
            await trio.sleep(WRONG_SECRET_SECONDS + 0.1)
            assert peer.heard == [LoginServerFail(3)]
            assert peer.ended_at is not None
            assert peer.ended_at - began >= WRONG_SECRET_SECONDS
    await trio.sleep(PROVE_SECONDS)
    await all_is_well(bridgehead, honest)


#


async def test_r25_the_login_servers_end_may_be_cancelled_anywhere(
    bridgehead: Bridgehead, autojump_clock: MockClock
) -> None:
    honest = await bridgehead.honest()
    for steps in range(1, 60, 2):
        async with trio.open_nursery() as inner:
            bridgehead.nursery, outer = inner, bridgehead.nursery
            peer = bridgehead.connect()
            bridgehead.nursery = outer
            outer.start_soon(peer.listens)
            outer.start_soon(_says_all, peer)
            for _ in range(steps):
                await trio.lowlevel.checkpoint()
            inner.cancel_scope.cancel()
        await trio.sleep(0.1)
        assert list(bridgehead.login_server.servers) == [2], steps
        assert not bridgehead.door._strangers
    await all_is_well(bridgehead, honest)


async def _says_all(peer: ByHand) -> None:
    while not peer.codec.ready:
        if peer.ended_at is not None:
            return
        await trio.lowlevel.checkpoint()
    await peer.says(*GOLDEN)
