"""What `causeway status` tells of doors of datagrams."""

from types import SimpleNamespace
from typing import TYPE_CHECKING

import attrs

from protocol.eq2.stream.statistics import Statistics
from server.net.datagram_status import datagram_lines
from server.net.datagrams import Counters

if TYPE_CHECKING:
    from server.net.datagrams import DatagramSocket


def bound(counters: Counters, *streams: Statistics | None, half_open: int = 0) -> "DatagramSocket":
    """As much of a socket as is told of, with one peer for each stream."""
    peers = {
        ("192.0.2.1", number): SimpleNamespace(codec=SimpleNamespace(statistics=stream))
        for number, stream in enumerate(streams)
    }
    return SimpleNamespace(  # type: ignore[return-value]
        counters=counters, peers=peers, doorman=SimpleNamespace(half_open=half_open)
    )


def test_a_quiet_door() -> None:
    assert datagram_lines({"eq2 login": bound(Counters())}) == [
        "eq2 login: 0 sessions, 0 half open; 0 datagrams (0.0 MiB) in, 0 (0.0 MiB) out; "
        "0 without a session, 0 of them answered, 0 refused, 0 dropped because too many waited",
        "eq2 login: of 0 packets 0 were sent again (0.0 %), round trips: none yet, "
        "0 wrong checksums, 0.0 MiB were compressed to 100 %",
    ]


def test_without_such_doors_there_is_nothing_to_tell() -> None:
    assert datagram_lines({}) == []


def test_every_counter_of_a_socket_is_told() -> None:
    counters = Counters(
        received=101,
        sent=200,
        bytes_in=3 * 2**20,
        bytes_out=4 * 2**20,
        unknown=105,
        replies=6,
        refused=107,
        queue_full=108,
    )
    assert len(attrs.fields(Counters)) == 8
    first, _ = datagram_lines({"eq2 world": bound(counters, None, half_open=109)})
    for told in ("101 datagrams (3.0 MiB) in", "206 (4.0 MiB) out", "105 without", "6 of them answered"):
        assert told in first
    for told in ("107 refused", "108 dropped", "109 half open", "1 sessions"):
        assert told in first


def test_what_the_connected_streams_measured_is_taken_together() -> None:
    fast = Statistics(reliable_sent=300, retransmissions=3, crc_errors=1)
    slow = Statistics(reliable_sent=100, retransmissions=5, crc_errors=6)
    fast.bytes_before_compression, fast.bytes_after_compression = 3 * 2**20, 2**20
    slow.bytes_before_compression, slow.bytes_after_compression = 2**20, 2**20
    for milliseconds in (10, 20, 30):
        fast.measured(milliseconds)
    slow.measured(140)
    _, second = datagram_lines({"eq2 world": bound(Counters(), fast, None, slow)})
    assert second == (
        "eq2 world: of 400 packets 8 were sent again (2.0 %), round trips: 50 ms on average, 140 ms at most, "
        "7 wrong checksums, 4.0 MiB were compressed to 50 %"
    )
