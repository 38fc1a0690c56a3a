"""The retransmission timeout: Jacobson and Karels, in the order that matters."""

import pytest

from protocol.eq2.stream.timing import RoundTrip


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
