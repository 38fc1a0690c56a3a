"""Guilds, their members, what they are to each other, and their logs."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "guild",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("tag", sa.Text, nullable=False),
        sa.Column("notice", sa.Text, nullable=False),
        sa.Column("founded_at", sa.Double, nullable=False),
        sa.Column("box", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_guild")),
    )
    op.create_table(
        "guild_member",
        sa.Column("guild", sa.Integer, nullable=False),
        sa.Column("character", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("given", sa.BigInteger, nullable=False),
        sa.Column("joined_at", sa.Double, nullable=False),
        sa.Column("seen_at", sa.Double, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_guild_member")),
    )
    op.create_table(
        "guild_tie",
        sa.Column("guild", sa.Integer, nullable=False),
        sa.Column("other", sa.Integer, nullable=False),
        sa.Column("bond", sa.Text, nullable=False),
        sa.Column("since", sa.Double, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_guild_tie")),
    )
    op.create_table(
        "guild_entry",
        sa.Column("guild", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("deed", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_guild_entry")),
    )
