"""What the `[listen.*]` tables of all games have in common.

A listener says where a game's doors open and how bytes are read there. Each game has a class of its own
(`Game.listener`), which adds its doors and what its codec and its sockets have to know; config.toml may have
several tables of it.
"""

# ruff: noqa: RUF009 # the defaults of these frozen classes are frozen values

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import attrs

from protocol.address import Advertise  # noqa: TC001 # a class that is read at run time names it
from protocol.keys import fixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from protocol.address import Address


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
