"""Each part of a cluster is killed (-9) at each step of a crossing, and each link is cut, one way or both, at
a crossing and at rest (issue 22, proofs 3 and 4): whoever is on the way is never in two worlds and never in
none, and has what it had. And nothing is killed or cut, and everybody goes on (proof 9).

On PostgreSQL, with Valkey. Skipped where one of them is not installed; CI has both.

    CAUSEWAY_SOAK_ROUNDS=10000 CAUSEWAY_SOAK_MINUTES=60 python -m pytest -m soak tests/cluster/test_faults.py
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import pytest
import trio

from server.edge.orphans import HOLD_SECONDS
from server.exits import CRASHED
from server.store.check import check_database
from server.store.database import Database
from tests.kit import postgres, valkey
from tests.kit.border_cluster import LINKS, VICTIMS, BorderCluster
from tests.kit.border_people import Wanderer
from tests.kit.cable import BOTH, Way
from tests.kit.overheard import STEPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.skipif(valkey.MISSING, reason=valkey.WHY),
    pytest.mark.timeout(600),
]

ROUNDS: Final = int(os.environ.get("CAUSEWAY_SOAK_ROUNDS", "10000"))
MINUTES: Final = float(os.environ.get("CAUSEWAY_SOAK_MINUTES", "60"))

APART: Final = (("line1", "bus1"), ("line2", "bus2"), ("sql1",), ("sql2",), ("sql",), ("doors",))
"""All links. What is cut at one time has nothing to do with each other: over Valkey nobody crosses."""
BRIEFLY: Final[Mapping[frozenset[Way], float]] = {frozenset({way}): 0.7 for way in Way} | {BOTH: 1.0}
"""Ways that are cut, and seconds of silence that no line is lost by."""

T = TypeVar("T")

WALK_SECONDS: Final = 30.0
PLACES: Final = 6
"""Where somebody has stood who walks: more than one passes in a second."""
ALL: Final = ("uo", "eo", "l2", "co", "eq2")
NAMES: Final = {"uo": "Ursula", "eo": "Erna", "l2": "Lina", "co": "Cora", "eq2": "Edda"}


CUTS: Final = ("hung up", "reset", *Way, BOTH)
"""In what way a link fails: with the end of its connections, or without a word and one way or both."""
SILENCES: Final = (0.5, 2.5, 6.5, 12.0)
"""Seconds: nobody notices, a crossing is taken back, an edge and a world lose each other, a world stops that
does not reach PostgreSQL."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BorderCluster]:
    made = BorderCluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.start()
        yield made
    finally:
        made.close()


