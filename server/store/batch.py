"""Writing one batch: the statements that run for every flush, compiled once and sent with plain tuples.

Statement objects with dictionaries cost three times as much per row, all of it under the interpreter lock,
where it makes ticks late. No row of a batch may fail on a constraint that players can reach: names never
travel in a batch, and a worn slot is emptied before its new item is written (two items can swap places in one
batch).
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Dialect, bindparam, delete, func, literal_column, select, update
from sqlalchemy.dialects import postgresql, sqlite

from server.store.fence import HOME
from server.store.records import Reservation
from server.store.tables import (
    allocator,
    audit,
    character,
    character_notes,
    item,
    journal,
    mark,
    meta,
    parts,
    records,
    skill,
)
from server.store.text import storable
from world.serials import FIRST_ITEM, LAST_ITEM, LAST_MOBILE
from world.snapshot import CHARACTER, NO_PARTS, CharacterRow, ItemRow
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Column, ColumnElement, Table
    from sqlalchemy.sql.base import ReadOnlyColumnCollection
    from sqlalchemy.sql.dml import UpdateBase

    from server.store.records import Batch
    from world.snapshot import RecordRow

CHUNK = 500
"""Parameters in one IN list: SQLite allowed 999 for most of its life."""


class Statement:
    """One compiled statement for rows whose fields are named `fields`; its parameters are named b_<field>."""

    def __init__(self, statement: UpdateBase, dialect: Dialect, fields: Sequence[str]) -> None:
        compiled = statement.compile(dialect=dialect)
        self.sql = str(compiled)
        names = compiled.positiontup
        if names is None:
            raise ValueError("batches need a dialect with positional parameters")
        order = [fields.index(name.removeprefix("b_")) for name in names]
        self._take = None if order == list(range(len(fields))) else itemgetter(*order)

    def run(self, connection: Connection, rows: Sequence[tuple[object, ...]]) -> None:
        """Run it once for every row."""
        if rows:
            take = self._take
            connection.exec_driver_sql(self.sql, list(rows) if take is None else [take(row) for row in rows])


_MADE: Final[dict[tuple[str, str, int], BatchStatements]] = {}


def statements_of(dialect: Dialect, world: int = HOME) -> BatchStatements:
    """Those of a kind of database, and of a row of it: compiled once in a process, for it takes a while."""
    key = dialect.name, dialect.driver, world
    if key not in _MADE:
        _MADE[key] = BatchStatements(dialect, world)
    return _MADE[key]


class BatchStatements:
    """Everything a batch needs, for one kind of database."""

    def __init__(self, dialect: Dialect, world: int = HOME) -> None:
        """`world`: the row whose stamp and gold they write."""
        self._mine = meta.c.id == world
        insert = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
        upsert = insert(item)
        item_fields = ItemRow._fields
        self._upsert_item = Statement(
            upsert.values({name: bindparam(f"b_{name}") for name in item_fields}).on_conflict_do_update(
                index_elements=[item.c.serial],
                set_={name: upsert.excluded[name] for name in item_fields if name != "serial"},
            ),
            dialect,
            item_fields,
        )
        self._free_slot = Statement(
            update(item)
            .where(
                item.c.parent == bindparam("b_parent"),
                item.c.layer == bindparam("b_layer"),
                # Also tells the planner that the index over worn items serves.
                item.c.layer > literal_column("0"),
                item.c.serial != bindparam("b_serial"),
            )
            .values(layer=literal_column("0")),
            dialect,
            item_fields,
        )
        self._delete_item = Statement(
            delete(item).where(item.c.serial == bindparam("b_serial")), dialect, ("serial",)
        )
        changing: dict[str, ColumnElement[object]] = {
            column.name: bindparam(f"b_{column.name}") for column in CHARACTER if not column.fixed
        }
        self._update_character = Statement(
            update(character)
            .where(character.c.serial == bindparam("b_serial"))
            .values({**changing, "realm": func.coalesce(bindparam("b_realm"), character.c.realm)}),
            dialect,
            CharacterRow._fields,
        )
        self._insert_character = Statement(
            insert(character).values({column.name: bindparam(f"b_{column.name}") for column in CHARACTER}),
            dialect,
            CharacterRow._fields,
        )
        self._upsert_parts = [_upsert_of_somebody(part, dialect) for part in parts]
        self._upsert_skill = _upsert_of_somebody(skill, dialect)
        self._upsert_quest = _upsert_of_somebody(journal, dialect)
        self._upsert_mark = _upsert_of_somebody(mark, dialect)
        self._upsert_note = _upsert_of_somebody(character_notes, dialect)
        self._upsert_record = {name: _upsert_of_record(table, dialect) for name, table in records.items()}
        self._delete_record = {
            name: Statement(
                delete(table).where(table.c.number == bindparam("b_number")), dialect, ("number",)
            )
            for name, table in records.items()
        }

    def write_items(self, connection: Connection, rows: Sequence[ItemRow]) -> None:
        """Insert or update items, and keep the gold of this world in `meta`."""
        rows = [row if _is_plain(row) else _cleaned_item(row) for row in rows]
        before = _gold_of(connection, [row.serial for row in rows if row.template == GOLD])
        worn = [row for row in rows if row.layer]
        self._upsert_item.run(connection, [row for row in rows if not row.layer])
        self._free_slot.run(connection, worn)
        self._upsert_item.run(connection, worn)
        self._add_gold(connection, sum(row.amount for row in rows if row.template == GOLD) - before)

    def create_character(self, connection: Connection, row: CharacterRow) -> None:
        """Insert a character and its parts; its names are the caller's business."""
        self._insert_character.run(connection, [_cleaned_character(row)])
        self.write_parts(connection, [row])

    def write_parts(self, connection: Connection, rows: Sequence[CharacterRow]) -> None:
        """Insert or update what changed of characters' parts."""
        changed = [row.parts for row in rows if row.parts is not NO_PARTS]
        if changed:
            for at, statement in enumerate(self._upsert_parts):
                found = [parts.rows[at] for parts in changed]
                statement.run(connection, [row for row in found if row is not None])
            self._upsert_skill.run(connection, [row for parts in changed for row in parts.skills])
            self._upsert_quest.run(connection, [row for parts in changed for row in parts.quests])
            self._upsert_mark.run(connection, [row for parts in changed for row in parts.marks])

    def write_records(
        self, connection: Connection, rows: Sequence[RecordRow], ended: Sequence[tuple[str, int]]
    ) -> None:
        """Delete records that ceased to exist, insert or update others."""
        for table, statement in self._delete_record.items() if ended else ():
            statement.run(connection, [(number,) for name, number in ended if name == table])
        for table, statement in self._upsert_record.items() if rows else ():
            statement.run(connection, [_cleaned(row.values) for row in rows if row.table == table])

    def delete_items(self, connection: Connection, serials: Sequence[int]) -> None:
        """Delete items that ceased to exist, and keep the gold of this world in `meta`."""
        gold = _gold_of(connection, serials)
        self._delete_item.run(connection, [(serial,) for serial in serials])
        self._add_gold(connection, -gold)

    def _add_gold(self, connection: Connection, amount: int) -> None:
        if amount:
            connection.execute(update(meta).where(self._mine).values(gold=meta.c.gold + amount))

    def write(self, connection: Connection, batch: Batch) -> Reservation | None:
        """The whole batch, inside the caller's transaction; the serials that it reserved, if any."""
        self.delete_items(connection, [serial for serial in batch.deleted if serial >= FIRST_ITEM])
        self.write_items(connection, batch.items)
        self._update_character.run(connection, [_cleaned_character(row) for row in batch.characters])
        self.write_parts(connection, batch.characters)
        self._upsert_note.run(connection, batch.notes)
        self.write_records(connection, batch.records, batch.ended)
        if batch.audit:
            connection.execute(audit.insert(), [_audit_values(row._asdict()) for row in batch.audit])
        stamp: dict[str, object] = {"tick": batch.tick, "wall": batch.wall, "clean": False}
        connection.execute(update(meta).where(self._mine).values(stamp))
        # Last: other worlds wait for the row until this one's transaction ends.
        return None if batch.wanted is None else reserve(connection, *batch.wanted)


