"""The tables. `migrations/` builds them; a test compares the two.

What is kept of a character and of its parts is declared in the world, beside the attributes, and becomes
columns here. Each part is a table of its own (`fighter`, `learner`, `caster`; `skill` has a row for each
skill, `journal` for each quest, `mark` for each mark): an operator may read and change them while no server
runs.

One row per item, and the row names its single holder: that is what makes duplication impossible (a move is an
update of one row). Names of constraints follow one pattern, so that a later migration can name what it drops.

`admin_order` is open to the operator's own tools: insert a row with `command`, JSON text as on the admin
channel (`{"command": "broadcast", "args": {"text": "Restart at noon"}}`), and `created_at`, seconds UTC. The
running server carries it out within a second, then sets `done_at` and `result` (JSON text). Rows are never
deleted by the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from world.snapshot import CHARACTER, MARKS, PART_TABLES, QUESTS, RECORD_TABLES, SKILLS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.stored import Column as Declared

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# The stamp of a world, a row for each: in SQLite the one with id 1. `gold` is what this world's batches made
# of gold and took away: the sum over all rows is what all items hold together, and the row of a world alone
# says nothing, since gold passes from one to the other with the character that has it. One sum for all worlds
# would be a row that each of them waits for.
meta = Table(
    "meta",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("tick", BigInteger, nullable=False),
    Column("wall", Double, nullable=False),
    Column("clean", Boolean, nullable=False),
    Column("gold", BigInteger, nullable=False),
)

# The first serials that no world has: each takes blocks of them, so that a serial is never given twice.
allocator = Table(
    "allocator",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("mobile_mark", BigInteger, nullable=False),
    Column("item_mark", BigInteger, nullable=False),
    CheckConstraint("id = 1", name="single"),
)

# Who owns a world. Taking it over adds one to `epoch`, and whatever its server writes begins with
# `UPDATE world SET beat = now() WHERE id = ... AND epoch = ...`: where that finds no row, another server has
# the world, and nothing is written. SQLite has a file lock for it, one world, and leaves its row as it is.
# `address` is where edges find its process; NULL if none does.
world = Table(
    "world",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("epoch", BigInteger, nullable=False),
    Column("beat", DateTime(timezone=True), nullable=False),
    Column("address", Text),
)

# On PostgreSQL: which world has a realm, and all that lies in it. Empty in SQLite: the one world has all.
realm_owner = Table(
    "realm_owner",
    metadata,
    Column("realm", Text, primary_key=True),
    Column("world", Integer, nullable=False, index=True),
)

account = Table(
    "account",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(32), nullable=False, unique=True),
    Column("password", Text, nullable=False),
    Column("access", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("banned_until", Double),
    Column("ban_reason", Text, nullable=False),
    Column("last_login", Double),
    Column("last_address", Text, nullable=False),
    # The number of its newest login: who plays it under an older one plays it no more.
    Column("session_epoch", BigInteger, nullable=False, server_default="0"),
    CheckConstraint("name = lower(name)", name="lower"),
    # An id is never given twice, whatever was deleted.
    sqlite_autoincrement=True,
)


def _type(column: Declared) -> Boolean | Integer | Double[float] | String:
    if column.kind is bool:
        return Boolean()
    if column.kind is int:
        return BigInteger() if column.wide else Integer()
    if column.kind is float:
        return Double()
    return Text() if column.length is None else String(column.length)


def _columns(declared: Iterable[Declared]) -> list[Column[object]]:
    """What the world declares (`world.stored`), as columns."""
    return [Column(column.name, _type(column), nullable=column.nullable) for column in declared]


def _owner() -> Column[object]:
    """Whose row it is. Without a cascade: rebuilding `character`, as a migration on SQLite may have to, must
    not empty the table without a word."""
    return Column("character", Integer, ForeignKey("character.serial"), primary_key=True, autoincrement=False)


character = Table(
    "character",
    metadata,
    Column("serial", Integer, primary_key=True, autoincrement=False),
    Column("account", Integer, ForeignKey(account.c.id), nullable=False, index=True),
    *_columns(column for column in CHARACTER if column.name not in ("serial", "account")),
    # Seconds UTC at which it will be gone for good; nobody enters with it meanwhile. NULL of all others.
    Column("delete_at", Double),
    # The world that has it in memory, and alone writes it; NULL: it is nobody's now. Always NULL in SQLite.
    Column("world", Integer),
)
Index(
    "ix_character_delete_at",
    character.c.delete_at,
    sqlite_where=text("delete_at IS NOT NULL"),
    postgresql_where=text("delete_at IS NOT NULL"),
)
Index(
    "ix_character_world",
    character.c.world,
    sqlite_where=text("world IS NOT NULL"),
    postgresql_where=text("world IS NOT NULL"),
)
# Worlds ask for those that others have made lately.
Index("ix_character_created_at", character.c.created_at)

# What a character's parts keep: see `world.parts`. Whose it is stands behind the rest, as in the rows.
parts = [Table(table.part, metadata, *_columns(table.columns), _owner()) for table in PART_TABLES]
skill = Table("skill", metadata, *_columns(SKILLS.columns), _owner(), Column("name", Text, primary_key=True))
# A row for each quest that a character has begun or declined. `step` is empty if it is not open; times are
# seconds UTC. Who wants to have a quest done again may empty `step` and set `times` to 0.
journal = Table(
    "journal", metadata, *_columns(QUESTS.columns), _owner(), Column("quest", Text, primary_key=True)
)
mark = Table("mark", metadata, *_columns(MARKS.columns), _owner(), Column("name", Text, primary_key=True))

# What is stored and is neither a character nor an item (`world.records`): guilds, their members, and so on. A
# table for each kind, a row for each, under a number of its own. What it refers to (a character, an item,
# another record) no foreign key says: all of a turn is written at once, in whatever order. `causeway check`
# looks.
records = {
    name: Table(
        name,
        metadata,
        *_columns(table.columns),
        Column("number", Integer, primary_key=True, autoincrement=False),
    )
    for name, table in RECORD_TABLES.items()
}
# How often something of what all worlds have copies of was changed, by what it is: whoever finds another
# number than before reads all of it. On PostgreSQL only.
edition = Table(
    "edition",
    metadata,
    Column("of", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
)
# On PostgreSQL letters and lists are where those are whose they are, and are read when these come.
letter = records["letter"]
Index("ix_letter_receiver", letter.c.receiver)
Index("ix_listing_owner", records["listing"].c.owner)
Index(
    "ix_letter_under_way",
    letter.c.receiver,
    sqlite_where=text("under_way"),
    postgresql_where=text("under_way"),
)

# The names by which a character is found, as `world.names.name_key` folds them: its name and its short name.
# No two are alike, of whichever kind.
character_name = Table(
    "character_name",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("character", Integer, ForeignKey("character.serial"), nullable=False, index=True),
)

# Numbers by which clients of one game know kinds that they keep in lists of their own: which kind had which
# number in which list, for good. Rows are never changed nor deleted, so that no number is given again.
kind_number = Table(
    "kind_number",
    metadata,
    Column("game", Text, primary_key=True),
    Column("list", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    UniqueConstraint("game", "list", "number"),
)

# What one game's client wants to find again about a character, and no other game knows of.
character_notes = Table(
    "character_notes",
    metadata,
    _owner(),
    Column("game", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("text", Text, nullable=False),
)

item = Table(
    "item",
    metadata,
    Column("serial", Integer, primary_key=True, autoincrement=False),
    Column("template", Text, nullable=False),
    # A mobile's or an item's serial: no foreign key can say that, `causeway check` does.
    Column("parent", Integer, index=True),
    Column("layer", Integer, nullable=False),
    Column("slot_x", Integer, nullable=False),
    Column("slot_y", Integer, nullable=False),
    Column("realm", Text),
    Column("x", Integer, nullable=False),
    Column("y", Integer, nullable=False),
    Column("z", Integer, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("hue", Integer, nullable=False),
    Column("name", Text, nullable=False),
    # Of a corpse: the key of the kind of mobile it was, and the character whose it is, NULL of a creature's.
    # Without a foreign key: a corpse may lie longer than its character exists.
    Column("remains", Text),
    Column("owner", Integer),
    # Whether it burns, as candles do.
    Column("lit", Boolean, nullable=False),
    # Of a note on a board, whose subject is its name and whose author is `owner`: its words, the author's
    # name as it was then, and seconds UTC. NULL of all other items.
    Column("text", Text),
    Column("signed", Text),
    Column("written", Double),
    CheckConstraint("amount > 0", name="amount"),
)
Index(
    "uq_item_worn",
    item.c.parent,
    item.c.layer,
    unique=True,
    sqlite_where=text("layer > 0"),
    postgresql_where=text("layer > 0"),
)

audit = Table(
    "audit",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("at", Double, nullable=False),
    Column("tick", BigInteger, nullable=False),
    Column("who", Text, nullable=False, index=True),
    Column("what", Text, nullable=False),
    Column("detail", Text, nullable=False),
)

admin_order = Table(
    "admin_order",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("command", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("done_at", Double),
    Column("result", Text),
)

# What goes from one world to another, on PostgreSQL only. All times are the database's.

# Logins on their way from one door to the next, whichever worlds these belong to, and those of browsers to
# the page (`server.store.page_logins`). `notes` is JSON text.
PAGE = "page"
"""In place of a game: of the page."""
login_token = Table(
    "login_token",
    metadata,
    Column("token", Text, primary_key=True),
    Column("account", Integer, ForeignKey("account.id"), nullable=False, index=True),
    Column("game", Text, nullable=False),
    Column("notes", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("expires", DateTime(timezone=True), nullable=False),
)

# Characters that pass from one world to another. `state` is "sent" until one of two has settled it, and then
# "arrived" or "taken back"; "claimed" if a login came first; "lost" if the world it was sent to died first
# or gave it up, or neither settled it.
transfer = Table(
    "transfer",
    metadata,
    Column("id", Text, primary_key=True),
    Column("character", Integer, nullable=False, index=True),
    Column("from_world", Integer, nullable=False),
    Column("to_world", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
)

# Things and gold that one world sends another: gone there once the row is written, here once `taken_at` is
# set.
parcel = Table(
    "parcel",
    metadata,
    Column("id", Text, primary_key=True),
    Column("from_world", Integer, nullable=False),
    Column("to_world", Integer, nullable=False),
    Column("content", Text, nullable=False),
    Column("sent_at", DateTime(timezone=True), nullable=False),
    Column("taken_at", DateTime(timezone=True)),
)
Index(
    "ix_parcel_waiting",
    parcel.c.to_world,
    sqlite_where=text("taken_at IS NULL"),
    postgresql_where=text("taken_at IS NULL"),
)
