"""Copies of records, in a world that does not keep them: whenever something has changed where they are kept
(`world.books`), all rows of a kind come again, and the records become what these say.

They are records as where they are kept, so that every rule that only looks finds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.snapshot import RECORD_TABLES, RecordRow, record_row, restore_records
from world.stored import put

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

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
    """Make the records of some kinds what the rows say, which are all there are. A record that was there
    stays the same object, and has of the columns in `own` what it had."""
    found = {(row.table, row.values[-1]): row for row in rows}
    touched: list[Record] = []
    for kind in kinds:
        for one in list(records.all(kind).values()):
            row = found.pop((one.table, one.number), None)
            if row is None:
                records.release(one)
            elif (wanted := _but(own, one, row)) != record_row(one):
                put(one, RECORD_TABLES[one.table].columns, wanted.values[:-1])
                records.withdraw([one])
            else:
                continue
            touched.append(one)
    # In the order in which they were made.
    new = restore_records(sorted(found.values(), key=lambda row: (row.table, row.values[-1])))
    records.load(new)
    return Difference([*touched, *new], new)


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
