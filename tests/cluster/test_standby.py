"""A process that stands by goes on when its world ends, or another world that has been given its realm; and
nobody is hung up on."""

from __future__ import annotations

import math
import os
import re
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar

import pytest
from sqlalchemy.exc import DBAPIError

from server.bots.bench import make_bots
from server.bots.swarm import Swarm
from server.store import standby
from server.store.database import Database
from server.store.lock import WorldLock
from server.store.migrate import upgrade
from server.store.standby import try_lock
from tests.kit.border import REALMS
from tests.kit.edges import free_port, split_server
from tests.kit.parted import PartedProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from server.bots.bot import Bot
    from tests.kit.postgres import Cluster
    from tests.kit.process import ServerProcess

Result = TypeVar("Result")

SECONDS: Final = 20.0
AT_ONCE: Final = 25
"""Commands that are given by one console."""
CLIENTS: Final = int(os.environ.get("CAUSEWAY_SOAK_CLIENTS", "300"))
PATIENCE: Final = 100.0
"""Seconds in which three hundred have gone where they should be, on a busy machine as well."""
DOORS: Final = {"eq2": "login", "co": "account", "co_5065": "account", "l2": "login"}
INTERVAL: Final = 0.4
"""Seconds from one move of a bot to the next."""
PACE: Final = {"eo": 2 * INTERVAL}
"""Seconds for which a bot has no answer in any case, where that is more: every other move is a turn there,
which is not answered."""
GAMES: Final = ("uo", "eo", "co_5065", "l2", "eq2")
SIDES: Final = dict(zip(REALMS, (110, 50), strict=True))
"""Tiles of the part of each realm where they begin."""
TAKEN_OVER: Final = "Process: realms"
WINDOW: Final = 12.0
"""Seconds that are looked at for each of what happens to a world."""
MOST_SECONDS: Final = 2.0
WALKERS: Final = ("uo", "eo", "co", "l2")
"""Games whose bots are answered by their world. EverQuest II's are by their edge, with a world or without."""


class Relay:
    """Two worlds with a realm each, for each of them two processes that have it in turn, and the edge before
    them. Nothing bites there, and who walks about stays in its realm."""

    def __init__(self, folder: Path, url: str) -> None:
        self.name = url.rpartition("/")[2]
        world, self.edge = split_server(folder, url)
        text = world.config.read_text()
        self.worlds: dict[int, list[ServerProcess]] = {}
        for number, realm in enumerate(REALMS, 1):
            more = f'[world]\nid = {number}\nrealms = ["{realm}"]\nstandby = true\n'
            self.worlds[number] = []
            for which in ("a", "b"):
                place = folder / f"world{number}{which}"
                place.mkdir()
                made = PartedProcess(place)
                made.config.write_text(text.replace("[world]\n", more))
                self.worlds[number].append(made)

    @property
    def processes(self) -> list[ServerProcess]:
        """All of them."""
        return [self.edge, *chain.from_iterable(self.worlds.values())]

    def start(self, *standing: int) -> None:
        """The first process of each world has it; of these worlds the other one stands by."""
        for first, _ in self.worlds.values():
            first.start()
        self.edge.start()
        for world in standing:
            self.stands_by(self.worlds[world][1])
        deadline = time.monotonic() + SECONDS
        while (told := self.status()).count("is Process") < len(self.worlds):
            assert time.monotonic() < deadline, told
            time.sleep(0.1)

    def stands_by(self, one: ServerProcess) -> None:
        """Start one that waits."""
        before = one.output().count("standing by") if one.process is not None else 0
        one.process = one.spawn()
        deadline = time.monotonic() + SECONDS
        while one.output().count("standing by") == before:
            assert time.monotonic() < deadline, one.output()
            time.sleep(0.02)

    def status(self) -> str:
        """What `causeway status` tells of the edge."""
        return self.edge.causeway("status").stdout

    def clients(self) -> int:
        """How many are connected to the edge."""
        found = re.search(r"^(\d+) clients$", self.status(), re.MULTILINE)
        return int(found[1]) if found else 0

    def output(self) -> str:
        """All that the processes have said."""
        return "\n".join(one.output() for one in self.processes if one.process is not None)

    def enter(self, games: Sequence[str], count: int, within: float = 120) -> Swarm:
        """So many bots of each game come in, all of which tell what they are answered."""
        doors = {game: self.edge.address(game, DOORS.get(game, "game")) for game in games}
        bots = [bot for some in zip(*(make_bots(game, count) for game in games), strict=True) for bot in some]
        swarm = Swarm(doors[games[0]], bots, turn, probes=len(bots), interval=INTERVAL, others=doors)
        swarm.enter(within)
        return swarm


