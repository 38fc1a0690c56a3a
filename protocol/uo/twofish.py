"""Twofish with a 128-bit key, encryption only: the block cipher under Ultima Online's game cipher.

Written from the published algorithm: B. Schneier, J. Kelsey, D. Whiting, D. Wagner, C. Hall, N. Ferguson,
"Twofish: A 128-Bit Block Cipher", 15 June 1998; the section numbers below are that paper's. The game uses the
cipher as a keystream generator, so nothing here decrypts. It exists because no maintained package offers
Twofish (pycryptodome has none, PyPI's `twofish` does not import on Python 3.12 and later).

The paper's "full keying" (section 5.1) is used: the key-dependent S-boxes and the MDS multiplication are
combined into four tables of 256 words when the key is set, so that a round is eight look-ups.
"""

from struct import Struct
from typing import Final

BLOCK_SIZE: Final = 16
KEY_SIZE: Final = 16

_WORD_MASK: Final = 0xFFFFFFFF
_FOUR_WORDS: Final = Struct("<4I")
# Primitive polynomials over GF(2): x^8+x^6+x^5+x^3+1 for the MDS code (4.2), x^8+x^6+x^3+x^2+1 for RS (4.3).
_MDS_POLYNOMIAL: Final = 0x169
_RS_POLYNOMIAL: Final = 0x14D

_MDS: Final = (
    (0x01, 0xEF, 0x5B, 0x5B),
    (0x5B, 0xEF, 0xEF, 0x01),
    (0xEF, 0x5B, 0x01, 0xEF),
    (0xEF, 0x01, 0xEF, 0x5B),
)
_RS: Final = (
    (0x01, 0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E),
    (0xA4, 0x56, 0x82, 0xF3, 0x1E, 0xC6, 0x68, 0xE5),
    (0x02, 0xA1, 0xFC, 0xC1, 0x47, 0xAE, 0x3D, 0x19),
    (0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E, 0x03),
)
# The 4-bit permutations t0..t3 of q0 and q1 (4.3.5), one hexadecimal digit per entry.
_Q0_NIBBLES: Final = ("817D6F320B59ECA4", "ECB81235F4A6709D", "BA5E6D90C8F32471", "D7F4126E9B3085CA")
_Q1_NIBBLES: Final = ("28BDF76E31940AC5", "1E2B4C376DA5F908", "4C75169A0ED82B3F", "B951C3DE647F208A")


def _permutation(nibbles: tuple[str, str, str, str]) -> bytes:
    """Return q0 or q1 (4.3.5) as a table of 256 bytes."""
    t0, t1, t2, t3 = ([int(digit, 16) for digit in row] for row in nibbles)

    def mix(a: int, b: int) -> tuple[int, int]:
        return a ^ b, a ^ (b >> 1 | (b & 1) << 3) ^ (8 * a & 15)

    table = bytearray()
    for value in range(256):
        a, b = mix(value >> 4, value & 15)
        a, b = mix(t0[a], t1[b])
        table.append(t3[b] << 4 | t2[a])
    return bytes(table)


