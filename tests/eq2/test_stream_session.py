"""Whole sessions: over lossy wires, and traced."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.frames import Checksum
from protocol.eq2.stream.sending import Sender
from protocol.wire.args import Role
from tests.kit.eqstream_frames import frames_of
from tests.kit.eqstreams import SEALED, adopted, drain, exchange, handshaken, stream

if TYPE_CHECKING:
    from collections.abc import Iterable

# Lossy wires


@pytest.mark.parametrize("loss", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("seed", range(8))
def test_everything_arrives_in_order_over_a_bad_wire(seed: int, loss: float) -> None:
    """Loss, repetition, reordering, broken bits; handshake included; virtual time."""
    dice = random.Random(seed)
    to_server = [dice.randint(1, 2500) for _ in range(dice.randrange(12))]
    to_client = [dice.randint(1, 6000) for _ in range(dice.randrange(25))]
    largest = dice.choice([128, 300, 512])
    client = stream(Role.CLIENT, StreamSettings(), 2)
    server = stream(Role.SERVER, StreamSettings(max_datagram=largest))
    sent = {
        client: [b"\5" + dice.randbytes(size) for size in to_server],
        server: [b"\6" + (b"words and more words %d " % size * size)[:size] for size in to_client],
    }
    for end, messages in sent.items():
        end.send_many(messages[:5])
    rest = {end: messages[5:] for end, messages in sent.items()}
    got: dict[EqStream, list[bytes]] = {client: [], server: []}
    wire: list[tuple[float, int, EqStream, bytes]] = []
    client.connect(0.0)
    now, count = 0.0, 0
    while (len(got[server]), len(got[client])) != (len(to_server), len(to_client)):
        for end, other in ((client, server), (server, client)):
            if end.keyed and rest[end] and not end.clogged:
                end.send_many(rest[end][:3])
                del rest[end][:3]
            for datagram in end.outgoing(now):
                assert len(datagram) <= 512
                for _ in range(2 if dice.random() < 0.1 else 1):
                    if dice.random() < loss:
                        continue
                    if dice.random() < 0.02:
                        at = dice.randrange(len(datagram))
                        if not datagram.startswith((b"\0\1", b"\0\2")):
                            datagram = datagram[:at] + bytes((datagram[at] ^ 1,)) + datagram[at + 1 :]
                            if datagram.startswith(b"\0\x1d"):
                                continue  # what has no checksum cannot be told from the real thing
                    count += 1
                    wire.append((now + 0.02 + 0.1 * dice.random(), count, other, datagram))
        wire.sort()
        events = [end.deadline() for end in (client, server)]
        if wire:
            events.append(wire[0][0])
        now = max(now, min(event for event in events if event is not None))
        assert now < 600
        while wire and wire[0][0] <= now:
            _, _, end, datagram = wire.pop(0)
            end.receive(datagram, now)
            got[end] += drain(end)
        client.expire(now)
        server.expire(now)
    assert got[server] == sent[client]
    assert got[client] == sent[server]


def test_numbers_wrap_in_a_long_session() -> None:
    """From shortly before the wrap on, in both directions, with losses that are noticed across it."""
    client, server = adopted(Role.CLIENT), adopted(Role.SERVER)
    for end in (client, server):
        end._sender = Sender(end.settings, end.statistics, 65_400)
        end._receiver._expected = 65_400
    dice = random.Random(4)
    sent = [b"\5" + number.to_bytes(2, "big") + dice.randbytes(300) for number in range(400)]
    got: dict[EqStream, list[bytes]] = {client: [], server: []}
    now, at = 0.0, 0
    while len(got[client]) + len(got[server]) < 2 * len(sent):
        if not server.clogged and not client.clogged:
            for end in got:
                end.send_many(sent[at : at + 4])
            at += 4
        exchange(client, server, now, lambda datagram: [datagram] * (dice.random() > 0.1))
        for end, messages in got.items():
            messages += drain(end)
        now += 0.05
        assert now < 100
        client.expire(now)
        server.expire(now)
    assert got == {client: sent, server: sent}
    assert server._receiver.newest < 1000


def test_a_small_window_of_ours_is_none_for_the_peer() -> None:
    """What the peer sends far ahead of something lost is kept, and not taken for something old."""
    client, server = adopted(Role.CLIENT), adopted(Role.SERVER, StreamSettings(window=4))
    sent = [b"\5" + bytes((number,)) * 200 for number in range(6)]
    for message in sent:
        client.send_many([message])
    lost, *others = [datagram for _ in range(3) for datagram in client.outgoing(0.0)]
    for datagram in others:
        server.receive(datagram, 0.0)
    assert server.statistics.past_packets == 0
    server.receive(lost, 0.0)
    exchange(client, server)
    assert drain(server) == sent


# Tracing


def test_a_trace_tells_every_stage_and_no_secret() -> None:
    lines: list[str] = []
    client, server = stream(Role.CLIENT, seed=2), stream(Role.SERVER)
    client.trace = server.trace = lines.append
    password = b"open sesame"
    client.send_many([b"\0" + password])
    client.connect(0.0)
    kept: list[bytes] = []

    def carry(datagram: bytes) -> Iterable[bytes]:
        kept.append(datagram)
        yield datagram
        yield datagram

    exchange(client, server, carry=carry)
    client.send_many([b"\1" + password])
    server.send_many([b"\2" + password])
    exchange(client, server, carry=carry)
    assert drain(server) == [b"\0" + password, b"\1" + password]
    assert drain(client) == [b"\2" + password]
    for datagram in kept:  # everything again, the key reply too, after there is a key
        server.receive(datagram, 1.0)
    exchange(client, server, 1.0)
    server.receive(kept[-1][:-1] + b"!", 1.0)
    checksum = Checksum(server.seed)
    sealed = [datagram for datagram in kept if checksum.opened(datagram)]
    replies = {frame for frame in frames_of(sealed, checksum) if frame.startswith(b"\0\x09\0\0\2\x40")}
    (reply,) = replies
    key = reply[-8:]
    text = "\n".join(lines)
    dumped = "".join(line[6:54] for line in lines if line[4:6] == ": ")
    for secret in (key, password, reply[20:28]):
        assert secret.hex(" ") not in text
        assert secret.hex() not in dumped.replace(" ", "")
        assert secret.decode("latin-1") not in text
    for stage in (
        "out opcode=0x0001 SESSION_REQUEST size=14",
        "in opcode=0x0002 SESSION_RESPONSE size=21",
        "opcode=0x0008 SESSION_STAT_RESPONSE",
        "opcode=0x0009 PACKET seq=0",
        "in opcode=0x0003 COMBINED",
        "bad checksum",
        "message in size=12",
        "message out size=12",
    ):
        assert stage in text, stage
    assert any(line.startswith("0000: 00 09 00 01 ") for line in lines)


def test_a_trace_tells_what_is_sent_again_and_what_came_early_or_twice() -> None:
    client, server = handshaken()
    out: list[str] = []
    into: list[str] = []
    server.trace, client.trace = out.append, into.append
    now = 1.0
    first: list[bytes] = []
    for body in (b"\5one", b"\5two", b"\5three"):
        server.send_many([body])
        first += server.outgoing(now)
    for datagram in (first[1], first[1], first[0]):
        client.receive(datagram, now)
    for _ in range(200):
        now += 0.1
        server.expire(now)
        if again := server.outgoing(now):
            break
    for datagram in again:
        client.receive(datagram, now)
    assert drain(client) == [b"\5one", b"\5two", b"\5three"]
    stages = [line.partition(" opcode")[0] for line in into if " PACKET " in line]
    assert stages[:3] == ["in (future, stored)", "in (duplicate)", "in"]
    assert "in (duplicate)" in stages[3:]
    assert any(line.startswith("out opcode") for line in out)
    assert any(line.startswith("out (attempt 2) opcode=0x0009 PACKET") for line in out)


def test_a_trace_can_be_turned_off() -> None:
    lines: list[str] = []
    server = adopted(Role.SERVER)
    server.trace = lines.append
    server.receive(SEALED.sealed(b"\0\6"), 0.0)
    assert lines
    server.trace = None
    del lines[:]
    server.receive(SEALED.sealed(b"\0\6"), 0.0)
    assert not lines
