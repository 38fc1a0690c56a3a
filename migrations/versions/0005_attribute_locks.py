"""Whether a character's attributes may rise or fall: so far they may rise."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

LOCKS = ("strength_lock", "dexterity_lock", "intelligence_lock")


def upgrade() -> None:
    with op.batch_alter_table("learner") as table:
        for name in LOCKS:
            table.add_column(sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    with op.batch_alter_table("learner") as table:
        for name in LOCKS:
            table.alter_column(name, server_default=None)
