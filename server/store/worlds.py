"""The world as a whole: its stamp, its serials, what lies about, and the batches of what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from sqlalchemy import BigInteger, bindparam, cast, func, select, update

from server.store.batch import reserve
from server.store.editions import Editions
from server.store.errors import DatabaseReplaced
from server.store.fence import HOME
from server.store.ownership import Ownership
from server.store.records import Batch, Meta, Reservation
from server.store.rows import FOLLOWING, item_rows, items_under, referring
from server.store.tables import allocator, character, item, meta, records
from server.store.traffic import Traffic
from world.item import Layer
from world.letter import Letter
from world.serials import BLOCK
from world.snapshot import RecordRow

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Select
    from sqlalchemy.sql.elements import ColumnElement

    from world.snapshot import ItemRow


T = TypeVar("T")


class Worlds(Ownership, Traffic, Editions):
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
            idle_seconds=idle_seconds,
        )
        self._unsure: dict[tuple[int, float], Batch] = {}
        """By stamp: the batches whose commit failed since the last one that did not."""

    def beat(self) -> int:
        """Say that this world is alive, and find out whether it still is this process's. Returns how many
        other worlds are alive."""
        with self.write() as connection:  # every transaction begins with that
            self.neighbours = 0 if self.epoch is None else self.fence.neighbours(connection)
            return self.neighbours

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
                reserved = self._write(self._without_what_is_there(batch))
        except DatabaseReplaced as error:
            # The lost file is still open: what it cannot keep it can at least pass on.
            with self._connection.begin():
                self._statements.write(self._connection, batch)
            raise DatabaseReplaced(str(error), self._rescue()) from error
        except Exception:
            # The connection may have died after COMMIT was sent and before its answer came.
            self._unsure[batch.tick, batch.wall] = batch
            raise
        self._unsure.clear()
        return reserved

    def _write(self, batch: Batch) -> Reservation | None:
        if self.epoch is None:
            return self._statements.write(self._connection, batch)
        reserved = self._statements.write(self._connection, self._ours(batch))
        self._let_go(self._connection, batch)
        self._carry(self._connection, batch)
        self._publish(self._connection, batch)
        return reserved

    def _without_what_is_there(self, batch: Batch) -> Batch:
        """The batch without what one had that it grew out of, if that did not fail after all. Notes would be
        there twice; and a character that left with it may be another world's by now, with all it has."""
        if not self._unsure:
            return batch
        mine = select(meta.c.tick, meta.c.wall).where(meta.c.id == self.fence.world)
        tick, wall = self._connection.execute(mine).one()
        there = self._unsure.get((tick, wall))
        if there is None:
            return batch
        return batch._replace(
            audit=batch.audit[len(there.audit) :],
            characters=_others(batch.characters, there.characters),
            items=_others(batch.items, there.items),
            deleted=_others(batch.deleted, there.deleted),
            notes=_others(batch.notes, there.notes),
            records=_others(batch.records, there.records),
            ended=_others(batch.ended, there.ended),
            left=_others(batch.left, there.left),
            transfers=_others(batch.transfers, there.transfers),
            sent=_others(batch.sent, there.sent),
            taken=_others(batch.taken, there.taken),
        )

    def ground_items(self, realms: Collection[str] | None = None) -> list[ItemRow]:
        """Every item that lies in a realm of this world, or is the box of a record of it, with everything
        inside it; on PostgreSQL those of letters are read with these. Or what lies in these realms alone."""
        with self.read() as connection:
            if realms is not None:
                return item_rows(connection.execute(_on_our_ground(realms, self._known, home=False)))
            if self.epoch is None:
                return item_rows(connection.execute(_ON_THE_GROUND))
            if self.realms is None:
                return item_rows(connection.execute(_ALL_OUR_GROUND))
            return item_rows(connection.execute(_on_our_ground(self.realms, self._known, home=self.home)))

    def records(self) -> list[RecordRow]:
        """All records, each kind in the order in which they were made; of another than the home world those
        that it has copies of. On PostgreSQL what goes with characters is read with these, or when they have
        come (`server.store.letters`)."""
        if not self.home:
            return self.copies(None).rows
        with self.read() as connection:
            return [
                RecordRow(name, tuple(row))
                for name, statement in _RECORDS.items()
                if self.epoch is None or name not in FOLLOWING
                for row in connection.execute(statement)
            ]

    def keeps(self, table: str) -> bool:
        """Whether this world writes records of that kind: the home world all, any what goes with its
        characters."""
        return self.home or (self.epoch is not None and table in FOLLOWING)

    def strangers(self) -> set[int]:
        """Characters to whom records refer and who do not exist (any more)."""
        if not self.home:
            return set()
        with self.read() as connection:
            return {serial for statement in _STRANGERS for serial in connection.scalars(statement)}

    def mark_clean(self) -> None:
        """The last thing a server writes when it stops in good order."""
        with self.write() as connection:
            connection.execute(update(meta).where(meta.c.id == self.fence.world).values(clean=True))
            self.fence.retire(connection)
        if self.path is not None:
            self._sqlite().execute("PRAGMA wal_checkpoint(TRUNCATE)").close()


def _others(rows: Sequence[T], there: Sequence[T]) -> Sequence[T]:
    found = set(there)
    return [row for row in rows if row not in found]


def _on_our_ground(
    realms: Collection[str], known: Collection[str], *, home: bool
) -> Select[tuple[object, ...]]:
    """A question for what lies in these realms. The home world also has the boxes of records, and what lies
    in realms that are no more: it is reported there."""
    lies: ColumnElement[bool] = item.c.realm.in_(list(realms))
    if home:
        lies |= item.c.realm.not_in(list(known)) | _IS_BOX
    return items_under(item.c.parent.is_(None) & lies)


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
_IS_BOX: Final = (
    item.c.realm.is_(None)
    & (item.c.layer == Layer.BANK)
    & item.c.serial.not_in(select(records[Letter.table].c.box))
)
"""The condition on an item without a holder under which it is the box of a record, but for those of letters,
which travel."""
_ALL_OUR_GROUND: Final = items_under(item.c.parent.is_(None) & (item.c.realm.is_not(None) | _IS_BOX))
