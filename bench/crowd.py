"""What a crowd makes and costs for each packet that is delivered, in each game.

    python -m bench.crowd [--games uo eo eq2 l2] [--counts 25 80] [--walk] [--profile]

The whole server in memory (`server.boot.app.App`, SQL without a thread, virtual time) on an open plain, and
so many bots within three tiles of its middle, who see one another. Each turns every 400 ms, or with `--walk`
goes a tile; an eighth of them in each turn of 50 ms. Codecs, readers, world and views are the real ones; the
kernel is not there: a socket costs some 5 us more for each send.

First, for each delivered message, what was made:

messages  what the views made, and queued for all who see it
bodies    pieces of bytes before they are prepared for the wire. A game whose messages name others by numbers
          of each client's own (EverQuest II) makes one for each receiver
forms     pieces of bytes that are prepared for the wire: Huffman code or ciphertext for one kind of wire (UO,
          EO), ciphertext for one client (L2), datagrams (EQ2)
sends     pieces handed to the kernel, for each of which what one client gets in a turn was joined
bytes     that these are

Then CPU microseconds of the thread for each, by phase as in `bench.turn`; the least disturbed of `--rounds`
stretches.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import logging
import pstats
import random
from contextlib import ExitStack, contextmanager
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Final, TypeVar
from unittest.mock import patch

import attrs
import trio
import trio.testing

from bench.turn import Phases, timed
from protocol.eo.codec import EoCodec
from protocol.eq2.session import Eq2Session
from protocol.l2.codec import L2GameCodec
from protocol.session import Session
from protocol.uo.codec import UoCodec
from server.bots.bot import bot_name
from server.bots.bundle import bundle, unbundle
from server.bots.games import BOTS
from server.bots.plain import plain
from server.bots.process import DOORS
from server.net import outbox as sending
from server.net.datagram_connection import DatagramConnection
from server.net.stream_connection import StreamConnection
from server.settings.config import parse
from tests.kit.town import Town, shipped_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from protocol.outgoing import Outgoing
    from protocol.wire.body import Body

C = TypeVar("C")

GAMES: Final = ("uo", "eo", "eq2", "l2")
SIDE: Final = 40
TURN: Final = 0.05
GROUPS: Final = 8
"""Turns in the time of a move; so many parts of the bots take turns."""

STREAM: Final = 1 << 18
"""Bytes that a client takes at a time."""

CONFIG: Final = """
[listen.uo]
[listen.eo]
[listen.eq2]
[listen.l2]
[limits]
unauthenticated = 4096
joins_per_tick = 50
idle_seconds = 3600
first_byte_seconds = 3600
handshake_seconds = 3600
connections_per_address = 4096
exempt = ["127.0.0.1"]
"""


class Client:
    """A bot and its line to a town. Nothing here runs by itself."""

    def __init__(self, town: Town, game: str, number: int) -> None:
        self.bot = BOTS[game](bot_name(number, game), random.Random(number).randbytes)
        self._town = town
        self._doors = DOORS.get(game, ("game",))
        self._buffer = bytearray(STREAM)
        self._connect()

    def _connect(self) -> None:
        """To the first door, or to the last, once the bot has been told where that is."""
        door = self._doors[0 if self.bot.address is None else -1]
        if self.bot.datagrams:
            self._datagrams = self._town.datagrams(self.bot.game, door)
        else:
            self._stream = self._town.connect(self.bot.game, door)
        self.bot.now = trio.current_time()
        self._send(self.bot.connect())

    def _send(self, data: bytes) -> None:
        if not self.bot.datagrams:
            if data:
                self._stream.send_nowait(data)
            return
        for datagram in unbundle(data):
            self._datagrams.send(datagram)

    def _take(self) -> bytes:
        """What came: bytes of a stream, or a bundle."""
        self.bot.now = trio.current_time()
        if not self.bot.datagrams:
            size = self._stream.recv_nowait_into(self._buffer)
            if size == 0:
                raise RuntimeError(f"{self.bot.name} was thrown out")
            return bytes(self._buffer[: size or 0])
        arrived = []
        while (datagram := self._datagrams.receive_nowait()) is not None:
            arrived.append(datagram)
        return bundle(arrived)

    def decode(self) -> None:
        """Take what came, and answer."""
        data = self._take()
        self._send(self.bot.receive(data) if data else self.bot.due())
        if self.bot.reconnect:
            if self.bot.datagrams:
                self._datagrams.close()
            else:
                self._stream.close()
            self._connect()

    def skim(self) -> None:
        """Take what came, and answer only what has to be answered."""
        data = self._take()
        self._send(self.bot.skim(bytearray(data), len(data)))

    def act(self, *, walk: bool) -> None:
        """A step or a turn."""
        self.bot.now = trio.current_time()
        self._send(self.bot.step() if walk else self.bot.turn())


@attrs.define
class Made:
    """What was made, and what for."""

    delivered: int = 0
    messages: int = 0
    bodies: int = 0
    forms: int = 0
    sends: int = 0
    bytes: int = 0

    def row(self) -> str:
        """Of the table."""
        parts = (self.messages, self.bodies, self.forms, self.sends, self.bytes)
        return f"{self.delivered:>11,}" + "".join(f"{part / self.delivered:>10.3f}" for part in parts)


def counting_put(
    made: Made, kind: type[C], put: Callable[[C, list[bytes]], None]
) -> Callable[[C, list[bytes]], None]:
    """A connection's `_put` that counts what is sent."""
    joined = kind is not DatagramConnection

    def counted_put(client: C, frames: list[bytes]) -> None:
        made.sends += 1 if joined else len(frames)
        made.forms += 0 if joined else len(frames)
        made.bytes += sum(map(len, frames))
        put(client, frames)

    return counted_put


