"""Blowfish with keys of up to 72 bytes, as a stream (CFB, 64 bits): the game connections of version 5065.

The key of a connection has 64 bytes. That is more than Blowfish's author allows, but OpenSSL, which the
game's own servers used, takes as many as there are subkeys to mix them with. The `cryptography` package
brings OpenSSL and checks the length only when a key is given to a new algorithm object, so it is set behind
that. (pycryptodome, which the other ciphers here come from, refuses such keys.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cryptography.hazmat.decrepit.ciphers import algorithms, modes
from cryptography.hazmat.primitives.ciphers import Cipher

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK_SIZE: Final = 8
LARGEST_KEY: Final = 72
"""Bytes of a key that count: OpenSSL, crypto/bf/bf_skey.c, four for each of 18 subkeys."""

_ALLOWED: Final = bytes(16)
"""A key that nobody objects to."""


class Blowfish:
    """One key. It never changes, and any number of streams may share it."""

    __slots__ = ("_algorithm",)

    def __init__(self, key: bytes) -> None:
        """Raises ValueError for no key at all; of a long one the first 72 bytes count."""
        if not key:
            raise ValueError("a key of no bytes")
        self._algorithm = algorithms.Blowfish(_ALLOWED)
        vars(self._algorithm).update(key=bytes(key[:LARGEST_KEY]))

    def cipher(self, iv: bytes) -> Cipher[modes.CFB]:
        """The key with the enciphered block before the first. Raises ValueError if that is no block."""
        return Cipher(self._algorithm, modes.CFB(iv))


class CfbEncryption:
    """The stream that one end says: plain bytes in, enciphered ones out."""

    __slots__ = ("apply",)

    apply: Callable[[bytes], bytes]
    """The next bytes of the stream, from wherever in a block the last ones ended."""

    def __init__(self, cipher: Blowfish, iv: bytes) -> None:
        """`iv` is taken for the enciphered block before the first. Raises ValueError if it is no block."""
        self.apply = cipher.cipher(iv).encryptor().update


class CfbDecryption:
    """The stream that one end hears: enciphered bytes in, plain ones out."""

    __slots__ = ("apply",)

    apply: Callable[[bytes], bytes]
    """The next bytes of the stream."""

    def __init__(self, cipher: Blowfish, iv: bytes) -> None:
        """As `CfbEncryption`."""
        self.apply = cipher.cipher(iv).decryptor().update
