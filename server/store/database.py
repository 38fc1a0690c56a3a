"""The database, spoken to synchronously. `server.store.writer` decides in which thread.

One connection writes, up to four read and cannot write. Creating and deleting accounts and characters are
transactions of their own and answer whether a name is taken; what changes in the world comes in batches
(`server.store.batch`).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, cast

from sqlalchemy import Connection, Row, Select, bindparam, delete, func, insert, literal, select, update
from sqlalchemy.exc import IntegrityError

from server.store.backup import publish
from server.store.batch import BatchStatements
from server.store.engine import database_path, reading_engine, writing_engine
from server.store.errors import DatabaseReplaced, WorldLost
from server.store.records import (
    AccountRow,
    AuditRow,
    Batch,
    CharacterSummary,
    ExpiredCharacter,
    Meta,
    OrderRow,
    Refusal,
    Reservation,
)
from server.store.tables import (
    account,
    admin_order,
    audit,
    character,
    character_name,
    character_notes,
    item,
    meta,
    metadata,
    parts,
    skill,
    world,
)
from server.store.text import storable
from world.names import name_key, short_names
from world.serials import BLOCK, FIRST_ITEM, FIRST_MOBILE, LAST_ITEM, LAST_MOBILE
from world.snapshot import CHARACTER, CharacterParts, CharacterRow, ItemRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy.sql.elements import ColumnElement

CHARACTER_COLUMNS = [
    *(character.c[column.name] for column in CHARACTER),
    *(column for part in parts for column in part.columns),
]
"""A character's own row, and behind it those of its parts; all NULL where it has not got one."""


TRIED_AT_ONCE: Final = 16
"""Short names that are asked about in one question."""
ITEM_COLUMNS = [item.c[name] for name in ItemRow._fields]
ACCOUNT_COLUMNS = [account.c[name] for name in AccountRow._fields]


WORLD: Final = 1
"""Which row of the table `world` a database's world is."""


def start_meta(connection: Connection) -> None:
    """The one row of `meta`, and that of `world`, in a database that was created just now."""
    first = {"mobile_mark": FIRST_MOBILE, "item_mark": FIRST_ITEM}
    connection.execute(insert(meta).values(id=1, tick=0, wall=0.0, clean=True, gold=0, **first))
    connection.execute(insert(world).values(id=WORLD, epoch=0, beat=func.now()))


