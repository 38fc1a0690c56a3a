"""Making of the relay to other worlds, if the configuration wants one.

Apart from `app`, because the library behind it is imported for that alone: a world that stands alone pays
nothing for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.cluster.relay import Relay

if TYPE_CHECKING:
    from server.boot.parts import Parts
    from server.cluster.bus import Line


def make_relay(app: Parts) -> Relay | None:
    """The relay over the server that the configuration names; None if it names none."""
    url = app.settings.cluster.valkey
    if not url:
        return None
    from server.cluster.valkey import Valkey

    return relay_over(app, Valkey(url))


def relay_over(app: Parts, line: Line) -> Relay:
    """A relay between a server's world and others over a line."""
    relay = Relay(
        app.world,
        line,
        app.settings.world.id,
        in_world=app.loop.in_world,
        token=app.entropy(8).hex(),
    )
    if app.logins is not None:
        app.logins.hears(relay)
    return relay
