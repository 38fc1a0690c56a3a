"""What Conquer Online's ciphers cost per packet and per connection: python bench/co_ciphers.py

Prints the best of several repeats, in CPU time of this thread, so that other processes matter little.
"""

import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import thread_time
from timeit import repeat

sys.path.insert(0, str(Path(__file__).parents[1]))

from protocol.co import ciphers, exchange, rc5
from protocol.co.blowfish import Blowfish, CfbDecryption, CfbEncryption
from protocol.co.ciphers import TqCipher
from protocol.co.codec import CfbGameCodec, CoAccountCodec, CoCodec, TqGameCodec
from protocol.co.exchange import Keys, Offer
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body

SIZES = (24, 92, 100, 1000)
STEPS = [(10).to_bytes(2, "little") + (1005).to_bytes(2, "little") + bytes(6)] * 10
KEYS = Keys(bytes(range(64)), bytes(8), bytes(8))


def microseconds(call: Callable[[], object]) -> float:
    """Best of nine runs of at least some milliseconds each."""
    number = 1
    while min(repeat(call, number=number, repeat=1, timer=thread_time)) < 0.005:
        number *= 2
    return min(repeat(call, number=number, repeat=9, timer=thread_time)) / number * 1e6


def byte_loop(data: bytes) -> bytes:
    """A server's formula, byte by byte."""
    first, second, out = ciphers._K1, ciphers._K2, bytearray()
    for counter, byte in enumerate(data):
        taken = byte ^ 0xAB
        out.append((taken >> 4 | taken << 4 & 0xF0) ^ first[counter & 0xFF] ^ second[counter >> 8 & 0xFF])
    return bytes(out)


def line(title: str, call: Callable[[], object]) -> None:
    print(f"{title:56} {microseconds(call):9.2f} us")


def counter_cipher() -> None:
    """The common key stream, one's own, and a plain loop for comparison."""
    zeros = bytes(1000)
    assert byte_loop(zeros) == TqCipher(Role.SERVER).encrypt(zeros)
    for size in SIZES:
        data = random.Random(size).randbytes(size)
        server = TqCipher(Role.SERVER)
        server.rekey(1, 2)
        line(f"counter cipher: to a client, {size} bytes", partial(server.encrypt, data))
        line(f"counter cipher: from a client, {size} bytes", partial(server.decrypt, data))
        line(f"counter cipher: a loop, {size} bytes", partial(byte_loop, data))
    line("counter cipher: new keys", partial(TqCipher(Role.SERVER).rekey, 1, 2))
    line("RC5: a password", partial(rc5.read_password, bytes(16)))


def blowfish_streams() -> None:
    """The key, and both directions."""
    line("Blowfish: a key of 64 bytes, and one stream", lambda: CfbEncryption(Blowfish(bytes(64)), bytes(8)))
    for size in SIZES:
        data = random.Random(size).randbytes(size)
        line(f"CFB: to a client, {size} bytes", partial(CfbEncryption(KEYS.cipher, bytes(8)).apply, data))
        line(f"CFB: from a client, {size} bytes", partial(CfbDecryption(KEYS.cipher, bytes(8)).apply, data))


def key_exchange() -> None:
    """What a connection costs before its first packet: in the client's own task, then in a thread."""
    chance = random.Random(1).randbytes
    offer = Offer.draw(chance)
    reply, _ = exchange.answer(offer.request(chance), chance)
    wire = exchange.start_encryption().apply(reply)
    read = exchange.read_reply(reply)

    def begin() -> None:
        codec = CfbGameCodec(CodecArgs(Role.SERVER, chance, {"patch": 5065}))
        codec.begin()
        codec.outgoing(0.0)

    def reply_read() -> None:
        exchange.read_reply(exchange.start_decryption().apply(wire))

    line("exchange: a number to the power of 256 bits", partial(Offer.draw, chance))
    line("exchange: the request, ready to be sent", begin)
    line("exchange: the reply, deciphered and checked", reply_read)
    line("exchange: both keys, in a thread", partial(offer.keys, read))


def codecs() -> None:
    """Ten steps sent at once, and ten steps taken from the stream, for one."""
    for make in (CoAccountCodec, TqGameCodec, CfbGameCodec):
        server, client = (make(CodecArgs(role, random.Random(1).randbytes, {"patch": 5065})) for role in Role)
        if isinstance(server, CfbGameCodec) and isinstance(client, CfbGameCodec):
            server.adopt(KEYS)
            client.adopt(KEYS)
        else:
            connect = (28).to_bytes(2, "little") + (1052).to_bytes(2, "little") + bytes(24)
            client.send(Body(connect))
            server.receive(b"".join(client.outgoing(0.0)), 0.0)
            server.next_frame()

        def ten_to_a_client(server: CoCodec = server) -> None:
            server.send_raw(STEPS)
            server.outgoing(0.0)

        def ten_back_and_forth(server: CoCodec = server, client: CoCodec = client) -> None:
            client.send_raw(STEPS)
            server.receive(b"".join(client.outgoing(0.0)), 0.0)
            while server.next_frame() is not None:
                pass

        print(f"{make.__name__ + ': send, a step':56} {microseconds(ten_to_a_client) / 10:9.2f} us")
        both = microseconds(ten_back_and_forth) / 10
        print(f"{make.__name__ + ': sent by a client and read, a step':56} {both:9.2f} us")


if __name__ == "__main__":
    counter_cipher()
    blowfish_streams()
    key_exchange()
    codecs()
