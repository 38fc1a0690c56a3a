"""Guilds and parties as other worlds than the home world have them: copies, and the numbers of their
editions.

On PostgreSQL only. Whoever finds the number that it has already has read all there is; the batch that changes
something of a guild raises that of guilds, and one that changes something of a party that of parties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import BigInteger, bindparam, cast, func, select
from sqlalchemy.dialects import postgresql

from server.store.connections import Connections
from server.store.records import Copies
from server.store.tables import edition, item, records
from world import guild_copies, party_copies
from world.companions import Party
from world.guild import Guild
from world.snapshot import RecordRow
from world.wording import GOLD

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from server.store.records import Batch


class Editions(Connections):
    """Copies of the guilds and of the parties."""

    def copies(self, of: str, known: int | None) -> Copies:
        """All of a kind of `COPIED`, or no rows if their edition still is `known`."""
        with self.read() as connection:
            # Before the rows: what changes between the two is read again.
            now = int(connection.scalar(_EDITION, {"of": of}) or 0)
            if now == known:
                return Copies(now, [], {})
            rows = [
                RecordRow(name, tuple(row)) for name in COPIED[of] for row in connection.execute(_ROWS[name])
            ]
            banked = connection.execute(_BANKED) if of == Guild.table else ()
            return Copies(now, rows, {row.number: row.gold for row in banked})

    def _publish(self, connection: Connection, batch: Batch) -> None:
        """After its rows: have other worlds read anew what the batch changes any of."""
        tables = {row.table for row in batch.records} | {table for table, _ in batch.ended}
        for of, copied in COPIED.items():
            if tables.intersection(copied):
                connection.execute(_NEXT_EDITION, {"of": of, "number": 1})


COPIED: Final = {Guild.table: guild_copies.TABLES, Party.table: party_copies.TABLES}
"""Tables that are copied together, by the first of them, whose name the edition has."""


_EDITION: Final = select(edition.c.number).where(edition.c.of == bindparam("of"))
_FIRST_EDITION: Final = postgresql.insert(edition).values(of=bindparam("of"), number=bindparam("number"))
_NEXT_EDITION: Final = _FIRST_EDITION.on_conflict_do_update(
    index_elements=[edition.c.of], set_={"number": edition.c.number + 1}
)
_ROWS: Final = {
    name: select(records[name]).order_by(records[name].c.number)
    for copied in COPIED.values()
    for name in copied
}
_guild: Final = records[Guild.table]
_BANKED: Final = (
    select(_guild.c.number, cast(func.sum(item.c.amount), BigInteger).label("gold"))
    .join(item, item.c.parent == _guild.c.box)
    .where(item.c.template == GOLD)
    .group_by(_guild.c.number)
)
