"""Bound sockets: where a server listens, and the file that tells tools outside."""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING

import attrs

from protocol.family import Transport as Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from protocol.address import Address
    from protocol.background import ServiceSocket
    from protocol.family import Door, Family

SOCKET_BUFFER_KIB = 4096
"""What a UDP socket asks of the system each way if its table does not say: a second of a full server."""


@attrs.frozen
class Listening:
    """One bound door. `name` is its table in config.toml."""

    name: str
    family: Family
    door_name: str
    socket: socket.socket = attrs.field(repr=False)
    settings: Mapping[str, object] = attrs.field(factory=dict)
    behind_proxy: bool = False
    """Whether everybody comes from a proxy's address, so that no address is exempt from limits."""

    @property
    def door(self) -> Door:
        """The family's door of that name."""
        return self.family.doors[self.door_name]

    @property
    def port(self) -> int:
        """As bound."""
        return int(self.socket.getsockname()[1])

    @property
    def address(self) -> str:
        """host:port as bound; of a door of datagrams udp:host:port."""
        host = self.socket.getsockname()[0]
        kind = "udp:" if self.door.transport is Kind.DATAGRAM else ""
        return f"{kind}[{host}]:{self.port}" if ":" in host else f"{kind}{host}:{self.port}"


@attrs.frozen
class ServiceListening:
    """One bound socket of a game's background service."""

    game: str
    wanted: ServiceSocket
    socket: socket.socket = attrs.field(repr=False)

    @property
    def address(self) -> str:
        """host:port as bound."""
        return "{}:{}".format(*self.socket.getsockname()[:2])


def bind_datagrams(address: Address, settings: Mapping[str, object]) -> socket.socket:
    """A UDP socket. Raises OSError. The system may grant smaller buffers than the table asks for."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM)
    try:
        sock.setblocking(False)
        for option, key in (
            (socket.SO_RCVBUF, "receive_buffer_kib"),
            (socket.SO_SNDBUF, "send_buffer_kib"),
        ):
            sock.setsockopt(socket.SOL_SOCKET, option, 1024 * number_of(settings, key, SOCKET_BUFFER_KIB))
        sock.bind((address.host, address.port))
    except OSError:
        sock.close()
        raise
    return sock


def number_of(settings: Mapping[str, object], key: str, default: int) -> int:
    """A whole number of a listener's table."""
    value = settings.get(key, default)
    return value if isinstance(value, int) else default


def bind(address: Address, backlog: int) -> socket.socket:
    """A listening TCP socket. Raises OSError."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        sock.bind((address.host, address.port))
        sock.listen(backlog)
    except OSError:
        sock.close()
        raise
    return sock


def write_endpoints(
    path: Path,
    listening: list[Listening],
    name: str,
    *,
    services: Sequence[ServiceListening] = (),
    edges: socket.socket | None = None,
) -> None:
    """Tell tools outside where everything listens: `endpoints.json`, written whole or not at all. `services`
    are the sockets of background services, `edges` the one at which edges are heard."""
    endpoints: dict[str, dict[str, object]] = {"server": {"pid": os.getpid(), "name": name}}
    for entry in listening:
        endpoints.setdefault(entry.name, {})[entry.door_name] = entry.address
    for heard in services:
        endpoints.setdefault(heard.wanted.table, {})[heard.wanted.key] = heard.address
    if edges is not None:
        endpoints["world"] = {"edges": "{}:{}".format(*edges.getsockname()[:2])}
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(endpoints, indent=2) + "\n")
    temporary.replace(path)
