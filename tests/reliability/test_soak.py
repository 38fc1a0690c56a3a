"""An hour of play: 200 clients of all games, kill -9 every three minutes, and no memory that only grows.

    CAUSEWAY_SOAK_MINUTES=6 python -m pytest -m soak --timeout 0 tests/reliability/test_soak.py

A tenth of the clients decode everything, carry things about, log out and come back, as in H-kill
(`tests/kit/killing.py`); the others (`server.bots`) walk, turn and talk. After each kill the database has to
be sound and every thing there once. The last third is one stretch without a kill, in which nobody divides a
stack: resident memory is read every two seconds, and the slope is that of the line through its second half.
Before that caches, rings and the allocator's arenas fill, so in three minutes there is nothing to see, and
short runs only tell.
"""

from __future__ import annotations

import gc
import os
import re
import sqlite3
import sys
import threading
from collections import Counter
from contextlib import ExitStack, closing
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
import trio

from server.bots import bench
from server.bots.bot import bot_name
from server.bots.games import BOTS
from server.bots.process import game_address, resident_bytes
from server.bots.swarm import Swarm, SwarmError
from server.operate import admin
from tests.kit.besieged import LONGEST_ARRIVAL, whereabouts
from tests.kit.deeds import ACTS
from tests.kit.killing import Siege
from tests.kit.sockets import Ports
from tests.kit.stage import Stage, settle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.actor import Actor
    from tests.kit.besieged import Person
    from world.world import World

MINUTES: Final = float(os.environ.get("CAUSEWAY_SOAK_MINUTES", "60"))
KILL_EVERY: Final = 180.0
LAST_STRETCH: Final = MINUTES * 60 / 3
LOOK_EVERY: Final = 2.0

CLIENTS: Final = 200
KINDS: Final = ("uo", "eo", "uo-encrypted", "eq2")
"""Of those that only go about."""
INTERVAL: Final = 1.0
"""Seconds between two moves of one of them."""
ARRIVAL: Final = 120.0
AT_ONCE: Final = 8
"""Of each kind at the door: who finds a long queue before the password check is turned away."""

MOST_GROWTH: Final = 1.0
"""MiB in ten minutes."""

CALM: Final = {"step": 20, "say": 3, "put_on": 6, "take_off": 5, "use": 3, "relog": 3, "vanish": 2}
"""How often people do what, in the last stretch."""

LEAST_STRETCH: Final = 600.0
"""Seconds: in less a slope is only told. It takes four minutes until all caches are full."""

Look = tuple[float, float]
"""Seconds since the round began, and MiB of resident memory."""


def slope(looks: Sequence[Look]) -> float:
    """By how much the second number grows for each of the first: a line by least squares."""
    middle = sum(at for at, _ in looks) / len(looks)
    mean = sum(size for _, size in looks) / len(looks)
    above = sum((at - middle) * (size - mean) for at, size in looks)
    return above / sum((at - middle) ** 2 for at, _ in looks)


def lying(path: Path) -> dict[int, tuple[str, int]]:
    """Kind and amount of all that lies on the ground, and of what is in that, by serial."""
    query = """
        WITH RECURSIVE lies(serial, template, amount) AS (
            SELECT serial, template, amount FROM item WHERE realm IS NOT NULL
            UNION ALL
            SELECT item.serial, item.template, item.amount FROM item JOIN lies ON item.parent = lies.serial
        )
        SELECT * FROM lies
    """
    with closing(sqlite3.connect(path)) as connection:
        return {serial: (template, amount) for serial, template, amount in connection.execute(query)}


class Walkers:
    """Bots of one kind, in a thread of their own, until the server is gone. The numbers make their names."""

    def __init__(self, kind: str, numbers: Iterable[int], address: tuple[str, int]) -> None:
        self.failed = ""
        self.moves = 0
        make = BOTS[kind]
        bots = [make(bot_name(number, make.game), Random(number).randbytes) for number in numbers]
        self._swarm = Swarm(address, bots, bench.wander, interval=INTERVAL, at_once=AT_ONCE)
        self._inside = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._go, name=kind)
        self._thread.start()

    def _go(self) -> None:
        try:
            self._swarm.enter(ARRIVAL)
            self._inside.set()
            while not self._stopped:
                self.moves += self._swarm.run(LOOK_EVERY).moves
        except SwarmError as error:
            self.failed = str(error)
            self._inside.set()

    def wait(self) -> None:
        """Until all are in the world. Raises SwarmError if they are not let in."""
        self._inside.wait()
        if self.failed:
            raise SwarmError(self.failed)

    def close(self) -> None:
        """Hang up."""
        self._stopped = True
        self._thread.join()
        self._swarm.close()