class Siege:
    """Rounds over one cluster. `wrong` is what was found."""

    def __init__(self, cluster: BorderCluster, nursery: trio.Nursery, seed: int) -> None:
        self.cluster = cluster
        self.dice = random.Random(seed)
        self.wrong: list[str] = []
        self.rounds = self.gold = 0
        self.missed: list[str] = []
        """Steps that did not come by, so that nothing happened at them."""
        self.people: list[Wanderer] = []
        self._nursery = nursery

    async def begin(self, *games: str) -> None:
        """Have people come in."""
        self.people = [Wanderer(self.cluster, self._nursery, game, NAMES[game]) for game in games]
        for one in self.people:
            await one.enters()
            self.wrong += await one.looks()
            self._nursery.start_soon(one.keeps_watch, self.wrong)
        self.gold = await apart(self.cluster.gold)

    async def here(self) -> int:
        """The world where one of them is, who is the next to go."""
        return await self.people[self.rounds % len(self.people)].settles()

    async def at(self, world: int, step: str, happens: Callable[[], object], *, lost: bool) -> None:
        """All walk to and fro until a step of a crossing of that world comes by. Before it does something
        happens; then it goes on or is lost."""
        trap, over = self.cluster.trap, trio.Event()
        trap.seen.clear()
        trap.set(world, step)
        async with trio.open_nursery() as walks:
            for one in self.people:
                walks.start_soon(one.walks, over)
            if not await apart(partial(trap.caught, WALK_SECONDS)):
                self.missed.append(f"{step} of {world} in round {self.rounds}: {trap.seen}")
            await apart(happens)
            over.set()
        trap.open(lost=lost)

    async def look(self, what: str) -> None:
        """Everybody is in one world, with what it had."""
        found = [line for one in self.people for line in await one.looks()]
        if (gold := await apart(self.cluster.gold)) != self.gold:
            found.append(f"there were {self.gold} gold, now there are {gold}")
        self.wrong += [f"round {self.rounds}, {what}: {line}" for line in found]
        self.rounds += 1

    async def kill(self, step: str, victim: str) -> None:
        """A part dies at a step, and is started again."""
        here = await self.here()
        there = 3 - here
        name = {"from": f"world{here}", "to": f"world{there}"}.get(victim, victim)
        lost = self.dice.random() < 0.5
        await self.at(there if STEPS[step] else here, step, partial(self.cluster.kill, name), lost=lost)
        await apart(partial(self.cluster.begin, name))
        await self.look(f"{step} {'is lost' if lost else 'comes late'}, {name} dies")

    async def cut(self, link: str, cut: object, seconds: float, step: str = "") -> None:
        """A link fails for so long, at a step or at rest; a number at its end is that of the world where
        somebody is (1) or of the other (2)."""
        here = await self.here()
        if here == 2:
            link = link.translate({ord("1"): "2", ord("2"): "1"})
        cables = self.cluster.wires(link)

        def fails() -> None:
            for cable in cables:
                if isinstance(cut, str):
                    cable.cut(reset=cut == "reset")
                else:
                    cable.swallow(*([cut] if isinstance(cut, Way) else BOTH))

        if step:
            await self.at(3 - here if STEPS[step] else here, step, fails, lost=False)
        else:
            await apart(fails)
        await trio.sleep(seconds)
        for cable in cables:
            cable.mend()
        await self.look(f"{link} fails ({cut}) for {seconds} s at {step or 'rest'}")

    async def cut_all(self, ways: frozenset[Way], seconds: float) -> None:
        """Each link falls silent for so long, one after another, while all walk to and fro."""
        over = trio.Event()
        async with trio.open_nursery() as walks:
            for one in self.people:
                walks.start_soon(one.walks, over)
            for links in APART:
                cables = [cable for link in links for cable in self.cluster.wires(link)]
                for cable in cables:
                    cable.swallow(*ways)
                await trio.sleep(seconds)
                for cable in cables:
                    cable.mend()
            over.set()
        await self.look(f"each link is cut ({[*ways]}) for {seconds} s")

    async def end(self) -> None:
        """All of it is sound, and nothing was passed over."""
        for one in self.people:
            one.leaves()
        database = Database(self.cluster.url, guest=True)
        self.wrong += map(str, await apart(partial(check_database, database)))
        self.wrong += self.cluster.faults()
        self._nursery.cancel_scope.cancel()
        assert self.wrong == [], "\n".join(self.wrong)
        assert self.missed == []


async def apart(call: Callable[[], T]) -> T:
    """In a thread, while clients live on."""
    return await trio.to_thread.run_sync(call)


async def goes_to_and_fro(cluster: BorderCluster, times: int) -> None:
    """One of each game, each on the connection with which it came."""
    async with trio.open_nursery() as nursery:
        siege = Siege(cluster, nursery, 1)
        await siege.begin(*ALL)

        async def goes(one: Wanderer) -> None:
            for _ in range(times):
                await one.crosses()

        async with trio.open_nursery() as walks:
            for one in siege.people:
                walks.start_soon(goes, one)
        await siege.look("all have crossed")
        assert [(one.game, one.logins) for one in siege.people if one.logins > 1] == []
        await siege.end()


