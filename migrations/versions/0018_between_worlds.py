"""Letters that go with those whom they are for, characters by the time they were made, and how often what
worlds have copies of was changed."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    column = sa.Column("under_way", sa.Boolean, nullable=False, server_default=sa.false())
    # On SQLite a table is made anew, so that it looks as one that was made by the code.
    anew = op.get_bind().dialect.name == "sqlite"
    with op.batch_alter_table("letter", recreate="always" if anew else "never") as table:
        table.add_column(column, insert_after="returned" if anew else None)
    with op.batch_alter_table("letter", recreate="always" if anew else "never") as table:
        table.alter_column("under_way", server_default=None)
    op.create_index("ix_letter_receiver", "letter", ["receiver"])
    op.create_index(
        "ix_letter_under_way",
        "letter",
        ["receiver"],
        sqlite_where=sa.text("under_way"),
        postgresql_where=sa.text("under_way"),
    )
    op.create_index("ix_character_created_at", "character", ["created_at"])
    op.create_table(
        "edition",
        sa.Column("of", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("of", name=op.f("pk_edition")),
    )