def turn(bot: Bot) -> bytes:
    """A move that is answered wherever it stands: in some games that is a step alone."""
    return bot.turn() if bot.game == "uo" else bot.step()


class Company:
    """Everybody in the two worlds, and the connections they came with."""

    def __init__(self, relay: Relay, swarm: Swarm, say: Callable[[str], str]) -> None:
        self.relay = relay
        self.swarm = swarm
        self._say = say
        self.bots = sorted((client.bot for client in swarm._inside), key=lambda bot: bot.name)
        self._came_by = self._lines()

    def _lines(self) -> dict[str, object]:
        return {client.bot.name: client.socket.getsockname() for client in self.swarm._inside}

    def worlds(self) -> dict[int, int]:
        """The number of characters that each world has, as it is stored."""
        rows = self._say("SELECT world, count(*) FROM character WHERE world IS NOT NULL GROUP BY world")
        return {int(world): int(count) for world, _, count in (row.partition("|") for row in rows.split())}

    def until(self, true: Callable[[], bool], *, moving: bool = True) -> None:
        """They play until that is so, or stand still. Raises SwarmError if anybody's connection ends."""
        deadline = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < deadline, (self.worlds(), self.relay.output())
            self.swarm.run(0.1, moving=moving)

    def parts(self) -> None:
        """Every other one goes to the realm of world 2, and all to places of their own. Who would stand in a
        wall stays where it is. They stand still: as long as all are in one place each move is seen by all."""
        half = len(self.bots) // 2
        # Newcomers begin in the realm of world 1, at whichever world they come in.
        self.until(lambda: self.worlds() == {1: len(self.bots)}, moving=False)
        self._are_sent(REALMS[0], self.bots[::2])
        deadline = time.monotonic() + PATIENCE
        while self.worlds() != {1: half, 2: half}:
            # Who has not arrived within three seconds stays: on a busy machine some do.
            assert time.monotonic() < deadline, (self.worlds(), self.relay.output())
            still = self._say("SELECT lower(name) FROM character WHERE world = 1").split()
            self._are_sent(REALMS[1], [bot for bot in self.bots[1::2] if bot.name in still])
            self.swarm.run(1.0, moving=False)

    def _are_sent(self, realm: str, bots: Sequence[Bot]) -> None:
        side = SIDES[realm]
        places = [(at * 37 % side + 5, at * 53 % side + 5) for at in range(len(bots))]
        lines = [f"send {bot.character} {realm} {x} {y}\n" for bot, (x, y) in zip(bots, places, strict=True)]
        console = self.relay.worlds[1][0]
        for at in range(0, len(lines), AT_ONCE):
            typed = "".join(lines[at : at + AT_ONCE])
            self.during(partial(console.causeway, "console", typed=typed), moving=False)

    def during(self, call: Callable[[], Result], *, moving: bool = True) -> Result:
        """What is returned, for which they wait, as `until` has it."""
        with ThreadPoolExecutor(1) as threads:
            waited = threads.submit(call)
            self.until(waited.done, moving=moving)
        return waited.result()

    def all_go_on(self) -> None:
        """Until everybody has been answered from now on."""
        before = [answers(bot) for bot in self.bots]
        self.until(lambda: all(answers(bot) > one for bot, one in zip(self.bots, before, strict=True)))

    def loaded_anew(self, world: int) -> Callable[[], bool]:
        """Whether by then who is in a world now, which is to be killed, has loaded its zone anew by another
        connection: EverQuest II's clients do. Whose world ends before that is hung up on, as ever."""
        there = self._say(f"SELECT lower(name) FROM character WHERE world = {world}").split()
        before = self._lines()
        loading = [bot for bot in self.bots if bot.name in there and bot.datagrams]

        def loaded() -> bool:
            lines = self._lines()
            return all(bot.in_world and lines[bot.name] != before[bot.name] for bot in loading)

        return loaded

    def nobody_was_hung_up_on(self, worlds: Mapping[int, int]) -> None:
        """All go on, with the connections with which they came, and the edge knows of these alone."""
        self.until(lambda: self.worlds() == worlds)
        self.all_go_on()
        now = self._lines()
        streams = [bot.name for bot in self.bots if not bot.datagrams]
        assert [now[name] for name in streams] == [self._came_by[name] for name in streams]
        # The connection that one of EverQuest II's clients has left may last for a moment more.
        self.until(lambda: self.relay.clients() == len(self.bots))

    def gaps(self, seconds: float) -> list[tuple[float, str]]:
        """For how long each had no answer at most beyond its pace, in order, with its name."""
        heard = [(answers(bot), time.monotonic()) for bot in self.bots]
        longest = [0.0] * len(self.bots)
        deadline = time.monotonic() + seconds
        while (now := time.monotonic()) < deadline:
            self.swarm.run(0.05)
            for number, bot in enumerate(self.bots):
                count, at = heard[number]
                if answers(bot) != count:
                    heard[number] = answers(bot), now
                longest[number] = max(longest[number], now - at - PACE.get(bot.game, INTERVAL))
        return sorted(zip(longest, (bot.name for bot in self.bots), strict=True))


