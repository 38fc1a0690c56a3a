"""Lineage II's notation, read and written as the original programs do: `d` is 32 bits, `S` a text, and so on.

The test's client (`tests.kit.l2_client`) reads what the server sends with this, from the public notes on the
protocol and not from the server's own declarations, so that a mistake there does not hide itself.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_CODES: Final = {"c": "B", "h": "h", "d": "i", "q": "q", "f": "d"}


class TooShort(Exception):
    """A message ends before its last field: the original client would read garbage, or crash."""


class Reader:
    """The fields of one message, in their order."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    def _number(self, code: str) -> int | float:
        form = "<" + _CODES[code]
        end = self._at + struct.calcsize(form)
        if end > len(self._body):
            raise TooShort(f"{code} at {self._at} of {len(self._body)} bytes")
        (value,) = struct.unpack_from(form, self._body, self._at)
        self._at = end
        found: int | float = value
        return found

    def c(self) -> int:
        """One byte."""
        return int(self._number("c"))

    def h(self) -> int:
        """Two bytes, with a sign."""
        return int(self._number("h"))

    def d(self) -> int:
        """Four bytes, with a sign."""
        return int(self._number("d"))

    def q(self) -> int:
        """Eight bytes, with a sign."""
        return int(self._number("q"))

    def f(self) -> float:
        """A floating-point number of eight bytes."""
        return self._number("f")

    def ds(self, count: int) -> list[int]:
        """So many `d`."""
        return [self.d() for _ in range(count)]

    def b(self, count: int) -> bytes:
        """So many bytes as they are."""
        raw = self._body[self._at : self._at + count]
        if len(raw) < count:
            raise TooShort(f"{count} bytes at {self._at} of {len(self._body)}")
        self._at += count
        return raw

    def skip(self, layout: str) -> None:
        """Fields that nobody looks at, such as `4d 2h`."""
        for word in layout.split():
            for _ in range(int(word[:-1] or 1)):
                self._number(word[-1])

    def text(self) -> str:
        """`S`: UTF-16 up to a zero."""
        start = self._at
        while self.h():
            pass
        return self._body[start : self._at - 2].decode("utf-16-le", "surrogatepass")

    @property
    def left(self) -> int:
        """Bytes that were not read."""
        return len(self._body) - self._at


def written(layout: str, *values: float | str) -> bytes:
    """Fields by their letters: `written("dS", 3, "hi")`."""
    out = b""
    for letter, value in zip(layout, values, strict=True):
        if isinstance(value, str):
            out += value.encode("utf-16-le", "surrogatepass") + bytes(2)
        else:
            out += struct.pack("<" + _CODES[letter], value)
    return out


def written_all(layout: str, rows: Sequence[Sequence[float | str]]) -> bytes:
    """The same for each row, behind their number."""
    return struct.pack("<i", len(rows)) + b"".join(written(layout, *row) for row in rows)
