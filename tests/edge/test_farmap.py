"""The live map at an edge: realms of several worlds, of which some fall silent, die, or hand realms on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from server.edge import farmap
from server.edge.display import NUMBERS
from server.edge.farmap import FarMap, Watcher
from server.edge.words import Shown, Told, Unwatch, Watch
from server.web.turnout import Population, Turnout, together

if TYPE_CHECKING:
    from trio.testing import MockClock

    from server.edge.words import Word

REALMS = ("field", "cave", "island")


class World:
    """A world in another process: what it was told, and what it says."""

    def __init__(self, land: Land, *realms: str) -> None:
        self.open = True
        self.heard: list[Word] = []
        self.realms = realms
        self.stopped = False
        self._land = land
        land.worlds.append(self)
        land.nursery.start_soon(self._tells)

    def say(self, word: Word) -> None:
        if self.open:
            self.heard.append(word)

    def taken(self) -> list[Word]:
        """What it was told since it was asked last."""
        heard, self.heard = self.heard, []
        return heard

    def shows(self, realm: str, update: str = "", whole: str = "", **more: bool) -> None:
        self._land.map.shown(self, Shown(realm, update, whole, **more))

    async def _tells(self) -> None:
        while True:
            if self.open and not self.stopped:
                there = {realm: Population(1, 2) for realm in self.realms}
                self._land.map.told(self, Told(Turnout({"uo": 1}, [f"of {self.realms}"], there, 5.0)))
            await trio.sleep(2)


class Land:
    def __init__(self, nursery: trio.Nursery) -> None:
        self.nursery = nursery
        self.worlds: list[World] = []
        self.ended: list[str] = []
        self.map = FarMap(lambda: self.worlds, lambda: REALMS, stalled_seconds=lambda: 10.0)
        nursery.start_soon(self.map.run)

    def watcher(self, realm: str, name: str = "") -> Watcher:
        return self.map.begin(realm, lambda: self.ended.append(name))


@pytest.fixture
async def land(nursery: trio.Nursery, autojump_clock: MockClock) -> Land:
    return Land(nursery)


async def next_of(watcher: Watcher) -> str | None:
    """Its next message; None if there is none for a while."""
    with trio.move_on_after(1):
        return await watcher.next()
    return None


async def test_each_realm_is_shown_by_the_world_that_has_it_once_for_all(
    land: Land, autojump_clock: MockClock
) -> None:
    one, two = World(land, "field"), World(land, "cave")
    await trio.sleep(1)
    assert one.taken() == two.taken() == [Watch(NUMBERS)]
    first = land.watcher("cave")
    await trio.sleep(1)
    assert (one.taken(), two.taken()) == ([], [Watch("cave", 1, newcomers=True)])
    two.shows("cave", whole="realm\nall\n", anew=True)
    assert await next_of(first) == "realm\nall\n"
    second = land.watcher("cave")
    await trio.sleep(2)
    assert two.taken() == [Watch("cave", 2, newcomers=True)]
    two.shows("cave", update="a step\n")
    two.shows("cave", update="a word\n", whole="realm\nall and a word\n")
    assert await next_of(second) == "realm\nall and a word\n", "a step would say nothing to it"
    assert land.map.viewers == 2
    for watcher in (first, second):
        watcher.end()
    assert two.taken() == [Unwatch("cave")]
    assert (land.map.viewers, one.taken()) == (0, [])
    assert [land.map.has(name) for name in (*REALMS, "atlantis")] == [True, True, True, False]


async def test_who_takes_nothing_is_passed_over_and_gets_all_anew_or_is_hung_up_on(
    land: Land, autojump_clock: MockClock
) -> None:
    world = World(land, "field")
    slow, fast = land.watcher("field", "slow"), land.watcher("field", "fast")
    await trio.sleep(1)
    world.shows("field", whole="realm\n", anew=True)
    assert await next_of(slow) == await next_of(fast) == "realm\n"
    world.taken()
    taken = []
    async with trio.open_nursery() as nursery:

        async def reads() -> None:
            while True:
                taken.append(await fast.next())

        nursery.start_soon(reads)
        await trio.testing.wait_all_tasks_blocked()
        for number in range(8):
            world.shows("field", update=f"{number}\n")
            await trio.sleep(1)
        assert taken == [f"{number}\n" for number in range(8)]
        assert (world.taken(), land.ended) == ([], []), "nothing is asked for while it takes nothing"
        await trio.sleep(3)
        assert set(land.ended) == {"slow"}
        land.nursery.start_soon(slow.next)
        await trio.sleep(2)
        assert world.taken() == [Watch("field", 2, newcomers=True)]
        nursery.cancel_scope.cancel()


async def test_a_world_that_falls_silent_leaves_the_map_and_comes_back(
    land: Land, autojump_clock: MockClock
) -> None:
    one, two = World(land, "field"), World(land, "cave")
    watcher = land.watcher("field")
    await trio.sleep(1)
    one.shows("field", whole="realm field\nall\n", anew=True)
    assert await next_of(watcher) == "realm field\nall\n"
    told = []

    async def reads() -> None:
        told.append(await watcher.next())

    land.nursery.start_soon(reads)
    await trio.sleep(1)
    one.stopped = True
    await trio.sleep(farmap.GONE_SECONDS - 4)
    assert set(land.map.latest().realms) == {"field", "cave"}
    assert told == []
    await trio.sleep(5)
    assert set(land.map.latest().realms) == {"cave"}
    assert told == ["realm field\n"], "nothing is there"
    assert await next_of(watcher) is None, "and that is told once"
    # Another world goes on with it.
    two.realms = ("cave", "field")
    two.taken()
    await trio.sleep(4)
    assert Watch("field", 1, newcomers=True) in two.taken()
    two.shows("field", whole="realm field\nall again\n", anew=True)
    assert await next_of(watcher) == "realm field\nall again\n"
    one.shows("field", update="of a world that is not asked\n")
    assert await next_of(watcher) is None


async def test_a_world_that_is_lost_for_a_moment_shows_all_anew(
    land: Land, autojump_clock: MockClock
) -> None:
    world = World(land, "field")
    watcher = land.watcher("field")
    await trio.sleep(1)
    world.shows("field", whole="realm\n", anew=True)
    assert await next_of(watcher) == "realm\n"
    world.open = False
    land.map.lost(world)
    await trio.sleep(3)
    world.taken()
    world.open = True
    await trio.sleep(3)
    assert world.taken() == [Watch(NUMBERS), Watch("field", 1)]
    world.shows("field", over=True)
    await trio.sleep(3)
    assert world.taken() == [Watch("field", 1)], "asked again, a second later"


def test_numbers_of_several_worlds_are_added() -> None:
    one = Turnout({"uo": 2, "eo": 1}, ["Cora", "anna"], {"field": Population(3, 4)}, 20.0, False)
    two = Turnout({"uo": 1}, ["Bert"], {"cave": Population(1, 9)}, 4.0, True)
    assert together([one, two]) == Turnout(
        {"uo": 3, "eo": 1},
        ["anna", "Bert", "Cora"],
        {"field": Population(3, 4), "cave": Population(1, 9)},
        4.0,
        True,
    )
    assert together([]) == Turnout({}, [], {}, 0.0, False)
