"""The table `[listen.co]` of config.toml."""

# ruff: noqa: RUF009 # the defaults of these frozen classes are frozen values

from __future__ import annotations

from typing import Literal

import attrs

from protocol.address import Address
from protocol.keys import door, fixed
from protocol.listener import Listener


@attrs.frozen
class CoListener(Listener):
    """Conquer Online: clients log in at one port and are sent on to the other to play. All clients of one
    listener are of one patch."""

    family = "co"

    account: Address = door(Address("0.0.0.0", 9958))
    game: Address = door(Address("0.0.0.0", 5816))
    patch: Literal[5017, 5065] = fixed(5017)