def counting_codecs(made: Made) -> Iterator[tuple[type, str, object]]:
    """Where codecs make a form of a message for one client, counted: class, method and what replaces it."""
    prepare_uo, prepare_eo, send_l2 = UoCodec.prepare, EoCodec.prepare, L2GameCodec.send_raw

    def counted_uo(codec: UoCodec, raw: bytes) -> bytes:
        made.forms += 1
        return prepare_uo(codec, raw)

    def counted_eo(codec: EoCodec, raw: bytes) -> bytes:
        made.forms += 1
        return prepare_eo(codec, raw)

    def counted_l2(codec: L2GameCodec, raws: Sequence[bytes]) -> None:
        made.forms += len(raws) if codec.enciphered else 0
        send_l2(codec, raws)

    yield UoCodec, "prepare", counted_uo
    yield EoCodec, "prepare", counted_eo
    yield L2GameCodec, "send_raw", counted_l2


@contextmanager
def counted() -> Iterator[Made]:
    """Count what a running server makes and sends. All of it is kept until the end, because the number of an
    object is used again after it."""
    made = Made()
    messages: dict[int, Outgoing] = {}
    bodies: dict[int, bytes] = {}
    pack = sending.bodies_of

    def counted_bodies(outbox: list[Outgoing], session: Session) -> list[Body]:
        found = pack(outbox, session)
        count(outbox, [body.raw for body in found])
        return found

    def count(outbox: Sequence[Outgoing], raws: Sequence[bytes]) -> None:
        made.delivered += len(raws)
        messages.update((id(message), message) for message in outbox)
        bodies.update((id(raw), raw) for raw in raws)

    def counting_finished(kind: type[Session]) -> Callable[[Session, Sequence[Outgoing]], list[bytes]]:
        finished = kind.finished

        def counted_finished(session: Session, outbox: Sequence[Outgoing]) -> list[bytes]:
            raws = finished(session, outbox)
            count(outbox, raws)
            return raws

        return counted_finished

    with ExitStack() as stack:
        for where, name, counter in (
            (sending, "bodies_of", counted_bodies),
            (Session, "finished", counting_finished(Session)),
            (Eq2Session, "finished", counting_finished(Eq2Session)),
            (StreamConnection, "_put", counting_put(made, StreamConnection, StreamConnection._put)),
            (DatagramConnection, "_put", counting_put(made, DatagramConnection, DatagramConnection._put)),
            *counting_codecs(made),
        ):
            stack.enter_context(patch.object(where, name, counter))
        yield made
    made.messages, made.bodies = len(messages), len(bodies)


