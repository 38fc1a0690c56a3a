"""Reading and writing of packets: numbers of base 253, and reader and writer for eolib's classes.

A number is written lowest digit first, each digit as digit + 1. Zero and the filler 0xFE both stand for
nothing: a byte 0x00 never occurs in a legal number, 0xFE ends one, and 0xFF is left free to separate the
fields of chunked packets. (Cirras/eo-protocol `docs/`, eolib `number_encoding_utils.py`.)

eolib's own `EoReader` copies and loops for every number, and takes the illegal digits 0x00 and 0xFF for -1
and 254, so that a client could name amounts and indexes below zero, or such as no answer can repeat. The
reader here raises WireError where a number is outside its range, in one place for all packets, and reads the
common cases with plain indexing. Single digits of 0xFF are let through: real clients send them (in
NPCRange_Request). The generated classes of eolib only use the methods below, and come to the same results
several times faster.
"""

from __future__ import annotations

from eolib import EoReader, EoWriter

from protocol.endings import WireError

CHAR_MAX = 252
"""Largest number in one byte."""
SHORT_MAX = 253**2 - 1
"""Largest number in two bytes: 64,008."""
THREE_MAX = 253**3 - 1
"""Largest number in three bytes: 16,194,276."""
INT_MAX = 253**4 - 1
"""Largest number in four bytes: 4,097,152,080."""

_ILLEGAL_LENGTH_DIGITS = (0x00, 0xFF)

_BREAK = 0xFF
_LARGEST = (0, CHAR_MAX, SHORT_MAX, THREE_MAX, INT_MAX)
"""By digits."""


def encode_short(number: int) -> bytes:
    """Two bytes for 0..64,008. Raises ValueError outside."""
    if number < 0:
        raise ValueError(f"an EO short cannot hold {number}")
    if number <= CHAR_MAX:
        return bytes((number + 1, 0xFE))
    if number > SHORT_MAX:
        raise ValueError(f"an EO short cannot hold {number}")
    high, low = divmod(number, 253)
    return bytes((low + 1, high + 1))


def decode_length(field: bytes) -> int:
    """The two-byte length in front of a packet. Raises WireError if a byte of it is no digit.

    Taken literally such a byte makes the length negative (0x00 is digit -1 to eolib) or moves it (eoserv
    reads 0x80).
    """
    low, high = field
    if low in _ILLEGAL_LENGTH_DIGITS or high in _ILLEGAL_LENGTH_DIGITS:
        raise WireError(f"bad_length: {field.hex()} is not a number")
    if low == 0xFE:
        return 0
    return low - 1 if high == 0xFE else low - 1 + 253 * (high - 1)


