"""Levels, maxima and skills by the rules of play, and killings.

Characters are of level 1 at least, with the experience of their level and a vitality of 10; the most of their
hits, mana and stamina follow from attributes and level, and the living have all of it. Whoever has learnt
nothing knows what a newcomer knows. The numbers are those of the rules when this was written.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

VITALITY = 10
NEWCOMERS_KNOW = ("daggers", "tactics", "healing")
TENTHS = 300

STATE = """
SELECT c.serial, c.dead, c.stam, f.strength, f.dexterity, f.intelligence, l.level, l.experience, m.mana
FROM character c
JOIN fighter f ON f.character = c.serial
JOIN learner l ON l.character = c.serial
JOIN caster m ON m.character = c.serial
"""


def upgrade() -> None:
    with op.batch_alter_table("character") as table:
        table.add_column(sa.Column("murders", sa.Integer, nullable=False, server_default="0"))
    with op.batch_alter_table("character") as table:
        table.alter_column("murders", server_default=None)
    connection = op.get_bind()
    for row in connection.execute(sa.text(STATE)).all():
        level = max(1, row.level)
        hits_max = 30 + row.strength // 2 + 2 * VITALITY + 6 * level
        mana_max = 20 + 2 * row.intelligence + 3 * level
        stam_max = 20 + row.dexterity
        values = {
            "serial": row.serial,
            "level": level,
            "experience": max(row.experience, round(133.1 * level**3)),
            "vitality": VITALITY,
            "hits_max": hits_max,
            "hits": 0 if row.dead else hits_max,
            "stam_max": stam_max,
            "stam": min(row.stam, stam_max) if row.dead else stam_max,
            "mana_max": mana_max,
            "mana": min(row.mana, mana_max) if row.dead else mana_max,
        }
        for table_name, key, names in (
            ("character", "serial", ("hits", "hits_max", "stam", "stam_max")),
            ("fighter", "character", ("vitality",)),
            ("learner", "character", ("level", "experience")),
            ("caster", "character", ("mana", "mana_max")),
        ):
            changes = ", ".join(f"{name} = :{name}" for name in names)
            connection.execute(
                sa.text(f"UPDATE {table_name} SET {changes} WHERE {key} = :serial"),
                {name: values[name] for name in ("serial", *names)},
            )
    for name in NEWCOMERS_KNOW:
        connection.execute(
            sa.text(
                "INSERT INTO skill (character, name, value, lock) SELECT l.character, :name, :value, 0 "
                "FROM learner l WHERE NOT EXISTS (SELECT 1 FROM skill s WHERE s.character = l.character "
                "AND s.name NOT IN ('daggers', 'tactics', 'healing')) AND NOT EXISTS "
                "(SELECT 1 FROM skill s WHERE s.character = l.character AND s.name = :name)"
            ),
            {"name": name, "value": TENTHS},
        )