def reserve(connection: Connection, mobiles: int, items: int) -> Reservation:
    """Take so many serials that no world has, fewer if there are not so many left."""
    # What it adds to, as a row is read, is what the last transaction left: others wait for it.
    row = connection.execute(
        update(allocator)
        .values(mobile_mark=allocator.c.mobile_mark + mobiles, item_mark=allocator.c.item_mark + items)
        .returning(allocator.c.mobile_mark, allocator.c.item_mark)
    ).one()
    mobile_first = min(row.mobile_mark - mobiles, LAST_MOBILE + 1)
    item_first = min(row.item_mark - items, LAST_ITEM + 1)
    reserved = Reservation(
        mobile_first,
        min(row.mobile_mark, LAST_MOBILE + 1),
        item_first,
        min(row.item_mark, LAST_ITEM + 1),
    )
    if (reserved.mobile_mark, reserved.item_mark) != tuple(row):
        connection.execute(
            update(allocator).values(mobile_mark=reserved.mobile_mark, item_mark=reserved.item_mark)
        )
    return reserved


def _upsert_of_somebody(
    table: Table[ReadOnlyColumnCollection[str, Column[object]]], dialect: Dialect
) -> Statement:
    """Insert or update rows of a table about characters. One about a character that was deleted since it was
    made is no row."""
    insert = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
    names = [column.name for column in table.columns]
    values = [
        character.c.serial if name == "character" else bindparam(f"b_{name}", type_=table.c[name].type)
        for name in names
    ]
    somebody = select(*values).where(character.c.serial == bindparam("b_character"))
    made = insert(table).from_select(names, somebody)
    keys = [column.name for column in table.primary_key]
    changes = {name: made.excluded[name] for name in names if name not in keys}
    return Statement(
        made.on_conflict_do_update(index_elements=list(table.primary_key), set_=changes), dialect, names
    )


