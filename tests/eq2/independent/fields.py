"""Fields one after another, read strictly: nothing missing, nothing left over, no number that is none."""

from __future__ import annotations

import math
import struct

from tests.eq2.independent.packed import Malformed, unpack


class Fields:
    """A message, or a part of one. All numbers are little-endian."""

    def __init__(self, data: bytes, what: str) -> None:
        self.data = data
        self.what = what
        self.at = 0

    def wrong(self, why: str) -> Malformed:
        """An error about the place that was read last."""
        return Malformed(f"{self.what}: {why} at {self.at} of {len(self.data)}: {self.data.hex()}")

    def take(self, size: int) -> bytes:
        """So many bytes."""
        part = self.data[self.at : self.at + size]
        if len(part) < size:
            raise self.wrong(f"{size} bytes wanted, {len(part)} there")
        self.at += size
        return part

    def _number(self, size: int, *, signed: bool = False) -> int:
        return int.from_bytes(self.take(size), "little", signed=signed)

    def u8(self) -> int:
        return self._number(1)

    def u16(self) -> int:
        return self._number(2)

    def u32(self) -> int:
        return self._number(4)

    def i16(self) -> int:
        return self._number(2, signed=True)

    def i32(self) -> int:
        return self._number(4, signed=True)

    def f32(self) -> float:
        (value,) = struct.unpack("<f", self.take(4))
        if not math.isfinite(value):
            raise self.wrong(f"{value} is no place")
        return float(value)

    def point(self) -> tuple[float, float, float]:
        """Three floats."""
        return self.f32(), self.f32(), self.f32()

    def s8(self) -> str:
        """A string behind one byte of length."""
        return self.take(self.u8()).decode("cp1252")

    def s16(self) -> str:
        """A string behind two bytes of length."""
        return self.take(self.u16()).decode("cp1252")

    def chars(self, size: int) -> str:
        """A string in a fixed room, zeros behind it."""
        text, _, rest = self.take(size).partition(b"\0")
        if any(rest):
            raise self.wrong(f"{rest.hex()} behind the end of {text!r}")
        return text.decode("cp1252")

    def small(self) -> int:
        """A number in one byte, in two behind FF, or in four behind FF FF."""
        value = self.u8()
        if value == 0xFF:
            value = self.u16()
            if value == 0xFFFF:
                value = self.u32()
        return value

    def type(self) -> int:
        """The id of a message."""
        value = self.u8()
        if value < 0xFF:
            return value
        value = self.u16()
        if value < 0xFF:
            raise self.wrong(f"type {value} in its long form")
        return value

    def given(self, value: int, size: int, name: str) -> None:
        """A field that has only this value."""
        got = self._number(size)
        if got != value:
            raise self.wrong(f"{name} is {got:#x} and not {value:#x}")

    def zeros(self, size: int) -> None:
        """Filler."""
        if any(filler := self.take(size)):
            raise self.wrong(f"filler {filler.hex()}")

    def packed(self, size: int) -> bytes:
        """A packed struct of so many bytes, behind its length."""
        length = self.u32()
        if length > 0x8000:
            raise self.wrong(f"{length} packed bytes")
        try:
            return unpack(self.take(length), size)
        except Malformed as error:
            raise self.wrong(str(error)) from None

    def rest(self) -> bytes:
        """All that is left."""
        return self.take(len(self.data) - self.at)

    @property
    def more(self) -> bool:
        """Whether anything is left."""
        return self.at < len(self.data)

    def end(self) -> None:
        """Nothing may be left."""
        if self.more:
            raise self.wrong(f"{len(self.data) - self.at} bytes too many")
