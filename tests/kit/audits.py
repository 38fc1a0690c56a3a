"""What must be true of a running server, asked of it from outside: who holds each item, and whether the
database says the same. What clients see and believe is asked in `tests.kit.beliefs`.

Each function answers a list of sentences, empty if all is well. They are written against the rules and not
against the code that keeps them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from server.store.check import check_database
from server.store.rows import ITEM_COLUMNS, MARKS, QUESTS, SKILLS, character_of, many_of, select_characters
from server.store.tables import item
from world.item import Item, Layer
from world.mobile import Mobile, Posture
from world.snapshot import RECORD_TABLES, CharacterRow, ItemRow, character_row, item_row, record_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.store.database import Database
    from world.world import World

SITTING: Final = {Posture.STANDING: 0, Posture.CHAIR: 1, Posture.FLOOR: 2}
"""As Endless Online's client numbers them."""


# Who holds what


def holder_faults(world: World) -> list[str]:
    """Every item has exactly one holder, who knows of it, and every holder is somewhere."""
    faults = []
    claims: Counter[int] = Counter()
    for mobile in world.mobiles.values():
        if mobile.realm is None:
            faults.append(f"{mobile.name} is in the world and nowhere")
        elif mobile.realm.space.at(mobile.x, mobile.y).things.get(mobile.serial) is not mobile:
            faults.append(f"{mobile.name} is not where it says: {mobile.x} {mobile.y}")
        claims.update(worn.serial for worn in mobile.worn.values())
        if mobile.vault is not None:
            claims[mobile.vault.serial] += 1
            if mobile.vault.keeper != mobile.serial or mobile.vault.parent is not None:
                faults.append(f"the vault of {mobile.name} is not its own")
        faults += [
            f"{worn.label} ({worn.serial:#x}) is worn on {layer} and says {worn.layer}"
            for layer, worn in mobile.worn.items()
            if worn.layer != layer or worn.parent is not mobile
        ]
        held = mobile.held
        if held is not None:
            claims[held.serial] += 1
            if held.parent is not mobile or held.layer:
                faults.append(f"{held.label} ({held.serial:#x}) is in a hand and does not know")
    for thing in world.items.values():
        claims.update(thing.contents.keys())
        faults += [
            f"{inner.label} ({inner.serial:#x}) is in {thing.serial:#x} and does not know"
            for inner in thing.contents.values()
            if inner.parent is not thing
        ]
        if thing.realm is not None:
            claims[thing.serial] += 1
            if thing.parent is not None:
                faults.append(f"{thing.label} ({thing.serial:#x}) lies there and is held")
            if thing.realm.space.at(thing.x, thing.y).things.get(thing.serial) is not thing:
                faults.append(f"{thing.label} ({thing.serial:#x}) is not where it says: {thing.x} {thing.y}")
        if thing.amount < 1:
            faults.append(f"{thing.label} ({thing.serial:#x}): amount {thing.amount}")
    claims.update(_boxes(world))
    faults += [f"{serial:#x} is held and unknown" for serial in sorted(claims.keys() - world.items.keys())]
    for serial, thing in world.items.items():
        if claims[serial] != 1:
            faults.append(f"{thing.label} ({serial:#x}) has {claims[serial]} holders")
        elif isinstance(thing.root, Item) and thing.root.realm is None and not thing.root.keeper:
            faults.append(f"{thing.label} ({serial:#x}) is nowhere")
        elif isinstance(thing.root, Mobile) and thing.root.serial not in world.mobiles:
            faults.append(f"{thing.label} ({serial:#x}) is held by {thing.root.name}, who is gone")
    return faults


def _boxes(world: World) -> list[int]:
    """Serials of the boxes of all records."""
    return [
        getattr(record, column.path)
        for table in RECORD_TABLES.values()
        for column in table.columns
        if column.refers == "item"
        for record in world.records.all(table.make).values()
        if getattr(record, column.path)
    ]


