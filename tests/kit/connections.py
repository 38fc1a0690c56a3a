"""What a town looks like when a connection is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.games import STREAM_DOORS

if TYPE_CHECKING:
    from server.net.connection import Connection
    from tests.kit.town import Town


def newest(town: Town) -> Connection:
    """The connection that came last."""
    return town.app.gateway.connections[max(town.app.gateway.connections)]


#

SHAKEN = [(game, door) for game, door in STREAM_DOORS if game != "web"]
"""Doors at which a client has yet to prove what it is. A browser has asked for its WebSocket before: from
then on a person types, as long as `login_seconds` allows."""
