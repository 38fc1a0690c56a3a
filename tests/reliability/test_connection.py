"""Connections that come too many, too slow, too often, or break at any moment: R-18 to R-26, for every game
of `tests.kit.games`, and H-swizzle."""

from __future__ import annotations

import itertools
import logging
import os
import resource
import socket
import sqlite3
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import attrs
import pytest
import trio
from trio.testing import MockClock

from protocol.dispatch import Where
from protocol.endings import Ending, WireError
from protocol.session import Phase
from server.net.gateway import Gateway
from server.store.check import check_database
from tests.kit.cancelling import CancelledAt
from tests.kit.co_player import CoPlayer
from tests.kit.fuzzing import pool_of
from tests.kit.games import GAMES, STREAM_DOORS, STREAMS, Person, Witnesses
from tests.kit.pipe import End
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.process import EoSocket, ServerProcess
from tests.kit.swizzle import Swizzle
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from protocol.dispatch import Entry
    from protocol.family import Codec
    from protocol.session import Session
    from protocol.wire.args import CodecArgs
    from server.net.connection import Connection
    from tests.kit.games import Game

pytestmark = pytest.mark.timeout(180)


LINGER = 3.0
GONE = LINGER + 3
"""Seconds after which somebody who hung up has left the world, in the tests that make hundreds hang up."""


@pytest.fixture
async def brief_town(easy_town: Town) -> Town:
    """One in which nobody lingers for long."""
    easy_town.change("limits", linger_seconds=LINGER)
    return easy_town


def newest(town: Town) -> Connection:
    """The connection that came last."""
    return town.app.gateway.connections[max(town.app.gateway.connections)]


def errors(caplog: pytest.LogCaptureFixture, level: int = logging.ERROR) -> list[str]:
    """What the log says at that level or above."""
    return [record.getMessage() for record in caplog.records if record.levelno >= level]


async def nobody_is_left(town: Town, besides: int = 0) -> None:
    """No session, no half login, nothing in the database that does not fit."""
    assert len(town.app.gateway.connections) == besides
    assert len(town.app.loop.sessions) == besides
    assert not town.app.characters._deleting
    assert town.app.characters._entering == 0
    await town.app.storage.wait_durable()
    assert check_database(town.database) == []


async def comes_again(town: Town, record: Game, who: Person, caplog: pytest.LogCaptureFixture) -> None:
    """The next login of the same person works."""
    player = record.player(town)
    await record.enters(player, who)
    assert town.mobile(who.character).online, (str(record), who, caplog.text[-2000:])
    player.leaves()
    await trio.sleep(GONE)
    assert not town.here(who.character)


#


SHAKEN = [(game, door) for game, door in STREAM_DOORS if game != "web"]
"""Doors at which a client has yet to prove what it is. A browser has asked for its WebSocket before: from
then on a person types, as long as `login_seconds` allows."""


@pytest.mark.parametrize(("game", "door"), SHAKEN, ids=[f"{g}-{d}" for g, d in SHAKEN])
async def test_r18_a_byte_every_four_seconds_is_no_handshake(
    town: Town, autojump_clock: MockClock, game: str, door: str
) -> None:
    """Neither without a whole packet nor after the first one; counted from accept, not from the last byte."""
    record = GAMES[game]
    variant = {"websocket": "websocket"}.get(door, "")
    limits = town.settings.limits
    for whole, most in ((False, limits.first_byte_seconds), (True, limits.handshake_seconds)):
        if whole and (game, door) == ("co", "game"):
            variant = "5065"  # the other ones' first packet leads in, or out again
        player = record.player(town, variant)
        record.introduce(player, Person(1))
        data = await record.first_words(player, door)
        if whole and game == "eo":
            await player.sends(data)
            data = record.steps[1].send(player)
        elif whole and game == "l2":
            await player.sends(record.wire(player, b"\xfd\0\0"))  # both doors skip what they do not know
        elif whole and isinstance(player, CoPlayer):
            if door == "account":
                player.turns_to(door)
                await player.sends(record.wire(player, record.unknown[0]))
                data = player.client.login_bytes("nobody", "nothing")
        elif whole:
            await player.sends(data[:21])
            data = data[21:]
        assert player.end
        await trio.sleep(0.01)
        connection, began = newest(town), newest(town).accepted_at
        for at in range(len(data)):
            if connection.ending is not None:
                break
            await player.sends(data[at : at + 1], wait=4)
        assert connection.ending is Ending.TIMED_OUT
        assert most - 1 <= trio.current_time() - began <= most + 6
        await trio.sleep(5)


