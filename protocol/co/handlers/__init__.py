"""What this game's packets do: one module for each topic. Those of the account server are in the table
ACCOUNT, those of the game's door in GAME."""

from protocol.co.handlers import (
    account,
    actions,
    dialogs,
    entering,
    fighting,
    login,
    looking,
    motion,
    talk,
    things,
    unread,
)
from protocol.co.handlers.table import ACCOUNT, GAME

__all__ = [
    "ACCOUNT",
    "GAME",
    "account",
    "actions",
    "dialogs",
    "entering",
    "fighting",
    "login",
    "looking",
    "motion",
    "talk",
    "things",
    "unread",
]
