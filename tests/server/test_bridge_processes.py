"""Lineage II's login server and game servers in processes of their own, over loopback."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

import pytest

from server.operate import admin
from server.store.migrate import upgrade
from tests.kit import postgres
from tests.kit.budget import server_started
from tests.kit.l2_split import SECRETS, L2Socket, RoleProcess, eventually, login_process, world_process

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kit.process import ServerProcess

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind exist on POSIX only"),
    pytest.mark.timeout(180),
]


class Split:
    """A login server, and the game servers that a test starts."""

    def __init__(self, folder: Path, url: str = "") -> None:
        """`url` is the database that they share; without it that is a file."""
        self.folder = folder
        self.database = folder / "shared.db"
        self._url = url
        self.processes: list[RoleProcess] = []
        self.clients: list[L2Socket] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.login = self._sharing(login_process(folder / "login", self.database, port=self.port))

    def world(self, number: int = 1) -> RoleProcess:
        """A game server; the first has the database that the login server shares."""
        database = self.database if number == 1 else self.folder / f"other{len(self.processes)}.db"
        folder = self.folder / f"world{number}-{len(self.processes)}"
        made = world_process(folder, database, self.port, number)
        return self._sharing(made)

    def _sharing(self, process: RoleProcess) -> RoleProcess:
        if self._url:
            text = process.config.read_text()
            process.config.write_text(text.replace(f"sqlite:///{self.database}", self._url))
        self.processes.append(process)
        return process

    def start(self) -> ServerProcess:
        """The usual: one game server, connected. The login server waits until there is a database, which is
        made before the game server starts: that tries only every few seconds to find a login server."""
        self.login.process = self.login.spawn()
        eventually(lambda: "waiting for the world server" in self.login.output(), "the word about it")
        upgrade(self._url or f"sqlite:///{self.database}", self.folder / "backups")
        eventually((self.login.state / "endpoints.json").exists, "the login server's start")
        server_started()
        world = self.world().start()
        self.connected(1)
        return world

    def connected(self, *numbers: int) -> None:
        """Wait until just these game servers are connected."""
        eventually(lambda: self.servers() == list(numbers), f"game servers {numbers}")

    def status(self) -> list[str]:
        """What the login server says of itself."""
        return list(admin.ask(self.login.state, "status").lines)

    def servers(self) -> list[int]:
        """The game servers that are connected."""
        return [int(line.split()[2]) for line in self.status() if line.startswith("game server ")]

    def online(self, number: int = 1) -> int:
        """How many are online there, as the login server believes."""
        (line,) = (line for line in self.status() if line.startswith(f"game server {number} "))
        return int(line.split(": ")[1].split()[0])

    def client(self) -> L2Socket:
        """Somebody who has not connected yet."""
        made = L2Socket(self.login.address("l2", "login"), seed=len(self.clients) + 1)
        self.clients.append(made)
        return made

    def close(self) -> None:
        """Nobody and nothing is left."""
        for client in self.clients:
            client.close()
        for process in self.processes:
            process.close()


@pytest.fixture
def split(tmp_path: Path) -> Iterator[Split]:
    """One of a test's own, not started."""
    made = Split(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Split]:
    made = Split(tmp_path_factory.mktemp("split"))
    made.start()
    yield made
    made.close()


@pytest.fixture
def shared(_running: Split) -> Iterator[Split]:
    """One that all have in common: accounts of one's own, its two processes connected when a test is over,
    and whatever else was started for it ends with it."""
    usual = list(_running.processes)
    yield _running
    for client in _running.clients:
        client.close()
    _running.clients.clear()
    for process in _running.processes[len(usual) :]:
        process.close()
    del _running.processes[len(usual) :]
    _running.connected(1)
    eventually(lambda: _running.online() == 0, "the end of all marks")


