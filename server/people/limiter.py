"""Limits on what one address, one account and one client may ask for in a given time.

Pure bookkeeping: time is an argument (seconds, monotonic), nothing here waits. Every table forgets what has
calmed down and holds a bounded number of entries, so that the limits are no way to fill memory.

Limits are of three kinds: a wait that grows with each failure (addresses), answers that come slowly
(accounts under attack, whose owner has to get in nevertheless), and a rate with a burst (packets,
connections, new accounts). To ban an address by itself was not done: whoever shares it would pay, and
whoever attacks has others. Nor is anything of it kept over a restart; only the address of an account's last
login comes from the database.
"""

from __future__ import annotations

import ipaddress
from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from server.settings.config import Limits

V = TypeVar("V")

ENTRIES: Final = 10_000
"""Addresses or accounts one table remembers."""

DAY: Final = 86_400.0


class Fading(Generic[V]):
    """A bounded dict whose entries are forgotten some time after they were last touched."""

    def __init__(self, make: Callable[[], V], seconds: float, entries: int = ENTRIES) -> None:
        self._make = make
        self._seconds = seconds
        self._entries = entries
        self._values: dict[str, tuple[float, V]] = {}
        """When it was last touched, and the value; the longest untouched first."""

    def __len__(self) -> int:
        return len(self._values)

    def peek(self, key: str, now: float) -> V | None:
        """The value, if there is one that is not forgotten yet."""
        entry = self._values.get(key)
        return entry[1] if entry is not None and now - entry[0] < self._seconds else None

    def touch(self, key: str, now: float) -> V:
        """The value, made if there is none, and remembered from now on for the whole time again."""
        value = self.peek(key, now)
        self._values.pop(key, None)
        self._values[key] = now, value = now, self._make() if value is None else value
        while True:
            oldest, (touched, _) = next(iter(self._values.items()))
            if len(self._values) <= self._entries and now - touched < self._seconds:
                return value
            del self._values[oldest]


# Failed logins

ADDRESS_WAITS: Final = (2.0, 10.0, 20.0, 60.0, 300.0)
"""Seconds an address waits after its fifth failure, its sixth, and so on: ServUO, AccountAttackLimiter.cs."""
FAILURES_FADE: Final = 900.0
"""Failures count for a quarter of an hour."""
SLOW_ANSWER: Final = 5.0
"""Seconds between two answers about an account under attack."""
LONGEST_QUEUE: Final = 30.0
"""Seconds of slow answers that may wait; further tries are turned away."""
OWNERS_FADE: Final = 90 * DAY
OWNERS_ADDRESSES: Final = 8
"""An address from which the owner logged in is trusted for 90 days; the last eight of them."""


@attrs.define
class _Address:
    failures: int = 0
    blocked_until: float = 0.0


@attrs.define
class _Account:
    failures: deque[float] = attrs.field(factory=deque)
    next_answer: float = 0.0


class LoginLimiter:
    """Wrong passwords, counted for all doors together: by address and by account.

    An address that fails too often has to wait. An account that is attacked answers strangers slowly, one at
    a time; addresses of its owner are exempt, so that nobody can lock an owner out by failing in the owner's
    name.
    """

    def __init__(self, limits: Callable[[], Limits]) -> None:
        self._limits = limits
        self._addresses = Fading(_Address, FAILURES_FADE)
        self._accounts = Fading(_Account, FAILURES_FADE)
        self._owners: Fading[dict[str, None]] = Fading(dict, OWNERS_FADE)

    def wait(self, address: str, now: float) -> float:
        """Seconds for which this address may not try any password; 0 if it may."""
        entry = self._addresses.peek(address, now)
        return max(0.0, entry.blocked_until - now) if entry is not None else 0.0

    def delay(self, address: str, account: str, now: float) -> float | None:
        """Seconds for which the answer about an account has to be held back; None turns the try away.

        The answer's place in the queue is taken by asking.
        """
        entry = self._accounts.peek(account, now)
        if entry is None or self._is_owners(address, account, now):
            return 0.0
        while entry.failures and now - entry.failures[0] >= FAILURES_FADE:
            entry.failures.popleft()
        if len(entry.failures) < self._limits().login_failures_per_account:
            return 0.0
        at = max(now, entry.next_answer) + SLOW_ANSWER
        if at > now + LONGEST_QUEUE:
            return None
        entry.next_answer = at
        return at - now

    def failed(self, address: str, account: str, now: float) -> None:
        """A wrong password, or a name that does not exist."""
        entry = self._addresses.touch(address, now)
        entry.failures += 1
        excess = entry.failures - self._limits().login_failures_per_address
        if excess >= 0:
            entry.blocked_until = now + ADDRESS_WAITS[min(excess, len(ADDRESS_WAITS) - 1)]
        if not self._is_owners(address, account, now):
            failures = self._accounts.touch(account, now).failures
            failures.append(now)
            if len(failures) > self._limits().login_failures_per_account:
                failures.popleft()

    def succeeded(self, address: str, account: str, now: float) -> None:
        """The right password: this address is the owner's.

        It does not clear the address's failures: else whoever has an account could try others' for ever.
        """
        addresses = self._owners.touch(account, now)
        addresses.pop(address, None)
        addresses[address] = None
        if len(addresses) > OWNERS_ADDRESSES:
            del addresses[next(iter(addresses))]

    def _is_owners(self, address: str, account: str, now: float) -> bool:
        known = self._owners.peek(account, now)
        return known is not None and address in known


# Connections