class Soak(Siege):
    """The world and the people of the siege, who take their time, among many who walk."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.couples.clear()  # what they have belongs to everybody here
        self.rounds: list[list[Look]] = []
        self.lateness: list[float] = []
        """The 99th percentile of each round's last turns, in milliseconds."""
        self.warnings: Counter[str] = Counter()
        self.lying: dict[int, tuple[str, int]] = {}
        """What may decay in this stretch: kinds and amounts by serial."""
        self.calm = False
        """Whether people do only what makes no stack into two: else the world itself would grow."""
        self._configure(1.0)

    async def stretch(self, seconds: float) -> list[str]:
        """Start the server, let everybody in, look at it for so long, kill it; what is wrong with what it
        left."""
        self._dying = False
        self.lying = lying(self.path) if seconds > self.content.law.ground_seconds else {}
        self._thrown_out.clear()
        await trio.to_thread.run_sync(self.server.start)
        with ExitStack() as stack:
            stack.callback(self.server.close)
            walkers = self._walkers(stack)
            async with trio.open_nursery() as nursery:
                ports = Ports(nursery, self.server.addresses())
                stack.callback(ports.hang_up)
                self._inside, self._all_inside = set(), trio.Event()
                for person in self.people:
                    life = self._life(ports, person, Random(self.dice.random()))
                    nursery.start_soon(self._until_the_end, life)
                for crowd in walkers:
                    await trio.to_thread.run_sync(crowd.wait)
                with trio.move_on_after(LONGEST_ARRIVAL):
                    await self._all_inside.wait()
                self.rounds.append(await self._watch(seconds))
                self.lateness.append(await self._late())
                self._dying = True
                lost = [crowd.failed for crowd in walkers if crowd.failed]
                await trio.to_thread.run_sync(self.server.kill)
                nursery.cancel_scope.cancel()
        self.deeds["walk"] += sum(crowd.moves for crowd in walkers)
        self._count_warnings()
        return [*lost, *self.verdict()]

    def _amounts(self) -> Sequence[str]:
        """What lay on the ground all the while has decayed."""
        left = whereabouts(self.path)
        for serial, (template, amount) in self.lying.items():
            if serial not in left:
                self.total[template] -= amount
        return super()._amounts()

    def _walkers(self, stack: ExitStack) -> list[Walkers]:
        walkers: list[Walkers] = []
        for place, kind in enumerate(KINDS):
            numbers = range(place, CLIENTS - len(self.people), len(KINDS))
            address = game_address(self.server.state / "endpoints.json", BOTS[kind].game)
            walkers.append(Walkers(kind, numbers, address))
            stack.callback(walkers[-1].close)
        return walkers

    async def _watch(self, seconds: float) -> list[Look]:
        process = self.server.process
        assert process is not None
        looks = []
        began = trio.current_time()
        while (at := trio.current_time() - began) < seconds:
            assert process.poll() is None, f"the server ended by itself:\n{self.server.output()}"
            looks.append((at, resident_bytes(process.pid) / 2**20))
            await trio.sleep(LOOK_EVERY)
        return looks

    async def _late(self) -> float:
        found = None
        while found is None:  # a server that is busy answers without these numbers
            answer = await trio.to_thread.run_sync(admin.ask, self.server.state, "status")
            told = " ".join(answer.lines)
            found = re.search(r"began late by [\d.]+ ms \(p50\) and ([\d.]+) ms \(p99\)", told)
            assert found is not None or "overloaded" in told, told
        return float(found[1])

    def _count_warnings(self) -> None:
        for line in self.server.output().splitlines():
            if "WARNING" in line:
                self.warnings[re.sub(r"[\d.]+", "#", line.partition("WARNING")[2])[:60].strip()] += 1

    async def _do_something(self, actor: Actor, person: Person, dice: Random) -> None:
        await trio.sleep(dice.uniform(0.25, 0.75))
        if not self.calm:
            await super()._do_something(actor, person, dice)
            return
        verb = dice.choices(list(CALM), list(CALM.values()))[0]
        if verb in ACTS:
            if verb == "step":
                person.place.goes()
            await ACTS[verb](actor, dice)
            await actor.echo()
            return
        if verb == "relog":
            await actor.logs_out()
        else:
            actor.leaves()
        await self._enter(actor, person)


@pytest.mark.soak
async def test_an_hour_of_play_and_kills_loses_nothing_and_keeps_no_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    soak = Soak(tmp_path, 1)
    kills = max(1, round((MINUTES * 60 - LAST_STRETCH) / KILL_EVERY))
    for number, seconds in enumerate([KILL_EVERY] * kills + [LAST_STRETCH]):
        soak.calm = number == kills
        wrong = await soak.stretch(seconds)
        assert wrong == [], f"round {number}; its files: {soak.keep(tmp_path)}"
    last = soak.rounds[-1]
    settled = last[len(last) // 2 :]
    grows = 600 * slope(settled)
    with capsys.disabled():
        sizes = ", ".join(f"{looks[0][1]:.1f} -> {looks[-1][1]:.1f}" for looks in soak.rounds)
        sys.stdout.write(
            f"\n{len(soak.rounds)} kills; MiB at the beginning and end of each round: {sizes}\n"
            f"the second half of the last: {settled[0][1]:.1f} -> {settled[-1][1]:.1f}, "
            f"{grows:+.2f} MiB in ten minutes\n"
            f"late turns, p99 of each round in ms: {', '.join(f'{late:.1f}' for late in soak.lateness)}\n"
            f"deeds: {dict(soak.deeds)}\nwarnings: {dict(soak.warnings)}\n"
        )
    for deed in ("enter", "walk", "uo take", "eo take", "uo relog", "eo relog", "uo vanish", "eo vanish"):
        assert soak.deeds[deed] > 0, soak.deeds
    if LAST_STRETCH >= LEAST_STRETCH:
        assert grows < MOST_GROWTH


async def test_a_call_that_fails_leaves_nothing_to_the_garbage_collection(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    await settle()

    class RefusalError(LookupError):
        """This test's own: what others keep of theirs in this process is none of its business."""

    def refuse(world: World) -> None:
        raise RefusalError

    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            with pytest.raises(RefusalError):
                await stage.loop.in_world(None, refuse)
        left = [kept for kept in gc.get_objects() if isinstance(kept, RefusalError)]
        assert left == []
    finally:
        gc.enable()


def test_the_slope_is_that_of_a_line() -> None:
    looks = [(float(at), 90.0 + at / 60 + (-1) ** at) for at in range(600)]
    assert slope(looks) == pytest.approx(1 / 60, rel=0.01)
    assert slope([(0.0, 1.0), (1.0, 1.0)]) == 0.0
