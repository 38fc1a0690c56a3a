"""Blowfish as Lineage II has it: each block of eight bytes is two little-endian words.

Everybody else's Blowfish takes them as big-endian words, so every group of four bytes is reversed before and
after. Blocks are enciphered one by one (ECB); nothing carries over from one message to the next.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, cast

from Crypto.Cipher import Blowfish as StandardBlowfish

if TYPE_CHECKING:
    from Crypto.Cipher._mode_ecb import EcbMode

BLOCK_SIZE: Final = 8

_WORDS: Final = "I"
"""The array type of four-byte items. Groups of bytes are reversed, whatever the machine's own order."""


class Blowfish:
    """One key, for both directions. A login session's takes 16 bytes, the bridge between login and game
    server's 22 and then 40; 4 to 56 are possible."""

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes) -> None:
        self._cipher = cast("EcbMode", StandardBlowfish.new(key, StandardBlowfish.MODE_ECB))

    def encrypt(self, data: bytes) -> bytes:
        """Encipher whole blocks. Raises ValueError for anything else."""
        return _reversed_words(self._cipher.encrypt(_reversed_words(data)))

    def decrypt(self, data: bytes) -> bytes:
        """Decipher whole blocks. Raises ValueError for anything else."""
        return _reversed_words(self._cipher.decrypt(_reversed_words(data)))


def _reversed_words(data: bytes) -> bytes:
    words = array(_WORDS, data)
    words.byteswap()
    return words.tobytes()
