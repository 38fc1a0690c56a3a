"""Numbers by which clients know kinds of items and beings. So far the tables of looks alone say them."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "kind_number",
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("list", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("game", "list", "key", name=op.f("pk_kind_number")),
        sa.UniqueConstraint("game", "list", "number", name=op.f("uq_kind_number_game_list_number")),
    )
