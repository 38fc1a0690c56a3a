"""Whose corpse an item is, and whether it burns: so far there are no corpses, and nothing does."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    with op.batch_alter_table("item") as table:
        table.add_column(sa.Column("remains", sa.Text))
        table.add_column(sa.Column("owner", sa.Integer))
        table.add_column(sa.Column("lit", sa.Boolean, nullable=False, server_default=sa.false()))
    with op.batch_alter_table("item") as table:
        table.alter_column("lit", server_default=None)
