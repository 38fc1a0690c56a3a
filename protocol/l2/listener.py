"""The table `[listen.l2]` of config.toml, the keys of its bridge (`protocol.l2.bridge`) among them."""

# ruff: noqa: RUF009 # the defaults of these frozen classes are frozen values

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 # a class that is read at run time names it
from types import MappingProxyType
from typing import Final, Literal

import attrs

from protocol.address import Address
from protocol.keys import aside, between, door, fixed, hidden, secret_text
from protocol.listener import Listener

NO_SERVERS: Final[Mapping[str, str]] = MappingProxyType({})


def _not_empty(values: tuple[int, ...]) -> None:
    if not values:
        raise ValueError("must not be empty")


def _servers(values: Mapping[str, str]) -> None:
    for number, secret in values.items():
        if not (number.isascii() and number.isdigit() and 0 < int(number[:4]) <= 255 and number[0] != "0"):
            raise ValueError(f'{number!r} is no id: they are "1" to "255"')
        if not secret:
            raise ValueError(f"the secret of game server {number} is empty")
        secret_text(secret)


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
    bridge_secret: str = hidden("", secret_text)
    servers: Mapping[str, str] = hidden(NO_SERVERS, _servers)
