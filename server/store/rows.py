"""Selects and reads rows of characters and items, for all modules that need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import bindparam, select

from server.store.tables import character, item, journal, mark, parts, records, skill
from world.snapshot import (
    CHARACTER,
    RECORD_TABLES,
    CharacterParts,
    CharacterRow,
    ItemRow,
    RecordRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import BindParameter, Column, Connection, Row, Select
    from sqlalchemy.sql.elements import ColumnElement

CHARACTER_COLUMNS = [
    *(character.c[column.name] for column in CHARACTER),
    *(column for part in parts for column in part.columns),
]
"""A character's own row, and behind it those of its parts; all NULL where it has not got one."""

ITEM_COLUMNS = [item.c[name] for name in ItemRow._fields]


def select_characters(*also: ColumnElement[object]) -> Select[tuple[object, ...]]:
    """A question for characters with their parts: what `character_of` reads, and other columns behind it."""
    question: Select[tuple[object, ...]] = select(*CHARACTER_COLUMNS, *also).select_from(character)
    for part in parts:
        question = question.outerjoin(part, part.c.character == character.c.serial)
    return question


def character_of(
    row: Sequence[object],
    skills: Iterable[Sequence[object]] = (),
    quests: Iterable[Sequence[object]] = (),
    marks: Iterable[Sequence[object]] = (),
    *,
    following: Iterable[RecordRow] = (),
) -> CharacterRow:
    """The character of a row of `CHARACTER_COLUMNS`; `following` are the records that go with it."""
    at = len(CHARACTER)
    rows: list[tuple[object, ...] | None] = []
    for part in parts:
        values = tuple(row[at : at + len(part.columns)])
        rows.append(None if values[-1] is None else values)
        at += len(part.columns)
    many = (tuple(map(tuple, skills)), tuple(map(tuple, quests)), tuple(map(tuple, marks)), tuple(following))
    return CharacterRow((*row[: len(CHARACTER)], CharacterParts(tuple(rows), *many)))


def many_of(
    connection: Connection, serials: Iterable[int], question: Select[tuple[object, ...]]
) -> dict[int, list[Row[tuple[object, ...]]]]:
    """The rows of characters' skills, quests or marks (`SKILLS` and so on), in order, by character."""
    found: dict[int, list[Row[tuple[object, ...]]]] = {serial: [] for serial in serials}
    for row in connection.execute(question, {"serials": list(found)}):
        found[row.character].append(row)
    return found


def following_of(connection: Connection, serials: Iterable[int]) -> dict[int, list[RecordRow]]:
    """The records that are read with characters, each kind in the order in which they were made, by
    character."""
    found: dict[int, list[RecordRow]] = {serial: [] for serial in serials}
    for name, question in _READ_WITH.items():
        for row in connection.execute(question, {"serials": list(found)}):
            found[row[FOLLOWING[name].place]].append(RecordRow(name, tuple(row)))
    return found


def item_rows(rows: Iterable[Row[tuple[object, ...]]]) -> list[ItemRow]:
    """The items of rows of `ITEM_COLUMNS`."""
    return [ItemRow._make(row) for row in rows]


def items_under(roots: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    """The items that fulfil `roots` and, to any depth, what they contain; by serial."""
    tree = select(item.c.serial).where(roots).cte("tree", recursive=True)
    # UNION without ALL visits nothing twice, so that even a ring of containers comes to an end.
    tree = tree.union(select(item.c.serial).join(tree, item.c.parent == tree.c.serial))
    return select(*ITEM_COLUMNS).where(item.c.serial.in_(select(tree.c.serial))).order_by(item.c.serial)


def referring(to: str) -> list[tuple[str, ColumnElement[int]]]:
    """The columns of records that refer to rows of the table `to`, each with the name of its own table. 0 in
    one of them refers to nothing."""
    return [
        (name, records[name].c[column.name])
        for name, table in RECORD_TABLES.items()
        for column in table.columns
        if column.refers == to
    ]


class Following(NamedTuple):
    """A kind of records that go with characters (`world.records`)."""

    owner: Column[object]
    """The column with these."""
    place: int
    """Of that among all."""
    sent: bool
    """Whether others may send them one."""


FOLLOWING: Final = {
    name: Following(
        records[name].c[table.make.of],
        [column.name for column in table.columns].index(table.make.of),
        table.make.sent,
    )
    for name, table in RECORD_TABLES.items()
    if table.make.of
}
"""All of these kinds, by the names of their tables."""

_ASKED: Final[BindParameter[object]] = bindparam("serials", expanding=True)
_READ_WITH: Final = {
    name: select(records[name]).where(kind.owner.in_(_ASKED)).order_by(records[name].c.number)
    for name, kind in FOLLOWING.items()
    if not kind.sent
}
SKILLS: Final = select(skill).where(skill.c.character.in_(_ASKED)).order_by(skill.c.character, skill.c.name)
QUESTS: Final = (
    select(journal).where(journal.c.character.in_(_ASKED)).order_by(journal.c.character, journal.c.quest)
)
MARKS: Final = select(mark).where(mark.c.character.in_(_ASKED)).order_by(mark.c.character, mark.c.name)
