"""Cookies that the pages of several processes share: each has its own logins, and all have the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import attrs
import pytest

from protocol.denials import Denial, Denied
from server.web.cookies import Cookies
from server.web.logins import LIFETIME, MOST_PER_ACCOUNT, Logins
from server.web.remembered import LOOK_SECONDS, Remembered
from tests.server.web.test_remembered import NOW, Store

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from server.store.database import Database


T = TypeVar("T")


class Counting(Store):
    """The database, which counts questions and may be away."""

    asked = 0
    away = False
    before: Callable[[], Awaitable[None]] | None = None
    """What happens before the next answer."""

    async def read(self, call: Callable[[Database], T]) -> T:
        self.asked += 1
        return await self.write(call)

    async def write(self, call: Callable[[Database], T]) -> T:
        if (before := self.before) is not None:
            self.before = None
            await before()
        if self.away:
            raise OSError("away")
        return call(self.database)


@attrs.define
class Page:
    """That of one process; its monotonic clock is at 0 when it is `NOW`, plus what the test adds."""

    cookies: Cookies
    remembered: Remembered
    now: float = 0.0

    async def looks(self, later: float = LOOK_SECONDS) -> None:
        """So many seconds later it has a look."""
        self.now += later
        await self.remembered.look(self.now, NOW + self.now)


def page(store: Store, path: Path, first: int) -> Page:
    chance = iter(range(first, 10_000))
    logins = Logins(lambda size: next(chance).to_bytes(size, "big"))
    made: list[Page] = []
    cookies = Cookies(logins, store, lambda: NOW + made[0].now, shared=True)
    made.append(Page(cookies, Remembered(logins, store, path / f"{first}.json", shared=True)))
    return made[0]


@pytest.fixture
def store() -> Counting:
    return Counting()


@pytest.fixture
def pages(store: Counting, tmp_path: Path) -> tuple[Page, Page]:
    return page(store, tmp_path, 1), page(store, tmp_path, 5_000)


async def test_who_logs_in_at_one_page_is_logged_in_at_all_and_logs_out_at_any(
    store: Counting, pages: tuple[Page, Page]
) -> None:
    here, there = pages
    anna = store.accounts[0]
    token = await here.cookies.issue(anna, 0.0)
    assert await there.cookies.find(token, 0.0) == anna
    asked = store.asked
    assert await there.cookies.find(token, 0.0) == anna
    assert store.asked == asked, "it is known by now"
    await there.cookies.forget(token)
    assert await there.cookies.find(token, 0.0) is None
    await here.looks()
    assert await here.cookies.find(token, here.now) is None


@pytest.mark.parametrize("what", ["ban", "password", "removal"])
async def test_what_ends_an_account_s_logins_ends_them_at_all_pages(
    store: Counting, pages: tuple[Page, Page], what: str
) -> None:
    here, there = pages
    anna, bert = store.accounts[:2]
    token, other = await here.cookies.issue(anna, 0.0), await here.cookies.issue(bert, 0.0)
    for one in pages:
        await one.looks()
    match what:
        case "ban":
            store.database.ban(anna.id, NOW + 60, "rude")
            store.database.ban(anna.id, None, "")  # it was for a moment: it has ended them all the same
        case "password":
            assert store.database.replace_password(anna.id, "hash of anna", "another")
        case _:
            assert store.database.delete_account(anna.id)
    assert await there.cookies.find(token, there.now) is None
    await here.looks()
    assert await here.cookies.find(token, here.now) is None
    assert await there.cookies.find(other, there.now) == bert


@pytest.mark.parametrize("what", ["ban", "password", "removal"])
async def test_who_has_proven_a_password_that_is_none_any_more_gets_no_cookie(
    store: Counting, pages: tuple[Page, Page], what: str
) -> None:
    """Another process changed the account after it was proven here: that has ended all logins there were."""
    here, _ = pages
    anna = store.accounts[0]
    match what:
        case "ban":
            store.database.ban(anna.id, NOW + 60, "rude")
        case "password":
            assert store.database.replace_password(anna.id, "hash of anna", "another")
        case _:
            assert store.database.delete_account(anna.id)
    with pytest.raises(Denied) as denied:
        await here.cookies.issue(anna, 0.0)
    assert denied.value.why is Denial.BAD_CREDENTIALS
    assert len(here.cookies._logins) == 0


async def test_a_look_while_a_cookie_is_made_does_not_end_it(
    store: Counting, pages: tuple[Page, Page]
) -> None:
    """And whoever just registered stays fresh."""
    here, _ = pages
    store.before = here.looks
    token = await here.cookies.issue(store.accounts[0], 0.0, fresh=True)
    await here.looks()
    assert here.cookies._logins.is_fresh(token)


async def test_a_password_that_is_only_stored_anew_ends_nothing(
    store: Counting, pages: tuple[Page, Page]
) -> None:
    here, there = pages
    token = await here.cookies.issue(store.accounts[0], 0.0)
    store.database.replace_password(store.accounts[0].id, "hash of anna", "better hash", same=True)
    assert await there.cookies.find(token, 0.0) == store.accounts[0]


async def test_a_login_is_good_for_its_time_after_its_last_use_at_whichever_page(
    store: Counting, pages: tuple[Page, Page]
) -> None:
    here, there = pages
    token = await here.cookies.issue(store.accounts[0], 0.0)
    await there.looks(LIFETIME - 60)
    assert await there.cookies.find(token, there.now) == store.accounts[0]
    await there.looks()
    here.now = LIFETIME + 60
    assert await here.cookies.find(token, here.now) == store.accounts[0], "it was used there"
    here.now = there.now = 3 * LIFETIME
    for one in pages:
        assert await one.cookies.find(token, one.now) is None


async def test_one_account_has_so_many_browsers_at_all_pages(
    store: Counting, pages: tuple[Page, Page]
) -> None:
    here, there = pages
    tokens = []
    for number in range(MOST_PER_ACCOUNT + 2):
        here.now = there.now = float(number)
        tokens.append(await pages[number % 2].cookies.issue(store.accounts[0], float(number)))
    for one in pages:
        await one.looks()
    good = [await here.cookies.find(token, here.now) is not None for token in tokens]
    assert good == [False] * 2 + [True] * MOST_PER_ACCOUNT


async def test_a_database_that_is_away_logs_nobody_in_and_nobody_out(
    store: Counting, pages: tuple[Page, Page]
) -> None:
    here, there = pages
    token = await here.cookies.issue(store.accounts[0], 0.0)
    asked = store.asked
    for nonsense in (None, "", "x" * 64, token[:-1], token.upper() + "'"):
        assert await there.cookies.find(nonsense, 0.0) is None
    assert store.asked == asked, "nobody asks it about what no page has given"
    store.away = True
    assert await here.cookies.find(token, 0.0) == store.accounts[0]
    assert await there.cookies.find(token, 0.0) is None
    with pytest.raises(Denied) as denied:
        await there.cookies.issue(store.accounts[1], 0.0)
    assert denied.value.why is Denial.UNAVAILABLE
    assert len(there.cookies._logins) == 0
