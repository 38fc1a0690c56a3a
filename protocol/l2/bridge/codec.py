"""The bridge on the wire, both ends, without I/O.

    length (u16, little-endian, counts itself) | Blowfish of: body, opcode first | zeros | checksum

The first words are the codec's own. The login server sends InitLS with an RSA modulus of 512 bits; the game
server answers BlowFishKey, 40 random bytes enciphered with that, and both go on under this key. Until then
the key is one that everybody knows. RSA of 512 bits can be broken by whoever wants to: this keeps honest
programs apart, and the bridge belongs into a network of its own.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from math import gcd
from typing import TYPE_CHECKING, Final

from Crypto.Util.number import getPrime

from protocol.endings import WireError
from protocol.l2.blowfish import BLOCK_SIZE, Blowfish
from protocol.l2.bridge.packets import (
    FROM_GAME,
    FROM_LOGIN,
    REVISION,
    BlowFishKey,
    BridgeMessage,
    InitLS,
    decode,
)
from protocol.l2.ciphers import CHECKSUM_SIZE, guarded, is_intact
from protocol.wire.args import Role
from protocol.wire.framer import LengthFramer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FIRST_KEY: Final = b"_;v.]05-31!|+-%xT!^[$\0"
"""Of InitLS and BlowFishKey; in every L2J."""

KEY_SIZE: Final = 40
RSA_BITS: Final = 512
RSA_SIZE: Final = RSA_BITS // 8
EXPONENT: Final = 65537
"""Java's RSAKeyGenParameterSpec.F4, which L2J takes."""

LARGEST_FRAME: Final = 0xFFFF

LARGEST_GREETING: Final = 4096
"""Of a peer that has not proven itself: AuthRequest with many hosts. HTTP, TLS and SSH name a larger length
at once."""

_HEADER_SIZE: Final = 2

_read_length = partial(int.from_bytes, byteorder="little")


class BridgeKeys:
    """The RSA pair of a login server, for all its game servers. Making it takes some 10 ms."""

    __slots__ = ("_modulus", "_private", "modulus")

    def __init__(self, entropy: Callable[[int], bytes]) -> None:
        half = RSA_BITS // 2
        while True:
            p, q = getPrime(half, randfunc=entropy), getPrime(half, randfunc=entropy)
            modulus, order = p * q, (p - 1) * (q - 1)
            if modulus.bit_length() == RSA_BITS and gcd(EXPONENT, order) == 1:
                break
        self._modulus = modulus
        self._private = pow(EXPONENT, -1, order)
        self.modulus: Final = b"\0" + modulus.to_bytes(RSA_SIZE, "big")
        """As InitLS carries it."""

    def decrypt(self, block: bytes) -> bytes:
        """The key that a game server enciphered. Raises WireError for what none can have made."""
        number = int.from_bytes(block, "big")
        if len(block) > RSA_SIZE + 1 or number >= self._modulus:
            raise WireError(f"bad_rsa: a block of {len(block)} bytes, or beyond the modulus")
        # Zeros in front are what is left over of the block: L2J's rule, so no key begins with one.
        key = pow(number, self._private, self._modulus).to_bytes(RSA_SIZE, "big").lstrip(b"\0")
        if not 16 <= len(key) <= 56:
            raise WireError(f"bad_rsa: a key of {len(key)} bytes")
        return key


class BridgeCodec:
    """One end of one connection. A login server (`Role.SERVER`) needs `keys`.

    What it has to say by itself is in `outgoing` as everything else; nothing may be sent before `ready`.
    """

    def __init__(
        self, role: Role, *, keys: BridgeKeys | None = None, entropy: Callable[[int], bytes]
    ) -> None:
        self.ready = False
        """Whether both ends have the key: messages may be sent."""
        self.pending = 0
        """Bytes that came of a message that is not all there."""
        self.fingerprint = b""
        """Of the key that both ends have: two connections with the same are one and its recording."""
        self._keys = keys
        self._entropy = entropy
        self.is_server: Final = role is Role.SERVER
        self._direction = FROM_GAME if self.is_server else FROM_LOGIN
        self._cipher = Blowfish(FIRST_KEY)
        self._framer = LengthFramer(
            width=_HEADER_SIZE,
            extra=0,
            smallest=_HEADER_SIZE,
            largest=LARGEST_GREETING,
            read_length=_read_length,
        )
        self._queue: list[bytes] = []
        if self.is_server:
            if keys is None:
                raise ValueError("a login server has keys")
            self._put(InitLS(REVISION, keys.modulus))

    def trust(self) -> None:
        """The peer has proven itself: its messages may be as long as a frame."""
        self._framer.largest = LARGEST_FRAME

    def receive(self, data: bytes) -> None:
        """Take bytes of the stream."""
        self._framer.feed(data)
        self.pending += len(data)

    def next_message(self) -> BridgeMessage | None:
        """The next message that means something here; None if it is not all there. Raises WireError."""
        while True:
            frame = self._framer.next()
            if frame is None:
                return None
            self.pending -= len(frame)
            if len(frame) == _HEADER_SIZE:
                continue
            message = decode(self._opened(frame[_HEADER_SIZE:]), self._direction)
            if not self.ready:
                self._agree(message)
            elif isinstance(message, InitLS | BlowFishKey):
                raise WireError(f"{type(message).__name__} a second time")
            elif message is not None:
                return message

    def send(self, messages: Iterable[BridgeMessage]) -> None:
        """Queue messages. Raises ValueError before `ready`, and for one that is too long for a frame."""
        if not self.ready:
            raise ValueError("no key yet")
        for message in messages:
            self._put(message)

    def outgoing(self) -> bytes:
        """All that was queued."""
        data = b"".join(self._queue)
        self._queue.clear()
        return data

    def _agree(self, message: BridgeMessage | None) -> None:
        """The first words: what the peer said about the key."""
        if isinstance(message, BlowFishKey) and self._keys is not None:
            key = self._keys.decrypt(message.block)
            self._cipher = Blowfish(key)
        elif isinstance(message, InitLS):
            if message.revision != REVISION:
                raise WireError(f"bridge revision {message.revision:#x}, this one speaks {REVISION:#x}")
            modulus = int.from_bytes(message.modulus, "big")
            if modulus.bit_length() < RSA_BITS or not modulus & 1:
                raise WireError(f"bad_rsa: a modulus of {modulus.bit_length()} bits")
            key = bytes(byte or 1 for byte in self._entropy(KEY_SIZE))
            number = pow(int.from_bytes(key, "big"), EXPONENT, modulus)
            self._put(BlowFishKey(number.to_bytes((modulus.bit_length() + 7) // 8, "big")))
            self._cipher = Blowfish(key)
        else:
            raise WireError("no word about the key")
        self.fingerprint = blake2b(key, digest_size=16).digest()
        self.ready = True

    def _put(self, message: BridgeMessage) -> None:
        enciphered = self._cipher.encrypt(guarded(message.encode()))
        size = _HEADER_SIZE + len(enciphered)
        if size > LARGEST_FRAME:
            raise ValueError(f"a message of {size} bytes does not fit a frame")
        self._queue.append(size.to_bytes(_HEADER_SIZE, "little") + enciphered)

    def _opened(self, body: bytes) -> bytes:
        if len(body) % BLOCK_SIZE:
            raise WireError(f"bad_length: {len(body)} bytes are no whole blocks")
        message = self._cipher.decrypt(body)
        if not is_intact(message):
            raise WireError("bad_checksum")
        return message[:-CHECKSUM_SIZE]
