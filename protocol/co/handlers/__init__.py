"""Handlers of this game's packets: one module for each topic. Those of the account server are in the table
ACCOUNT, those of the game's door in TABLE."""

from protocol.co.handlers import (
    characters,
    counters,
    dialogs,
    entering,
    fighting,
    friends,
    guilds,
    learning,
    login,
    looking,
    motion,
    parties,
    talk,
    things,
    trading,
    unread,
)
from protocol.co.handlers.table import ACCOUNT, TABLE

__all__ = [
    "ACCOUNT",
    "TABLE",
    "characters",
    "counters",
    "dialogs",
    "entering",
    "fighting",
    "friends",
    "guilds",
    "learning",
    "login",
    "looking",
    "motion",
    "parties",
    "talk",
    "things",
    "trading",
    "unread",
]
