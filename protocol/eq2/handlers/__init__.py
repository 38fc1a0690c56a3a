"""What this game's messages do: one module for each topic, all in one table, which `make_table` makes when
the versions are known."""

from protocol.eq2.handlers import (
    characters,
    commands,
    entering,
    leaving,
    login,
    looking,
    menus,
    motion,
    talk,
    things,
    worlds,
)
from protocol.eq2.handlers.table import HANDLERS, make_table

__all__ = [
    "HANDLERS",
    "characters",
    "commands",
    "entering",
    "leaving",
    "login",
    "looking",
    "make_table",
    "menus",
    "motion",
    "talk",
    "things",
    "worlds",
]
