"""Configurations of a cluster's processes, made of that of one server. No disk and no processes here:
`server.operate.cluster` has those.

What differs between the processes of a cluster is little, and each key of it has to fit a key of another
process. So an operator gives one config.toml, as for one server, and everything that is not about where a
process stands is passed on as it was written.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import attrs

from protocol.background import EDGE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.listener import Listener

PAGE = "web"
"""The game of the table that is the page: the first edge's."""


class ClusterError(Exception):
    """The cluster cannot be as it was asked for, or did not start; the message is one line."""


@attrs.frozen
class Shared:
    """Keys that all processes of a cluster have in common: URLs, the secret between edges and worlds, and
    where each world hears edges, "host:port"."""

    database: str
    valkey: str
    secret: str
    worlds: tuple[str, ...]


def split(realms: Sequence[str], worlds: int) -> list[tuple[str, ...]]:
    """Deal out realms, of which the first goes to the first world: its people found guilds there, and
    newcomers begin. Raises ClusterError if a world would have none."""
    if not 1 <= worlds <= len(realms):
        known = ", ".join(realms)
        raise ClusterError(
            f"--worlds {worlds}: each has a realm at least, so there can be 1 to {len(realms)} ({known})"
        )
    return [tuple(realms[first::worlds]) for first in range(worlds)]


def world_table(
    given: Mapping[str, object],
    listen: Mapping[str, Listener],
    shared: Shared,
    number: int,
    realms: Sequence[str],
) -> dict[str, object]:
    """The configuration of a world, of 1 to so many. `given` is the file as it was read, `listen` its
    listeners. Their tables stay, for it has to read what comes as the edges do, but open nothing."""
    return {
        **_common(given, shared),
        "server": {"name": _name(given), "state_dir": "var"},
        "world": {"id": number, "realms": list(realms), "address": shared.worlds[number - 1]},
        "edge": {"secret": shared.secret},
        "listen": {name: {**table, "enabled": False} for name, table, _ in _tables(given, listen)},
    }


def edge_table(
    given: Mapping[str, object], listen: Mapping[str, Listener], shared: Shared, number: int
) -> dict[str, object]:
    """The configuration of an edge, of 1 to so many. The first has the doors and the page as they were given;
    the doors of the others are at ports that the system chooses, and what clients are told is where they came
    to."""
    return {
        **_common(given, shared),
        "server": {"name": f"Edge {number}", "state_dir": "var", "roles": [EDGE]},
        "edge": {"worlds": list(shared.worlds), "secret": shared.secret},
        "listen": {
            name: _door_table(table, listener, number)
            for name, table, listener in _tables(given, listen)
            if number == 1 or listener.family != PAGE
        },
    }


def _door_table(table: Mapping[str, object], listener: Listener, number: int) -> dict[str, object]:
    if number == 1:
        return dict(table)
    doors = {door: str(attrs.evolve(address, port=0)) for door, address in listener.addresses().items()}
    return {key: value for key, value in table.items() if key != "advertise"} | doors


def _common(given: Mapping[str, object], shared: Shared) -> dict[str, object]:
    """All other tables, as they are. A log is the process's own."""
    tables = {**given, "database": {"url": shared.database}, "cluster": {"valkey": shared.valkey}}
    if isinstance(log := given.get("log"), dict):
        tables["log"] = {key: value for key, value in log.items() if key != "file"}
    return tables


def _name(given: Mapping[str, object]) -> object:
    server = given.get("server")
    return server.get("name", "Causeway") if isinstance(server, dict) else "Causeway"


def _tables(
    given: Mapping[str, object], listen: Mapping[str, Listener]
) -> Iterator[tuple[str, dict[str, object], Listener]]:
    tables = given.get("listen")
    if isinstance(tables, dict):
        for name, table in tables.items():
            yield name, table, listen[name]


def toml(table: Mapping[str, object], path: str = "") -> str:
    """Write tables as TOML: texts, numbers, truth, lists of these, and tables of all of it. There is a
    reader in the standard library and no writer."""
    values = {name: value for name, value in table.items() if not isinstance(value, dict)}
    lines = [f"{_key(name)} = {_value(value)}\n" for name, value in values.items()]
    if path and (values or not table):
        lines.insert(0, f"\n[{path}]\n")
    for name, value in table.items():
        if isinstance(value, dict):
            lines.append(toml(value, f"{path}.{_key(name)}" if path else _key(name)))
    return "".join(lines)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    # JSON's texts, numbers, true and false are TOML's, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
