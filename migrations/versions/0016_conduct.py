"""Sentences that somebody serves, and reports of players."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "sentence",
        sa.Column("penalty", sa.Text, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("character", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("realm", sa.Text, nullable=False),
        sa.Column("x", sa.Integer, nullable=False),
        sa.Column("y", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_sentence")),
    )
    op.create_table(
        "report",
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("lines", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_report")),
    )
