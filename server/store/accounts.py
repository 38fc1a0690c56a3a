"""Rows of accounts in the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Double,
    Integer,
    Text,
    bindparam,
    column,
    delete,
    false,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from server.store.connections import Connections
from server.store.records import AccountRow, Refusal, Standing
from server.store.tables import PAGE, account, login_token
from server.store.text import storable

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Select

    from server.store.records import Seen

ACCOUNT_COLUMNS = [account.c[name] for name in AccountRow._fields]


class Accounts(Connections):
    """Questions about accounts, and changes of them."""

    def account(self, name: str) -> AccountRow | None:
        """The account of that name, in any case."""
        return self._account(_ACCOUNT_BY_NAME, name=name.lower())

    def account_by_id(self, account_id: int) -> AccountRow | None:
        """The account of that number."""
        return self._account(_ACCOUNT_BY_ID, id=account_id)

    def accounts_of(self, numbers: Collection[int]) -> dict[int, AccountRow]:
        """Those of the accounts of these numbers that there are, by number."""
        with self.read() as connection:
            rows = connection.execute(_ACCOUNTS_OF, {"ids": sorted(numbers)})
            return {row.id: row for row in map(AccountRow._make, rows)}

    def accounts(self) -> list[AccountRow]:
        """Every account, by name."""
        with self.read() as connection:
            rows = connection.execute(select(*ACCOUNT_COLUMNS).order_by(account.c.name))
            return [AccountRow._make(row) for row in rows]

    def create_account(self, name: str, password: str, at: float, access: int = 0) -> AccountRow | Refusal:
        """A new account; `password` is its hash. Refuses a name that is taken in any case."""
        values = {
            "name": name.lower(),
            "password": password,
            "access": access,
            "created_at": at,
            "ban_reason": "",
            "last_address": "",
        }
        try:
            with self.write() as connection:
                row = connection.execute(insert(account).values(values).returning(*ACCOUNT_COLUMNS)).one()
                return AccountRow._make(row)
        except IntegrityError:
            return Refusal.TAKEN

    def set_password(self, account_id: int, password: str) -> None:
        """Store the hash of another password, which ends logins to the page."""
        self._set_account(account_id, ends_logins=True, password=password)

    def replace_password(self, account_id: int, old: str, new: str, *, same: bool = False) -> bool:
        """Store another hash in the place of `old`; False if that is not the stored one any more. It ends
        logins to the page, unless it is of the `same` password."""
        with self.write() as connection:
            is_old = (account.c.id == account_id) & (account.c.password == old)
            done = connection.execute(update(account).where(is_old).values(password=new)).rowcount == 1
            if done and not same:
                connection.execute(_END_LOGINS, {"which": account_id})
        return done

    def set_access(self, account_id: int, access: int) -> None:
        """Set the level of staff (`world.mobile.Access`)."""
        self._set_account(account_id, access=access)

    def ban(self, account_id: int, until: float | None, reason: str) -> None:
        """Ban until that time (seconds UTC; infinity is for ever), which ends logins to the page; None lifts
        the ban."""
        ends = until is not None
        self._set_account(account_id, ends_logins=ends, banned_until=until, ban_reason=storable(reason))

    def note_login(self, account_id: int, at: float, address: str) -> None:
        """Remember the last login."""
        with self.write() as connection:
            connection.execute(_NOTE_LOGIN, {"which": account_id, "at": at, "address": address})

    def changed_accounts(self, seen: Collection[Seen], now: float) -> list[Standing]:
        """Those of some accounts of which more or something else is true by now than their worlds know: they
        are gone, banned at that time (seconds UTC), or have a newer login, another password or another level.
        On PostgreSQL only."""
        ids, logins, marks, levels = zip(*seen, strict=True) if seen else ((), (), (), ())
        asked = {
            "ids": list(ids),
            "logins": list(logins),
            "marks": list(marks),
            "levels": list(levels),
            "now": now,
        }
        with self.read() as connection:
            return [Standing._make(row) for row in connection.execute(_CHANGED, asked)]

    def _account(self, query: Select[tuple[object, ...]], **which: object) -> AccountRow | None:
        with self.read() as connection:
            row = connection.execute(query, which).one_or_none()
            return None if row is None else AccountRow._make(row)

    def _set_account(self, account_id: int, *, ends_logins: bool = False, **values: object) -> None:
        with self.write() as connection:
            connection.execute(update(account).where(account.c.id == account_id).values(values))
            if ends_logins:
                connection.execute(_END_LOGINS, {"which": account_id})


# What every login asks, and every second the table of orders. A statement is a big heap of objects that hold
# one another, so these are made once: made anew each time they are garbage that only a full collection finds.
_ACCOUNT_BY_NAME: Final = select(*ACCOUNT_COLUMNS).where(account.c.name == bindparam("name"))
_ACCOUNT_BY_ID: Final = select(*ACCOUNT_COLUMNS).where(account.c.id == bindparam("id"))
_ACCOUNTS_OF: Final = select(*ACCOUNT_COLUMNS).where(account.c.id.in_(bindparam("ids", expanding=True)))
_SEEN: Final = (
    func.unnest(
        bindparam("ids", type_=ARRAY(BigInteger)),
        bindparam("logins", type_=ARRAY(BigInteger)),
        bindparam("marks", type_=ARRAY(Text)),
        bindparam("levels", type_=ARRAY(Integer)),
    )
    .table_valued(
        column("id", BigInteger),
        column("login", BigInteger),
        column("mark", Text),
        column("access", Integer),
        name="seen",
    )
    .render_derived()
)
_GONE: Final = account.c.id.is_(None)
_MARK: Final = func.md5(account.c.password)
_BANNED: Final = func.coalesce(account.c.banned_until > bindparam("now", type_=Double), false())
# Only what differs comes back, so that a look at all who play is a few bytes.
_CHANGED: Final = (
    select(
        _SEEN.c.id,
        _GONE,
        func.coalesce(account.c.session_epoch, 0),
        func.coalesce(_MARK, ""),
        _BANNED,
        func.coalesce(account.c.ban_reason, ""),
        func.coalesce(account.c.access, 0),
    )
    .select_from(_SEEN.outerjoin(account, account.c.id == _SEEN.c.id))
    .where(
        _GONE
        | _BANNED
        | (account.c.session_epoch > _SEEN.c.login)
        | (_SEEN.c.mark != _MARK)
        | (_SEEN.c.access != account.c.access)
    )
)
_END_LOGINS: Final = delete(login_token).where(
    login_token.c.account == bindparam("which"), login_token.c.game == PAGE
)
_NOTE_LOGIN: Final = (
    update(account)
    .where(account.c.id == bindparam("which"))
    .values(last_login=bindparam("at"), last_address=bindparam("address"))
)
