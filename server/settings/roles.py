"""Which part of the server a process is.

By default a process is everything. With `roles = ["login"]` it has Lineage II's login door and nothing else,
no world and not its lock; with `["world"]` everything but that door. The two are joined by the bridge
(`protocol.l2.bridge`). All other games log in where they play, or beside it: their doors are the world's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from server.settings.listeners import L2Listener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from server.settings.address import Address
    from server.settings.config import Settings
    from server.settings.listeners import Listener

Role: TypeAlias = Literal["login", "world"]

HEXID: Final = re.compile(r"hexid:-?[0-9a-fA-F]{1,500}")
"""A secret that `protocol.l2.bridge.packets.proof_of` takes for such a number."""

LOGIN: Final = "login"
WORLD: Final = "world"


def open_doors(settings: Settings) -> Iterator[tuple[str, Listener, str, Address]]:
    """Every door that this process opens: its table, the listener, its name and where."""
    for name, listener in settings.listen.items():
        if listener.enabled:
            for door, address in listener.addresses().items():
                if door_role(listener, door) in settings.server.roles:
                    yield name, listener, door, address


def door_role(listener: Listener, door: str) -> Role:
    """Whose door that is."""
    return "login" if isinstance(listener, L2Listener) and door == "login" else "world"


def bridged(settings: Settings) -> tuple[str, L2Listener]:
    """The table with the keys of the bridge, and its name: that with a bridge, or the first of Lineage II
    that is on. The defaults if there is none."""
    found = [(name, entry) for name, entry in settings.listen.items() if isinstance(entry, L2Listener)]
    on = [(name, entry) for name, entry in found if entry.enabled]
    first = on[0] if on else ("l2", L2Listener(enabled=False))
    return next(((name, entry) for name, entry in on if entry.bridge), first)


def contradictions(settings: Settings) -> Iterator[str]:
    """What cannot be true together with the roles, each "key.path: message"."""
    roles = settings.server.roles
    if not roles or len(set(roles)) != len(roles):
        yield 'server.roles: must be ["login"], ["world"] or both'
        return
    games = {name: entry for name, entry in settings.listen.items() if entry.enabled}
    lineage = {name: entry for name, entry in games.items() if isinstance(entry, L2Listener)}
    split = len(roles) == 1
    if roles == (LOGIN,):
        for name in games.keys() - lineage.keys():
            yield f"listen.{name}: a login server has no door for it: leave the table out, or enabled = false"
        if not lineage:
            yield "server.roles: a login server needs [listen.l2]: Lineage II is the game it is for"
    with_bridge = [name for name, entry in lineage.items() if entry.bridge]
    if len(with_bridge) > 1 or (with_bridge and split and len(lineage) > 1):
        yield f"listen.{with_bridge[-1]}.bridge: only one table of Lineage II can have a bridge"
        return
    for name, entry in lineage.items():
        if entry.bridge or split:
            yield from (f"listen.{name}.{key}: {message}" for key, message in _bridge(entry, roles))


def _bridge(entry: L2Listener, roles: tuple[Role, ...]) -> Iterator[tuple[str, str]]:
    """What is wrong with a table whose parts are in two processes, or may be."""
    if not entry.bridge:
        yield "bridge", f'must be an address if roles is ["{roles[0]}"]: the other part is in another process'
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