def _upsert_of_record(
    table: Table[ReadOnlyColumnCollection[str, Column[object]]], dialect: Dialect
) -> Statement:
    insert = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
    names = [column.name for column in table.columns]
    made = insert(table).values({name: bindparam(f"b_{name}") for name in names})
    changes = {name: made.excluded[name] for name in names if name != "number"}
    return Statement(made.on_conflict_do_update(index_elements=["number"], set_=changes), dialect, names)


def _cleaned(values: Iterable[object]) -> tuple[object, ...]:
    return tuple(storable(value) if isinstance(value, str) else value for value in values)


def _cleaned_character(row: CharacterRow) -> CharacterRow:
    return row._replace(title=storable(row.title)) if row.title else row


def _is_plain(row: ItemRow) -> bool:
    return row.text is None and row.name.isascii() and "\0" not in row.name


def _cleaned_item(row: ItemRow) -> ItemRow:
    row = row._replace(name=storable(row.name))
    if row.text is None:
        return row
    return row._replace(text=storable(row.text), signed=storable(row.signed or ""))


def _audit_values(values: dict[str, object]) -> dict[str, object]:
    return {key: storable(value) if isinstance(value, str) else value for key, value in values.items()}


def _gold_of(connection: Connection, serials: Sequence[int]) -> int:
    """The stored amounts of those of the items that are gold."""
    total = 0
    for start in range(0, len(serials), CHUNK):
        chunk = serials[start : start + CHUNK]
        found = connection.scalar(
            select(func.coalesce(func.sum(item.c.amount), 0)).where(
                item.c.template == GOLD, item.c.serial.in_(chunk)
            )
        )
        total += int(found or 0)
    return total
