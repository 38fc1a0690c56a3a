"""The congestion window, the timeout, and the token bucket."""

from __future__ import annotations

import random

import pytest

from protocol.eq2.stream.congestion import Congestion, Phase, RoundTrip, TokenBucket

# The window


SEGMENT = 512
LARGEST = 2047 * SEGMENT


def grown(window: int) -> Congestion:
    """In slow start, with a window of so many bytes."""
    congestion = Congestion(SEGMENT, LARGEST)
    congestion.acknowledged(window - congestion.window)
    return congestion


def test_it_begins_with_four_packets_in_slow_start() -> None:
    congestion = Congestion(SEGMENT, LARGEST)
    assert (congestion.window, congestion.threshold) == (2048, 65536)
    assert congestion.phase is Phase.SLOW_START


def test_slow_start_grows_by_what_is_acknowledged_up_to_the_threshold() -> None:
    congestion = Congestion(SEGMENT, LARGEST)
    congestion.acknowledged(2048)
    assert (congestion.window, congestion.phase) == (4096, Phase.SLOW_START)
    congestion.acknowledged(65536 - 4096 - 1)
    assert congestion.phase is Phase.SLOW_START
    congestion.acknowledged(1)
    assert (congestion.window, congestion.phase) == (65536, Phase.AVOIDANCE)


def test_avoidance_grows_by_one_packet_for_each_window() -> None:
    congestion = grown(65536)
    for _ in range(128):
        congestion.acknowledged(SEGMENT)
    # Whole bytes are added, rounded down: 3 or 4 of 512 * 512 / 65536.
    assert 65536 + 128 * 3 <= congestion.window <= 65536 + SEGMENT


def test_document_bug_small_acknowledgements_let_the_window_grow() -> None:
    """`(acked_bytes * acked_bytes) / cwnd` is 0 for every packet below 256 bytes in a window of 64 KiB."""
    congestion = grown(65536)
    assert 20 * 20 // congestion.window == 0
    for _ in range(100):
        congestion.acknowledged(20)
    assert congestion.window == 65536 + 100


def test_document_bug_after_a_timeout_packets_still_fit() -> None:
    """`cwnd = 1` is one byte: no packet fits, nothing is acknowledged, and nothing ever grows again."""
    congestion = grown(40960)
    congestion.sent(SEGMENT)
    congestion.left(SEGMENT)
    congestion.timed_out()
    assert (congestion.window, congestion.threshold) == (SEGMENT, 20480)
    assert congestion.phase is Phase.SLOW_START
    assert congestion.allows(SEGMENT)
    congestion.sent(100)
    assert congestion.allows(SEGMENT - 100)
    assert not congestion.allows(SEGMENT - 99)


def test_whatever_the_window_one_packet_may_be_on_its_way() -> None:
    congestion = Congestion(SEGMENT, LARGEST)
    congestion.timed_out()
    assert congestion.allows(SEGMENT + 1)
    congestion.sent(1)
    assert not congestion.allows(SEGMENT + 1)


def test_the_threshold_is_never_below_two_packets() -> None:
    congestion = Congestion(SEGMENT, LARGEST)
    for _ in range(5):
        congestion.timed_out()
    assert congestion.threshold == 2 * SEGMENT
    congestion.hole_found()
    assert congestion.window == 2 * SEGMENT


def test_a_hole_halves_the_window_and_holds_it_until_closed() -> None:
    congestion = grown(40960)
    congestion.hole_found()
    assert (congestion.window, congestion.threshold) == (20480, 20480)
    assert congestion.phase is Phase.FAST_RECOVERY
    congestion.acknowledged(5000)
    assert congestion.window == 20480
    congestion.hole_closed()
    assert (congestion.window, congestion.phase) == (20480, Phase.AVOIDANCE)


def test_a_timeout_ends_fast_recovery() -> None:
    congestion = grown(40960)
    congestion.hole_found()
    congestion.timed_out()
    congestion.hole_closed()
    assert congestion.phase is Phase.SLOW_START


