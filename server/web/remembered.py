"""The web page's logins over a restart: a file in the state directory, for the server's own eyes.

It holds hashes of the browsers' tokens, and of each account a mark of its password as it is stored. What
happened to an account while no server ran (another password, a ban, its end) thus shows, and its browsers
have to log in. So it does where other processes change accounts, too: each login is compared with what it was
when it was first seen, which is within a second, and from then on every `LOOK_SECONDS`.
"""

from __future__ import annotations

import json
import logging
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import attrs
import cattrs
import trio

from server.files import write_private
from server.people.account_store import info_of
from server.web.logins import LIFETIME, MOST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from server.people.account_store import Store
    from server.store.records import AccountRow
    from server.web.logins import Logins

log = logging.getLogger("net.web")

SAVE_SECONDS: Final = 10.0
"""How much of what changed a crash may cost."""
LOOK_SECONDS: Final = 5.0
"""From one look at all accounts that are logged in to the next, where others may change them."""


@attrs.frozen
class _Line:
    """One login. `used` is in seconds UTC."""

    token: str
    account: int
    mark: str
    used: float


class Remembered:
    """Keeps a page's logins in a file. `clock` and `wall` of the calls are seconds, monotonic and UTC."""

    def __init__(self, logins: Logins, storage: Store, path: Path, *, shared: bool = False) -> None:
        """`shared`: whether other processes may change accounts."""
        self._logins = logins
        self._storage = storage
        self._path = path
        self._shared = shared
        self._marks: dict[bytes, str] = {}
        """By login: the mark of its account when it was first seen."""
        self._look_at = 0.0
        self._told: dict[bytes, float] = {}
        """By login: the time of its use that other processes know of."""
        self._saved = 0
        self._due = 0.0
        self._writing = trio.Lock()

    async def load(self, clock: float, wall: float) -> None:
        """Read back the logins of before the restart. A file that cannot be read counts as none."""
        try:
            text = await trio.to_thread.run_sync(self._path.read_text, "utf-8")
            lines = cattrs.structure(json.loads(text), list[_Line])[-MOST:]
            tokens = [bytes.fromhex(line.token) for line in lines]
            rows = await self._rows({line.account for line in lines})
        except FileNotFoundError:
            return
        except Exception as error:  # damaged, or another version's: people log in again
            log.warning("the logins of the web page are forgotten, %s cannot be read: %s", self._path, error)
            return
        for line, token in zip(lines, tokens, strict=True):
            row = rows.get(line.account)
            banned = row is not None and row.banned_until is not None and row.banned_until > wall
            if row is not None and line.mark == _mark(row) and not banned:
                self._logins.restore(token, info_of(row), clock - max(0.0, wall - line.used))
        self._saved = self._logins.changes

    async def save(self, clock: float, wall: float, *, at_once: bool = False) -> None:
        """Write down what changed, if it did and the last time was long enough ago."""
        async with self._writing:
            if self._logins.changes != self._saved and (at_once or clock >= self._due):
                self._due = clock + SAVE_SECONDS
                await self._write(clock, wall)

    async def look(self, clock: float, wall: float) -> None:
        """End the logins of accounts that other processes have changed, and those that ended at their pages;
        and tell these of logins that were used."""
        entries = {token: account for token, account, _ in self._logins.entries()}
        everybody = clock >= self._look_at
        asked = entries if everybody else entries.keys() - self._marks.keys()
        if everybody:
            self._look_at = clock + LOOK_SECONDS
            await self._tell(clock, wall)
            self._marks = {token: mark for token, mark in self._marks.items() if token in entries}
        if not asked:
            return
        rows = await self._rows({entries[token].id for token in asked})
        hexed = [token.hex() for token in asked]
        there = await self._storage.read(lambda database: database.page_logins(hexed, wall))
        for token in asked:
            if token.hex() not in there:
                self._logins.drop(token)
                continue
            row = rows.get(entries[token].id)
            banned = row is not None and row.banned_until is not None and row.banned_until > wall
            if row is None or banned or self._marks.setdefault(token, _mark(row)) != _mark(row):
                self._logins.revoke(entries[token].id)

    async def _tell(self, clock: float, wall: float) -> None:
        used = {token: used for token, _, used in self._logins.entries()}
        new = {token: at for token, at in used.items() if self._told.get(token) != at}
        until = {token.hex(): wall + LIFETIME - (clock - at) for token, at in new.items()}
        if until:
            await self._storage.write(lambda database: database.keep_page_logins(until))
        self._told = used

    async def _write(self, clock: float, wall: float) -> None:
        changes = self._logins.changes
        rows = await self._rows({account.id for _, account, _ in self._logins.entries()})
        # Those who had to log in again while the database was asked have no part in a new password.
        lines = [
            _Line(token.hex(), account.id, _mark(rows[account.id]), wall - (clock - used))
            for token, account, used in self._logins.entries()
            if account.id in rows
        ]
        try:
            await trio.to_thread.run_sync(write_private, self._path, json.dumps(cattrs.unstructure(lines)))
        except OSError as error:
            log.warning("the logins of the web page cannot be kept over a restart: %s", error)
            return
        self._saved = changes

    async def keep(self, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        """Write down what changes, for ever."""
        while True:
            await trio.sleep(SAVE_SECONDS / 10)
            try:
                if self._shared:
                    await self.look(clock(), wall())
                await self.save(clock(), wall())
            except Exception:  # the database failed, which others tell of; the page goes on
                log.warning("the logins of the web page could not be written down", exc_info=True)

    async def _rows(self, accounts: set[int]) -> Mapping[int, AccountRow]:
        return await self._storage.read(lambda database: database.accounts_of(accounts))


def _mark(row: AccountRow) -> str:
    """What tells a stored password from another, and nothing about it."""
    return blake2b(row.password.encode(), digest_size=16, person=b"causeway.web").hexdigest()
