"""The token bucket: so many bytes a second, and a burst after a silence."""

import random

from protocol.eq2.stream.bucket import TokenBucket


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
