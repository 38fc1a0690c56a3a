"""Lists of friends, and of those one ignores, are read with the character whose they are."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    # What is left of characters that another world than the one with all lists has deleted.
    op.execute("DELETE FROM listing WHERE owner NOT IN (SELECT serial FROM character)")
    op.create_index("ix_listing_owner", "listing", ["owner"])
