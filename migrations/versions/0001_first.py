"""The first schema: accounts, characters, items, the row about the world, audit and orders."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    meta = op.create_table(
        "meta",
        sa.Column("id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("tick", sa.BigInteger, nullable=False),
        sa.Column("wall", sa.Double, nullable=False),
        sa.Column("clean", sa.Boolean, nullable=False),
        sa.Column("mobile_mark", sa.BigInteger, nullable=False),
        sa.Column("item_mark", sa.BigInteger, nullable=False),
        sa.Column("gold", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_meta"),
        sa.CheckConstraint("id = 1", name=op.f("ck_meta_single")),
        sa.CheckConstraint("gold >= 0", name=op.f("ck_meta_gold")),
    )
    first = {"mobile_mark": 1, "item_mark": 0x40000000}
    op.bulk_insert(meta, [{"id": 1, "tick": 0, "wall": 0.0, "clean": True, "gold": 0, **first}])

    op.create_table(
        "account",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("password", sa.Text, nullable=False),
        sa.Column("access", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("banned_until", sa.Double),
        sa.Column("ban_reason", sa.Text, nullable=False),
        sa.Column("last_login", sa.Double),
        sa.Column("last_address", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
        sa.CheckConstraint("name = lower(name)", name=op.f("ck_account_lower")),
        sqlite_autoincrement=True,
    )

    op.create_table(
        "character",
        sa.Column("serial", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("template", sa.Text, nullable=False),
        sa.Column("realm", sa.Text),
        sa.Column("x", sa.Integer, nullable=False),
        sa.Column("y", sa.Integer, nullable=False),
        sa.Column("z", sa.Integer, nullable=False),
        sa.Column("heading", sa.Integer, nullable=False),
        sa.Column("female", sa.Boolean, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("hair", sa.Integer, nullable=False),
        sa.Column("hair_hue", sa.Integer, nullable=False),
        sa.Column("beard", sa.Integer, nullable=False),
        sa.Column("skin_hue", sa.Integer, nullable=False),
        sa.Column("hits", sa.Integer, nullable=False),
        sa.Column("hits_max", sa.Integer, nullable=False),
        sa.Column("mana", sa.Integer, nullable=False),
        sa.Column("mana_max", sa.Integer, nullable=False),
        sa.Column("stam", sa.Integer, nullable=False),
        sa.Column("stam_max", sa.Integer, nullable=False),
        sa.Column("strength", sa.Integer, nullable=False),
        sa.Column("dexterity", sa.Integer, nullable=False),
        sa.Column("intelligence", sa.Integer, nullable=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("experience", sa.BigInteger, nullable=False),
        sa.Column("dead", sa.Boolean, nullable=False),
        sa.Column("hidden", sa.Boolean, nullable=False),
        sa.Column("notoriety", sa.Integer, nullable=False),
        sa.Column("name_key", sa.String(32), nullable=False),
        sa.Column("delete_at", sa.Double),
        sa.PrimaryKeyConstraint("serial", name="pk_character"),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_character_account")),
        sa.UniqueConstraint("name_key", name=op.f("uq_character_name_key")),
    )
    op.create_index(op.f("ix_character_account"), "character", ["account"])

    op.create_table(
        "item",
        sa.Column("serial", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("template", sa.Text, nullable=False),
        sa.Column("parent", sa.Integer),
        sa.Column("layer", sa.Integer, nullable=False),
        sa.Column("slot_x", sa.Integer, nullable=False),
        sa.Column("slot_y", sa.Integer, nullable=False),
        sa.Column("realm", sa.Text),
        sa.Column("x", sa.Integer, nullable=False),
        sa.Column("y", sa.Integer, nullable=False),
        sa.Column("z", sa.Integer, nullable=False),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("hue", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("serial", name="pk_item"),
        sa.CheckConstraint("amount > 0", name=op.f("ck_item_amount")),
    )
    op.create_index(op.f("ix_item_parent"), "item", ["parent"])
    op.create_index(
        "uq_item_worn",
        "item",
        ["parent", "layer"],
        unique=True,
        sqlite_where=sa.text("layer > 0"),
        postgresql_where=sa.text("layer > 0"),
    )

    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("tick", sa.BigInteger, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index(op.f("ix_audit_who"), "audit", ["who"])

    op.create_table(
        "admin_order",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("command", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("done_at", sa.Double),
        sa.Column("result", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_admin_order"),
    )
