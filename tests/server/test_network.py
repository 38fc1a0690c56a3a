"""Properties of the network layer that docs/network.md promises and no other test shows: the accept loop, one
writer, fair turns, and ends that come from two sides at once."""

from __future__ import annotations

import errno
import logging
import random
import re
import socket
import struct
import tomllib
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import attrs
import pytest
import trio
import trio.testing

from protocol.endings import Ending
from protocol.family import Door, Family, Transport
from protocol.session import ANY_PHASE, Session
from protocol.wire.body import Body
from server.net.gateway import Gateway
from server.net.listening import Listening
from server.net.stream_connection import StreamConnection
from server.net.transport import SocketTransport
from server.people.limiter import ConnectionLimiter
from server.settings import config
from server.settings.l2j_keys import NETWORK_INI, SERVER_INI
from tests.kit.pipe import WINDOW, End, pipe
from tests.kit.stage import Stage, ToyClient, settle
from tests.kit.toys import Brook, Heard, Hello, Probe, Say, Step, ToyView, toy_table
from tests.kit.worlds import plain_content, plain_world
from world.heading import NORTH, SOUTH

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from trio.testing import MockClock

    from server.people.characters import CharacterService
    from world.world import World

NORMAL = 50
DOCS = Path(__file__).parents[2] / "docs" / "network.md"


# Accepting


class Nobody:
    """The characters of a game that has none."""

    def left(self, *_: object) -> None:
        return


class Faulty(socket.socket):
    """A listening socket whose `accept` fails as told."""

    faults: list[int]
    accepted: Callable[[], None]

    def accept(self) -> tuple[socket.socket, object]:
        """See socket."""
        if self.faults:
            code = self.faults.pop(0)
            raise OSError(code, errno.errorcode[code])
        found = super().accept()
        self.accepted()
        return found


@contextmanager
def listening(family: Family, faults: list[int], accepted: Callable[[], None]) -> Iterator[Listening]:
    """A door on the loopback interface."""
    with Faulty() as sock:
        sock.faults, sock.accepted = faults, accepted
        sock.setblocking(False)
        sock.bind(("127.0.0.1", 0))
        sock.listen(16)
        yield Listening("brook", family, "game", sock)


def gateway_of(stage: Stage) -> Gateway:
    """What accepts for a stage."""
    return Gateway(
        stage.loop,
        stage.services,  # type: ignore[arg-type] # enough for toys
        cast("CharacterService", Nobody()),
        ConnectionLimiter(lambda: stage.settings.limits),
        stage.settings,
        ended=lambda session: None,
        entropy=bytes,
    )


def greeting(greet: Callable[[Session], Awaitable[None]]) -> Family:
    """A game whose server speaks first."""
    door = Door(Transport.STREAM, Brook, toy_table(), opened=greet)
    return Family("brook", {"game": door}, ToyView(), lambda session, reason: None)


@pytest.mark.parametrize(
    "code",
    [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ECONNABORTED, errno.EPERM, errno.EPROTO],
    ids=errno.errorcode.get,
)
async def test_the_accept_loop_survives_every_error(nursery: trio.Nursery, code: int) -> None:
    async def greet(session: Session) -> None:
        session.send(Heard(0, b"welcome"))
        await trio.lowlevel.checkpoint()

    gateway = gateway_of(Stage(nursery))
    with listening(greeting(greet), [code, code], lambda: None) as door:
        nursery.start_soon(gateway.accept, door, nursery)
        with trio.fail_after(30):
            for _ in range(3):
                client = await trio.open_tcp_stream("127.0.0.1", door.port)
                assert await client.receive_some(100)
                await client.aclose()
            await gateway.emptied()
        nursery.cancel_scope.cancel()


