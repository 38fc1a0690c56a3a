"""Handlers of this game's packets: one module for each topic, all in one table."""

from protocol.eo.handlers import (
    boards,
    characters,
    chests,
    counters,
    dialogs,
    entering,
    fighting,
    guilds,
    learning,
    leaving,
    login,
    looking,
    motion,
    parties,
    talk,
    things,
    trading,
)

# The last: it takes every packet that the others left.
from protocol.eo.handlers import unread  # isort: skip
from protocol.eo.handlers.table import TABLE

__all__ = [
    "TABLE",
    "boards",
    "characters",
    "chests",
    "counters",
    "dialogs",
    "entering",
    "fighting",
    "guilds",
    "learning",
    "leaving",
    "login",
    "looking",
    "motion",
    "parties",
    "talk",
    "things",
    "trading",
    "unread",
]
