"""Counters of what happened on one stream: for the log line at its end and for metrics."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping

DERIVED: Final = ("sequence_errors", "rtt_average_ms", "loss_percent", "compression_ratio", "dropped_total")
"""Worked out from the counters; among the metrics, too."""


@attrs.define
class Statistics:
    """Plain counters, added to where things happen."""

    packets_in: int = 0
    packets_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    """Datagrams and their bytes, CRC included, garbage included."""

    crc_errors: int = 0
    past_packets: int = 0
    """Reliable packets that came again: the peer missed an acknowledgement or was impatient."""
    future_packets: int = 0
    """Reliable packets that came before their turn: something got lost or overtook."""
    unknown_opcodes: int = 0
    dropped: Counter[str] = attrs.field(factory=Counter)
    """Datagrams, frames and messages that came in and were thrown away, by reason."""

    reliable_sent: int = 0
    """Reliable packets, each time one was sent."""
    retransmissions: int = 0
    """Those among them that were sent again: after a timeout, or because later ones had arrived."""
    holes: int = 0
    """Packets taken for lost before their time because later ones had arrived."""
    timeouts: int = 0
    """Times at which something was not acknowledged in time, however many packets it was."""
    unsent_acknowledged: int = 0
    """Acknowledgements of what was never sent."""

    rtt_samples: int = 0
    rtt_total_ms: float = 0.0
    rtt_last_ms: float = 0.0
    rtt_shortest_ms: float = 0.0
    rtt_longest_ms: float = 0.0
    """Round trips in milliseconds; 0 before the first."""

    bytes_before_compression: int = 0
    bytes_after_compression: int = 0

    def drop(self, reason: str) -> None:
        """Something that came in is thrown away. `reason` is one of a few words in the code."""
        self.dropped[reason] += 1

    def measured(self, rtt_ms: float) -> None:
        """A round trip took so many milliseconds."""
        if rtt_ms < self.rtt_shortest_ms or not self.rtt_samples:
            self.rtt_shortest_ms = rtt_ms
        if rtt_ms > self.rtt_longest_ms:
            self.rtt_longest_ms = rtt_ms
        self.rtt_samples += 1
        self.rtt_total_ms += rtt_ms
        self.rtt_last_ms = rtt_ms

    @property
    def sequence_errors(self) -> int:
        """Reliable packets that did not come when it was their turn."""
        return self.past_packets + self.future_packets

    @property
    def rtt_average_ms(self) -> float:
        """Of all round trips; 0 before the first."""
        return self.rtt_total_ms / self.rtt_samples if self.rtt_samples else 0.0

    @property
    def loss_percent(self) -> float:
        """Reliable packets that had to be sent again, in percent of all sent; a guess from our side."""
        return 100 * self.retransmissions / self.reliable_sent if self.reliable_sent else 0.0

    @property
    def compression_ratio(self) -> float:
        """Bytes after compression for one byte before; 1.0 if nothing was compressed."""
        if not self.bytes_before_compression:
            return 1.0
        return self.bytes_after_compression / self.bytes_before_compression

    @property
    def dropped_total(self) -> int:
        """The number of all that was thrown away, for whatever reason."""
        return self.dropped.total()

    def asdict(self) -> Mapping[str, float | dict[str, int]]:
        """Everything by name, for metrics; `dropped` is a table of its own."""
        counted: dict[str, float | dict[str, int]] = dict(attrs.asdict(self))
        counted["dropped"] = dict(self.dropped)
        return counted | {name: getattr(self, name) for name in DERIVED}

    def describe(self) -> str:
        """One line for a log."""
        line = (
            f"in {self.packets_in} packets {self.bytes_in} bytes, out {self.packets_out} packets"
            f" {self.bytes_out} bytes, rtt {self.rtt_last_ms:.0f}/{self.rtt_average_ms:.0f}"
            f"/{self.rtt_shortest_ms:.0f}/{self.rtt_longest_ms:.0f} ms (last/avg/min/max),"
            f" loss {self.loss_percent:.1f} %, {self.retransmissions} resent, {self.timeouts} timeouts,"
            f" {self.crc_errors} crc errors, sequence {self.past_packets} past {self.future_packets} future,"
            f" compression {self.compression_ratio:.2f}"
        )
        if self.unknown_opcodes:
            line += f", {self.unknown_opcodes} unknown opcodes"
        if self.unsent_acknowledged:
            line += f", {self.unsent_acknowledged} acks of nothing sent"
        if self.dropped:
            line += ", dropped " + ", ".join(
                f"{count} {reason}" for reason, count in sorted(self.dropped.items())
            )
        return line
