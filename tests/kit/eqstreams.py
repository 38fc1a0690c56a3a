"""Both ends of an EQStream on a wire of lists, and shortcuts into a session."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.ciphers import KEY_SIZE
from protocol.eq2.stream.frames import Checksum, SessionRequest, SessionResponse
from protocol.eq2.stream.sending import Sender
from protocol.eq2.stream.statistics import Statistics
from protocol.wire.args import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.eq2.stream.states import State

SEED = 0x33624702
SESSION = 0x11223344
TAIL = bytes.fromhex("0123456789abcdef")
SEALED = Checksum(SEED)


def stream(role: Role, settings: StreamSettings | None = None, seed: int = 1) -> EqStream:
    """An end that has said nothing yet."""
    return EqStream(role, random.Random(seed).randbytes, settings or StreamSettings())


def opened(role: Role, settings: StreamSettings | None = None) -> EqStream:
    """An end with a session, without a key."""
    settings = settings or StreamSettings()
    end = EqStream(role, lambda size: SESSION.to_bytes(4, "big").rjust(size, b"\7"), settings)
    if role is Role.SERVER:
        end.adopt(SessionRequest(3, SESSION, settings.max_datagram), SEED, 0.0)
    else:
        end.connect(0.0)
        end.outgoing(0.0)
        answer = SessionResponse(SESSION, SEED, settings.crc_length, max_length=settings.max_datagram)
        end.receive(answer.encode(), 0.0)
        end.outgoing(0.0)
    return end


def adopted(role: Role, settings: StreamSettings | None = None) -> EqStream:
    """An end in the middle of things: session, key, no sequence number used up in either direction."""
    end = opened(role, settings)
    end._key(TAIL)
    assert len(TAIL) == KEY_SIZE
    return end


# What a type checker takes for settled once it was asserted, although it changes with what happens between.


def is_in(end: EqStream, state: State) -> bool:
    """Whether the stream is in that state."""
    return end.state is state


def is_keyed(end: EqStream) -> bool:
    """`keyed`."""
    return end.keyed


def is_pending(end: EqStream) -> bool:
    """`pending`."""
    return end.pending


def is_closed(end: EqStream) -> bool:
    """`closed`."""
    return end.closed


def drain(end: EqStream) -> list[bytes]:
    """All messages that are there."""
    return list(iter(end.next_message, None))


def reliable_frames(payloads: Sequence[bytes], start: int = 0, length: int = 512) -> list[bytes]:
    """What a real sender makes of them, all acknowledged as soon as they are sent."""
    sender = Sender(StreamSettings(rate_kib=1e6, burst_kib=1e6), Statistics(), start)
    sender.max_length = length
    for payload in payloads:
        sender.push(payload)
    frames: list[bytes] = []
    while not sender.idle:
        taken = sender.take(0.0)
        frames += taken
        for frame in taken:
            sender.acknowledge(int.from_bytes(frame[2:4], "big"), 0.0)
    return frames


def exchange(
    client: EqStream,
    server: EqStream,
    now: float = 0.0,
    carry: Callable[[bytes], Iterable[bytes]] = lambda datagram: (datagram,),
) -> None:
    """Let both talk until neither has more to say now; `carry` may lose or repeat."""
    for _ in range(10_000):
        to_server, to_client = client.outgoing(now), server.outgoing(now)
        if not to_server and not to_client:
            return
        for datagram in to_server:
            for copy in carry(datagram):
                server.receive(copy, now)
        for datagram in to_client:
            for copy in carry(datagram):
                client.receive(copy, now)
    raise AssertionError("they never stop talking")


def handshaken(
    settings: StreamSettings | None = None, client_settings: StreamSettings | None = None
) -> tuple[EqStream, EqStream]:
    """Client and server after a real handshake."""
    client = stream(Role.CLIENT, client_settings or settings, 2)
    server = stream(Role.SERVER, settings)
    client.connect(0.0)
    exchange(client, server)
    assert client.keyed
    assert server.keyed
    return client, server