class Reader(EoReader):
    """Reads one packet. Reading past the end or the chunk gives 0 or "": real clients rely on it."""

    def __init__(self, data: bytes, position: int = 0) -> None:
        """Read `data` from `position` on; what lies before it (action, family) is no part of any chunk."""
        self._bytes = data
        self._position = position
        self._chunk_start = position
        self._next_break = -1
        self._chunked_reading_mode = False
        self._end = len(data)

    @property
    def position(self) -> int:
        return self._position

    @property
    def remaining(self) -> int:
        return max(self._end - self._position, 0)

    @property
    def chunked_reading_mode(self) -> bool:
        return self._chunked_reading_mode

    @chunked_reading_mode.setter
    def chunked_reading_mode(self, chunked: bool) -> None:
        if chunked is self._chunked_reading_mode:
            return
        self._chunked_reading_mode = chunked
        if not chunked:
            self._end = len(self._bytes)
            return
        if self._next_break < 0:
            self._next_break = self._find_break()
        self._end = self._next_break

    def next_chunk(self) -> None:
        """Skip what is left of this chunk and its break byte. Raises RuntimeError outside of chunked reading
        mode."""
        if not self._chunked_reading_mode:
            raise RuntimeError("not in chunked reading mode")
        self._position = min(self._next_break + 1, len(self._bytes))
        self._chunk_start = self._position
        self._end = self._next_break = self._find_break()

    def _find_break(self) -> int:
        at = self._bytes.find(_BREAK, self._chunk_start)
        return len(self._bytes) if at < 0 else at

    def get_byte(self) -> int:
        at = self._position
        if at >= self._end:
            return 0
        self._position = at + 1
        return self._bytes[at]

    def get_bytes(self, length: int) -> bytearray:
        return bytearray(self._take(length))

    def get_char(self) -> int:
        """A number of one byte; 0 behind the end. Raises WireError for a byte of 0."""
        at = self._position
        if at >= self._end:
            return 0
        self._position = at + 1
        value = self._bytes[at]
        if value == 0xFE:
            return 0
        if value == 0:
            raise WireError(f"bad_number: 00 at offset {at}")
        return value - 1

    def get_short(self) -> int:
        """A number of two bytes. Raises WireError if they stand for none from 0 to SHORT_MAX."""
        at = self._position
        if at + 2 > self._end:
            return self._number(2)
        self._position = at + 2
        low, high = self._bytes[at], self._bytes[at + 1]
        if low == 0xFE:
            return 0
        number = low - 1 if high == 0xFE else low - 254 + 253 * high
        if not 0 <= number <= SHORT_MAX:
            raise WireError(f"bad_number: {low:02x}{high:02x} at offset {at}")
        return number

    def get_three(self) -> int:
        return self._number(3)

    def get_int(self) -> int:
        return self._number(4)

    def get_string(self) -> str:
        return self._take(self.remaining).decode("windows-1252", "replace")

    def get_fixed_string(self, length: int, padded: bool = False) -> str:
        raw = self._take(length)
        if padded:
            raw = raw.partition(b"\xff")[0]
        return raw.decode("windows-1252", "replace")

    def _take(self, length: int) -> bytes:
        """Up to `length` bytes of the chunk."""
        at = self._position
        stop = max(min(at + length, self._end), at)
        self._position = stop
        return self._bytes[at:stop]

    def _number(self, width: int) -> int:
        """A number of up to `width` digits; it ends early at 0xFE and at the end of the chunk."""
        at = self._position
        number, scale = 0, 1
        for value in self._take(width):
            if value == 0xFE:
                break
            number += (value - 1) * scale
            scale *= 253
        if not 0 <= number <= _LARGEST[width]:
            raise WireError(f"bad_number: {self._bytes[at : self._position].hex()} at offset {at}")
        return number


class Writer(EoWriter):
    """Writes one packet behind `prefix` (action, family). Raises ValueError for numbers that do not fit."""

    def __init__(self, prefix: bytes = b"") -> None:
        self.data = bytearray(prefix)

    string_sanitization_mode = False
    """In chunked sections: a letter that would read as a break byte is replaced, as eolib does it.

    An attribute instead of eolib's property, because every struct of every packet sets it twice or more.
    """

    def add_byte(self, value: int) -> None:
        self.data.append(value)

    def add_char(self, number: int) -> None:
        """Write a number in one byte. Raises ValueError outside of 0 to CHAR_MAX."""
        if not 0 <= number <= CHAR_MAX:
            raise ValueError(f"an EO char cannot hold {number}")
        self.data.append(number + 1)

    def add_short(self, number: int) -> None:
        """Write a number in two bytes. Raises ValueError outside of 0 to SHORT_MAX."""
        if 0 <= number <= CHAR_MAX:
            self.data += bytes((number + 1, 0xFE))
        elif 0 <= number <= SHORT_MAX:
            self.data += bytes((number % 253 + 1, number // 253 + 1))
        else:
            raise ValueError(f"an EO short cannot hold {number}")

    def add_three(self, number: int) -> None:
        """Write a number in three bytes. Raises ValueError outside of 0 to THREE_MAX."""
        if not 0 <= number <= THREE_MAX:
            raise ValueError(f"an EO three cannot hold {number}")
        self._add_digits(number, 3)

    def add_int(self, number: int) -> None:
        """Write a number in four bytes. Raises ValueError outside of 0 to INT_MAX."""
        if not 0 <= number <= INT_MAX:
            raise ValueError(f"an EO int cannot hold {number}")
        self._add_digits(number, 4)

    def add_string(self, string: str) -> None:
        raw = string.encode("windows-1252", "replace")
        if self.string_sanitization_mode:
            raw = raw.replace(b"\xff", b"y")
        self.data += raw

    def _add_digits(self, number: int, width: int) -> None:
        digits = []
        while True:
            number, digit = divmod(number, 253)
            digits.append(digit + 1)
            if not number:
                break
        self.data += bytes(digits).ljust(width, b"\xfe")
