"""Accounts: logging in, joining, and what staff does to people who are connected."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from server import exits
from server.people.administration import FOREVER
from server.people.credentials import cannot_type, name_problem, password_problem
from server.people.passwords import QUEUE, Argon2Passwords
from tests.kit.in_memory import EPOCH
from tests.kit.office import Client, Office
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from trio.testing import MockClock

    from server.store.records import AccountRow

FAR = "203.0.113.9"


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


async def denial(attempt: Awaitable[object]) -> Denial:
    """Why it was refused."""
    with pytest.raises(Denied) as denied:
        await attempt
    return denied.value.why


async def bob(office: Office, access: int = 0) -> AccountRow:
    return await office.accounts.staff.create("bobby", "secret1", access)


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


# One client at a time


async def test_r53_the_newest_login_plays(office: Office, autojump_clock: MockClock) -> None:
    await bob(office)
    clients = [office.client() for _ in range(10)]

    async def play(client: Client) -> None:
        office.accounts.claim(client, await office.accounts.login(client, "bobby", "secret1"))

    async with trio.open_nursery() as nursery:
        for client in clients:
            nursery.start_soon(play, client)
    living = [client for client in clients if client.ending is None]
    assert len(living) == 1
    assert {client.ending for client in clients if client.ending} == {Ending.REPLACED}
    newest = office.client()
    await play(newest)
    await play(newest)
    assert living[0].ending is Ending.REPLACED
    assert newest.ending is None


async def test_a_client_that_is_gone_is_not_replaced(office: Office, autojump_clock: MockClock) -> None:
    await bob(office)
    first, second = office.client(), office.client()
    office.accounts.claim(first, await office.accounts.login(first, "bobby", "secret1"))
    office.accounts.release(first)
    office.accounts.release(first)
    office.accounts.claim(second, await office.accounts.login(second, "bobby", "secret1"))
    assert first.ending is None
    office.accounts.release(first)
    await office.accounts.staff.ban(await bob_row(office), FOREVER, "")
    assert second.ending is Ending.BANNED


async def bob_row(office: Office) -> AccountRow:
    row = await office.accounts.find("bobby")
    assert row is not None
    return row


# Staff


async def test_r55_a_ban_ends_whoever_plays_and_whoever_is_on_the_way(
    office: Office, autojump_clock: MockClock
) -> None:
    client, _mobile = await office.player("Alric")
    on_the_way = office.client()
    on_the_way.account = await office.accounts.login(on_the_way, "alricacct", "secret1")
    key = office.tickets.issue(on_the_way, "secret1", {})
    row = await office.accounts.find("alricacct")
    assert row is not None
    await office.accounts.staff.ban(row, office.wall_time() + 60, "rude")
    assert client.ending is Ending.BANNED
    assert b"rude" in client.heard
    assert on_the_way.ending is Ending.BANNED
    assert office.tickets.peek(key, "brook") is None
    assert await denial(office.accounts.login(office.client(), "alricacct", "secret1")) is Denial.BANNED
    assert (
        await denial(office.accounts.login(office.client(), "alricacct", "wrong-1")) is Denial.BAD_CREDENTIALS
    )
    change = office.accounts.change_password(office.client(), "alricacct", "secret1", "another1")
    assert await denial(change) is Denial.BANNED
    await trio.sleep(61)
    await office.accounts.login(office.client(), "alricacct", "secret1")


async def test_r55_a_ban_during_the_password_check_counts(office: Office, autojump_clock: MockClock) -> None:
    row = await bob(office)
    office.passwords.seconds = 1.0

    async def ban() -> None:
        await trio.sleep(0.5)
        await office.accounts.staff.ban(row, FOREVER, "")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ban)
        assert await denial(office.accounts.login(office.client(), "bobby", "secret1")) is Denial.BANNED


async def test_r55_a_password_changed_during_the_check_of_the_old_one_counts(
    office: Office, autojump_clock: MockClock
) -> None:
    row = await bob(office)
    office.passwords.seconds = 1.0

    async def change() -> None:
        await office.accounts.staff.set_password(row, "another1")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(change)
        await trio.sleep(0.5)
        login = office.accounts.login(office.client(), "bobby", "secret1")
        assert await denial(login) is Denial.BAD_CREDENTIALS


async def test_r55_a_level_takes_effect_in_the_next_turn(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric")
    row = await office.accounts.find("alricacct")
    assert row is not None
    turns = office.loop.stats.turns
    await office.accounts.staff.set_access(row, Access.GAME_MASTER)
    assert office.loop.stats.turns <= turns + 1
    assert mobile.access == Access.GAME_MASTER
    assert client.account is not None
    assert client.account.access == Access.GAME_MASTER
    assert client.ending is None


async def test_a_password_that_staff_changed_meanwhile_stays(
    office: Office, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await office.player("Alric")
    row = await office.accounts.find("alricacct")
    assert row is not None
    hash_of = office.passwords.hash

    async def hash_slowly(password: str) -> str:
        """While the new password of the client is hashed, staff sets another one."""
        monkeypatch.setattr(office.passwords, "hash", hash_of)
        await office.accounts.staff.set_password(row, "staffs11")
        return await hash_of(password)

    monkeypatch.setattr(office.passwords, "hash", hash_slowly)
    changing = office.client()
    change = office.accounts.change_password(changing, "alricacct", "secret1", "another1")
    assert await denial(change) is Denial.BAD_CREDENTIALS
    await office.accounts.login(office.client(), "alricacct", "staffs11")


async def test_the_level_of_somebody_who_is_just_leaving(office: Office, autojump_clock: MockClock) -> None:
    """Its last words are still on their way, but it gets no turn any more."""
    client, _ = await office.player("Alric")
    row = await office.accounts.find("alricacct")
    assert row is not None
    del office.loop.sessions[client.id]
    with trio.fail_after(30):
        await office.accounts.staff.set_access(row, Access.SEER)
    row = await office.accounts.find("alricacct")
    assert row is not None
    assert row.access == Access.SEER


async def test_r55_a_changed_password_ends_the_clients_of_the_old_one(
    office: Office, autojump_clock: MockClock
) -> None:
    client, _ = await office.player("Alric")
    changing = office.client()
    change = office.accounts.change_password
    assert await denial(change(changing, "alricacct", "secret1", "no")) is Denial.BAD_PASSWORD
    assert await denial(change(changing, "alricacct", "wrong-1", "another1")) is Denial.BAD_CREDENTIALS
    assert await denial(change(changing, "nobody", "secret1", "another1")) is Denial.BAD_CREDENTIALS
    assert client.heard == b""
    await change(changing, "AlricAcct", "secret1", "another1")
    assert client.ending is Ending.KICKED
    assert changing.ending is None
    assert (
        await denial(office.accounts.login(office.client(), "alricacct", "secret1")) is Denial.BAD_CREDENTIALS
    )
    await office.accounts.login(office.client(), "alricacct", "another1")


async def test_staff_may_use_longer_passwords_and_only_them(
    office: Office, autojump_clock: MockClock
) -> None:
    row = await office.accounts.staff.create("carol", "x" * 40)
    await office.accounts.login(office.client(), "carol", "x" * 40)
    with pytest.raises(Denied):
        await office.accounts.staff.set_password(row, "with blank")
    with pytest.raises(Denied):
        await office.accounts.staff.create("CAROL", "secret1")


async def test_r56_no_log_line_holds_a_password(
    office: Office, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    await office.accounts.login(office.client(), "newbie", "Geheim1234")
    await denial(office.accounts.login(office.client(), "newbie", "Geheim12345"))
    await office.accounts.change_password(office.client(), "newbie", "Geheim1234", "Geheim123456")
    client = office.client()
    client.account = await office.accounts.login(client, "newbie", "Geheim123456")
    office.tickets.issue(client, "Geheim123456", {})
    assert "newbie" in caplog.text
    assert "Geheim" not in caplog.text
    assert "Geheim" not in repr(office.tickets._issued)


# The real hasher


async def test_r48_passwords_are_argon2id_hashes() -> None:
    passwords = Argon2Passwords()
    stored = await passwords.hash("secret1")
    assert stored.startswith("$argon2id$v=19$m=16384,t=1,p=1$")
    assert await passwords.verify(stored, "secret1")
    assert not await passwords.verify(stored, "secret2")
    assert not await passwords.verify(None, "nobody")
    assert not await passwords.verify("not a hash", "secret1")
    assert not await passwords.verify(stored, "\ud800")
    assert not passwords.outdated(stored)


async def test_r48_a_hash_made_by_another_program_is_read() -> None:
    """A vector of the reference implementation: P-H-C/phc-winner-argon2, src/test.c, argon2id, m=2^16."""
    vector = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    passwords = Argon2Passwords()
    assert await passwords.verify(vector, "password")
    assert not await passwords.verify(vector, "passwort")
    assert passwords.outdated(vector)


async def test_other_work_of_a_login_waits_in_the_same_queue() -> None:
    """In another thread, one at a time, and refused when too many wait."""
    passwords = Argon2Passwords(memory_kib=8)
    threads: list[int] = []
    done: list[int] = []
    gate = threading.Event()

    def work(number: int) -> int:
        gate.wait(20)
        threads.append(threading.get_ident())
        return number

    async def ask(number: int) -> None:
        done.append(await passwords.offload(partial(work, number)))

    async with trio.open_nursery() as nursery:
        for number in range(QUEUE + 1):
            nursery.start_soon(ask, number)
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(Denied) as denied:
            await passwords.offload(lambda: 0)
        assert denied.value.why is Denial.BUSY
        gate.set()
    assert sorted(done) == list(range(QUEUE + 1))
    assert threading.get_ident() not in threads


async def test_what_other_work_raises_is_raised() -> None:
    passwords = Argon2Passwords(memory_kib=8)
    with pytest.raises(ZeroDivisionError):
        await passwords.offload(lambda: 1 // 0)


async def test_more_than_the_queue_holds_are_told_to_come_back() -> None:
    passwords = Argon2Passwords(memory_kib=8)
    outcomes: list[str] = []

    async def check() -> None:
        try:
            await passwords.verify(None, "secret1")
        except Denied as denied:
            outcomes.append(denied.why.value)
        else:
            outcomes.append("checked")

    async with trio.open_nursery() as nursery:
        for _ in range(QUEUE + 11):
            nursery.start_soon(check)
    assert outcomes.count("busy") == 10
    assert outcomes.count("checked") == QUEUE + 1
