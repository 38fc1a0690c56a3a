"""The cipher of the game connection: a byte is XORed with one of the key and with the enciphered one before.

    enciphered[i] = plain[i] ^ key[i % 16] ^ enciphered[i - 1]        with a 0 in front of each message

Eight bytes of the key come in KeyPacket, the others are the same for everybody. After each message its size
is added to the four bytes in the middle (u32, little-endian), so both ends have to agree on every message
that was ever sent. Each direction has a key of its own, which starts out the same.

The bytes are taken as one large big-endian number. Its first byte is then the topmost, and a byte XORed with
all those before it is the number XORed with itself shifted to the right by 1, 2, 4, ... bytes; back it takes
one shift. What falls out at the right is what has to go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

SENT_KEY_SIZE: Final = 8
"""Bytes of the key that KeyPacket carries."""

# The other half, in client and server alike: where the counter begins, and what stays.
_COUNTER_START: Final = int.from_bytes(bytes.fromhex("c8279301"), "little")
_TAIL: Final = bytes.fromhex("a16c3197")

_KEY_SIZE: Final = 16
_LENGTH_SIZE: Final = 2
_COUNTER_MASK: Final = 0xFFFFFFFF


class RollingXor:
    """One direction. The end that sends calls `framed` for its messages, the other `decrypt` for each.

    Every message of every client passes here, so a flush is one loop that calls nothing of ours, and the four
    steps that every message needs are no loop in it.
    """

    __slots__ = ("_counter", "_head")

    def __init__(self, sent_key: bytes) -> None:
        if len(sent_key) != SENT_KEY_SIZE:
            raise ValueError(f"KeyPacket carries {SENT_KEY_SIZE} bytes of the key, not {len(sent_key)}")
        self._head = sent_key
        self._counter = _COUNTER_START

    def encrypt(self, body: bytes) -> bytes:
        """Encipher the next message, opcode included, length not."""
        return self.framed((body,))[0][_LENGTH_SIZE:]

    def framed(self, bodies: Iterable[bytes]) -> list[bytes]:
        """Encipher the next messages, each behind its length, which stays plain. OverflowError if one is
        longer than that can say."""
        from_bytes, head, counter = int.from_bytes, self._head, self._counter
        frames = []
        for body in bodies:
            size = len(body)
            key = head + counter.to_bytes(4, "little") + _TAIL
            counter = counter + size & _COUNTER_MASK
            if size > _KEY_SIZE:
                key *= size // _KEY_SIZE + 1
            chain = from_bytes(body, "big") ^ from_bytes(key[:size], "big")
            chain ^= chain >> 8
            chain ^= chain >> 16
            chain ^= chain >> 32
            chain ^= chain >> 64
            if size > _KEY_SIZE:
                shift, bits = 128, 8 * size
                while shift < bits:
                    chain ^= chain >> shift
                    shift <<= 1
            length = size + _LENGTH_SIZE
            frames.append(length.to_bytes(_LENGTH_SIZE, "little") + chain.to_bytes(size, "big"))
        self._counter = counter
        return frames

    def decrypt(self, body: bytes) -> bytes:
        """Decipher the next message, opcode included, length not."""
        size = len(body)
        counter = self._counter
        key = self._head + counter.to_bytes(4, "little") + _TAIL
        self._counter = counter + size & _COUNTER_MASK
        stream = (key * (size // _KEY_SIZE + 1))[:size]
        chain = int.from_bytes(body, "big")
        return (chain ^ chain >> 8 ^ int.from_bytes(stream, "big")).to_bytes(size, "big")
