"""Parts of characters in tables of their own, and short names.

What fights, learns and casts about a character moves out of its row. Whatever a character could be called so
far its short name could be, too; both kinds are found, and kept apart from one another, in one table.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

MOVED = {
    "fighter": ("strength", "dexterity", "intelligence"),
    "learner": ("level", "experience"),
    "caster": ("mana", "mana_max"),
}


def upgrade() -> None:
    connection = op.get_bind()
    # Before anything refers to it: SQLite makes the table anew.
    op.create_table(
        "old_character",
        sa.Column("serial", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name_key", sa.String(32), nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for names in MOVED.values() for name in names),
    )
    columns = ", ".join(["serial", "name_key", *(name for names in MOVED.values() for name in names)])
    connection.execute(sa.text(f"INSERT INTO old_character ({columns}) SELECT {columns} FROM character"))
    with op.batch_alter_table("character") as table:
        table.add_column(sa.Column("short_name", sa.String(32), nullable=False, server_default=""))
        table.drop_constraint("uq_character_name_key", type_="unique")
        table.drop_column("name_key")
        for names in MOVED.values():
            for name in names:
                table.drop_column(name)
    connection.execute(sa.text("UPDATE character SET short_name = name"))
    with op.batch_alter_table("character") as table:
        table.alter_column("short_name", server_default=None)

    for part, rest in {
        "fighter": [
            sa.Column("strength", sa.Integer, nullable=False),
            sa.Column("dexterity", sa.Integer, nullable=False),
            sa.Column("intelligence", sa.Integer, nullable=False),
            sa.Column("vitality", sa.Integer, nullable=False),
        ],
        "learner": [
            sa.Column("level", sa.Integer, nullable=False),
            sa.Column("experience", sa.BigInteger, nullable=False),
            sa.Column("points", sa.Integer, nullable=False),
        ],
        "caster": [
            sa.Column("mana", sa.Integer, nullable=False),
            sa.Column("mana_max", sa.Integer, nullable=False),
        ],
    }.items():
        op.create_table(
            part,
            sa.Column("character", sa.Integer, autoincrement=False, nullable=False),
            *rest,
            sa.PrimaryKeyConstraint("character", name=f"pk_{part}"),
            sa.ForeignKeyConstraint(["character"], ["character.serial"], name=op.f(f"fk_{part}_character")),
        )
    # What is new begins with what a newcomer had when this was written.
    for part, names, new, values in (
        ("fighter", MOVED["fighter"], ", vitality", ", 10"),
        ("learner", MOVED["learner"], ", points", ", 0"),
        ("caster", MOVED["caster"], "", ""),
    ):
        kept = ", ".join(names)
        moved = f"SELECT serial, {kept}{values} FROM old_character"
        connection.execute(sa.text(f"INSERT INTO {part} (character, {kept}{new}) {moved}"))
    op.create_table(
        "skill",
        sa.Column("character", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Integer, nullable=False),
        sa.Column("lock", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("character", "name", name="pk_skill"),
        sa.ForeignKeyConstraint(["character"], ["character.serial"], name=op.f("fk_skill_character")),
    )
    op.create_table(
        "character_name",
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("character", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_character_name"),
        sa.ForeignKeyConstraint(
            ["character"], ["character.serial"], name=op.f("fk_character_name_character")
        ),
    )
    op.create_index(op.f("ix_character_name_character"), "character_name", ["character"])
    connection.execute(
        sa.text("INSERT INTO character_name (key, character) SELECT name_key, serial FROM old_character")
    )
    op.drop_table("old_character")
