"""Changes that staff makes to accounts, and their effect on the clients that are connected with them
meanwhile.

What is changed is written first and then applied to the clients. All of it raises Denied(UNAVAILABLE) if the
database fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.services import AccountInfo
from server.people.account_store import info_of
from server.people.credentials import fold, name_problem, password_problem
from server.people.presence import OTHER_PASSWORD, REMOVED, banned_words, set_level
from server.store.records import AccountRow, Refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from server.counters import Counts
    from server.people.account_store import AccountStore
    from server.people.passwords import Passwords
    from server.people.presence import Presence
    from server.people.terms import Terms
    from server.people.tickets import TicketService

FOREVER: Final = float("inf")
"""`banned_until` of a ban without end."""


class Administration:
    """Accounts in the hands of staff. `withdraw` takes the characters of an account out of the world and
    deletes them."""

    def __init__(
        self,
        store: AccountStore,
        passwords: Passwords,
        terms: Terms,
        *,
        presence: Presence,
        tickets: TicketService,
        counts: Counts,
        withdraw: Callable[[int], Awaitable[None]] | None,
    ) -> None:
        self._store = store
        self._passwords = passwords
        self._terms = terms
        self._presence = presence
        self._tickets = tickets
        self._counts = counts
        self._withdraw = withdraw

    async def all(self) -> list[AccountRow]:
        """Every account, by name."""
        return await self._store.read(lambda database: database.accounts())

    async def numbered(self, number: int) -> AccountRow | None:
        """The account of that number; None if there is none."""
        return await self._store.read(lambda database: database.account_by_id(number))

    async def create(self, name: str, password: str, access: int = 0) -> AccountRow:
        """A new account. Raises Denied."""
        name = fold(name)
        if problem := name_problem(name):
            raise Denied(Denial.BAD_NAME, problem)
        hashed = await self._hash_long(password)
        made = await self._store.write(
            lambda database: database.create_account(name, hashed, self._terms.wall(), access)
        )
        if isinstance(made, Refusal):
            raise Denied(Denial.EXISTS, f"there is an account {name}")
        self._counts.accounts_made["staff"] += 1
        return made

    async def set_password(self, row: AccountRow, password: str) -> AccountInfo:
        """Another password, and the account with it; clients that log in with the old one now are logged out.
        Raises Denied."""
        hashed = await self._hash_long(password)
        await self._store.write(lambda database: database.set_password(row.id, hashed))
        self._presence.log_out(row, Ending.KICKED, OTHER_PASSWORD)
        return info_of(row._replace(password=hashed))

    async def set_access(self, row: AccountRow, access: int) -> None:
        """Another level (`world.mobile.Access`), in force in the next turn for a client that plays now."""
        await self._store.write(lambda database: database.set_access(row.id, access))
        self._tickets.renew(AccountInfo(row.id, row.name, access))
        for session in self._presence.of(row.id):
            await set_level(session, access)

    async def ban(self, row: AccountRow, until: float | None, reason: str) -> None:
        """Ban until that time (seconds UTC, or FOREVER), which ends its clients; None lifts the ban."""
        await self._store.write(lambda database: database.ban(row.id, until, reason))
        if until is not None:
            self._presence.log_out(row, Ending.BANNED, banned_words(reason))

    async def remove(self, row: AccountRow) -> int:
        """Delete an account with its characters and all they have; how many those were. Nobody comes back
        with it meanwhile: it is banned first, and stays so if the rest fails."""
        await self.ban(row, FOREVER, REMOVED)
        before = await self._store.read(lambda database: len(database.characters(row.id)))
        if self._withdraw is not None:
            await self._withdraw(row.id)
        await self._store.write(lambda database: database.delete_account(row.id))
        return before

    async def _hash_long(self, password: str) -> str:
        if problem := password_problem(password, longer=True):
            raise Denied(Denial.BAD_PASSWORD, problem)
        return await self._passwords.hash(password)
