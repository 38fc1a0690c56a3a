"""State of the disk, as those read it who log, count, refuse or stop."""

from __future__ import annotations

import attrs


@attrs.frozen
class Health:
    """State of the disk: rows that wait, and how far it is behind."""

    pending_rows: int
    lag_seconds: float
    """Age of the oldest change that is not on disk."""
    failures: int
    """Commits that failed since the last one that did not."""
    error: str
    """What the last of them said."""
    refuse_logins: bool
    """Play would go into a void: accept nobody, announce it, and shut down (still trying to write)."""
    silent_seconds: float = 0.0
    """Beside other living worlds: for how long the database has said nothing. These call this world dead
    after `server.store.fence.SILENT_SECONDS`, and may have all it has."""
    unheard_seconds: float = 0.0
    """The same whether or not there are others. Nobody asks the database of SQLite all the time."""
