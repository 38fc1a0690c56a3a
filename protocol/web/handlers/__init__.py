"""Handlers of all that the web client may say. Importing this package fills the table."""

from __future__ import annotations

from protocol.web.handlers import (
    characters,
    counters,
    dialogs,
    entering,
    fighting,
    guilds,
    leaving,
    login,
    looking,
    mail,
    motion,
    parties,
    quests,
    social,
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
    "guilds",
    "leaving",
    "login",
    "looking",
    "mail",
    "motion",
    "parties",
    "quests",
    "social",
    "talk",
    "things",
    "trading",
]
