"""Handlers of all that clients send. Importing this package fills the table."""

from protocol.uo.handlers import (
    boards,
    characters,
    counters,
    dialogs,
    entering,
    fighting,
    leaving,
    login,
    looking,
    menus,
    motion,
    parties,
    talk,
    things,
    trading,
    unread,
)
from protocol.uo.handlers.table import TABLE

__all__ = [
    "TABLE",
    "boards",
    "characters",
    "counters",
    "dialogs",
    "entering",
    "fighting",
    "leaving",
    "login",
    "looking",
    "menus",
    "motion",
    "parties",
    "talk",
    "things",
    "trading",
    "unread",
]
