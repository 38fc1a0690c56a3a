"""Limits: pure bookkeeping, told the time."""

from __future__ import annotations

import attrs
import pytest

from server.people.limiter import (
    ADDRESS_WAITS,
    ENTRIES,
    OWNERS_FADE,
    Admission,
    ConnectionLimiter,
    DailyLimiter,
    LoginLimiter,
    RateBucket,
    is_in,
)
from server.settings.config import Limits

OPEN = Limits(exempt=())


def logins(limits: Limits = OPEN) -> LoginLimiter:
    return LoginLimiter(lambda: limits)


def connections(limits: Limits) -> ConnectionLimiter:
    return ConnectionLimiter(lambda: limits)


def test_the_fifth_failure_of_an_address_and_each_after_it_waits_longer() -> None:
    limiter = logins()
    now = 100.0
    for _ in range(4):
        limiter.failed("1.2.3.4", "bob", now)
        assert limiter.wait("1.2.3.4", now) == 0
    for wait in (*ADDRESS_WAITS, 300.0):
        limiter.failed("1.2.3.4", "bob", now)
        assert limiter.wait("1.2.3.4", now) == wait
        assert limiter.wait("1.2.3.4", now + wait - 0.01) > 0
        now += wait
        assert limiter.wait("1.2.3.4", now) == 0
    assert limiter.wait("4.3.2.1", now) == 0


def test_failures_of_an_address_are_forgotten_in_a_quarter_of_an_hour() -> None:
    limiter = logins()
    for _ in range(6):
        limiter.failed("1.2.3.4", "bob", 0.0)
    limiter.failed("1.2.3.4", "bob", 900.0)
    assert limiter.wait("1.2.3.4", 900.0) == 0


def test_a_success_does_not_clear_the_failures_of_its_address() -> None:
    limiter = logins()
    for _ in range(4):
        limiter.failed("1.2.3.4", "victim", 0.0)
    limiter.succeeded("1.2.3.4", "attacker", 1.0)
    limiter.failed("1.2.3.4", "victim", 2.0)
    assert limiter.wait("1.2.3.4", 2.0) == 2.0


def test_an_attacked_account_answers_strangers_slowly_and_one_at_a_time() -> None:
    limiter = logins()
    for number in range(10):
        assert limiter.delay(f"10.0.0.{number}", "bob", 0.0) == 0
        limiter.failed(f"10.0.0.{number}", "bob", 0.0)
    assert [limiter.delay("10.0.1.1", "bob", 1.0) for _ in range(7)] == [5, 10, 15, 20, 25, 30, None]
    assert limiter.delay("10.0.1.1", "alice", 1.0) == 0
    assert limiter.delay("10.0.1.1", "bob", 901.0) == 0


def test_r51_nobody_can_lock_out_an_owner_at_a_known_address() -> None:
    limiter = logins()
    limiter.succeeded("192.0.2.7", "bob", 0.0)
    for number in range(200):
        limiter.failed(f"10.0.{number}.1", "bob", 10.0)
    assert limiter.delay("192.0.2.7", "bob", 11.0) == 0
    assert limiter.delay("192.0.2.8", "bob", 11.0) == 5
    limiter.failed("10.0.0.1", "bob", OWNERS_FADE + 1)
    for number in range(10):
        limiter.failed(f"10.1.{number}.1", "bob", OWNERS_FADE + 1)
    assert limiter.delay("192.0.2.7", "bob", OWNERS_FADE + 2) == 5


def test_an_owners_own_mistakes_do_not_slow_the_account() -> None:
    limiter = logins(attrs.evolve(OPEN, login_failures_per_address=1000))
    limiter.succeeded("192.0.2.7", "bob", 0.0)
    for _ in range(20):
        limiter.failed("192.0.2.7", "bob", 1.0)
    assert limiter.delay("10.0.0.1", "bob", 2.0) == 0


def test_memory_is_bounded() -> None:
    limiter = logins()
    for number in range(ENTRIES + 500):
        limiter.failed(f"address {number}", f"account {number}", 0.0)
        limiter.succeeded(f"address {number}", f"account {number}", 0.0)
    for table in (limiter._addresses, limiter._accounts, limiter._owners):
        assert len(table) == ENTRIES
    limiter.failed("late", "late", 10_000.0)
    assert len(limiter._addresses) == 1


