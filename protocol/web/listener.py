"""The table `[listen.web]` of config.toml: the page, and the game that is played in it."""

# ruff: noqa: RUF009 # the defaults of these frozen classes are frozen values

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

import attrs

from protocol.address import Address, Advertise
from protocol.keys import aside, between, door, hidden, secret_text
from protocol.listener import Listener

if TYPE_CHECKING:
    from collections.abc import Iterator


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
class WebListener(Listener):
    """The web page, and the game that is played in it."""

    family = "web"

    http: Address = door(Address("127.0.0.1", 8080))
    public: bool = aside(False)
    hosts: tuple[str, ...] = aside((), _names)
    map: bool = aside(True)
    viewers: int = aside(200, between(0, 100_000))
    sockets_per_address: int = aside(16, between(1, 100_000))
    metrics_token: str = hidden("", secret_text)

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
