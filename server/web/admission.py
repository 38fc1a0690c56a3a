"""Limits on connections to the web page, for one address and for all together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from server.people.limiter import is_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.settings.config import Limits


class Admission:
    """Counts what is open. Connections and WebSockets are counted apart: behind a proxy all connections come
    from its address, and only a WebSocket, which has said what it is, tells whose it is."""

    def __init__(self, limits: Callable[[], Limits], per_address: int) -> None:
        self._limits = limits
        self._per_address = per_address
        self._connections: Counter[str] = Counter()
        self._sockets: Counter[str] = Counter()

    @property
    def connections(self) -> int:
        """Number of open connections."""
        return self._connections.total()

    @property
    def sockets(self) -> int:
        """Number of open WebSockets."""
        return self._sockets.total()

    def connect(self, address: str, *, behind_proxy: bool) -> str:
        """Count a new connection; why it is refused, and not counted, if it is. `behind_proxy` says whether
        everybody's come from the same address."""
        limits = self._limits()
        if self._connections.total() >= limits.connections:
            return f"{limits.connections} connections are open"
        limited = not behind_proxy and not is_in(address, limits.exempt)
        if limited and self._connections[address] >= self._per_address:
            return f"{self._per_address} connections from one address"
        self._connections[address] += 1
        return ""

    def disconnect(self, address: str) -> None:
        """Such a connection is gone."""
        _less(self._connections, address)

    def open(self, address: str, *, remote: bool) -> str:
        """Count a new WebSocket; why it is refused, and not counted, if it is. `remote` says that there is a
        proxy between: no address is exempt then."""
        limited = remote or not is_in(address, self._limits().exempt)
        if limited and self._sockets[address] >= self._per_address:
            return f"{self._per_address} WebSockets of one address"
        self._sockets[address] += 1
        return ""

    def close(self, address: str) -> None:
        """Such a WebSocket is gone."""
        _less(self._sockets, address)


def _less(counter: Counter[str], address: str) -> None:
    counter[address] -= 1
    if counter[address] <= 0:
        del counter[address]
