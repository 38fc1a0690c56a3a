"""The exchange of keys of a game connection of version 5065, Diffie and Hellman's, begun by the server.

    request  padding[11] | length | junk | IV-1 | IV-2 | prime | generator | public key | footer
    reply    padding[7]  | length | junk | public key | footer

Lengths are i32, little-endian, and stand before junk, IVs and numbers too. The first one counts from itself
to the end, footer included. Numbers are hexadecimal text. Both messages are in a key that everybody has. The
footer is eight bytes. A reply's is not looked at: what was not in the right key has no number in it anyway.

The key that follows is the secret's bytes, big-endian, without zeros in front, as OpenSSL writes a number.
The server begins to encipher with IV-1, the client with IV-2.

Sources: comet (branch 5065) `MsgHandshake.cs`, `DiffieHellman.cs`, COPS v7 `msgloginchallenges`; carried out
against the latter.
"""

from __future__ import annotations

import re
import struct
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import attrs

from protocol.co.blowfish import BLOCK_SIZE, Blowfish, CfbDecryption, CfbEncryption
from protocol.co.packets.base import Message, from_client
from protocol.endings import WireError
from protocol.wire.fields import ZeroText

if TYPE_CHECKING:
    from collections.abc import Callable

    Entropy = Callable[[int], bytes]

SERVER_FOOTER: Final = b"TQServer"
CLIENT_FOOTER: Final = b"TQClient"
"""Behind every message of this version's game connections, request and reply too; their lengths count it,
packets' sizes do not."""

FOOTER_SIZE: Final = 8

REQUEST_PADDING: Final = 11
REPLY_PADDING: Final = 7

PRIME: Final = int(
    "E7A69EBDF105F2A6BBDEAD7E798F76A209AD73FB466431E2E7352ED262F8C558"
    "F10BEFEA977DE9E21DCEE9B04D245F300ECCBBA03E72630556D011023F9E857F",
    16,
)
"""The game's own. Half of what is below it is prime too, so that no other keys than 1 and itself less 1 give
the secret away."""

GENERATOR: Final = 5

_START_KEY: Final = b"DR654dt34trg4UI6"
_START_IV: Final = bytes(BLOCK_SIZE)
_PRIVATE_SIZE: Final = 32
"""Bytes of a private number: as others have it."""
_JUNK_SIZE: Final = 12
_LONGEST_NUMBER: Final = 256
"""Hexadecimal digits; the game's prime has 128."""
_NUMBER: Final = re.compile(rb"[0-9A-Fa-f]{1,%d}" % _LONGEST_NUMBER)

_read_length: Final = struct.Struct("<i").unpack_from


@cache
def _start_cipher() -> Blowfish:
    return Blowfish(_START_KEY)


def start_encryption() -> CfbEncryption:
    """For what one end says in the exchange."""
    return CfbEncryption(_start_cipher(), _START_IV)


def start_decryption() -> CfbDecryption:
    """For what one end hears in the exchange."""
    return CfbDecryption(_start_cipher(), _START_IV)


@from_client(0)
class ExchangeReply(Message):
    """The client's part of the exchange of keys (version 5065, before everything else). No packet: the codec
    makes one of it, for its handler."""

    public_key: Annotated[str, ZeroText("ascii")] = ""


class Keys(NamedTuple):
    """The secret that both ends share after the exchange, and the IVs of the connection."""

    secret: bytes
    """Key of the cipher, see `cipher_of`."""
    server_iv: bytes
    """Eight bytes with which the server begins to encipher."""
    client_iv: bytes
    """Eight bytes with which the client begins to encipher."""

    @property
    def cipher(self) -> Blowfish:
        """The cipher of that secret."""
        return cipher_of(self.secret)

    def __repr__(self) -> str:
        return "Keys(...)"


