"""What happens when a client sends something. Importing this package fills the table."""

from protocol.uo.handlers import (
    characters,
    chat,
    login,
    motion,
    things,
    unread,
)
from protocol.uo.handlers import (
    fighting as status,
)
from protocol.uo.handlers import (
    leaving as misc,
)
from protocol.uo.handlers import (
    talk as speech,
)
from protocol.uo.handlers.table import TABLE

__all__ = ["TABLE", "characters", "chat", "login", "misc", "motion", "speech", "status", "things", "unread"]