class Database:
    """An open database. A file must be up to date (`server.store.migrate.upgrade`); one in memory is created
    here.

    Writing methods run one at a time, reading methods at most four at a time unless `shared`; any thread will
    do. Failures of the database itself come as SQLAlchemy's exceptions, nothing is then half done.

    On PostgreSQL opening it takes the world over, and whoever had it before writes nothing more: every
    writing method then raises `WorldLost`. SQLite has the lock of a file for that.
    """

    def __init__(
        self,
        url: str,
        *,
        synchronous: str = "full",
        busy_seconds: float = 5.0,
        readers: int = 4,
        guest: bool = False,
    ) -> None:
        """A `guest` shares the database with a world server: it writes accounts, and nothing of the world.
        Everybody else raises DatabaseHeld if another process writes here."""
        self.path = database_path(url)
        self.shared = url.startswith("sqlite") and self.path is None
        """Whether readers use the writing connection: a database in memory has no other."""
        self._writing = writing_engine(url, synchronous=synchronous, busy_seconds=busy_seconds, guest=guest)
        self._reading = (
            self._writing if self.shared else reading_engine(url, readers=readers, busy_seconds=busy_seconds)
        )
        self._connection = self._writing.connect()
        self._statements = BatchStatements(self._writing.dialect)
        if self.shared:
            with self._connection.begin():
                metadata.create_all(self._connection)
                start_meta(self._connection)
        self._file = self._file_now()
        self._unsure: dict[tuple[int, float], int] = {}
        """Notes by stamp of the batches whose commit failed since the last one that did not."""
        self._lost = False
        self.epoch: int | None = None
        """Under which this process has the world; None of guests, and where a file lock keeps others out."""
        if not guest and not url.startswith("sqlite"):
            self.epoch = self._take_over()

    def close(self) -> None:
        """Close every connection. Nothing is written."""
        self._connection.close()
        self._reading.dispose()
        self._writing.dispose()

    @contextlib.contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction on the writing connection.

        Raises `DatabaseReplaced` if the file was taken away meanwhile: nothing is committed then, but what
        was before is saved to a new file.
        """
        try:
            with self._transaction():
                yield self._connection
        except DatabaseReplaced as error:
            rescued = self._rescue()
            saved = f"; what was in it is now {rescued}" if rescued is not None else ""
            raise DatabaseReplaced(f"{error}{saved}", rescued) from error

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent look at the database."""
        if self.shared:
            with self._connection.begin():
                yield self._connection
        else:
            with self._reading.connect() as connection, connection.begin():
                yield connection

    # The world as a whole

    def beat(self) -> None:
        """Say that this world is alive, and find out whether it still is this process's."""
        with self.write():
            pass  # every transaction begins with that

    def meta(self) -> Meta:
        """What is known about the whole world."""
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
        """Every item that lies in a realm, with everything inside it."""
        with self.read() as connection:
            return _item_rows(connection.execute(_ON_THE_GROUND))

    def mark_clean(self) -> None:
        """The last thing a server writes when it stops in good order."""
        with self.write() as connection:
            connection.execute(update(meta).values(clean=True))
        if self.path is not None:
            self._sqlite().execute("PRAGMA wal_checkpoint(TRUNCATE)").close()

    # Accounts

    def account(self, name: str) -> AccountRow | None:
        """The account of that name, in any case."""
        return self._account(_ACCOUNT_BY_NAME, name=name.lower())

    def account_by_id(self, account_id: int) -> AccountRow | None:
        """The account of that number."""
        return self._account(_ACCOUNT_BY_ID, id=account_id)

    def accounts(self) -> list[AccountRow]:
        """Every account, by name."""
        with self.read() as connection:
            rows = connection.execute(select(*ACCOUNT_COLUMNS).order_by(account.c.name))
            return [AccountRow._make(row) for row in rows]

    def create_account(self, name: str, password: str, at: float, access: int = 0) -> AccountRow | Refusal:
        """A new account; `password` is its hash. Refuses a name that is taken in any case."""
        values = {
            "name": name.lower(),
            "password": password,
            "access": access,
            "created_at": at,
            "ban_reason": "",
            "last_address": "",
        }
        try:
            with self.write() as connection:
                row = connection.execute(insert(account).values(values).returning(*ACCOUNT_COLUMNS)).one()
                return AccountRow._make(row)
        except IntegrityError:
            return Refusal.TAKEN

    def set_password(self, account_id: int, password: str) -> None:
        """Store another hash."""
        self._set_account(account_id, password=password)

    def replace_password(self, account_id: int, old: str, new: str) -> bool:
        """Store another hash in the place of `old`; False if that is not the stored one any more."""
        with self.write() as connection:
            same = (account.c.id == account_id) & (account.c.password == old)
            return connection.execute(update(account).where(same).values(password=new)).rowcount == 1

    def set_access(self, account_id: int, access: int) -> None:
        """Set the level of staff (`world.mobile.Access`)."""
        self._set_account(account_id, access=access)

    def ban(self, account_id: int, until: float | None, reason: str) -> None:
        """Ban until that time (seconds UTC; infinity is for ever); None lifts the ban."""
        self._set_account(account_id, banned_until=until, ban_reason=storable(reason))

    def note_login(self, account_id: int, at: float, address: str) -> None:
        """Remember the last login."""
        with self.write() as connection:
            connection.execute(_NOTE_LOGIN, {"which": account_id, "at": at, "address": address})

    # Characters

    def characters(self, account_id: int) -> list[CharacterSummary]:
        """The account's characters in creation order, each with what it wears, and without its skills."""
        with self.read() as connection:
            found = connection.execute(_CHARACTERS, {"account": account_id}).all()
            rows = [(character_of(row), cast("float | None", row[-1])) for row in found]
            worn: dict[int, list[ItemRow]] = {row.serial: [] for row, _ in rows}
            for item_row in _item_rows(connection.execute(_WORN, {"wearers": list(worn)})):
                if item_row.parent is not None:
                    worn[item_row.parent].append(item_row)
        return [CharacterSummary(row, delete_at, worn[row.serial]) for row, delete_at in rows]

    def character(self, serial: int) -> tuple[CharacterRow, list[ItemRow]] | None:
        """One character with everything it wears and carries; None also if it awaits deletion."""
        with self.read() as connection:
            row = connection.execute(_CHARACTER, {"serial": serial}).one_or_none()
            if row is None:
                return None
            items = _item_rows(connection.execute(_BELONGINGS, {"holder": serial}))
            return character_of(row, skills_of(connection, serial)), items

    def create_character(
        self, row: CharacterRow, items: Sequence[ItemRow], limit: int
    ) -> CharacterRow | Refusal:
        """A new character and its belongings; its row as it is now, since a short name is found for it if
        that has none, or a taken one. Refuses a taken name, and more than `limit` per account."""
        try:
            with self.write() as connection:
                owned = select(func.count()).where(character.c.account == row.account)
                if int(connection.scalar(owned) or 0) >= limit:
                    return Refusal.FULL
                key = name_key(row.name)
                if _taken(connection, [key]):
                    return Refusal.TAKEN
                short = _free_short_name(connection, row, key)
                if short is None:
                    return Refusal.TAKEN
                row = row._replace(short_name=short)
                self._statements.create_character(connection, row)
                names = [{"key": one, "character": row.serial} for one in {key, name_key(short)}]
                connection.execute(insert(character_name), names)
                self._statements.write_items(connection, items)
        except IntegrityError:
            # Another process took the name between question and insert; anything else is not ours to hide.
            if self.name_taken(row.name) or self.name_taken(row.short_name):
                return Refusal.TAKEN
            raise
        return row

    def name_taken(self, name: str) -> bool:
        """Whether a character has this name or short name, or one that looks like it."""
        with self.read() as connection:
            return bool(_taken(connection, [name_key(name)]))

    def owner(self, serial: int) -> int | None:
        """The number of the account that has this character."""
        with self.read() as connection:
            return connection.scalar(_OWNER, {"serial": serial})

    def delete_character(self, account_id: int, serial: int) -> bool:
        """Delete the account's character with all it has; False if there is none."""
        with self.write() as connection:
            if connection.scalar(select(literal(1)).where(_is(account_id, serial))) is None:
                return False
            self._delete_character(connection, serial)
        return True

    def delete_account(self, account_id: int) -> bool:
        """Delete an account with all its characters and what they have; False if there is none."""
        with self.write() as connection:
            for row in connection.execute(_CHARACTERS, {"account": account_id}).all():
                self._delete_character(connection, row.serial)
            return connection.execute(delete(account).where(account.c.id == account_id)).rowcount == 1

    def schedule_deletion(self, account_id: int, serial: int, at: float) -> bool:
        """The account's character is to be deleted at that time (seconds UTC); False if there is none."""
        with self.write() as connection:
            scheduled = update(character).where(_is(account_id, serial)).values(delete_at=at)
            return connection.execute(scheduled).rowcount == 1

    def restore_character(self, account_id: int, serial: int, now: float) -> bool:
        """The account's character is not to be deleted any more; False if there is none, or its time was
        over."""
        with self.write() as connection:
            in_time = character.c.delete_at.is_(None) | (character.c.delete_at > now)
            restored = update(character).where(_is(account_id, serial), in_time).values(delete_at=None)
            return connection.execute(restored).rowcount == 1

    def has_expired(self, now: float) -> bool:
        """Whether there is a character whose time is over."""
        with self.read() as connection:
            return connection.execute(_EXPIRED, {"now": now}).first() is not None

    def delete_expired(self, now: float) -> list[ExpiredCharacter]:
        """Delete the characters whose time is over, with all they have."""
        with self.write() as connection:
            expired = [ExpiredCharacter._make(row) for row in connection.execute(_EXPIRED, {"now": now})]
            for row in expired:
                self._delete_character(connection, row.serial)
        return expired

    def note(self, serial: int, game: str, key: str) -> str | None:
        """What a game keeps about a character under that key."""
        with self.read() as connection:
            return connection.scalar(_NOTE, {"character": serial, "game": game, "key": key})

    def notes(self, game: str, key: str) -> dict[int, str]:
        """What a game keeps under that key, by the serial of the character."""
        with self.read() as connection:
            rows = connection.execute(_NOTES, {"game": game, "key": key})
            return {row.character: row.text for row in rows}

    # Staff

    def append_audit(self, rows: Iterable[AuditRow]) -> None:
        """Write audit rows that belong to no batch."""
        values = [{**row._asdict(), "detail": storable(row.detail)} for row in rows]
        if values:
            with self.write() as connection:
                connection.execute(insert(audit), values)

    def orders(self) -> list[int]:
        """The numbers of the orders that wait in `admin_order`, oldest first."""
        with self.read() as connection:
            return list(connection.scalars(_WAITING_ORDERS))

    def order(self, order_id: int) -> OrderRow:
        """One order. Other programs write these rows, and SQLite lets them write anything: reading one may
        fail, and its fields may be of any type."""
        with self.read() as connection:
            columns = [admin_order.c[name] for name in OrderRow._fields]
            found = connection.execute(select(*columns).where(admin_order.c.id == order_id))
            return OrderRow._make(found.one())

    def finish_order(self, order_id: int, at: float, result: str) -> None:
        """Answer an order; it is not polled again."""
        with self.write() as connection:
            done = update(admin_order).where(admin_order.c.id == order_id)
            connection.execute(done.values(done_at=at, result=storable(result)))

    # Inside

    def _delete_character(self, connection: Connection, serial: int) -> None:
        belongings = [row.serial for row in connection.execute(_BELONGINGS, {"holder": serial})]
        self._statements.delete_items(connection, belongings)
        for table in (*parts, skill, character_name, character_notes):
            connection.execute(delete(table).where(table.c.character == serial))
        connection.execute(delete(character).where(character.c.serial == serial))

    def _account(self, query: Select[tuple[object, ...]], **which: object) -> AccountRow | None:
        with self.read() as connection:
            row = connection.execute(query, which).one_or_none()
            return None if row is None else AccountRow._make(row)

    def _set_account(self, account_id: int, **values: object) -> None:
        with self.write() as connection:
            connection.execute(update(account).where(account.c.id == account_id).values(values))

    def _sqlite(self) -> sqlite3.Connection:
        """The writing connection itself: neither VACUUM nor a checkpoint runs inside a transaction."""
        raw = self._connection.connection.driver_connection
        if not isinstance(raw, sqlite3.Connection):
            raise TypeError("not an SQLite database")
        return raw

    def _file_now(self) -> tuple[int, int] | None:
        if self.path is None:
            return None
        try:
            status = os.stat(self.path)
        except OSError:
            return (-1, -1)
        return status.st_dev, status.st_ino

    def _require_same_file(self) -> None:
        # SQLite goes on writing into a deleted file without a word.
        if self._file_now() != self._file:
            raise DatabaseReplaced(f"{self.path} was deleted or replaced under the running server")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._lost:
            raise WorldLost(_LOST)
        if self._connection.invalidated:
            # To come back takes the writer's lock, and that may be waited for. This is known at once.
            self._require_epoch()
        with self._connection.begin():
            self._fence()
            yield
            self._require_same_file()

    # The fence: a lock of PostgreSQL ends with its connection, and does not tell who holds it.

    def _take_over(self) -> int:
        with self._connection.begin():
            return int(self._connection.execute(_TAKE_OVER).scalar_one())

    def _fence(self) -> None:
        """The row stays locked until the transaction ends: nobody takes the world over in the midst of it."""
        if self.epoch is not None and not self._connection.execute(_BEAT, {"mine": self.epoch}).rowcount:
            self._lose()

    def _require_epoch(self) -> None:
        if self.epoch is not None:
            with self.read() as connection:
                epoch = connection.scalar(_EPOCH)
            if epoch != self.epoch:
                self._lose()

    def _lose(self) -> NoReturn:
        self._lost = True
        raise WorldLost(_LOST)

    def _rescue(self) -> Path | None:
        """Copy the lost file, which is still open, to a new one."""
        if self.path is None:
            return None
        for directory in (self.path.parent, Path(tempfile.gettempdir())):
            rescued = directory / f"{self.path.name}.rescued-{os.getpid()}"
            fresh = rescued.with_name(rescued.name + ".tmp")
            try:
                # The directory may be gone with the file; there the next start finds what was rescued.
                directory.mkdir(parents=True, exist_ok=True)
                fresh.unlink(missing_ok=True)
                self._sqlite().execute("VACUUM INTO ?", (str(fresh),)).close()
                publish(fresh, rescued)
            except (OSError, sqlite3.Error):
                continue
            return rescued
        return None


