"""Parcels: things and gold that one world sends another, exactly once.

What goes is taken out of the sending world, and the parcel is sent, in one turn and so in one batch; what
comes is put into the receiving world, and the parcel is taken, in one batch there. So each thing is in one
world's rows or in a parcel, never in two of these nor in none, whoever dies when. The database refuses a
second time; that nobody gets so far is seen to here, where messages may come doubled, late and in any order.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import trio

from server.store.database import Database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from server.store.records import ParcelRow
    from server.store.writer import Storage
    from world.world import World

T = TypeVar("T")


class InWorld(Protocol):
    """Runs a call as one input of the next turn; what it raises is raised."""

    def __call__(self, call: Callable[[World], T], /) -> Awaitable[T]: ...


class Parcels:
    """Sends and takes parcels of this world."""

    def __init__(self, storage: Storage, in_world: InWorld) -> None:
        self._storage = storage
        self._in_world = in_world
        self._under_way: dict[str, trio.Event] = {}
        """Ids of those that are being sent or taken; whoever comes with one of them waits."""
        self._handed: set[str] = set()
        """Those that the storage has and that may not be on disk yet."""

    async def send(self, row: ParcelRow, remove: Callable[[World], None]) -> bool:
        """Send a parcel. `remove` takes what is in it out of the world, in the world's task; where it raises,
        nothing is sent. Returns, when the parcel is on disk, True; or False if it was sent before."""

        def go(world: World) -> None:
            remove(world)
            self._storage.send_parcel(row)
            self._handed.add(row.id)

        sent: Callable[[Database], bool] = partial(Database.parcel_sent, parcel_id=row.id)
        async with self._turn(row.id):
            if await self._storage.read(sent):
                return False
            await self._in_world(go)
            await self._until_written(row.id)
        return True

    async def take(self, parcel_id: str, give: Callable[[World, str], None]) -> bool:
        """Take a parcel. `give` puts what its content says into the world, in the world's task; where it
        raises, the parcel waits on. Returns, when all of it is on disk, True; or False if no such parcel
        waits for this world (any more)."""
        waits: Callable[[Database], ParcelRow | None] = partial(Database.waiting_parcel, parcel_id=parcel_id)
        async with self._turn(parcel_id):
            row = await self._storage.read(waits)
            if row is None:
                return False
            content = row.content

            def go(world: World) -> None:
                give(world, content)
                self._storage.take_parcel(parcel_id)
                self._handed.add(parcel_id)

            await self._in_world(go)
            await self._until_written(parcel_id)
        return True

    async def waiting(self) -> Sequence[ParcelRow]:
        """The first of those that wait for this world, oldest first."""
        return await self._storage.read(Database.waiting_parcels)

    @asynccontextmanager
    async def _turn(self, which: str) -> AsyncIterator[None]:
        """While one task is at a parcel, others with the same id wait: so one that begins can read what the
        last one did."""
        while (other := self._under_way.get(which)) is not None:
            await other.wait()
        self._under_way[which] = trio.Event()
        try:
            if which in self._handed:  # by a task that was cancelled then
                await self._until_written(which)
            yield
        finally:
            self._under_way.pop(which).set()

    async def _until_written(self, which: str) -> None:
        await self._storage.wait_durable()
        self._handed.discard(which)
