"""Little that claims to be much: packed bytes, logs and containers in containers. R-09 and R-10 for EverQuest
II; the parts alone are in tests/eq2/test_packing.py, test_stream_combining.py and test_stream_garbage.py."""

from __future__ import annotations

import tracemalloc
import zlib
from typing import TYPE_CHECKING, Final

import pytest
import trio

from protocol.endings import Ending
from protocol.eq2 import packets as eq2
from protocol.eq2.stream.combining import APP_COMBINED, COMBINED, write_length
from protocol.eq2.stream.frames import KEEP_ALIVE, Checksum, Reason
from tests.kit.eq2_player import Eq2Player, newest_version
from tests.kit.eq2_town import HOME, MIB, a_rogue, settled, stream_of, warnings
from tests.kit.games import Witnesses
from tests.kit.strangers import Rogue, Tap, connection_at, frames_in, reasons

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)


# bombs

_MOVEMENT: Final = newest_version().encode(eq2.Movement(b""))[:-4]


def movement(packed: bytes) -> bytes:
    """A Movement with any packed bytes."""
    return _MOVEMENT + len(packed).to_bytes(4, "little") + packed


@pytest.mark.parametrize("size", [3, pytest.param(400, marks=pytest.mark.soak), 1024, 900_000])
@pytest.mark.parametrize("what", ["zeros", "bytes"])
async def test_r09_a_movement_that_unpacks_to_too_much(
    easy_town: Town, autojump_clock: MockClock, size: int, what: str
) -> None:
    """Each byte of it claims 127 others, or seven that are not zero."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    tap = Tap(town.network("eq2", "world"))
    player = Eq2Player(town)
    address = await settled(player)
    connection = connection_at(town, address, "world")
    assert movement(b"abc") == newest_version().encode(eq2.Movement(b"abc"))
    bomb = b"\x7f" * size if what == "zeros" else (b"\xff" + b"\1" * 7) * (size // 8 + 30)
    sent = player.client.raw_bytes(movement(bomb))
    tracemalloc.start()
    try:
        await player.sends(sent, wait=30)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert connection.ending is Ending.BAD_PACKET
    assert "Movement" in connection.detail or "packed" in connection.detail
    assert reasons(tap.went_to(address), player.client.stream.seed) == [Reason.CORRUPT_PACKET]
    assert peak < 2 * MIB + 8 * size, "what came, and the pieces it came in"
    await witnesses.are_well()


LOGS: Final = (
    eq2.LogUpload,
    eq2.CrashLogUpload,
    eq2.Eq2CrashLogUpload,
    eq2.AlertLogUpload,
    eq2.VerifyLogUpload,
)


async def test_r09_a_log_is_not_inflated(town: Town, autojump_clock: MockClock) -> None:
    town.change("limits", handshake_seconds=600.0)
    bomb = zlib.compress(bytes(100 * MIB), 9)
    assert 90_000 < len(bomb) < 0x20000
    rogue, connection = await a_rogue(town)
    tracemalloc.start()
    try:
        for kind in LOGS:
            rogue.says(newest_version().encode(kind(len(bomb), 0x7FFFFFFF, bomb)))
            await trio.sleep(20)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert connection.ending is None, connection.detail
    assert connection.frames_in == len(LOGS)
    assert peak < 2 * MIB


@pytest.mark.parametrize("kind", LOGS)
@pytest.mark.parametrize("size", [1 << 31, 0xFFFFFFFF])
async def test_r09_a_log_that_claims_too_much_ends_its_client(
    town: Town, autojump_clock: MockClock, kind: type[eq2.LogUpload], size: int
) -> None:
    rogue, connection = await a_rogue(town)
    tracemalloc.start()
    try:
        rogue.says(newest_version().encode(kind(size, size, b"x")))
        await trio.sleep(1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert connection.ending is Ending.BAD_PACKET
    assert f"a log of {size} bytes" in connection.detail
    assert rogue.reasons == [Reason.CORRUPT_PACKET]
    assert peak < MIB


# containers in containers


def nested(depth: int, frame: bytes) -> bytes:
    """Combined in Combined; below some 80 the lengths, of one byte, lie."""
    for _ in range(depth):
        frame = COMBINED + bytes((min(len(frame), 255),)) + frame
    return frame


def nested_messages(depth: int, message: bytes) -> bytes:
    """AppCombined in AppCombined."""
    for _ in range(depth):
        message = APP_COMBINED + write_length(len(message)) + message
    return message


@pytest.mark.parametrize("depth", [5, 80])
async def test_r10_frames_in_frames_in_frames_are_dropped(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, depth: int
) -> None:
    rogue, connection = await a_rogue(town)
    dropped = stream_of(connection).statistics.dropped
    for _ in range(100):
        rogue.frame(nested(depth, KEEP_ALIVE))
    await trio.sleep(1)
    assert connection.ending is None
    assert dropped["nested too deep"] == 100
    assert warnings(caplog) == []


async def test_r10_frames_a_thousand_deep_are_garbage_like_any_other(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Only if their lengths lie; what is then read where none was meant may be a message that is none."""
    rogue, connection = await a_rogue(town)
    for bomb in (nested(1000, KEEP_ALIVE), (COMBINED + b"\xff") * 700):
        rogue.frame(bomb[:2000])
    await trio.sleep(1)
    assert connection.ending in (None, Ending.BAD_PACKET)
    assert warnings(caplog) == []


