"""The settings that a connection reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from server.settings.config import Limits, Network


class ConnectionSettings(Protocol):
    """Tables of the configuration that a connection reads each time it needs them: they may change."""

    @property
    def network(self) -> Network: ...
    @property
    def limits(self) -> Limits: ...