def test_the_window_is_never_larger_than_what_may_be_in_flight() -> None:
    congestion = Congestion(SEGMENT, 10_000)
    congestion.acknowledged(1_000_000)
    assert congestion.window == 10_000


# The timeout


def test_before_any_sample_a_timeout_is_a_second() -> None:
    assert RoundTrip(200, 3000).rto == 1000


def test_the_first_sample_is_the_round_trip_and_half_of_it_its_deviation() -> None:
    timing = RoundTrip(200, 3000)
    timing.sample(120)
    assert (timing.srtt, timing.rttvar, timing.rto) == (120, 60, 360)


def test_the_deviation_is_taken_from_the_estimate_before_the_sample_moves_it() -> None:
    timing = RoundTrip(200, 3000)
    timing.sample(100)
    timing.sample(200)
    # (3 * 50 + |200 - 100|) / 4; with the moved estimate it would be 59.375.
    assert timing.rttvar == 62.5
    assert timing.srtt == 112.5
    assert timing.rto == 112.5 + 4 * 62.5


@pytest.mark.parametrize(("sample", "rto"), [(10, 200), (66, 200), (100, 300), (2000, 3000)])
def test_the_timeout_stays_within_its_bounds(sample: float, rto: float) -> None:
    timing = RoundTrip(200, 3000)
    timing.sample(sample)
    assert timing.rto == rto


def test_a_steady_round_trip_of_nothing_is_not_taken_for_no_sample() -> None:
    """The document's `if (srtt == 0)` begins anew after every sample of 0."""
    timing = RoundTrip(200, 3000)
    timing.sample(0)
    timing.sample(800)
    assert timing.srtt == 100


def test_timeouts_double_until_there_is_a_sample() -> None:
    timing = RoundTrip(200, 3000)
    timing.sample(100)
    seen = []
    for _ in range(5):
        timing.timed_out()
        seen.append(timing.rto)
    assert seen == [600, 1200, 2400, 3000, 3000]
    assert timing.usual == 300
    timing.sample(100)
    assert timing.rto == timing.usual == 100 + 4 * 37.5


# The bucket


def test_a_full_bucket_gives_a_burst_and_then_its_rate() -> None:
    bucket = TokenBucket(rate=1000, burst=500)
    assert bucket.tokens(7.0) == 500
    assert bucket.allows(500, 7.0)
    bucket.charge(500, 7.0)
    assert not bucket.allows(1, 7.0)
    assert not bucket.allows(100, 7.0999)
    assert bucket.allows(100, bucket.when(100))
    assert abs(bucket.when(100) - 7.1) < 1e-9


def test_no_silence_saves_more_than_a_burst() -> None:
    bucket = TokenBucket(rate=1000, burst=500)
    bucket.charge(500, 0.0)
    assert bucket.tokens(1000.0) == 500


def test_what_may_not_wait_makes_the_rest_wait() -> None:
    bucket = TokenBucket(rate=1000, burst=500)
    bucket.charge(500, 0.0)
    bucket.charge(200, 0.0)
    assert bucket.tokens(0.0) == -200
    assert abs(bucket.when(100) - 0.3) < 1e-9


def test_more_than_a_burst_leaves_when_the_bucket_is_full() -> None:
    bucket = TokenBucket(rate=1000, burst=500)
    assert bucket.allows(2000, 0.0)
    bucket.charge(2000, 0.0)
    assert abs(bucket.when(2000) - 2.0) < 1e-9


def test_in_the_long_run_the_rate_holds_however_small_the_steps() -> None:
    bucket = TokenBucket(rate=1000, burst=500)
    dice = random.Random(5)
    now, sent = 3.0, 0
    while now < 103.0:
        size = dice.randint(1, 120)
        now = max(now, bucket.when(size))
        assert bucket.allows(size, now)
        bucket.charge(size, now)
        sent += size
    assert 100_000 <= sent <= 100_000 + 500 + 120
