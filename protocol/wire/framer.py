"""Cutting a byte stream into frames by a length prefix.

The small common part of the stream games: Endless Online, Conquer Online and Lineage II all send a u16 (or
EO's own number) in front of each message and differ in what it counts and whether it is encrypted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.endings import WireError

if TYPE_CHECKING:
    from collections.abc import Callable


class LengthFramer:
    """Collects a stream and hands out frames lazily, one at a time.

    `width` is the size of the length field in bytes, `extra` what has to be added to its value to get the
    size of the whole frame (0 if it counts itself too), `smallest`/`largest` bound that size. `decrypt` is
    applied to every byte in stream order, header first, exactly once and never further than the current
    frame: keys may change behind it.
    """

    def __init__(
        self,
        *,
        width: int,
        extra: int,
        smallest: int,
        largest: int,
        read_length: Callable[[bytes], int],
        decrypt: Callable[[bytes], bytes] | None = None,
    ) -> None:
        self._buffer = bytearray()
        self._width = width
        self._extra = extra
        self._smallest = smallest
        self.largest = largest
        """May change between two frames."""
        self._read_length = read_length
        self.decrypt = decrypt
        self._header: bytes | None = None
        self._size = 0

    def feed(self, data: bytes | memoryview) -> None:
        """Take bytes as they arrive."""
        self._buffer += data

    def __len__(self) -> int:
        return len(self._buffer)

    def next(self) -> bytes | None:
        """The next whole frame, header included and decrypted; None if it is not all there. Raises WireError
        for a size out of bounds."""
        buffer, width = self._buffer, self._width
        if self._header is None:
            if len(buffer) < width:
                return None
            raw = bytes(buffer[:width])
            header = self.decrypt(raw) if self.decrypt else raw
            size = self._read_length(header) + self._extra
            if not self._smallest <= size <= self.largest:
                raise WireError(f"bad_length: {size} bytes, allowed are {self._smallest} to {self.largest}")
            del buffer[:width]
            self._header, self._size = header, size
        rest = self._size - width
        if len(buffer) < rest:
            return None
        raw = bytes(buffer[:rest])
        del buffer[:rest]
        header, self._header = self._header, None
        return header + (self.decrypt(raw) if self.decrypt else raw)
