"""The configuration as it is now: `reload` replaces it while the server runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server.settings.config import Accounts, Limits, Network, Settings


class CurrentSettings:
    """Holds the settings. Each part of a server is given the methods that it needs, and calls them each time
    it needs a value."""

    __slots__ = ("settings",)

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def network(self) -> Network:
        """The table [network]."""
        return self.settings.network

    def limits(self) -> Limits:
        """The table [limits]."""
        return self.settings.limits

    def accounts(self) -> Accounts:
        """The table [accounts]."""
        return self.settings.accounts

    def joins_per_tick(self) -> int:
        """Characters that may come into the world in one turn."""
        return self.settings.limits.joins_per_tick

    def bind_tickets(self) -> bool:
        """Whether a ticket is good only for the address that it was made for."""
        return self.settings.limits.bind_tickets

    def flush_seconds(self) -> float:
        """Seconds between two batches of rows for the disk."""
        return self.settings.storage.flush_seconds

    def max_pending_rows(self) -> int:
        """Rows that may wait for the disk."""
        return self.settings.storage.max_pending_rows

    def max_lag_seconds(self) -> float:
        """Seconds that the disk may be behind."""
        return self.settings.storage.max_lag_seconds

    def stalled_seconds(self) -> float:
        """Seconds in which a peer has to take something of what waits for it."""
        return self.settings.network.stalled_seconds