def test_a_client_logs_in_at_one_process_and_plays_in_the_other(shared: Split) -> None:
    """And the marks go when the game server is killed, and come back with it and the player."""
    world = shared.processes[1]
    assert set(shared.login.addresses()) == {("l2", "login"), ("l2", "bridge")}
    assert set(world.addresses()) == {("l2", "game")}
    player = shared.client()
    player.enters("dietrich", "Dietrich")
    assert [(entry.id, entry.port) for entry in player.client.worlds] == [(1, world.address("l2")[1])]
    eventually(lambda: shared.online() == 1, "the mark")
    other = shared.client()
    other.logs_in("wilhelm")
    assert other.client.worlds[0].online == 1
    assert other.client.owned == {1: (0, ())}

    world.kill()
    player.close()
    shared.connected()
    other.lists()
    assert list(other.client.worlds) == []
    world.start()
    shared.connected(1)
    assert shared.online() == 0
    player.enters("dietrich", "Dietrich")
    assert player.client.owned == {1: (1, ())}
    eventually(lambda: shared.online() == 1, "the mark after the restart")

    # The login server vanishes: who plays goes on, and is marked again when it is back.
    shared.login.kill()
    shared.login.start()
    shared.connected(1)
    eventually(lambda: shared.online() == 1, "the mark that is told again")
    player.says(player.client.items_bytes(), lambda: player.client.received[-1][0] == 0x1B)


def test_an_account_that_logs_in_again_is_kicked_over_the_bridge(shared: Split) -> None:
    first = shared.client()
    first.enters("alric", "Alric")
    eventually(lambda: shared.online() == 1, "the mark")
    second = shared.client()
    second.logs_in("alric")
    assert first.is_cut()
    eventually(lambda: shared.online() == 0, "the end of the mark")
    second.goes_on()
    assert [entry.name for entry in second.client.screen.menu or ()] == ["Alric"]


def test_a_ban_at_the_login_server_reaches_who_plays(shared: Split) -> None:
    player = shared.client()
    player.enters("bertram", "Bertram")
    eventually(lambda: shared.online() == 1, "the mark")
    assert shared.login.causeway("account", "ban", "bertram").returncode == 0
    assert player.is_cut()


def test_two_game_servers_have_one_login(shared: Split) -> None:
    """The second has a database of its own, and knows the account from the login server alone."""
    shared.world(2).start()
    shared.connected(1, 2)
    player = shared.client()
    player.enters("caspar", "Sieghardt", server=2)
    assert [entry.id for entry in player.client.worlds] == [1, 2]
    eventually(lambda: shared.online(2) == 1, "the mark")
    assert shared.online(1) == 0
    again = shared.client()
    again.logs_in("caspar")
    assert player.is_cut()
    assert again.client.owned == {1: (0, ()), 2: (1, ())}
    again.goes_on(1)
    assert again.client.screen.menu == []
    log = "".join(process.output() for process in shared.processes)
    assert not any(secret in log for secret in SECRETS.values())


@pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY)
@pytest.mark.outage
def test_both_share_a_database_of_postgresql(
    cluster: postgres.Cluster, empty_url: str, tmp_path: Path
) -> None:
    """The login server is a guest there: it writes accounts beside the world, which holds the lock, and a
    power failure of the database server ends neither."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    name = empty_url.rpartition("/")[2]
    split = Split(tmp_path, empty_url)
    try:
        world = split.start()
        player = split.client()
        player.enters("alric", "Alric")
        eventually(lambda: split.online() == 1, "the mark")
        again = split.client()
        again.logs_in("alric")
        assert player.is_cut()
        assert again.client.owned == {1: (1, ())}
        assert split.login.causeway("account", "ban", "alric").returncode == 0
        assert cluster.say(name, "select count(*) from account where banned_until is not null") == "1"
        cluster.stop()
        cluster.start()
        eventually(lambda: _logs_in(split.client(), "berta"), "a login after the power failure", 60)
        assert split.login.stop() == 0
        assert world.stop() == 0
        assert cluster.say(name, "select clean from meta") == "t"
    finally:
        split.close()


def _logs_in(client: L2Socket, name: str) -> bool:
    try:
        client.logs_in(name)
    except (AssertionError, OSError):
        return False
    return True


def test_the_login_server_waits_until_there_is_a_database(shared: Split) -> None:
    said = shared.login.output()
    assert said.index("waiting for the world server") < said.index("listens on")


def test_check_explains_what_cannot_be_together(split: Split) -> None:
    text = split.login.config.read_text()
    split.login.config.write_text(text + "[listen.uo]\n")
    report = split.login.causeway("check")
    assert report.returncode == 1
    assert "listen.uo: a login server has no door for it" in report.stdout
    split.login.config.write_text(text)
    assert "nothing is wrong" in split.login.causeway("check").stdout