async def enter(town: Town, game: str, count: int) -> list[Client]:
    """So many clients, in the world and quiet."""
    clients: list[Client] = []
    quiet = 0
    while quiet < 2 / TURN:
        waiting = range(len(clients), min(len(clients) + 10, count))
        clients += [Client(town, game, number) for number in waiting]
        for client in clients:
            client.decode()
        ready = len(clients) == count and all(client.bot.in_world for client in clients)
        quiet = quiet + 1 if ready else 0
        await trio.sleep(TURN)
    return clients


async def measure(game: str, count: int, arguments: argparse.Namespace) -> None:
    """One row of the table."""
    async with trio.open_nursery() as nursery:
        town = Town(nursery, parse(CONFIG), content=plain(shipped_content(), SIDE, SIDE, 1))
        await town.open()
        clients = await enter(town, game, count)
        act = partial(stretch, clients, arguments.seconds, walk=arguments.walk)
        await act(Phases())
        with counted() as made:
            await act(Phases())
        gc.collect()
        gc.freeze()
        gc.disable()
        profile = cProfile.Profile() if arguments.profile else None
        stretches = []
        for _ in range(arguments.rounds):
            with timed(town.app) as phases:
                await act(phases, profile)
            stretches.append(phases)
        gc.enable()
        gc.unfreeze()
        if len(town.app.loop.sessions) != count or any(client.bot.refused for client in clients):
            raise RuntimeError("clients were lost or put back")
        nursery.cancel_scope.cancel()
    best = min(stretches, key=lambda phases: phases.all / phases.packets)
    print(f"{game:>4}{count:>5}{made.row()}{costs(best)}", flush=True)
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


async def stretch(
    clients: Sequence[Client],
    seconds: float,
    phases: Phases,
    profile: cProfile.Profile | None = None,
    *,
    walk: bool,
) -> None:
    """Everybody acts for so long."""
    for turn in range(round(seconds / TURN)):
        for client in clients:
            client.skim()
        for client in clients[turn % GROUPS :: GROUPS]:
            client.act(walk=walk)
        if profile is not None:
            profile.enable()
        begin = thread_time()
        await trio.sleep(TURN)
        phases.all += thread_time() - begin
        if profile is not None:
            profile.disable()


COSTS: Final = ("in", "handlers", "fan-out", "flush", "rest", "all")


def costs(phases: Phases) -> str:
    """CPU microseconds for each message, by phase."""
    rest = phases.turns - phases.handlers - phases.fanout - phases.flush
    parts = (phases.all - phases.turns, phases.handlers, phases.fanout, phases.flush, rest, phases.all)
    return "".join(f"{part / phases.packets * 1e6:>9.2f}" for part in parts)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a crowd makes and costs for each delivered packet.")
    parser.add_argument("--games", nargs="+", default=GAMES, choices=list(BOTS))
    parser.add_argument("--counts", type=int, nargs="+", default=[25, 80])
    parser.add_argument("--seconds", type=float, default=2.0, help="of virtual time, in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--walk", action="store_true", help="steps, not turns")
    parser.add_argument("--profile", action="store_true", help="then what Python's profiler says")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print(f"made for each delivered message, and CPU us of it: all {'walk' if arguments.walk else 'turn'}")
    print(
        f"{'':4}{'N':>5}{'delivered':>11}"
        + "".join(f"{title:>10}" for title in ("messages", "bodies", "forms", "sends", "bytes"))
        + "".join(f"{title:>9}" for title in COSTS)
    )
    for game in arguments.games:
        for count in arguments.counts:
            clock = trio.testing.MockClock(autojump_threshold=0)
            trio.run(measure, game, count, arguments, clock=clock)


if __name__ == "__main__":
    main()
