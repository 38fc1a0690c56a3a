"""Ultima Online's static Huffman code, which every server -> client byte of a game connection passes.

Each packet is a code block of its own: the code words of its bytes, most significant bit first, then the end
word, then zero bits up to the next whole byte. Nothing carries over from packet to packet, so one compressed
packet can be sent to any number of clients. Login connections and client -> server bytes are not compressed.

The code is built into the client; the same table stands in every public implementation (ServUO
`Server/Network/Compression.cs`, ClassicUO `src/ClassicUO.Client/Network/Huffman.cs`).
"""

from collections import deque
from typing import Final

END: Final = 256
"""The symbol that closes a packet."""

# One word per symbol 0..255 and END, as a hexadecimal number: a leading 1 bit, which only keeps the zeros
# behind it, then the code bits. "4" = 1 00, so byte 0x00 is sent as the two bits 00.
_WORDS: Final = """
    4 3f 62 b4 f5 68 7b b2 1e0 162 d6 179 39d 197 6a d7
    171 15b 3cc 1a7 a5 cf 166 17d 391 3ce bf 290 159 17b 191 1c6
    6d 386 16f 293 5cc 15a 5ae 5c0 348 34a 282 59f 371 320 2e7 5f3
    34b 300 390 53 361 325 333 395 373 3ca 286 3e9 2db 3ec 28b 285
    2a 196 19c 3c3 39c 28f 38f 291 287 2c6 377 289 2d6 28c 3ee 3eb
    284 364 375 3cd 15e 288 32b 372 30a 28d 33a 31c 5e1 5e0 387 5dc
    5df f4 39f 18d 1e4 f9 2ea 2e1 140 c1 30b 2b0 16a 1c1 f1 f8
    1b1 34c c3 176 e6 cd 28a 6f 1c9 2ce 349 360 5ba 59e 79f 2e5
    394 384 326 b0 16c 321 3e8 5c1 51d 563 785 7db 57d 506 797 64e
    ae 198 73c 72e 5e9 2bf 7df 5dd 72d 6ed 70b 507 6e8 7de 525 5e8
    2e9 5cd 5b5 365 632 6e1 bae bc6 be2 605 69a 648 6cd 63b bc5 651
    6e9 652 3ea ba0 b91 63c b92 bd5 633 6cc b90 5bb ba1 bc4 611 603
    32a 631 be0 69b bd7 602 bad 613 653 72c 63d 63f 72f 51c 784 71c
    57c 70a 6e0 676 650 be3 796 58f 604 606 630 665 612 63e bac b93
    be1 5de bd6 71d be5 be4 607 bc7 677 bd4 1c0 562 7da 524 5b4 664
    73d 5d1 5af 79e 64f b73 649 b72 367 610 63a 5b8 baf 58e 6ec e2
    1d
"""

_CODES: Final = [bin(int(word, 16))[3:] for word in _WORDS.split()]
_BYTE_CODES: Final = _CODES[:END]
# The end word with its padding, by how many zero bits are missing to a whole byte.
_ENDINGS: Final = [_CODES[END] + "0" * padding for padding in range(8)]
_END_BITS: Final = len(_CODES[END])

WORST_CASE_BITS: Final = max(map(len, _CODES))
"""Bits of the longest code word: a body of n bytes takes at most (n * 11 + 4 + 7) // 8 bytes."""


def compress(body: bytes) -> bytes:
    """Return one packet's compressed form, end word and padding included.

    The code words are joined as text and turned into bytes by one call of `int`, whose time is linear for
    base 2; shifting bits into an integer byte by byte takes several times as long (`bench/uo_wire.py`).
    """
    codes = _BYTE_CODES
    bits = "".join([codes[byte] for byte in body])
    padding = -(len(bits) + _END_BITS) % 8
    bits += _ENDINGS[padding]
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


class Decompressor:
    """Splits a compressed stream, cut at any byte, back into packets (the client's role: bots and tests).

    The code is complete: every bit sequence decodes to something, so there is no malformed input. A stream
    that never sends the end word grows the packet under construction without limit; use it only on servers
    you trust.
    """

    def __init__(self) -> None:
        self._packets: deque[bytes] = deque()
        self._pieces: list[bytes] = []
        self._state = _ROOT

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream, any number of them."""
        rows, pieces, state = _ROWS, self._pieces, self._state
        for byte in data:
            row = rows[state]
            if row is None:
                row = rows[state] = _row(state)
            piece, state = row[byte]
            pieces.append(piece)
            if state == _CLOSED:
                self._packets.append(b"".join(pieces))
                pieces.clear()
                state = _ROOT
        self._state = state

    def next_packet(self) -> bytes | None:
        """Return the oldest whole packet not yet returned, or None. (An empty packet is b"", not None.)"""
        return self._packets.popleft() if self._packets else None


# The decoder's machine: the state is a proper prefix of code words, i.e. the bits read since the last whole
# word; one step takes eight bits and gives the bytes they complete and the next state. Rows are made when
# first needed: a connection visits few of the 256 states at first, and all of them take 60 ms to make.
_SYMBOLS: Final = {code: symbol for symbol, code in enumerate(_CODES)}
_PREFIXES: Final = sorted({code[:length] for code in _CODES for length in range(len(code))})
_STATES: Final = {prefix: state for state, prefix in enumerate(_PREFIXES)}
_ROOT: Final = _STATES[""]
_CLOSED: Final = -1
_ROWS: Final[list[list[tuple[bytes, int]] | None]] = [None] * len(_PREFIXES)


def _row(state: int) -> list[tuple[bytes, int]]:
    """Return, for each next byte, what it completes from `state` and the state after it.

    The state is `_CLOSED` if the end word was completed: the rest of that byte is padding.
    """
    return [_step(_PREFIXES[state], byte) for byte in range(256)]


def _step(prefix: str, byte: int) -> tuple[bytes, int]:
    piece = bytearray()
    for bit in f"{byte:08b}":
        prefix += bit
        symbol = _SYMBOLS.get(prefix)
        if symbol is None:
            continue
        if symbol == END:
            return bytes(piece), _CLOSED
        piece.append(symbol)
        prefix = ""
    return bytes(piece), _STATES[prefix]
