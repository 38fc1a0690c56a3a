"""What happens when a client sends something. Importing this package fills the table."""

from protocol.uo.handlers import characters, chat, login, misc, motion, speech, status, things, unread
from protocol.uo.handlers.table import TABLE

__all__ = ["TABLE", "characters", "chat", "login", "misc", "motion", "speech", "status", "things", "unread"]
