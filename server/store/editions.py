"""Guilds as other worlds than the home world have them: copies, and the number of their edition.

On PostgreSQL only. Whoever finds the number that it has already has read all there is; the batch that changes
something of a guild raises it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import BigInteger, bindparam, cast, func, select
from sqlalchemy.dialects import postgresql

from server.store.connections import Connections
from server.store.records import Copies
from server.store.tables import edition, item, records
from world import guild_copies
from world.guild import Guild
from world.snapshot import RecordRow
from world.wording import GOLD

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from server.store.records import Batch


class Editions(Connections):
    """Copies of the guilds."""

    def copies(self, known: int | None) -> Copies:
        """All guilds, or no rows if their edition still is `known`."""
        with self.read() as connection:
            # Before the rows: what changes between the two is read again.
            now = int(connection.scalar(_EDITION, {"of": Guild.table}) or 0)
            if now == known:
                return Copies(now, [], {})
            rows = [
                RecordRow(name, tuple(row))
                for name in guild_copies.TABLES
                for row in connection.execute(_ROWS[name])
            ]
            return Copies(now, rows, {row.number: row.gold for row in connection.execute(_BANKED)})

    def _publish(self, connection: Connection, batch: Batch) -> None:
        """After its rows: have other worlds read the guilds anew, if the batch changes any."""
        tables = {row.table for row in batch.records} | {table for table, _ in batch.ended}
        if tables.intersection(guild_copies.TABLES):
            connection.execute(_NEXT_EDITION, {"of": Guild.table, "number": 1})


_EDITION: Final = select(edition.c.number).where(edition.c.of == bindparam("of"))
_FIRST_EDITION: Final = postgresql.insert(edition).values(of=bindparam("of"), number=bindparam("number"))
_NEXT_EDITION: Final = _FIRST_EDITION.on_conflict_do_update(
    index_elements=[edition.c.of], set_={"number": edition.c.number + 1}
)
_ROWS: Final = {name: select(records[name]).order_by(records[name].c.number) for name in guild_copies.TABLES}
_guild: Final = records[Guild.table]
_BANKED: Final = (
    select(_guild.c.number, cast(func.sum(item.c.amount), BigInteger).label("gold"))
    .join(item, item.c.parent == _guild.c.box)
    .where(item.c.template == GOLD)
    .group_by(_guild.c.number)
)
