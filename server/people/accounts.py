"""Accounts: who may come in, who may join, and what staff does to them while they play.

One service for every door, so that no door is the weak one. A login costs one password check whether the name
exists or not, and answers the same; what it finds afterwards (a ban, a changed password) only somebody hears
who knew the password. What staff changes is written first and then applied to the clients that are connected.
A login that is under way meanwhile reads its account once more after it has become visible here, so that
nothing slips between the two.
"""

from __future__ import annotations

import ipaddress
import logging
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs
import trio

from protocol.endings import Ending
from protocol.services import AccountInfo, Denial, Denied
from server.people.credentials import fold, name_problem, password_problem
from server.people.limiter import OWNERS_FADE, DailyLimiter, LoginLimiter, is_in
from server.people.unavailable import denied_if_it_fails
from server.store.records import AccountRow, Refusal
from server.turn.counters import Counts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from protocol.session import Session
    from server.people.passwords import Passwords
    from server.people.tickets import TicketService
    from server.settings import config
    from server.store.database import Database
    from world.world import World

T = TypeVar("T")
log = logging.getLogger("accounts")

HINT_SECONDS: Final = 60.0
"""A stranger who cannot join is worth one line a minute."""

LOGIN_DOOR: Final = "login"
"""Whoever is at a door of this name plays nothing yet."""

FOREVER: Final = float("inf")
"""`banned_until` of a ban without end."""


class Store(Protocol):
    """The part of `server.store.writer.Storage` that accounts need."""

    async def read(self, call: Callable[[Database], T]) -> T:
        """Ask the database something."""

    async def write(self, call: Callable[[Database], T]) -> T:
        """Have the database do something; it is durable when this returns."""


