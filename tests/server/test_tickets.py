"""Tickets between doors (R-52)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.denials import Denial, Denied
from protocol.services import AccountInfo
from server.people.limiter import LoginLimiter
from server.people.tickets import MOST, TicketService
from server.settings.config import Limits
from tests.kit.office import Client, Office
from tests.kit.toys import pebble

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


class Clock:
    """Time as the test says."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """Tickets without anything around them."""

    def __init__(self) -> None:
        self.limits = Limits()
        self.clock = Clock()
        self.limiter = LoginLimiter(lambda: self.limits)
        self.random: list[bytes] = []
        """What the entropy yields first for keys."""
        self._counter = 0
        self.tickets = TicketService(
            limits=lambda: self.limits, limiter=self.limiter, clock=self.clock, entropy=self._entropy
        )

    def _entropy(self, size: int) -> bytes:
        if size == 4 and self.random:
            return self.random.pop(0)
        self._counter += 1
        return self._counter.to_bytes(size, "big")


@pytest.fixture
def desk() -> Desk:
    return Desk()


class Connect:
    """Makes clients; with `account` they have logged in."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def __call__(self, peer: str = "192.0.2.1", *, account: str = "") -> Client:
        client = self._office.client(peer)
        if account:
            client.account = AccountInfo(len(account), account)
        return client


@pytest.fixture
async def connect(nursery: trio.Nursery) -> Connect:
    return Connect(await Office().open(nursery))


async def refusal(desk: Desk, client: Client, key: bytes, name: str, password: str) -> Denial:
    with pytest.raises(Denied) as denied:
        await desk.tickets.redeem(client, key, name, password)
    return denied.value.why


async def test_r52_a_ticket_leads_to_its_account_once(desk: Desk, connect: Connect) -> None:
    key = desk.tickets.issue(connect(account="bobby"), "secret1", {"version": "7.0.15"})
    peeked = desk.tickets.peek(key, "brook")
    assert peeked is not None
    ticket = await desk.tickets.redeem(connect("198.51.100.9"), key, " BOBBY", "secret1")
    assert ticket == peeked
    assert (ticket.account.name, ticket.game, ticket.notes) == ("bobby", "brook", {"version": "7.0.15"})
    assert desk.tickets.peek(key, "brook") is None
    assert await refusal(desk, connect(), key, "bobby", "secret1") is Denial.BAD_CREDENTIALS


