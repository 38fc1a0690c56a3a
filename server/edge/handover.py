"""Realms that go from one world to another while both run, with everybody in them.

    here    hold the clients there, freeze their players, close the realm: in one input of the world
            when all of it is on disk, give the realm away
    edge    keeps the clients (`server.edge.orphans`), and tells the other world to look
    there   sees in the database that it has the realm, loads it, and says so to its edges

Whose a realm is stands in the database alone, as with characters (`server.cluster.claims`). If the other
world has died by then, it is taken in again here. A world that inherits takes, in the same way, what no
living world has had for a while. Should the one that had it come back at that very moment, the database gives
it to one of the two: whoever was silent writes nothing more once it was taken over, and whoever starts anew
finds its realm held.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from protocol.endings import Ending
from server.store.database import Database
from world import handover

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from protocol.session import Session
    from server.edge.port import EdgePort
    from server.people.characters import CharacterService
    from server.store.writer import Storage
    from server.turn.loop import Loop
    from world.item import Item
    from world.realm import Realm
    from world.snapshot import ItemRow
    from world.world import World

log = logging.getLogger("world")

HEIR_SECONDS: Final = 5.0
"""For which no living world has a realm before one that inherits takes it, if its own has ended in order: it
may be starting anew."""

SILENT_HEIR_SECONDS: Final = 2.0
"""The same if its own was silent until it was dead (`server.store.fence.SILENT_SECONDS`): that was time to
start anew, and who stands by for it looks as often (`server.store.engine.LOCK_SECONDS`). Both together have
to be less than clients wait (`server.edge.orphans.HOLD_SECONDS`), by as much as two looks take
(`server.edge.crossings.LOOK_SECONDS`) and the realm to load."""

STORE_SECONDS: Final = 5.0
"""For which what lies in a realm may not be written yet. Its players wait at their edges meanwhile, and not
for longer than 10 s (`server.edge.orphans.HOLD_SECONDS`)."""

MOVED: Final = "This land is another world's now."


class CannotGive(Exception):
    """A realm cannot go to another world; the message says why."""


class Handover:
    """Gives realms away, and takes in those that are given."""

    def __init__(
        self,
        loop: Loop,
        characters: CharacterService,
        storage: Storage,
        edges: EdgePort,
        *,
        world: int,
        heir: bool,
        closed: Callable[[], str],
    ) -> None:
        self._loop = loop
        self._characters = characters
        self._storage = storage
        self._edges = edges
        self._world = world
        self._heir = heir
        self._closed = closed
        self._going: set[str] = set()
        self._owners: dict[str, int] = {}
        """Whose realms were, when a living world had them last."""
        self._due: dict[str, float] = {}
        """When those are to be taken that no living world has."""

    async def look(self, owners: Mapping[str, int]) -> None:
        """Take in what this world has by now: `owners` are living worlds by their realms."""
        here = self._loop.world
        if self._closed():
            return
        given = {
            realm for realm, owner in owners.items() if owner == self._world and realm in here.content.charts
        }
        if self._heir:
            self._owners.update(owners)
            given |= await self._inherited(here.content.charts.keys() - owners.keys())
        if new := given - here.realms.keys() - self._going:
            await self._take_in(new)

    async def _inherited(self, ownerless: AbstractSet[str]) -> frozenset[str]:
        now = trio.current_time()
        self._due = {realm: at for realm, at in self._due.items() if realm in ownerless}
        if new := ownerless - self._due.keys():
            worlds = await self._storage.read(Database.worlds)
            silent = {row.id for row in worlds if not (row.alive or row.ended)}
            for realm in new:
                was_silent = self._owners.get(realm) in silent
                self._due[realm] = now + (SILENT_HEIR_SECONDS if was_silent else HEIR_SECONDS)
        due = [realm for realm, at in self._due.items() if now >= at]
        if not due:
            return frozenset()
        return await self._storage.write(lambda database: database.inherit(due))

    async def _take_in(self, names: Collection[str]) -> None:
        def read(database: Database) -> tuple[Sequence[str], Sequence[ItemRow]]:
            # Asked again: `owners` may be of a moment before one of them was given away.
            owners = database.realm_owners()
            mine = [name for name in names if owners.get(name) == self._world]
            database.has_now(mine)
            return mine, database.ground_items(mine)

        names, rows = await self._storage.read(read)
        if not names:
            return
        there = await self._loop.in_world(None, partial(handover.take_in, names=names, rows=rows))
        for damaged in there.damaged:
            log.error("item %#x cannot be used and is left alone: %s", damaged.serial, damaged.reason)
        log.info("realms %s are this world's now, with %d items", ", ".join(sorted(names)), there.items)
        self._edges.tell_realms()

    async def give(self, name: str, to: int) -> None:
        """Give a realm to another living world, with everybody there. Raises CannotGive, with nothing
        changed, if that cannot be."""
        if not self._storage.shared or self._edges.crossings is None:
            raise CannotGive("this world has no others beside it")
        realm = self._loop.world.realms.get(name)
        await self._check(name, realm, to)
        if realm is None:
            return
        lying: list[Item] = []
        self._going.add(name)
        try:
            await self._edges.part_from(name, lambda world: lying.extend(self._close(world, realm)))
            if not await self._stored(lying):
                await self._loop.in_world(None, partial(handover.reopen, realm=realm, lying=lying))
                self._edges.tell_realms()
                raise CannotGive("what lies there is not written: is the database slow?")
            given = await self._storage.write(lambda database: database.give_realm(name, to))
        finally:
            self._going.discard(name)
        if not given:
            await self._take_in([name])
            raise CannotGive(f"world {to} has died meanwhile: {name} stays here")
        self._edges.tell_given(to)
        log.info("the realm %s is world %d's now", name, to)

    async def _check(self, name: str, realm: Realm | None, to: int) -> None:
        if realm is None or name in self._going:
            known = ", ".join(self._loop.world.realms)
            raise CannotGive(f"there is no realm {name} in this world; there are {known}")
        worlds = {row.id: row.alive for row in await self._storage.read(Database.worlds)}
        if to == self._world or not worlds.get(to):
            living = ", ".join(str(one) for one, alive in worlds.items() if alive and one != self._world)
            raise CannotGive(f"world {to} is no other living world; there are: {living or 'none'}")

    def _close(self, world: World, realm: Realm) -> list[Item]:
        """In the world: who could not be left at an edge is sent away."""
        for session in list(self._loop.sessions.values()):
            if session.mobile is not None and session.mobile.realm is realm:
                _send_away(session)
        self._characters.all_leave(world, realm)
        lying = handover.close(world, realm)
        self._edges.tell_realms()
        return lying

    async def _stored(self, lying: Collection[Item]) -> bool:
        """Wait until what lies there is written, and forget it. False, with nothing done, if that takes too
        long."""
        until = trio.current_time() + STORE_SECONDS
        while trio.current_time() < until:
            with trio.move_on_at(until) as patience:
                await self._storage.wait_durable()
            if patience.cancelled_caught:
                return False
            if await self._loop.in_world(None, lambda world: handover.forget(world, lying)):
                return True
        return False


def _send_away(session: Session) -> None:
    session.family.goodbye(session, MOVED)
    session.end(Ending.SHUTDOWN, "its realm is another world's now")
