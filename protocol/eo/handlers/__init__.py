"""What this game's packets do: one module for each topic, all in one table."""

from protocol.eo.handlers import account, characters, entering, greeting, items, looking, motion, people, talk

# The last: it takes every packet that the others left.
from protocol.eo.handlers import tolerated  # isort: skip
from protocol.eo.handlers.table import TABLE

__all__ = [
    "TABLE",
    "account",
    "characters",
    "entering",
    "greeting",
    "items",
    "looking",
    "motion",
    "people",
    "talk",
    "tolerated",
]
