"""Endless Online's packet encryption, without a loop over bytes.

Three reversible steps over everything behind the length prefix: `swap_multiples` turns around each run of
bytes that are divisible by a number the server chose, `flip_msb` inverts the top bit, `interleave` deals the
bytes out from both ends. Obfuscation rather than a cipher, but it touches every byte of every packet in both
directions, so each step is one operation of the interpreter: a regular expression, `bytes.translate`, two
slices. The rules are those of Cirras/eolib-python `eolib/encrypt/encryption_utils.py`; the tests hold this
file against it.
"""

from __future__ import annotations

import functools
import re

# Every byte but 0x00 and 0x80 changes its top bit; those two would turn into one another and stay.
_FLIPPED = bytes(value if value & 0x7F == 0 else value ^ 0x80 for value in range(256))


def encrypt(data: bytes, multiple: int) -> bytes:
    """The ciphertext of one packet, length prefix excluded. `multiple` 0 leaves out the first step."""
    return interleave(flip_msb(swap_multiples(data, multiple)))


def decrypt(data: bytes, multiple: int) -> bytes:
    """The plain text of one packet; never fails, a wrong multiple gives wrong bytes."""
    return swap_multiples(flip_msb(deinterleave(data)), multiple)


def swap_multiples(data: bytes, multiple: int) -> bytes:
    """Reverse every run of bytes divisible by `multiple` (0x00 is); its own inverse."""
    if multiple == 0:
        return data
    return _runs_of(multiple).sub(_reversed, data)


def flip_msb(data: bytes) -> bytes:
    """Invert the top bit of every byte except 0x00 and 0x80; its own inverse."""
    return data.translate(_FLIPPED)


def interleave(data: bytes) -> bytes:
    """First half to the even places, second half backwards to the odd ones: 0 1 2 3 4 5 -> 0 5 1 4 2 3."""
    middle = (len(data) + 1) // 2
    woven = bytearray(len(data))
    woven[::2] = data[:middle]
    woven[1::2] = data[middle:][::-1]
    return bytes(woven)


def deinterleave(data: bytes) -> bytes:
    """Undo `interleave`."""
    return data[::2] + data[1::2][::-1]


@functools.cache
def _runs_of(multiple: int) -> re.Pattern[bytes]:
    """Matches runs that are worth turning around: two or more bytes divisible by `multiple`."""
    divisible = b"".join(re.escape(bytes((value,))) for value in range(0, 256, multiple))
    return re.compile(b"[" + divisible + b"]{2,}")


def _reversed(run: re.Match[bytes]) -> bytes:
    return run[0][::-1]
