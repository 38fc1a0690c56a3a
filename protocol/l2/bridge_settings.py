"""The bridge's part of config.toml (`protocol.l2.bridge`), and what of it cannot be true together.

It stands beside the bridge and not in it, so that whoever reads config.toml imports no more than this.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

import attrs

from protocol.background import LOGIN, WORLD, ServiceSocket

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from protocol.address import Address, Advertise
    from protocol.background import Tables
    from protocol.l2.listener import L2Listener

HEXID: Final = re.compile(r"hexid:-?[0-9a-fA-F]{1,500}")
"""A secret that `protocol.l2.bridge.packets.proof_of` takes for such a number."""

BRIDGE: Final = "bridge"
"""The key of the address at which game servers are heard."""


@attrs.frozen
class BridgeSettings:
    """The bridge of this process, as its table has it."""

    table: str = "l2"
    server_id: int = 1
    """Which game server this process is, if it has one."""
    secret: str = attrs.field(default="", repr=False)
    """Its own, in a login server of another process."""
    secrets: Mapping[int, str] = attrs.field(factory=dict, repr=False)
    """Those of the game servers that may come from other processes, by id."""
    line: Address | None = None
    """Where the login server listens for game servers; None if there are no other processes."""
    game: Address | None = None
    """Where the game's door is bound."""
    advertise: Advertise | None = None


def read(tables: Tables) -> BridgeSettings:
    """Those of the table with a bridge, or of the first that is switched on; the defaults if there is
    none."""
    on = [(name, entry) for name, entry in cast("Mapping[str, L2Listener]", tables).items() if entry.enabled]
    if not on:
        return BridgeSettings()
    name, entry = next(((name, entry) for name, entry in on if entry.bridge), on[0])
    return BridgeSettings(
        table=name,
        server_id=entry.server_id,
        secret=entry.bridge_secret,
        secrets={int(number): secret for number, secret in entry.servers.items()},
        line=entry.bridge or None,
        game=entry.game,
        advertise=entry.advertise,
    )


def sockets(tables: Tables, roles: Collection[str]) -> Sequence[ServiceSocket]:
    """See `Service.sockets`. A login server hears game servers, if it may have some in other processes."""
    given = read(tables)
    if LOGIN not in roles or given.line is None:
        return ()
    return (ServiceSocket(given.table, BRIDGE, given.line, "game servers"),)


def contradictions(tables: Tables, roles: Collection[str]) -> Iterator[tuple[str, str]]:
    """See `Service.contradictions`."""
    given = cast("Mapping[str, L2Listener]", tables)
    enabled = {name: entry for name, entry in given.items() if entry.enabled}
    split = len(roles) == 1
    with_bridge = [name for name, entry in enabled.items() if entry.bridge]
    if len(with_bridge) > 1 or (with_bridge and split and len(enabled) > 1):
        yield f"{with_bridge[-1]}.bridge", "only one table of Lineage II can have a bridge"
        return
    for name, entry in enabled.items():
        if entry.bridge or split:
            yield from ((f"{name}.{key}", message) for key, message in _of_table(entry, roles))


def _of_table(entry: L2Listener, roles: Collection[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with a table whose parts are in two processes, or may be, as (key, message)."""
    if not entry.bridge:
        (role,) = roles
        yield "bridge", f'must be an address if roles is ["{role}"]: the other part is in another process'
        return
    for key, secrets in (("servers", [*entry.servers.values()]), ("bridge_secret", [entry.bridge_secret])):
        if any(secret.startswith("hexid:") and not HEXID.fullmatch(secret) for secret in secrets):
            yield key, "what follows hexid: must be the number of an L2J server's hexid.txt"
    if LOGIN in roles and not entry.servers:
        yield "servers", "must name the game servers that may come, each with its secret"
    if LOGIN not in roles:
        if not entry.bridge.port:
            yield "bridge", "must have the port of the login server"
        if not entry.bridge_secret:
            yield "bridge_secret", "must be what the login server has for this game server in its table"
    elif WORLD in roles and str(entry.server_id) in entry.servers:
        yield "servers", f"{entry.server_id} is the game server in this process: no other can have its id"
