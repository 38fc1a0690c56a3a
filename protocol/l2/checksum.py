"""What guards a login message inside its Blowfish: a checksum, and for the very first a pass of XOR.

    body | zeros | checksum                  what L2J and its relatives send
    body | zeros | checksum | 0              what the original client sends
    body | zeros | sum of the pass | 0       Init, whose words the pass has changed

The checksum is the XOR of all words (u32, little-endian) in front of it. With a word of zero behind it or
without, the XOR of all words of the message is then 0, and that is the one rule by which a message is judged.
"""

from __future__ import annotations

import struct
from itertools import accumulate
from typing import Final

BLOCK_SIZE: Final = 8
"""Messages are whole Blowfish blocks."""

CHECKSUM_SIZE: Final = 4

_WORD_MASK: Final = 0xFFFFFFFF


def padded(body: bytes, reserved: int) -> bytes:
    """The body, `reserved` bytes of zero, and 1 to 8 more zeros up to whole blocks. (Never none: L2J's rule,
    `size += 8 - size % 8`.)"""
    size = len(body) + reserved
    return body.ljust(size + BLOCK_SIZE - size % BLOCK_SIZE, b"\0")


def xor_of_words(data: bytes) -> int:
    """All u32 words of the data XORed, by halving: the upper half of the words falls on the lower."""
    folded = int.from_bytes(data, "little")
    shift = 32
    while shift < 8 * len(data):
        shift <<= 1
    while shift > 32:
        shift >>= 1
        folded ^= folded >> shift
    return folded & _WORD_MASK


def guarded(body: bytes, *, original: bool = False) -> bytes:
    """The body in whole blocks, its checksum in the last word; as the original client has it in the last but
    one."""
    message = padded(body, 2 * CHECKSUM_SIZE if original else CHECKSUM_SIZE)
    checksum = xor_of_words(message).to_bytes(CHECKSUM_SIZE, "little")
    if original:
        return message[: -2 * CHECKSUM_SIZE] + checksum + bytes(CHECKSUM_SIZE)
    return message[:-CHECKSUM_SIZE] + checksum


def is_intact(message: bytes) -> bool:
    """Whether a deciphered message is whole blocks and its words cancel out."""
    size = len(message)
    return size >= BLOCK_SIZE and size % BLOCK_SIZE == 0 and not xor_of_words(message)


def veil(message: bytes, seed: int) -> bytes:
    """The pass of XOR over Init, before its Blowfish. `message` is whole blocks, the last of them zeros.

    Every word but the first is XORed with the seed plus all plain words up to and including it. The final sum
    goes into the last word but one, so that the way back can begin with it.
    """
    words = struct.unpack(f"<{len(message) // 4}I", message)
    sums = [total & _WORD_MASK for total in accumulate(words[1:-2], initial=seed)]
    veiled = [word ^ total for word, total in zip(words[1:-2], sums[1:], strict=True)]
    return struct.pack(f"<{len(words)}I", words[0], *veiled, sums[-1], 0)


def unveil(message: bytes) -> bytes:
    """Undo `veil`. `message` is whole blocks; the sum and the zero at the end stay as they are."""
    words = list(struct.unpack(f"<{len(message) // 4}I", message))
    total = words[-2]
    for at in range(len(words) - 3, 0, -1):
        words[at] ^= total
        total = (total - words[at]) & _WORD_MASK
    return struct.pack(f"<{len(words)}I", *words)
