"""What it costs to send a client its packets: one joined non-blocking send, and what it replaces.

    python -m bench.sending [--clients 200] [--flushes 100]

Every turn of a busy server has a few packets for each client. Here it is four of 17 bytes, as steps of
neighbours are; all ways run in the same Trio program over connected TCP sockets on the loopback interface,
and the far ends are emptied between the turns, outside the measured time.

join, raw send          b"".join, one non-blocking `socket.send`: what `Connection.flush` does
raw send per packet     four non-blocking sends
bytearray pool          packets are copied into a buffer from a pool, one send of its filled part
SocketStream.send_all   join, then Trio's stream: two checkpoints and two locks per flush
channel + writer task   the packets go through a memory channel to a task per client that calls `send_all`
                        for each: the usual first design

CPU is that of the thread, kernel included, and of writer tasks as well; the best of several rounds.
"""

import argparse
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from time import thread_time

import trio
import trio.testing

PACKETS = [bytes([0x77, number]) + bytes(15) for number in range(4)]
"""Shared, immutable, and encoded already: what a turn's fan-out leaves in the outboxes."""

BUFFER = 4096
ROUNDS = 3


class Client:
    """Two connected sockets, and what each way of sending keeps per client."""

    def __init__(self, listener: socket.socket) -> None:
        self.far = socket.create_connection(listener.getsockname())
        self.far.setblocking(False)
        self.near, _ = listener.accept()
        self.near.setblocking(False)
        self.near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = trio.SocketStream(trio.socket.from_stdlib_socket(self.near))
        self.channel, self.packets = trio.open_memory_channel[bytes](64)
        self.unsent = 0
        """Packets in the channel or under way."""

    async def write(self) -> None:
        """The writer task."""
        async for packet in self.packets:
            await self.stream.send_all(packet)
            self.unsent -= 1

    def drain(self) -> int:
        """Empty the far end; the bytes that had come."""
        count = 0
        try:
            while data := self.far.recv(65536):
                count += len(data)
        except BlockingIOError:
            pass
        return count


async def joined(clients: Sequence[Client]) -> None:
    for client in clients:
        client.near.send(b"".join(PACKETS))


async def one_by_one(clients: Sequence[Client]) -> None:
    for client in clients:
        for packet in PACKETS:
            client.near.send(packet)


class Pooled:
    """Output buffers that are taken from a pool, filled, and given back."""

    def __init__(self) -> None:
        self.pool = deque(bytearray(BUFFER) for _ in range(16))

    async def __call__(self, clients: Sequence[Client]) -> None:
        pool = self.pool
        for client in clients:
            buffer = pool.popleft()
            end = 0
            for packet in PACKETS:
                start, end = end, end + len(packet)
                buffer[start:end] = packet
            with memoryview(buffer) as view:
                client.near.send(view[:end])
            pool.append(buffer)


async def send_all(clients: Sequence[Client]) -> None:
    for client in clients:
        await client.stream.send_all(b"".join(PACKETS))


async def through_channels(clients: Sequence[Client]) -> None:
    for client in clients:
        client.unsent += len(PACKETS)
        for packet in PACKETS:
            client.channel.send_nowait(packet)
    while any(client.unsent for client in clients):
        await trio.lowlevel.checkpoint()


async def measure(
    flush: Callable[[Sequence[Client]], Awaitable[None]], clients: Sequence[Client], flushes: int
) -> float:
    """CPU seconds per client and flush."""
    best = float("inf")
    size = sum(map(len, PACKETS))
    for _ in range(ROUNDS):
        took = 0.0
        for _ in range(flushes):
            begin = thread_time()
            await flush(clients)
            took += thread_time() - begin
            came = sum(client.drain() for client in clients)
            if came != size * len(clients):
                raise RuntimeError(f"{came} bytes came instead of {size * len(clients)}")
        best = min(best, took / flushes / len(clients))
    return best


async def compare(count: int, flushes: int) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        clients = [Client(listener) for _ in range(count)]
    ways: list[tuple[str, Callable[[Sequence[Client]], Awaitable[None]]]] = [
        ("join, raw send", joined),
        ("raw send per packet", one_by_one),
        ("bytearray pool", Pooled()),
        ("SocketStream.send_all", send_all),
        ("channel + writer task", through_channels),
    ]
    print(f"{count} clients, {flushes} turns, {len(PACKETS)} packets for each client and turn")
    print(f"{'':24}{'us per flush':>14}{'ratio':>8}")
    first = 0.0
    async with trio.open_nursery() as nursery:
        for client in clients:
            nursery.start_soon(client.write)
        await trio.testing.wait_all_tasks_blocked()
        for name, flush in ways:
            cost = await measure(flush, clients, flushes)
            first = first or cost
            print(f"{name:24}{cost * 1e6:>14.2f}{cost / first:>8.2f}", flush=True)
        for client in clients:
            client.channel.close()
    for client in clients:
        await client.stream.aclose()
        client.far.close()
    packing(flushes * count)


def packing(number: int) -> None:
    """The same without the system call, which hides what joining and filling a buffer cost."""
    pool = deque([bytearray(BUFFER)])
    begin = thread_time()
    for _ in range(number):
        b"".join(PACKETS)
    between = thread_time()
    for _ in range(number):
        buffer = pool.popleft()
        end = 0
        for packet in PACKETS:
            start, end = end, end + len(packet)
            buffer[start:end] = packet
        with memoryview(buffer) as view:
            view[:end]
        pool.append(buffer)
    pooling, joining = thread_time() - between, between - begin
    print("of that, without the system call:")
    print(f"{'join':24}{joining / number * 1e6:>14.2f}{1:>8.2f}")
    print(f"{'bytearray pool':24}{pooling / number * 1e6:>14.2f}{pooling / joining:>8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Cost of sending four packets to each client.")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--flushes", type=int, default=100)
    arguments = parser.parse_args()
    trio.run(compare, arguments.clients, arguments.flushes)


if __name__ == "__main__":
    main()
