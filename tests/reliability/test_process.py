"""R-38 to R-43 and R-56: the process as a whole, with real signals, files and sockets."""

from __future__ import annotations

import signal
import sqlite3
import sys
import time
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING, TypeVar

import pytest
import trio
from eolib import Direction, TalkAnnounceServerPacket, TalkServerServerPacket

from server.operate.admin import ask
from server.store.runner import InlineRunner
from tests.kit.actors import make_actor
from tests.kit.faulty import UNFINISHED, FaultyProcess
from tests.kit.players import EoPlayer
from tests.kit.process import EoSocket, ServerProcess
from tests.kit.responsive import soon, stays_responsive
from tests.kit.sockets import Ports
from tests.kit.town import Town
from tests.kit.uo_actor import UoActor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.actor import Actor
    from world.world import World

T = TypeVar("T")

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind exist on POSIX only"),
    pytest.mark.timeout(180),
]

PASSWORD = "Hunter2x"
"""Typed everywhere a password is, and nowhere else."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    running = ServerProcess(tmp_path)
    yield running
    running.close()


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[FaultyProcess]:
    running = FaultyProcess(tmp_path, '[log]\nlevel = "TRACE"\n')
    yield running
    running.close()


def stored(server: ServerProcess, column: str) -> dict[str, object]:
    """A column of all characters in the database file, by name."""
    with closing(sqlite3.connect(server.state / "causeway.db")) as database:
        return dict(database.execute(f"select name, {column} from character").fetchall())


def places(server: ServerProcess) -> dict[str, str]:
    """Where everybody who is online stands, as the server tells it."""
    lines = ask(server.state, "who").lines[1:]
    return {line.partition(":")[0]: line.partition(": ")[2].partition(",")[0] for line in lines}


def is_clean(server: ServerProcess) -> bool:
    with closing(sqlite3.connect(server.state / "causeway.db")) as database:
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
        return bool(database.execute("select clean from meta").fetchone()[0])


def send(server: ServerProcess, number: int) -> None:
    assert server.process is not None
    server.process.send_signal(number)


def ended(server: ServerProcess, within: float = 20.0) -> int:
    assert server.process is not None
    return server.process.wait(within)


def reports(server: ServerProcess, kind: str) -> list[Path]:
    return sorted((server.state / "crashes").glob(f"{kind}-*.txt"))


#


def test_r39_a_second_server_on_the_same_world_exits_4(server: ServerProcess, tmp_path: Path) -> None:
    """Whatever its database; one on the same port exits 2, and the first serves on. Accounts are made before
    it runs and while it does; R-41: what it counts down to can be called off, and has a code of its own."""
    made = server.causeway("account", "create", "offline", typed="secret1\n")
    assert made.returncode == 0, made.stderr
    server.start()
    told = (server.state / "endpoints.json").read_bytes()
    assert server.spawn().wait(30) == 4
    first = server.config.read_text()
    server.config.write_text(first + '[database]\nurl = "sqlite:///other.db"\n')
    assert server.spawn().wait(30) == 4
    server.config.write_text(first)
    assert (server.state / "endpoints.json").read_bytes() == told
    host, port = server.address("uo")
    (tmp_path / "other").mkdir()
    other = ServerProcess(tmp_path / "other")
    other.config.write_text(f'[server]\nstate_dir = "var"\n[listen.uo]\ngame = "{host}:{port}"\n')
    assert other.spawn().wait(30) == 2
    assert f"{host}:{port}" in other.output()
    assert server.causeway("status").returncode == 0
    assert (server.state / "endpoints.json").stat().st_mode & 0o777 == 0o644
    assert (server.state / "causeway.db").stat().st_mode & 0o777 == 0o600

    made = server.causeway("account", "create", "online", typed="secret1\n")
    assert made.returncode == 0, made.stderr
    assert server.causeway("account", "create", "online", typed="secret1\n").returncode != 0
    for account, name in (("offline", "Offline"), ("online", "Online")):
        client = EoSocket(server.address("eo"))
        client.enters(account, name)
        client.close()

    assert ask(server.state, "shutdown 1s").ok
    assert ask(server.state, "abort").lines == ["the server stays up"]
    assert ask(server.state, "restart 1s").ok
    assert ended(server) == 75
    assert is_clean(server)


#


def said_goodbye(actor: Actor) -> bool:
    """Whether its player has read on the screen that the server goes down."""
    if isinstance(actor, UoActor):
        return any("shutting down" in text for text in actor.client.said())
    assert isinstance(actor.player, EoPlayer)
    return any("shutting down" in packet.message for packet in actor.player.of(TalkServerServerPacket))


@asynccontextmanager
async def doors(server: ServerProcess) -> AsyncIterator[Ports]:
    """Where the server listens; all clients hang up at the end."""
    async with trio.open_nursery() as nursery:
        ports = Ports(nursery, server.addresses())
        try:
            yield ports
        finally:
            ports.hang_up()
            nursery.cancel_scope.cancel()


async def test_r40_a_hundred_clients_hear_goodbye_and_stand_where_they_stood(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "[limits]\njoins_per_tick = 50\n")
    server.start()
    try:
        async with doors(server) as ports:
            actors = [make_actor(("uo", "eo")[number % 2], ports) for number in range(100)]
            letters = "abdefhkmps"  # no two of them look alike
            names = [f"Dora{letters[number // 10]}{letters[number % 10]}" for number in range(100)]
            for actor, name in zip(actors, names, strict=True):
                await actor.enters(name.lower(), name)
            for number, actor in enumerate(actors):
                await actor.step(2 * (number % 4))
            for actor in actors:
                assert await actor.echo()
            stood = places(server)
            assert sorted(stood) == names
            assert len(set(stood.values())) > 10
            began = time.monotonic()
            send(server, signal.SIGTERM)
            for actor in actors:
                await actor.until(lambda actor=actor: actor.player.hung_up)  # type: ignore[misc]
            code = await trio.to_thread.run_sync(ended, server)
            took = time.monotonic() - began
            assert all(said_goodbye(actor) for actor in actors)
        assert code == 0
        assert took < 10
        wal = server.state / "causeway.db-wal"
        assert not wal.exists() or not wal.stat().st_size
        assert is_clean(server)
        assert stored(server, "realm || ' ' || x || ' ' || y") == stood
    finally:
        server.close()


#


def test_r41_a_signal_during_a_countdown_means_now(server: ServerProcess) -> None:
    """R-40, by the other signal: a goodbye, everything saved, and code 0."""
    server.start()
    client = EoSocket(server.address("eo"))
    client.enters("annabel", "Annabel")
    assert ask(server.state, "restart 5m new content").ok
    told = client.waits(TalkAnnounceServerPacket)
    assert "goes down in 5 minutes. new content" in told.message  # type: ignore[attr-defined]
    began = time.monotonic()
    send(server, signal.SIGINT)
    goodbye = client.waits(TalkServerServerPacket)
    assert "shutting down" in goodbye.message  # type: ignore[attr-defined]
    assert ended(server) == 0, "the signal asked for an end, not for a restart"
    assert time.monotonic() - began < 10
    assert not (server.state / "endpoints.json").exists()
    assert not (server.state / "admin.json").exists()
    assert is_clean(server)
    client.close()


def test_r41_a_signal_during_the_start_opens_no_door(faulty: FaultyProcess) -> None:
    (faulty.folder / "hold").touch()
    faulty.process = faulty.spawn()
    soon((faulty.folder / "holding").exists)
    send(faulty, signal.SIGTERM)
    soon(lambda: "received SIGTERM" in faulty.output())
    (faulty.folder / "hold").unlink()
    assert ended(faulty) == 0
    assert "listens on" not in faulty.output()
    assert not (faulty.state / "endpoints.json").exists()


def test_r41_two_signals_skip_the_goodbyes_and_never_the_flush(faulty: FaultyProcess) -> None:
    faulty.start()
    client = EoSocket(faulty.address("eo"))
    client.enters("annabel", "Annabel")
    assert ask(faulty.state, "fault disk").ok
    start = client.place()
    for direction in (Direction.Left, Direction.Up, Direction.Right, Direction.Down):
        if client.place() == start:
            client.socket.sendall(client.client.walk(direction))
    stood = client.place()
    assert stood != start
    for _ in range(2):
        send(faulty, signal.SIGTERM)
    assert ended(faulty) == 0
    assert "everything is saved" in faulty.output()
    assert (stored(faulty, "x")["Annabel"], stored(faulty, "y")["Annabel"]) == stood
    assert is_clean(faulty)
    client.close()


#


def files_with(folder: Path, needle: bytes) -> list[str]:
    """Files below a folder that contain something."""
    found = [path for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()]
    return [str(path.relative_to(folder)) for path in found]


async def misuse(server: ServerProcess, ports: Ports) -> list[Actor]:
    """Everything people do with passwords, in both games."""
    actors = [make_actor("uo", ports), make_actor("eo", ports)]
    for actor, name, sign in zip(actors, ("Jonah", "Annabel"), (".", "$"), strict=True):
        await actor.enters(name.lower(), name, password=PASSWORD)
        await actor.say(f"{sign}account passwd bobby {PASSWORD}")
        await actor.say(f"{sign}acount paswd bobby {PASSWORD}")
        await actor.say(f"{'[' if sign == '.' else '#'}account create bobby {PASSWORD} owner")
        await actor.say("nothing of it is secret")
        assert await actor.echo()
    level = ask(server.state, "account level annabel owner")
    assert level.ok, level
    await actors[1].enters("annabel", "Annabel", password=PASSWORD)
    await actors[1].say(f"$account passwd jonah {PASSWORD}")
    assert await actors[1].echo()
    wrong = make_actor("eo", ports)
    with pytest.raises(Exception, match="Nobody"):
        await wrong.enters("jonah", "Nobody", password=f"{PASSWORD}x")
    named = ask(server.state, "account create", {"name": "carla", "password": PASSWORD})
    assert named.ok, named
    assert ask(server.state, f"account passwd carla {PASSWORD}").ok
    return actors


class Tardy(InlineRunner):
    """A disk that takes its time."""

    async def write(self, call: Callable[[], T]) -> T:
        await trio.sleep(3)
        return call()


async def test_r42_what_was_handed_over_is_finished(autojump_clock: MockClock) -> None:
    with pytest.raises(ExceptionGroup) as raised:  # noqa: PT012 # the failure comes out of the nursery
        async with trio.open_nursery() as nursery:
            town = Town(nursery)
            await town.open()
            anna = make_actor("eo", town)
            await anna.enters("anna", "Anna")
            await town.app.durable()
            town.app.storage._runner = Tardy()
            mobile = town.mobile("Anna")
            mobile.title = "handed over"
            town.app.loop.wake()
            await trio.sleep(1.5)
            mobile.title = UNFINISHED
            raise_in_the_next_turn(town)
            await trio.sleep(10)
    assert raised.group_contains(RuntimeError, match="the fault of this test")
    assert [row.row.title for row in town.database.characters(1)] == ["handed over"]
    assert not town.database.meta().clean


def raise_in_the_next_turn(town: Town) -> None:
    def fail(world: World) -> None:
        raise RuntimeError("the fault of this test")

    town.app.loop.depart(fail)


async def test_r42_r56_a_crash_is_reported_and_its_turn_is_not_written(tmp_path: Path) -> None:
    faulty = FaultyProcess(tmp_path, '[log]\nlevel = "TRACE"\n')
    faulty.start()
    try:
        async with doors(faulty) as ports:
            jonah, annabel = await misuse(faulty, ports)
            await annabel.step(2)
            assert await annabel.echo()
            assert ask(faulty.state, "save").ok
            stood = places(faulty)
            assert ask(faulty.state, "fault departure").ok
            jonah.leaves()
            code = await trio.to_thread.run_sync(ended, faulty)
        assert code == 70

        (report,) = reports(faulty, "crash")
        assert report.stat().st_mode & 0o777 == 0o600
        assert f"the report is {report}" in faulty.output()
        text = report.read_text()
        assert "RuntimeError: the fault of this test" in text
        assert "raise_at_departure" in text
        assert "crashed at" in text.partition("\n")[0]
        assert " in tick " in text.partition("\n")[0]
        assert "Annabel: eo, 127.0.0.1, account annabel, IN_WORLD" in text
        last = text.partition("== The last packets")[2].partition("== Configuration")[0]
        assert "Jonah: uo, 127.0.0.1, account jonah, IN_WORLD" in last
        assert "0x0091 GameLogin (not shown" in last
        assert last.count("UnicodeSpeech (not shown") == 3
        assert "nothing of it is secret".encode("utf-16-be").hex() in last
        assert "Annabel" not in last
        assert "server.name = 'Process'" in text
        assert "limits.connections = 4096" in text

        assert not is_clean(faulty)
        assert UNFINISHED not in stored(faulty, "title").values()
        assert stored(faulty, "realm || ' ' || x || ' ' || y")["Annabel"] == stood["Annabel"]
        assert "not shown" in faulty.output()
        for form in (PASSWORD.encode(), PASSWORD.encode("utf-16-be")):
            assert files_with(faulty.folder, form) == []
            assert files_with(faulty.folder, form.hex().encode()) == []
    finally:
        faulty.close()


#


def hangs(server: FaultyProcess, where: str, before: int = 0) -> str:
    """It hangs there: the report of it, the only new one, when the server has ended itself."""
    assert ended(server) == 71
    report = reports(server, "stall")[before:][-1]
    assert len(reports(server, "stall")) == before + 1
    assert report.stat().st_mode & 0o777 == 0o600
    text = report.read_text()
    assert text.count(f"in {where}") == 2, "once when it was noticed, once at the end"
    assert f"all stacks are in {report}" in server.output()
    assert "exit code 71" in server.output()
    return text


def test_r43_what_never_ends_is_shown_and_ended(faulty: FaultyProcess) -> None:
    """Neither idleness nor a stopped process is a stall; what goes on after all is only shown."""
    faulty.start()
    # Nobody is online, so the world sleeps; then the process is stopped as by a suspended machine.
    time.sleep(1.5)
    send(faulty, signal.SIGSTOP)
    time.sleep(2.5)
    send(faulty, signal.SIGCONT)
    time.sleep(0.5)
    assert ask(faulty.state, "status").ok
    assert reports(faulty, "stall") == []

    assert ask(faulty.state, "fault pause").ok
    soon(lambda: "the server goes on" in faulty.output())
    (report,) = reports(faulty, "stall")
    assert "in fault" in report.read_text()
    assert ask(faulty.state, "status").ok

    stays_responsive(faulty)
    reports(faulty, "stall")[-1].unlink()

    ask(faulty.state, "fault timer", within=0.5)
    assert "in turn" in hangs(faulty, "endless_timer", before=1)


#


def test_r38_backup_and_restore_of_a_server(faulty: FaultyProcess) -> None:
    """Backups are made and verified at any time; the database of a running server is never replaced. One that
    is killed leaves nothing under a final name. In the end it hangs outside of a turn: R-43."""
    faulty.start()
    client = EoSocket(faulty.address("eo"))
    client.enters("annabel", "Annabel")
    client.close()

    (faulty.folder / "hold").touch()
    killed = faulty.spawn("backup")
    soon((faulty.folder / "holding").exists)
    killed.kill()
    assert killed.wait(10) == -signal.SIGKILL
    (faulty.folder / "hold").unlink()
    (unfinished,) = (faulty.state / "backups").iterdir()
    assert unfinished.suffix == ".tmp"
    assert faulty.causeway("restore", "--verify", str(unfinished)).returncode == 3

    backup = backed_up(faulty)
    assert faulty.causeway("restore", str(backup)).returncode == 4
    assert faulty.stop() == 0
    backup = backed_up(faulty)
    assert faulty.causeway("restore", str(backup)).returncode == 0
    faulty.start()
    assert not unfinished.exists()
    again = EoSocket(faulty.address("eo"))
    again.enters("annabel", "Annabel")
    again.close()
    # what keeps the world's thread keeps nobody from an answer.
    why, what = ask(faulty.state, "fault here").lines
    assert "overloaded: something else than a turn has kept the world for" in why
    assert "endless_timer" in why
    assert "fault is under way" in what
    assert "in turn" not in hangs(faulty, "endless_timer")
    raw = bytearray(backup.read_bytes())
    raw[len(raw) // 2] ^= 1
    backup.write_bytes(raw)
    assert faulty.causeway("restore", "--verify", str(backup)).returncode == 3


def backed_up(server: ServerProcess) -> Path:
    """A new backup, which says that it can be restored; to look does nothing to the world."""
    folder = server.state / "backups"
    made = server.causeway("backup")
    assert made.returncode == 0, made.stderr
    backup = folder / made.stdout.strip().rpartition("/")[2]
    assert {backup, backup.with_name(f"{backup.name}.sha256")} <= set(folder.iterdir())
    before = sorted(server.state.iterdir())
    verified = server.causeway("restore", "--verify", str(backup))
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "can be restored" in verified.stdout
    assert sorted(server.state.iterdir()) == before
    return backup
