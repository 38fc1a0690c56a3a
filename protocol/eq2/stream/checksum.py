"""The seeded checksum at the end of a datagram.

An ordinary CRC-32 (that of zlib) over the session's seed, four bytes little-endian, and the datagram as it is
sent. Its low bytes are appended big-endian: two in EverQuest II, four for peers that ask for them.
"""

from __future__ import annotations

import zlib


class Checksum:
    """One session's checksum."""

    __slots__ = ("_mask", "_primed", "length")

    def __init__(self, seed: int, length: int = 2) -> None:
        if length not in (2, 4):
            raise ValueError(f"a checksum takes 2 or 4 bytes, not {length}")
        self.length = length
        self._mask = (1 << 8 * length) - 1
        self._primed = zlib.crc32(seed.to_bytes(4, "little"))

    def sealed(self, datagram: bytes) -> bytes:
        """The datagram with its checksum."""
        checksum = zlib.crc32(datagram, self._primed) & self._mask
        return datagram + checksum.to_bytes(self.length, "big")

    def opened(self, datagram: bytes) -> bytes | None:
        """The datagram without its checksum; None if that is wrong, or nothing is before it."""
        length = self.length
        if len(datagram) <= length:
            return None
        body = datagram[:-length]
        if zlib.crc32(body, self._primed) & self._mask != int.from_bytes(datagram[-length:], "big"):
            return None
        return body
