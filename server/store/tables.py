"""The tables. `migrations/` builds them; a test compares the two.

One row per item, and the row names its single holder: that is what makes duplication impossible (a move is an
update of one row). Names of constraints follow one pattern, so that a later migration can name what it drops.

`admin_order` is open to the operator's own tools: insert a row with `command`, JSON text as on the admin
channel (`{"command": "broadcast", "args": {"text": "Restart at noon"}}`), and `created_at`, seconds UTC. The
running server carries it out within a second, then sets `done_at` and `result` (JSON text). Rows are never
deleted by the server.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

GOLD: Final = "gold"
"""The item template whose amounts are money."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

meta = Table(
    "meta",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("tick", BigInteger, nullable=False),
    Column("wall", Double, nullable=False),
    Column("clean", Boolean, nullable=False),
    Column("mobile_mark", BigInteger, nullable=False),
    Column("item_mark", BigInteger, nullable=False),
    Column("gold", BigInteger, nullable=False),
    CheckConstraint("id = 1", name="single"),
    CheckConstraint("gold >= 0", name="gold"),
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
    CheckConstraint("name = lower(name)", name="lower"),
    # An id is never given twice, whatever was deleted.
    sqlite_autoincrement=True,
)

# The columns of character and item stand in the order of CharacterRow and ItemRow.
character = Table(
    "character",
    metadata,
    Column("serial", Integer, primary_key=True, autoincrement=False),
    Column("account", Integer, ForeignKey(account.c.id), nullable=False, index=True),
    Column("name", String(32), nullable=False),
    Column("created_at", Double, nullable=False),
    Column("template", Text, nullable=False),
    Column("realm", Text),
    Column("x", Integer, nullable=False),
    Column("y", Integer, nullable=False),
    Column("z", Integer, nullable=False),
    Column("heading", Integer, nullable=False),
    Column("female", Boolean, nullable=False),
    Column("title", Text, nullable=False),
    Column("hair", Integer, nullable=False),
    Column("hair_hue", Integer, nullable=False),
    Column("beard", Integer, nullable=False),
    Column("skin_hue", Integer, nullable=False),
    Column("hits", Integer, nullable=False),
    Column("hits_max", Integer, nullable=False),
    Column("mana", Integer, nullable=False),
    Column("mana_max", Integer, nullable=False),
    Column("stam", Integer, nullable=False),
    Column("stam_max", Integer, nullable=False),
    Column("strength", Integer, nullable=False),
    Column("dexterity", Integer, nullable=False),
    Column("intelligence", Integer, nullable=False),
    Column("level", Integer, nullable=False),
    Column("experience", BigInteger, nullable=False),
    Column("dead", Boolean, nullable=False),
    Column("hidden", Boolean, nullable=False),
    Column("notoriety", Integer, nullable=False),
    Column("name_key", String(32), nullable=False, unique=True),
    # Seconds UTC at which it will be gone for good; nobody enters with it meanwhile. NULL of all others.
    Column("delete_at", Double),
)
Index(
    "ix_character_delete_at",
    character.c.delete_at,
    sqlite_where=text("delete_at IS NOT NULL"),
    postgresql_where=text("delete_at IS NOT NULL"),
)

# What one game's client wants to find again about a character, and no other game knows of.
character_notes = Table(
    "character_notes",
    metadata,
    # Without a cascade: rebuilding `character`, as a later migration on SQLite may have to, must not empty
    # this table without a word.
    Column("character", Integer, ForeignKey(character.c.serial), primary_key=True, autoincrement=False),
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
