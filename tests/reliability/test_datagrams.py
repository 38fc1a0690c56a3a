"""Whatever comes to a door of datagrams, from whoever says to be whoever: R-06, R-09 to R-15, R-18 to R-21,
R-23, R-24, R-26, R-49, R-50 and R-52 for EverQuest II, with a whole server in memory under virtual time, and
two short tests with real sockets.

What is the same for every game is in test_wire.py, test_connection.py and test_accounts.py; what the stream
and the doorman answer for alone is in tests/eq2.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import random
import socket
import tracemalloc
import zlib
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio
from trio.testing import MockClock

from protocol.endings import Ending
from protocol.eq2 import packets as eq2
from protocol.eq2.stream import EqStream
from protocol.eq2.stream.checksum import Checksum
from protocol.eq2.stream.combining import APP_COMBINED, COMBINED, write_length
from protocol.eq2.stream.frames import KEEP_ALIVE, OUT_OF_SESSION, SessionDisconnect, SessionRequest
from protocol.eq2.stream.opcodes import Reason
from protocol.eq2.stream.settings import REASSEMBLY_BYTES, REASSEMBLY_SECONDS, UNACKNOWLEDGED_BYTES
from protocol.family import Where
from protocol.services import Denied
from protocol.session import Phase
from protocol.wire.args import Role
from protocol.wire.body import Body
from server.bots.bundle import unbundle
from server.store.check import check_database
from server.tickets import LIFETIME, MOST
from tests.kit.actors import Eq2Actor
from tests.kit.eq2_line import DatagramLine
from tests.kit.eq2_player import Eq2Player, newest_build
from tests.kit.games import GAMES, Person, Witnesses
from tests.kit.players import PASSWORD, UoPlayer
from tests.kit.process import ServerProcess
from tests.kit.sockets import Ports
from tests.kit.strangers import (
    REQUEST,
    Rogue,
    Tap,
    answered_seed,
    connection_at,
    first_words,
    frames_in,
    own_door,
    reasons,
    receiver_of,
    strangers,
)
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from protocol.family import Address
    from protocol.session import Session
    from server.connection import Connection

pytestmark = pytest.mark.timeout(180)

HOME: Final[Address] = ("192.0.2.7", 40_007)
FAR: Final[Address] = ("198.51.100.9", 40_009)
MIB: Final = 1 << 20


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the log says that somebody should look at."""
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def stream_of(connection: Connection) -> EqStream:
    """The server's end of a session."""
    stream = connection.session.codec.stream  # type: ignore[attr-defined] # of a door of EQ2
    assert isinstance(stream, EqStream)
    return stream


def address_of(player: Eq2Player) -> Address:
    """Where a player in memory sits."""
    assert isinstance(player.end, DatagramLine)
    address: Address = player.end.end.address  # type: ignore[attr-defined] # in a town it has one
    return address


async def settled(player: Eq2Player, account: str = "anna", name: str = "Anna") -> Address:
    """Have a player enter the world; where that is now."""
    await player.enters(account, name)
    assert player.client.in_world
    return address_of(player)


async def plays_on(player: Eq2Player) -> None:
    """It is heard and answered as ever."""
    word = f"still {trio.current_time()}"
    await player.does(player.client.say_bytes(word))
    assert word in player.client.lines()
    assert not player.gone
    assert player.client.faults == []


async def a_rogue(town: Town, address: Address = HOME, door: str = "login") -> tuple[Rogue, Connection]:
    """A session with a key and nothing else, and the server's end of it."""
    rogue = Rogue(town.network("eq2", door), address)
    await rogue.shakes_hands(town.nursery)
    return rogue, connection_at(town, address, door)


async def ending_of(connection: Connection, seconds: float) -> Ending | None:
    """How it ends within that time; None if it does not."""
    with trio.move_on_after(seconds):
        while connection.ending is None:  # noqa: ASYNC110 # it tells nobody
            await trio.sleep(0.1)
    return connection.ending


def sessions_kept() -> int:
    """Ends of sessions at the server that something still holds."""
    gc.collect()
    return sum(isinstance(one, EqStream) and one.role is Role.SERVER for one in gc.get_objects())


# the same again