def test_connections_are_counted_in_total_and_by_address() -> None:
    limiter = connections(Limits(exempt=(), connections=3, connections_per_address=2))
    assert limiter.admit(1, "a", 0.0).refusal == ""
    assert limiter.admit(2, "a", 0.0).refusal == ""
    assert "one address" in limiter.admit(3, "a", 0.0).refusal
    assert limiter.admit(4, "b", 0.0).refusal == ""
    assert "3 connections" in limiter.admit(5, "c", 0.0).refusal
    limiter.closed(1)
    limiter.closed(1)
    limiter.closed(99)
    assert limiter.admit(6, "a", 0.0).refusal == ""
    assert len(limiter) == 3


def test_who_connects_too_often_waits_twice_as_long_each_time() -> None:
    limiter = connections(Limits(exempt=(), connects_per_10s=3, connections_per_address=10_000))
    now, number, waits = 0.0, 0, []
    for _ in range(12):
        for _ in range(3):
            number += 1
            assert limiter.admit(number, "a", now).refusal == ""
        assert limiter.admit(number + 1, "a", now).refusal
        start = now
        while limiter.admit(number + 1, "a", now).refusal:
            now += 0.5
        limiter.closed(number + 1)
        waits.append(now - start)
        now += 20.0
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    assert limiter.admit(number + 2, "b", now).refusal == ""


def test_who_was_held_back_elsewhere_is_not_held_back_again() -> None:
    limiter = connections(Limits(exempt=(), connects_per_10s=3, connections_per_address=5))
    for number in range(5):
        assert limiter.admit(number, "a", 0.0, paced=True).refusal == ""
    assert "one address" in limiter.admit(5, "a", 0.0, paced=True).refusal
    assert "one address" in limiter.admit(6, "a", 0.0).refusal, "and they are no burst here"


def test_the_oldest_without_a_login_makes_room() -> None:
    limiter = connections(Limits(exempt=(), unauthenticated=2))
    assert limiter.admit(1, "a", 0.0).drop is None
    assert limiter.admit(2, "b", 0.0).drop is None
    limiter.authenticated(1)
    assert limiter.admit(3, "c", 0.0).drop is None
    assert limiter.admit(4, "d", 0.0).drop == 2
    assert limiter.admit(5, "e", 0.0).drop == 3


def test_behind_a_proxy_no_address_is_exempt() -> None:
    limiter = connections(Limits(exempt=("127.0.0.0/8",), connections_per_address=1, unauthenticated=1))
    assert not limiter.admit(1, "127.0.0.1", 0.0, exempt=False).refusal
    assert "from one address" in limiter.admit(2, "127.0.0.1", 0.0, exempt=False).refusal
    assert limiter.admit(3, "127.0.0.2", 0.0, exempt=False).drop == 1
    assert not limiter.admit(4, "127.0.0.1", 0.0).refusal


def test_exempt_addresses_are_bound_by_the_total_only() -> None:
    limiter = connections(
        Limits(
            exempt=("127.0.0.0/8", "::1"),
            connections=100,
            connections_per_address=1,
            connects_per_10s=1,
            unauthenticated=1,
        )
    )
    admissions = [limiter.admit(number, "127.0.0.1" if number % 2 else "::1", 0.0) for number in range(100)]
    assert admissions == [Admission()] * 100
    assert limiter.admit(100, "127.0.0.1", 0.0).refusal


@pytest.mark.parametrize(
    ("address", "inside"),
    [("127.9.9.9", True), ("::1", True), ("10.0.0.1", False), ("", False), ("pipe", False)],
)
def test_networks(address: str, inside: bool) -> None:
    assert is_in(address, ("127.0.0.0/8", "::1")) is inside


def test_a_bucket_lets_a_burst_pass_and_then_a_steady_rate() -> None:
    bucket = RateBucket(10, 5)
    assert [bucket.delay(0.0) for _ in range(5)] == [0] * 5
    assert bucket.delay(0.0) == pytest.approx(0.1)
    assert bucket.delay(0.1) == pytest.approx(0.1)
    assert bucket.delay(0.3) == pytest.approx(0.0)


def test_a_bucket_holds_its_rate_over_time() -> None:
    bucket = RateBucket(60, 200)
    now, passed = 0.0, 0
    while now < 60:
        now += bucket.delay(now)
        passed += 1
    assert 60 * 60 + 195 <= passed <= 60 * 60 + 205


def test_so_many_accounts_a_day() -> None:
    limiter = DailyLimiter()
    assert not limiter.allows("a", 0, 0.0)
    for number in range(5):
        assert limiter.allows("a", 5, float(number))
        limiter.count("a", float(number))
    assert not limiter.allows("a", 5, 10.0)
    assert limiter.allows("b", 5, 10.0)
    assert limiter.allows("a", 5, 86_400.0)
