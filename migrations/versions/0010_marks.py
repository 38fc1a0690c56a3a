"""Marks: facts about characters that dialogs set. So far nobody bears any."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "mark",
        sa.Column("borne", sa.Boolean, nullable=False),
        sa.Column("character", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("character", "name", name="pk_mark"),
        sa.ForeignKeyConstraint(["character"], ["character.serial"], name=op.f("fk_mark_character")),
    )