def _multiply(a: int, b: int, polynomial: int) -> int:
    """Return the product of two elements of GF(256)."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= polynomial
        b >>= 1
    return product


_Q0: Final = _permutation(_Q0_NIBBLES)
_Q1: Final = _permutation(_Q1_NIBBLES)
# What a byte in place `column` adds to the product of the MDS matrix, as a little-endian word.
_MDS_WORDS: Final = tuple(
    [
        sum(_multiply(byte, row[column], _MDS_POLYNOMIAL) << 8 * i for i, row in enumerate(_MDS))
        for byte in range(256)
    ]
    for column in range(4)
)
# Per byte place of h (4.3.2, key of 128 bits): the permutations in the order they are applied.
_H_ORDER: Final = ((_Q0, _Q0, _Q1), (_Q1, _Q0, _Q0), (_Q0, _Q1, _Q1), (_Q1, _Q1, _Q0))
_ONES: Final = int.from_bytes(b"\x01" * 256, "little")


def _xor_all(table: bytes, byte: int) -> bytes:
    """Return the 256-byte `table` with every entry XORed with `byte`."""
    return (int.from_bytes(table, "little") ^ byte * _ONES).to_bytes(256, "little")


def _h_bytes(l0: bytes, l1: bytes) -> list[bytes]:
    """Return h(X, (L0, L1)) before the MDS product: per byte place, its value for each byte of X (4.3.2)."""
    return [
        _xor_all(_xor_all(first, l1[place]).translate(second), l0[place]).translate(last)
        for place, (first, second, last) in enumerate(_H_ORDER)
    ]


def _rotate_left(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & _WORD_MASK


class Twofish:
    """One key, ready to encrypt.

    Raises ValueError if the key is not 16 bytes long.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_SIZE:
            raise ValueError(f"a Twofish-128 key has {KEY_SIZE} bytes, not {len(key)}")
        keys = _round_keys(key)
        self._whitening = keys[:8]
        # Two rounds at a time, so that the halves need not be swapped.
        self._round_pairs = [tuple(keys[i : i + 4]) for i in range(8, 40, 4)]
        s0, s1 = _rs_product(key[:8]), _rs_product(key[8:])
        # g(X) = h(X, (S1, S0)): the list S is in reverse order (4.3). The words are
        # shared with _MDS_WORDS, so that a key takes 8 KiB of references.
        boxes = _h_bytes(s1, s0)
        self._tables = [[words[byte] for byte in box] for words, box in zip(_MDS_WORDS, boxes, strict=True)]

    def encrypt_blocks(self, data: bytes) -> bytes:
        """Return `data`, any number of whole 16-byte blocks, with each block encrypted by itself (ECB).

        Raises ValueError if a part of a block is left over.
        """
        if len(data) % BLOCK_SIZE:
            raise ValueError(f"{len(data)} bytes are not whole blocks of {BLOCK_SIZE}")
        g0, g1, g2, g3 = self._tables
        k0, k1, k2, k3, k4, k5, k6, k7 = self._whitening
        round_pairs = self._round_pairs
        mask = _WORD_MASK
        out = []
        for a, b, c, d in _FOUR_WORDS.iter_unpack(data):
            a ^= k0
            b ^= k1
            c ^= k2
            d ^= k3
            for ka, kb, kc, kd in round_pairs:
                t = g0[a & 255] ^ g1[a >> 8 & 255] ^ g2[a >> 16 & 255] ^ g3[a >> 24]
                u = g1[b & 255] ^ g2[b >> 8 & 255] ^ g3[b >> 16 & 255] ^ g0[b >> 24]  # g(b rotated left by 8)
                c ^= t + u + ka & mask
                c = c >> 1 | (c & 1) << 31
                d = (d << 1 & mask | d >> 31) ^ (t + 2 * u + kb & mask)
                t = g0[c & 255] ^ g1[c >> 8 & 255] ^ g2[c >> 16 & 255] ^ g3[c >> 24]
                u = g1[d & 255] ^ g2[d >> 8 & 255] ^ g3[d >> 16 & 255] ^ g0[d >> 24]
                a ^= t + u + kc & mask
                a = a >> 1 | (a & 1) << 31
                b = (b << 1 & mask | b >> 31) ^ (t + 2 * u + kd & mask)
            out.append(_FOUR_WORDS.pack(c ^ k4, d ^ k5, a ^ k6, b ^ k7))
        return b"".join(out)


def _rs_product(half_key: bytes) -> bytes:
    """Return the key half's word S_i (4.3), as four bytes."""
    result = bytearray()
    for row in _RS:
        total = 0
        for factor, byte in zip(row, half_key, strict=True):
            total ^= _multiply(byte, factor, _RS_POLYNOMIAL)
        result.append(total)
    return bytes(result)


def _round_keys(key: bytes) -> list[int]:
    """Return the 40 expanded key words K0..K39 (4.3.4)."""
    even = _h_bytes(key[0:4], key[8:12])
    odd = _h_bytes(key[4:8], key[12:16])
    keys = []
    for i in range(0, 40, 2):
        # h is taken of words whose four bytes are equal, so one index serves all four places.
        a = b = 0
        for words, even_box, odd_box in zip(_MDS_WORDS, even, odd, strict=True):
            a ^= words[even_box[i]]
            b ^= words[odd_box[i + 1]]
        b = _rotate_left(b, 8)
        keys.append(a + b & _WORD_MASK)
        keys.append(_rotate_left(a + 2 * b & _WORD_MASK, 9))
    return keys
