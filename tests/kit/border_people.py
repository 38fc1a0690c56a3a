"""People who go to and fro over the border of `tests.kit.border_cluster`, whatever happens to it."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from tests.kit.actor import CannotEnter
from tests.kit.actors import make_actor
from tests.kit.border import REALMS, WAYS
from tests.kit.sockets import Ports
from world.heading import EAST, NORTH, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kit.border_cluster import BorderCluster, Stored

T = TypeVar("T")

STEP_SECONDS: Final = 0.55
"""From one step to the next: every game lets its people walk so fast."""
SECONDS: Final = 60.0
"""In which everything comes back, on a busy machine."""
LOOK_SECONDS: Final = 0.2
AWAY: Final = (SOUTH, NORTH)
"""From the way to the other realm, in each."""
NOTE_SECONDS: Final = 0.05
LANE_X, LANE_Y = (16, 32), 16
"""A free lane in the first realm, south of the way down."""
HOME_SECONDS: Final = 0.8
"""Within so many, who came in elsewhere is on the way home (`server.people.home`)."""


async def _apart(call: Callable[[], T]) -> T:
    """In a thread: the cables have threads of their own, clients have not."""
    return await trio.to_thread.run_sync(call)


class Wanderer:
    """Somebody with a client, a character and what it has."""

    def __init__(self, cluster: BorderCluster, nursery: trio.Nursery, game: str, name: str) -> None:
        self._cluster = cluster
        self._nursery = nursery
        self.name = name
        self.game = game
        self.serial = 0
        self.logins = 0
        self.known: Stored | None = None
        """What it has, by the database."""
        self._ports = Ports(nursery, cluster.doors())
        self._actor = make_actor(game, self._ports)

    @property
    def online(self) -> bool:
        """Whether it believes to be in the world."""
        return self._actor.online

    async def echo(self) -> bool:
        """Whether the server answers its client."""
        return await self._actor.echo(5.0)

    async def enters(self) -> None:
        """With a client that knows nothing yet, as soon as it is let in."""
        deadline = time.monotonic() + SECONDS
        while (why := await self._tries_to_enter()) is not None:
            assert time.monotonic() < deadline, f"{self.name} ({self.game}) cannot enter: {why}"
            await _apart(self._cluster.revive)
            await trio.sleep(LOOK_SECONDS)
        self.logins += 1
        await trio.sleep(HOME_SECONDS)
        if not self.serial:
            self.serial = await _apart(partial(self._cluster.serial, self.name))

    async def _tries_to_enter(self) -> Exception | None:
        self._ports.hang_up(again=True)
        self._ports.addresses = self._cluster.doors()
        try:
            with trio.fail_after(SECONDS / 4):
                await self._actor.enters(self.name.lower(), self.name)
        except (CannotEnter, trio.TooSlowError, OSError) as error:
            return error
        return None

    async def settles(self) -> int:
        """Until it plays where it stands by the database, and its client is answered; in which world."""
        deadline = time.monotonic() + SECONDS
        why: object = None
        while time.monotonic() < deadline:
            await _apart(self._cluster.revive)
            if not self.online or not await self.echo():
                await self.enters()
            stored = await _apart(partial(self._cluster.stored, self.serial))
            memories = await _apart(partial(self._cluster.memories, self.serial))
            home = REALMS.index(stored.realm) + 1
            why = stored.world, stored.realm, memories
            if memories == [home] == [stored.world] and self.online:
                return home
            await trio.sleep(LOOK_SECONDS)
        raise AssertionError(f"{self.name} ({self.game}) does not settle: {why}")

    async def walks(self, over: trio.Event) -> None:
        """To the border and over it, to and fro, until then."""
        while not over.is_set():
            _, heading = await _apart(self._on_its_way)
            if heading is not None:
                await self._actor.step(heading)
            with trio.move_on_after(STEP_SECONDS):
                await over.wait()

    async def strolls(self, over: trio.Event) -> None:
        """To and fro south of the way down, in the first world, until then."""
        heading = WEST
        while not over.is_set():
            about = await _apart(partial(self._cluster.about, 1, self.serial))
            if about is not None:
                x = int(str(about["x"]))
                heading = EAST if x <= LANE_X[0] else WEST if x >= LANE_X[1] else heading
                await self._actor.step(SOUTH if int(str(about["y"])) < LANE_Y else heading)
            with trio.move_on_after(STEP_SECONDS):
                await over.wait()

    async def notes(self, stood: list[tuple[float, tuple[int, int]]]) -> None:
        """Where the first world has it, again and again, and when it had said so."""
        while True:
            about = await _apart(partial(self._cluster.about, 1, self.serial))
            if about is not None:
                stood.append((time.monotonic(), (int(str(about["x"])), int(str(about["y"])))))
            await trio.sleep(NOTE_SECONDS)

    async def crosses(self) -> None:
        """To the other side, where it plays on."""
        here = await self.settles()
        with trio.move_on_after(SECONDS):
            while True:
                there, heading = await _apart(self._on_its_way)
                if there not in (None, here):
                    break
                if heading is not None:
                    await self._actor.step(heading)
                await trio.sleep(STEP_SECONDS)
        assert await self.settles() != here

    def _on_its_way(self) -> tuple[int | None, int | None]:
        """The world where it is, and the way to the border from there."""
        for world, realm in enumerate(REALMS, 1):
            about = self._cluster.about(world, self.serial)
            if about is not None:
                x, y = WAYS[realm]
                dx, dy = x - int(str(about["x"])), y - int(str(about["y"]))
                if dx:
                    return world, EAST if dx > 0 else WEST
                if not dy:  # who was sent back stands on the way itself, and has to step off it
                    return world, AWAY[world - 1]
                return world, SOUTH if dy > 0 else NORTH
        return None, None

    async def keeps_watch(self, wrong: list[str]) -> None:
        """Look again and again that no two worlds have it."""
        while True:
            if self.serial and await _apart(partial(self._cluster.twice, self.serial)):
                wrong.append(f"{self.name} was in two worlds")
            await trio.sleep(LOOK_SECONDS)

    async def looks(self) -> list[str]:
        """What is wrong with what it has; it is in one world."""
        world = await self.settles()
        await _apart(partial(self._cluster.asked, world, "save"))
        now = await _apart(partial(self._cluster.stored, self.serial))
        before, self.known = self.known, now
        if before is None or before.things == now.things:
            return []
        return [f"{self.name} had {before.things}, has {now.things}"]

    def leaves(self) -> None:
        """Hang up."""
        self._ports.hang_up()
