"""The running number every packet of a client carries.

Value = start + counter. The counter runs 0..9 and counts every packet, Init_Init included although that one
carries no number. The start is the server's choice and changes three times: in its answer to Init_Init, in
each ping (valid from the client's answer on), and in Account_Reply, where we repeat what is in force. It is
hidden in pairs of numbers: `seq1 * 7 + seq2 - 13` in Init_Init, `seq1 - seq2` in a ping (eolib
`packet/sequence_start.py`).

A start above 240 would give values that need two bytes, where client versions disagree; like the original
server we never choose one. (eolib's own generators go up to 1756.)
"""

from __future__ import annotations

from collections.abc import Callable

from protocol.eo.numbers import CHAR_MAX, encode_short

Entropy = Callable[[int], bytes]
"""As many unpredictable bytes as asked for."""

LARGEST_START = 240


class Sequence:
    """One connection's counter and start, the same on both sides of it."""

    __slots__ = ("counter", "start", "upcoming")

    def __init__(self) -> None:
        self.counter = 0
        self.start = 0
        self.upcoming: int | None = None
        """The start of a ping the client has not answered yet."""

    def next(self) -> int:
        """The value of the packet at hand; counts it."""
        value = self.start + self.counter
        self.counter = (self.counter + 1) % 10
        return value

    def switch(self) -> None:
        """The client answers the ping: its start is in force, from this answer on. No ping, no change."""
        if self.upcoming is not None:
            self.start, self.upcoming = self.upcoming, None


def encode_sequence(value: int) -> bytes:
    """One byte below 253, else two."""
    return bytes((value + 1,)) if value <= CHAR_MAX else encode_short(value)


def below(limit: int, entropy: Entropy) -> int:
    """A number from 0 to `limit` - 1."""
    return int.from_bytes(entropy(4), "little") % limit


def choose_start(entropy: Entropy) -> int:
    """A start from 0 to 240."""
    return below(LARGEST_START + 1, entropy)


def init_values(start: int, entropy: Entropy) -> tuple[int, int]:
    """`seq1`, `seq2` of Init_Init for this start: bytes of 0..252 with seq1 * 7 + seq2 - 13 == start."""
    # seq2 = start + 13 - seq1 * 7 has to stay within 0..252: the first bound keeps it below 253, the second
    # above -1.
    lowest = max(0, (start + 13 - CHAR_MAX + 6) // 7)
    highest = (start + 13) // 7
    seq1 = lowest + below(highest - lowest + 1, entropy)
    return seq1, start + 13 - seq1 * 7


def init_start(seq1: int, seq2: int) -> int:
    """The start a client reads from Init_Init."""
    return seq1 * 7 + seq2 - 13


def ping_values(start: int, entropy: Entropy) -> tuple[int, int]:
    """`seq1` (short), `seq2` (char) of a ping for this start, with seq1 - seq2 == start."""
    seq2 = below(CHAR_MAX, entropy)
    return start + seq2, seq2


def ping_start(seq1: int, seq2: int) -> int:
    """The start a client reads from a ping (Connection_Player)."""
    return seq1 - seq2
