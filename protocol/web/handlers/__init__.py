"""Handlers of all that the web client may say. Importing this package fills the table."""

from __future__ import annotations

from protocol.web.handlers import (
    characters,
    counters,
    dialogs,
    entering,
    fighting,
    leaving,
    login,
    looking,
    motion,
    parties,
    quests,
    talk,
    things,
    trading,
)
from protocol.web.handlers.table import TABLE

__all__ = [
    "TABLE",
    "characters",
    "counters",
    "dialogs",
    "entering",
    "fighting",
    "leaving",
    "login",
    "looking",
    "motion",
    "parties",
    "quests",
    "talk",
    "things",
    "trading",
]
