"""Accounts: names and passwords, logging in, joining."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from protocol.denials import Denial, Denied
from server import exits
from server.people.credentials import cannot_type, name_problem, password_problem
from tests.kit.accounts import bob, denial
from tests.kit.in_memory import EPOCH
from tests.kit.office import Office
from world.mobile import Access

if TYPE_CHECKING:
    from trio.testing import MockClock


FAR = "203.0.113.9"


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


# Rules


@pytest.mark.parametrize("name", ["abc", "a1b2", "1234567890123456"])
def test_names_that_can_be(name: str) -> None:
    assert not name_problem(name)


@pytest.mark.parametrize("name", ["", "ab", "a" * 17, "Abcd", "ab cd", "ab-cd", "äbcd", "abcd\n", "ab\0cd"])
def test_names_that_cannot_be(name: str) -> None:
    assert name_problem(name)


@pytest.mark.parametrize(
    ("password", "typed", "longer"),
    [
        ("secret", True, True),
        ("~!Secret12$3", True, True),
        ("four", True, True),
        ("thr", False, False),
        ("x" * 30, True, True),
        ("x" * 31, False, True),
        ("with blank", False, False),
        ("tab\tinside", False, False),
        ("pässword", False, False),
        ("secret\n", False, False),
        ("x" * 128, False, True),
        ("x" * 129, False, False),
    ],
)
def test_passwords(password: str, typed: bool, longer: bool) -> None:
    assert (not password_problem(password), not password_problem(password, longer=True)) == (typed, longer)


def test_names_and_passwords_name_the_clients_that_cannot_type_them() -> None:
    assert cannot_type("anna", "x" * 12) == []
    assert cannot_type("ann", "secret") == ["Endless Online"]
    assert cannot_type("a" * 15, "secret") == ["Endless Online", "Lineage II"]
    assert cannot_type("a" * 16, "secret") == ["Conquer Online", "Endless Online", "Lineage II"]
    assert cannot_type("anna", "four") == ["Endless Online"]
    assert cannot_type("anna", "x" * 16) == ["Conquer Online", "Endless Online"]
    assert cannot_type("anna", "x" * 31) == [
        "Conquer Online",
        "Endless Online",
        "Lineage II",
        "Ultima Online",
    ]


# Logging in


async def test_a_login_finds_the_account_in_any_case(office: Office, autojump_clock: MockClock) -> None:
    row = await bob(office, Access.SEER)
    info = await office.accounts.login(office.client(), " BobbY ", "secret1")
    assert (info.id, info.name, info.access) == (row.id, "bobby", Access.SEER)
    await trio.sleep(1)
    noted = office.database.account("bobby")
    assert noted is not None
    assert noted.last_address == "127.0.0.1"
    assert noted.last_login == pytest.approx(EPOCH, abs=1)


async def test_r49_known_and_unknown_names_cost_the_same_and_get_the_same_answer(
    office: Office, autojump_clock: MockClock
) -> None:
    office.change("accounts", auto_create=False)
    await bob(office)
    told: list[tuple[Denial, str]] = []
    for name in ("bobby", "nobody", "no", "\0\ud800 <b>", "x" * 1000):
        before = office.passwords.work
        with pytest.raises(Denied) as denied:
            await office.accounts.login(office.client("10.0.0." + str(len(told))), name, "wrong-one")
        assert office.passwords.work - before == 1
        told.append((denied.value.why, str(denied.value)))
    assert set(told) == {(Denial.BAD_CREDENTIALS, Denial.BAD_CREDENTIALS.value)}


async def test_r50_a_thousand_tries_cost_few_checks(office: Office, autojump_clock: MockClock) -> None:
    await bob(office)
    office.change("accounts", auto_create=False)
    answers = [
        await denial(office.accounts.login(office.client(FAR), "bobby", f"wrong-{number}"))
        for number in range(1000)
    ]
    checks = office.passwords.checks
    assert checks == 5
    assert answers == [Denial.BAD_CREDENTIALS] * 5 + [Denial.BUSY] * 995
    assert await denial(office.accounts.login(office.client(FAR), "bobby", "secret1")) is Denial.BUSY
    assert office.passwords.checks == checks
    await trio.sleep(2)
    await office.accounts.login(office.client(FAR), "bobby", "secret1")


async def test_r50_tries_that_wait_for_the_worker_together_learn_no_more(
    office: Office, autojump_clock: MockClock
) -> None:
    await bob(office)
    office.passwords.seconds = 0.01
    answers: list[Denial] = []

    async def attempt(password: str) -> None:
        answers.append(await denial(office.accounts.login(office.client(FAR), "bobby", password)))

    async with trio.open_nursery() as nursery:
        for number in range(20):
            nursery.start_soon(attempt, f"wrong-{number}")
            await trio.sleep(0.0001)
        nursery.start_soon(attempt, "secret1")
    assert answers.count(Denial.BAD_CREDENTIALS) == 5
    assert answers.count(Denial.BUSY) == 16


async def test_r50_the_same_limit_holds_for_changing_passwords(
    office: Office, autojump_clock: MockClock
) -> None:
    await bob(office)
    for _ in range(5):
        change = office.accounts.change_password(office.client(FAR), "bobby", "wrong-1", "another1")
        assert await denial(change) is Denial.BAD_CREDENTIALS
    assert await denial(office.accounts.login(office.client(FAR), "bobby", "secret1")) is Denial.BUSY


async def test_r51_many_addresses_are_slowed_down_and_the_owner_is_not(
    office: Office, autojump_clock: MockClock
) -> None:
    await bob(office)
    await office.accounts.login(office.client("192.0.2.1"), "bobby", "secret1")
    for number in range(10):
        await denial(office.accounts.login(office.client(f"10.0.0.{number}"), "bobby", "wrong-1"))
    start = trio.current_time()
    assert (
        await denial(office.accounts.login(office.client("10.0.1.1"), "bobby", "wrong-1"))
        is Denial.BAD_CREDENTIALS
    )
    assert trio.current_time() - start == 5
    start = trio.current_time()
    await office.accounts.login(office.client("192.0.2.1"), "bobby", "secret1")
    assert trio.current_time() == start


async def test_r51_the_last_address_is_known_after_a_restart(
    office: Office, autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    await bob(office)
    await office.accounts.login(office.client("192.0.2.1"), "bobby", "secret1")
    await trio.sleep(1)
    office.stop(exits.GOOD)
    await trio.sleep(1)
    assert office.exit_code == exits.GOOD
    later = await Office(database=office.database).open(nursery)
    for number in range(10):
        await denial(later.accounts.login(later.client(f"10.0.0.{number}"), "bobby", "wrong-1"))
    start = trio.current_time()
    await later.accounts.login(later.client("192.0.2.1"), "bobby", "secret1")
    assert trio.current_time() == start


async def test_r48_a_hash_of_old_parameters_is_renewed_by_the_next_login(
    office: Office, autojump_clock: MockClock
) -> None:
    await bob(office)
    office.passwords.version = 2
    await office.accounts.login(office.client(), "bobby", "secret1")
    await trio.sleep(1)
    row = office.database.account("bobby")
    assert row is not None
    assert row.password == "2:secret1"
    hashes = office.passwords.hashes
    await office.accounts.login(office.client(), "bobby", "secret1")
    await trio.sleep(1)
    assert office.passwords.hashes == hashes


async def test_a_database_that_fails_is_no_verdict_about_the_password(
    office: Office, autojump_clock: MockClock
) -> None:
    await bob(office)
    office.disk.trouble = office.disk.reading_trouble = OSError("disk on fire")
    assert await denial(office.accounts.login(office.client(), "bobby", "secret1")) is Denial.UNAVAILABLE
    assert await denial(office.accounts.may_register(office.client(), "carol")) is Denial.UNAVAILABLE
    office.disk.trouble = office.disk.reading_trouble = None
    await office.accounts.login(office.client(), "bobby", "secret1")


async def test_nobody_logs_in_while_the_server_closes(office: Office, autojump_clock: MockClock) -> None:
    await bob(office)
    office.stop(exits.GOOD)
    assert await denial(office.accounts.login(office.client(), "bobby", "secret1")) is Denial.UNAVAILABLE
    assert office.passwords.checks == 0


# Joining


async def test_a_new_name_becomes_an_account_at_login(office: Office, autojump_clock: MockClock) -> None:
    first = await office.accounts.login(office.client(), "Newbie", "secret1")
    assert office.passwords.work == 1
    assert (await office.accounts.login(office.client(), "newbie", "secret1")).id == first.id
    assert await denial(office.accounts.login(office.client(), "newbie", "wrong-1")) is Denial.BAD_CREDENTIALS


async def test_a_password_that_cannot_be_makes_no_account(office: Office, autojump_clock: MockClock) -> None:
    assert await denial(office.accounts.login(office.client(), "newbie", "no")) is Denial.BAD_CREDENTIALS
    assert office.passwords.work == 1
    assert office.database.accounts() == []


async def test_two_that_join_under_one_name_at_once_are_one_account(
    office: Office, autojump_clock: MockClock
) -> None:
    office.change("limits", exempt=("127.0.0.0/8",))
    office.passwords.seconds = 0.1
    ids: list[int] = []

    async def join() -> None:
        ids.append((await office.accounts.login(office.client(), "newbie", "secret1")).id)

    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(join)
    assert len(ids) == 10
    assert len(set(ids)) == 1


@pytest.mark.parametrize(
    ("peer", "local", "proxy", "joins"),
    [
        ("127.0.0.1", "127.0.0.1:2593", False, True),
        ("127.8.7.6", "127.0.0.1:2593", False, True),
        ("::1", "[::1]:2593", False, True),
        ("127.0.0.1", "127.0.0.1:2593", True, False),
        ("127.0.0.1", "192.0.2.1:2593", False, False),
        (FAR, "127.0.0.1:2593", False, False),
        (FAR, "192.0.2.1:2593", False, False),
    ],
)
async def test_loopback_lets_only_this_machine_join(
    office: Office, autojump_clock: MockClock, peer: str, local: str, proxy: bool, joins: bool
) -> None:
    office.change("accounts", auto_create="loopback")
    if proxy:
        office.stand_behind_proxy()
    client = office.client(peer, local)
    if joins:
        await office.accounts.may_register(client, "newbie")
        await office.accounts.login(client, "newbie", "secret1")
    else:
        assert await denial(office.accounts.may_register(client, "newbie")) is Denial.NOT_APPROVED
        assert await denial(office.accounts.register(client, "newbie", "secret1")) is Denial.NOT_APPROVED
        assert await denial(office.accounts.login(client, "newbie", "secret1")) is Denial.BAD_CREDENTIALS
    assert len(office.database.accounts()) == joins


async def test_a_stranger_who_cannot_join_is_worth_one_line_a_minute(
    office: Office, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    office.change("accounts", auto_create=False)
    caplog.set_level("INFO", "accounts")
    for _ in range(50):
        await denial(office.accounts.may_register(office.client(FAR), "newbie"))
    assert caplog.text.count("causeway account create") == 1
    await trio.sleep(61)
    await denial(office.accounts.may_register(office.client(FAR), "newbie"))
    assert caplog.text.count("causeway account create") == 2


async def test_registering(office: Office, autojump_clock: MockClock) -> None:
    accounts, client = office.accounts, office.client()
    assert await denial(accounts.register(client, "x", "secret1")) is Denial.BAD_NAME
    assert await denial(accounts.register(client, "carol", "no")) is Denial.BAD_PASSWORD
    assert (await accounts.register(client, "Carol", "secret1")).name == "carol"
    assert await denial(accounts.may_register(client, "CAROL")) is Denial.EXISTS
    assert await denial(accounts.register(client, "carol", "secret1")) is Denial.EXISTS


async def test_an_address_makes_so_many_accounts_a_day(office: Office, autojump_clock: MockClock) -> None:
    office.change("limits", accounts_per_address_per_day=2)
    await office.accounts.register(office.client(FAR), "first", "secret1")
    await office.accounts.login(office.client(FAR), "second", "secret1")
    assert await denial(office.accounts.login(office.client(FAR), "third", "secret1")) is Denial.NOT_APPROVED
    assert (
        await denial(office.accounts.register(office.client(FAR), "third", "secret1")) is Denial.NOT_APPROVED
    )
    await office.accounts.register(office.client("198.51.100.1"), "third", "secret1")
    autojump_clock.jump(86_400)
    await office.accounts.register(office.client(FAR), "fourth", "secret1")


async def test_exempt_addresses_make_as_many_as_they_like(office: Office, autojump_clock: MockClock) -> None:
    office.change("limits", accounts_per_address_per_day=0, exempt=("127.0.0.0/8",))
    await office.accounts.register(office.client(), "first", "secret1")
    client = office.client()
    client.forwarded = True
    assert await denial(office.accounts.register(client, "second", "secret1")) is Denial.NOT_APPROVED


async def test_r57_there_is_no_account_to_begin_with(office: Office, autojump_clock: MockClock) -> None:
    assert await office.accounts.staff.all() == []
