"""The table `[listen.toy]` of config.toml."""

# ruff: noqa: RUF009 # the defaults of these frozen classes are frozen values

from __future__ import annotations

import attrs

from protocol.address import Address
from protocol.keys import door
from protocol.listener import Listener


@attrs.frozen
class ToyListener(Listener):
    """One door for everything."""

    family = "toy"

    game: Address = door(Address("127.0.0.1", 7000))
