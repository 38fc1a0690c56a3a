"""Datagrams as one run of bytes: each behind its length in two bytes, high byte first.

What a bot or a test's client has to say at once is such a bundle wherever the games of a stream have plain
bytes, so that two of them can be joined and kept. Nothing of it goes on the wire.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def bundle(datagrams: Iterable[bytes]) -> bytes:
    """Datagrams of at most 65,535 bytes each, in their order."""
    return b"".join([len(datagram).to_bytes(2, "big") + datagram for datagram in datagrams])


def unbundle(data: bytes) -> list[bytes]:
    """The datagrams of a bundle. Of one that was cut, the last is as short as what is left of it."""
    found: list[bytes] = []
    at = 0
    while at + 2 < len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        found.append(data[at + 2 : end])
        at = end
    return found
