"""New accounts for clients that just log in with a new name: the permission, and the making."""

from __future__ import annotations

import ipaddress
import logging
from typing import TYPE_CHECKING, Final

from protocol.services import Denial, Denied
from server.people.credentials import name_problem, password_problem
from server.people.limiter import DailyLimiter, is_in
from server.store.records import AccountRow, Refusal

if TYPE_CHECKING:
    from protocol.session import Session
    from server.counters import Counts
    from server.people.account_store import AccountStore
    from server.people.passwords import Passwords
    from server.people.terms import Terms

log = logging.getLogger("accounts")

HINT_SECONDS: Final = 60.0
"""A stranger who cannot join is worth one line a minute."""


class Joining:
    """New accounts of players."""

    def __init__(self, store: AccountStore, passwords: Passwords, terms: Terms, counts: Counts) -> None:
        self._store = store
        self._passwords = passwords
        self._terms = terms
        self._counts = counts
        self._made = DailyLimiter()
        self._next_hint = 0.0

    def may_join(self, session: Session) -> bool:
        """Whether this client may make accounts."""
        allowed = self._terms.settings().auto_create
        if allowed == "loopback":
            here = _is_loopback(session.peer) and _is_loopback(session.local.rpartition(":")[0].strip("[]"))
            return here and not self._terms.behind_proxy(session)
        return allowed

    def joins(self, session: Session, name: str, password: str) -> bool:
        """Whether a login with an unknown name makes it an account."""
        if name_problem(name) or not self.may_join(session):
            return False
        if problem := password_problem(password):
            log.info("%s: no account %s was made: %s", session.peer, name, problem)
            return False
        return True

    async def create(self, session: Session, name: str, password: str) -> AccountRow | None:
        """Make an account; None if the name is taken by now. Raises Denied if the address has made too many
        today, or the database fails."""
        # Behind a proxy an exempt address is the proxy's, not the client's.
        if self._terms.behind_proxy(session) or not is_in(session.peer, self._terms.limits().exempt):
            most, now = self._terms.limits().accounts_per_address_per_day, self._terms.clock()
            if not self._made.allows(session.peer, most, now):
                log.info("%s: has made %d accounts today, %s is not made", session.peer, most, name)
                raise Denied(Denial.NOT_APPROVED, "too many new accounts from this address")
            self._made.count(session.peer, now)
        hashed = await self._passwords.hash(password)
        made = await self._store.write(
            lambda database: database.create_account(name, hashed, self._terms.wall())
        )
        if isinstance(made, Refusal):
            return None
        self._counts.accounts_made["player"] += 1
        log.info("%s: account %s created", session.peer, name)
        return made

    def hint(self, session: Session, name: str) -> None:
        """Tell the operator how a stranger could come in, once a minute at most."""
        now = self._terms.clock()
        if now >= self._next_hint:
            self._next_hint = now + HINT_SECONDS
            log.info(
                "%s asked for the account %s, which does not exist. `causeway account create` makes one; "
                "accounts.auto_create = true would let everybody join (it is %s)",
                session.peer,
                name[:32],
                str(self._terms.settings().auto_create).lower(),
            )


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