@pytest.mark.parametrize("depth", [5, 1000, 100_000])
@pytest.mark.parametrize("keyed", [True, False])
async def test_r10_messages_in_messages_in_messages_end_their_client(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, depth: int, keyed: bool
) -> None:
    town.change("limits", handshake_seconds=60.0)
    witnesses = Witnesses(town)
    await witnesses.enter()
    rogue = Rogue(town.network("eq2", "login"), HOME)
    if keyed:
        await rogue.shakes_hands(town.nursery)
    else:
        await rogue.proves_itself()
        town.nursery.start_soon(_acknowledges_only, rogue)
    connection = connection_at(town, HOME)
    payload = nested_messages(depth, b"\1")
    rogue.payload(payload)
    await trio.sleep(15)
    assert connection.ending is Ending.BAD_PACKET, connection.detail
    assert "containers deep" in connection.detail
    assert Reason.CORRUPT_PACKET in rogue.reasons
    assert warnings(caplog) == []
    await witnesses.are_well()


async def _acknowledges_only(rogue: Rogue) -> None:
    """A client that learns that what it sent has arrived, and never tells its key."""
    checksum, sender = Checksum(rogue.stream.seed), rogue.stream._sender
    while not rogue.reasons:
        for datagram in rogue.heard:
            for frame in frames_in(datagram, checksum):
                if frame[:2] == b"\0\x15":
                    sender.acknowledge(frame[2] << 8 | frame[3], trio.current_time())
        rogue.pushes()
        await trio.sleep(0.05)


@pytest.mark.parametrize(
    "length", [b"\xff\xff\xff\x7f\xff\xff\xff", b"\xff\xff\xff\xff\xff\xff\xff", b"\xff\xff\0"]
)
async def test_r10_a_length_in_a_container_that_lies_ends_its_client(
    town: Town, autojump_clock: MockClock, length: bytes
) -> None:
    rogue, connection = await a_rogue(town)
    tracemalloc.start()
    try:
        rogue.payload(APP_COMBINED + length + b"x" * 20)
        await trio.sleep(1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert connection.ending is Ending.BAD_PACKET
    assert peak < MIB


async def test_r10_a_container_of_too_many_ends_its_client(town: Town, autojump_clock: MockClock) -> None:
    rogue, connection = await a_rogue(town)
    rogue.payload(APP_COMBINED + b"\1x" * 20_000)
    await trio.sleep(3)
    assert connection.ending is Ending.BAD_PACKET
    assert "more than 4096 messages" in connection.detail