def census(world: World) -> Counter[str]:
    """Amounts of all stored items in memory, by kind; corpses left out, which deaths make, and vaults, which
    are made when somebody needs one."""
    total: Counter[str] = Counter()
    for thing in world.items.values():
        if thing.stored and thing.remains is None and not thing.keeper:
            total[thing.template.key] += thing.amount
    return total


def stored_census(database: Database) -> Counter[str]:
    """The same of the database."""
    counts = item.c.remains.is_(None) & (item.c.layer != Layer.BANK)
    query = select(item.c.template, func.sum(item.c.amount)).where(counts)
    with database.read() as connection:
        rows = connection.execute(query.group_by(item.c.template))
        return Counter({template: int(amount) for template, amount in rows})


def census_faults(found: Counter[str], expected: Counter[str]) -> list[str]:
    """Conservation: nothing comes from nowhere, nothing goes there."""
    return [
        f"{found[kind]} {kind} instead of {expected[kind]}"
        for kind in sorted(found.keys() | expected.keys())
        if found[kind] != expected[kind]
    ]


# What is on disk


def stale_faults(world: World) -> list[str]:
    """Nothing waits to be written that left the world: it would be written over what has come back since."""
    return [
        f"{thing.name or getattr(thing, 'label', '?')} ({serial:#x}) was changed after it had left"
        for serial, thing in world.dirty.items()
        if world.mobiles.get(serial) is not thing and world.items.get(serial) is not thing
    ]


def stored_faults(database: Database, world: World) -> list[str]:
    """The database means something, in the words of this world."""
    findings = check_database(
        database, realms=world.content.charts.keys(), templates=world.content.items.keys()
    )
    return [f"database: {finding.kind} {finding.serial:#x}: {finding.detail}" for finding in findings]


def durable_faults(database: Database, world: World) -> list[str]:
    """Memory and database agree. For a moment at which everything is on disk."""
    with database.read() as connection:
        characters = {
            row.serial: character_of(
                row,
                *(
                    many_of(connection, [row.serial], question)[row.serial]
                    for question in (SKILLS, QUESTS, MARKS)
                ),
            )
            for row in connection.execute(select_characters())
        }
        items = {row.serial: ItemRow._make(row) for row in connection.execute(select(*ITEM_COLUMNS))}
    rows = {(row.table, int(str(row.values[-1]))): row.values for row in database.records()}
    known = {
        (name, number): record_row(record).values
        for name, table in RECORD_TABLES.items()
        for number, record in world.records.all(table.make).items()
    }
    faults = [
        f"{name} {number} is {rows.get((name, number))} in the database, and {known.get((name, number))}"
        for name, number in sorted({*rows, *known})
        if rows.get((name, number)) != known.get((name, number))
    ]
    for mobile in world.mobiles.values():
        if mobile.stored:
            faults += _row_faults(mobile.name, characters.get(mobile.serial), character_row(mobile))
    for thing in world.items.values():
        if thing.stored:
            label = f"{thing.label} ({thing.serial:#x})"
            faults += _row_faults(label, items.get(thing.serial), item_row(thing))
    for serial, row in items.items():
        if serial not in world.items:
            root = _root(row, items)
            if root is None or root in world.mobiles or root not in characters:
                faults.append(f"the database has {row.template} {serial:#x}, the world has not")
    return faults


def _row_faults(
    label: str, stored: ItemRow | CharacterRow | None, wanted: ItemRow | CharacterRow
) -> list[str]:
    if stored == wanted:
        return []
    if stored is None:
        return [f"{label} is not in the database"]
    differing = [
        f"{field} {old!r} instead of {new!r}"
        for field, old, new in zip(wanted._fields, stored, wanted, strict=True)
        if old != new
    ]
    return [f"{label} in the database: {', '.join(differing)}"]


def _root(row: ItemRow, items: Mapping[int, ItemRow]) -> int | None:
    """The serial of the outermost holder; None if that is the ground."""
    for _ in range(len(items)):
        if row.parent is None:
            return None
        if row.parent not in items:
            return row.parent
        row = items[row.parent]
    return None
