"""Friends, those who are ignored, and letters."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "listing",
        sa.Column("owner", sa.Integer, nullable=False),
        sa.Column("other", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("ignored", sa.Boolean, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_listing")),
    )
    op.create_table(
        "letter",
        sa.Column("receiver", sa.Integer, nullable=False),
        sa.Column("receiver_name", sa.Text, nullable=False),
        sa.Column("sender", sa.Integer, nullable=False),
        sa.Column("sender_name", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("sent_at", sa.Double, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.Column("box", sa.Integer, nullable=False),
        sa.Column("price", sa.Integer, nullable=False),
        sa.Column("read", sa.Boolean, nullable=False),
        sa.Column("returned", sa.Boolean, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_letter")),
    )
