"""The counter cipher of Conquer Online: all of an account connection, and of a game connection up to 5017.

Every byte meets one of the key stream that its place in the stream names, a counter of 16 bits that wraps:

    stream(n) = K1[n & 255] xor K2[n >> 8]
    server, both ways: out = swap(in xor 0xAB) xor stream(n)        swap exchanges the two halves of a byte
    client, both ways: out = swap(in xor stream(n)) xor 0xAB

So the two ends are each other's inverse, and no server can talk to itself. K1 and K2 are the same for
everybody, until the client of a game connection has said who it is: what it says then goes by tables made of
that, and its counter runs on; what it hears goes by the common ones as before, counted anew.

Sources: comet (branch 5017) `TQCipher.cs`, coemu `tq_cipher.rs` and `cq_cipher.rs`, which agree.
"""

from __future__ import annotations

from typing import Final

from protocol.wire.args import Role

TABLE_SIZE: Final = 256
PERIOD: Final = TABLE_SIZE * TABLE_SIZE
"""Bytes after which a key stream begins anew."""

_WORD: Final = 0xFFFFFFFF
_EACH_BYTE: Final = int.from_bytes(b"\x01" * TABLE_SIZE, "little")
"""Times a byte: that byte, 256 times."""


def _tables() -> tuple[bytes, bytes]:
    """K1 and K2 of everybody. The factors are the bytes of the numbers 0x13FA0F9D and 0x6D5C7962."""
    first, second = bytearray(), bytearray()
    a, b = 0x9D, 0x62
    for _ in range(TABLE_SIZE):
        first.append(a)
        second.append(b)
        a = ((0x0F + a * 0xFA) * a + 0x13) & 0xFF
        b = ((0x79 - b * 0x5C) * b + 0x6D) & 0xFF
    return bytes(first), bytes(second)


def _stream_block(first: int, second: int) -> bytes:
    """256 bytes of a key stream: K1 as a number, and the one byte of K2 that they share."""
    return (first ^ second * _EACH_BYTE).to_bytes(TABLE_SIZE, "little")


_K1, _K2 = _tables()
_K1_NUMBER: Final = int.from_bytes(_K1, "little")
_K2_NUMBER: Final = int.from_bytes(_K2, "little")

_COMMON: Final = b"".join(_stream_block(_K1_NUMBER, second) for second in _K2) * 2
"""Everybody's key stream, twice, so that a piece of one period can be cut from anywhere."""

_SERVER: Final = bytes((n ^ 0xAB) << 4 & 0xF0 | (n ^ 0xAB) >> 4 for n in range(256))
"""A server's substitution for each byte, before the key stream."""
_CLIENT: Final = bytes((n << 4 & 0xF0 | n >> 4) ^ 0xAB for n in range(256))
"""A client's substitution for each byte, behind the key stream."""


class _CommonStream:
    """The key stream that everybody has."""

    __slots__ = ("counter",)

    def __init__(self) -> None:
        self.counter = 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        at = self.counter
        self.counter = (at + size) % PERIOD
        if size <= PERIOD:
            return _COMMON[at : at + size]
        whole, rest = divmod(size, PERIOD)
        return _COMMON[at : at + PERIOD] * whole + _COMMON[at : at + rest]


class _OwnStream:
    """The key stream of one game connection. A whole one would be 64 KiB for each client; so it is made by
    pieces of 256 bytes, each when the counter gets there."""

    __slots__ = ("_block", "_first", "_second", "counter")

    def __init__(self, account: int, data: int, counter: int) -> None:
        seed = ((account + data & _WORD) ^ 0x4321) ^ data
        self._first = _K1_NUMBER ^ _repeated(seed)
        self._second = (_K2_NUMBER ^ _repeated(seed * seed & _WORD)).to_bytes(TABLE_SIZE, "little")
        self.counter = counter
        self._block = self._made(counter >> 8)

    def take(self, size: int) -> bytes:
        """The next bytes."""
        at = self.counter
        start = at & 0xFF
        end = start + size
        self.counter = (at + size) % PERIOD
        if end < TABLE_SIZE:
            return self._block[start:end]
        number = at >> 8
        blocks = [self._block]
        blocks += [self._made(number + further) for further in range(1, (end >> 8) + 1)]
        self._block = blocks[-1]
        return b"".join(blocks)[start:end]

    def _made(self, number: int) -> bytes:
        return _stream_block(self._first, self._second[number & 0xFF])


def _repeated(word: int) -> int:
    """A number of 32 bits, as often as a table has room for it."""
    return int.from_bytes(word.to_bytes(4, "little") * (TABLE_SIZE // 4), "little")


class TqCipher:
    """One end of a connection, both ways."""

    __slots__ = ("_is_server", "_received", "_sent")

    def __init__(self, role: Role) -> None:
        self._is_server = role is Role.SERVER
        self._sent: _CommonStream | _OwnStream = _CommonStream()
        self._received: _CommonStream | _OwnStream = _CommonStream()

    def rekey(self, account: int, data: int) -> None:
        """The client's first packet on a game connection, which had these two numbers of 32 bits, has passed:
        what the client says from now on is in the keys made of them."""
        if self._is_server:
            self._received = _OwnStream(account, data, self._received.counter)
            self._sent = _CommonStream()
        else:
            self._sent = _OwnStream(account, data, self._sent.counter)
            self._received = _CommonStream()

    def encrypt(self, data: bytes) -> bytes:
        """The next bytes to the peer."""
        return self._passed(data, self._sent.take(len(data)))

    def decrypt(self, data: bytes) -> bytes:
        """The next bytes from the peer."""
        return self._passed(data, self._received.take(len(data)))

    def _passed(self, data: bytes, stream: bytes) -> bytes:
        if self._is_server:
            return _xor(data.translate(_SERVER), stream)
        return _xor(data, stream).translate(_CLIENT)


def _xor(data: bytes, stream: bytes) -> bytes:
    number = int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")
    return number.to_bytes(len(data), "little")
