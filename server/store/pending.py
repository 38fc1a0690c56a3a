"""Changes that the store still has to write, as rows, so that no living object is kept for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.item import Item
from world.mobile import Mobile
from world.snapshot import CharacterRow, ItemRow, changed_row, item_row

if TYPE_CHECKING:
    from server.store.records import AuditRow, NoteRow
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

    def __len__(self) -> int:
        rows = len(self.characters) + len(self.items) + len(self.deleted)
        return rows + len(self.audit) + len(self.notes)

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
