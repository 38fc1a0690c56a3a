"""Clients that have proven who they are, and the one that plays each account: the newest wins.

A login is in here before its account is read for the last time, so that whoever is banned, or whose password
is changed, in between is found here or finds it out.

Where other processes change accounts, too, what is known here of each is compared with the database now and
then (`seen`, `judge`). What another process did shows in what is stored, and needs no message that might be
lost: a ban, that the account is gone, a newer login, another level, and by a mark of it another password.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

import attrs

from protocol.endings import Ending
from server.store.records import NOT_PLAYED, Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from protocol.services import AccountInfo
    from protocol.session import Session
    from server.people.tickets import TicketService
    from server.store.records import AccountRow, Standing
    from world.world import World

LOGIN_DOOR: Final = "login"
"""Whoever is at a door of this name plays nothing yet."""

REPLACED: Final = "Somebody else logged in to this account."
"""What it reads who has lost the account to a newer login."""
REMOVED: Final = "This account was removed."
OTHER_PASSWORD: Final = "The password of this account was changed."
CHANGED: Final = "This account was changed: log in again."
"""If it is not known how."""


class Presence:
    """The clients of accounts, in this process. `logged_out` receives the account whose clients have to go,
    for those of them that are in other processes."""

    def __init__(self, tickets: TicketService, logged_out: Callable[[AccountRow], None]) -> None:
        self._tickets = tickets
        self._logged_out = logged_out
        self._proven: dict[Session, int] = {}
        """Account id by session, for all that have proven who they are."""
        self._marks: dict[Session, str] = {}
        """Of these, as far as it is known: the mark of the password that is theirs (`mark_of`)."""
        self._playing: dict[int, Session] = {}
        """The one session that plays each account."""
        self._numbers: dict[int, int] = {}
        """Of the logins of these, where a database has several worlds."""
        self._beginning: Counter[int] = Counter()
        """Accounts whose newest login has no number yet."""
        self._turning: Counter[int] = Counter()
        """Accounts whose password is just being stored anew: which one holds is not known."""

    def prove(self, session: Session, account_id: int, mark: str = "") -> None:
        """This session has proven that it is that account's, by a password with that mark if it is known."""
        self._proven[session] = account_id
        if mark:
            self._marks[session] = mark

    @contextmanager
    def turns(self, account_id: int) -> Iterator[None]:
        """While the password of an account is stored anew from here: nobody is ended for another mark."""
        self._turning[account_id] += 1
        try:
            yield
        finally:
            self._turning[account_id] -= 1
            if not self._turning[account_id]:
                del self._turning[account_id]

    def remark(self, sessions: Iterable[Session], account_id: int, mark: str) -> None:
        """Those of some sessions that are that account's have the password with that mark."""
        for session in sessions:
            if self._proven.get(session) == account_id:
                self._mark(session, mark)

    def renew_mark(self, account_id: int, old: str, new: str) -> None:
        """The same password of an account is stored in another form: whoever has proven it still has."""
        had = [session for session in self.of(account_id) if self._marks.get(session) == old]
        self.remark(had, account_id, new)
        self._tickets.renew_mark(account_id, old, new)

    def _mark(self, session: Session, mark: str) -> None:
        self._marks[session] = mark
        if session.account is not None and session.account.mark != mark:
            session.account = attrs.evolve(session.account, mark=mark)

    def player(self, account: AccountInfo) -> Session | None:
        """The session that plays the account now, at whatever door; None if there is none."""
        return self._playing.get(account.id)

    def claim(self, session: Session, account: AccountInfo) -> None:
        """This session plays the account from now on; another one that did ends as REPLACED. Newest wins."""
        session.account, session.claimed = account, True
        # One that has proven its password here may know of a newer form of it than it was told of.
        mark = self._marks.get(session, "") if self._proven.get(session) == account.id else ""
        self.prove(session, account.id)
        self._mark(session, mark or account.mark)
        previous = self._playing.get(account.id)
        self._playing[account.id] = session
        if previous is not None and previous is not session:
            _farewell(previous, Ending.REPLACED, REPLACED)

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
                self._forget(number)
                _farewell(session, Ending.REPLACED, REPLACED)

    # Logins of other worlds

    @contextmanager
    def begins(self, account_id: int) -> Iterator[None]:
        """While the number of its newest login here is being made: no other one counts as newer."""
        self._beginning[account_id] += 1
        try:
            yield
        finally:
            self._beginning[account_id] -= 1
            if not self._beginning[account_id]:
                del self._beginning[account_id]

    def numbered(self, account_id: int, number: int) -> None:
        """Note that whoever plays the account here does so by a login of that number, or a higher one."""
        if account_id in self._playing:
            self._numbers[account_id] = max(number, self._numbers.get(account_id, 0))

    def number(self, account_id: int) -> int:
        """The number of the login by which the account is played here; 0 if it has none."""
        return self._numbers.get(account_id, 0)

    def numbers(self) -> dict[int, int]:
        """Those of all accounts that are played here, but for logins that have just begun."""
        return {number: self.number(number) for number in self._playing if number not in self._beginning}

    def is_older(self, account_id: int, number: int) -> bool:
        """Whether a login of that number is older than the one by which the account is played here."""
        return account_id in self._beginning or number < self.number(account_id)

    def outplay(self, account_id: int, number: int) -> bool:
        """Another world has a login of the account with that number: whoever plays it here by an older one
        has lost it. Returns whether nobody plays it here then."""
        session = self._playing.get(account_id)
        if session is None:
            return True
        if account_id in self._beginning or number <= self.number(account_id):
            return False
        self._forget(account_id)
        if session.hang_up_means is Ending.RELAYED:
            session.end(Ending.RELAYED, "went on")  # it is its own client that came to the next door
        else:
            _farewell(session, Ending.REPLACED, REPLACED)
        return True

    def _forget(self, account_id: int) -> None:
        del self._playing[account_id]
        self._numbers.pop(account_id, None)

    def release(self, session: Session) -> None:
        """The client is gone. To be called for every session that ends; twice is once."""
        account_id = self._proven.pop(session, None)
        self._marks.pop(session, None)
        if account_id is not None and self._playing.get(account_id) is session:
            self._forget(account_id)

    def of(self, account_id: int) -> Iterable[Session]:
        """The sessions that have proven to be that account's."""
        return [session for session, number in self._proven.items() if number == account_id]

    def log_out(self, row: AccountRow, ending: Ending, why: str, *, but: Session | None = None) -> None:
        """End all clients of an account, here and elsewhere, and take back its tickets."""
        self._tickets.revoke(row.id)
        self._logged_out(row)
        for session in self.of(row.id):
            if session is not but:
                _farewell(session, ending, why)

    def changed_elsewhere(self, account_id: int) -> None:
        """End all clients of an account that another process has changed, and take back its tickets."""
        self._tickets.revoke(account_id)
        for session in self.of(account_id):
            _farewell(session, Ending.KICKED, CHANGED)

    # What other processes have done to accounts

    def forget_tickets(self, account_id: int) -> None:
        """Take back all tickets of an account."""
        self._tickets.revoke(account_id)

    def seen(self) -> set[Seen]:
        """All that is known here of the accounts of clients."""
        numbers = self.numbers()
        return {
            Seen(account, numbers.get(account, NOT_PLAYED), *self._known(session))
            for session, account in self._proven.items()
        }

    def judge(self, found: Standing, asked: Collection[Seen]) -> None:
        """An account is not what was known of it when that was `asked`: end the clients that it does not
        allow any more, and whoever came by a password of which nothing is known. The others have its level
        from the next turn on."""
        known = {(one.mark, one.access) for one in asked if one.account == found.account}
        for session in self.of(found.account):
            mark, access = self._known(session)
            if (mark, access) not in known:
                continue  # it has come since, or has another password or level itself
            if found.removed or found.banned:
                reason = REMOVED if found.removed else found.reason
                self._dismiss(session, Ending.BANNED, banned_words(reason))
            elif mark != found.mark and found.account not in self._turning:
                self._dismiss(session, Ending.KICKED, OTHER_PASSWORD if mark else CHANGED)
            elif access not in (None, found.access):
                session.services.start(partial(set_level, session, found.access))
        self.outplay(found.account, found.login)

    def _known(self, session: Session) -> tuple[str, int | None]:
        account = session.account
        return self._marks.get(session, ""), None if account is None else account.access

    def _dismiss(self, session: Session, ending: Ending, why: str) -> None:
        _farewell(session, ending, why)
        self.release(session)


async def set_level(session: Session, access: int) -> None:
    """A client's account has another level (`world.mobile.Access`), which is in force in the next turn."""
    if session.account is not None:
        session.account = attrs.evolve(session.account, access=access)
    # Not as an input of the session: one that has departed gets no turn any more.
    await session.services.in_world(None, partial(_set_access, session, access))


def _set_access(session: Session, access: int, _world: World) -> None:
    if session.mobile is not None:
        session.mobile.access = access


def banned_words(reason: str) -> str:
    """The words for somebody who is banned for that reason."""
    return f"You are banned. {reason}".strip()


def _farewell(session: Session, ending: Ending, why: str) -> None:
    session.family.goodbye(session, why)
    session.end(ending, why)
