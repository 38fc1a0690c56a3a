"""Copies of records, in a world that does not keep them: whenever something has changed where they are kept
(`world.books`), all rows of a kind come again, or those that are not as they were, and the records become
what these say.

They are records as where they are kept, so that every rule that only looks finds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs

from world.snapshot import RECORD_TABLES, RecordRow, record_row, restore_records
from world.stored import put

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from world.records import Record, Records


@attrs.frozen
class Difference:
    """All that was not yet as the rows say."""

    touched: Sequence[Record]
    """Those that are gone or otherwise now, and those that are new."""
    new: Sequence[Record]
    """The last of these."""


def overwrite(
    records: Records, kinds: Iterable[type[Record]], rows: Iterable[RecordRow], own: Collection[str] = ()
) -> Difference:
    """Make the records of some kinds what the rows say, which are all there are; the rest is as in
    `revise`."""
    rows = list(rows)
    return revise(records, rows, missing(records, kinds, rows), own)


def differences(
    before: Mapping[tuple[str, int], RecordRow], after: Mapping[tuple[str, int], RecordRow]
) -> tuple[list[RecordRow], list[tuple[str, int]]]:
    """Compare all rows of two times, by table and number: those that are new or otherwise, and which are
    gone. It looks at nothing else, so that any thread may do it."""
    return [row for key, row in after.items() if before.get(key) != row], [*before.keys() - after.keys()]


def by_number(rows: Iterable[RecordRow]) -> dict[tuple[str, int], RecordRow]:
    """Rows by table and number."""
    return {(row.table, cast("int", row.values[-1])): row for row in rows}


def missing(
    records: Records, kinds: Iterable[type[Record]], rows: Iterable[RecordRow]
) -> list[tuple[str, int]]:
    """Find the records of some kinds that are in none of the rows, by table and number."""
    found = {(row.table, row.values[-1]) for row in rows}
    return [
        (kind.table, number)
        for kind in kinds
        for number in records.all(kind)
        if (kind.table, number) not in found
    ]


def revise(
    records: Records, rows: Iterable[RecordRow], gone: Iterable[tuple[str, int]], own: Collection[str] = ()
) -> Difference:
    """Make some records what their rows say, and let go of others, by table and number. A record that was
    there stays the same object, and has of the columns in `own` what it had."""
    touched: list[Record] = []
    for table, number in gone:
        one = records.get(_kind(table), number)
        if one is not None:
            records.release(one)
            touched.append(one)
    found: list[RecordRow] = []
    for row in rows:
        one = records.get(_kind(row.table), cast("int", row.values[-1]))
        if one is None:
            found.append(row)
        elif (wanted := _but(own, one, row)) != record_row(one):
            put(one, RECORD_TABLES[one.table].columns, wanted.values[:-1])
            records.withdraw([one])
            touched.append(one)
    # In the order in which they were made.
    new = restore_records(sorted(found, key=lambda row: (row.table, row.values[-1])))
    records.load(new)
    return Difference([*touched, *new], new)


def _kind(table: str) -> type[Record]:
    return RECORD_TABLES[table].make


def _but(own: Collection[str], record: Record, row: RecordRow) -> RecordRow:
    """The row, with what a record has of some columns."""
    if not own:
        return row
    names = (column.name for column in RECORD_TABLES[row.table].columns)
    values = (
        getattr(record, name) if name in own else value
        for name, value in zip(names, row.values[:-1], strict=True)
    )
    return RecordRow(row.table, (*values, row.values[-1]))