def _is(account_id: int, serial: int) -> ColumnElement[bool]:
    """The condition that a row is this character, and this account's."""
    return (character.c.serial == serial) & (character.c.account == account_id)


def select_characters(*also: ColumnElement[object]) -> Select[tuple[object, ...]]:
    """A question for characters with their parts: what `character_of` reads, and other columns behind it."""
    question: Select[tuple[object, ...]] = select(*CHARACTER_COLUMNS, *also).select_from(character)
    for part in parts:
        question = question.outerjoin(part, part.c.character == character.c.serial)
    return question


def character_of(row: Sequence[object], skills: Iterable[Sequence[object]] = ()) -> CharacterRow:
    """The character of a row of `CHARACTER_COLUMNS`."""
    at = len(CHARACTER)
    rows: list[tuple[object, ...] | None] = []
    for part in parts:
        values = tuple(row[at : at + len(part.columns)])
        rows.append(None if values[-1] is None else values)
        at += len(part.columns)
    return CharacterRow((*row[: len(CHARACTER)], CharacterParts(tuple(rows), tuple(map(tuple, skills)))))


def _taken(connection: Connection, keys: Sequence[str]) -> set[str]:
    return set(connection.scalars(_NAMED, {"keys": keys}))


def _free_short_name(connection: Connection, row: CharacterRow, key: str) -> str | None:
    """A short name that nobody has, but perhaps this character as its name."""
    wishes = chain([row.short_name] if row.short_name else [], short_names(row.name))
    while wished := list(islice(wishes, TRIED_AT_ONCE)):
        taken = _taken(connection, [name_key(short) for short in wished])
        for short in wished:
            if name_key(short) == key or name_key(short) not in taken:
                return short
    return None


