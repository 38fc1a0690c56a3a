"""The congestion window, and the two mistakes of the document that it does not make."""

from protocol.eq2.stream.congestion import Congestion, Phase

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
