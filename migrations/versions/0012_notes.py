"""What stands on a note on a board: so far there are no boards."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    # On SQLite the table is made anew, so that it looks as one that was made by the code.
    anew = "always" if op.get_bind().dialect.name == "sqlite" else "never"
    with op.batch_alter_table("item", recreate=anew) as table:
        table.add_column(sa.Column("text", sa.Text))
        table.add_column(sa.Column("signed", sa.Text))
        table.add_column(sa.Column("written", sa.Double))
