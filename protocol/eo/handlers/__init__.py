"""What this game's packets do: one module for each topic, all in one table."""

from protocol.eo.handlers import (
    account,
    characters,
    entering,
    looking,
    motion,
    talk,
)
from protocol.eo.handlers import (
    dialogs as people,
)
from protocol.eo.handlers import (
    login as greeting,
)
from protocol.eo.handlers import (
    things as items,
)

# The last: it takes every packet that the others left.
from protocol.eo.handlers import unread as tolerated  # isort: skip
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
