"""Counters and what follows from them."""

import attrs

from protocol.eq2.stream.statistics import DERIVED, Statistics


def busy() -> Statistics:
    statistics = Statistics(
        packets_in=10,
        packets_out=20,
        bytes_in=300,
        bytes_out=4000,
        crc_errors=1,
        past_packets=2,
        future_packets=3,
        unknown_opcodes=4,
        reliable_sent=40,
        retransmissions=5,
        holes=2,
        timeouts=3,
        unsent_acknowledged=6,
        bytes_before_compression=1000,
        bytes_after_compression=250,
    )
    for milliseconds in (40, 20, 60):
        statistics.measured(milliseconds)
    statistics.drop("short")
    statistics.drop("no key")
    statistics.drop("short")
    return statistics


def test_nothing_has_happened() -> None:
    statistics = Statistics()
    assert statistics.compression_ratio == 1.0
    assert statistics.loss_percent == 0.0
    assert statistics.rtt_average_ms == 0.0
    assert "dropped" not in statistics.describe()


def test_what_follows_from_the_counters() -> None:
    statistics = busy()
    assert statistics.sequence_errors == 5
    assert statistics.loss_percent == 12.5
    assert statistics.compression_ratio == 0.25
    assert statistics.dropped_total == 3
    assert (statistics.rtt_last_ms, statistics.rtt_average_ms) == (60, 40)
    assert (statistics.rtt_shortest_ms, statistics.rtt_longest_ms) == (20, 60)


def test_one_line_for_a_log() -> None:
    assert busy().describe() == (
        "in 10 packets 300 bytes, out 20 packets 4000 bytes, rtt 60/40/20/60 ms (last/avg/min/max),"
        " loss 12.5 %, 5 resent, 3 timeouts, 1 crc errors, sequence 2 past 3 future, compression 0.25,"
        " 4 unknown opcodes, 6 acks of nothing sent, dropped 1 no key, 2 short"
    )


def test_metrics_hold_every_counter_and_what_follows() -> None:
    metrics = busy().asdict()
    assert set(metrics) == {field.name for field in attrs.fields(Statistics)} | set(DERIVED)
    assert metrics["dropped"] == {"short": 2, "no key": 1}
    assert metrics["loss_percent"] == 12.5
    assert metrics["retransmissions"] == 5
