"""Garbage, floods of it, frames cut off, and containers in containers."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.eq2.stream.combining import DEEPEST
from protocol.eq2.stream.frames import StatRequest
from protocol.eq2.stream.session import RECEIVED_AT_ONCE
from protocol.eq2.stream.states import State
from protocol.eq2.stream.stream import RECEIVED_PER_SECOND
from protocol.wire.args import Role
from tests.kit.eqstream_frames import encrypted, packet
from tests.kit.eqstreams import SEALED, adopted, drain, is_in, is_pending, opened


def test_a_bad_checksum_is_counted_and_nothing_else() -> None:
    """R-12."""
    server = adopted(Role.SERVER)
    before = server.deadline()
    dice = random.Random(7)
    for _ in range(10_000):
        datagram = dice.randbytes(dice.randrange(600))
        if datagram[:1] == b"\0" and datagram[1:2] in (b"\1", b"\2", b"\x1d"):
            continue
        server.receive(datagram, 1.0)
        assert not is_pending(server)
    assert server.outgoing(1.0) == []
    assert is_in(server, State.CONNECTED)
    assert server.deadline() == before
    assert server.statistics.crc_errors > 9_000
    (message,) = encrypted(b"\5still here")
    server.receive(packet(0, message), 1.0)
    assert drain(server) == [b"\5still here"]


@given(st.lists(st.binary(max_size=510), max_size=20), st.sampled_from(Role), st.booleans())
def test_anything_with_the_right_checksum(bodies: list[bytes], role: Role, keyed: bool) -> None:
    """R-05: from a peer that knows its session everything may come; only WireError may come of it."""
    end = adopted(role) if keyed else opened(role)
    try:
        for body in bodies:
            end.receive(SEALED.sealed(body), 0.0)
            drain(end)
            end.outgoing(0.0)
    except WireError:
        assert is_in(end, State.DISCONNECT)


@given(st.data(), st.sampled_from(Role))
def test_plausible_frames(data: st.DataObject, role: Role) -> None:
    end = adopted(role)
    opcodes = st.sampled_from([*range(0x20)])
    frame = st.tuples(opcodes, st.binary(max_size=40)).map(lambda made: bytes((0, made[0])) + made[1])
    for body in data.draw(st.lists(frame, max_size=30)):
        try:
            end.receive(SEALED.sealed(body), 0.0)
            drain(end)
        except WireError:
            break
        for datagram in end.outgoing(0.0):
            assert len(datagram) <= 512


@pytest.mark.parametrize("op", [0x0A, 0x0B, 0x0C, 0x0E, 0x12, 0x14, 0x16, 0x17, 0x18, 0x19, 0x1E, 0x1F, 4])
def test_opcodes_nobody_uses_are_counted(op: int) -> None:
    server = adopted(Role.SERVER)
    server.send_many([b"\5abc"])
    server.outgoing(0.0)
    server.receive(SEALED.sealed(bytes((0, op, 0, 0, 1, 2))), 0.0)
    assert server.statistics.unknown_opcodes == 1
    assert server.outgoing(0.0) == []
    assert not server._sender.idle


def test_port_alive_is_no_error() -> None:
    server = adopted(Role.SERVER)
    server.receive(SEALED.sealed(b"\0\x1c"), 0.0)
    assert not server.statistics.unknown_opcodes
    assert not server.statistics.dropped


@pytest.mark.parametrize("frame", [b"\0", b"\0\x09\0", b"\0\x15", b"\0\x0d\0", b"\0\x11\0", b"\0\x1a\0\0"])
def test_frames_cut_off(frame: bytes) -> None:
    server = adopted(Role.SERVER)
    server.receive(SEALED.sealed(frame), 0.0)
    assert server.statistics.dropped["malformed"] == 1
    assert is_in(server, State.CONNECTED)


def nested(frame: bytes, depth: int) -> bytes:
    for _ in range(depth):
        frame = b"\0\3" + bytes((len(frame) & 0xFF,)) + frame
    return frame


def test_containers_in_containers() -> None:
    """R-10."""
    for depth in range(1, 12):
        server = adopted(Role.SERVER)
        (message,) = encrypted(b"\5deep")
        server.receive(SEALED.sealed(nested(b"\0\x09\0\0" + message, depth)), 0.0)
        assert drain(server) == ([b"\5deep"] if depth <= DEEPEST else [])
        assert server.statistics.dropped["nested too deep"] == (depth > DEEPEST)


def test_a_thousand_containers_cost_nothing() -> None:
    server = adopted(Role.SERVER)
    bomb = SEALED.sealed(nested(b"\0\6", 1000))
    wide = SEALED.sealed(nested(b"\0\3\0" * 80, 3))
    begun = time.process_time()
    for _ in range(100):
        server.receive(bomb, 0.0)
        server.receive(wide, 0.0)
    assert time.process_time() - begun < 1.0
    assert is_in(server, State.CONNECTED)


def test_memoryviews_are_taken() -> None:
    server = adopted(Role.SERVER)
    (message,) = encrypted(b"\5view")
    server.receive(memoryview(packet(0, message)), 0.0)
    assert drain(server) == [b"\5view"]


def test_a_flood_of_what_fits_the_checksum_is_looked_at_so_often_and_no_more() -> None:
    server = adopted(Role.SERVER)
    flood = SEALED.sealed(b"\0\x1e" + bytes(8))  # an opcode that is counted
    for second in range(4):
        for n in range(5000):
            server.receive(flood, second + n / 5000)
    looked_at = server.statistics.unknown_opcodes
    assert looked_at == pytest.approx(RECEIVED_AT_ONCE + 4 * RECEIVED_PER_SECOND, abs=5)
    assert server.statistics.dropped["too many"] == 20_000 - looked_at
    server.receive(SEALED.sealed(StatRequest(1).encode()), 4.5)
    assert server.outgoing(4.5)


def test_a_flood_with_wrong_checksums_keeps_no_client_from_being_heard() -> None:
    server = adopted(Role.SERVER)
    for _ in range(10_000):
        server.receive(b"\0\7garbage", 0.0)
    server.receive(SEALED.sealed(StatRequest(1).encode()), 0.0)
    assert server.outgoing(0.0)
