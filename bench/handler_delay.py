"""What one slow handler costs everybody else: read, answer and accept delay while a handler takes 50 ms.

    python -m bench.handler_delay [--seconds 4]

Input and output never wait for the store or for one another, but all tasks share one thread: while a handler
of the world works, nothing is read and nobody is accepted. That is why turns have a budget
(`tick_budget_ms`) with an alarm. This shows what the limit is worth: the real accept loop, connections and
world task over the loopback interface, and a toy game. One client's packet keeps its handler busy for 50 ms,
five times a second (asleep, which blocks the thread like work but takes nothing from the others' processor).
Meanwhile one client probes every 23 ms, and another connects, is greeted and leaves every 29 ms.

read      from the client's `send` to the server's handler in the reader task
answer    from the client's `send` to its `recv` of the answer
accept    from `connect` to `recv` of the greeting that the server sends first

In milliseconds of real time, so a busy machine shows in both tables. The clients are threads that wait in the
kernel nearly always.
"""

import argparse
import logging
import socket
import struct
import threading
from functools import partial
from time import perf_counter, sleep
from typing import TYPE_CHECKING

import trio

from protocol.dispatch import Table
from protocol.family import Door, Family, Transport
from protocol.session import ANY_PHASE, Session
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from protocol.wire.declare import Packet
from server.net.gateway import Gateway
from server.net.listening import Listening
from server.people.limiter import ConnectionLimiter
from server.turn.loop import Loop
from tests.kit.stage import ConnectionSettings, Reach
from tests.kit.toys import Brook, Heard, Hello, Say, ToyView, Welcome
from tests.kit.worlds import plain_world

if TYPE_CHECKING:
    from collections.abc import Callable

STAMP = struct.Struct("<d")
SLOW_EVERY = 0.2


class Delays:
    """Seconds of every probe."""

    def __init__(self) -> None:
        self.read: list[float] = []
        self.answer: list[float] = []
        self.accept: list[float] = []


class Nobody:
    """The characters of a game that has none."""

    def left(self, *_: object) -> None:
        return


def toy_family(delays: Delays, busy: float) -> Family:
    """A game that greets, answers probes in the reader task and has one slow handler in the world."""
    table: Table[Session] = Table(
        opcode_of_frame=lambda frame: frame[0],
        opcode_of_class=lambda cls: cls.opcode,  # type: ignore[attr-defined]
        decode=lambda cls: cls.decode,  # type: ignore[attr-defined]
    )

    @table.on(Hello, during=ANY_PHASE)
    async def probe(session: Session, request: Hello) -> None:
        delays.read.append(perf_counter() - STAMP.unpack(request.name)[0])
        session.send(Heard(0, b"yes"))
        await trio.lowlevel.checkpoint()

    @table.on(Say, during=ANY_PHASE)
    def work(session: Session, request: Say) -> None:
        sleep(busy)

    async def greet(session: Session) -> None:
        session.send(Welcome(1))
        await trio.lowlevel.checkpoint()

    door = Door(Transport.STREAM, Brook, table, opened=greet)
    return Family("toy", {"game": door}, ToyView(), lambda session, reason: None)


class Client:
    """A blocking toy client."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address, timeout=5)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._codec = Brook(CodecArgs(Role.CLIENT, bytes))
        self._socket.recv(4096)  # the greeting

    def send(self, packet: Packet) -> None:
        self._codec.send(Body(packet.encode()))
        self._socket.sendall(b"".join(self._codec.outgoing(0.0)))

    def receive(self) -> None:
        self._socket.recv(4096)

    def close(self) -> None:
        self._socket.close()


def slow_client(address: tuple[str, int], stop: threading.Event) -> None:
    client = Client(address)
    while not stop.wait(SLOW_EVERY):
        client.send(Say(b"work"))
    client.close()


def probing_client(address: tuple[str, int], stop: threading.Event, delays: Delays) -> None:
    client = Client(address)
    while not stop.wait(0.023):
        begin = perf_counter()
        client.send(Hello(STAMP.pack(begin)))
        client.receive()
        delays.answer.append(perf_counter() - begin)
    client.close()


def connecting_client(address: tuple[str, int], stop: threading.Event, delays: Delays) -> None:
    while not stop.wait(0.029):
        begin = perf_counter()
        client = Client(address)
        delays.accept.append(perf_counter() - begin)
        client.close()


async def serve(busy: float, seconds: float) -> Delays:
    """Run server and clients for so long."""
    delays, settings = Delays(), ConnectionSettings()
    loop = Loop(
        plain_world(),
        network=lambda: settings.network,
        joins_per_tick=lambda: 5,
        offer=lambda world, now: None,
        offer_due=lambda world: None,
        stopwatch=perf_counter,
    )
    gateway = Gateway(
        loop,
        Reach(loop),  # type: ignore[arg-type] # as much of the services as a toy needs
        Nobody(),  # type: ignore[arg-type]
        ConnectionLimiter(lambda: settings.limits),
        settings,
        ended=lambda session: None,
        entropy=bytes,
    )
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    listener.setblocking(False)
    listening = Listening("toy", toy_family(delays, busy), "game", listener)
    address, stop = listener.getsockname(), threading.Event()
    users: list[Callable[[], None]] = [
        partial(slow_client, address, stop),
        partial(probing_client, address, stop, delays),
        partial(connecting_client, address, stop, delays),
    ]
    with listener:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(loop.run)
            nursery.start_soon(gateway.accept, listening, nursery)
            async with trio.open_nursery() as clients:
                for user in users:
                    clients.start_soon(trio.to_thread.run_sync, user)
                await trio.sleep(seconds)
                stop.set()
            nursery.cancel_scope.cancel()
    return delays


def show(title: str, delays: Delays) -> None:
    """One table."""
    print(title)
    print(f"{'':10}{'probes':>8}{'p50':>9}{'p90':>9}{'p99':>9}{'max':>9}")
    for name, values in (("read", delays.read), ("answer", delays.answer), ("accept", delays.accept)):
        ordered = sorted(values)
        cells = "".join(
            f"{ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1e3:>9.2f}"
            for part in (0.5, 0.9, 0.99, 1.0)
        )
        print(f"{name:10}{len(ordered):>8}{cells}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Delays while a handler is slow.")
    parser.add_argument("--seconds", type=float, default=4.0)
    seconds: float = parser.parse_args().seconds
    logging.disable(logging.WARNING)  # the alarm of every slow turn
    show("handler takes no time", trio.run(serve, 0.0, seconds))
    show("handler takes 50 ms, five times a second", trio.run(serve, 0.05, seconds))


if __name__ == "__main__":
    main()
