"""What EverQuest II's wire costs: python -m bench.eq2_wire [drain parts deflate copies latency]

drain    datagrams a second and CPU for each, both ways over a real UDP socket on the loopback interface: a
         bare loop of recvfrom and sendto, the server's drain loop, and that with a whole EQStream behind it
parts    each thing that happens to a packet: checksum, RC4, XOR and Pack, and the stream's own calls
deflate  what a client is sent on its way into a zone, by level and memory level
copies   which objects hold the bytes of one long message, each way: each after the first is a copy
latency  how long a small message takes over a line that loses some, two streams and nothing else

CPU time of this thread, the best of several repeats. The clients are in the same thread, and their work is
not counted. Whole servers: `bench.eq2_server` and `causeway bench --games eq2`.
"""

from __future__ import annotations

import argparse
import random
import socket
import sys
import zlib
from functools import partial
from itertools import pairwise
from time import thread_time
from timeit import repeat
from typing import TYPE_CHECKING, Final

import trio
import trio.testing
from Crypto.Cipher import ARC4

from protocol.eq2.packing import pack, unpack, xor
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.ciphers import Keystream
from protocol.eq2.stream.frames import Checksum
from protocol.eq2.stream.messages import WINDOW_BITS
from protocol.wire.args import Role
from server.net.datagrams import DATAGRAMS_PER_WAKE, DatagramSocket, Peer, SocketWire
from tests.kit.lossy import small_message_latency

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from protocol.family import Address, Codec, Knock

PEERS: Final = 200
ROUNDS: Final = 40
"""Of one datagram each way for every peer."""

SETTINGS: Final = StreamSettings(rate_kib=1 << 20, burst_kib=1 << 20)
UPDATES: Final = tuple(bytes((0x22,)) + random.Random(n).randbytes(22) for n in range(5))
"""What one turn has for one client, at the density of a normal shard."""

GHOSTS: Final = 50
CALLS: Final = (
    "send_many, five updates",
    "outgoing",
    "deadline",
    "receive, an acknowledgement",
    "pending",
)

LONG: Final = 400
"""Bytes of the message whose copies are counted: what holds so many has it all."""


def microseconds(call: Callable[[], object], budget: float = 0.02) -> float:
    """Of one call."""
    once = max(min(repeat(call, number=1, repeat=3)), 1e-7)
    number = max(1, int(budget / once))
    return min(repeat(call, number=number, repeat=7, timer=thread_time)) / number * 1e6


def streams(seed: int = 1) -> tuple[EqStream, EqStream]:
    """A server's and a client's, with a key."""
    server = EqStream(Role.SERVER, random.Random(seed).randbytes, SETTINGS)
    client = EqStream(Role.CLIENT, random.Random(seed + 1).randbytes, SETTINGS)
    client.connect(0.0)
    for turn in range(20):
        exchange(client, server, turn / 1000)
        exchange(server, client, turn / 1000)
    if not (server.keyed and client.keyed):
        raise RuntimeError("no key")
    return server, client


def exchange(one: EqStream, other: EqStream, now: float) -> None:
    """What the one has to say reaches the other."""
    for datagram in one.outgoing(now):
        other.receive(datagram, now)
        while other.next_message() is not None:
            pass


# Sockets


class Everybody:
    """A doorman who asks nobody anything."""

    half_open = 0

    def concerns(self, address: Address, datagram: bytes) -> bool:
        return False

    def knock(self, address: Address, datagram: bytes, now: float, codec: Codec | None) -> Knock | None:
        return None


class Floor:
    """The server's socket, and as many clients' as there are peers."""

    def __init__(self) -> None:
        self.server = bound()
        self.server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.clients = [bound() for _ in range(PEERS)]
        self.addresses: list[Address] = [client.getsockname() for client in self.clients]
        self.place: Address = self.server.getsockname()

    def close(self) -> None:
        for opened in (self.server, *self.clients):
            opened.close()

    def put(self, datagrams: Sequence[bytes]) -> None:
        """Each client sends one."""
        for client, datagram in zip(self.clients, datagrams, strict=True):
            client.sendto(datagram, self.place)

    def take(self) -> list[bytes]:
        """What has come to each."""
        return [client.recv(2048) for client in self.clients]


def bound() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setblocking(False)
    made.bind(("127.0.0.1", 0))
    return made


def bare(floor: Floor) -> tuple[float, float]:
    """Seconds in, seconds out, of one round: recvfrom until there is nothing, sendto for each."""
    incoming, outgoing = b"\0" * 6, b"\0" * 118
    floor.put([incoming] * PEERS)
    server, found = floor.server, 0
    begin = thread_time()
    try:
        while True:
            server.recvfrom(2048)
            found += 1
    except BlockingIOError:
        middle = thread_time()
    if found != PEERS:
        raise RuntimeError("datagrams were lost")
    for address in floor.addresses:
        server.sendto(outgoing, address)
    end = thread_time()
    floor.take()
    return middle - begin, end - middle


