"""The key exchange and the two RC4 streams of a session.

The server sends an RSA modulus of nothing but ones with the exponent 1, so that what the client "encrypts"
arrives as it is; the last eight bytes of its answer are the key. Reversed they are the key of what the server
says; the complement of that is the key of what the client says. The first 20 bytes of both keystreams are
thrown away, and neither stream ever starts anew: whoever misses a byte of it reads nothing any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from Crypto.Cipher import ARC4

from protocol.wire.args import Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from Crypto.Cipher.ARC4 import ARC4Cipher

KEY_SIZE: Final = 8

KEY_MESSAGE: Final = 2
"""First byte of request and reply, where later messages have their flag byte."""

_MODULUS_SIZE: Final = 60

KEY_REQUEST: Final = b"".join(
    (
        bytes((KEY_MESSAGE,)),
        _MODULUS_SIZE.to_bytes(4, "little"),
        b"\xff" * _MODULUS_SIZE,
        (1).to_bytes(4, "little"),
        b"\1",
    )
)
"""The server's first reliable payload, of all the only one that is not encrypted."""

# eq2emu takes a reply of 69 bytes or more, its sequence number included. What a client's reply has in front
# of the key is known from nowhere, and read by nobody.
_REPLY_SIZE: Final = 64

_DROPPED: Final = 20

_AHEAD: Final = 1024
"""Bytes of keystream that are made at a time. To ask the cipher costs some 4 us however little it is asked,
and a message has a hundred bytes; to XOR those takes 0.7 us."""

_ALL_ONES: Final = (1 << 8 * KEY_SIZE) - 1


def key_reply(entropy: Callable[[int], bytes]) -> bytes:
    """A client's first reliable payload, with a fresh key at its end."""
    block = entropy(_REPLY_SIZE)
    if not any(block[-KEY_SIZE:]):
        block = block[:-1] + b"\1"  # a key of zeros means "not encrypted" to eq2emu
    return bytes((KEY_MESSAGE,)) + _REPLY_SIZE.to_bytes(4, "little") + block


class CipherPair:
    """Both directions, from one end: `tail` are the last eight bytes of the client's key reply, in their
    order."""

    __slots__ = ("decrypt", "encrypt")

    def __init__(self, tail: bytes, role: Role) -> None:
        if len(tail) != KEY_SIZE:
            raise ValueError(f"a key takes {KEY_SIZE} bytes, not {len(tail)}")
        number = int.from_bytes(tail, "big")
        server = number.to_bytes(KEY_SIZE, "little")
        client = (number ^ _ALL_ONES).to_bytes(KEY_SIZE, "little")
        outgoing, incoming = (server, client) if role is Role.SERVER else (client, server)
        self.encrypt = Keystream(outgoing).apply
        """The next bytes of what this end says."""
        self.decrypt = Keystream(incoming).apply
        """The next bytes of what the peer says."""


class Keystream:
    """One direction's RC4 stream, some bytes of it made in advance."""

    __slots__ = ("_ahead", "_at", "_cipher")

    def __init__(self, key: bytes) -> None:
        self._cipher: ARC4Cipher = ARC4.new(key, drop=_DROPPED)
        self._ahead = b""
        self._at = 0
        """How much of that has been used."""

    def apply(self, data: bytes) -> bytes:
        """Encrypt or decrypt the next bytes."""
        size = len(data)
        at = self._at
        end = at + size
        if end > len(self._ahead):
            self._ahead = self._ahead[at:] + self._cipher.encrypt(bytes(max(_AHEAD, size)))
            at, end = 0, size
        self._at = end
        keystream = int.from_bytes(self._ahead[at:end], "little")
        return (int.from_bytes(data, "little") ^ keystream).to_bytes(size, "little")
