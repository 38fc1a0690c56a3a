"""The world as a whole: its stamp, its serials, what lies about, and the batches of what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select, update

from server.store.connections import Connections
from server.store.errors import DatabaseReplaced
from server.store.records import Batch, Meta, Reservation
from server.store.rows import item_rows, items_under, referring
from server.store.tables import character, item, meta, records
from world.item import Layer
from world.serials import BLOCK, LAST_ITEM, LAST_MOBILE
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
    ) -> None:
        """As `Connections`."""
        super().__init__(
            url, synchronous=synchronous, busy_seconds=busy_seconds, readers=readers, guest=guest
        )
        self._unsure: dict[tuple[int, float], int] = {}
        """Notes by stamp of the batches whose commit failed since the last one that did not."""

    def beat(self) -> None:
        """Say that this world is alive, and find out whether it still is this process's."""
        with self.write():
            pass  # every transaction begins with that

    def meta(self) -> Meta:
        """The row about the whole world."""
        with self.read() as connection:
            return Meta._make(connection.execute(select(*(meta.c[name] for name in Meta._fields))).one())

    def reserve_serials(self, mobiles: int = BLOCK, items: int = BLOCK) -> Reservation:
        """Reserve the first serials of this run. What earlier runs had reserved is never handed out again."""
        with self.write() as connection:
            mobile, first_item = connection.execute(select(meta.c.mobile_mark, meta.c.item_mark)).one()
            reserved = Reservation(
                mobile,
                min(mobile + mobiles, LAST_MOBILE + 1),
                first_item,
                min(first_item + items, LAST_ITEM + 1),
            )
            connection.execute(
                update(meta).values(
                    mobile_mark=reserved.mobile_mark, item_mark=reserved.item_mark, clean=False
                )
            )
        return reserved

    def commit_batch(self, batch: Batch) -> None:
        """Write what changed, whole ticks in one transaction.

        Raises `DatabaseReplaced` if the file is gone; the batch and everything before it was then saved to a
        new file.
        """
        try:
            with self._transaction():
                self._statements.write(self._connection, self._without_what_is_there(batch))
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

    def _without_what_is_there(self, batch: Batch) -> Batch:
        """The batch without the notes of one that it grew out of, if that did not fail after all. All else in
        a batch can be written twice."""
        if not self._unsure:
            return batch
        tick, wall = self._connection.execute(select(meta.c.tick, meta.c.wall)).one()
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
            connection.execute(update(meta).values(clean=True))
        if self.path is not None:
            self._sqlite().execute("PRAGMA wal_checkpoint(TRUNCATE)").close()


_RECORDS: Final = {name: select(table).order_by(table.c.number) for name, table in records.items()}
_STRANGERS: Final = [
    select(column).where(column != 0, column.not_in(select(character.c.serial)))
    for _, column in referring("character")
]
_ON_THE_GROUND: Final = items_under(
    item.c.parent.is_(None) & (item.c.realm.is_not(None) | (item.c.layer == Layer.BANK))
)