async def test_the_second_check_needs_no_password_hash(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    office = await Office().open(nursery)
    client = office.client()
    client.account = await office.accounts.login(client, "newbie", "secret1")
    key = office.tickets.issue(client, "secret1", {})
    work = office.passwords.work
    await office.tickets.redeem(office.client(), key, "newbie", "secret1")
    assert office.passwords.work == work


async def test_r52_a_ticket_is_good_for_thirty_seconds(desk: Desk, connect: Connect) -> None:
    first = desk.tickets.issue(connect(account="bobby"), "secret1", {})
    second = desk.tickets.issue(connect(account="bobby"), "secret1", {})
    desk.clock.now += 29.9
    await desk.tickets.redeem(connect(), first, "bobby", "secret1")
    desk.clock.now += 1.1
    assert desk.tickets.peek(second, "brook") is None
    assert await refusal(desk, connect(), second, "bobby", "secret1") is Denial.BAD_CREDENTIALS
    assert len(desk.tickets) == 0


async def test_r52_a_game_may_give_its_clients_longer(desk: Desk, connect: Connect) -> None:
    client = connect(account="bobby")
    longer = [desk.tickets.issue(client, "secret1", {}, seconds=60) for _ in range(2)]
    usual = desk.tickets.issue(client, "secret1", {})
    shorter = desk.tickets.issue(client, "secret1", {}, seconds=5)
    desk.clock.now += 5
    assert await refusal(desk, connect(), shorter, "bobby", "secret1") is Denial.BAD_CREDENTIALS
    assert desk.tickets.peek(usual, "brook") is not None
    desk.clock.now += 25
    assert desk.tickets.peek(usual, "brook") is None, "though one that is still good was issued before it"
    assert await refusal(desk, connect(), usual, "bobby", "secret1") is Denial.BAD_CREDENTIALS
    desk.clock.now += 29.9
    await desk.tickets.redeem(connect(), longer[0], "bobby", "secret1")
    desk.clock.now += 0.1
    assert await refusal(desk, connect(), longer[1], "bobby", "secret1") is Denial.BAD_CREDENTIALS
    assert len(desk.tickets) == 0


async def test_r52_keys_are_never_zero_or_a_seed_command_or_twice_the_same(
    desk: Desk, connect: Connect
) -> None:
    desk.random = [bytes(4), b"\xef\0\0\1", b"\1\2\3\4", b"\1\2\3\4", b"\5\6\7\x08"]
    client = connect(account="bobby")
    assert desk.tickets.issue(client, "secret1", {}) == b"\1\2\3\4"
    assert desk.tickets.issue(client, "secret1", {}) == b"\5\6\7\x08"


async def test_r52_a_wrong_password_does_not_burn_the_ticket_but_counts(desk: Desk, connect: Connect) -> None:
    key = desk.tickets.issue(connect(account="bobby"), "secret1", {})
    thief = connect("203.0.113.9")
    told = [await refusal(desk, thief, key, "bobby", f"wrong-{number}") for number in range(1000)]
    assert told == [Denial.BAD_CREDENTIALS] * 5 + [Denial.BUSY] * 995
    assert await refusal(desk, thief, key, "bobby", "secret1") is Denial.BUSY
    assert (await desk.tickets.redeem(connect(), key, "bobby", "secret1")).account.name == "bobby"


async def test_r52_guessed_keys_count_like_wrong_passwords(desk: Desk, connect: Connect) -> None:
    desk.tickets.issue(connect(account="bobby"), "secret1", {})
    guesser = connect("203.0.113.9")
    told = [
        await refusal(desk, guesser, number.to_bytes(4, "little"), "bobby", "secret1")
        for number in range(1, 1001)
    ]
    assert told.count(Denial.BUSY) == 995


async def test_others_failures_at_an_address_do_not_stop_its_tickets(desk: Desk, connect: Connect) -> None:
    key = desk.tickets.issue(connect(account="bobby"), "secret1", {})
    for _ in range(20):
        desk.limiter.failed("192.0.2.1", "somebody", desk.clock.now)
    await desk.tickets.redeem(connect(), key, "bobby", "secret1")


@pytest.mark.parametrize("bound", [False, True])
async def test_r52_tickets_are_bound_to_an_address_where_that_is_wished(
    desk: Desk, connect: Connect, bound: bool
) -> None:
    desk.limits = attrs.evolve(desk.limits, bind_tickets=bound)
    key = desk.tickets.issue(connect(account="bobby"), "secret1", {})
    if bound:
        assert await refusal(desk, connect("198.51.100.9"), key, "bobby", "secret1") is Denial.BAD_CREDENTIALS
        assert await desk.tickets.redeem(connect(), key, "bobby", "secret1")
    else:
        assert await desk.tickets.redeem(connect("198.51.100.9"), key, "bobby", "secret1")


async def test_r52_a_ticket_is_bound_to_its_name_and_game(desk: Desk, connect: Connect) -> None:
    key = desk.tickets.issue(connect(account="bobby"), "secret1", {})
    assert await refusal(desk, connect(), key, "robby", "secret1") is Denial.BAD_CREDENTIALS
    foreign = connect()
    foreign.family = pebble()
    assert desk.tickets.peek(key, "pebble") is None
    assert await refusal(desk, foreign, key, "bobby", "secret1") is Denial.BAD_CREDENTIALS
    await desk.tickets.redeem(connect(), key, "bobby", "secret1")


async def test_what_changes_an_account_takes_its_tickets_away(desk: Desk, connect: Connect) -> None:
    bobs = desk.tickets.issue(connect(account="bobby"), "secret1", {})
    annas = desk.tickets.issue(connect(account="anna"), "secret1", {})
    desk.tickets.revoke(len("bobby"))
    assert desk.tickets.peek(bobs, "brook") is None
    assert desk.tickets.peek(annas, "brook") is not None


async def test_r52_there_are_never_more_than_so_many(desk: Desk, connect: Connect) -> None:
    client = connect(account="bobby")
    keys = [desk.tickets.issue(client, "secret1", {}) for _ in range(MOST + 3)]
    assert len(desk.tickets) == MOST
    assert desk.tickets.peek(keys[2], "brook") is None
    assert desk.tickets.peek(keys[3], "brook") is not None


async def test_who_has_not_logged_in_gets_no_ticket(desk: Desk, connect: Connect) -> None:
    with pytest.raises(ValueError, match="has not logged in"):
        desk.tickets.issue(connect(), "secret1", {})
