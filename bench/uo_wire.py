"""What Ultima Online's wire costs per packet and per connection: python bench/uo_wire.py

Prints microseconds per call, the best of several repeats, and ratios to the plain loops they replace.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from timeit import repeat

sys.path.insert(0, str(Path(__file__).parents[1]))

from protocol.uo import huffman
from protocol.uo.ciphers import (
    GameCipher,
    LoginCipher,
    LoginKeySearch,
    UnknownCipherError,
    detect_game,
    detect_login,
    known_login_keys,
    known_versions,
    login_keys,
)
from protocol.uo.huffman import Decompressor, compress

SEED = 0x7F000001
CODES = [(int(code, 2), len(code)) for code in huffman._CODES]


def bit_loop(body: bytes) -> bytes:
    """The usual encoder: shift each code into an accumulator, take out whole bytes."""
    out = bytearray()
    accumulator = filled = 0
    for symbol in [*body, huffman.END]:
        code, length = CODES[symbol]
        accumulator = accumulator << length | code
        filled += length
        while filled >= 8:
            filled -= 8
            out.append(accumulator >> filled & 0xFF)
        accumulator &= (1 << filled) - 1
    if filled:
        out.append(accumulator << 8 - filled & 0xFF)
    return bytes(out)


def byte_loop(data: bytes, keystream: bytes) -> bytes:
    return bytes(byte ^ key for byte, key in zip(data, keystream, strict=True))


def every_key(packet: bytes) -> None:
    """Try all known login keys one after the other."""
    for version in known_versions():
        plain = LoginCipher(SEED, *login_keys(*version)).apply(packet)
        if plain[0] == 0x80 and plain[30] == 0 and plain[60] == 0:
            return


def decompress(packed: bytes) -> bytes | None:
    decompressor = Decompressor()
    decompressor.feed(packed)
    return decompressor.next_packet()


def refused(detect: Callable[[], object]) -> Callable[[], None]:
    def call() -> None:
        try:
            detect()
        except UnknownCipherError:
            return
        raise AssertionError("detected")

    return call


def microseconds(call: Callable[[], object], budget: float = 0.05) -> float:
    once = max(repeat(call, number=1, repeat=3)[-1], 1e-7)
    number = max(1, int(budget / once))
    return min(repeat(call, number=number, repeat=7)) / number * 1e6


def main() -> None:
    dice = Random(1)
    print("Huffman, half of the bytes zero   compress  bit loop   ratio  decompress")
    for size in (17, 64, 256, 1024):
        body = bytes(dice.getrandbits(8) if dice.getrandbits(1) else 0 for _ in range(size))
        packed = compress(body)
        assert packed == bit_loop(body)
        fast, slow = microseconds(partial(compress, body)), microseconds(partial(bit_loop, body))
        back = microseconds(partial(decompress, packed))
        print(f"{size:6} bytes {fast:30.2f} {slow:9.2f} {slow / fast:6.1f}x {back:10.2f}")

    print(f"\nGameCipher set-up {microseconds(lambda: GameCipher(SEED)):8.1f}")
    cipher = GameCipher(SEED)
    for size in (17, 64, 256, 1024, 8192):
        data = dice.randbytes(size)
        out, into = microseconds(partial(cipher.encrypt, data)), microseconds(partial(cipher.decrypt, data))
        loop = microseconds(partial(byte_loop, data, data))
        print(
            f"{size:6} bytes: to client {out:7.2f} ({size / out:6.1f} MB/s; byte loop {loop:7.2f},"
            f" {loop / out:4.1f}x)   from client {into:8.2f} ({size / into:5.2f} MB/s)"
        )

    print("\ndetection that fails (what a hostile peer can make us do, once per connection)")
    noise = LoginCipher(SEED, 0, 0).apply(b"\x80") + dice.randbytes(64)  # passes the first, keyless check
    known_login_keys()
    rows = {
        f"login, {len(known_login_keys())} known key pairs": refused(lambda: detect_login(noise, SEED, None)),
        "login, version known": refused(lambda: detect_login(noise, SEED, (7, 0, 102))),
        "game": refused(lambda: detect_game(noise, SEED)),
        "login, if every key were tried": lambda: every_key(noise[:62]),
        "building the search (once per process)": lambda: LoginKeySearch(known_versions()),
    }
    for name, call in rows.items():
        print(f"{name:42} {microseconds(call):9.1f}")


if __name__ == "__main__":
    main()