async def drained(floor: Floor, rounds: int, *, whole: bool) -> tuple[float, float]:
    """The same through the server's drain loop; `whole`: five updates for each through an EQStream, and its
    acknowledgement in return. The least of some rounds."""
    sock = DatagramSocket(SocketWire(floor.server), Everybody(), queue=16, begin=lambda peer, codec: True)
    pairs = [streams(number) for number in range(PEERS)] if whole else []
    peers = [Peer(sock, address) for address in floor.addresses]
    sock.peers.update(zip(floor.addresses, peers, strict=True))
    came = 0

    def glance(server: EqStream | None, datagram: bytes, now: float) -> bool:
        nonlocal came
        came += 1
        if server is None:
            return True
        server.receive(datagram, now)
        return server.next_message() is None and not server.pending

    least_in = least_out = float("inf")
    async with trio.open_nursery() as nursery:
        for number, peer in enumerate(peers):
            peer.glance = partial(glance, pairs[number][0] if whole else None)
            nursery.start_soon(peer.wait_readable)
        nursery.start_soon(sock.run)
        await trio.testing.wait_all_tasks_blocked()
        now = 1.0
        for _ in range(rounds):
            now += 0.05
            begin = thread_time()
            for number, peer in enumerate(peers):
                if whole:
                    pairs[number][0].send_many(UPDATES)
                    for datagram in pairs[number][0].outgoing(now):
                        peer.send_nowait(datagram)
                else:
                    peer.send_nowait(bytes(118))
            least_out = min(least_out, thread_time() - begin)
            answers = [b"\0" * 6] * PEERS
            for number, datagram in enumerate(floor.take()):
                if whole:
                    client = pairs[number][1]
                    client.receive(datagram, now)
                    while client.next_message() is not None:
                        pass
                    (answers[number],) = client.outgoing(now)
            floor.put(answers)
            came = 0
            begin = thread_time()
            while came < PEERS:
                await trio.lowlevel.checkpoint()
            least_in = min(least_in, thread_time() - begin)
        nursery.cancel_scope.cancel()
    return least_in, least_out


def drain() -> None:
    floor = Floor()
    try:
        rounds = [bare(floor) for _ in range(ROUNDS)]
        rows = {"bare recvfrom / sendto": (min(row[0] for row in rounds), min(row[1] for row in rounds))}
        rows["drain loop"] = trio.run(partial(drained, floor, ROUNDS, whole=False))
        rows["drain loop and EQStream"] = trio.run(partial(drained, floor, ROUNDS, whole=True))
    finally:
        floor.close()
    base_in, base_out = rows["bare recvfrom / sendto"]
    print(f"{PEERS} peers, {DATAGRAMS_PER_WAKE} datagrams at most before others have a turn;")
    print("in: an acknowledgement of 6 bytes; out: five updates, 130 bytes")
    print(f"{'':24}{'us in':>8}{'':>8}{'in/s':>10}{'us out':>8}{'':>8}{'out/s':>10}")
    for name, (took_in, took_out) in rows.items():
        print(
            f"{name:24}{took_in / PEERS * 1e6:>8.1f}{took_in / base_in:>7.1f}x{PEERS / took_in:>10,.0f}"
            f"{took_out / PEERS * 1e6:>8.1f}{took_out / base_out:>7.1f}x{PEERS / took_out:>10,.0f}"
        )


# Parts


def parts() -> None:
    dice = random.Random(1)
    print(f"{'us':24}" + "".join(f"{size:>8} B" for size in (6, 30, 118, 500)))
    rows: dict[str, Callable[[bytes], Callable[[], object]]] = {
        "checksum, append": lambda data: partial(Checksum(7).sealed, data),
        "checksum, check": lambda data: partial(Checksum(7).opened, Checksum(7).sealed(data)),
        "RC4, keystream ahead": lambda data: partial(Keystream(b"12345678").apply, data),
        "RC4, the cipher itself": lambda data: partial(ARC4.new(b"12345678", drop=20).encrypt, data),
    }
    for name, make in rows.items():
        print(
            f"{name:24}"
            + "".join(f"{microseconds(make(dice.randbytes(n))):>10.2f}" for n in (6, 30, 118, 500))
        )
    print(f"\n{'us':24}{'XOR':>8}{'pack':>8}{'unpack':>8}")
    for name, size, changed in (
        ("position, a step", 88, 9),
        ("movement, a step", 152, 12),
        ("ghost", 1255, 300),
    ):
        before = bytes(size)
        at = set(dice.sample(range(size), changed))
        after = bytes(dice.randrange(1, 256) if place in at else 0 for place in range(size))
        packed = pack(xor(before, after))
        took = (
            microseconds(partial(xor, before, after)),
            microseconds(partial(pack, after)),
            microseconds(partial(unpack, packed, size)),
        )
        print(f"{name:24}" + "".join(f"{one:>8.1f}" for one in took))
    print(f"\n{'us of one stream':40}")
    for name, spent in calls().items():
        print(f"{name:40}{spent:>8.1f}")


