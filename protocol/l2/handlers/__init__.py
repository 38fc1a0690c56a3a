"""What this game's packets do: one module for each topic. Those of the login door are in the table LOGIN,
those of the game's door in the one that `make_table` makes when the versions are known."""

from protocol.l2.handlers import (
    arriving,
    characters,
    daytime,
    dialogs,
    entering,
    friends,
    handover,
    leaving,
    login,
    looking,
    motion,
    shortcuts,
    talk,
    things,
    tolerated,
)
from protocol.l2.handlers.login import LOGIN
from protocol.l2.handlers.table import HANDLERS, make_table

__all__ = [
    "HANDLERS",
    "LOGIN",
    "arriving",
    "characters",
    "daytime",
    "dialogs",
    "entering",
    "friends",
    "handover",
    "leaving",
    "login",
    "looking",
    "make_table",
    "motion",
    "shortcuts",
    "talk",
    "things",
    "tolerated",
]
