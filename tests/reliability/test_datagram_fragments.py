"""Fragments that lie, overlap or never become whole. R-11 for EverQuest II; the receiver alone is in
tests/eq2/test_stream_receiving.py."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Final

import pytest
import trio

from protocol.endings import Ending
from protocol.eq2 import packets as eq2
from protocol.eq2.stream.frames import KEEP_ALIVE, Checksum, Reason
from protocol.eq2.stream.settings import REASSEMBLY_BYTES, REASSEMBLY_SECONDS
from protocol.session import Phase
from tests.kit.eq2_player import newest_version
from tests.kit.eq2_town import MIB, a_rogue, sessions_kept
from tests.kit.games import Witnesses
from tests.kit.strangers import REQUEST, answered_seed, first_words, receiver_of, strangers

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)


def fragment(number: int, data: bytes, total: int | None = None) -> bytes:
    """A frame of one; the first one says how much there is in all."""
    head = b"" if total is None else total.to_bytes(4, "big")
    return b"\0\x0d" + (number & 0xFFFF).to_bytes(2, "big") + head + data


LIES: Final[dict[str, list[tuple[bytes, int | None]]]] = {
    "nothing": [(b"x" * 100, 0)],
    "one byte more than is allowed": [(b"x" * 100, REASSEMBLY_BYTES + 1)],
    "two gibibytes": [(b"x" * 100, 1 << 31)],
    "four gibibytes": [(b"x" * 100, 0xFFFFFFFF)],
    "less than the first holds": [(b"x" * 100, 99)],
    "less than the second brings": [(b"x" * 100, 150), (b"x" * 51, None)],
    "no total": [(b"", None)],
    "half a total": [(b"\0\0", None)],
    "no data": [(b"", 100)],
}


@pytest.mark.parametrize("lie", LIES)
async def test_r11_a_total_that_cannot_be_ends_its_client(
    town: Town, autojump_clock: MockClock, lie: str
) -> None:
    rogue, connection = await a_rogue(town)
    tracemalloc.start()
    try:
        for number, (data, total) in enumerate(LIES[lie], rogue.next_number):
            rogue.frame(fragment(number, data, total))
        await trio.sleep(1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert connection.ending is Ending.BAD_PACKET
    assert "bad_fragment" in connection.detail
    assert rogue.reasons == [Reason.CORRUPT_PACKET]
    assert peak < MIB


async def test_r11_a_packet_between_fragments_ends_its_client(town: Town, autojump_clock: MockClock) -> None:
    rogue, connection = await a_rogue(town)
    number = rogue.next_number
    rogue.frame(fragment(number, b"x" * 100, 1000))
    rogue.frame(b"\0\x09" + (number + 1).to_bytes(2, "big") + b"hello")
    await trio.sleep(1)
    assert connection.ending is Ending.BAD_PACKET
    assert "a packet after 100 of 1000 bytes" in connection.detail
    assert rogue.reasons == [Reason.CORRUPT_PACKET]


async def test_r11_fragments_that_overlap_change_nothing(town: Town, autojump_clock: MockClock) -> None:
    """Numbers decide, and what came first under a number stays."""
    await town.app.accounts.staff.create("anna", "secret1")
    rogue, connection = await a_rogue(town)
    (payload,) = rogue.stream.encoder.encode(
        [newest_version().encode(eq2.LoginRequest("anna", "secret1", 546))]
    )
    number = rogue.next_number
    last = fragment(number + 2, payload[20:])
    for frame in (
        last,
        fragment(number + 2, b"something else"),
        fragment(number + 1, payload[10:20]),
        fragment(number, payload[:10], len(payload)),
        fragment(number, b"anything", 1 << 31),
        fragment(number + 1, b"at all"),
        last,
    ):
        rogue.frame(frame)
    await trio.sleep(1)
    assert connection.ending is None
    assert connection.session.phase is Phase.MENU
    assert receiver_of(connection).deadline() is None


async def test_r11_what_is_not_whole_after_30_seconds_ends_its_client_however_alive_it_is(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", handshake_seconds=600.0)
    rogue, connection = await a_rogue(town)
    number, began = rogue.next_number, trio.current_time()
    rogue.frame(fragment(number, b"x" * 400, REASSEMBLY_BYTES))
    while connection.ending is None and trio.current_time() - began < 100:
        await trio.sleep(5)
        number += 1
        rogue.frame(fragment(number, b"x" * 400))
        rogue.frame(KEEP_ALIVE)
    await trio.sleep(1)
    assert connection.ending is Ending.BAD_PACKET
    assert "bytes after 30 s" in connection.detail
    assert trio.current_time() - began <= REASSEMBLY_SECONDS + 6
    assert rogue.reasons == [Reason.CORRUPT_PACKET]


@pytest.mark.parametrize("patience", [20.0, 600.0], ids=["handshake", "reassembly"])
async def test_r11_many_sessions_with_a_fragment_each_are_gone_after_30_seconds(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, patience: float
) -> None:
    town, sessions = easy_town, 200
    town.change("limits", handshake_seconds=patience, unauthenticated=10_000, exempt=())
    witnesses = Witnesses(town)
    await witnesses.enter()
    await trio.sleep(15)  # what they left behind at the first door is gone by then
    network = town.network("eq2", "login")
    kept = sessions_kept()
    tracemalloc.start()
    try:
        base = tracemalloc.get_traced_memory()[0]
        most = 0
        for address in strangers(sessions):
            end = network.client(address)
            network.put(REQUEST.encode(), address)
            await trio.sleep(1 / 30)
            seed = answered_seed(await end.receive())
            network.put(first_words(seed), address)
            network.put(Checksum(seed).sealed(fragment(0, b"x" * 450, REASSEMBLY_BYTES)), address)
            end.close()
            await trio.sleep(0.01)
            connections = len(town.doors.connections) - len(witnesses.players)
            most = max(most, connections)
        assert most > 150
        held = tracemalloc.get_traced_memory()[0] - base
        each = 40_000 if town.edge is None else 60_000  # a session in the world, too
        assert held < most * each, f"{held / most:.0f} bytes a session"
        network.to_nobody.clear()
        await trio.sleep(REASSEMBLY_SECONDS + 5)
        network.to_nobody.clear()
        caplog.clear()
        assert len(town.doors.connections) == len(witnesses.players)
        assert sessions_kept() == kept
        assert town.doors.sockets["eq2", "login"].peers == {}
        assert tracemalloc.get_traced_memory()[0] - base < MIB
    finally:
        tracemalloc.stop()
    await witnesses.are_well()
