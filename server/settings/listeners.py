"""The `[listen.*]` tables: for each game, where its doors open and how its bytes are read there."""

# ruff: noqa: RUF009 # the defaults of these frozen classes are frozen values

from __future__ import annotations

import ipaddress
from collections.abc import Mapping  # noqa: TC003 # a class that is read at run time names it
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Literal

import attrs

from server.settings.address import Address, Advertise
from server.settings.keys import aside, between, door, fixed, hidden

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKET_OVERHEAD: Final = 6
"""Bytes around what a datagram of EverQuest II carries: opcode, sequence number and checksum, two each."""


def _not_empty(values: tuple[int, ...]) -> None:
    if not values:
        raise ValueError("must not be empty")


SHORTEST_SECRET: Final = 8
LONGEST_SECRET: Final = 256
"""Bytes of UTF-8; what the bridge's AuthRequest carries."""

NO_SERVERS: Final[Mapping[str, str]] = MappingProxyType({})


def _secret(value: str) -> None:
    if value and not SHORTEST_SECRET <= len(value.encode()) <= LONGEST_SECRET:
        raise ValueError(f"must have {SHORTEST_SECRET} to {LONGEST_SECRET} letters")


def _servers(values: Mapping[str, str]) -> None:
    for number, secret in values.items():
        if not (number.isascii() and number.isdigit() and 0 < int(number[:4]) <= 255 and number[0] != "0"):
            raise ValueError(f'{number!r} is no id: they are "1" to "255"')
        if not secret:
            raise ValueError(f"the secret of game server {number} is empty")
        _secret(secret)


def _names(values: tuple[str, ...]) -> None:
    for text in values:
        try:
            Advertise.parse(text)
        except ValueError:
            try:
                Address.parse(text if text.rpartition("]")[2] else f"{text}:0")
            except ValueError:
                raise ValueError(
                    f"{text!r} is no name of a host such as play.example.org, with or without a port"
                ) from None


@attrs.frozen
class Listener:
    """What every game's table has. A game adds its doors, and what its codec and its sockets have to know."""

    family: ClassVar[str]
    datagrams: ClassVar[bool] = False
    """Whether its doors are UDP ports; a TCP port may have the same number."""

    enabled: bool = fixed(True)
    advertise: Advertise | None = fixed(None)
    behind_proxy: bool = fixed(False)

    def addresses(self) -> dict[str, Address]:
        """The address of each door that is open."""
        doors = ((key.name, getattr(self, key.name)) for key in _own(self) if "door" in key.metadata)
        return {name: address for name, address in doors if address}

    def codec_settings(self) -> Mapping[str, object]:
        """The keys that only this game has, but its doors and what is no business of a client: what
        `CodecArgs.settings` holds."""
        settings = (key.name for key in _own(self) if not {"door", "aside"} & key.metadata.keys())
        return {name: getattr(self, name) for name in settings}

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """What cannot be true together within this table, as (key, message)."""
        if self.advertise is None and any(address.is_ipv6 for address in self.addresses().values()):
            yield (
                "advertise",
                "must be given for an IPv6 listener: no client can be sent to an IPv6 address",
            )


def _own(listener: Listener) -> Iterator[attrs.Attribute[object]]:
    """The keys that a game adds."""
    return (key for key in attrs.fields(type(listener)) if not key.inherited)


@attrs.frozen
class UoListener(Listener):
    """Ultima Online: login and game share one port."""

    family = "uo"

    game: Address = door(Address("0.0.0.0", 2593))
    encryption: Literal["auto", "plain"] = fixed("auto")


@attrs.frozen
class EoListener(Listener):
    """Endless Online: the original client on TCP, browser clients on WebSocket."""

    family = "eo"

    game: Address = door(Address("0.0.0.0", 8078))
    websocket: Address | Literal[False] = door(Address("0.0.0.0", 8079))