def calls(rounds: int = 2000) -> dict[str, float]:
    """Microseconds of each call to a server's stream for a turn's updates and their acknowledgement."""
    least: dict[str, float] = {}
    for _ in range(5):
        server, client = streams()
        spent = [0.0] * 5
        for turn in range(rounds):
            now = 1.0 + turn / 20
            times = [thread_time()]
            server.send_many(UPDATES)
            times.append(thread_time())
            (datagram,) = server.outgoing(now)
            times.append(thread_time())
            server.deadline()
            times.append(thread_time())
            client.receive(datagram, now)
            while client.next_message() is not None:
                pass
            (answer,) = client.outgoing(now)
            times.append(thread_time())
            server.receive(answer, now)
            times.append(thread_time())
            _ = server.pending
            times.append(thread_time())
            took = [after - before for before, after in pairwise(times)]
            del took[3]  # the client's
            spent = [one + other for one, other in zip(spent, took, strict=True)]
        for name, seconds in zip(CALLS, spent, strict=True):
            least[name] = min(least.get(name, seconds), seconds)
    return {name: seconds / rounds * 1e6 for name, seconds in least.items()}


def deflate() -> None:
    """Fifty people come into sight: packed ghosts with the same holes and a name and some colours of their
    own."""
    dice = random.Random(1)
    like = bytes(dice.randrange(1, 256) if dice.random() < 0.2 else 0 for _ in range(1255))
    ghosts = []
    for number in range(GHOSTS):
        own = bytearray(like)
        own[0:24] = dice.randbytes(24)
        own[900:912] = f"Somebody{number:04}".encode()
        ghosts.append(b"\x50" + bytes(30) + pack(bytes(own)))
    size = sum(map(len, ghosts))
    print(f"{GHOSTS} ghosts of {size // GHOSTS} bytes; a window of {1 << WINDOW_BITS} bytes")
    print(f"{'level':>6}{'memory level':>14}{'KiB':>6}{'us each':>10}{'size':>8}")
    for level in (1, 3, 6, 9):
        for memory in (9, 8, 4):
            made = [b""]

            def compress(level: int = level, memory: int = memory, made: list[bytes] = made) -> None:
                stream = zlib.compressobj(level, zlib.DEFLATED, WINDOW_BITS, memory)
                made[:] = [stream.compress(ghost) + stream.flush(zlib.Z_SYNC_FLUSH) for ghost in ghosts]

            took = microseconds(compress, 0.01) / GHOSTS
            kib = (1 << WINDOW_BITS + 2 | 1 << memory + 9) // 1024
            print(f"{level:>6}{memory:>14}{kib:>6}{took:>10.1f}{sum(map(len, made)) / size:>8.3f}")


# Copies


def holders(call: Callable[[], object]) -> list[str]:
    """Where each object with at least LONG bytes was first seen while `call` ran, in order: all arguments,
    variables and results of Python functions."""
    kept: dict[int, object] = {}
    seen: list[str] = []

    def look(frame: FrameType, event: str, found: object) -> None:
        inside = [*frame.f_locals.values(), found]
        for value in inside:
            held = value if isinstance(value, list | tuple) else [value]
            for one in held:
                if isinstance(one, bytes | bytearray) and len(one) >= LONG and id(one) not in kept:
                    kept[id(one)] = one
                    seen.append(f"{frame.f_code.co_qualname}, {len(one)} bytes")

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def copies() -> None:
    server, client = streams()
    message = b"\x22" + random.Random(1).randbytes(LONG)
    for stream in (server, client):
        stream.encoder.tries_first = True
    print(f"from the server: a message of {len(message)} bytes that does not get smaller")
    datagrams: list[bytes] = []
    for number, line in enumerate(holders(lambda: _say(server, message, datagrams))):
        print(f"{number:>4}  {line}")
    client.send_many([message])
    datagram = client.outgoing(1.0)[0]
    print("to the server: the same from the datagram to the message")
    for number, line in enumerate(holders(lambda: _hear(server, datagram))):
        print(f"{number:>4}  {line}")
    print("Beside these, XOR with the keystream makes two numbers of that size, and the result a third.")


def _say(stream: EqStream, message: bytes, datagrams: list[bytes]) -> None:
    stream.send_many([message])
    datagrams += stream.outgoing(1.0)


def _hear(stream: EqStream, datagram: bytes) -> None:
    stream.receive(datagram, 1.0)
    stream.next_message()


def latency() -> None:
    print("ms of a message of 32 bytes, one every 50 ms, 50 ms each way")
    print(f"{'loss %':>6}{'p50':>8}{'p95':>8}{'most':>8}")
    for loss in (0.0, 0.01, 0.1):
        took = small_message_latency(loss)
        print(f"{100 * loss:>6.0f}{1000 * took.p50:>8.0f}{1000 * took.p95:>8.0f}{1000 * took.worst:>8.0f}")


SECTIONS: Final = {
    "drain": drain,
    "parts": parts,
    "deflate": deflate,
    "copies": copies,
    "latency": latency,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU of EverQuest II's wire.")
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], default=[])
    for number, name in enumerate(parser.parse_args().sections or SECTIONS):
        print(f"{chr(10) if number else ''}{name}", flush=True)
        SECTIONS[name]()


if __name__ == "__main__":
    main()