def skills_of(connection: Connection, serial: int) -> list[Row[tuple[object, ...]]]:
    """The rows of a character's skills, by name."""
    return list(connection.execute(_SKILLS, {"character": serial}))


def _item_rows(rows: Iterable[Row[tuple[object, ...]]]) -> list[ItemRow]:
    return [ItemRow._make(row) for row in rows]


def _items_under(roots: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    """The items that fulfil `roots` and, to any depth, what they contain; by serial."""
    tree = select(item.c.serial).where(roots).cte("tree", recursive=True)
    # UNION without ALL visits nothing twice, so that even a ring of containers comes to an end.
    tree = tree.union(select(item.c.serial).join(tree, item.c.parent == tree.c.serial))
    return select(*ITEM_COLUMNS).where(item.c.serial.in_(select(tree.c.serial))).order_by(item.c.serial)


_LOST: Final = "another server has taken this world over: nothing more is written by this one"

_TAKE_OVER: Final = (
    update(world)
    .where(world.c.id == WORLD)
    .values(epoch=world.c.epoch + 1, beat=func.now())
    .returning(world.c.epoch)
)
_BEAT: Final = (
    update(world).where(world.c.id == WORLD, world.c.epoch == bindparam("mine")).values(beat=func.now())
)
_EPOCH: Final = select(world.c.epoch).where(world.c.id == WORLD)

# What every login asks, and every second the table of orders. A statement is a big heap of objects that hold
# one another,
# so these are made once: made anew each time they are garbage that only a full collection finds.
_ACCOUNT_BY_NAME: Final = select(*ACCOUNT_COLUMNS).where(account.c.name == bindparam("name"))
_ACCOUNT_BY_ID: Final = select(*ACCOUNT_COLUMNS).where(account.c.id == bindparam("id"))
_NOTE_LOGIN: Final = (
    update(account)
    .where(account.c.id == bindparam("which"))
    .values(last_login=bindparam("at"), last_address=bindparam("address"))
)
_CHARACTER: Final = select_characters().where(
    character.c.serial == bindparam("serial"), character.c.delete_at.is_(None)
)
_SKILLS: Final = select(skill).where(skill.c.character == bindparam("character")).order_by(skill.c.name)
_NAMED: Final = select(character_name.c.key).where(
    character_name.c.key.in_(bindparam("keys", expanding=True))
)
_OWNER: Final = select(character.c.account).where(character.c.serial == bindparam("serial"))
_EXPIRED: Final = (
    select(character.c.serial, character.c.name, account.c.name)
    .join(account, character.c.account == account.c.id)
    .where(character.c.delete_at <= bindparam("now"))
    .order_by(character.c.serial)
)
_NOTE: Final = select(character_notes.c.text).where(
    character_notes.c.character == bindparam("character"),
    character_notes.c.game == bindparam("game"),
    character_notes.c.key == bindparam("key"),
)
_NOTES: Final = select(character_notes.c.character, character_notes.c.text).where(
    character_notes.c.game == bindparam("game"), character_notes.c.key == bindparam("key")
)
_CHARACTERS: Final = (
    select_characters(character.c.delete_at)
    .where(character.c.account == bindparam("account"))
    # Serials only ever grow, so theirs is the order of creation whatever a clock did.
    .order_by(character.c.serial)
)
_WORN: Final = (
    select(*ITEM_COLUMNS)
    .where(item.c.parent.in_(bindparam("wearers", expanding=True)), item.c.layer > 0)
    .order_by(item.c.parent, item.c.layer)
)
_BELONGINGS: Final = _items_under(item.c.parent == bindparam("holder"))
_ON_THE_GROUND: Final = _items_under(item.c.parent.is_(None) & item.c.realm.is_not(None))
_WAITING_ORDERS: Final = (
    select(admin_order.c.id).where(admin_order.c.done_at.is_(None)).order_by(admin_order.c.id)
)
