"""Several worlds in one database: what belonged to the one there was, and what passes between them."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    # On SQLite a table is made anew, so that it looks as one that was made by the code.
    anew = "always" if op.get_bind().dialect.name == "sqlite" else "never"
    _stamps()
    with op.batch_alter_table("world", recreate=anew) as table:
        table.add_column(sa.Column("address", sa.Text))
    op.create_table(
        "realm_owner",
        sa.Column("realm", sa.Text, nullable=False),
        sa.Column("world", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("realm", name=op.f("pk_realm_owner")),
    )
    op.create_index("ix_realm_owner_world", "realm_owner", ["world"])
    _accounts(anew)
    with op.batch_alter_table("character", recreate=anew) as table:
        table.add_column(sa.Column("world", sa.Integer))
    _partial_index("ix_character_world", "character", "world", "world IS NOT NULL")
    _traffic()


def _stamps() -> None:
    """The row about the world becomes the row of world 1; the marks of serials are for all worlds."""
    connection = op.get_bind()
    (row,) = connection.exec_driver_sql(
        "SELECT tick, wall, clean, mobile_mark, item_mark, gold FROM meta"
    ).all()
    allocator = op.create_table(
        "allocator",
        sa.Column("id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("mobile_mark", sa.BigInteger, nullable=False),
        sa.Column("item_mark", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_allocator")),
        sa.CheckConstraint("id = 1", name=op.f("ck_allocator_single")),
    )
    op.bulk_insert(allocator, [{"id": 1, "mobile_mark": row[3], "item_mark": row[4]}])
    op.drop_table("meta")
    meta = op.create_table(
        "meta",
        sa.Column("id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("tick", sa.BigInteger, nullable=False),
        sa.Column("wall", sa.Double, nullable=False),
        sa.Column("clean", sa.Boolean, nullable=False),
        sa.Column("gold", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_meta")),
    )
    stamp = {"tick": row[0], "wall": row[1], "clean": bool(row[2]), "gold": row[5]}
    op.bulk_insert(meta, [{"id": 1, **stamp}])


def _accounts(anew: str) -> None:
    """On SQLite the ids that were given before are remembered across the new table: none is given twice."""
    connection = op.get_bind()
    given = None
    if anew == "always":
        given = connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'account'").scalar()
    with op.batch_alter_table("account", recreate=anew, table_kwargs={"sqlite_autoincrement": True}) as table:
        table.add_column(sa.Column("session_epoch", sa.BigInteger, nullable=False, server_default="0"))
    if given is not None:
        connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = 'account'")
        connection.exec_driver_sql("INSERT INTO sqlite_sequence VALUES ('account', ?)", (given,))


def _traffic() -> None:
    op.create_table(
        "login_token",
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_login_token")),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_login_token_account")),
    )
    op.create_index("ix_login_token_account", "login_token", ["account"])
    op.create_table(
        "transfer",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("character", sa.Integer, nullable=False),
        sa.Column("from_world", sa.Integer, nullable=False),
        sa.Column("to_world", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transfer")),
    )
    op.create_index("ix_transfer_character", "transfer", ["character"])
    op.create_table(
        "parcel",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("from_world", sa.Integer, nullable=False),
        sa.Column("to_world", sa.Integer, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_parcel")),
    )
    _partial_index("ix_parcel_waiting", "parcel", "to_world", "taken_at IS NULL")


def _partial_index(name: str, table: str, column: str, where: str) -> None:
    op.create_index(name, table, [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where))