async def test_the_accept_loop_goes_on_before_whom_it_accepted_is_looked_at(nursery: trio.Nursery) -> None:
    note, notes = trio.open_memory_channel[str](16)

    async def greet(session: Session) -> None:
        note.send_nowait("greeted")
        await trio.sleep_forever()

    gateway = gateway_of(Stage(nursery))
    with listening(greeting(greet), [], lambda: note.send_nowait("accepted")) as door:
        clients = [socket.create_connection(("127.0.0.1", door.port)) for _ in range(3)]
        nursery.start_soon(gateway.accept, door, nursery)
        with trio.fail_after(30):
            assert [await notes.receive() for _ in range(6)] == ["accepted"] * 3 + ["greeted"] * 3
            clients.append(socket.create_connection(("127.0.0.1", door.port)))
            assert [await notes.receive() for _ in range(2)] == ["accepted", "greeted"]
        for client in clients:
            client.close()
        nursery.cancel_scope.cancel()


# Sending


async def test_a_client_has_one_writer_at_most_and_its_bytes_keep_their_order(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, writers, started = Stage(nursery), Counter[int](), Counter[int]()
    write = StreamConnection._write

    async def watched(connection: StreamConnection) -> None:
        writers[connection.session.id] += 1
        started[connection.session.id] += 1
        assert writers[connection.session.id] == 1
        try:
            await write(connection)
        finally:
            writers[connection.session.id] -= 1

    monkeypatch.setattr(StreamConnection, "_write", watched)
    client = stage.client(brook_of(ToyView()), "Anna")
    await settle()
    assert isinstance(client.end, End)
    client.got.clear()
    session, chance = stage.connections[0].session, random.Random(3)
    for n in range(300):
        client.end.window = chance.choice((0, 1, 7, 100))
        session.send(Heard(n, b"x" * chance.randrange(40)))
        session.link.flush(force=chance.random() < 0.1)
        if chance.random() < 0.5:
            await trio.sleep(0.01)
    client.end.window = WINDOW
    await settle()
    assert started[1] > 20
    assert [packet.serial for packet in client.of(Heard)] == list(range(300))


def brook_of(view: ToyView) -> Family:
    """The stream game, seen so."""
    door = Door(Transport.STREAM, Brook, toy_table())
    return Family("brook", {"game": door}, view, lambda session, reason: None)


@pytest.fixture
def hall(nursery: trio.Nursery) -> Stage:
    """A stage with room for all, where nobody is held back for sending much."""
    stage = Stage(nursery, plain_world(plain_content(width=100)))
    stage.settings.limits = attrs.evolve(
        stage.settings.limits, packets_per_second=100_000.0, packet_burst=1_000_000, joins_per_tick=1000
    )
    return stage


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The session of each send, in order."""
    order: list[int] = []
    put = StreamConnection._put

    def noted(connection: StreamConnection, frames: list[bytes]) -> None:
        order.append(connection.session.id)
        put(connection, frames)

    monkeypatch.setattr(StreamConnection, "_put", noted)
    return order


def gather(world: World) -> None:
    """All stand where each hears all."""
    for mobile in list(world.mobiles.values()):
        world.warp(mobile, world.realms["plain"], 30, 10)


async def test_whoever_floods_is_served_no_more_often_than_fifty_others(
    hall: Stage, served: list[int], autojump_clock: MockClock
) -> None:
    """All hear all, so that every turn has something for each."""
    game = brook_of(ToyView())
    clients = [hall.client(game, f"N{n}") for n in range(NORMAL + 1)]
    await settle(3)
    flooder, *others = clients
    await hall.loop.in_world(None, gather)
    await settle()
    turns: list[int] = []
    hall.loop._offer = lambda *_: turns.append(len(served))
    served.clear()
    flooder.say(*[Say(b"%d" % n) for n in range(2000)])
    for n in range(20):
        for client in others:
            client.say(Step((NORTH, SOUTH)[n % 2]))
        await trio.sleep(0.05)
    await settle(3)
    assert len(turns) > 20
    for begin, end in zip([0, *turns], turns, strict=False):
        assert max(Counter(served[begin:end]).values(), default=1) == 1, "once a turn"
    counts = Counter[int]()
    for session in served:
        counts[session] += 1
        assert counts[1] <= 1 + min(counts[number] for number in range(2, NORMAL + 2))
    assert len(served) == sum(counts.values()) >= 20 * (NORMAL + 1)
    for client in others:
        assert len(client.of(Heard)) == 2000, "nor is anything of it lost"


async def test_whoever_floods_with_what_is_answered_at_once_waits_for_fifty_others_each_time(
    hall: Stage, served: list[int], autojump_clock: MockClock
) -> None:
    """Answers of the reader's own do not wait for a turn: after each everybody else has one, too."""
    game = brook_of(ToyView())

    @game.doors["game"].table.on(Probe, during=ANY_PHASE)
    async def probe(session: Session, request: Probe) -> None:
        session.send(Heard(0, b"here"))
        await trio.lowlevel.checkpoint()

    clients = [hall.client(game, f"N{n}") for n in range(NORMAL + 1)]
    await settle(3)
    served.clear()
    for client in clients:
        client.say(*[Probe()] * (400 if client is clients[0] else 10))
    await settle(3)
    counts = Counter[int]()
    for session in served:
        counts[session] += 1
        least = min(counts[number] for number in range(2, NORMAL + 2))
        assert counts[1] <= 1 + least or least == 10
    assert counts[1] == 400
    assert {counts[number] for number in range(2, NORMAL + 2)} == {10}


async def test_what_is_shed_was_never_encoded(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    stage = Stage(nursery)
    stage.settings.network = attrs.evolve(stage.settings.network, drop_threshold=5)
    client = stage.client(brook_of(ToyView()), "Anna")
    await settle()
    assert isinstance(client.end, End)
    connection = stage.connections[0]
    client.end.window = 0
    bodies = [Body(Heard(n, b"a").encode(), droppable=n > 1) for n in range(20)]
    for body in bodies:
        connection.session.queue(body)
        connection.flush()
    client.end.window = WINDOW
    await settle()
    encoded = [n for n, body in enumerate(bodies) if body._first_key is not None]
    assert encoded == [packet.serial for packet in client.of(Heard)]
    assert encoded[:2] == [0, 1]
    assert connection.shed == {"0x0e": 20 - len(encoded)}
    assert len(encoded) < 10


# Receiving


async def test_all_connections_receive_into_one_buffer(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    buffers: list[bytearray] = []
    receive = End.recv_nowait_into

    def noted(end: End, buffer: bytearray) -> int | None:
        if end in servers:
            buffers.append(buffer)
        return receive(end, buffer)

    monkeypatch.setattr(End, "recv_nowait_into", noted)
    stage, game, servers = Stage(nursery), brook_of(ToyView()), []
    for name in (b"Anna", b"Bert"):
        ours, theirs = pipe()
        servers.append(theirs)
        stage.connect(game, theirs)
        ToyClient(ours, game).say(Hello(name))
    await settle()
    assert len(buffers) > 1
    assert all(buffer is buffers[0] for buffer in buffers)


# Ends


class Reset(End):
    """A server's end whose peer is gone: whoever reads and whoever writes hears of it in the same moment."""

    torn = False
    closes = 0

    def tear(self) -> None:
        """From now on both fail."""
        self.torn = True
        self._in.buffer += b"\0"
        self._in.changed()
        self._out.window = WINDOW
        self._out.changed()

    def recv_nowait_into(self, buffer: bytearray) -> int | None:
        if self.torn:
            raise ConnectionResetError("reset, said the read")
        return super().recv_nowait_into(buffer)

    def send_nowait(self, data: bytes | memoryview) -> int:
        if self.torn:
            raise BrokenPipeError("reset, said the write")
        return super().send_nowait(data)

    def close(self) -> None:
        self.closes += 1
        super().close()


async def test_read_and_write_that_fail_together_are_one_end(
    nursery: trio.Nursery, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    stage, game = Stage(nursery), brook_of(ToyView())
    departed = 0
    depart = stage.loop.depart

    def noted(call: Callable[[object], None]) -> None:
        nonlocal departed
        departed += 1
        depart(call)

    stage.loop.depart = noted  # type: ignore[method-assign,assignment]
    ours, theirs = pipe()
    torn = Reset(theirs._in, theirs._out, theirs.peer, theirs.local)
    connection = stage.connect(game, torn)
    client = ToyClient(ours, game)
    client.say(Hello(b"Anna"))
    await settle()
    ours.window = 0
    connection.session.send(Heard(0, b"cannot be written"))
    connection.flush()
    await settle(0.1)
    assert (before := connection.ending) is None, before
    torn.tear()
    connection.flush()
    await settle()
    assert connection.ending is Ending.CONNECTION_LOST
    assert "said the" in connection.detail
    assert departed == 1
    assert len([text for text in caplog.messages if " ended: " in text]) == 1
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    connection.end(Ending.OUR_BUG, "late")
    torn.close()
    torn.close()
    assert torn.closes == 3
    assert connection.ending is Ending.CONNECTION_LOST


async def test_a_real_socket_that_was_reset_under_reader_and_writer_is_closed_once(
    nursery: trio.Nursery,
) -> None:
    stage, game = Stage(nursery), brook_of(ToyView())
    with socket.create_server(("127.0.0.1", 0)) as server:
        theirs = socket.create_connection(server.getsockname())
        accepted, _ = server.accept()
    accepted.setblocking(False)
    transport = SocketTransport(accepted)
    gone = trio.Event()
    stage.loop.depart = lambda call: gone.set()  # type: ignore[method-assign]
    connection = stage.connect(game, cast("End", transport))
    with trio.fail_after(30):
        while connection._unsent() == 0:  # nobody reads: at last a writer waits beside the reader
            connection.session.send(Heard(0, bytes(1000)))
            connection.flush()
            await trio.lowlevel.checkpoint()
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        theirs.close()
        await gone.wait()
        await trio.testing.wait_all_tasks_blocked()
    assert connection.ending in {Ending.CONNECTION_LOST, Ending.CLIENT_LEFT}
    transport.close()
    transport.close()
    assert accepted.fileno() == -1


# What operators read


def rows(title: str) -> list[list[str]]:
    """The cells of the table under a heading of docs/network.md."""
    text = DOCS.read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@pytest.mark.parametrize(("title", "keys"), [("Network.ini", NETWORK_INI), ("Server.ini", SERVER_INI)])
def test_every_key_of_theirs_is_in_the_docs_with_ours_and_its_default(
    title: str, keys: dict[str, str]
) -> None:
    found = {row[0].strip("`"): row[2] for row in rows(title)}
    assert found.keys() == keys.keys()
    default = config.Settings()
    for name, ours in keys.items():
        if not ours:
            assert found[name].startswith("none:"), name
            continue
        key, value = re.match(r"`([\w.]+) = ([^`]+)`", found[name]).groups()  # type: ignore[union-attr]
        assert key == ours
        table, _, field = ours.rpartition(".")
        section = config.LISTENERS["l2"]() if table == "listen.l2" else getattr(default, table)
        truth = getattr(section, field)
        assert tomllib.loads(f"x = {value}")["x"] == (list(truth) if isinstance(truth, tuple) else truth)


@pytest.mark.parametrize("name", [*NETWORK_INI, *SERVER_INI])
def test_the_check_of_a_config_names_ours_for_theirs(name: str) -> None:
    with pytest.raises(config.ConfigError) as caught:
        config.parse(f"[network]\n{name} = 1")
    (problem,) = caught.value.problems
    ours = {**NETWORK_INI, **SERVER_INI}[name]
    here = f"{ours} here" if ours else "without a meaning here"
    assert problem.endswith(f"unknown key (L2J's: {here}, see docs/network.md)")
