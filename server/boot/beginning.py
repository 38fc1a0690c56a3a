"""Parts of a server whose making depends on which world of a database it is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from protocol.carrying import divide
from server.cluster.books import Books
from server.cluster.claims import Claims
from server.cluster.letters import Carrier
from server.commands.machinery import Answer
from server.edge.crossings import Crossings
from server.edge.handover import Handover
from server.operate.orders import poll_orders
from server.people.crossing import host_of
from world.serials import Serials
from world.world import World

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable, Mapping

    from protocol.family import Family
    from server.boot.parts import Parts
    from server.edge.port import EdgePort
    from server.store.database import Database
    from world.content import Content


def begun(content: Content, database: Database, chance: random.Random, now: float) -> World:
    """An empty world with the realms and the serials that this process has."""
    reserved = database.reserve_serials()
    serials = Serials(reserved.mobile_first, reserved.item_first, reserved.mobile_mark, reserved.item_mark)
    world = World(content, serials, chance=chance, now=now, realms=database.only_realms)
    world.records.kept = database.home
    if database.epoch is not None:
        world.records.numbers = serials.item
    return world


SHARES: Final = 8
"""Worlds among which the numbers that clients have for themselves are divided, where a database may have
several: of Endless Online's 64,000 each has 8,000. Beyond so many worlds shares begin anew, and whoever comes
to a world where somebody has its number goes back."""


def divide_numbers(families: Mapping[str, Family], world: int) -> None:
    """Have the games of a world among others hand out its own share of such numbers."""
    for family in families.values():
        divide(family, (world - 1) % SHARES, SHARES)


def handover_of(app: Parts, edges: EdgePort, closed: Callable[[], str]) -> Handover:
    """The giving away and taking in of realms. `closed` says why nobody may come in now."""
    table = app.settings.world
    return Handover(
        app.loop, app.characters, app.storage, edges, world=table.id, heir=table.heir, closed=closed
    )


def crossings_of(app: Parts, handover: Handover) -> Crossings:
    """The border of a world among others."""
    return Crossings(
        host_of(app),
        app.storage,
        Claims(app.storage, entropy=app.entropy),
        app.gateway,
        start=app.start,
        world=app.settings.world.id,
        look=handover.look,
    )


def polling(app: Parts) -> Callable[[], Awaitable[None]]:
    """The task that carries out the orders of a world: of persons, and of other worlds."""

    async def run(who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        answer = None if app.logins is None else await app.logins.obey(command)
        return await app.commands.run(who, command, args) if answer is None else Answer(True, [answer])

    return partial(
        poll_orders,
        app.storage,
        run,
        wall=app.wall,
        secret=app.commands.takes_password,
        worlds=app.switchboard,
    )


class BesideOthers:
    """All that a world which may be one of several does beside its turns."""

    def __init__(self, *jobs: Callable[[], Awaitable[None]]) -> None:
        self._jobs = jobs

    async def run(self) -> None:
        """Do it, for ever."""
        async with trio.open_nursery() as nursery:
            for job in self._jobs:
                nursery.start_soon(job)


def beside_others(app: Parts, wall: Callable[[], float]) -> BesideOthers | None:
    """That of a server; None if its world is the only one. `wall` is seconds UTC."""
    if not app.storage.shared:
        return None
    storage, in_world = app.storage, app.loop.in_world
    carrier = Carrier(app.world, storage, in_world, wall=wall)
    books = Books(app.world, storage, in_world, entropy=app.entropy)
    return BesideOthers(carrier.run, books.run)
