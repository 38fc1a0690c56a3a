"""The rolling XOR of the game connection, and what guards a login message inside its Blowfish.

On a game connection a byte is XORed with one of the key and with the enciphered one before:

    enciphered[i] = plain[i] ^ key[i % 16] ^ enciphered[i - 1]        with a 0 in front of each message

Eight bytes of the key come in KeyPacket, the others are the same for everybody. After each message its size
is added to the four bytes in the middle (u32, little-endian), so both ends have to agree on every message
that was ever sent. Each direction has a key of its own, which starts out the same.

The bytes are taken as one large big-endian number. Its first byte is then the topmost, and a byte XORed with
all those before it is the number XORed with itself shifted to the right by 1, 2, 4, ... bytes; back it takes
one shift. What falls out at the right is what has to go.

On a login connection messages are whole Blowfish blocks (`protocol.l2.blowfish`) and have a checksum inside;
the very first has a pass of XOR instead:

body | zeros | checksum                  what L2J and its relatives send
    body | zeros | checksum | 0              what the original client sends
    body | zeros | sum of the pass | 0       Init, whose words the pass has changed

The checksum is the XOR of all words (u32, little-endian) in front of it. With a word of zero behind it or
without, the XOR of all words of the message is then 0, and that is the one rule by which a message is judged.
"""

from __future__ import annotations

import struct
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

SENT_KEY_SIZE: Final = 8
"""Bytes of the key that KeyPacket carries."""

# The other half, in client and server alike: where the counter begins, and what stays.
_COUNTER_START: Final = int.from_bytes(bytes.fromhex("c8279301"), "little")
_TAIL: Final = bytes.fromhex("a16c3197")

_KEY_SIZE: Final = 16
_LENGTH_SIZE: Final = 2
_COUNTER_MASK: Final = 0xFFFFFFFF


class RollingXor:
    """One direction. The end that sends calls `framed` for its messages, the other `decrypt` for each.

    Every message of every client passes here, so a flush is one loop that calls nothing of ours, and the four
    steps that every message needs are no loop in it.
    """

    __slots__ = ("_counter", "_head")

    def __init__(self, sent_key: bytes) -> None:
        if len(sent_key) != SENT_KEY_SIZE:
            raise ValueError(f"KeyPacket carries {SENT_KEY_SIZE} bytes of the key, not {len(sent_key)}")
        self._head = sent_key
        self._counter = _COUNTER_START

    def encrypt(self, body: bytes) -> bytes:
        """Encipher the next message, opcode included, length not."""
        return self.framed((body,))[0][_LENGTH_SIZE:]

    def framed(self, bodies: Iterable[bytes]) -> list[bytes]:
        """Encipher the next messages, each behind its length, which stays plain. Raises OverflowError if one
        is longer than that can say."""
        from_bytes, head, counter = int.from_bytes, self._head, self._counter
        frames = []
        for body in bodies:
            size = len(body)
            key = head + counter.to_bytes(4, "little") + _TAIL
            counter = counter + size & _COUNTER_MASK
            if size > _KEY_SIZE:
                key *= size // _KEY_SIZE + 1
            chain = from_bytes(body, "big") ^ from_bytes(key[:size], "big")
            chain ^= chain >> 8
            chain ^= chain >> 16
            chain ^= chain >> 32
            chain ^= chain >> 64
            if size > _KEY_SIZE:
                shift, bits = 128, 8 * size
                while shift < bits:
                    chain ^= chain >> shift
                    shift <<= 1
            length = size + _LENGTH_SIZE
            frames.append(length.to_bytes(_LENGTH_SIZE, "little") + chain.to_bytes(size, "big"))
        self._counter = counter
        return frames

    def decrypt(self, body: bytes) -> bytes:
        """Decipher the next message, opcode included, length not."""
        size = len(body)
        counter = self._counter
        key = self._head + counter.to_bytes(4, "little") + _TAIL
        self._counter = counter + size & _COUNTER_MASK
        stream = (key * (size // _KEY_SIZE + 1))[:size]
        chain = int.from_bytes(body, "big")
        return (chain ^ chain >> 8 ^ int.from_bytes(stream, "big")).to_bytes(size, "big")


# The login connection

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