async def test_r18_a_browser_that_only_dribbles_has_as_long_as_a_person_who_types(
    town: Town, autojump_clock: MockClock
) -> None:
    record = GAMES["web"]
    player = record.player(town)
    data = await record.first_words(player, "http")
    assert player.end
    await trio.sleep(0.01)
    connection = newest(town)
    for at in range(len(data) - 10):
        await player.sends(data[at : at + 1], wait=4)
        assert connection.ending is None
    await trio.sleep(town.settings.limits.login_seconds - trio.current_time() - 5)
    assert connection.ending is None
    await trio.sleep(10)
    assert connection.ending is Ending.TIMED_OUT


#


@pytest.mark.parametrize("game", STREAMS)
@pytest.mark.parametrize("way", ["swallows", "takes nothing"])
async def test_r19_a_peer_whose_plug_was_pulled_is_missed_in_time(
    easy_town: Town, autojump_clock: MockClock, game: str, way: str
) -> None:
    record, town = GAMES[game], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player, who = record.player(town), Person(1)
    await record.enters(player, who)
    connection = newest(town)
    record.silences(player)
    if way == "takes nothing":
        assert isinstance(player.end, End)
        player.end.window = 0
    for second in range(200):
        if second % 3 == 0:
            await witnesses.are_well()
        await trio.sleep(1)
        if connection.ending is not None:
            break
    age = trio.current_time() - connection.session.last_heard
    if way == "swallows":
        assert connection.ending is Ending.TIMED_OUT
        assert age <= 135, "two pings, or the longest silence"
    else:
        assert connection.ending is Ending.TOO_SLOW
        assert age <= 30
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here(who.character)
    await witnesses.are_well()


async def test_r19_real_sockets_give_up_by_themselves() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    with server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        gateway = Gateway.__new__(Gateway)
        gateway._settings = Town.__new__(Town)  # type: ignore[assignment] # only `network.nodelay` is read
        gateway._settings.network = attrs.make_class("Network", {"nodelay": attrs.field(default=True)})()  # type: ignore[misc]
        transport = gateway._admit(accepted)
        assert transport is not None
        assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        if sys.platform == "linux":
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
        transport.close()
        assert client.recv(1) == b""


#