def answers(bot: Bot) -> int:
    """How often its world has answered it: a step into a wall is refused."""
    return bot.answered + bot.refused


@pytest.fixture
def relay(url: str, tmp_path: Path) -> Iterator[Relay]:
    made = Relay(tmp_path, url)
    yield made
    for one in made.processes:
        one.close()


def test_clients_of_all_games_go_on_when_their_world_stops_is_killed_and_is_drained(
    relay: Relay, cluster: Cluster
) -> None:
    first, other = relay.worlds[1]
    leaving, _ = relay.worlds[2]
    relay.start(1)
    with closing(relay.enter(GAMES, 2)) as swarm:
        company = Company(relay, swarm, partial(cluster.say, relay.name))
        company.parts()
        assert first.stop() == 0
        company.until(lambda: other.output().count(TAKEN_OVER) == 1)
        company.nobody_was_hung_up_on({1: 5, 2: 5})
        relay.stands_by(first)
        loaded = company.loaded_anew(1)
        other.kill()
        company.until(lambda: first.output().count(TAKEN_OVER) == 2 and loaded())
        company.nobody_was_hung_up_on({1: 5, 2: 5})
        told = company.during(lambda: leaving.causeway("do", "drain 1"))
        assert "undercroft are world 1's now" in told.stdout, told
        company.nobody_was_hung_up_on({1: 10})
        assert leaving.process is not None
        assert leaving.process.wait(10) == 0
    assert "Traceback" not in relay.output()


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
@pytest.mark.timeout(0)
def test_three_hundred_go_on_within_two_seconds_while_one_world_after_the_other_is_started_anew(
    relay: Relay, cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    """World 1 and world 2 by processes that stand by, and then world 2 is drained: its realm is world 1's."""
    relay.start(1, 2)
    told: dict[str, list[tuple[float, str]]] = {}
    with closing(relay.enter(WALKERS, CLIENTS // len(WALKERS))) as swarm:
        company = Company(relay, swarm, partial(cluster.say, relay.name))
        company.parts()
        company.gaps(WINDOW / 2)  # the first steps of all
        told["before"] = company.gaps(WINDOW)
        for world, (first, other) in relay.worlds.items():
            assert first.process is not None
            first.process.send_signal(signal.SIGTERM)
            told[f"world {world} is started anew"] = company.gaps(WINDOW)
            assert first.process.wait(10) == 0
            assert other.output().count(TAKEN_OVER) == 1
            company.nobody_was_hung_up_on({1: CLIENTS // 2, 2: CLIENTS // 2})
        with ThreadPoolExecutor(1) as threads:
            drained = threads.submit(relay.worlds[2][1].causeway, "do", "drain 1")
            told["world 2 is drained"] = company.gaps(WINDOW)
        assert "undercroft are world 1's now" in drained.result().stdout
        company.nobody_was_hung_up_on({1: CLIENTS})
    with capsys.disabled():
        for what, longest in told.items():
            sys.stdout.write(f"\n{what}: {described(longest)}")
        sys.stdout.write(f"\nload {os.getloadavg()[0]:.1f}\n")
    assert "Traceback" not in relay.output()
    for what, longest in told.items():
        assert part(longest, 0.99) < MOST_SECONDS, f"{what}: {described(longest)}"


def part(longest: Sequence[tuple[float, str]], share: float) -> float:
    """Seconds within which that share of all have had an answer."""
    return longest[math.ceil(share * len(longest)) - 1][0]


def described(longest: Sequence[tuple[float, str]]) -> str:
    """The gaps of all in a line."""
    shares = ", ".join(f"p{100 * share:.0f} {part(longest, share):.2f} s" for share in (0.5, 0.9, 0.99))
    worst = ", ".join(f"{name} {gap:.2f} s" for gap, name in reversed(longest[-4:]))
    return f"{len(longest)} clients, {shares}; the longest: {worst}"