async def test_r06_every_datagram_twice_and_an_old_one_again_change_nothing(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    town = easy_town
    networks = town.network("eq2", "login"), town.network("eq2", "world")
    taps = [Tap(network) for network in networks]
    for network in networks:
        put = network.put

        def twice(data: bytes, address: Address, put: Callable[[bytes, Address], None] = put) -> None:
            put(data, address)
            put(data, address)

        network.put = twice  # type: ignore[method-assign] # of this one
    player = Eq2Player(town)
    address = await settled(player)
    mobile = town.mobile("Anna")
    said = "once and no more"
    await player.does(player.client.say_bytes(said))
    assert player.client.lines().count(said) == 1
    await player.walks(2)
    place = mobile.x, mobile.y
    recorded = [data for data in taps[1].came_from(address) if data[0] == 0]
    assert len(recorded) > 10
    for data in recorded:
        networks[1].put(data, address)
        await trio.sleep(0.01)
    await trio.sleep(1)
    assert player.client.lines().count(said) == 1
    assert (mobile.x, mobile.y) == place
    await plays_on(player)
    assert warnings(caplog) == []


async def test_r06_somebody_elses_recording_lets_nobody_in(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """From the recorded address and from another, while its session lives and afterwards."""
    town = easy_town
    taps = {door: Tap(town.network("eq2", door)) for door in ("login", "world")}
    player = Eq2Player(town)
    await settled(player)
    recordings = {door: list(tap.came) for door, tap in taps.items()}
    for alive in (True, False):
        if not alive:
            player.leaves()
            await trio.sleep(15)
            assert not town.here("Anna")
        before = len(town.app.gateway.connections)
        for door, recording in recordings.items():
            for address in {FAR, *(source for _, _, source in recording)}:
                for _, data, _ in recording:
                    town.network("eq2", door).put(data, address)
                    await trio.sleep(0.02)
        assert len(town.app.gateway.connections) == before
        assert town.here("Anna") is alive
    assert warnings(caplog) == []


# bombs

_MOVEMENT: Final = newest_build().encode(eq2.Movement(b""))[:-4]


def movement(packed: bytes) -> bytes:
    """A Movement with any packed bytes."""
    return _MOVEMENT + len(packed).to_bytes(4, "little") + packed


@pytest.mark.parametrize("size", [3, 400, 1024, 900_000])
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
    assert movement(b"abc") == newest_build().encode(eq2.Movement(b"abc"))
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
            rogue.says(newest_build().encode(kind(len(bomb), 0x7FFFFFFF, bomb)))
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
        rogue.says(newest_build().encode(kind(size, size, b"x")))
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


# fragments


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
    await town.app.accounts.create("anna", "secret1")
    rogue, connection = await a_rogue(town)
    (payload,) = rogue.stream.encoder.encode(
        [newest_build().encode(eq2.LoginRequest("anna", "secret1", 546))]
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
    town, sessions = easy_town, 350
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
            connections = len(town.app.gateway.connections) - len(witnesses.players)
            most = max(most, connections)
        assert most > 150
        held = tracemalloc.get_traced_memory()[0] - base
        assert held < most * 40_000, f"{held / most:.0f} bytes a session"
        network.to_nobody.clear()
        await trio.sleep(REASSEMBLY_SECONDS + 5)
        network.to_nobody.clear()
        caplog.clear()
        assert len(town.app.gateway.connections) == len(witnesses.players)
        assert sessions_kept() == kept
        assert town.app.gateway.sockets["eq2", "login"].peers == {}
        assert tracemalloc.get_traced_memory()[0] - base < MIB
    finally:
        tracemalloc.stop()
    await witnesses.are_well()


# garbage


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("zeros", [0, 1], ids=["any", "frames"])
async def test_r12_random_datagrams_of_strangers_get_no_answer(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, seed: int, zeros: int
) -> None:
    """10,000 of them, or as many that begin like a frame; one that asks for a session by chance is none."""
    player = Eq2Player(town)
    await settled(player)
    networks = [town.network("eq2", door) for door in ("login", "world")]
    taps = [Tap(network) for network in networks]
    dice = random.Random(seed)
    connections = len(town.app.gateway.connections)
    for number, address in enumerate(strangers(10_000, seed)):
        data = bytes(zeros) + dice.randbytes(dice.randrange(600))
        if SessionRequest.decode(data) is None:
            networks[number % 2].put(data, address)
        if number % 500 == 0:
            await trio.sleep(0.1)
    await trio.sleep(1)
    known = address_of(player)
    assert [data for tap in taps for _, data, address in tap.went if address != known] == []
    assert len(town.app.gateway.connections) == connections
    assert sum(town.app.gateway.sockets["eq2", door].doorman.half_open for door in ("login", "world")) == 0
    await plays_on(player)
    assert warnings(caplog) == []


@pytest.mark.parametrize("zeros", [0, 1], ids=["any", "frames"])
async def test_r12_random_datagrams_with_a_live_address_do_its_session_no_harm(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, zeros: int
) -> None:
    """One of 65,536 has the right checksum by chance; that one is left out here."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    address = await settled(player)
    connection = connection_at(town, address, "world")
    network = town.network("eq2", "world")
    checksum = Checksum(player.client.stream.seed)
    await trio.sleep(2)
    tap = Tap(network)
    statistics = stream_of(connection).statistics
    before, dice, sent = statistics.crc_errors, random.Random(12), 0
    while sent < 10_000:
        data = bytes(zeros) + dice.randbytes(dice.randrange(1, 600))
        if checksum.opened(data) is None and data[:2] not in (b"\0\1", b"\0\2", b"\0\x1d"):
            network.put(data, address)
            sent += 1
            if sent % 100 == 0:
                await trio.sleep(0.001)
    await trio.sleep(0.01)
    assert statistics.crc_errors - before == 10_000
    assert tap.went_to(address) == [], "no answer to any of them"
    assert connection.ending is None
    await plays_on(player)
    await witnesses.are_well()
    assert warnings(caplog) == []


@pytest.mark.parametrize("what", ["another id", "wrong checksum", "no checksum", "too short"])
async def test_r12_a_disconnect_that_is_not_the_sessions_is_ignored(
    town: Town, autojump_clock: MockClock, what: str
) -> None:
    player = Eq2Player(town)
    address = await settled(player)
    stream = player.client.stream
    goodbye = SessionDisconnect(stream.session_id, Reason.APPLICATION)
    mine, other = Checksum(stream.seed), Checksum(stream.seed ^ 1)
    datagram = {
        "another id": mine.sealed(goodbye._replace(session_id=stream.session_id ^ 1).encode()),
        "wrong checksum": other.sealed(goodbye.encode()),
        "no checksum": goodbye.encode(),
        "too short": mine.sealed(goodbye.encode()[:-3]),
    }[what]
    for _ in range(20):
        town.network("eq2", "world").put(datagram, address)
    await trio.sleep(5)
    await plays_on(player)


async def test_r12_a_stream_that_lost_its_key_ends_its_client_only(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Unreliable payloads that somebody made up are decrypted with the client's own keystream: from there on
    all it says is noise, which no handler may choke on."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    dice = random.Random(4)
    for number in range(12):
        player = Eq2Player(town)
        address = await settled(player)
        connection = connection_at(town, address, "world")
        noise = bytes((1 + number,)) + dice.randbytes(1 + 7 * number)
        town.network("eq2", "world").put(Checksum(player.client.stream.seed).sealed(noise), address)
        for _ in range(30):
            if connection.ending is not None:
                break
            await player.does(player.client.say_bytes("can anybody hear me?"), wait=0.2)
        # Noise may be any message, even the one that somebody wants to leave.
        assert connection.ending is not Ending.OUR_BUG, connection.detail
        player.leaves()
        await trio.sleep(25)
        assert not town.here("Anna")
    await witnesses.are_well()
    assert warnings(caplog) == []


# nothing for those who did not ask, and no more than they sent


@pytest.mark.parametrize("door", ["login", "world"])
async def test_r13_a_request_is_answered_once_and_nothing_is_repeated(
    town: Town, autojump_clock: MockClock, door: str
) -> None:
    network = town.network("eq2", door)
    tap = Tap(network)
    network.put(REQUEST.encode(), FAR)
    await trio.sleep(60)
    assert [(target, len(data)) for _, data, target in tap.went] == [(FAR, 21)]
    for n in range(40):
        network.put(REQUEST._replace(session_id=n).encode(), FAR)
        await trio.sleep(1.5)
    assert len(tap.went) <= 41, "one answer for a datagram"
    assert {len(data) for _, data, _ in tap.went} == {21}
    assert not town.app.gateway.connections


async def test_r13_with_prove_first_less_goes_out_than_came_in_at_any_moment(
    town: Town, autojump_clock: MockClock
) -> None:
    """In all, and for each address alone, until it has proven itself."""
    network = own_door(town, "login", prove_first=True)
    tap = Tap(network)
    dice, crowd = random.Random(13), strangers(40)
    kinds = [REQUEST.encode(), REQUEST.encode(), b"\0\x15\0\1xy", b"\0\7", dice.randbytes(30)]
    for _ in range(1500):
        address = dice.choice(crowd)
        network.put(dice.choices(kinds, (20, 20, 2, 2, 1))[0], address)
        await trio.sleep(dice.choice((0.001, 0.05)))
        assert sum(map(len, tap.went_to(address))) <= sum(map(len, tap.came_from(address)))
    assert tap.bytes_out <= tap.bytes_in
    assert any(len(data) == 21 for _, data, _ in tap.went)
    await trio.sleep(60)
    assert not town.app.gateway.connections
    # A client that repeats its request gets in.
    rogue = Rogue(network, HOME)
    rogue.stream.connect(trio.current_time())
    town.nursery.start_soon(rogue.behaves)
    await trio.sleep(3)
    assert rogue.stream.keyed


async def test_r13_by_default_30_short_answers_a_second_are_more_than_came_in(
    town: Town, autojump_clock: MockClock
) -> None:
    network = own_door(town, "login", new_sessions_per_second=10_000, half_open=100_000)
    tap = Tap(network)
    crowd = strangers(8000)
    for number, address in enumerate(crowd):
        network.put(REQUEST.encode(), address)
        if number % 8 == 7:
            await trio.sleep(0.01)
    await trio.sleep(60)
    assert tap.bytes_out <= tap.bytes_in + (10 + 2) * 30 * 21
    assert len(tap.went) <= len(crowd)


async def test_r13_a_session_that_is_proven_and_left_costs_little_more_than_its_handshake(
    town: Town, autojump_clock: MockClock
) -> None:
    """Whoever read the answer gets a question, some times, until nobody seems to be there."""
    network = town.network("eq2", "login")
    tap = Tap(network)
    rogue = Rogue(network, HOME)
    await rogue.proves_itself()
    connection = connection_at(town, HOME)
    await trio.sleep(60)
    assert connection.ending is Ending.CONNECTION_LOST
    assert tap.bytes_out < 600
    assert max(moment for moment, _, _ in tap.went) < 12


async def test_r13_two_doors_do_not_answer_each_other(town: Town, autojump_clock: MockClock) -> None:
    """Whoever writes the address of one door on what comes to the other sets nothing going."""
    network, other = town.network("eq2", "login"), town.network("eq2", "world")
    tap, theirs = Tap(network), Tap(other)
    here, there = ("127.0.0.1", 9100), ("127.0.0.1", 9001)
    carry = {id(network): (other, here), id(other): (network, there)}
    for data in (REQUEST.encode(), first_words(1), Checksum(1).sealed(b"\0\x15\0\1"), b"\0\x1d", KEEP_ALIVE):
        for _ in range(3):
            network.put(data, there)
            for _ in range(10):
                await trio.sleep(0.2)
                for wire in (network, other):
                    answers, wire.to_nobody[:] = wire.to_nobody[:], []
                    target, source = carry[id(wire)]
                    for answer, _ in answers:
                        target.put(answer, source)
    assert len(tap.went) <= 9
    assert theirs.went == []
    assert not town.app.gateway.connections


# a flood of sessions that are none


def latencies(*, flooded: bool) -> tuple[list[float], list[int]]:
    """How long somebody who plays waits for each answer, in virtual time, and what the flood found: bytes
    that were allocated, half open sessions, answers, newcomers during it and after it."""
    waited: list[float] = []
    found: list[int] = []

    async def floods(town: Town) -> None:
        networks = [town.network("eq2", door) for door in ("login", "world")]
        doormen = [town.app.gateway.sockets["eq2", door].doorman for door in ("login", "world")]
        most, crowd = 0, strangers(50_000)
        tracemalloc.start()
        for number, address in enumerate(crowd):
            networks[number % 2].put(REQUEST._replace(session_id=number).encode(), address)
            if number % 50 == 49:
                await trio.sleep(0.01)
                most = max(most, *(doorman.half_open for doorman in doormen))
        for network in networks:
            found.append(sum(len(data) == 21 for data, _ in network.to_nobody))
            network.to_nobody.clear()
        gc.collect()
        found.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        found.append(most)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            town = Town(nursery, seed=14)
            await town.open()
            player = Eq2Player(town)
            await settled(player)
            async with trio.open_nursery() as both:
                if flooded:
                    both.start_soon(floods, town)
                for number in range(60):
                    began, word = trio.current_time(), f"word {number}"
                    await player.end.send_all(player.client.say_bytes(word))
                    assert await player.until(lambda word=word: word in player.client.lines(), 5)  # type: ignore[misc]
                    waited.append(round(trio.current_time() - began, 6))
                    await trio.sleep(0.15)
            await trio.sleep(6)
            for door in ("login", "world"):
                town.network("eq2", door).put(b"", FAR)  # the doorman has no clock but what comes
                await trio.sleep(0.1)
                assert town.app.gateway.sockets["eq2", door].doorman.half_open == 0
            assert len(town.app.gateway.connections) == 1
            assert player.client.faults == []
            late = Eq2Player(town)
            await late.enters("berta", "Berta")
            assert town.here("Berta")
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    return waited, found


def test_r14_fifty_thousand_requests_from_nowhere_disturb_nobody_who_plays() -> None:
    calm, _ = latencies(flooded=False)
    waited, (at_login, at_world, memory, half_open) = latencies(flooded=True)
    assert waited == calm
    assert max(waited) < 0.2
    assert half_open <= 256
    # 10 s of flood: so many are admitted to the handshake, and no more answered.
    assert at_login <= 30 * 12
    assert at_world <= 30 * 12
    assert memory < 12 * MIB, "most of it the addresses of the flood itself"


# somebody else's session


async def test_r15_what_a_session_sends_counts_from_its_own_address_only(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    town.change("limits", exempt=("127.0.0.0/8",))
    player = Eq2Player(town)
    address = await settled(player)
    stream, network = player.client.stream, town.network("eq2", "world")
    tap, connections = Tap(network), len(town.app.gateway.connections)
    checksum, word = Checksum(stream.seed), "this was never said"
    numbered = b"\0\x09" + (stream._sender._next_sequence & 0xFFFF).to_bytes(2, "big")
    for source in (FAR, (address[0], address[1] + 1), ("192.0.2.1", address[1])):
        for datagram in (
            checksum.sealed(KEEP_ALIVE),
            checksum.sealed(SessionDisconnect(stream.session_id, Reason.APPLICATION).encode()),
            checksum.sealed(numbered + word.encode()),
            OUT_OF_SESSION,
        ):
            network.put(datagram, source)
            await trio.sleep(1.1)
    assert {data for _, data, target in tap.went if target != address} <= {OUT_OF_SESSION}
    assert len(town.app.gateway.connections) == connections
    assert word not in player.client.lines()
    await plays_on(player)
    assert warnings(caplog) == []


async def test_r15_a_request_in_somebodys_name_kills_nobody(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever else follows that does not prove that its answer was read."""
    town.change("limits", exempt=("127.0.0.0/8",))
    player = Eq2Player(town)
    address = await settled(player)
    connection, network = connection_at(town, address, "world"), town.network("eq2", "world")
    checksum, dice = Checksum(player.client.stream.seed), random.Random(15)
    for number in range(60):
        network.put(REQUEST._replace(session_id=number).encode(), address)
        for _ in range(20):
            guess = dice.randbytes(1 + dice.randrange(50))
            if checksum.opened(guess) is None:
                network.put(guess, address)
        await trio.sleep(0.5)
    assert connection.ending is None
    assert connection_at(town, address, "world") is connection
    await plays_on(player)
    assert warnings(caplog) == []


async def test_r15_the_words_of_a_session_do_not_prove_another_at_its_address(
    town: Town, autojump_clock: MockClock
) -> None:
    """What fits the living session is its own, even if it fits the one that somebody asks for as well: with
    two bytes that happens to one datagram of 65,536."""
    player = Eq2Player(town)
    address = await settled(player)
    connection, network = connection_at(town, address, "world"), town.network("eq2", "world")
    ours = Checksum(player.client.stream.seed).sealed(KEEP_ALIVE)
    twin = next(seed for seed in range(1, 1 << 20) if Checksum(seed).opened(ours) is not None)
    doorman = town.app.gateway.sockets["eq2", "world"].doorman
    doorman._entropy = lambda size: twin.to_bytes(size, "big")  # type: ignore[attr-defined] # of EQ2's
    network.put(REQUEST.encode(), address)
    await trio.sleep(0.1)
    assert doorman.half_open == 1
    for _ in range(20):
        network.put(ours, address)
        await trio.sleep(0.01)
    assert connection.ending is None
    await plays_on(player)


async def test_r15_the_word_that_there_is_no_session_is_believed_of_somebody_who_is_silent(
    town: Town, autojump_clock: MockClock
) -> None:
    rogue, connection = await a_rogue(town)
    rogue.stops()
    began = trio.current_time()
    rogue.sends(OUT_OF_SESSION)
    town.change("limits", handshake_seconds=600.0)
    assert await ending_of(connection, 100) is Ending.CLIENT_LEFT
    assert trio.current_time() - began <= 12


@pytest.mark.parametrize("times", [1, 50])
async def test_r15_the_word_that_there_is_no_session_is_not_believed_of_somebody_who_speaks(
    town: Town, autojump_clock: MockClock, times: int
) -> None:
    """1D carries no checksum: anybody could say it in anybody's name."""
    player = Eq2Player(town)
    address = await settled(player)
    network = town.network("eq2", "world")
    for _ in range(times):
        network.put(OUT_OF_SESSION, address)
        await plays_on(player)


async def test_r15_who_begins_anew_replaces_its_session_when_it_has_proven_itself(
    town: Town, autojump_clock: MockClock
) -> None:
    rogue, connection = await a_rogue(town)
    rogue.stops()
    network = town.network("eq2", "login")
    network.put(REQUEST.encode(), HOME)
    await trio.sleep(0.2)
    assert connection.ending is None
    (answer,) = [data for data in rogue.receives() if data[:2] == b"\0\2"]
    network.put(first_words(answered_seed(answer) ^ 1), HOME)
    await trio.sleep(0.2)
    assert connection.ending is None
    network.put(first_words(answered_seed(answer)), HOME)
    assert await ending_of(connection, 0.5) is not None
    assert "began anew" in connection.detail
    assert connection_at(town, HOME) is not connection


# too slow to begin


async def test_r18_a_login_that_takes_long_is_acknowledged_at_once(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that hears nothing would send it again and again, and give up."""
    rogue, connection = await a_rogue(town)

    async def login(*_: object) -> None:
        await trio.sleep(60)

    monkeypatch.setattr(type(connection.session.services.accounts), "login", login)
    rogue.says(newest_build().encode(eq2.LoginRequest(user="anna", password=PASSWORD, version=546)))
    await trio.sleep(0.1)
    assert rogue.stream.settled
    await trio.sleep(30)
    assert connection.ending is None
    assert rogue.stream.statistics.retransmissions == 0


async def test_r18_a_session_without_a_key_ends_20_seconds_after_it_began(
    town: Town, autojump_clock: MockClock
) -> None:
    """Whatever it says meanwhile, and it hears why."""
    rogue = Rogue(town.network("eq2", "login"), HOME)
    await rogue.proves_itself()
    connection, began = connection_at(town, HOME), trio.current_time()
    town.nursery.start_soon(_acknowledges_everything, rogue)
    while connection.ending is None:
        rogue.frame(KEEP_ALIVE)
        await trio.sleep(4)
    assert connection.ending is Ending.TIMED_OUT
    assert trio.current_time() - began <= town.settings.limits.handshake_seconds + 5
    assert rogue.reasons == [Reason.TIMEOUT]


async def _acknowledges_everything(rogue: Rogue) -> None:
    """Whatever number it has."""
    while True:
        rogue.frame(b"\0\x15\0\0")
        await trio.sleep(1)


@pytest.mark.parametrize("door", ["login", "world"])
async def test_r18_a_session_with_a_key_that_says_nothing_is_no_handshake(
    town: Town, autojump_clock: MockClock, door: str
) -> None:
    rogue, connection = await a_rogue(town, door=door)
    began = trio.current_time()
    assert await ending_of(connection, 100) is Ending.TIMED_OUT
    assert "handshake" in connection.detail
    assert trio.current_time() - began <= town.settings.limits.handshake_seconds + 2
    await trio.sleep(1)
    assert rogue.reasons == [Reason.TIMEOUT]


async def test_r18_who_stays_at_the_list_of_characters_has_ten_minutes(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", exempt=("127.0.0.0/8",))
    player = Eq2Player(town)
    await player.logs_in("anna")
    connection, tap = connection_at(town, address_of(player)), Tap(town.network("eq2", "login"))
    address, seed = address_of(player), player.client.stream.seed
    await trio.sleep(town.settings.limits.login_seconds - 10)
    assert connection.ending is None
    assert await ending_of(connection, 15) is Ending.TIMED_OUT
    await trio.sleep(3)
    assert reasons(tap.went_to(address), seed) == [Reason.TIMEOUT]
    assert player.gone


# nobody there, or nobody who listens


async def test_r19_a_peer_that_swallows_everything_is_missed_in_ten_seconds(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    """There is something that it does not acknowledge, for others move about."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    address = await settled(player)
    connection, tap = connection_at(town, address, "world"), Tap(town.network("eq2", "world"))
    player.vanishes()
    began = trio.current_time()
    while connection.ending is None:
        await witnesses.are_well()
    assert connection.ending is Ending.CONNECTION_LOST
    assert trio.current_time() - began < 25
    await trio.sleep(0.1)  # it has ended; its goodbye is a matter of its own task
    assert set(reasons(tap.went_to(address), player.client.stream.seed)) == {Reason.UNACKNOWLEDGED_TIMEOUT}
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Anna")
    await witnesses.are_well()


async def test_r19_a_peer_that_acknowledges_nothing_is_told_the_end_all_the_same(
    town: Town, autojump_clock: MockClock
) -> None:
    rogue, connection = await a_rogue(town)
    rogue.stops()
    connection.session.queue(Body(b"\6something to acknowledge"))
    connection.end(Ending.KICKED, "for the test")
    await trio.sleep(4)
    assert rogue.reasons == [Reason.APPLICATION]
    assert not town.app.gateway.connections


async def test_r19_a_peer_that_is_silent_is_missed_in_45_seconds(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", handshake_seconds=600.0)
    rogue, connection = await a_rogue(town)
    rogue.stops()
    began = trio.current_time()
    assert await ending_of(connection, 100) is Ending.CONNECTION_LOST
    assert trio.current_time() - began <= 47
    assert rogue.reasons == [Reason.TIMEOUT]


@pytest.mark.parametrize("way", ["nothing", "the same", "garbage"])
async def test_r20_a_peer_that_speaks_and_never_acknowledges_is_cut_off(
    easy_town: Town, autojump_clock: MockClock, way: str
) -> None:
    """It keeps alive, and says at most what it said before."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    await settled(player)
    rogue = Rogue.instead_of(player)
    connection = connection_at(town, rogue.address, "world")
    last = (rogue.stream._receiver.newest).to_bytes(2, "big")
    began = trio.current_time()
    town.nursery.start_soon(_walks_about, town, witnesses)
    while connection.ending is None:
        rogue.frame({"nothing": KEEP_ALIVE, "the same": b"\0\x15" + last, "garbage": b"\0\x15\x40\0"}[way])
        assert town.app.loop.stats.last_lateness < 0.001
        await trio.sleep(0.5)
    assert connection.ending is Ending.CONNECTION_LOST
    assert trio.current_time() - began < 40
    await trio.sleep(1)
    assert rogue.reasons == [Reason.UNACKNOWLEDGED_TIMEOUT]
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Anna")
    await witnesses.are_well()


async def _walks_about(town: Town, witnesses: Witnesses) -> None:
    """So that there is always something to tell."""
    for number in range(200):
        for game, player, _ in witnesses.players:
            if not player.gone:
                await player.end.send_all(game.steps_to(player, (2, 6)[number % 2]))
        await trio.sleep(0.7)


def _chat(seed: int) -> Body:
    """A line of 400 letters that no deflate makes shorter by much."""
    text = random.Random(seed).randbytes(400).decode("latin-1").replace("\0", "?")
    return Body(newest_build().encode(eq2.DisplayText(channel=0, text=text)))


async def is_cut_off_as_too_slow(town: Town, rogue: Rogue, connection: Connection) -> None:
    """The server says so, and its character leaves the world."""
    assert connection.ending is Ending.TOO_SLOW, connection.detail
    await trio.sleep(1)
    assert rogue.reasons == [Reason.RELIABLE_OVERFLOW]
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Anna")


async def test_r20_a_peer_that_takes_a_little_now_and_then_is_too_slow(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    """It acknowledges one packet a second while there is far more to tell."""
    town = easy_town
    town.change("network", hard_limit_kib=64, drop_packets=False)
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    await settled(player)
    rogue = Rogue.instead_of(player)
    connection = connection_at(town, rogue.address, "world")
    sender, waiting = stream_of(connection)._sender, 0
    tracemalloc.start()
    try:
        for turn in range(600):
            if connection.ending is not None:
                break
            if turn % 5 == 0:
                rogue.frame(b"\0\x15" + (sender._oldest & 0xFFFF).to_bytes(2, "big"))
            connection.session.queue(*map(_chat, range(8)))
            connection.flush()
            backlog = sum(len(m.raw) for m in connection.session.outbox if isinstance(m, Body))
            waiting = max(waiting, sender.held + backlog)
            assert town.app.loop.stats.last_lateness < 0.001
            await trio.sleep(0.2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert waiting < 128 * 1024, "the limit, what is in flight, and what one turn may add"
    assert peak < 2 * MIB
    await is_cut_off_as_too_slow(town, rogue, connection)
    await witnesses.are_well()


async def test_r20_more_at_once_than_may_wait_for_anybody_is_too_much(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = Eq2Player(town)
    await settled(player)
    rogue = Rogue.instead_of(player)
    connection = connection_at(town, rogue.address, "world")
    await trio.sleep(1)
    assert connection.ending is None
    connection.session.queue(*[_chat(number % 50) for number in range(1 + UNACKNOWLEDGED_BYTES // 400)])
    connection.flush()
    await is_cut_off_as_too_slow(town, rogue, connection)
    assert "wait for acknowledgement" in connection.detail
    await witnesses.are_well()


# too many, too often


async def enters_the_hall(town: Town, addresses: list[Address], door: str = "login") -> int:
    """Sessions from all of these addresses, 25 a second; how many of them were let in."""
    network, before = town.network("eq2", door), len(town.app.gateway.connections)
    most = before
    for address in addresses:
        end = network.client(address)
        network.put(REQUEST.encode(), address)
        await trio.sleep(0.04)
        answer = end.receive_nowait()
        if answer is not None:
            network.put(first_words(answered_seed(answer)), address)
        await trio.sleep(0.001)
        end.close()
        most = max(most, len(town.app.gateway.connections))
    return most - before


async def test_r21_an_address_has_its_share_of_sessions_and_no_more(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    town.change("limits", connects_per_10s=1000)
    witnesses = Witnesses(town)
    await witnesses.enter()
    crowd = [("203.0.113.5", 1024 + n) for n in range(60)]
    assert await enters_the_hall(town, crowd) == town.settings.limits.connections_per_address
    assert "10 connections from one address" in caplog.text
    socket_ = town.app.gateway.sockets["eq2", "login"]
    assert len(socket_.peers) == 10, "nothing is kept of the others"
    assert socket_.counters.refused == 50
    late = Eq2Player(town)
    await late.enters("berta", "Berta")
    assert town.here("Berta")
    await witnesses.are_well()
    await trio.sleep(30)
    assert await enters_the_hall(town, crowd[20:40]) == 10, "and again, when the first have gone"


async def test_r21_all_addresses_together_have_their_share(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    witnesses = Witnesses(town)
    await witnesses.enter()
    town.change("limits", connections=50)
    room = 50 - len(town.app.gateway.connections)
    assert await enters_the_hall(town, strangers(150)) == room
    assert "50 connections are open" in caplog.text
    await witnesses.are_well()
    await trio.sleep(30)
    assert len(town.app.gateway.connections) == len(witnesses.players)


async def test_r21_those_who_do_not_log_in_make_room_for_those_who_come(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", unauthenticated=20, handshake_seconds=600.0)
    assert await enters_the_hall(town, strangers(100)) <= 21
    player = Eq2Player(town)
    await player.enters("anna", "Anna")
    assert town.here("Anna")


async def test_r23_who_begins_too_often_waits_before_anything_is_computed(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    limits = town.settings.limits
    town.change("limits", connections_per_address=10_000)
    work, statements = town.passwords.work, _statements(town)
    let_in = 0
    for turn in range(10):
        let_in += await enters_the_hall(town, [("203.0.113.6", 2000 + 100 * turn + n) for n in range(25)])
    assert let_in <= limits.connects_per_10s * 4, "at once, and after 1 s, 2 s and 4 s"
    refused = sum("connects too often" in record.getMessage() for record in caplog.records)
    assert refused == 250 - let_in
    assert (town.passwords.work, _statements(town)) == (work, statements)
    player = Eq2Player(town)
    await player.enters("anna", "Anna")
    assert town.here("Anna")


async def test_r23_sessions_that_end_at_once_leave_nothing_behind(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    town = easy_town
    town.change("limits", exempt=("0.0.0.0/0",))
    network = town.network("eq2", "login")
    base = 0
    tracemalloc.start()
    try:
        for number, address in enumerate(strangers(700)):
            if number == 100:
                base = tracemalloc.get_traced_memory()[0]
            end = network.client(address)
            network.put(REQUEST.encode(), address)
            await trio.sleep(0.04)
            seed = answered_seed(await end.receive())
            network.put(first_words(seed), address)
            await trio.sleep(0.1)
            goodbye = SessionDisconnect(REQUEST.session_id, Reason.APPLICATION)
            network.put(Checksum(seed).sealed(goodbye.encode()), address)
            await trio.sleep(0.01)
            end.close()
        await trio.sleep(1)
        network.to_nobody.clear()
        assert not town.app.gateway.connections
        gc.collect()
        assert sessions_kept() <= 1, "the last one that somebody looked at"
        assert tracemalloc.get_traced_memory()[0] - base < MIB // 2
    finally:
        tracemalloc.stop()


def _statements(town: Town) -> int:
    return int(town.database._connection.connection.dbapi_connection.total_changes)  # type: ignore[union-attr]


# a handler that fails, a client that goes


@pytest.mark.parametrize("door", ["login", "world"])
async def test_r24_a_handler_that_fails_costs_its_client_only(
    easy_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    door: str,
) -> None:
    """Every handler that a client comes by on its way, at each door; the next one is let in as ever."""
    town, game = easy_town, GAMES["eq2"]
    witnesses = Witnesses(town)
    await witnesses.enter()
    table = town.families["eq2"].doors[door].table
    hit = []
    for number, entry in enumerate(table):

        def fails(session: Session, packet: object) -> None:
            raise KeyError("injected")

        async def fails_here(session: Session, packet: object) -> None:
            await trio.lowlevel.checkpoint()
            raise KeyError("injected")

        handler = fails_here if entry.where is Where.HERE else fails
        with monkeypatch.context() as patch:
            patch.setitem(table._entries, entry.opcode, attrs.evolve(entry, handler=handler))
            player, before = game.player(town), len(caplog.records)
            game.introduce(player, Person(number))
            with contextlib.suppress(AssertionError, IndexError, KeyError, ValueError):
                for step in game.steps:
                    await game.does(player, step)
            if any("failed for" in record.getMessage() for record in caplog.records[before:]):
                hit.append(entry.name)
        player.leaves()
        await trio.sleep(25)
    assert {"LoginRequest", "WorldListRequest", "CreateCharacter", "LoginByNum", "Movement"} <= set(hit), hit
    assert len(town.app.gateway.connections) == len(witnesses.players)
    await witnesses.are_well()
    player = game.player(town)
    await game.enters(player, Person(1))
    assert town.here(Person(1).character)


async def test_r24_a_stream_that_fails_while_its_peer_is_behind_costs_its_client_only(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, connection = await a_rogue(town)
    stream = stream_of(connection)

    def fails(now: float) -> list[bytes]:
        raise KeyError("injected")

    monkeypatch.setattr(type(stream), "clogged", property(lambda self: True))
    monkeypatch.setattr(stream, "outgoing", fails)
    connection.flush()
    assert connection.ending is Ending.OUR_BUG
    monkeypatch.undo()
    player = Eq2Player(town)
    await player.enters("anna", "Anna")
    assert town.here("Anna")


@pytest.mark.parametrize("way", ["goodbye", "vanishes", "forged"])
async def test_r26_going_after_any_datagram_of_a_session_rolls_back_or_completes(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    """With a word, without one, or with somebody else's in its name after which it goes."""
    town, game = easy_town, GAMES["eq2"]
    witnesses = Witnesses(town)
    await witnesses.enter()
    for last in range(len(game.steps)):
        for wait in (0.0, 0.003, 0.2):
            player, who = game.player(town), Person(1 + last)
            assert isinstance(player, Eq2Player)
            game.introduce(player, who)
            for step in game.steps[:last]:
                await game.does(player, step)
            await player.sends(game.prepared(player, game.steps[last]), wait=wait)
            if way == "goodbye":
                player.leaves()
            else:
                if way == "forged":
                    town.network("eq2", player.door).put(OUT_OF_SESSION, address_of(player))
                player.vanishes()
            await trio.sleep(75)
            assert len(town.app.gateway.connections) == len(witnesses.players)
            assert not town.here(who.character)
            await town.app.storage.wait_durable()
            assert check_database(town.database) == []
            again = game.player(town)
            await game.enters(again, who)
            assert town.here(who.character)
            again.leaves()
            await trio.sleep(25)
            assert not town.here(who.character)
    await witnesses.are_well()
    assert warnings(caplog) == []


# names, guesses, keys

EVERYBODY: Final = ("0.0.0.0/0",)
"""As `limits.exempt`: the number of connections is not what stops them here."""


async def answer_to(town: Town, name: str, password: str) -> tuple[list[bytes], float, int]:
    """What somebody far away hears upon a login, in plain; how long it took; and the work that it was."""
    player = Eq2Player(town, peer=FAR[0])
    await player.connects("login")
    player.raw.clear()
    before, began = town.passwords.work, trio.current_time()
    await player.end.send_all(player.client.login_bytes(name, password))
    assert await player.until(lambda: player.client.code is not None, 10)
    took = trio.current_time() - began
    await trio.sleep(3)
    sizes = [len(data) for data in unbundle(bytes(player.raw))]
    said = [newest_build().encode(message) for message in player.got]
    assert player.gone
    return [*said, bytes(str(sizes), "ascii")], round(took, 4), town.passwords.work - before


async def test_r49_nobody_learns_which_names_exist(town: Town, autojump_clock: MockClock) -> None:
    town.change("accounts", auto_create=False)
    town.change("limits", exempt=EVERYBODY, login_failures_per_address=1000)
    town.passwords.seconds = 0.02
    await town.app.accounts.create("anna", "secret1")
    tries = [("anna", "wrong12"), ("nobody", "wrong12"), ("nobody", "secret1"), ("ANNA", "wrong12")]
    answers = [await answer_to(town, name, password) for name, password in tries]
    assert all(answer == answers[0] for answer in answers), answers
    assert answers[0][2] == 1


async def test_r50_a_thousand_passwords_through_the_door(town: Town, autojump_clock: MockClock) -> None:
    town.change("accounts", auto_create=False)
    town.change("limits", exempt=EVERYBODY)
    await town.app.accounts.create("anna", "secret1")
    work = town.passwords.work
    for number in range(1000):
        player = Eq2Player(town, peer=FAR[0])
        await player.does(player.turns_to("login"), wait=0.05)
        await player.does(player.client.login_bytes("anna", f"wrong{number}"), wait=0.05)
        assert player.client.code != eq2.LoginCode.OK
        player.leaves()
    assert town.passwords.work - work <= 12, "five at once, and then after 2, 10, 20 and 60 s"
    # Another door of another game is the same wall.
    uo = UoPlayer(town, peer=FAR[0])
    await uo.does(uo.client.login_bytes("anna", "secret1"))
    assert not uo.client.servers
    owner = Eq2Player(town, peer="192.0.2.1")
    await owner.connects("login")
    await owner.end.send_all(owner.client.login_bytes("anna", "secret1"))
    assert await owner.until(lambda: owner.client.code == eq2.LoginCode.OK, 60), (
        "slowly, but the owner gets in"
    )


async def a_key(town: Town, name: str = "anna", character: str = "Anna") -> tuple[int, int]:
    """The account's number and the access code of somebody who was sent on to the world's door."""
    with contextlib.suppress(Denied):
        await town.app.accounts.create(name, PASSWORD)
    player = Eq2Player(town, peer=HOME[0])
    await player.logs_in(name)
    if player.client.characters:
        await player.does(player.client.play_bytes())
    else:
        await player.does(player.client.create_bytes(character))
    play = player.client.play
    assert play is not None
    assert play.account_id is not None
    assert play.access_code is not None
    player.leaves()
    return play.account_id, play.access_code


async def shows(town: Town, account: int, code: int, *, peer: str = HOME[0], wait: float = 0.3) -> bool:
    """Whether the world lets in who shows that code."""
    player = Eq2Player(town, peer=peer)
    await player.does(player.turns_to("world"), wait=wait)
    await player.does(player.client.bytes_of(eq2.LoginByNum(account, code, 546)), wait=wait)
    let_in = player.client.zone is not None
    assert let_in or player.client.code != eq2.LoginCode.OK
    player.leaves()
    await trio.sleep(wait)
    return let_in


async def test_r50_guessing_access_codes_is_guessing_passwords(town: Town, autojump_clock: MockClock) -> None:
    """Counted together with them, so that neither door is the way around the other."""
    town.change("limits", exempt=EVERYBODY)
    account, _ = await a_key(town)
    dice, work = random.Random(50), town.passwords.work
    limiter = town.app.tickets._limiter
    for number in range(1000):
        assert not await shows(town, account, dice.getrandbits(32), peer=FAR[0], wait=0.05)
        if number == 4:
            assert limiter.wait(FAR[0], trio.current_time()) > 0
    assert town.passwords.work == work
    assert limiter.wait(FAR[0], trio.current_time()) > 60
    player = Eq2Player(town, peer=FAR[0])
    await player.connects("login")
    await player.does(player.client.login_bytes("anna", "secret1"))
    assert player.client.code != eq2.LoginCode.OK
    # Whoever has a code of its own is not kept out by what others tried.
    account, code = await a_key(town)
    assert await shows(town, account, code)


async def test_r52_an_access_code_is_good_once_soon_and_for_its_owner(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", exempt=EVERYBODY, login_failures_per_address=1000)
    mine, code = await a_key(town)
    other, other_code = await a_key(town, "berta", character="Berta")
    assert mine != other
    assert not await shows(town, other, code), "another's"
    assert not await shows(town, mine, other_code), "another's"
    assert await shows(town, mine, code), "a wrong try does not use it up"
    assert not await shows(town, mine, code), "used"
    await trio.sleep(15)
    mine, code = await a_key(town)
    assert await shows(town, mine, code, peer=FAR[0]), "not bound to an address unless that is wished"
    await trio.sleep(15)
    town.change("limits", bind_tickets=True)
    mine, code = await a_key(town)
    assert not await shows(town, mine, code, peer=FAR[0])
    assert await shows(town, mine, code)
    await trio.sleep(15)
    mine, code = await a_key(town)
    await trio.sleep(LIFETIME + 1)
    assert not await shows(town, mine, code), "too late"
    mine, code = await a_key(town)
    await trio.sleep(LIFETIME - 5)
    assert await shows(town, mine, code), "just in time"
    assert len(town.app.tickets) <= MOST


async def test_r52_the_doors_have_messages_of_their_own(town: Town, autojump_clock: MockClock) -> None:
    """A password at the world's door, a key at the login server's."""
    mine, code = await a_key(town)
    rogue, connection = await a_rogue(town, door="world")
    rogue.says(newest_build().encode(eq2.LoginRequest("anna", "secret1", 546)))
    assert await ending_of(connection, 5) is Ending.BAD_PACKET
    rogue, connection = await a_rogue(town, FAR)
    rogue.says(newest_build().encode(eq2.LoginByNum(mine, code, 546)))
    assert await ending_of(connection, 5) is Ending.BAD_PACKET
    assert await shows(town, mine, code), "nor was it used up"


# With real sockets


def noise(addresses: list[tuple[str, int]], ends: trio.Event) -> Callable[[], Awaitable[None]]:
    """Requests and garbage from many addresses of this machine's own, as many as it likes, until it ends."""

    async def run() -> None:
        dice, sockets = random.Random(1), []
        try:
            for number in range(40):
                one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                one.setblocking(False)
                one.bind((f"127.0.1.{number + 1}", 0))
                sockets.append(one)
            while not ends.is_set():
                for one in sockets:
                    for address in addresses:
                        data = dice.choice((REQUEST.encode(), dice.randbytes(dice.randrange(500)), b"\0\x1d"))
                        with contextlib.suppress(OSError):
                            one.sendto(data, address)
                await trio.sleep(0.01)
        finally:
            for one in sockets:
                one.close()

    return run


async def test_r14_over_real_sockets_noise_keeps_nobody_from_playing(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    try:
        await trio.to_thread.run_sync(server.start)
        addresses = server.addresses()
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                ports, ends = Ports(nursery, addresses), trio.Event()
                player, late = Eq2Actor(ports), Eq2Actor(ports)
                await player.enters("anna", "Anna")
                nursery.start_soon(noise([addresses["eq2", door] for door in ("login", "world")], ends))
                for number in range(10):
                    word = f"word {number}"
                    await player.say(word)
                    assert await player.until(lambda word=word: word in player.client.lines(), 5)  # type: ignore[misc]
                ends.set()
                await late.enters("berta", "Berta")
                assert await player.until(lambda: player.client.by_name("Berta") is not None, 5)
                ports.hang_up()
                nursery.cancel_scope.cancel()
        assert await trio.to_thread.run_sync(server.stop) == 0
        assert "Traceback" not in server.output()
    finally:
        server.close()


async def test_r19_over_real_sockets_who_is_gone_is_missed(tmp_path: Path) -> None:
    """Nothing answers any more: the other sees the character leave."""
    soon = "keep_alive_seconds = 1.0\nidle_seconds = 6.0\n"
    server = ServerProcess(tmp_path, f"{soon}[limits]\nlinger_seconds = 0.0\n")
    try:
        await trio.to_thread.run_sync(server.start)
        addresses = server.addresses()
        with trio.fail_after(90):
            async with trio.open_nursery() as nursery:
                ports = Ports(nursery, addresses)
                player, other = Eq2Actor(ports), Eq2Actor(ports)
                async with trio.open_nursery() as both:
                    both.start_soon(player.enters, "anna", "Anna")
                    both.start_soon(other.enters, "berta", "Berta")
                assert await player.until(lambda: player.client.by_name("Berta") is not None, 5)
                assert isinstance(other.player, Eq2Player)
                other.player.vanishes()
                for heading in (2, 6) * 40:
                    await player.step(heading)
                    await player.until(lambda: player.client.by_name("Berta") is None, 0.5)
                    if player.client.by_name("Berta") is None:
                        break
                assert player.client.by_name("Berta") is None
                ports.hang_up()
                nursery.cancel_scope.cancel()
        assert await trio.to_thread.run_sync(server.stop) == 0
        assert "Traceback" not in server.output()
    finally:
        server.close()
