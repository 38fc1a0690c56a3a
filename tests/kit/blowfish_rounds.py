"""Blowfish and its CFB in Python, written from the paper: a second opinion on the library that
`protocol.co.blowfish` uses, and slow.

In CFB each block of the key stream is the enciphered block before it, enciphered once more. Its bytes are
taken singly: a packet ends where it ends, and the next goes on in the middle of the block.

Source: B. Schneier, "Description of a New Variable-Length Key, 64-Bit Block Cipher (Blowfish)" (1993).
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from functools import cache
from itertools import cycle, islice
from math import isqrt
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Encipher: TypeAlias = Callable[[int, int], tuple[int, int]]
    """Enciphers a block: two big-endian words."""

BLOCK_SIZE: Final = 8
_SUBKEYS: Final = 18
LARGEST_KEY: Final = 4 * _SUBKEYS
"""Bytes of a key that count: there are no more subkeys to mix them with."""

_BOXES: Final = 4
_BOX_SIZE: Final = 256
_WORDS: Final = _SUBKEYS + _BOXES * _BOX_SIZE

_BLOCK: Final = struct.Struct(">II")


@cache
def _pi() -> tuple[int, ...]:
    """What every key begins with: the words of pi, behind its point.

    By the series of the brothers Chudnovsky, of which each term settles 47 more bits.
    """
    bits = 32 * _WORDS
    spare = 64
    one = 1 << bits + spare
    term = total = one
    weighted = 0
    for k in range(1, bits // 47 + 3):
        term = term * -(6 * k - 5) * (2 * k - 1) * (6 * k - 1) // (k**3 * (640320**3 // 24))
        total += term
        weighted += k * term
    pi = 426880 * isqrt(10005 * one * one) * one // (13591409 * total + 545140134 * weighted)
    fraction = (pi >> spare) & (1 << bits) - 1
    return struct.unpack(f">{_WORDS}I", fraction.to_bytes(bits // 8, "big"))


class Blowfish:
    """One key. It never changes, and any number of streams may share it."""

    __slots__ = ("encipher",)

    encipher: Encipher

    def __init__(self, key: bytes) -> None:
        """Takes milliseconds. ValueError for no key at all; of a long one the first 72 bytes count."""
        if not key:
            raise ValueError("a key of no bytes")
        words = _pi()
        mixed = bytes(islice(cycle(key), LARGEST_KEY))
        subkeys = [
            word ^ of_key for word, of_key in zip(words, struct.unpack(f">{_SUBKEYS}I", mixed), strict=False)
        ]
        boxes = [list(words[at : at + _BOX_SIZE]) for at in range(_SUBKEYS, _WORDS, _BOX_SIZE)]
        left = right = 0
        for at in range(0, _SUBKEYS, 2):
            left, right = _cipher(subkeys, boxes)(left, right)
            subkeys[at : at + 2] = left, right
        self.encipher = encipher = _cipher(subkeys, boxes)
        for box in boxes:
            for at in range(0, _BOX_SIZE, 2):
                left, right = encipher(left, right)
                box[at] = left
                box[at + 1] = right


def _cipher(subkeys: Sequence[int], boxes: Sequence[list[int]]) -> Encipher:
    """The sixteen rounds with these subkeys, and with these boxes as they are at the moment of a call.

    Every packet passes here, eight bytes at a time; so the rounds stand one by one, and the halves change
    their names instead of their places.
    """
    p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17 = subkeys
    a, b, c, d = boxes

    def encipher(left: int, right: int) -> tuple[int, int]:
        x, y = left ^ p0, right
        y ^= p1 ^ ((a[x >> 24] + b[x >> 16 & 255] ^ c[x >> 8 & 255]) + d[x & 255] & 0xFFFFFFFF)
        x ^= p2 ^ ((a[y >> 24] + b[y >> 16 & 255] ^ c[y >> 8 & 255]) + d[y & 255] & 0xFFFFFFFF)
        y ^= p3 ^ ((a[x >> 24] + b[x >> 16 & 255] ^ c[x >> 8 & 255]) + d[x & 255] & 0xFFFFFFFF)
        x ^= p4 ^ ((a[y >> 24] + b[y >> 16 & 255] ^ c[y >> 8 & 255]) + d[y & 255] & 0xFFFFFFFF)
        y ^= p5 ^ ((a[x >> 24] + b[x >> 16 & 255] ^ c[x >> 8 & 255]) + d[x & 255] & 0xFFFFFFFF)
        x ^= p6 ^ ((a[y >> 24] + b[y >> 16 & 255] ^ c[y >> 8 & 255]) + d[y & 255] & 0xFFFFFFFF)
        y ^= p7 ^ ((a[x >> 24] + b[x >> 16 & 255] ^ c[x >> 8 & 255]) + d[x & 255] & 0xFFFFFFFF)
        x ^= p8 ^ ((a[y >> 24] + b[y >> 16 & 255] ^ c[y >> 8 & 255]) + d[y & 255] & 0xFFFFFFFF)
        y ^= p9 ^ ((a[x >> 24] + b[x >> 16 & 255] ^ c[x >> 8 & 255]) + d[x & 255] & 0xFFFFFFFF)
        x ^= p10 ^ ((a[y >> 24] + b[y >> 16 & 255] ^ c[y >> 8 & 255]) + d[y & 255] & 0xFFFFFFFF)
        y ^= p11 ^ ((a[x >> 24] + b[x >> 16 & 255] ^ c[x >> 8 & 255]) + d[x & 255] & 0xFFFFFFFF)
        x ^= p12 ^ ((a[y >> 24] + b[y >> 16 & 255] ^ c[y >> 8 & 255]) + d[y & 255] & 0xFFFFFFFF)
        y ^= p13 ^ ((a[x >> 24] + b[x >> 16 & 255] ^ c[x >> 8 & 255]) + d[x & 255] & 0xFFFFFFFF)
        x ^= p14 ^ ((a[y >> 24] + b[y >> 16 & 255] ^ c[y >> 8 & 255]) + d[y & 255] & 0xFFFFFFFF)
        y ^= p15 ^ ((a[x >> 24] + b[x >> 16 & 255] ^ c[x >> 8 & 255]) + d[x & 255] & 0xFFFFFFFF)
        x ^= p16 ^ ((a[y >> 24] + b[y >> 16 & 255] ^ c[y >> 8 & 255]) + d[y & 255] & 0xFFFFFFFF)
        return y ^ p17, x

    return encipher


class _Cfb(ABC):
    """One direction of a connection."""

    __slots__ = ("_begun", "_encipher", "_left", "_rest", "_right")

    def __init__(self, cipher: Blowfish, iv: bytes) -> None:
        """`iv` is taken for the enciphered block before the first. struct.error if it is no block."""
        self._encipher = cipher.encipher
        self._left: int
        self._right: int
        self._left, self._right = _BLOCK.unpack(iv)
        self._begun = b""
        """The enciphered bytes of a block that is not complete."""
        self._rest = b""
        """What is left of the key stream for it; never empty while a block is begun."""

    def apply(self, data: bytes) -> bytes:
        """The next bytes of the stream."""
        begun = len(self._rest)
        if not begun:
            return self._from_boundary(data)
        head = self._within(data[:begun])
        if self._rest:
            return head
        self._left, self._right = _BLOCK.unpack(self._begun)
        return head + self._from_boundary(data[begun:])

    def _from_boundary(self, data: bytes) -> bytes:
        ragged = len(data) % BLOCK_SIZE
        if not ragged:
            return self._blocks(data)
        whole = self._blocks(data[:-ragged])
        self._begun = b""
        self._rest = _BLOCK.pack(*self._encipher(self._left, self._right))
        return whole + self._within(data[-ragged:])

    def _within(self, data: bytes) -> bytes:
        """Bytes of one block that is not complete before them."""
        size = len(data)
        stream, self._rest = self._rest[:size], self._rest[size:]
        passed = _xor(data, stream)
        self._begun += self._enciphered(data, passed)
        return passed

    @abstractmethod
    def _blocks(self, data: bytes) -> bytes:
        """Whole blocks."""

    @abstractmethod
    def _enciphered(self, taken: bytes, passed: bytes) -> bytes:
        """That of the two which goes over the wire."""


class CfbEncryption(_Cfb):
    """What one end says: plain bytes in, enciphered ones out."""

    __slots__ = ()

    def _blocks(self, data: bytes) -> bytes:
        left, right, encipher = self._left, self._right, self._encipher
        words: list[int] = []
        for plain_left, plain_right in _BLOCK.iter_unpack(data):
            left, right = encipher(left, right)
            left ^= plain_left
            right ^= plain_right
            words += (left, right)
        self._left, self._right = left, right
        return struct.pack(f">{len(words)}I", *words)

    def _enciphered(self, taken: bytes, passed: bytes) -> bytes:
        return passed


class CfbDecryption(_Cfb):
    """What one end hears: enciphered bytes in, plain ones out."""

    __slots__ = ()

    def _blocks(self, data: bytes) -> bytes:
        left, right, encipher = self._left, self._right, self._encipher
        words: list[int] = []
        for block_left, block_right in _BLOCK.iter_unpack(data):
            words += encipher(left, right)
            left, right = block_left, block_right
        self._left, self._right = left, right
        return _xor(data, struct.pack(f">{len(words)}I", *words))

    def _enciphered(self, taken: bytes, passed: bytes) -> bytes:
        return taken


def _xor(data: bytes, stream: bytes) -> bytes:
    number = int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")
    return number.to_bytes(len(data), "big")
