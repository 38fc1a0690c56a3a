"""Parties and their members."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "party",
        sa.Column("leader", sa.Integer, nullable=False),
        sa.Column("loot", sa.Text, nullable=False),
        sa.Column("took", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_party")),
    )
    op.create_table(
        "party_member",
        sa.Column("party", sa.Integer, nullable=False),
        sa.Column("character", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("short_name", sa.Text, nullable=False),
        sa.Column("female", sa.Boolean, nullable=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_party_member")),
    )
