"""Who owns the world: what a server writes is refused once another one has taken it over."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    world = op.create_table(
        "world",
        sa.Column("id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("beat", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_world"),
    )
    op.execute(world.insert().values(id=1, epoch=0, beat=sa.func.now()))
