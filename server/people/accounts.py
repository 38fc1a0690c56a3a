"""Accounts: who may come in, who may join, and what staff does to them while they play.

One service for every door, so that no door is the weak one. A login costs one password check whether the name
exists or not, and answers the same; what it finds afterwards (a ban, a changed password) only somebody hears
who knew the password. What staff changes is written first and then applied to the clients that are connected.
A login that is under way meanwhile reads its account once more after it has become visible here, so that
nothing slips between the two. A lock for each account would do the same, and be held for the seconds that a
login may have to wait.

Here are logins; `server.people.joining` makes accounts of newcomers, `server.people.administration` has what
staff does, `server.people.presence` who is here.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import trio

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.services import AccountInfo
from server.counters import Counts
from server.people.account_store import AccountStore, info_of
from server.people.administration import Administration
from server.people.credentials import fold, name_problem, password_problem
from server.people.joining import Joining
from server.people.limiter import OWNERS_FADE
from server.people.neighbours import ALONE
from server.people.presence import OTHER_PASSWORD, REMOVED, Presence, banned_words
from server.people.unavailable import denied_if_it_fails
from server.store.records import AccountRow, Refusal, mark_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable

    from protocol.session import Session
    from server.people.account_store import Store
    from server.people.neighbours import Neighbours
    from server.people.passwords import Passwords
    from server.people.terms import Terms
    from server.people.tickets import TicketService
    from server.store.records import Seen, Standing

log = logging.getLogger("accounts")


class AccountService:
    """Implements `protocol.services.Accounts`; `staff` has what is for staff, the other methods are for the
    server itself.

    `logged_out` receives the account whose clients have to go, for those of them that are in other processes;
    `withdraw` takes the characters of an account out of the world and deletes them.
    """

    def __init__(
        self,
        store: Store,
        passwords: Passwords,
        terms: Terms,
        *,
        tickets: TicketService,
        logged_out: Callable[[AccountRow], None] = lambda _: None,
        counts: Counts | None = None,
        withdraw: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        self._store = AccountStore(store)
        self._passwords = passwords
        self._terms = terms
        self._counts = counts or Counts()
        self.neighbours: Neighbours = ALONE
        self._presence = Presence(tickets, logged_out)
        self._joining = Joining(self._store, passwords, terms, self._counts)
        self.staff = Administration(
            self._store,
            passwords,
            terms,
            presence=self._presence,
            tickets=tickets,
            counts=self._counts,
            withdraw=withdraw,
        )

    # For the games

    async def login(self, session: Session, name: str, password: str) -> AccountInfo:
        """The account of that name and password. Raises Denied; the work is the same for known and unknown
        names."""
        outcome = "unfinished"
        try:
            account = await self._login(session, name, password)
            outcome = "ok"
        except Denied as denied:
            outcome = denied.why.name.lower()
            raise
        finally:
            self._counts.logins[session.family.name, outcome] += 1
        return account

    async def _login(self, session: Session, name: str, password: str) -> AccountInfo:
        name = fold(name)
        row = await self._look_up(session, name)
        if row is None and self._joining.joins(session, name, password):
            row = await self._joining.create(session, name, password)
            if row is not None:
                return await self._admit(session, row, password)
            # Somebody was quicker with the same name: perhaps this very person, in another client.
            row = await self._store.read(lambda database: database.account(name))
        return await self._admit(session, await self._prove(session, name, row, password), password)

    async def register(self, session: Session, name: str, password: str) -> AccountInfo:
        """A new account, where the configuration lets this client make one. Raises Denied."""
        await self.may_register(session, name)
        if problem := password_problem(password):
            raise Denied(Denial.BAD_PASSWORD, problem)
        row = await self._joining.create(session, fold(name), password)
        if row is None:
            raise Denied(Denial.EXISTS)
        return info_of(row)

    async def may_register(self, session: Session, name: str) -> None:
        """Raises Denied if `register` would refuse this name."""
        self._terms.require_open(session)
        name = fold(name)
        if not self._joining.may_join(session):
            self._joining.hint(session, name)
            raise Denied(Denial.NOT_APPROVED)
        if problem := name_problem(name):
            raise Denied(Denial.BAD_NAME, problem)
        if await self._store.read(lambda database: database.account(name)) is not None:
            raise Denied(Denial.EXISTS)

    async def change_password(self, session: Session, name: str, old: str, new: str) -> AccountInfo:
        """The account, with its new password. Raises Denied."""
        name = fold(name)
        row = await self._prove(session, name, await self._look_up(session, name), old)
        self._refuse_banned(row)
        if problem := password_problem(new):
            raise Denied(Denial.BAD_PASSWORD, problem)
        hashed = await self._passwords.hash(new)
        with self._presence.turns(row.id):
            if not await self._store.write(
                lambda database: database.replace_password(row.id, row.password, hashed)
            ):
                # Staff, or the owner in another client, was quicker: this client does not know the password.
                raise Denied(Denial.BAD_CREDENTIALS)
            self._presence.remark([session], row.id, mark_of(hashed))
        log.info("%s: password of account %s changed", session.peer, name)
        self._presence.log_out(row, Ending.KICKED, OTHER_PASSWORD, but=session)
        return info_of(row._replace(password=hashed))

    def kept_out(self, session: Session) -> float:
        """Seconds for which nobody may log in from this client's address, for it failed too often."""
        return max(0.0, self._terms.limiter.wait(session.peer, self._terms.clock()))

    def player(self, account: AccountInfo) -> Session | None:
        """The session that plays the account now, at whatever door; None if there is none."""
        return self._presence.player(account)

    async def claim(self, session: Session, account: AccountInfo) -> None:
        """This session plays the account from now on; another one that did, in whichever world, ends as
        REPLACED. Newest wins. Raises Denied if the database fails."""
        self._presence.claim(session, account)
        if self.neighbours is not ALONE:
            with self._presence.begins(account.id), denied_if_it_fails(log):
                self._presence.numbered(account.id, await self.neighbours.begins(account.id))

    def comes(self, session: Session, account: AccountInfo, login: int) -> None:
        """This session plays the account from now on, by a login of that number and by the password whose
        mark the account has: it has come from another world."""
        self._presence.claim(session, account)
        self._presence.numbered(account.id, login)

    def login_of(self, account_id: int) -> int:
        """The number of the login by which the account is played here; 0 if there is one world."""
        return self._presence.number(account_id)

    def seen(self) -> Collection[Seen]:
        """All that is known here of the accounts of clients, to be compared with the database."""
        return self._presence.seen()

    def forget_tickets(self, account_id: int) -> None:
        """The account was changed: whoever is on the way to another door has to log in again."""
        self._presence.forget_tickets(account_id)

    def judge(self, found: Standing, asked: Collection[Seen]) -> None:
        """See `Presence.judge`."""
        self._presence.judge(found, asked)

    def is_older(self, account_id: int, login: int) -> bool:
        """Whether a login of that number is older than the one by which the account is played here."""
        return self._presence.is_older(account_id, login)

    def outplay(self, account_id: int, login: int) -> bool:
        """Another world has a login of the account with that number: whoever plays it here by an older one
        ends as REPLACED. Returns whether nobody plays it here then."""
        return self._presence.outplay(account_id, login)

    def objection(self, row: AccountRow | None, came: AccountInfo) -> str:
        """Why a client may not go on that came with such an account, which is that row by now; empty if it
        may."""
        if row is None:
            return banned_words(REMOVED)
        if self._is_banned(row):
            return banned_words(row.ban_reason)
        return "" if mark_of(row.password) == came.mark else OTHER_PASSWORD

    # For background services (protocol.background.SharedAccounts): a login server may be another process

    async def resume(self, session: Session, name: str) -> AccountInfo:
        """The account of that name, for a client whose password another process has checked. The account is
        made if this database has none: nobody can log in to it here before staff gives it a password. Raises
        Denied."""
        if reason := self._terms.closed():
            raise Denied(Denial.UNAVAILABLE, reason)
        name = fold(name)
        row = await self._store.read(lambda database: database.account(name))
        if row is None and not name_problem(name):
            made = await self._store.write(
                lambda database: database.create_account(name, "", self._terms.wall())
            )
            if not isinstance(made, Refusal):
                row = made
                log.info("%s: account %s came from the login server", session.peer, name)
        if row is None:
            raise Denied(Denial.BAD_CREDENTIALS)
        number = row.id
        self._presence.prove(session, number, mark_of(row.password))
        now = await self._store.read(lambda database: database.account_by_id(number))
        if now is None:
            raise Denied(Denial.BAD_CREDENTIALS)
        self._refuse_banned(now)
        return info_of(now)

    async def named(self, name: str) -> AccountInfo | None:
        """The account of that name. Raises Denied if the database fails."""
        row = await self.find(name)
        return None if row is None else AccountInfo(row.id, row.name, row.access)

    def played(self) -> Iterable[str]:
        """The accounts that clients have at any door but one where they only log in."""
        return self._presence.played()

    def replace(self, name: str) -> None:
        """Somebody logs in to this account at another process: whoever plays it has lost it."""
        self._presence.replace(name)

    # For the server

    def changed_elsewhere(self, account_id: int) -> None:
        """Another process has banned the account or given it another password: its clients here have to go,
        and nobody asks the database why."""
        self._presence.changed_elsewhere(account_id)

    def release(self, session: Session) -> None:
        """The client is gone. To be called for every session that ends; twice is once."""
        self._presence.release(session)

    def may_join(self, session: Session) -> bool:
        """Whether this client may make accounts."""
        return self._joining.may_join(session)

    async def find(self, name: str) -> AccountRow | None:
        """The account of that name. Raises Denied(UNAVAILABLE) if the database fails."""
        return await self._store.read(lambda database: database.account(fold(name)))

    # Logging in

    async def _look_up(self, session: Session, name: str) -> AccountRow | None:
        """The account, if this client may try a password at all."""
        self._terms.require_open(session)
        row = None if name_problem(name) else await self._store.read(lambda database: database.account(name))
        if (
            row is not None
            and row.last_login is not None
            and self._terms.wall() - row.last_login < OWNERS_FADE
        ):
            self._terms.limiter.succeeded(row.last_address, name, self._terms.clock())
        return row

    async def _prove(self, session: Session, name: str, row: AccountRow | None, password: str) -> AccountRow:
        """The account, once the password is proven. Exactly one check, whatever the outcome."""
        delay = self._terms.limiter.delay(session.peer, name, self._terms.clock())
        if delay is None:
            raise Denied(Denial.BUSY, "too many failed logins to this account")
        if delay:
            await trio.sleep(delay)
        matches = await self._passwords.verify(None if row is None else row.password, password)
        # Other tries from this address may have failed while this one waited; it must not tell what they
        # could not learn.
        self._terms.require_patience(session)
        if row is None or not matches:
            self._terms.limiter.failed(session.peer, name[:32], self._terms.clock())
            log.info("%s: login to account %s failed", session.peer, name[:32])
            if row is None and not self._joining.may_join(session):
                self._joining.hint(session, name)
            raise Denied(Denial.BAD_CREDENTIALS)
        return row

    async def _admit(self, session: Session, row: AccountRow, password: str) -> AccountInfo:
        """The password was right: is the account still what it was, and not banned?"""
        self._presence.prove(session, row.id, mark_of(row.password))
        now = await self._store.read(lambda database: database.account_by_id(row.id))
        if now is None or now.password != row.password:
            raise Denied(Denial.BAD_CREDENTIALS)
        self._refuse_banned(now)
        self._terms.limiter.succeeded(session.peer, now.name, self._terms.clock())
        session.services.start(partial(self._note_login, now, session.peer, password))
        return info_of(now)

    async def _note_login(self, row: AccountRow, address: str, password: str) -> None:
        """Remember the login, and renew a hash of old parameters. Nobody waits for this, no login fails with
        it."""
        try:
            await self._store.write(lambda database: database.note_login(row.id, self._terms.wall(), address))
            if self._passwords.outdated(row.password):
                hashed = await self._passwords.hash(password)
                with self._presence.turns(row.id):
                    if await self._store.write(
                        lambda database: database.replace_password(row.id, row.password, hashed, same=True)
                    ):
                        self._presence.renew_mark(row.id, mark_of(row.password), mark_of(hashed))
        except Denied as denied:
            log.warning("the login of account %s could not be noted: %s", row.name, denied)

    def _refuse_banned(self, row: AccountRow) -> None:
        if self._is_banned(row):
            log.info("account %s is banned: %s", row.name, row.ban_reason or "no reason given")
            raise Denied(Denial.BANNED, row.ban_reason)

    def _is_banned(self, row: AccountRow) -> bool:
        return row.banned_until is not None and row.banned_until > self._terms.wall()
