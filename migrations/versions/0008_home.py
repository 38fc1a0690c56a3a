"""Where a character has settled: so far nobody has."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    with op.batch_alter_table("character") as table:
        table.add_column(sa.Column("home_realm", sa.Text, nullable=False, server_default=""))
        table.add_column(sa.Column("home_x", sa.Integer, nullable=False, server_default="0"))
        table.add_column(sa.Column("home_y", sa.Integer, nullable=False, server_default="0"))
    with op.batch_alter_table("character") as table:
        for name in ("home_realm", "home_x", "home_y"):
            table.alter_column(name, server_default=None)
