"""Counters of a running server, for `/metrics`.

Counting has to cost next to nothing: plain integers, added to where things happen. Whatever can be read from
the server's own state when somebody asks is not counted here. A name that becomes a label is always one of
the program's own (a game, a packet's class, an ending): nothing that a client says may make a new one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.endings import Ending
    from protocol.session import Session

UNKNOWN: Final = "unknown"
"""What a frame is called that has no row in its table."""

TURN_BOUNDS: Final = (
    *(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025),
    *(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
)
"""Seconds. A turn of an idle world takes 20 us, one above 50 ms is felt."""

COMMIT_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds. A commit to a quiet disk takes 4 ms."""


class Histogram:
    """Numbers of observations up to each of some bounds, and their sum."""

    __slots__ = ("_counts", "bounds", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.total = 0.0
        self._counts = [0] * (len(self.bounds) + 1)

    def observe(self, value: float) -> None:
        """Count one."""
        self._counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    @property
    def count(self) -> int:
        """All that were measured."""
        return sum(self._counts)

    def buckets(self) -> list[tuple[str, float]]:
        """As Prometheus has them: each bound with all that did not exceed it; the last is +Inf."""
        names = [repr(float(bound)) for bound in self.bounds] + ["+Inf"]
        return list(zip(names, map(float, accumulate(self._counts)), strict=True))


class Measured(Protocol):
    """A connection, as far as it is counted."""

    @property
    def session(self) -> Session:
        """Its session, with the game and the codec."""

    @property
    def ending(self) -> Ending | None:
        """The reason of its end; None while it lasts."""

    @property
    def bytes_in(self) -> int: ...
    @property
    def bytes_out(self) -> int: ...
    @property
    def messages_out(self) -> int: ...


@attrs.define
class Traffic:
    """Sums over the connections of one game."""

    bytes_in: int = 0
    bytes_out: int = 0
    messages_out: int = 0
    ignored: int = 0
    """Packets that meant nothing when they came."""

    def add(self, connection: Measured) -> None:
        """Add what one connection has moved."""
        self.bytes_in += connection.bytes_in
        self.bytes_out += connection.bytes_out
        self.messages_out += connection.messages_out
        self.ignored += connection.session.ignored


@runtime_checkable
class StreamStatistics(Protocol):
    """Statistics that a codec of datagrams keeps of its session. Bytes and packets include garbage; round
    trips are in milliseconds."""

    packets_in: int
    packets_out: int
    crc_errors: int
    past_packets: int
    future_packets: int
    dropped: Counter[str]
    reliable_sent: int
    retransmissions: int
    holes: int
    timeouts: int
    rtt_samples: int
    rtt_total_ms: float
    rtt_last_ms: float
    bytes_before_compression: int
    bytes_after_compression: int


_SUMMED: Final = (
    "packets_in",
    "packets_out",
    "crc_errors",
    "past_packets",
    "future_packets",
    "reliable_sent",
    "retransmissions",
    "holes",
    "timeouts",
    "rtt_samples",
    "rtt_total_ms",
    "bytes_before_compression",
    "bytes_after_compression",
)

_READABLE: Final[dict[type, bool]] = {}
"""Whether statistics of a class are of that kind: to ask costs more than to read them."""


def statistics_of(connection: Measured) -> StreamStatistics | None:
    """Statistics of the connection's codec, if it is one of datagrams that keeps any."""
    statistics: object = getattr(connection.session.codec, "statistics", None)
    if statistics is None:
        return None
    kind = type(statistics)
    if kind not in _READABLE:
        _READABLE[kind] = isinstance(statistics, StreamStatistics)
    return statistics if _READABLE[kind] else None  # type: ignore[return-value] # as was found out


@attrs.define
class StreamSums:
    """Such statistics of many sessions together."""

    packets_in: int = 0
    packets_out: int = 0
    crc_errors: int = 0
    past_packets: int = 0
    future_packets: int = 0
    reliable_sent: int = 0
    retransmissions: int = 0
    holes: int = 0
    timeouts: int = 0
    rtt_samples: int = 0
    rtt_total_ms: float = 0.0
    bytes_before_compression: int = 0
    bytes_after_compression: int = 0
    dropped: Counter[str] = attrs.field(factory=Counter)

    def add(self, statistics: StreamStatistics | StreamSums) -> None:
        """Add those of one session, or of many."""
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(statistics, name))
        if statistics.dropped:
            self.dropped.update(statistics.dropped)


class Counts:
    """All counters of a server."""

    def __init__(self) -> None:
        self.packets_in: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
        """Frames by game and by name of the row in its table."""
        self.ended: Counter[tuple[str, Ending]] = Counter()
        """Connections that ended, by game and how."""
        self.refused: Counter[tuple[str, str]] = Counter()
        """Connections that were not let in, by game and which limit it was."""
        self.logins: Counter[tuple[str, str]] = Counter()
        """By game and outcome: "ok", or the name of a `Denial`."""
        self.accounts_made: Counter[str] = Counter()
        """By who made them: "player" or "staff"."""
        self.web_requests: Counter[tuple[str, int]] = Counter()
        """By route and status."""
        self.web_messages: Counter[str] = Counter()
        """What was sent through WebSockets, by route."""
        self._left: defaultdict[str, Traffic] = defaultdict(Traffic)
        self._left_streams: defaultdict[str, StreamSums] = defaultdict(StreamSums)

    def cast(self, game: str, messages: int) -> None:
        """Count messages for clients of a game that no connection here has counted."""
        self._left[game].messages_out += messages

    def left(self, connection: Measured) -> None:
        """A connection has ended: what it counted must not go with it."""
        game = connection.session.family.name
        if connection.ending is not None:
            self.ended[game, connection.ending] += 1
        self._left[game].add(connection)
        statistics = statistics_of(connection)
        if statistics is not None:
            self._left_streams[game].add(statistics)

    def traffic(self, connections: Mapping[int, Measured]) -> dict[str, Traffic]:
        """By game, of these connections and of all that have ended."""
        sums = {game: attrs.evolve(traffic) for game, traffic in self._left.items()}
        for connection in connections.values():
            sums.setdefault(connection.session.family.name, Traffic()).add(connection)
        return sums

    def streams(self, connections: Mapping[int, Measured]) -> tuple[dict[str, StreamSums], list[float]]:
        """By game, of these connections and of all that have ended; and the last round trip (in ms) of each
        session that is there, in no order."""
        sums: dict[str, StreamSums] = {}
        for game, ended in self._left_streams.items():
            sums[game] = StreamSums()
            sums[game].add(ended)
        trips: list[float] = []
        for connection in connections.values():
            statistics = statistics_of(connection)
            if statistics is None:
                continue
            sums.setdefault(connection.session.family.name, StreamSums()).add(statistics)
            if statistics.rtt_samples:
                trips.append(statistics.rtt_last_ms)
        return sums, trips
