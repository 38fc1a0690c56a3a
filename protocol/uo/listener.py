"""The table `[listen.uo]` of config.toml."""

# ruff: noqa: RUF009 # the defaults of these frozen classes are frozen values

from __future__ import annotations

from typing import Literal

import attrs

from protocol.address import Address
from protocol.keys import door, fixed
from protocol.listener import Listener


@attrs.frozen
class UoListener(Listener):
    """Ultima Online: login and game share one port."""

    family = "uo"

    game: Address = door(Address("0.0.0.0", 2593))
    encryption: Literal["auto", "plain"] = fixed("auto")
