"""The table `[listen.eq2]` of config.toml."""

# ruff: noqa: RUF009 # the defaults of these frozen classes are frozen values

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.address import Address
from protocol.keys import between, door, fixed
from protocol.listener import Listener

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKET_OVERHEAD: Final = 6
"""Bytes around what a datagram carries: opcode, sequence number and checksum, two each."""


@attrs.frozen
class Eq2Listener(Listener):
    """EverQuest II: UDP. Clients log in at one port and are sent on to the other to play."""

    family = "eq2"
    datagrams = True

    login: Address = door(Address("0.0.0.0", 9100))
    world: Address = door(Address("0.0.0.0", 9001))
    max_datagram: int = fixed(512, between(128, 1400))
    rate_kib: float = fixed(128.0, between(1, 1_048_576))
    burst_kib: float = fixed(32.0, between(0.125, 1_048_576))
    compress_above: int = fixed(100, between(0, 500_000))
    combine_bytes: int = fixed(250, between(0, 1400))
    rto_min_ms: int = fixed(200, between(10, 60_000))
    rto_max_ms: int = fixed(3000, between(10, 60_000))
    keep_alive_seconds: float = fixed(9.0, between(1, 3_600))
    idle_seconds: float = fixed(45.0, between(1, 86_400))
    unacknowledged_seconds: float = fixed(10.0, between(1, 30))
    window: int = fixed(2047, between(1, 2047))
    receive_buffer_kib: int = fixed(4096, between(16, 1_048_576))
    send_buffer_kib: int = fixed(4096, between(16, 1_048_576))
    peer_queue: int = fixed(256, between(1, 65_536))
    new_sessions_per_second: int = fixed(30, between(1, 1_000_000))
    half_open: int = fixed(256, between(1, 1_000_000))
    prove_first: bool = fixed(False)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """See Listener."""
        yield from super().contradictions()
        if self.burst_kib * 1024 < self.max_datagram:
            yield "burst_kib", f"must be enough for one datagram: max_datagram is {self.max_datagram} bytes"
        room = self.max_datagram - PACKET_OVERHEAD
        if self.combine_bytes > room:
            yield (
                "combine_bytes",
                f"must be at most {room}, what a datagram of {self.max_datagram} bytes holds",
            )
        if self.rto_min_ms > self.rto_max_ms:
            yield "rto_min_ms", f"must not be above rto_max_ms, which is {self.rto_max_ms}"
        if self.keep_alive_seconds >= self.idle_seconds:
            yield (
                "keep_alive_seconds",
                f"must be below idle_seconds, {self.idle_seconds:g}: silence ends a session",
            )
