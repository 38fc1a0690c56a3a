"""Lines about the doors that take datagrams, for `causeway status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from server.net.datagrams import DatagramSocket

MIB = 2**20


@runtime_checkable
class StreamCounters(Protocol):
    """The part of a codec's `statistics` that is told here; a codec that has none is not asked."""

    reliable_sent: int
    retransmissions: int
    rtt_samples: int
    rtt_total_ms: float
    rtt_longest_ms: float
    bytes_before_compression: int
    bytes_after_compression: int
    crc_errors: int


def datagram_lines(sockets: Mapping[str, DatagramSocket]) -> list[str]:
    """Two lines for each socket, by the name of its door ("eq2 login"). The first counts since the server
    began, the second what those do that are connected now."""
    lines: list[str] = []
    for name, bound in sockets.items():
        count = bound.counters
        lines.append(
            f"{name}: {len(bound.peers)} sessions, {bound.doorman.half_open} half open; "
            f"{count.received} datagrams ({count.bytes_in / MIB:.1f} MiB) in, "
            f"{count.sent + count.replies} ({count.bytes_out / MIB:.1f} MiB) out; "
            f"{count.unknown} without a session, {count.replies} of them answered, "
            f"{count.refused} refused, {count.queue_full} dropped because too many waited"
        )
        lines.append(f"{name}: {_delivery(_counters(bound))}")
    return lines


def _counters(bound: DatagramSocket) -> Iterator[StreamCounters]:
    for peer in bound.peers.values():
        statistics = getattr(peer.codec, "statistics", None)
        if isinstance(statistics, StreamCounters):
            yield statistics


def _delivery(streams: Iterable[StreamCounters]) -> str:
    sent = again = samples = before = after = wrong = 0
    total = longest = 0.0
    for stream in streams:
        sent += stream.reliable_sent
        again += stream.retransmissions
        samples += stream.rtt_samples
        total += stream.rtt_total_ms
        longest = max(longest, stream.rtt_longest_ms)
        before += stream.bytes_before_compression
        after += stream.bytes_after_compression
        wrong += stream.crc_errors
    times = f"{total / samples:.0f} ms on average, {longest:.0f} ms at most" if samples else "none yet"
    return (
        f"of {sent} packets {again} were sent again ({100 * again / sent if sent else 0:.1f} %), "
        f"round trips: {times}, {wrong} wrong checksums, "
        f"{before / MIB:.1f} MiB were compressed to {100 * after / before if before else 100:.0f} %"
    )
