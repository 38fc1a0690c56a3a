"""A process that stands by goes on when its world ends, and nobody is hung up on."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Final

import pytest
from sqlalchemy.exc import DBAPIError

from server.bots.bench import make_bots
from server.bots.swarm import Swarm
from server.store import standby
from server.store.database import Database
from server.store.lock import WorldLock
from server.store.migrate import upgrade
from server.store.standby import try_lock
from tests.kit.edges import free_port, split_server
from tests.kit.process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from server.bots.bot import Bot
    from tests.kit.postgres import Cluster

SECONDS: Final = 20.0
DOORS: Final = {"eq2": "login", "co_5065": "account", "l2": "login"}
INTERVAL: Final = 0.4
"""Seconds from one move of a bot to the next: so long it has no answer in any case."""
GAMES: Final = ("uo", "eo", "co_5065", "l2", "eq2")


class Relay:
    """Two processes with one world in turn, and the edge before them."""

    def __init__(self, folder: Path, url: str) -> None:
        self.world, self.edge = split_server(folder, url)
        folder.joinpath("other").mkdir()
        self.other = ServerProcess(folder / "other")
        self.other.config.write_text(self.world.config.read_text())
        for one in (self.world, self.other):
            text = one.config.read_text()
            one.config.write_text(text.replace("[world]\n", "[world]\nstandby = true\n"))

    def start(self) -> None:
        """The first has it, the other stands by."""
        self.world.start()
        self.edge.start()
        self.until(self.edge, "is Process")
        self.stands_by(self.other)

    def stands_by(self, one: ServerProcess) -> None:
        """Start one that waits."""
        before = one.output().count("standing by") if one.process is not None else 0
        one.process = one.spawn()
        deadline = time.monotonic() + SECONDS
        while one.output().count("standing by") == before:
            assert time.monotonic() < deadline, one.output()
            time.sleep(0.02)

    def until(self, server: ServerProcess, words: str) -> None:
        """Until its status has such words."""
        deadline = time.monotonic() + SECONDS
        while words not in (told := server.causeway("status").stdout):
            assert time.monotonic() < deadline, told
            time.sleep(0.1)

    def enter(self, game: str, count: int) -> Swarm:
        """Bots of one game come in, all of which tell what they are answered."""
        address = self.edge.address(game, DOORS.get(game, "game"))
        swarm = Swarm(address, make_bots(game, count), turn, probes=count, interval=INTERVAL)
        swarm.enter(120)
        return swarm


def turn(bot: Bot) -> bytes:
    """A move that is answered wherever it stands: in some games that is a step alone."""
    return bot.turn() if bot.game == "uo" else bot.step()


@pytest.fixture
def relay(url: str, tmp_path: Path) -> Iterator[Relay]:
    made = Relay(tmp_path, url)
    yield made
    for one in (made.edge, made.world, made.other):
        one.close()


def gaps(swarms: list[Swarm], seconds: float) -> list[float]:
    """For how long each bot had no answer at most, in order."""
    bots = [client.bot for swarm in swarms for client in swarm._probes.values()]
    heard = [(bot.answered, time.monotonic()) for bot in bots]
    longest = [0.0] * len(bots)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for swarm in swarms:
            swarm.run(0.05)
        now = time.monotonic()
        for number, bot in enumerate(bots):
            answered, at = heard[number]
            if bot.answered != answered:
                heard[number] = bot.answered, now
            longest[number] = max(longest[number], now - at)
    return sorted(longest)


def go_on(swarms: list[Swarm], server: ServerProcess, times: int) -> None:
    """Until a server has taken the world over so often, and every bot has had an answer since then."""
    bots = [client.bot for swarm in swarms for client in swarm._probes.values()]
    deadline = time.monotonic() + SECONDS
    answered: list[int] | None = None
    while answered is None or any(bot.answered <= before for bot, before in zip(bots, answered, strict=True)):
        assert time.monotonic() < deadline, server.output()
        for swarm in swarms:
            swarm.run(0.05)
        if answered is None and server.output().count("Process: realms") == times:
            answered = [bot.answered for bot in bots]


def test_clients_of_all_games_go_on_when_their_world_stops_and_when_it_is_killed(relay: Relay) -> None:
    relay.start()
    swarms = [relay.enter(game, 2) for game in GAMES]
    try:
        go_on(swarms, relay.world, 1)
        assert relay.world.process is not None
        relay.world.process.send_signal(signal.SIGTERM)
        go_on(swarms, relay.other, 1)
        assert relay.world.process.wait(10) == 0
        relay.stands_by(relay.world)
        relay.other.kill()
        go_on(swarms, relay.world, 2)
        assert f"{2 * len(GAMES)} characters" in relay.edge.causeway("status").stdout
    finally:
        for swarm in swarms:
            swarm.close()
    for one in (relay.edge, relay.world, relay.other):
        assert "Traceback" not in one.output()


def test_a_world_that_has_been_silent_is_cut_off(cluster: Cluster, url: str, tmp_path: Path) -> None:
    """Its process is there, and holds its locks; its machine says nothing."""
    upgrade(url, tmp_path)
    lock, silent = WorldLock(url), Database(url)
    name = url.rpartition("/")[2]
    assert try_lock(url, 1) is None
    silent.beat()
    deadline = time.monotonic() + SECONDS
    cluster.say(name, "UPDATE world SET beat = to_timestamp(0)")
    while (mine := try_lock(url, 1)) is None:  # nobody is silent just after the database itself has started
        assert time.monotonic() < deadline
    next_life = Database(url)
    with pytest.raises(DBAPIError):
        silent.beat()
    next_life.close()
    mine.release()
    lock.release()


def test_who_stands_by_waits_for_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standby, "AGAIN_SECONDS", 0.0)
    assert try_lock(f"postgresql://nobody@127.0.0.1:{free_port()}/none", 1) is None


@pytest.mark.soak
def test_three_hundred_go_on_within_two_seconds(relay: Relay, cluster: Cluster, url: str) -> None:
    relay.start()
    relay.enter("uo", 300).close()
    relay.until(relay.world, "0 clients")
    spread = "UPDATE character SET x = serial * 37 % 110 + 5, y = serial * 53 % 110 + 5"
    while cluster.say(url.rpartition("/")[2], f"{spread} WHERE world IS NULL") != "UPDATE 300":
        time.sleep(1)
    swarm = relay.enter("uo", 300)
    try:
        gaps([swarm], 3.0)
        assert relay.world.process is not None
        relay.world.process.send_signal(signal.SIGTERM)
        longest = [gap - INTERVAL for gap in gaps([swarm], 12.0)]
        assert longest[296] < 2.0, f"p50 {longest[150]:.2f} s, p99 {longest[296]:.2f} s"
    finally:
        swarm.close()