CONNECT_WINDOW: Final = 10.0
FIRST_BACK_OFF: Final = 1.0
LONGEST_BACK_OFF: Final = 300.0
BACK_OFF_FADES: Final = 600.0
"""Seconds of calm after which an address starts at the shortest back-off again."""


@attrs.define
class _Connects:
    window_ends: float = 0.0
    count: int = 0
    back_off: float = 0.0
    blocked_until: float = 0.0


@attrs.frozen
class Admission:
    """Whether a connection may stay, and which older one has to go for it."""

    refusal: str = ""
    """Why not; empty if it may stay."""
    limit: str = ""
    """The key in [limits] that says so."""
    drop: int | None = None
    """Number of the connection to end: the one that has been without a login for the longest time."""


class ConnectionLimiter:
    """Decides who may connect, before anything is read or computed for them."""

    def __init__(self, limits: Callable[[], Limits]) -> None:
        self._limits = limits
        self._connects = Fading(_Connects, BACK_OFF_FADES)
        self._open: dict[int, str] = {}
        self._per_address: dict[str, int] = {}
        self._unauthenticated: dict[int, None] = {}
        """Connections without a login, oldest first; exempt addresses are not among them."""
        self._waited = 0.0
        """Seconds that the server stood still last, """
        self._waited_until = -float("inf")
        """and until when those who came meanwhile are let in."""

    def __len__(self) -> int:
        return len(self._open)

    def admit(
        self, number: int, address: str, now: float, *, exempt: bool = True, paced: bool = False
    ) -> Admission:
        """A new connection. One that is refused is not counted and needs no `closed`.

        `exempt` says whether `limits.exempt` holds at this door: not behind a proxy, where strangers come
        from its address. `paced` says that another process has seen to it that the address does not connect
        too often: two that count would each have whoever waited for the other wait again.
        """
        limits = self._limits()
        exempt = exempt and is_in(address, limits.exempt)
        if not (exempt or paced):
            wait = self._wait(address, now)
            if wait > 0:
                return Admission(f"connects too often, wait {wait:.0f} s", "connects_per_10s")
        if len(self._open) >= limits.connections:
            return Admission(f"{limits.connections} connections are open", "connections")
        if not exempt and self._per_address.get(address, 0) >= limits.connections_per_address:
            return Admission(
                f"{limits.connections_per_address} connections from one address", "connections_per_address"
            )
        self._open[number] = address
        self._per_address[address] = self._per_address.get(address, 0) + 1
        if exempt:
            return Admission()
        self._unauthenticated[number] = None
        oldest = None
        if len(self._unauthenticated) > limits.unauthenticated:
            oldest = next(iter(self._unauthenticated))
            del self._unauthenticated[oldest]
        return Admission(drop=oldest)

    def stood_still(self, seconds: float, now: float) -> None:
        """The server let nobody in for so long: who waited at its doors came over that time, and not at
        once."""
        self._waited, self._waited_until = seconds, now + CONNECT_WINDOW

    def authenticated(self, number: int) -> None:
        """The connection has logged in."""
        self._unauthenticated.pop(number, None)

    def closed(self, number: int) -> None:
        """The connection is gone; twice is once."""
        self._unauthenticated.pop(number, None)
        address = self._open.pop(number, None)
        if address is None:
            return
        self._per_address[address] -= 1
        if not self._per_address[address]:
            del self._per_address[address]

    def _wait(self, address: str, now: float) -> float:
        entry = self._connects.peek(address, now)
        if entry is not None and entry.blocked_until > now:
            return entry.blocked_until - now
        entry = self._connects.touch(address, now)
        if now >= entry.window_ends:
            entry.window_ends, entry.count = now + CONNECT_WINDOW, 0
        entry.count += 1
        most: float = self._limits().connects_per_10s
        if now < self._waited_until:
            most += most * self._waited / CONNECT_WINDOW
        if entry.count <= most:
            return 0.0
        entry.back_off = min(entry.back_off * 2 or FIRST_BACK_OFF, LONGEST_BACK_OFF)
        entry.blocked_until = now + entry.back_off
        # What comes after the wait is judged anew.
        entry.window_ends = entry.blocked_until
        return entry.back_off


@lru_cache(maxsize=4096)
def is_in(address: str, networks: Sequence[str]) -> bool:
    """Whether an address lies in one of the networks (a tuple); False for what is no address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in ipaddress.ip_network(network) for network in networks)


# Packets, and new accounts


class RateBucket:
    """So many per second in the long run, and a burst of so many at once."""

    def __init__(self, per_second: float, burst: int) -> None:
        self._due = -float("inf")
        """When the next one would be due if they came evenly."""
        self.adjust(per_second, burst)

    def adjust(self, per_second: float, burst: int) -> None:
        """Count by other numbers from here on."""
        self._interval = 1 / per_second
        self._tolerance = (burst - 1) / per_second

    def delay(self, now: float) -> float:
        """Count one; the seconds to wait before it is dealt with."""
        wait = max(0.0, self._due - self._tolerance - now)
        self._due = max(self._due, now) + self._interval
        return wait


class DailyLimiter:
    """So many a day for each address: new accounts."""

    def __init__(self) -> None:
        self._made: Fading[deque[float]] = Fading(deque, DAY)

    def allows(self, address: str, most: int, now: float) -> bool:
        """Whether this address may have one more."""
        made = self._made.peek(address, now)
        if made is None:
            return most > 0
        while made and now - made[0] >= DAY:
            made.popleft()
        return len(made) < most

    def count(self, address: str, now: float) -> None:
        """It has one more."""
        self._made.touch(address, now).append(now)