@attrs.frozen
class Eq2Listener(Listener):
    """EverQuest II: UDP. Clients log in at one port and are sent on to the other to play."""

    family = "eq2"
    datagrams = True

    login: Address = door(Address("0.0.0.0", 9100))
    world: Address = door(Address("0.0.0.0", 9001))
    max_datagram: int = fixed(512, between(128, 1400))
    rate_kib: float = fixed(128.0, between(1, 1_048_576))
    burst_kib: float = fixed(32.0, between(0.125, 1_048_576))
    compress_above: int = fixed(100, between(0, 500_000))
    combine_bytes: int = fixed(250, between(0, 1400))
    rto_min_ms: int = fixed(200, between(10, 60_000))
    rto_max_ms: int = fixed(3000, between(10, 60_000))
    keep_alive_seconds: float = fixed(9.0, between(1, 3_600))
    idle_seconds: float = fixed(45.0, between(1, 86_400))
    unacknowledged_seconds: float = fixed(10.0, between(1, 30))
    window: int = fixed(2047, between(1, 2047))
    receive_buffer_kib: int = fixed(4096, between(16, 1_048_576))
    send_buffer_kib: int = fixed(4096, between(16, 1_048_576))
    peer_queue: int = fixed(256, between(1, 65_536))
    new_sessions_per_second: int = fixed(30, between(1, 1_000_000))
    half_open: int = fixed(256, between(1, 1_000_000))
    prove_first: bool = fixed(False)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """See Listener."""
        yield from super().contradictions()
        if self.burst_kib * 1024 < self.max_datagram:
            yield "burst_kib", f"must be enough for one datagram: max_datagram is {self.max_datagram} bytes"
        room = self.max_datagram - PACKET_OVERHEAD
        if self.combine_bytes > room:
            yield (
                "combine_bytes",
                f"must be at most {room}, what a datagram of {self.max_datagram} bytes holds",
            )
        if self.rto_min_ms > self.rto_max_ms:
            yield "rto_min_ms", f"must not be above rto_max_ms, which is {self.rto_max_ms}"
        if self.keep_alive_seconds >= self.idle_seconds:
            yield (
                "keep_alive_seconds",
                f"must be below idle_seconds, {self.idle_seconds:g}: silence ends a session",
            )


@attrs.frozen
class CoListener(Listener):
    """Conquer Online: clients log in at one port and are sent on to the other to play. All clients of one
    listener are of one patch."""

    family = "co"

    account: Address = door(Address("0.0.0.0", 9958))
    game: Address = door(Address("0.0.0.0", 5816))
    patch: Literal[5017, 5065] = fixed(5017)


@attrs.frozen
class WebListener(Listener):
    """The web page, and the game that is played in it."""

    family = "web"

    http: Address = door(Address("127.0.0.1", 8080))
    public: bool = aside(False)
    hosts: tuple[str, ...] = aside((), _names)
    map: bool = aside(True)
    viewers: int = aside(200, between(0, 100_000))
    sockets_per_address: int = aside(16, between(1, 100_000))
    metrics_token: str = hidden("", _secret)

    @property
    def is_public(self) -> bool:
        """Whether other machines can reach it."""
        return not _is_loopback(self.http.host)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """See Listener. Nobody is sent on from here, so that nothing has to be advertised."""
        if self.enabled and self.is_public and not self.public:
            yield (
                "http",
                f"{self.http} can be reached from other machines: say public = true if that is meant, and "
                "put a proxy with TLS before it (docs/operators-web.md)",
            )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@attrs.frozen
class L2Listener(Listener):
    """Lineage II: clients log in at one port and are sent on to the other to play."""

    family = "l2"

    login: Address = door(Address("0.0.0.0", 2106))
    game: Address = door(Address("0.0.0.0", 7777))
    packet_encryption: bool = fixed(True)
    protocols: tuple[int, ...] = fixed((740, 741, 742, 743, 744, 745, 746), _not_empty)
    show_licence: bool = fixed(True)
    delete_days: float = fixed(7.0, between(0, 3650))
    bridge: Address | Literal[False] = aside(False)
    server_id: int = aside(1, between(1, 255))
    bridge_secret: str = hidden("", _secret)
    servers: Mapping[str, str] = hidden(NO_SERVERS, _servers)
