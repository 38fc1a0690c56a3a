"""What a game's client keeps about a character, and a quick way to those that await deletion."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_index(
        "ix_character_delete_at",
        "character",
        ["delete_at"],
        sqlite_where=sa.text("delete_at IS NOT NULL"),
        postgresql_where=sa.text("delete_at IS NOT NULL"),
    )
    op.create_table(
        "character_notes",
        sa.Column("character", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("character", "game", "key", name="pk_character_notes"),
        sa.ForeignKeyConstraint(
            ["character"], ["character.serial"], name=op.f("fk_character_notes_character")
        ),
    )
