"""The web page's logins over a restart."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import pytest
import trio
import trio.testing

from server.people.account_store import info_of
from server.store.database import Database
from server.web.cookies import Cookies
from server.web.logins import LIFETIME, Logins
from server.web.remembered import Remembered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

T = TypeVar("T")

NOW = 1_700_000_000.0


class Store:
    """The database, at once."""

    def __init__(self) -> None:
        self.database = Database("sqlite://")
        for name in ("anna", "bert", "cora", "dora"):
            self.database.create_account(name, f"hash of {name}", NOW)
        self.accounts = [info_of(row) for row in self.database.accounts()]

    async def read(self, call: Callable[[Database], T]) -> T:
        return call(self.database)

    async def write(self, call: Callable[[Database], T]) -> T:
        return call(self.database)


def logins() -> Logins:
    chance = iter(range(1, 1000))
    return Logins(lambda size: next(chance).to_bytes(size, "big"))


async def test_a_restart_leaves_everybody_logged_in_but_those_whose_account_changed(tmp_path: Path) -> None:
    store, path = Store(), tmp_path / "web-logins.json"
    before = logins()
    anna, bert, cora, dora = (before.issue(account, 100.0) for account in store.accounts)
    await Remembered(before, store, path).save(200.0, NOW, at_once=True)
    assert path.stat().st_mode & 0o777 == 0o600
    kept = path.read_text()
    assert not any(token in kept for token in (anna, bert, cora, dora)), "of tokens only hashes are kept"
    assert "hash of" not in kept, "and of passwords not even those"

    store.database.set_password(store.accounts[1].id, "another")
    store.database.ban(store.accounts[2].id, NOW + 60, "")
    # Another process, whose clock begins anew.
    after = logins()
    await Remembered(after, store, path).load(5.0, NOW + 10)
    assert after.find(anna, 5.0) == store.accounts[0]
    assert after.find(bert, 5.0) is None, "another password"
    assert after.find(cora, 5.0) is None, "banned"
    assert after.find(dora, 5.0 + LIFETIME - 111.0) == store.accounts[3], "it counts from its last use"
    assert len(after) == 2


async def test_what_another_process_does_to_an_account_ends_its_logins(tmp_path: Path) -> None:
    store, there = Store(), logins()
    cookies = Cookies(there, store, lambda: NOW, shared=True)
    anna, bert, cora, dora = [await cookies.issue(account, 100.0) for account in store.accounts]
    remembered = Remembered(there, store, tmp_path / "web-logins.json", shared=True)
    await remembered.look(101.0, NOW)
    store.database.set_password(store.accounts[1].id, "another")
    store.database.ban(store.accounts[2].id, NOW + 60, "")
    await remembered.look(102.0, NOW)
    assert len(there) == 4, "all are looked at every five seconds"
    late = await cookies.issue(store.accounts[3], 102.0)
    await remembered.look(103.0, NOW)
    store.database.set_password(store.accounts[3].id, "another")
    await remembered.look(106.0, NOW)
    assert there.find(anna, 106.0) == store.accounts[0]
    assert [there.find(token, 106.0) for token in (bert, cora, dora, late)] == [None] * 4


async def test_a_login_ends_in_its_time_over_a_restart_as_well(tmp_path: Path) -> None:
    store, path = Store(), tmp_path / "web-logins.json"
    before = logins()
    token = before.issue(store.accounts[0], 100.0)
    await Remembered(before, store, path).save(100.0, NOW, at_once=True)
    after = logins()
    await Remembered(after, store, path).load(0.0, NOW + LIFETIME)
    assert after.find(token, 0.0) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '[{"token": "zz", "account": 1, "mark": "", "used": 1}]', "\udcff"]
)
async def test_a_file_that_cannot_be_read_is_as_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "web-logins.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    found = logins()
    await Remembered(found, Store(), path).load(0.0, NOW)
    assert len(found) == 0


@pytest.mark.parametrize("damage", ["token", "account"])
async def test_a_line_that_nobody_wrote_stops_no_start(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    store, path = Store(), tmp_path / "web-logins.json"
    before = logins()
    before.issue(store.accounts[0], 0.0)
    await Remembered(before, store, path).save(0.0, NOW, at_once=True)
    lines = json.loads(path.read_text())
    lines[0][damage] = {"token": "no hexadecimal digits", "account": 10**30}[damage]
    path.write_text(json.dumps(lines))
    found = logins()
    await Remembered(found, store, path).load(0.0, NOW)
    assert len(found) == 0
    assert "the logins of the web page are forgotten" in caplog.text


async def test_who_is_logged_out_while_the_file_is_made_has_no_part_in_the_new_password(
    tmp_path: Path,
) -> None:
    store, path = Store(), tmp_path / "web-logins.json"
    found = logins()
    anna, bert = (found.issue(account, 0.0) for account in store.accounts[:2])

    class Busy(Store):
        async def read(self, call: Callable[[Database], T]) -> T:
            store.database.set_password(store.accounts[0].id, "another")
            found.revoke(store.accounts[0].id)
            return call(store.database)

    await Remembered(found, Busy(), path).save(0.0, NOW, at_once=True)
    after = logins()
    await Remembered(after, store, path).load(0.0, NOW)
    assert after.find(anna, 0.0) is None
    assert after.find(bert, 0.0) == store.accounts[1]


async def test_only_what_changed_is_written_and_not_too_often(tmp_path: Path) -> None:
    store, path = Store(), tmp_path / "web-logins.json"
    found = logins()
    remembered = Remembered(found, store, path)
    await remembered.save(0.0, NOW)
    assert not path.exists(), "nobody ever logged in"
    token = found.issue(store.accounts[0], 1.0)
    await remembered.save(1.0, NOW)
    assert path.exists()
    first = path.read_text()
    found.forget(token)
    await remembered.save(2.0, NOW)
    assert path.read_text() == first, "too soon"
    await remembered.save(12.0, NOW)
    assert path.read_text() == "[]"


async def test_a_folder_that_takes_nothing_costs_no_more_than_a_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, found = Store(), logins()
    found.issue(store.accounts[0], 1.0)
    remembered = Remembered(found, store, tmp_path / "none" / "web-logins.json")
    await remembered.save(1.0, NOW)
    assert "cannot be kept over a restart" in caplog.text
    (tmp_path / "none").mkdir()
    await remembered.save(2.0, NOW, at_once=True)
    assert len(json.loads((tmp_path / "none" / "web-logins.json").read_text())) == 1, "it is tried again"


async def test_two_who_write_at_the_same_time_leave_a_whole_file_of_now(tmp_path: Path) -> None:
    path = tmp_path / "web-logins.json"
    found, asked, answers = logins(), trio.Event(), trio.Event()

    class Slow(Store):
        async def read(self, call: Callable[[Database], T]) -> T:
            asked.set()
            await answers.wait()
            return await super().read(call)

    store = Slow()
    token = found.issue(store.accounts[0], 1.0)
    remembered = Remembered(found, store, path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(remembered.save, 1.0, NOW)
        await asked.wait()
        found.forget(token)
        nursery.start_soon(partial(remembered.save, 1.5, NOW, at_once=True))
        await trio.testing.wait_all_tasks_blocked()
        answers.set()
    assert path.read_text() == "[]"
    assert not path.with_name(f"{path.name}.tmp").exists()
