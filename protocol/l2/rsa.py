"""The RSA block in which a client's name and password travel.

1024 bits, exponent 65537 and no padding: the block of 128 bytes is a big-endian number, raised to a power.
The modulus goes to the client in Init, its bytes scrambled. Making a pair takes ten milliseconds, so all
connections of a process share a few (`KeyPool`).

    block      0x5b  a mark of some clients     0x5e  name, 14 bytes     0x6c  password, 16 bytes
               (one public client puts the password at 0x6e)             0x7c  a one-time code, unused here
    two blocks, of newer clients                name: 50 bytes at 0x4e of the first and 14 of the second
                                                password: 16 bytes at 0x5c of the second
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from Crypto.Math.Numbers import Integer
from Crypto.PublicKey import RSA
from cryptography.hazmat.primitives.asymmetric import rsa

from protocol.endings import WireError

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK_SIZE: Final = 128
"""Bytes of a modulus and of what is raised to a power."""

EXPONENT: Final = 65537

POOL_SIZE: Final = 4
"""Pairs that a login server makes at its start, each in some 0.01 s. L2J makes ten: they are there so that
nobody waits for one, not to be many."""

_NAME: Final = slice(0x5E, 0x6C)
_PASSWORD: Final = slice(0x6C, 0x7C)
_LATE_PASSWORD: Final = slice(0x6E, 0x7E)
_NAME_SIZE: Final = 14
_PASSWORD_SIZE: Final = 16
_FILLING: Final = "\0 "


class KeyPair:
    """One pair: its modulus as Init carries it, and the way to read what was enciphered for it."""

    __slots__ = ("_modulus", "_private", "scrambled")

    def __init__(self, modulus: int, private: int) -> None:
        if modulus.bit_length() != 8 * BLOCK_SIZE:
            raise ValueError(f"a modulus of {modulus.bit_length()} bits")
        self._modulus = Integer(modulus)
        self._private = Integer(private)
        self.scrambled: Final = scramble(modulus.to_bytes(BLOCK_SIZE, "big"))
        """The modulus as Init carries it."""

    def decrypt(self, block: bytes) -> bytes:
        """The block a client enciphered. Raises WireError for what no client can have made."""
        if len(block) != BLOCK_SIZE:
            raise WireError(f"bad_rsa: a block of {len(block)} bytes")
        number = Integer.from_bytes(block)
        if number >= self._modulus:
            raise WireError("bad_rsa: a block beyond the modulus")
        return pow(number, self._private, self._modulus).to_bytes(BLOCK_SIZE)


def generate(entropy: Callable[[int], bytes] | None = None) -> KeyPair:
    """A new pair, of the system's chance if none is given: that is OpenSSL's own, ten times as fast as the
    search for primes that can be told which chance to take."""
    if entropy is None:
        made = rsa.generate_private_key(EXPONENT, 8 * BLOCK_SIZE).private_numbers()
        return KeyPair(made.public_numbers.n, made.d)
    key = RSA.generate(8 * BLOCK_SIZE, randfunc=entropy, e=EXPONENT)
    return KeyPair(key.n, key.d)


class KeyPool:
    """A few pairs for all connections, each made when it is first wanted, or all by `fill`."""

    __slots__ = ("_entropy", "_pairs")

    def __init__(self, size: int = POOL_SIZE, entropy: Callable[[int], bytes] | None = None) -> None:
        if not 0 < size <= 256:
            raise ValueError(f"a pool of {size} pairs")
        self._pairs: list[KeyPair | None] = [None] * size
        self._entropy = entropy

    def fill(self) -> None:
        """Make all pairs that are missing. Takes some 0.05 s, and may do so in another thread."""
        for place in range(len(self._pairs)):
            self._at(place)

    def pick(self, entropy: Callable[[int], bytes]) -> KeyPair:
        """One of them. Takes a byte of entropy; that some come a little more often does not matter."""
        return self._at(entropy(1)[0] % len(self._pairs))

    def _at(self, place: int) -> KeyPair:
        pair = self._pairs[place]
        if pair is None:
            pair = self._pairs[place] = generate(self._entropy)
        return pair


POOL: Final = KeyPool()
"""The pool of this process. A server fills it before anybody connects."""


def scramble(modulus: bytes) -> bytes:
    """A modulus as Init carries it."""
    mixed = bytearray(modulus)
    mixed[0x00:0x04], mixed[0x4D:0x51] = mixed[0x4D:0x51], mixed[0x00:0x04]
    mixed[0x00:0x40] = _xor(mixed[0x00:0x40], mixed[0x40:0x80])
    mixed[0x0D:0x11] = _xor(mixed[0x0D:0x11], mixed[0x34:0x38])
    mixed[0x40:0x80] = _xor(mixed[0x40:0x80], mixed[0x00:0x40])
    return bytes(mixed)


def unscramble(scrambled: bytes) -> bytes:
    """The modulus that Init carries."""
    mixed = bytearray(scrambled)
    mixed[0x40:0x80] = _xor(mixed[0x40:0x80], mixed[0x00:0x40])
    mixed[0x0D:0x11] = _xor(mixed[0x0D:0x11], mixed[0x34:0x38])
    mixed[0x00:0x40] = _xor(mixed[0x00:0x40], mixed[0x40:0x80])
    mixed[0x00:0x04], mixed[0x4D:0x51] = mixed[0x4D:0x51], mixed[0x00:0x04]
    return bytes(mixed)


def encrypt(scrambled: bytes, block: bytes) -> bytes:
    """Client: a block enciphered with the modulus of Init. Raises ValueError for a block it cannot carry."""
    modulus = int.from_bytes(unscramble(scrambled), "big")
    number = int.from_bytes(block, "big")
    if len(block) != BLOCK_SIZE or number >= modulus:
        raise ValueError(f"no RSA block: {len(block)} bytes, {number.bit_length()} bits")
    return pow(number, EXPONENT, modulus).to_bytes(BLOCK_SIZE, "big")


def credential_block(name: str, password: str) -> bytes:
    """Client: the plain block. Raises ValueError for a name beyond 14 or a password beyond 16 letters."""
    block = bytearray(BLOCK_SIZE)
    for where, size, text in ((_NAME, _NAME_SIZE, name), (_PASSWORD, _PASSWORD_SIZE, password)):
        if len(text) > size:
            raise ValueError(f"{len(text)} letters, room is for {size}")
        block[where] = text.encode("latin-1").ljust(size, b"\0")
    return bytes(block)


def credentials(block: bytes, second: bytes | None = None) -> tuple[str, str]:
    """Name (in lower case) and password of a deciphered block, or of the two of a newer client."""
    if second is not None:
        name = block[0x4E:0x80] + second[0x4E:0x5C]
        password = second[0x5C:0x6C]
    else:
        name = block[_NAME]
        # Nobody types a password that begins with NUL.
        password = block[_PASSWORD] if any(block[0x6C:0x6E]) else block[_LATE_PASSWORD]
    return (
        name.decode("latin-1").strip(_FILLING).lower(),
        password.decode("latin-1").strip(_FILLING),
    )


def decipher(pair: KeyPair, block: bytes, second: bytes | None) -> tuple[str, str]:
    """Name and password, as `credentials`, of what a client enciphered: half a millisecond for each block.
    WireError for what no client can have made."""
    return credentials(pair.decrypt(block), None if second is None else pair.decrypt(second))


def _xor(one: bytes | bytearray, other: bytes | bytearray) -> bytes:
    return (int.from_bytes(one, "big") ^ int.from_bytes(other, "big")).to_bytes(len(one), "big")
