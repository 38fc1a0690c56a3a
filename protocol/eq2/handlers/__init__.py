"""Handlers of this game's messages: one module for each topic, all in one table, which `make_table` makes
when the versions are known."""

from protocol.eq2.handlers import (
    characters,
    counters,
    dialogs,
    entering,
    examining,
    fighting,
    following,
    inventory,
    journals,
    leaving,
    login,
    looking,
    looting,
    motion,
    parties,
    talk,
    things,
    trading,
)
from protocol.eq2.handlers.table import ROWS, make_table

__all__ = [
    "ROWS",
    "characters",
    "counters",
    "dialogs",
    "entering",
    "examining",
    "fighting",
    "following",
    "inventory",
    "journals",
    "leaving",
    "login",
    "looking",
    "looting",
    "make_table",
    "motion",
    "parties",
    "talk",
    "things",
    "trading",
]