async def loses_its_database(cluster: BorderCluster, how: object, *, told: bool = False) -> None:
    """The world where somebody plays reaches PostgreSQL no more, in that way; `told` to end just then or not,
    it ends. Its client waits at its edge, and plays on when all is as before."""
    async with trio.open_nursery() as nursery:
        siege = Siege(cluster, nursery, 1)
        await siege.begin("eo")
        here = await siege.here()
        world, (cable,) = cluster.servers[f"world{here}"].process, cluster.wires(f"sql{here}")
        assert world is not None
        if how == "killed":
            await apart(partial(cluster.kill, "postgresql"))
        elif how == "refused":
            cable.cut()
        else:
            cable.swallow(*([how] if isinstance(how, Way) else BOTH))
        if told:
            world.send_signal(signal.SIGTERM)
        assert await apart(partial(world.wait, 60)) == CRASHED
        assert siege.people[0].online
        cable.mend()
        if how == "killed":
            await apart(partial(cluster.begin, "postgresql"))
        await siege.look(f"PostgreSQL is away ({how})")
        await siege.end()


async def test_a_client_of_each_game_crosses_on_one_connection(cluster: BorderCluster) -> None:
    await goes_to_and_fro(cluster, 4)


async def test_whoever_dies_at_whichever_step_a_player_is_in_one_world(cluster: BorderCluster) -> None:
    """Each step once; each part four times."""
    victims = [*VICTIMS] * 4
    random.Random(1).shuffle(victims)
    assert len(STEPS) == len(victims)
    async with trio.open_nursery() as nursery:
        siege = Siege(cluster, nursery, 1)
        await siege.begin("eo", "uo")
        for step, victim in zip(STEPS, victims, strict=True):
            await siege.kill(step, victim)
        await siege.end()


async def test_whichever_link_is_cut_a_player_is_in_one_world(cluster: BorderCluster) -> None:
    async with trio.open_nursery() as nursery:
        siege = Siege(cluster, nursery, 1)
        await siege.begin("eo", "uo")
        await siege.cut("line1", Way.BACK, 6.5, "move")
        await siege.cut("line2", "hung up", 0.0, "adopted")
        await siege.cut("sql2", BOTH, 2.5, "commit arrive answered")
        await siege.cut("doors", "reset", 0.0, "held")
        await siege.end()


async def test_a_world_that_hears_nothing_from_postgresql_ends(cluster: BorderCluster) -> None:
    await loses_its_database(cluster, "silent")


@pytest.mark.soak
@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("how", ["silent", *Way, "refused", "killed"])
async def test_a_world_that_reaches_postgresql_no_more_ends(
    cluster: BorderCluster, how: object, *, told: bool
) -> None:
    await loses_its_database(cluster, how, told=told)


async def test_links_that_are_silent_for_a_moment_end_nobody(cluster: BorderCluster) -> None:
    """Each link, each way and both; everybody crosses and plays on, on the connection with which it came."""
    cluster.trap.seen.clear()
    async with trio.open_nursery() as nursery:
        siege = Siege(cluster, nursery, 1)
        await siege.begin("eo", "uo")
        for ways, seconds in BRIEFLY.items():
            await siege.cut_all(ways, seconds)
        assert [one.name for one in siege.people if one.logins > 1] == []
        assert {(1, "moved"), (2, "moved")} <= {*cluster.trap.seen}, "nobody has crossed meanwhile"
        await siege.end()


@pytest.mark.soak
@pytest.mark.timeout(0)
async def test_a_client_of_each_game_crosses_a_hundred_times_on_one_connection(
    cluster: BorderCluster,
) -> None:
    await goes_to_and_fro(cluster, 100)