@pytest.mark.parametrize("game", STREAMS)
async def test_r20_who_does_not_read_delays_nobody_and_is_cut_off(
    easy_town: Town, autojump_clock: MockClock, game: str
) -> None:
    record, town = GAMES[game], easy_town
    town.change("network", stalled_seconds=12.0, hard_limit_kib=64)
    town.change("limits", idle_seconds=600.0)
    slow, who = record.player(town), Person(0)
    await record.enters(slow, who)
    connection = newest(town)
    games = list(GAMES.values()) * 50
    crowd = [(one, one.player(town), Person(1 + n)) for n, one in enumerate(games[:50])]
    for one, player, somebody in crowd:
        await one.enters(player, somebody)
    assert isinstance(slow.end, End)
    slow.end.window = 0
    record.silences(slow)
    waiting, steps = 0, 0
    for second in range(20):
        for n, (one, player, _) in enumerate(crowd):
            await player.end.send_all(one.steps_to(player, (2, 6, 0, 4)[(second // 2 + n) % 4]))
            steps += 1
        await trio.sleep(1)
        waiting = max(waiting, _waiting(connection))
        assert town.app.loop.stats.last_lateness < 0.001
    assert connection.ending is Ending.TOO_SLOW
    assert waiting <= 64 * 1024 + 16 * 1024, "the limit, and what one turn may add"
    await trio.sleep(15)
    assert not town.here(who.character)
    for one, player, somebody in crowd:
        assert not player.gone
        mobile = town.mobile(somebody.character)
        session = next(s for s in town.app.sessions() if s.mobile is mobile)
        assert one.believes(player) == one.should_believe(session)


def _waiting(connection: Connection) -> int:
    outbox = sum(len(getattr(message, "raw", b"") or b"") for message in connection.session.outbox)
    return outbox + connection._unsent()


#


FLOOD = """
[limits]
connections = {connections}
connections_per_address = 5000
"""


@pytest.fixture
def many_files() -> None:
    """This process may open so many sockets itself, or the test makes no sense here."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 3000:
        pytest.skip("this machine allows too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 3000), hard))


def flood(address: tuple[str, int], count: int) -> list[socket.socket]:
    """That many connections that say nothing."""
    found = []
    for _ in range(count):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(address)
        found.append(one)
    return found


def is_closed(one: socket.socket) -> bool:
    """Whether the server has closed it."""
    try:
        return one.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


@pytest.mark.usefixtures("many_files")
def test_r21_r22_two_thousand_connections_and_no_descriptors_disturb_nobody(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, FLOOD.format(connections=200))
    sockets: list[socket.socket] = []
    try:
        server.start()
        player = EoSocket(server.address("eo"))
        player.enters("anna", "Anna")
        sockets = flood(server.address("uo"), 1000) + flood(server.address("eo", "websocket"), 1000)
        began = time.monotonic()
        player.place()
        assert time.monotonic() - began < 5
        deadline = time.monotonic() + 15
        while (kept := sum(not is_closed(one) for one in sockets)) > 199:
            assert time.monotonic() < deadline, f"{kept} are kept"
            time.sleep(0.05)
        assert player.place()
        for one in sockets:
            one.close()
        player.close()
        assert "cannot accept" not in server.output()
        late = EoSocket(server.address("eo"))
        late.enters("berta", "Berta")
        late.close()
        if hasattr(resource, "prlimit"):
            stood = without_descriptors(server)
    finally:
        for one in sockets:
            one.close()
        server.close()
    if hasattr(resource, "prlimit"):
        with closing(sqlite3.connect(server.state / "causeway.db")) as database:
            (kept_at,) = database.execute("select x, y from character where name = 'Anna'")
        assert kept_at == stood, "what happened without descriptors is on disk"


def without_descriptors(server: ServerProcess) -> tuple[int, int]:
    """R-22: play and storage go on; where Anna stands when the server is killed then."""
    from eolib import Direction

    assert server.process is not None
    player = EoSocket(server.address("eo"))
    player.enters("anna", "Anna")
    open_files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (open_files + 10, open_files + 10))
    sockets = flood(server.address("uo"), 60)
    try:
        deadline = time.monotonic() + 15
        while "cannot accept" not in server.output():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        before = player.place()
        for direction in (Direction.Left, Direction.Right, Direction.Up, Direction.Down):
            player.socket.sendall(player.client.walk(direction))
            time.sleep(0.5)
            if player.place() != before:
                break
        after = player.place()
        assert after != before
        time.sleep(1.5)  # the store's own second, and a moment for the disk
    finally:
        for one in sockets:
            one.close()
    late = EoSocket(server.address("eo"))
    late.enters("carla", "Carla")
    late.close()
    server.kill()
    player.close()
    return after


async def test_r21_beyond_the_limits_nothing_is_made_for_a_connection(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    town.change("limits", connections=50, connections_per_address=1000, connects_per_10s=1000)
    witnesses = Witnesses(town)
    await witnesses.enter()
    caplog.set_level(logging.INFO)
    # Silent ones make room for newer ones when too many wait for a login; here all are of one moment.
    ends = [town.connect(*SHAKEN[n % len(SHAKEN)], peer=f"192.0.2.{n % 250}") for n in range(2000)]
    await trio.sleep(0.5)
    assert len(town.app.gateway.connections) == 50
    beyond = 2000 - (50 - len(witnesses.players))
    assert sum(end.closed or end._in.closed for end in ends) == beyond
    assert sum("50 connections are open" in record.getMessage() for record in caplog.records) == beyond
    await witnesses.are_well()
    await trio.sleep(10)
    assert len(town.app.gateway.connections) == len(witnesses.players)


#


async def test_r23_who_connects_too_often_waits_before_anything_is_computed(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions: list[str] = []
    for game, door in STREAM_DOORS:
        made = town.families[game].doors[door]
        original = made.codec

        def counted(args: CodecArgs, original: Callable[[CodecArgs], Codec] = original) -> Codec:
            sessions.append("made")
            return original(args)

        monkeypatch.setitem(town.families[game].doors, door, attrs.evolve(made, codec=counted))
    caplog.set_level(logging.INFO)
    work, statements = town.passwords.work, _statements(town)
    for _ in range(10):
        for n in range(200):
            game, door = STREAM_DOORS[n % len(STREAM_DOORS)]
            end = town.connect(game, door, peer="192.0.2.1")
            # To every game the whole of something wrong, so that none keeps the connection to wait for more.
            end.send_nowait(b"\x7f\0\0\1" + b"\x80" + bytes(0x7F - 5) + b"\n")
        await trio.sleep(1)
    limits = town.settings.limits
    assert len(sessions) <= limits.connects_per_10s * 4, "at once, and after 1 s, 2 s and 4 s of back-off"
    refused = sum("connects too often" in record.getMessage() for record in caplog.records)
    assert refused == 2000 - len(sessions)
    assert town.passwords.work - work <= len(sessions)
    assert _statements(town) - statements <= len(sessions) * 3
    # Others are let in meanwhile, and the address itself when it has been calm for a while.
    player = EoPlayer(town)
    await player.enters("anna", "Anna")
    assert town.here("Anna")
    waits = [
        record.getMessage() for record in caplog.records if "connects too often, wait" in record.getMessage()
    ]
    await trio.sleep(int(waits[-1].rpartition("wait ")[2].split()[0]) + 1)
    calm = UoPlayer(town, peer="192.0.2.1")
    assert calm.end
    await trio.sleep(0.1)
    assert newest(town).session.peer == "192.0.2.1"


def _statements(town: Town) -> int:
    return int(town.database._connection.connection.dbapi_connection.total_changes)  # type: ignore[union-attr]


#


def decodes(entry: Entry[Session], frame: bytes) -> bool:
    """Whether the packet's decoder takes a frame."""
    try:
        entry.decode(frame)
    except WireError:
        return False
    return True


def failing(entry: Entry[Session], victim: Session) -> Entry[Session]:
    """The entry of a table, whose handler fails for one client. The witnesses use the same table."""

    async def fails_here(session: Session, packet: object) -> None:
        await trio.lowlevel.checkpoint()
        if session is victim:
            raise KeyError("injected")
        answer = entry.handler(session, packet)
        assert answer is not None
        await answer

    def fails(session: Session, packet: object) -> None:
        if session is victim:
            raise KeyError("injected")
        entry.handler(session, packet)

    return attrs.evolve(entry, handler=fails_here if entry.where is Where.HERE else fails)


@pytest.mark.parametrize("game", GAMES)
async def test_r24_a_handler_that_fails_costs_its_client_only(
    brief_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
) -> None:
    record, town = GAMES[game], brief_town
    table = town.families[game].doors[record.doors[0]].table
    witnesses = Witnesses(town)
    await witnesses.enter()
    phases = {step.phase for step in record.steps}
    tried = 0
    for number, entry in enumerate(list(table)):
        known = [frame for frame in pool_of(record) if table.opcode_of_frame(frame) == entry.opcode]
        frames = [frame for frame in (*known, *record.legal(entry.opcode)) if decodes(entry, frame)]
        if not frames:
            continue
        phase = max(entry.phases & phases)
        upto = record.first(phase)
        ways = (
            [upto]
            if phase is not Phase.GREETING
            else [n for n, step in enumerate(record.steps) if step.phase is Phase.GREETING]
        )
        hit = False
        for way in [*ways, -1]:
            player = record.player(town)
            await record.plays(player, Person(1), upto=max(way, 0))
            if phase is Phase.GREETING and way >= 0:
                data = record.prepared(player, record.steps[way])
            else:
                data = (b"\x7f\0\0\1" if way < 0 and game == "uo" else b"") + record.wire(player, frames[0])
            record.silences(player)
            assert player.end
            await trio.sleep(0.01)
            connection = newest(town)
            broken = failing(entry, connection.session)
            with monkeypatch.context() as patch:
                patch.setitem(table._entries, entry.opcode, broken)
                await player.sends(data, wait=1.2)
            hit = connection.ending is Ending.OUR_BUG
            player.leaves()
            await trio.sleep(GONE)
            if hit:
                break
        assert hit, f"{entry.name} was not reached"
        tried += 1
        if number % 15 == 0:
            await witnesses.are_well()
    assert tried >= 0.8 * len(list(table))
    await witnesses.are_well()
    await nobody_is_left(town, len(witnesses.players))
    assert len([line for line in errors(caplog) if "failed for" in line]) == tried


#

CANCELLED = [(game, next(iter(record.variants))) for game, record in GAMES.items()]
CANCELLED += [("co", "5065")]
"""The usual clients, and those that exchange keys first."""


@pytest.mark.parametrize(("game", "variant"), CANCELLED, ids=["-".join(pair) for pair in CANCELLED])
async def test_r25_a_client_task_cancelled_at_any_step_leaves_nothing_half_done(
    brief_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, variant: str
) -> None:
    """Login, character creation, entering, walking, leaving, and (by somebody who came before) deleting."""
    record, town = GAMES[game], brief_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    before, deletion = record.deleting
    stories = {"everything": [*record.steps]}
    if deletion:
        stories["deletion"] = [*record.steps[: record.step(before)], *deletion]
    for story, steps in stories.items():
        for number in itertools.count(1):
            who = Person(number)
            if story == "deletion" and not _exists(town, who):
                await comes_again(town, record, who, caplog)
            host = CancelledAt(town, number)
            player = record.variants[variant](host)  # type: ignore[arg-type] # a host will do
            record.introduce(player, who)
            for step in steps:
                if host.cancelled or player.gone:
                    break
                await record.does(player, step)
            player.leaves()
            await trio.sleep(GONE)
            host.close()
            await nobody_is_left(town, len(witnesses.players))
            assert not town.here(who.character)
            if number % 5 == 0:
                await comes_again(town, record, who, caplog)
            if not host.cancelled:
                break
        assert number > 10, "there is something to cancel"
        await witnesses.are_well()
    assert errors(caplog) == []


def _exists(town: Town, who: Person) -> bool:
    from sqlalchemy import text as sql

    with town.database.read() as connection:
        count = connection.execute(
            sql("select count(*) from character where name = :name"), {"name": who.character}
        ).scalar()
    return bool(count)


#


@pytest.mark.parametrize(
    "wait",
    [0.0, pytest.param(0.001, marks=pytest.mark.soak), 0.01],
    ids=["at once", "1 ms later", "10 ms later"],
)
@pytest.mark.parametrize(("game", "variant"), CANCELLED, ids=["-".join(pair) for pair in CANCELLED])
async def test_r26_hanging_up_right_after_any_step_rolls_it_back_or_completes_it(
    brief_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    game: str,
    variant: str,
    wait: float,
) -> None:
    record, town = GAMES[game], brief_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    before, deletion = record.deleting
    flows = [("everything", [*record.steps])]
    if deletion:
        flows.append(("deletion", [*record.steps[: record.step(before)], *deletion]))
    number = 0
    for flow, steps in flows:
        for last in range(len(steps)):
            number += 1
            who = Person(number)
            if flow == "deletion":
                await comes_again(town, record, who, caplog)
            player = record.player(town, variant)
            record.introduce(player, who)
            for step in steps[:last]:
                await record.does(player, step)
            await player.sends(record.prepared(player, steps[last]), wait=wait)
            player.leaves()
            await trio.sleep(GONE)
            await nobody_is_left(town, len(witnesses.players))
            assert not town.here(who.character)
            await comes_again(town, record, who, caplog)
    await witnesses.are_well()
    assert errors(caplog) == []


WAITS = (0.0, 0.01)
"""Seconds between a step and hanging up: at once, and when it was answered."""

TAKE_OVERS = [(a, b, (i + j) % 2) for i, a in enumerate(GAMES) for j, b in enumerate(GAMES)]
TAKE_OVERS += [(game, game, 1) for game in GAMES]
"""Who is there, who comes, and which of `WAITS` is that after the first step; they alternate. So whoever
comes hangs up at once and later after each step of theirs, before somebody of half of the games each."""


@pytest.mark.parametrize(("first", "second", "start"), TAKE_OVERS)
async def test_r26_hanging_up_in_the_middle_of_a_take_over(
    brief_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    first: str,
    second: str,
    start: int,
) -> None:
    town, who = brief_town, Person(1)
    here, there = GAMES[first], GAMES[second]
    for last, step in enumerate(there.steps[: there.entering + 1]):
        if step.name == "create":
            continue
        staying = here.player(town)
        await here.enters(staying, who)
        session = next(s for s in town.app.sessions() if s.mobile is not None)
        items = len(town.app.world.items)
        leaving = there.player(town)
        there.introduce(leaving, who)
        for earlier in there.steps[:last]:
            if earlier.name != "create":
                await there.does(leaving, earlier)
        await leaving.sends(there.prepared(leaving, step), wait=WAITS[(start + last) % 2])
        leaving.leaves()
        await trio.sleep(1)
        assert len(town.app.world.items) == items, "one character, once"
        if not staying.gone:
            assert session.mobile is town.mobile(who.character)
            assert session.mobile.online
            staying.leaves()
        await trio.sleep(GONE)
        await nobody_is_left(town)
        assert not town.here(who.character)
    await comes_again(town, here, who, caplog)
    assert errors(caplog) == []


@pytest.mark.parametrize("wait", [0.0, pytest.param(0.003, marks=pytest.mark.soak), 0.05, 0.3])
@pytest.mark.parametrize("game", GAMES)
async def test_r26_hanging_up_in_the_middle_of_a_warp(
    brief_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, wait: float
) -> None:
    record, town, who = GAMES[game], brief_town, Person(1)
    witnesses = Witnesses(town)
    await witnesses.enter()
    realm = town.app.world.realms[town.content.start_realm]
    width, height = realm.chart.width, realm.chart.height
    free = [(x, y) for x in range(width) for y in range(height) if realm.walkable(x, y)]
    for place in (free[len(free) // 4], free[len(free) * 3 // 4]):
        player = record.player(town)
        await record.enters(player, who)
        mobile = town.mobile(who.character)
        await town.app.in_world(None, lambda world: world.warp(mobile, realm, *place))  # noqa: B023 # at once
        await trio.sleep(wait)
        player.leaves()
        await trio.sleep(GONE)
        await nobody_is_left(town, len(witnesses.players))
        again = record.player(town)
        await record.enters(again, who)
        mobile = town.mobile(who.character)
        assert (mobile.x, mobile.y) == place
        again.leaves()
        await trio.sleep(GONE)
    await witnesses.are_well()
    assert errors(caplog) == []


# H-swizzle


def end_state(seed: int, *, clog: bool, drop_threshold: int = 250) -> tuple[object, int, int, int]:
    """Where a crowd ends, how often somebody was clogged, how much waited for one of them, and how many
    messages were shed."""
    found: list[tuple[object, int, int, int]] = []

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            town = Town(nursery, seed=seed)
            await town.open()
            town.change("limits", exempt=("127.0.0.0/8",))
            town.change("network", stalled_seconds=60.0, drop_threshold=drop_threshold)
            swizzle = Swizzle(town, crowd=10, seed=seed)
            await swizzle.run(clog=clog)
            shed = town.app.gateway.shed.total()
            found.append((swizzle.end_state(), swizzle.clogged, swizzle.most_waiting, shed))
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    return found[0]


@pytest.mark.parametrize("seed", range(3))
def test_swizzled_clients_come_to_believe_the_same(seed: int) -> None:
    swizzled, clogged, waiting, _ = end_state(seed, clog=True)
    assert clogged > 20
    assert waiting > 5, "something had to wait"
    assert swizzled == end_state(seed, clog=False)[0], f"seed {seed}"


@pytest.mark.parametrize("seed", range(2))
def test_swizzled_clients_that_lost_messages_come_to_believe_the_same(seed: int) -> None:
    swizzled, *_, shed = end_state(seed, clog=True, drop_threshold=1)
    unclogged, *_, lost = end_state(seed, clog=False, drop_threshold=1)
    assert shed > 1
    assert not lost, "who reads loses nothing, however little may wait"
    assert swizzled == unclogged, f"seed {seed}"
