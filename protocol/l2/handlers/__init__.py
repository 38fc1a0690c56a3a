"""The deeds of this game's packets: one module for each topic. Those of the login door are in the table
LOGIN, those of the game's door in the one that `make_table` makes when the versions are known."""

from protocol.l2.handlers import (
    boards,
    characters,
    chests,
    conduct,
    counters,
    dialogs,
    entering,
    fighting,
    friends,
    leaving,
    login,
    looking,
    motion,
    ordering,
    parties,
    pledges,
    shortcuts,
    talk,
    things,
    trading,
    unread,
)
from protocol.l2.handlers.login import LOGIN
from protocol.l2.handlers.table import make_table

__all__ = [
    "LOGIN",
    "boards",
    "characters",
    "chests",
    "conduct",
    "counters",
    "dialogs",
    "entering",
    "fighting",
    "friends",
    "leaving",
    "login",
    "looking",
    "make_table",
    "motion",
    "ordering",
    "parties",
    "pledges",
    "shortcuts",
    "talk",
    "things",
    "trading",
    "unread",
]
