"""Commands about accounts: bans, levels, passwords, and the audit of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.endings import Ending
from tests.kit.commands import refused, run
from tests.kit.office import Office
from world.mobile import Access

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


# Accounts


async def test_r55_ban_from_the_game(office: Office, autojump_clock: MockClock) -> None:
    staff, _ = await office.player("Berta", Access.GAME_MASTER)
    target, _ = await office.player("Alric")
    other, _ = await office.player("Carla", Access.ADMIN)
    assert "not below you" in await office.order(staff, "ban carla")
    text = await office.order(staff, "ban alric 3d rude words")
    assert "account alricacct is banned until 2023-11-17 22:13 UTC: rude words" in text
    assert target.ending is Ending.BANNED
    assert other.ending is None
    assert "banned no longer" in await office.order(staff, "unban alricacct")
    assert "not banned" in await office.order(staff, "unban alricacct")


async def test_an_account_is_removed_with_all_it_has(office: Office, autojump_clock: MockClock) -> None:
    client, _ = await office.player("Anna")
    assert "was removed, with" in await run(office, "account remove annaacct")
    assert client.ending is Ending.BANNED
    assert "no account" in await refused(office, "account remove annaacct")
    assert "annaacct" not in await run(office, "account list")


async def test_account_commands(office: Office, autojump_clock: MockClock) -> None:
    assert await run(office, "account create Bobby secret1") == "account bobby was made (player)"
    assert "exists" not in await run(office, "account create anna thirteenchars admin")
    assert "Endless Online" in await run(office, "account passwd anna anotherlongone")
    assert "there is an account bobby" in await refused(office, "account create bobby secret1")
    assert "3 to 16" in await refused(office, "account create b secret1")
    assert "passwords are" in await refused(office, "account create carla pw")
    assert await run(office, "account level bobby") == "account bobby is player"
    assert await run(office, "account level bobby 2") == "account bobby was player, is gamemaster"
    assert "none of the levels" in await refused(office, "account level bobby king")
    assert "banned for ever: rude words" in await run(office, "account ban bobby rude words")
    listed = await run(office, "account list")
    assert "bobby: gamemaster, never seen, banned" in listed
    assert "anna: admin, never seen" in listed
    await run(office, "account unban bobby")
    client = office.client()
    await office.accounts.claim(client, await office.accounts.login(client, "bobby", "secret1"))
    await run(office, "account passwd bobby secret2")
    assert client.ending is Ending.KICKED


async def test_staff_cannot_rise_or_raise_above_itself(office: Office, autojump_clock: MockClock) -> None:
    admin, _ = await office.player("Berta", Access.ADMIN)
    await office.player("Carla", Access.ADMIN)
    await office.accounts.staff.create("bobby", "secret1")
    for line in (
        "account level bobby admin",
        "account level bertaacct owner",
        "account level carlaacct player",
        "account ban carlaacct",
    ):
        assert "not below you" in await office.order(admin, line), line
    await office.order(admin, "account level bobby seer")
    row = await office.accounts.find("bobby")
    assert row is not None
    assert row.access == Access.SEER


async def test_passwords_are_not_for_the_game(office: Office, autojump_clock: MockClock) -> None:
    staff, _ = await office.player("Berta", Access.OWNER)
    assert "causeway account create" in await office.order(staff, "account create evil Geheim1")
    assert await office.accounts.find("evil") is None
    answer = await office.order(staff, "account passwd bertaacct Geheim1")
    assert "causeway account passwd" in answer
    assert "Geheim1" not in answer
    await office.accounts.login(office.client(), "bertaacct", "secret1")


async def test_a_ban_whose_duration_is_none_bans_nobody(office: Office, autojump_clock: MockClock) -> None:
    await office.accounts.staff.create("bobby", "secret1")
    for duration in ("3 days", "3days", "1y", "soon", "-3d", ""):
        answer = await office.commands.run("test", "account ban", {"name": "bobby", "duration": duration})
        assert not answer.ok, duration
    for line in ("account ban bobby 3days rude", "account ban bobby 3 days", "account ban bobby -3d"):
        assert "no duration" in await refused(office, line)
    row = await office.accounts.find("bobby")
    assert row is not None
    assert row.banned_until is None


async def test_r68_staff_is_audited_and_passwords_are_not(office: Office, autojump_clock: MockClock) -> None:
    staff, _ = await office.player("Berta", Access.OWNER)
    await run(office, "account create bobby Geheim1 seer")
    await office.order(staff, "go 11 12")
    await office.order(staff, "who")
    assert office.audited == [
        (
            "test",
            "account create",
            "name='bobby' password='***' level='seer' -> account bobby was made (seer)",
        ),
        ("bertaacct (Berta)", "go", "realm='11' x='12' -> you were in plain 10 10, are in plain 11 12"),
    ]
