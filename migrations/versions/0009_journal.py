"""Quests: a row for each that a character has begun or declined."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "journal",
        sa.Column("step", sa.Text, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("chosen", sa.Text, nullable=False),
        sa.Column("begun_at", sa.Double, nullable=False),
        sa.Column("step_at", sa.Double, nullable=False),
        sa.Column("finished_at", sa.Double, nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("character", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("quest", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("character", "quest", name="pk_journal"),
        sa.ForeignKeyConstraint(["character"], ["character.serial"], name="fk_journal_character"),
    )
