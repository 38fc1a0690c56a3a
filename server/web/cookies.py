"""The cookies of browsers that have logged in, good at this page and at those of other processes.

Where one process has the page, `server.web.logins` is all there is. Where several have, a login is a row as
well (`server.store.page_logins`), and this process's logins are what it knows of these rows: whoever comes
with a cookie that is not known here is looked for there, and what is gone there goes here within seconds
(`server.web.remembered`). A signed cookie was not taken: nobody could log out of it.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Final

from protocol.denials import Denial, Denied
from server.people.account_store import info_of
from server.people.unavailable import denied_if_it_fails
from server.web.logins import LIFETIME, MOST_PER_ACCOUNT, TOKEN_SIZE, key_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.services import AccountInfo
    from server.people.account_store import Store
    from server.web.logins import Logins

log = logging.getLogger("net.web")

_TOKEN: Final = re.compile(f"[0-9a-f]{{{2 * TOKEN_SIZE}}}")


class Cookies:
    """Those of one page. `now` is seconds of a monotonic clock, `wall` gives seconds UTC."""

    def __init__(self, logins: Logins, storage: Store, wall: Callable[[], float], *, shared: bool) -> None:
        """`shared`: whether other processes may have a page."""
        self._logins = logins
        self._storage = storage
        self._wall = wall
        self._shared = shared

    async def find(self, token: str | None, now: float) -> AccountInfo | None:
        """The account that its browser has logged in to; None if the cookie is worth nothing. What is known
        here of the account may be some seconds old."""
        found = self._logins.find(token, now)
        return found if found is not None or not self._shared else await self.prove(token, now)

    async def prove(self, token: str | None, now: float) -> AccountInfo | None:
        """As `find`, but sure: whoever changed the account a moment ago, in whichever process, is heeded."""
        if not self._shared:
            return self._logins.find(token, now)
        if token is None or not _TOKEN.fullmatch(token):
            return None
        key = key_of(token)
        try:
            row = await self._storage.read(lambda database: database.page_login(key.hex(), self._wall()))
        except Exception as error:
            log.warning("it is not known whether a browser has logged in elsewhere: %s", error)
            return None
        if row is None:
            self._logins.drop(key)
            return None
        if self._logins.find(token, now) is None:
            self._logins.restore(key, info_of(row), now)
        return info_of(row)

    async def issue(self, account: AccountInfo, now: float, *, fresh: bool = False) -> str:
        """A new cookie for who has proven that account's password; see `Logins.issue`. Raises Denied if it
        cannot be written down, or the account has another password by now, or is banned."""
        if not self._shared:
            return self._logins.issue(account, now, fresh=fresh)
        token = self._logins.draw()
        key, wall = key_of(token).hex(), self._wall()
        with denied_if_it_fails(log):
            put = await self._storage.write(
                lambda database: database.put_page_login(
                    key, account.id, account.mark, wall + LIFETIME, wall, MOST_PER_ACCOUNT
                )
            )
        if not put:
            raise Denied(Denial.BAD_CREDENTIALS)
        # Not before: a look for those that are gone would take it for one.
        return self._logins.issue(account, now, fresh=fresh, token=token)

    async def forget(self, token: str | None) -> None:
        """Its owner logs out."""
        self._logins.forget(token)
        if not self._shared or token is None or not _TOKEN.fullmatch(token):
            return
        key = key_of(token).hex()
        try:
            await self._storage.write(lambda database: database.end_page_login(key))
        except Exception as error:
            log.warning("a browser has logged out, and pages of other processes do not know: %s", error)
