"""Clients that have proven who they are, and the one that plays each account: the newest wins.

A login is in here before its account is read for the last time, so that whoever is banned, or whose password
is changed, in between is found here or finds it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.endings import Ending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from protocol.services import AccountInfo
    from protocol.session import Session
    from server.people.tickets import TicketService
    from server.store.records import AccountRow

LOGIN_DOOR: Final = "login"
"""Whoever is at a door of this name plays nothing yet."""


class Presence:
    """The clients of accounts, in this process. `logged_out` receives the account whose clients have to go,
    for those of them that are in other processes."""

    def __init__(self, tickets: TicketService, logged_out: Callable[[str], None]) -> None:
        self._tickets = tickets
        self._logged_out = logged_out
        self._proven: dict[Session, int] = {}
        """Account id by session, for all that have proven who they are."""
        self._playing: dict[int, Session] = {}
        """The one session that plays each account."""

    def prove(self, session: Session, account_id: int) -> None:
        """This session has proven that it is that account's."""
        self._proven[session] = account_id

    def player(self, account: AccountInfo) -> Session | None:
        """The session that plays the account now, at whatever door; None if there is none."""
        return self._playing.get(account.id)

    def claim(self, session: Session, account: AccountInfo) -> None:
        """This session plays the account from now on; another one that did ends as REPLACED. Newest wins."""
        session.account, session.claimed = account, True
        self.prove(session, account.id)
        previous = self._playing.get(account.id)
        self._playing[account.id] = session
        if previous is not None and previous is not session:
            _farewell(previous, Ending.REPLACED, "Somebody else logged in to this account.")

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

    def release(self, session: Session) -> None:
        """The client is gone. To be called for every session that ends; twice is once."""
        account_id = self._proven.pop(session, None)
        if account_id is not None and self._playing.get(account_id) is session:
            del self._playing[account_id]

    def of(self, account_id: int) -> Iterable[Session]:
        """The sessions that have proven to be that account's."""
        return [session for session, number in self._proven.items() if number == account_id]

    def log_out(self, row: AccountRow, ending: Ending, why: str, *, but: Session | None = None) -> None:
        """End all clients of an account, here and elsewhere, and take back its tickets."""
        self._tickets.revoke(row.id)
        self._logged_out(row.name)
        for session in self.of(row.id):
            if session is not but:
                _farewell(session, ending, why)

    def changed_elsewhere(self, account_id: int) -> None:
        """End all clients of an account that another process has changed, and take back its tickets."""
        self._tickets.revoke(account_id)
        for session in self.of(account_id):
            _farewell(session, Ending.KICKED, "This account was changed: log in again.")


def _farewell(session: Session, ending: Ending, why: str) -> None:
    session.family.goodbye(session, why)
    session.end(ending, why)
