"""Checks of a stored world: statements that must be true whatever happened to it.

The database's own checks find broken pages; these find broken meaning: an item nobody holds, a ring of
containers, gold that came from nowhere. `repair` moves what has no place into a lost-and-found container and
deletes nothing.

The idea: read everything once, into the rows of `world.snapshot`, and look at it with plain Python. SQL
could say most of it, but not the same for two databases, and nobody could read the query for a ring. What
is found is named by kind and serial, so that a script can count it. Nothing is deleted, because what
looks like rubbish is somebody's sword.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, delete, func, literal_column, select, update

from server.store.batch import statements_of
from server.store.fence import HOME
from server.store.rows import ITEM_COLUMNS, character_of, referring, select_characters
from server.store.tables import account, allocator, audit, character, character_notes, item, meta, records
from world.item import Layer
from world.serials import FIRST_ITEM, FIRST_MOBILE, LAST_ITEM, LAST_MOBILE
from world.snapshot import CharacterRow, ItemRow
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from server.store.database import Database

LOST_AND_FOUND = "lost and found"
"""The name by which the container of `repair` is known."""


class Finding(NamedTuple):
    """One thing that is wrong. `kind` is a word for tables, `serial` 0 when no single thing is at fault."""

    kind: str
    serial: int
    detail: str


def check_database(
    database: Database, *, realms: Collection[str] | None = None, templates: Collection[str] | None = None
) -> list[Finding]:
    """Everything that is wrong; with `realms` and `templates` (of items) also names that are not in them."""
    with database.read() as connection:
        return _findings(connection, realms, templates)


def repair_database(
    database: Database,
    *,
    template: str,
    realm: str,
    x: int,
    y: int,
    z: int = 0,
    realms: Collection[str] | None = None,
) -> list[Finding]:
    """Mend what can be mended and return what was wrong; another check tells what still is.

    Items without a place go into a container of `template` on that tile; characters in unknown realms are put
    there too; notes about nobody go to the audit; sums and marks are made to fit the rows. Nothing is lost.
    """
    with database.write() as connection:
        found = _findings(connection, realms, None)
        homeless = {row.serial for row in found if row.kind in _HOMELESS}
        _mend_marks(connection)
        _file_notes_of_nobody(connection)
        if homeless:
            container = _lost_and_found(connection, template, realm, x, y, z)
            rows = [_item(row) for row in connection.execute(select(*ITEM_COLUMNS)) if row.serial in homeless]
            statements_of(connection.dialect).write_items(
                connection,
                [row._replace(parent=container, layer=0, realm=None, x=0, y=0, z=0) for row in rows],
            )
        strayed = [row.serial for row in found if row.kind == "realm" and row.serial < FIRST_ITEM]
        for serial in strayed:
            moved = update(character).where(character.c.serial == serial)
            connection.execute(moved.values(realm=realm, x=x, y=y, z=z))
        elsewhere = select(func.coalesce(func.sum(meta.c.gold), 0)).where(meta.c.id != HOME)
        missing = _gold(connection) - int(connection.scalar(elsewhere) or 0)
        connection.execute(update(meta).where(meta.c.id == HOME).values(gold=missing))
    return found


_MARKS = select(allocator.c.mobile_mark, allocator.c.item_mark)
_NOTE_KEY = tuple(character_notes.primary_key)
_OF_NOBODY = character_notes.c.character.not_in(select(character.c.serial))

# Kinds that mean: this item is nowhere, or nowhere it could be reached.
_HOMELESS = frozenset({"holder", "nowhere", "two holders", "ring", "layer", "realm"})


def _findings(
    connection: Connection, realms: Collection[str] | None, templates: Collection[str] | None
) -> list[Finding]:
    found = _structure(connection)
    if found:
        # Rows read from broken pages prove nothing.
        return found
    characters = [character_of(row) for row in connection.execute(select_characters())]
    items = [_item(row) for row in connection.execute(select(*ITEM_COLUMNS))]
    boxes = _boxes(connection)
    return [
        *_accounts(connection, characters),
        *_notes(connection),
        *_records(connection, boxes),
        *_serials(connection, characters, items),
        *_holders(characters, items, boxes.keys()),
        *_rings(items),
        *_worn(items, boxes.keys()),
        *_amounts(connection, items),
        *_names(characters, items, realms, templates),
    ]


def _structure(connection: Connection) -> list[Finding]:
    if connection.dialect.name != "sqlite":
        return []
    lines = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    return [Finding("structure", 0, str(line)) for line in lines if line != "ok"]


def _accounts(connection: Connection, characters: Iterable[CharacterRow]) -> list[Finding]:
    known = set(connection.execute(select(account.c.id)).scalars())
    return [
        Finding("account", row.serial, f"{row.name} belongs to no account ({row.account})")
        for row in characters
        if row.account not in known
    ]


def _notes(connection: Connection) -> list[Finding]:
    return [
        Finding("note", row.character, f"the note {row.key} of {row.game} is about no character")
        for row in connection.execute(select(character_notes).where(_OF_NOBODY).order_by(*_NOTE_KEY))
    ]


def _boxes(connection: Connection) -> Counter[int]:
    """Serials of the boxes that records have, and how many have each."""
    return Counter(
        serial
        for _, column in referring("item")
        for serial in connection.scalars(select(column).where(column != 0))
    )


def _records(connection: Connection, boxes: Counter[int]) -> list[Finding]:
    """Records that refer to what is not there, and boxes that more than one of them has."""
    known = {"character": character.c.serial, "item": item.c.serial}
    known |= {name: table.c.number for name, table in records.items()}
    found = []
    for to, key in known.items():
        there = {0, *connection.scalars(select(key))}
        for name, column in referring(to):
            rows = connection.execute(select(records[name].c.number, column).order_by(records[name].c.number))
            found += [
                Finding("record", number, f"{name} {number} refers to {to} {at:#x}, which is not there")
                for number, at in rows
                if at not in there
            ]
    shared = sorted(serial for serial, times in boxes.items() if times > 1)
    return found + [Finding("box", serial, "is the box of more than one record") for serial in shared]


def _serials(
    connection: Connection, characters: Iterable[CharacterRow], items: Iterable[ItemRow]
) -> list[Finding]:
    mobile_mark, item_mark = connection.execute(_MARKS).one()
    found = [
        Finding("serial", row.serial, f"not among the characters given out so far (mark {mobile_mark:#x})")
        for row in characters
        if not FIRST_MOBILE <= row.serial < min(mobile_mark, LAST_MOBILE + 1)
    ]
    found += [
        Finding("serial", row.serial, f"not among the items given out so far (mark {item_mark:#x})")
        for row in items
        if not FIRST_ITEM <= row.serial < min(item_mark, LAST_ITEM + 1)
    ]
    return found


def _holders(
    characters: Iterable[CharacterRow], items: Sequence[ItemRow], boxes: Collection[int]
) -> list[Finding]:
    holders = {row.serial for row in characters} | {row.serial for row in items}
    found = []
    for row in items:
        if row.parent is None:
            if row.realm is None and (row.layer != Layer.BANK or row.serial not in boxes):
                found.append(Finding("nowhere", row.serial, f"{row.template} has neither holder nor place"))
        elif row.realm is not None:
            found.append(
                Finding("two holders", row.serial, f"{row.template} is in {row.parent:#x} and in {row.realm}")
            )
        elif row.parent not in holders:
            found.append(Finding("holder", row.serial, f"{row.template} is held by nobody ({row.parent:#x})"))
    return found


def _rings(items: Sequence[ItemRow]) -> list[Finding]:
    """Items that contain themselves. One of each ring is named: taking that one out opens it."""
    parents = {row.serial: row.parent for row in items}
    settled: set[int] = set()
    found = []
    for serial in parents:
        path: dict[int, None] = {}
        at: int | None = serial
        while at is not None and at in parents and at not in settled:
            if at in path:
                found.append(Finding("ring", at, "contains itself"))
                break
            path[at] = None
            at = parents[at]
        settled.update(path)
    return found


def _worn(items: Iterable[ItemRow], boxes: Collection[int]) -> list[Finding]:
    taken: set[tuple[int, int]] = set()
    found = []
    for row in items:
        if not row.layer or (row.layer == Layer.BANK and row.serial in boxes):
            continue
        if row.parent is None or row.parent >= FIRST_ITEM:
            found.append(Finding("layer", row.serial, f"is on layer {row.layer} of nobody"))
        elif (row.parent, row.layer) in taken:
            found.append(Finding("layer", row.serial, f"shares layer {row.layer} of {row.parent:#x}"))
        else:
            taken.add((row.parent, row.layer))
    return found


def _amounts(connection: Connection, items: Iterable[ItemRow]) -> list[Finding]:
    found = [Finding("amount", row.serial, f"amount {row.amount}") for row in items if row.amount < 1]
    # The row of one world may be below zero: what it has given to others was counted elsewhere.
    expected = int(connection.scalar(select(func.sum(meta.c.gold))) or 0)
    gold = _gold(connection)
    if gold != expected:
        found.append(Finding("gold", 0, f"the items hold {gold} gold, {expected} were recorded"))
    return found


def _names(
    characters: Iterable[CharacterRow],
    items: Iterable[ItemRow],
    realms: Collection[str] | None,
    templates: Collection[str] | None,
) -> list[Finding]:
    found = []
    if realms is not None:
        places = [(row.serial, row.realm) for row in characters]
        places += [(row.serial, row.realm) for row in items if row.parent is None]
        found += [
            Finding("realm", serial, f"is in the unknown realm {realm!r}")
            for serial, realm in places
            if realm is not None and realm not in realms
        ]
    if templates is not None:
        found += [
            Finding("template", row.serial, f"is of the unknown kind {row.template!r}")
            for row in items
            if row.template not in templates
        ]
    return found


def _gold(connection: Connection) -> int:
    total = select(func.coalesce(func.sum(item.c.amount), literal_column("0"))).where(item.c.template == GOLD)
    return int(connection.scalar(total) or 0)


def _mend_marks(connection: Connection) -> None:
    mobile_mark, item_mark = connection.execute(_MARKS).one()
    mobile = connection.scalar(select(func.max(character.c.serial))) or 0
    last = connection.scalar(select(func.max(item.c.serial))) or 0
    connection.execute(
        update(allocator).values(mobile_mark=max(mobile_mark, mobile + 1), item_mark=max(item_mark, last + 1))
    )


def _file_notes_of_nobody(connection: Connection) -> None:
    stamp = connection.execute(select(meta.c.wall, meta.c.tick).where(meta.c.id == HOME)).one()
    for row in connection.execute(select(character_notes).where(_OF_NOBODY).order_by(*_NOTE_KEY)).all():
        detail = f"{row.game} {row.key} of {row.character:#x}: {row.text}"
        filed = {"at": stamp.wall, "tick": stamp.tick, "who": "repair", "what": "note about nobody"}
        connection.execute(audit.insert().values(**filed, detail=detail))
    connection.execute(delete(character_notes).where(_OF_NOBODY))


def _lost_and_found(connection: Connection, template: str, realm: str, x: int, y: int, z: int) -> int:
    """The serial of the container on the ground; it is made when it is first needed."""
    known = connection.scalar(
        select(item.c.serial).where(item.c.name == LOST_AND_FOUND, item.c.realm.is_not(None)).limit(1)
    )
    if known is not None:
        return int(known)
    serial = int(connection.scalar(select(allocator.c.item_mark)) or FIRST_ITEM)
    connection.execute(update(allocator).values(item_mark=serial + 1))
    row = ItemRow(serial, template, None, 0, 0, 0, realm, x, y, z, 1, 0, LOST_AND_FOUND)
    connection.execute(item.insert().values(row._asdict()))
    return serial


def _item(row: Sequence[object]) -> ItemRow:
    return ItemRow._make(row)
