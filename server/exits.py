"""Exit codes of every `causeway` command."""

from __future__ import annotations

from typing import Final

GOOD: Final = 0
FOUND: Final = 1
"""`causeway check` found something, mistakes in the configuration included; or a running server refused a
command of `causeway do`."""
REFUSED: Final = 2
"""Bad configuration or arguments, or the command could not be carried out."""
DAMAGED: Final = 3
"""The database is damaged; the message names the backups to restore from."""
HELD: Final = 4
"""Another server holds the world."""
CRASHED: Final = 70
STALLED: Final = 71
RESTART: Final = 75
"""Staff wants a restart: for systemd's RestartForceExitStatus."""
