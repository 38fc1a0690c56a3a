"""Rows that wait for another process: parcels for a world, logins for a door. On PostgreSQL only.

A parcel is sent with the batch in which its things are gone, and taken with the batch in which they are
there: each is one fenced transaction, and a second time for the same id is refused as a whole. So things are
here or there or on their way, and whoever repeats a message changes nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import Double

from server.store.connections import Connections
from server.store.errors import ParcelSettled
from server.store.records import ParcelRow, TokenRow
from server.store.tables import PAGE, login_token, parcel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import BindParameter, Connection

    from server.store.records import Batch


KEPT_DAYS: Final = 7
"""For which it is known of a parcel that it was taken: much longer than anybody repeats a message."""

MOST_WAITING: Final = 100
"""Parcels that are read at once: each takes a flush until it is taken."""


class Traffic(Connections):
    """Parcels and login tokens."""

    # Parcels

    def parcel_sent(self, parcel_id: str) -> bool:
        """Whether there is a parcel of that id, taken or not."""
        with self.read() as connection:
            return connection.scalar(_SENT, {"which": parcel_id}) is not None

    def waiting_parcels(self) -> list[ParcelRow]:
        """The parcels that wait for this world, oldest first; the first `MOST_WAITING`."""
        with self.read() as connection:
            rows = connection.execute(_WAITING, {"mine": self.fence.world})
            return [ParcelRow._make(row) for row in rows]

    def waiting_parcel(self, parcel_id: str) -> ParcelRow | None:
        """One of them; None if it was taken, is another world's, or never came."""
        with self.read() as connection:
            which = {"mine": self.fence.world, "which": parcel_id}
            row = connection.execute(_WAITS, which).one_or_none()
            return None if row is None else ParcelRow._make(row)

    def parcel_age(self, parcel_id: str) -> float:
        """Seconds since a parcel was sent, by the database's time; 0 if there is none of that id."""
        with self.read() as connection:
            return float(connection.scalar(_AGE, {"which": parcel_id}) or 0.0)

    def forget_parcels(self) -> int:
        """Forget those that were taken `KEPT_DAYS` ago or earlier; how many there were."""
        with self.write() as connection:
            return connection.execute(_FORGET_PARCELS).rowcount

    def _carry(self, connection: Connection, batch: Batch) -> None:
        """Write the parcels of a batch. Raises ParcelSettled, and the batch is refused, if one of them was
        sent or taken before."""
        for row in batch.sent:
            sent = connection.execute(_SEND, {**row._asdict(), "from_world": self.fence.world})
            if sent.one_or_none() is None:
                raise ParcelSettled(f"parcel {row.id} was sent before")
        for which in batch.taken:
            if not connection.execute(_TAKE, {"which": which, "mine": self.fence.world}).rowcount:
                raise ParcelSettled(f"parcel {which} does not wait for this world")

    # Login tokens

    def put_token(
        self,
        token: str,
        account: int,
        game: str,
        notes: Mapping[str, object],
        address: str,
        seconds: float,
        *,
        alone: bool = False,
    ) -> None:
        """Keep a login on its way to another door for so many seconds. Those that nobody came for go, and if
        it is to be `alone`, those of the same account and game."""
        with self.write() as connection:
            connection.execute(_FORGET_TOKENS)
            if alone:
                connection.execute(_FORGET_OTHERS, {"which": account, "game": game})
            values = {"token": token, "account": account, "game": game, "address": address}
            connection.execute(_PUT_TOKEN, {**values, "notes": json.dumps(dict(notes)), "seconds": seconds})

    def redeem_token(self, token: str, game: str) -> TokenRow | None:
        """Use a token up: whoever comes first has it, once. None if it is unknown, used, too old, or another
        game's."""
        with self.write() as connection:
            row = connection.execute(_REDEEM_TOKEN, {"which": token, "game": game}).one_or_none()
        return None if row is None else TokenRow(row.account, row.game, json.loads(row.notes), row.address)

    def peek_token(self, token: str, game: str) -> TokenRow | None:
        """Read the token that `redeem_token` would find, and leave it."""
        with self.read() as connection:
            row = connection.execute(_PEEK_TOKEN, {"which": token, "game": game}).one_or_none()
        return None if row is None else TokenRow(row.account, row.game, json.loads(row.notes), row.address)

    def revoke_tokens(self, accounts: Iterable[int]) -> None:
        """Forget the logins of some accounts that are on their way."""
        with self.write() as connection:
            theirs = login_token.c.account.in_(list(accounts))
            # Logins to the page end with what ends them, in that very transaction.
            connection.execute(delete(login_token).where(theirs, login_token.c.game != PAGE))


_WHICH: Final[BindParameter[str]] = bindparam("which")
_MINE: Final[BindParameter[int]] = bindparam("mine")
_PARCEL: Final = [parcel.c[name] for name in ParcelRow._fields]
_OPEN: Final = (parcel.c.to_world == _MINE) & parcel.c.taken_at.is_(None)

_SENT: Final = select(parcel.c.id).where(parcel.c.id == _WHICH)
_WAITING: Final = select(*_PARCEL).where(_OPEN).order_by(parcel.c.sent_at, parcel.c.id).limit(MOST_WAITING)
_WAITS: Final = select(*_PARCEL).where(_OPEN, parcel.c.id == _WHICH)
_AGE: Final = select(func.extract("epoch", func.clock_timestamp() - parcel.c.sent_at)).where(
    parcel.c.id == _WHICH
)
_SEND: Final = (
    postgresql.insert(parcel)
    .values(
        id=bindparam("id"),
        from_world=bindparam("from_world"),
        to_world=bindparam("to_world"),
        content=bindparam("content"),
        sent_at=func.now(),
    )
    .on_conflict_do_nothing(index_elements=["id"])
    .returning(parcel.c.id)
)
_FORGET_PARCELS: Final = delete(parcel).where(
    parcel.c.taken_at < func.now() - func.make_interval(0, 0, 0, KEPT_DAYS)
)
_TAKE: Final = update(parcel).where(parcel.c.id == _WHICH, _OPEN).values(taken_at=func.now())

_GOOD: Final = (
    (login_token.c.token == _WHICH)
    & (login_token.c.game == bindparam("game"))
    & (login_token.c.expires > func.clock_timestamp())
)
_PUT_TOKEN: Final = login_token.insert().values(
    token=bindparam("token"),
    account=bindparam("account"),
    game=bindparam("game"),
    notes=bindparam("notes"),
    address=bindparam("address"),
    expires=func.clock_timestamp() + func.make_interval(0, 0, 0, 0, 0, 0, bindparam("seconds", type_=Double)),
)
_TOKEN: Final = (login_token.c.account, login_token.c.game, login_token.c.notes, login_token.c.address)
_REDEEM_TOKEN: Final = delete(login_token).where(_GOOD).returning(*_TOKEN)
_PEEK_TOKEN: Final = select(*_TOKEN).where(_GOOD)
_FORGET_OTHERS: Final = delete(login_token).where(
    login_token.c.account == bindparam("which"), login_token.c.game == bindparam("game")
)
_FORGET_TOKENS: Final = delete(login_token).where(login_token.c.expires < func.clock_timestamp())
