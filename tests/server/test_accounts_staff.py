"""Accounts: one client at a time, and what staff does to people who are connected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from server.people.administration import FOREVER
from tests.kit.accounts import bob, denial
from tests.kit.office import Client, Office
from world.mobile import Access

if TYPE_CHECKING:
    from trio.testing import MockClock

    from server.store.records import AccountRow


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


# One client at a time


async def test_r53_the_newest_login_plays(office: Office, autojump_clock: MockClock) -> None:
    await bob(office)
    clients = [office.client() for _ in range(10)]

    async def play(client: Client) -> None:
        await office.accounts.claim(client, await office.accounts.login(client, "bobby", "secret1"))

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
    await office.accounts.claim(first, await office.accounts.login(first, "bobby", "secret1"))
    office.accounts.release(first)
    office.accounts.release(first)
    await office.accounts.claim(second, await office.accounts.login(second, "bobby", "secret1"))
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
