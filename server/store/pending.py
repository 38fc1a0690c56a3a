"""Changes that the store still has to write, as rows, so that no living object is kept for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from server.store.records import Batch
from world.item import Item
from world.mobile import Mobile
from world.snapshot import CharacterRow, ItemRow, RecordRow, changed_row, item_row, record_row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from server.store.records import AuditRow, NoteRow, ParcelRow, TransferRow
    from world.records import Record
    from world.thing import Thing


@attrs.define
class Pending:
    """Rows to write and serials to delete; a serial is in one of them only."""

    characters: dict[int, CharacterRow] = attrs.field(factory=dict)
    items: dict[int, ItemRow] = attrs.field(factory=dict)
    deleted: set[int] = attrs.field(factory=set)
    audit: list[AuditRow] = attrs.field(factory=list)
    notes: dict[tuple[int, str, str], NoteRow] = attrs.field(factory=dict)
    """By character, game and key."""
    records: dict[tuple[str, int], RecordRow] = attrs.field(factory=dict)
    ended: set[tuple[str, int]] = attrs.field(factory=set)
    """Records, and those that ceased to exist: by table and number, each in one of the two only."""
    left: set[int] = attrs.field(factory=set)
    """Characters that have left, where other worlds may have them next."""
    transfers: dict[int, TransferRow] = attrs.field(factory=dict)
    """Characters that pass to another world, by serial."""
    sent: dict[str, ParcelRow] = attrs.field(factory=dict)
    """Parcels for other worlds, by id."""
    taken: dict[str, None] = attrs.field(factory=dict)
    """Parcels that were taken, in their order."""

    def __len__(self) -> int:
        rows = len(self.characters) + len(self.items) + len(self.deleted)
        rows += len(self.audit) + len(self.notes) + len(self.records) + len(self.ended)
        return rows + len(self.left) + len(self.transfers) + len(self.sent) + len(self.taken)

    def add(self, things: dict[int, Thing], deleted: set[int]) -> None:
        """Add things as they are now. They win over older rows; a delete wins over any row, old or new."""
        gone = self.deleted
        gone |= deleted
        characters, items = self.characters, self.items
        for serial in deleted:
            items.pop(serial, None)
        for serial, thing in things.items():
            if serial in gone:
                continue
            if isinstance(thing, Item):
                items[serial] = item_row(thing)
            elif isinstance(thing, Mobile):
                row, older = changed_row(thing), characters.get(serial)
                characters[serial] = row if older is None else row.over(older)

    def add_records(
        self,
        changed: Mapping[tuple[str, int], Record],
        ended: set[tuple[str, int]],
        keeps: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Add records as they are now; the same holds for them. `keeps`: whether those of a table are
        written."""
        self.ended |= {key for key in ended if keeps(key[0])}
        self.records |= {key: record_row(record) for key, record in changed.items() if keeps(key[0])}
        self._drop_ended()

    def put_back(self, older: Pending) -> None:
        """Take back a batch that failed, under what was added since."""
        self.deleted |= older.deleted
        newer = {
            serial: row.over(older.characters[serial]) if serial in older.characters else row
            for serial, row in self.characters.items()
        }
        self.characters = older.characters | newer
        self.items = older.items | self.items
        for serial in self.deleted:
            self.items.pop(serial, None)
        self.audit = older.audit + self.audit
        self.notes = older.notes | self.notes
        self.records = older.records | self.records
        self.ended |= older.ended
        self._drop_ended()
        self.left |= older.left
        self.transfers = older.transfers | self.transfers
        self.sent = older.sent | self.sent
        self.taken = older.taken | self.taken

    def batch(self, tick: int, wall: float, wanted: tuple[int, int] | None) -> Batch:
        """All of it as one batch, at the end of a tick; `wanted` are numbers of serials to reserve."""
        return Batch(
            tick,
            wall,
            list(self.characters.values()),
            list(self.items.values()),
            list(self.deleted),
            wanted,
            self.audit,
            list(self.notes.values()),
            list(self.records.values()),
            list(self.ended),
            list(self.left),
            list(self.transfers.values()),
            list(self.sent.values()),
            list(self.taken),
        )

    def _drop_ended(self) -> None:
        for key in self.ended:
            self.records.pop(key, None)
