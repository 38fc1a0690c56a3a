"""What goes wrong in a simulated evening: lines, disks, clocks, staff, power cuts."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from tests.kit.site import wire_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.kit.simulation import Person, Simulation
    from world.mobile import Mobile
    from world.realm import Realm
    from world.world import World


class Faults:
    """The faults of one evening."""

    def __init__(self, evening: Simulation) -> None:
        self.evening = evening
        self._dice = random.Random(f"fate {evening.seed}")

    async def happen(self) -> None:
        """Until closing time."""
        while not self.evening.closing:
            await trio.sleep(self._dice.uniform(1.0, 6.0))
            if not self.evening.closing:
                await self._dice.choices(*_FATES)[0](self)

    def someone(self) -> Person:
        """Anybody."""
        return self._dice.choice(self.evening.people)

    def someone_here(self) -> tuple[Person, Mobile] | None:
        """Somebody who is in the world, if anybody is."""
        app = self.evening.site.app
        if app is None:
            return None
        by_name = {mobile.name: mobile for mobile in app.world.mobiles.values() if mobile.is_character}
        here = [(person, by_name[person.name]) for person in self.evening.people if person.name in by_name]
        return self._dice.choice(here) if here else None

    async def orders(self, line: str) -> None:
        """A command from the console."""
        if self.evening.site.app is not None:
            self.evening.note("console", line)
            await self.evening.site.app.commands.run("console", line)

    async def changes(self, what: str, call: Callable[[World], object]) -> None:
        """Something happens to the world between two turns' inputs."""
        if self.evening.site.app is not None:
            self.evening.note("world", what)
            await self.evening.site.app.in_world(None, call)

    async def fails(self) -> None:
        """The disk takes nothing for a while."""
        seconds = self._dice.uniform(0.5, 8.0)
        self.evening.note("disk", f"fails for {seconds:.1f} s")
        disk = self.evening.site.disk
        disk.failing = True
        await trio.sleep(seconds)
        disk.failing = False

    async def jumps(self) -> None:
        """Somebody sets the wall clock."""
        seconds = self._dice.choice((-86_400, -3_600, -1, 1, 3_600, 86_400))
        self.evening.note("clock", f"jumps by {seconds} s")
        self.evening.site.wall += seconds

    async def loses_a_line(self) -> None:
        """A client vanishes."""
        person = self.someone()
        self.evening.note(person.name, "vanishes")
        person.actor.leaves()

    async def clogs_a_line(self) -> None:
        """A client reads nothing for a while."""
        person = self.someone()
        if person.actor.online:
            seconds = self._dice.uniform(0.5, 12.0)
            self.evening.note(person.name, f"reads nothing for {seconds:.1f} s")
            wire_of(person.actor.player).slow_down(seconds)

    async def kicks(self) -> None:
        """Staff throws somebody out."""
        await self.orders(f"kick {self.someone().name} enough")

    async def bans(self) -> None:
        """Staff bans somebody for a while."""
        person = self.someone()
        await self.orders(f"account ban {person.account} 1h rude")
        await trio.sleep(self._dice.uniform(0.5, 5.0))
        await self.orders(f"account unban {person.account}")

    async def kills(self) -> None:
        """Somebody dies, and lives again some time later."""
        person = self.someone()
        await self.orders(f"kill {person.name}")
        await trio.sleep(self._dice.uniform(0.0, 4.0))
        await self.orders(f"resurrect {person.name}")

    async def announces(self) -> None:
        """Staff says something to everybody."""
        await self.orders("broadcast The moon is full.")

    async def summons(self) -> None:
        """Somebody finds himself elsewhere: before a door, at the edge of the realm, beside somebody."""
        found, other = self.someone_here(), self.someone_here()
        if found is None or other is None:
            return
        _, mobile = found
        realm = mobile.realm
        if realm is None:
            return
        doors = [*realm.chart.warps, *realm.chart.doors]
        edge = (self._dice.choice((3, realm.chart.width - 3)), self._dice.randrange(realm.chart.height))
        # Most find somebody else: who is alone has nobody to disturb.
        x, y = self._dice.choice((edge, self._dice.choice(doors), *[(other[1].x, other[1].y)] * 4))
        near = next(realm.free_near(x, y), None)
        if near is not None:
            await self.changes(
                f"{mobile.name} is put at {near}",
                partial(_put, mobile, realm, near),
            )

    async def hides(self) -> None:
        """Somebody cannot be seen for a while."""
        found = self.someone_here()
        if found is None:
            return
        _, mobile = found
        await self.changes(f"{mobile.name} hides", partial(_hide, mobile.name, True))
        await trio.sleep(self._dice.uniform(0.0, 5.0))
        await self.changes(f"{mobile.name} shows up", partial(_hide, mobile.name, False))

    async def replaces(self) -> None:
        """A second client takes a character over."""
        person = self.someone()
        if not person.actor.online:
            return
        self.evening.note(person.name, f"sits down at another client while at {person.actor.game}")
        await self.evening.arrives(person)

    async def restarts(self) -> None:
        """The server stops in good order and starts again."""
        if self.evening.site.app is None:
            return
        self.evening.note("server", "stops")
        self.evening.site.disk.failing = False
        code = await self.evening.site.stop()
        if code != 0:
            self.evening.broken(f"exit code {code}")
        await self._starts_again()

    async def crashes(self) -> None:
        """The server is gone from one moment to the next."""
        if self.evening.site.app is None:
            return
        self.evening.note("server", "crashes")
        await self.evening.site.crash()
        await self._starts_again()

    async def _starts_again(self) -> None:
        await trio.sleep(self._dice.uniform(0.0, 2.0))
        self.evening.note("server", "starts")
        await self.evening.site.start()
        assert self.evening.site.app is not None
        self.evening.look_at_database(self.evening.site.app.world)
        self.evening.look_at_world(self.evening.site.app)


def _put(mobile: Mobile, realm: Realm, place: tuple[int, int], world: World) -> None:
    if mobile.realm is realm:
        world.warp(mobile, realm, *place)


def _hide(name: str, hidden: bool, world: World) -> None:
    """Whoever has that name by now: who left and came back is another mobile."""
    for mobile in world.mobiles.values():
        if mobile.name == name:
            mobile.hidden = hidden


_WEIGHTED_FATES: Final[tuple[tuple[float, Callable[[Faults], Awaitable[None]]], ...]] = (
    (2, Faults.fails),
    (1, Faults.jumps),
    (2, Faults.loses_a_line),
    (3, Faults.clogs_a_line),
    (2, Faults.kicks),
    (1, Faults.bans),
    (3, Faults.kills),
    (1, Faults.announces),
    (8, Faults.summons),
    (3, Faults.hides),
    (3, Faults.replaces),
    (0.6, Faults.restarts),
    (1, Faults.crashes),
)
_FATES: Final = ([fate for _, fate in _WEIGHTED_FATES], [weight for weight, _ in _WEIGHTED_FATES])
