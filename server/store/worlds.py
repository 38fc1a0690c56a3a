"""The world as a whole: its stamp, its serials, what lies about, and the batches of what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import BigInteger, bindparam, cast, func, select, update

from server.store.batch import reserve
from server.store.connections import Connections
from server.store.errors import DatabaseReplaced
from server.store.fence import HOME
from server.store.records import Batch, Meta, Reservation
from server.store.rows import item_rows, items_under, referring
from server.store.tables import allocator, character, item, meta, records
from world.item import Layer
from world.serials import BLOCK
from world.snapshot import RecordRow

if TYPE_CHECKING:
    from world.snapshot import ItemRow


class Worlds(Connections):
    """Questions about the whole world, and the changes that turns have made in it."""

    def __init__(
        self,
        url: str,
        *,
        synchronous: str = "full",
        busy_seconds: float = 5.0,
        readers: int = 4,
        guest: bool = False,
        world: int = HOME,
        address: str | None = None,
        idle_seconds: float | None = None,
    ) -> None:
        """As `Connections`."""
        super().__init__(
            url,
            synchronous=synchronous,
            busy_seconds=busy_seconds,
            readers=readers,
            guest=guest,
            world=world,
            address=address,
            idle_seconds=idle_seconds,
        )
        self._unsure: dict[tuple[int, float], int] = {}
        """Notes by stamp of the batches whose commit failed since the last one that did not."""

    def beat(self) -> None:
        """Say that this world is alive, and find out whether it still is this process's."""
        with self.write():
            pass  # every transaction begins with that

    def meta(self) -> Meta:
        """The stamp of this world."""
        with self.read() as connection:
            return Meta._make(connection.execute(_META, {"mine": self.fence.world}).one())

    def reserve_serials(self, mobiles: int = BLOCK, items: int = BLOCK) -> Reservation:
        """Reserve the first serials of this run. What earlier runs had reserved is never handed out again."""
        with self.write() as connection:
            connection.execute(update(meta).where(meta.c.id == self.fence.world).values(clean=False))
            return reserve(connection, mobiles, items)

    def commit_batch(self, batch: Batch) -> Reservation | None:
        """Write what changed, whole ticks in one transaction; the serials that it reserved, if any.

        Raises `DatabaseReplaced` if the file is gone; the batch and everything before it was then saved to a
        new file.
        """
        try:
            with self._transaction():
                reserved = self._statements.write(self._connection, self._without_what_is_there(batch))
        except DatabaseReplaced as error:
            # The lost file is still open: what it cannot keep it can at least pass on.
            with self._connection.begin():
                self._statements.write(self._connection, batch)
            raise DatabaseReplaced(str(error), self._rescue()) from error
        except Exception:
            # The connection may have died after COMMIT was sent and before its answer came.
            self._unsure[batch.tick, batch.wall] = len(batch.audit)
            raise
        self._unsure.clear()
        return reserved

    def _without_what_is_there(self, batch: Batch) -> Batch:
        """The batch without the notes of one that it grew out of, if that did not fail after all. All else in
        a batch can be written twice."""
        if not self._unsure:
            return batch
        mine = select(meta.c.tick, meta.c.wall).where(meta.c.id == self.fence.world)
        tick, wall = self._connection.execute(mine).one()
        return batch._replace(audit=batch.audit[self._unsure.get((tick, wall), 0) :])

    def ground_items(self) -> list[ItemRow]:
        """Every item that lies in a realm, or is the box of a record, with everything inside it."""
        with self.read() as connection:
            return item_rows(connection.execute(_ON_THE_GROUND))

    def records(self) -> list[RecordRow]:
        """All records, each kind in the order in which they were made."""
        with self.read() as connection:
            return [
                RecordRow(name, tuple(row))
                for name, statement in _RECORDS.items()
                for row in connection.execute(statement)
            ]

    def strangers(self) -> set[int]:
        """Characters to whom records refer and who do not exist (any more)."""
        with self.read() as connection:
            return {serial for statement in _STRANGERS for serial in connection.scalars(statement)}

    def mark_clean(self) -> None:
        """The last thing a server writes when it stops in good order."""
        with self.write() as connection:
            connection.execute(update(meta).where(meta.c.id == self.fence.world).values(clean=True))
        if self.path is not None:
            self._sqlite().execute("PRAGMA wal_checkpoint(TRUNCATE)").close()


_META: Final = (
    select(
        meta.c.tick,
        meta.c.wall,
        meta.c.clean,
        allocator.c.mobile_mark,
        allocator.c.item_mark,
        select(cast(func.sum(meta.c.gold), BigInteger)).scalar_subquery(),
    )
    .join(allocator, allocator.c.id == 1)
    .where(meta.c.id == bindparam("mine"))
)
_RECORDS: Final = {name: select(table).order_by(table.c.number) for name, table in records.items()}
_STRANGERS: Final = [
    select(column).where(column != 0, column.not_in(select(character.c.serial)))
    for _, column in referring("character")
]
_ON_THE_GROUND: Final = items_under(
    item.c.parent.is_(None) & (item.c.realm.is_not(None) | (item.c.layer == Layer.BANK))
)
