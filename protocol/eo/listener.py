"""The table `[listen.eo]` of config.toml."""

# ruff: noqa: RUF009 # the defaults of these frozen classes are frozen values

from __future__ import annotations

from typing import Literal

import attrs

from protocol.address import Address
from protocol.keys import door
from protocol.listener import Listener


@attrs.frozen
class EoListener(Listener):
    """Endless Online: the original client on TCP, browser clients on WebSocket."""

    family = "eo"

    game: Address = door(Address("0.0.0.0", 8078))
    websocket: Address | Literal[False] = door(Address("0.0.0.0", 8079))
