"""RC5-32/12/16, in which the password of MsgAccount travels: two blocks of eight bytes, each for itself.

Words are little-endian. The key is the same in every client up to version 5065, so this hides nothing from
anybody who reads the wire.

Sources: R. Rivest, "The RC5 Encryption Algorithm" (1994); the key, and that there is no chaining: COPS v6
`RC5.cs`, coemu `rc5.rs`.
"""

from __future__ import annotations

import struct
from typing import Final

PASSWORD_SIZE: Final = 16

_KEY: Final = bytes.fromhex("3cdcfee8c454d67e16a6f81ae8d038be")
_ROUNDS: Final = 12
_P, _Q = 0xB7E15163, 0x9E3779B9
"""The algorithm's own numbers, of e and of the golden ratio."""
_MASK: Final = 0xFFFFFFFF
_BLOCK: Final = struct.Struct("<II")
_ENCODING: Final = "cp1252"


def _left(word: int, by: int) -> int:
    """The word, rotated; `by` counts modulo 32."""
    by &= 31
    return (word << by | word >> 32 - by) & _MASK


def _expanded(key: bytes) -> tuple[int, ...]:
    """The two words of each round, and two before the first."""
    words = list(struct.unpack(f"<{len(key) // 4}I", key))
    size = 2 * (_ROUNDS + 1)
    table = [_P + _Q * number & _MASK for number in range(size)]
    a = b = 0
    for step in range(3 * size):
        at, of_key = step % size, step % len(words)
        a = table[at] = _left(table[at] + a + b & _MASK, 3)
        b = words[of_key] = _left(words[of_key] + a + b & _MASK, a + b)
    return tuple(table)


_WORDS: Final = _expanded(_KEY)
_PAIRS: Final = tuple(zip(_WORDS[2::2], _WORDS[3::2], strict=True))


def encrypt(data: bytes) -> bytes:
    """Encipher whole blocks of 8 bytes. Raises struct.error for anything else."""
    return b"".join(_BLOCK.pack(*_encrypted(a, b)) for a, b in _BLOCK.iter_unpack(data))


def decrypt(data: bytes) -> bytes:
    """Decipher whole blocks of 8 bytes. Raises struct.error for anything else."""
    return b"".join(_BLOCK.pack(*_decrypted(a, b)) for a, b in _BLOCK.iter_unpack(data))


def _encrypted(a: int, b: int) -> tuple[int, int]:
    a, b = a + _WORDS[0] & _MASK, b + _WORDS[1] & _MASK
    for first, second in _PAIRS:
        a = _left(a ^ b, b) + first & _MASK
        b = _left(b ^ a, a) + second & _MASK
    return a, b


def _decrypted(a: int, b: int) -> tuple[int, int]:
    for first, second in reversed(_PAIRS):
        b = _left(b - second & _MASK, -a) ^ a
        a = _left(a - first & _MASK, -b) ^ b
    return a - _WORDS[0] & _MASK, b - _WORDS[1] & _MASK


def encipher_password(password: str) -> bytes:
    """The 16 bytes a client sends. Raises ValueError for a password that does not fit or has other
    letters."""
    raw = password.encode(_ENCODING)
    if len(raw) > PASSWORD_SIZE or b"\0" in raw:
        raise ValueError(f"a password of {len(raw)} bytes")
    return encrypt(raw.ljust(PASSWORD_SIZE, b"\0"))


def read_password(block: bytes) -> str:
    """The password in a client's 16 bytes, up to the first NUL. Raises struct.error for a block of another
    size."""
    return decrypt(block).partition(b"\0")[0].decode(_ENCODING, "replace")