class AccountService:
    """Implements `protocol.services.Accounts`; the other methods are for staff and for the server itself.

    `behind_proxy` says whether the listener a session came through has strangers behind loopback addresses;
    `closed` why nobody may log in now, empty if they may; `logged_out` is told the account whose clients have
    to go, for those of them that are in other processes; `withdraw` takes the characters of an account out of
    the world and deletes them. `clock` is monotonic, `wall` seconds UTC.
    `settings` and `limits` are asked every time, since a reload may change them.
    """

    def __init__(
        self,
        store: Store,
        passwords: Passwords,
        *,
        settings: Callable[[], config.Accounts],
        limits: Callable[[], config.Limits],
        limiter: LoginLimiter,
        tickets: TicketService,
        behind_proxy: Callable[[Session], bool],
        clock: Callable[[], float],
        wall: Callable[[], float],
        closed: Callable[[], str] = str,
        logged_out: Callable[[str], None] = lambda _: None,
        counts: Counts | None = None,
        withdraw: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        self._counts = counts or Counts()
        self._settings = settings
        self._limits = limits
        self._store = store
        self._passwords = passwords
        self._limiter = limiter
        self._tickets = tickets
        self._behind_proxy = behind_proxy
        self._clock = clock
        self._wall = wall
        self._closed = closed
        self._logged_out = logged_out
        self._withdraw = withdraw
        self._made = DailyLimiter()
        self._proven: dict[Session, int] = {}
        """Account id by session, for all that have proven who they are."""
        self._playing: dict[int, Session] = {}
        """The one session that plays each account."""
        self._next_hint = 0.0

    # For the games

    async def login(self, session: Session, name: str, password: str) -> AccountInfo:
        """Who that is. Raises Denied; the work is the same for known and unknown names."""
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
        if row is None and self._joins(session, name, password):
            row = await self._create(session, name, password)
            if row is not None:
                return await self._admit(session, row, password)
            # Somebody was quicker with the same name: perhaps this very person, in another client.
            row = await self._read(lambda database: database.account(name))
        return await self._admit(session, await self._prove(session, name, row, password), password)

    async def register(self, session: Session, name: str, password: str) -> AccountInfo:
        """A new account, where the configuration lets this client make one. Raises Denied."""
        await self.may_register(session, name)
        if problem := password_problem(password):
            raise Denied(Denial.BAD_PASSWORD, problem)
        row = await self._create(session, fold(name), password)
        if row is None:
            raise Denied(Denial.EXISTS)
        return AccountInfo(row.id, row.name, row.access)

    async def may_register(self, session: Session, name: str) -> None:
        """Raises Denied if `register` would refuse this name."""
        self._require_open(session)
        name = fold(name)
        if not self.may_join(session):
            self._hint(session, name)
            raise Denied(Denial.NOT_APPROVED)
        if problem := name_problem(name):
            raise Denied(Denial.BAD_NAME, problem)
        if await self._read(lambda database: database.account(name)) is not None:
            raise Denied(Denial.EXISTS)

    async def change_password(self, session: Session, name: str, old: str, new: str) -> None:
        """Raises Denied."""
        name = fold(name)
        row = await self._prove(session, name, await self._look_up(session, name), old)
        self._refuse_banned(row)
        if problem := password_problem(new):
            raise Denied(Denial.BAD_PASSWORD, problem)
        hashed = await self._passwords.hash(new)
        if not await self._write(lambda database: database.replace_password(row.id, row.password, hashed)):
            # Staff, or the owner in another client, was quicker: this client does not know the password.
            raise Denied(Denial.BAD_CREDENTIALS)
        log.info("%s: password of account %s changed", session.peer, name)
        self._log_out(row, Ending.KICKED, "The password of this account was changed.", but=session)

    def kept_out(self, session: Session) -> float:
        """Seconds for which nobody may log in from this client's address, for it failed too often."""
        return max(0.0, self._limiter.wait(session.peer, self._clock()))

    def player(self, account: AccountInfo) -> Session | None:
        """The session that plays the account now, at whatever door; None if there is none."""
        return self._playing.get(account.id)

    def claim(self, session: Session, account: AccountInfo) -> None:
        """This session plays the account from now on; another one that did ends as REPLACED. Newest wins."""
        session.account, session.claimed = account, True
        self._proven[session] = account.id
        previous = self._playing.get(account.id)
        self._playing[account.id] = session
        if previous is not None and previous is not session:
            _farewell(previous, Ending.REPLACED, "Somebody else logged in to this account.")

    # For background services (protocol.background.SharedAccounts): a login server may be another process

    async def resume(self, session: Session, name: str) -> AccountInfo:
        """The account of that name, for a client whose password another process has checked. The account is
        made if this database has none: nobody can log in to it here before staff gives it a password. Raises
        Denied."""
        if reason := self._closed():
            raise Denied(Denial.UNAVAILABLE, reason)
        name = fold(name)
        row = await self._read(lambda database: database.account(name))
        if row is None and not name_problem(name):
            made = await self._write(lambda database: database.create_account(name, "", self._wall()))
            if not isinstance(made, Refusal):
                row = made
                log.info("%s: account %s came from the login server", session.peer, name)
        if row is None:
            raise Denied(Denial.BAD_CREDENTIALS)
        number = row.id
        self._proven[session] = number
        now = await self._read(lambda database: database.account_by_id(number))
        if now is None:
            raise Denied(Denial.BAD_CREDENTIALS)
        self._refuse_banned(now)
        return AccountInfo(now.id, now.name, now.access)

    async def named(self, name: str) -> AccountInfo | None:
        """The account of that name. Raises Denied if the database fails."""
        row = await self.find(name)
        return None if row is None else AccountInfo(row.id, row.name, row.access)

    def played(self) -> Iterable[str]:
        """The accounts that clients have at any door but one where they only log in."""
        return [
            session.account.name
            for session in self._playing.values()
            if session.account is not None and session.door != LOGIN_DOOR
        ]

    def replace(self, name: str) -> None:
        """Somebody logs in to this account at another process: whoever plays it has lost it."""
        for number, session in list(self._playing.items()):
            if session.account is not None and session.account.name == name and session.door != LOGIN_DOOR:
                del self._playing[number]
                _farewell(session, Ending.REPLACED, "Somebody else logged in to this account.")

    # For the server

    def release(self, session: Session) -> None:
        """The client is gone. To be called for every session that ends; twice is once."""
        account_id = self._proven.pop(session, None)
        if account_id is not None and self._playing.get(account_id) is session:
            del self._playing[account_id]

    # For staff

    async def find(self, name: str) -> AccountRow | None:
        """The account of that name. Raises Denied(UNAVAILABLE), as all of these do if the database fails."""
        return await self._read(lambda database: database.account(fold(name)))

    async def all(self) -> list[AccountRow]:
        """Every account, by name."""
        return await self._read(lambda database: database.accounts())

    async def create(self, name: str, password: str, access: int = 0) -> AccountRow:
        """A new account. Raises Denied."""
        name = fold(name)
        if problem := name_problem(name):
            raise Denied(Denial.BAD_NAME, problem)
        hashed = await self._hash_long(password)
        made = await self._write(lambda database: database.create_account(name, hashed, self._wall(), access))
        if isinstance(made, Refusal):
            raise Denied(Denial.EXISTS, f"there is an account {name}")
        self._counts.accounts_made["staff"] += 1
        return made

    async def set_password(self, row: AccountRow, password: str) -> None:
        """Another password; clients that log in with the old one now are logged out. Raises Denied."""
        hashed = await self._hash_long(password)
        await self._write(lambda database: database.set_password(row.id, hashed))
        self._log_out(row, Ending.KICKED, "The password of this account was changed.")

    async def set_access(self, row: AccountRow, access: int) -> None:
        """Another level (`world.mobile.Access`), in force in the next turn for a client that plays now."""
        await self._write(lambda database: database.set_access(row.id, access))
        self._tickets.renew(AccountInfo(row.id, row.name, access))
        for session in self._of(row.id):
            if session.account is not None:
                session.account = attrs.evolve(session.account, access=access)
            # Not as an input of the session: one that has departed gets no turn any more.
            await session.services.in_world(None, partial(_set_access, session, access))

    async def ban(self, row: AccountRow, until: float | None, reason: str) -> None:
        """Ban until that time (seconds UTC, or FOREVER), which ends its clients; None lifts the ban."""
        await self._write(lambda database: database.ban(row.id, until, reason))
        if until is not None:
            self._log_out(row, Ending.BANNED, f"You are banned. {reason}".strip())

    async def remove(self, row: AccountRow) -> int:
        """Delete an account with its characters and all they have; how many those were. Nobody comes back
        with it meanwhile: it is banned first, and stays so if the rest fails."""
        await self.ban(row, FOREVER, "This account was removed.")
        before = await self._read(lambda database: len(database.characters(row.id)))
        if self._withdraw is not None:
            await self._withdraw(row.id)
        await self._write(lambda database: database.delete_account(row.id))
        return before

    # Logging in

    async def _look_up(self, session: Session, name: str) -> AccountRow | None:
        """The account, if this client may try a password at all."""
        self._require_open(session)
        row = None if name_problem(name) else await self._read(lambda database: database.account(name))
        if row is not None and row.last_login is not None and self._wall() - row.last_login < OWNERS_FADE:
            self._limiter.succeeded(row.last_address, name, self._clock())
        return row

    async def _prove(self, session: Session, name: str, row: AccountRow | None, password: str) -> AccountRow:
        """The account, once the password is proven. Exactly one check, whatever the outcome."""
        delay = self._limiter.delay(session.peer, name, self._clock())
        if delay is None:
            raise Denied(Denial.BUSY, "too many failed logins to this account")
        if delay:
            await trio.sleep(delay)
        matches = await self._passwords.verify(None if row is None else row.password, password)
        # Other tries from this address may have failed while this one waited; it must not tell what they
        # could not learn.
        self._require_patience(session)
        if row is None or not matches:
            self._limiter.failed(session.peer, name[:32], self._clock())
            log.info("%s: login to account %s failed", session.peer, name[:32])
            if row is None and not self.may_join(session):
                self._hint(session, name)
            raise Denied(Denial.BAD_CREDENTIALS)
        return row

    async def _admit(self, session: Session, row: AccountRow, password: str) -> AccountInfo:
        """The password was right: is the account still what it was, and not banned?"""
        self._proven[session] = row.id
        now = await self._read(lambda database: database.account_by_id(row.id))
        if now is None or now.password != row.password:
            raise Denied(Denial.BAD_CREDENTIALS)
        self._refuse_banned(now)
        self._limiter.succeeded(session.peer, now.name, self._clock())
        session.services.start(partial(self._note_login, now, session.peer, password))
        return AccountInfo(now.id, now.name, now.access)

    async def _note_login(self, row: AccountRow, address: str, password: str) -> None:
        """Remember the login, and renew a hash of old parameters. Nobody waits for this, no login fails with
        it."""
        try:
            await self._write(lambda database: database.note_login(row.id, self._wall(), address))
            if self._passwords.outdated(row.password):
                hashed = await self._passwords.hash(password)
                await self._write(lambda database: database.replace_password(row.id, row.password, hashed))
        except Denied as denied:
            log.warning("the login of account %s could not be noted: %s", row.name, denied)

    def _refuse_banned(self, row: AccountRow) -> None:
        if row.banned_until is not None and row.banned_until > self._wall():
            log.info("account %s is banned: %s", row.name, row.ban_reason or "no reason given")
            raise Denied(Denial.BANNED, row.ban_reason)

    def _require_open(self, session: Session) -> None:
        if reason := self._closed():
            raise Denied(Denial.UNAVAILABLE, reason)
        self._require_patience(session)

    def _require_patience(self, session: Session) -> None:
        wait = self._limiter.wait(session.peer, self._clock())
        if wait > 0:
            raise Denied(Denial.BUSY, f"too many failed logins from this address, wait {wait:.0f} s")

    # Joining

    def may_join(self, session: Session) -> bool:
        """Whether this client may make accounts."""
        allowed = self._settings().auto_create
        if allowed == "loopback":
            here = _is_loopback(session.peer) and _is_loopback(session.local.rpartition(":")[0].strip("[]"))
            return here and not self._behind_proxy(session)
        return allowed

    def _joins(self, session: Session, name: str, password: str) -> bool:
        """Whether a login with an unknown name makes it an account."""
        if name_problem(name) or not self.may_join(session):
            return False
        if problem := password_problem(password):
            log.info("%s: no account %s was made: %s", session.peer, name, problem)
            return False
        return True

    async def _create(self, session: Session, name: str, password: str) -> AccountRow | None:
        """The new account; None if the name is taken by now."""
        # Behind a proxy an exempt address is the proxy's, not the client's.
        if self._behind_proxy(session) or not is_in(session.peer, self._limits().exempt):
            most, now = self._limits().accounts_per_address_per_day, self._clock()
            if not self._made.allows(session.peer, most, now):
                log.info("%s: has made %d accounts today, %s is not made", session.peer, most, name)
                raise Denied(Denial.NOT_APPROVED, "too many new accounts from this address")
            self._made.count(session.peer, now)
        hashed = await self._passwords.hash(password)
        made = await self._write(lambda database: database.create_account(name, hashed, self._wall()))
        if isinstance(made, Refusal):
            return None
        self._counts.accounts_made["player"] += 1
        log.info("%s: account %s created", session.peer, name)
        return made

    def _hint(self, session: Session, name: str) -> None:
        now = self._clock()
        if now >= self._next_hint:
            self._next_hint = now + HINT_SECONDS
            log.info(
                "%s asked for the account %s, which does not exist. `causeway account create` makes one; "
                "accounts.auto_create = true would let everybody join (it is %s)",
                session.peer,
                name[:32],
                str(self._settings().auto_create).lower(),
            )

    async def _hash_long(self, password: str) -> str:
        if problem := password_problem(password, longer=True):
            raise Denied(Denial.BAD_PASSWORD, problem)
        return await self._passwords.hash(password)

    # Clients that are connected

    def _of(self, account_id: int) -> Iterable[Session]:
        return [session for session, number in self._proven.items() if number == account_id]

    def _log_out(self, row: AccountRow, ending: Ending, why: str, *, but: Session | None = None) -> None:
        self._tickets.revoke(row.id)
        self._logged_out(row.name)
        for session in self._of(row.id):
            if session is not but:
                _farewell(session, ending, why)

    # The store

    async def _read(self, call: Callable[[Database], T]) -> T:
        with denied_if_it_fails(log):
            return await self._store.read(call)

    async def _write(self, call: Callable[[Database], T]) -> T:
        with denied_if_it_fails(log):
            return await self._store.write(call)


def _farewell(session: Session, ending: Ending, why: str) -> None:
    session.family.goodbye(session, why)
    session.end(ending, why)


def _set_access(session: Session, access: int, _world: World) -> None:
    if session.mobile is not None:
        session.mobile.access = access


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
