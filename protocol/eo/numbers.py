"""Endless Online's numbers: base 253, lowest digit first, each digit stored as digit + 1.

Zero and the filler 0xFE both stand for nothing: a byte 0x00 never occurs in a legal number, 0xFE ends one,
and 0xFF is left free to separate the fields of chunked packets. (Cirras/eo-protocol `docs/`, eolib
`number_encoding_utils.py`.)
"""

from __future__ import annotations

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


def encode_short(number: int) -> bytes:
    """Two bytes for 0..64,008; ValueError outside."""
    if number < 0:
        raise ValueError(f"an EO short cannot hold {number}")
    if number <= CHAR_MAX:
        return bytes((number + 1, 0xFE))
    if number > SHORT_MAX:
        raise ValueError(f"an EO short cannot hold {number}")
    high, low = divmod(number, 253)
    return bytes((low + 1, high + 1))


def decode_length(field: bytes) -> int:
    """The two-byte length in front of a packet; WireError if a byte of it is no digit.

    Taken literally such a byte makes the length negative (0x00 is digit -1 to eolib) or moves it (eoserv
    reads 0x80).
    """
    low, high = field
    if low in _ILLEGAL_LENGTH_DIGITS or high in _ILLEGAL_LENGTH_DIGITS:
        raise WireError(f"bad_length: {field.hex()} is not a number")
    if low == 0xFE:
        return 0
    return low - 1 if high == 0xFE else low - 1 + 253 * (high - 1)
