"""Account commands on the database of a server that is not running: the same table, the same checks, the same
audit."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, TypeVar

import trio

from server.commands.machinery import Commands
from server.commands.staff import TABLE
from server.people.accounts import AccountService
from server.people.limiter import LoginLimiter
from server.people.passwords import Argon2Passwords
from server.people.terms import Terms
from server.people.tickets import TicketService
from server.store import migrate
from server.store.database import Database
from server.store.lock import WorldLock, make_state_dir, require_folder
from server.store.records import AuditRow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from server.commands.machinery import Answer
    from server.settings.config import Settings

T = TypeVar("T")


def backups(settings: Settings) -> Path:
    """The folder of the database's backups."""
    return settings.server.state_dir / "backups"


def run(settings: Settings, command: str, args: Mapping[str, str]) -> Answer:
    """Carry out one command. Raises DatabaseHeld if a server runs after all, other DatabaseErrors, and
    STORAGE_ERRORS."""
    make_state_dir(settings.server.state_dir)
    require_folder(settings.database.url, settings.server.state_dir)
    world = settings.world.id
    lock = WorldLock(settings.database.url, world)
    try:
        migrate.upgrade(settings.database.url, backups(settings))
        database = Database(settings.database.url, synchronous=settings.storage.synchronous, world=world)
        try:
            return trio.run(_carry_out, settings, database, command, args)
        finally:
            database.close()
    finally:
        lock.release()


async def _carry_out(settings: Settings, database: Database, command: str, args: Mapping[str, str]) -> Answer:
    limiter = LoginLimiter(lambda: settings.limits)
    accounts = AccountService(
        _Direct(database),
        Argon2Passwords(),
        Terms(
            settings=lambda: settings.accounts,
            limits=lambda: settings.limits,
            limiter=limiter,
            behind_proxy=lambda _: True,
            clock=time.monotonic,
            wall=time.time,
        ),
        tickets=TicketService(
            limits=lambda: settings.limits,
            limiter=limiter,
            clock=time.monotonic,
            entropy=secrets.token_bytes,
        ),
    )
    tick = database.meta().tick
    noted: list[AuditRow] = []
    commands = Commands(
        TABLE,
        accounts=accounts,
        host=None,
        audit=lambda who, what, detail: noted.append(AuditRow(time.time(), tick, who, what, detail)),
        wall=time.time,
    )
    answer = await commands.run("causeway command", command, args)
    database.append_audit(noted)
    return answer


class _Direct:
    """A database without a server: nobody is kept waiting by it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, call: Callable[[Database], T]) -> T:
        """See server.people.account_store.Store."""
        return call(self._database)

    async def write(self, call: Callable[[Database], T]) -> T:
        """See server.people.account_store.Store."""
        return call(self._database)