@attrs.frozen
class Offer:
    """The server's part, and what it keeps of it until the reply comes."""

    private: int = attrs.field(repr=False)
    public: int
    server_iv: bytes
    client_iv: bytes

    @classmethod
    def draw(cls, entropy: Entropy) -> Offer:
        """A new one. Takes a fraction of a millisecond."""
        private = _private(entropy)
        return cls(private, pow(GENERATOR, private, PRIME), entropy(BLOCK_SIZE), entropy(BLOCK_SIZE))

    def request(self, entropy: Entropy) -> bytes:
        """The message for the client, not enciphered yet."""
        chunks = (
            entropy(_JUNK_SIZE),
            self.server_iv,
            self.client_iv,
            _digits(PRIME),
            b"%02X" % GENERATOR,
            _digits(self.public),
        )
        return _composed(entropy(REQUEST_PADDING), chunks, SERVER_FOOTER)

    def keys(self, reply: ExchangeReply) -> Keys:
        """Make the keys that follow from a reply. Takes milliseconds, and touches nothing: a thread may do
        it. Raises WireError for a public key that gives the secret away."""
        public = _public_key(reply.public_key.encode("ascii", "replace"), PRIME)
        secret = _secret(pow(public, self.private, PRIME))
        cipher_of(secret)  # that takes longest, and is remembered
        return Keys(secret, self.server_iv, self.client_iv)


def read_reply(data: bytes) -> ExchangeReply:
    """A whole reply, deciphered. Raises WireError if that is none, or its public key gives the secret
    away."""
    _, text = _chunks(data, REPLY_PADDING, 2)
    _public_key(text, PRIME)
    return ExchangeReply(public_key=text.decode("ascii"))


def answer(data: bytes, entropy: Entropy) -> tuple[bytes, Keys]:
    """A client's reply to a whole request, deciphered, and the keys to go on with. Takes milliseconds.
    Raises WireError if that is no request."""
    _, server_iv, client_iv, prime_text, generator_text, public_text = _chunks(data, REQUEST_PADDING, 6)
    if len(server_iv) != BLOCK_SIZE or len(client_iv) != BLOCK_SIZE:
        raise WireError("bad_exchange: an IV that is no block")
    prime = _number(prime_text)
    generator, public = _public_key(generator_text, prime), _public_key(public_text, prime)
    private = _private(entropy)
    chunks = (entropy(_JUNK_SIZE), _digits(pow(generator, private, prime)))
    reply = _composed(entropy(REPLY_PADDING), chunks, CLIENT_FOOTER)
    return reply, Keys(_secret(pow(public, private, prime)), server_iv, client_iv)


def size_of(head: bytes, padding: int, largest: int) -> int:
    """Bytes of a request or reply that begins with `head`: its padding and its length. Raises WireError if it
    is shorter than its parts or longer than `largest`."""
    (length,) = _read_length(head, padding)
    size: int = padding + length
    if not padding + 4 + FOOTER_SIZE < size <= largest:
        raise WireError(f"bad_exchange: a message of {size} bytes")
    return size


def _composed(padding: bytes, chunks: tuple[bytes, ...], footer: bytes) -> bytes:
    parts = b"".join(_length(len(chunk)) + chunk for chunk in chunks)
    return padding + _length(4 + len(parts) + len(footer)) + parts + footer


def _length(size: int) -> bytes:
    return size.to_bytes(4, "little")


def _chunks(data: bytes, padding: int, count: int) -> list[bytes]:
    """The parts between the length of a message and its footer."""
    chunks: list[bytes] = []
    at, end = padding + 4, len(data) - FOOTER_SIZE
    for _ in range(count):
        if at + 4 > end:
            raise WireError("bad_exchange: ends before its last part")
        (size,) = _read_length(data, at)
        at += 4
        if not 0 <= size <= end - at:
            raise WireError(f"bad_exchange: a part of {size} bytes")
        chunks.append(data[at : at + size])
        at += size
    return chunks


def _digits(number: int) -> bytes:
    """As many as the game's prime has: OpenSSL would leave zeros in front away, and reads both."""
    return b"%0128X" % number


def _number(text: bytes) -> int:
    if not _NUMBER.fullmatch(text):
        raise WireError(f"bad_exchange: {len(text)} bytes that are no number")
    return int(text, 16)


def _public_key(text: bytes, prime: int) -> int:
    """Refuses what makes the secret 0, 1 or the prime less 1, whatever the private number is."""
    number = _number(text)
    if not 1 < number < prime - 1:
        raise WireError("bad_exchange: a public key that gives the secret away")
    return number


def _private(entropy: Entropy) -> int:
    """A private number of exactly 256 bits."""
    return int.from_bytes(entropy(_PRIVATE_SIZE), "big") | 1 << 8 * _PRIVATE_SIZE - 1


def _secret(number: int) -> bytes:
    if not number:
        raise WireError("bad_exchange: no secret")  # possible only with a prime that is none
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


@lru_cache(maxsize=64)
def cipher_of(secret: bytes) -> Blowfish:
    """The cipher of a connection. To make one takes milliseconds."""
    return Blowfish(secret)