@pytest.mark.soak
@pytest.mark.timeout(0)
async def test_ten_thousand_deaths_at_a_border(cluster: BorderCluster) -> None:
    """Or as many as there is time for."""
    until = time.monotonic() + 60 * MINUTES
    async with trio.open_nursery() as nursery:
        siege = Siege(cluster, nursery, int(time.time()))
        await siege.begin(*ALL)
        while siege.rounds < ROUNDS and time.monotonic() < until:
            await siege.kill(siege.dice.choice([*STEPS]), siege.dice.choice(VICTIMS))
            assert siege.wrong == []
        sys.stdout.write(f"\n{siege.rounds} deaths\n")
        await siege.end()


@pytest.mark.soak
@pytest.mark.timeout(0)
async def test_every_link_is_cut_in_every_way_at_a_crossing_and_at_rest(cluster: BorderCluster) -> None:
    """Each for a few seconds that dice say."""
    async with trio.open_nursery() as nursery:
        siege = Siege(cluster, nursery, int(time.time()))
        await siege.begin(*ALL)
        for link, cut, at_rest in itertools.product(LINKS, CUTS, (True, False)):
            step = "" if at_rest else siege.dice.choice([*STEPS])
            await siege.cut(link, cut, siege.dice.choice(SILENCES), step)
            assert siege.wrong == []
        sys.stdout.write(f"\n{siege.rounds} cuts\n")
        await siege.end()


async def stroll_until_their_world_dies(
    cluster: BorderCluster, people: list[Wanderer]
) -> tuple[float, dict[str, list[tuple[float, tuple[int, int]]]]]:
    """They walk steadily in the first world, which is killed then: when, and where each stood by then."""

    def walked(places: list[tuple[float, tuple[int, int]]]) -> bool:
        return len({place for _, place in places}) >= PLACES

    stood: dict[str, list[tuple[float, tuple[int, int]]]] = {one.name: [] for one in people}
    over = trio.Event()
    async with trio.open_nursery() as notes, trio.open_nursery() as walks:
        for one in people:
            notes.start_soon(one.notes, stood[one.name])
            walks.start_soon(one.strolls, over)
        with trio.fail_after(WALK_SECONDS):
            while not all(map(walked, stood.values())):  # noqa: ASYNC110 # they say so to nobody
                await trio.sleep(0.1)
        died = time.monotonic()
        await apart(partial(cluster.kill, "world1"))
        over.set()
        notes.cancel_scope.cancel()
    return died, stood


async def test_who_played_in_a_killed_world_goes_on_in_an_heir_where_it_stood(cluster: BorderCluster) -> None:
    """On the connection it has, before its edge gives it up, and at most a second back. This comes last here:
    the cluster is not put together again."""
    await apart(partial(cluster.renew, "world2", "[world]\n", "[world]\nheir = true\n"))
    async with trio.open_nursery() as nursery:
        people = [Wanderer(cluster, nursery, game, name) for game, name in (("eo", "Ella"), ("uo", "Uta"))]
        for one in people:
            await one.enters()
        died, stood = await stroll_until_their_world_dies(cluster, people)
        for one in people:
            while (about := await apart(partial(cluster.about, 2, one.serial))) is None:
                assert time.monotonic() < died + HOLD_SECONDS + 5, cluster.output()
                await trio.sleep(0.1)
            assert one.online, f"{one.name} was hung up on"
            assert one.logins == 1
            assert await one.echo()
            _, last = stood[one.name][-1]
            # The one before that time, too: there it stood until it was asked again.
            then = [place for when, place in stood[one.name] if when >= died - 1.0]
            then.append([place for when, place in stood[one.name] if when < died - 1.0][-1])
            assert stood[one.name][0][1] not in then, "it hardly walked"
            x, y = int(str(about["x"])), int(str(about["y"]))
            # One step may have been taken since it was asked last.
            assert (x, y) in then or max(abs(x - last[0]), abs(y - last[1])) <= 1, (x, y, then)
        for one in people:
            one.leaves()
        nursery.cancel_scope.cancel()
    assert cluster.faults() == []
