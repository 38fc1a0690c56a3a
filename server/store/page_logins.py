"""Logins to the web page, where the pages of several processes share them: rows of `login_token`.

A row is as good as its account: whatever ends one (a ban, another password, its end) deletes the logins in
the same transaction, in whichever process that is, so that no page can have heard of it too late. Only hashes
of the browsers' tokens are kept.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, delete, insert, select, update

from server.store.accounts import ACCOUNT_COLUMNS
from server.store.connections import Connections
from server.store.records import AccountRow, mark_of
from server.store.tables import PAGE, account, login_token

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import ColumnElement


class PageLogins(Connections):
    """Questions about logins to the page, and changes of them. Times are seconds UTC, `token` a hash."""

    def put_page_login(
        self, token: str, account_id: int, mark: str, until: float, now: float, most: int
    ) -> bool:
        """Add a login by the password with that mark; of more than `most` of an account those go that were
        used least lately. False if there is no such account (any more), it has another password or is
        banned."""
        others = select(login_token.c.token).where(_PAGE, login_token.c.account == account_id)
        newest = others.order_by(login_token.c.expires.desc()).limit(most - 1)
        values = {
            "token": token,
            "account": account_id,
            "game": PAGE,
            "notes": "{}",
            "address": "",
            "expires": _moment(until),
        }
        with self.write() as connection:
            owner = connection.execute(_HELD, {"which": account_id}).one_or_none()
            if owner is None or mark_of(owner.password) != mark or (owner.banned_until or 0.0) > now:
                return False
            kept = list(connection.scalars(newest))
            mine = login_token.c.account == account_id
            connection.execute(delete(login_token).where(_PAGE, mine, login_token.c.token.not_in(kept)))
            connection.execute(delete(login_token).where(_PAGE, login_token.c.expires <= _moment(now)))
            connection.execute(insert(login_token).values(values))
        return True

    def page_login(self, token: str, now: float) -> AccountRow | None:
        """The account of a login; None if it is none any more, or the account is banned."""
        with self.read() as connection:
            found = connection.execute(_OWNER, {"which": token, "now": _moment(now)}).one_or_none()
        row = None if found is None else AccountRow._make(found)
        banned = row is not None and row.banned_until is not None and row.banned_until > now
        return None if banned else row

    def page_logins(self, tokens: Collection[str], now: float) -> set[str]:
        """Those of some logins that still are some."""
        with self.read() as connection:
            asked = _GOOD.where(login_token.c.token.in_(list(tokens)))
            return set(connection.scalars(asked, {"now": _moment(now)}))

    def keep_page_logins(self, until: Mapping[str, float]) -> None:
        """Let logins that were used be good until later."""
        if not until:
            return
        with self.write() as connection:
            rows = [{"which": token, "until": _moment(later)} for token, later in sorted(until.items())]
            connection.execute(_KEEP, rows)

    def end_page_login(self, token: str) -> None:
        """Somebody logs out."""
        with self.write() as connection:
            connection.execute(delete(login_token).where(_PAGE, login_token.c.token == token))


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


_PAGE: Final[ColumnElement[bool]] = login_token.c.game == PAGE
_WHICH: Final[ColumnElement[bool]] = login_token.c.token == bindparam("which")
_LASTS: Final[ColumnElement[bool]] = login_token.c.expires > bindparam("now")
_GOOD: Final = select(login_token.c.token).where(_PAGE, _LASTS)
_OWNER: Final = (
    select(*ACCOUNT_COLUMNS)
    .join(login_token, login_token.c.account == account.c.id)
    .where(_PAGE, _WHICH, _LASTS)
)
# Whoever changes it waits for the login, whose end is the change's; or is waited for.
_HELD: Final = (
    select(account.c.password, account.c.banned_until)
    .where(account.c.id == bindparam("which"))
    .with_for_update(read=True)
)
_KEEP: Final = (
    update(login_token)
    .where(_PAGE, _WHICH, login_token.c.expires < bindparam("until"))
    .values(expires=bindparam("until"))
)
