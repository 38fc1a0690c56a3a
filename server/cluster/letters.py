"""The carrier: has letters brought to those who come into this world, and lets go of those for others.

What is true of a letter is its row, and whose it is says the row of its receiver (`server.store.letters`);
what the world does with it is in `world.deliveries`. Here is only when the one is asked for the other: as
soon as somebody has come, and once a second for those that other worlds have sent. A message that says so was
not used: it can be lost or come twice, and the look has to be there all the same.

Beside that: characters that other worlds have made become known here, so that one can write to them; and
letters that wait in no world for too long, or for somebody who is no more, go back. Every world looks after
these, and the database lets one of them do it.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import trio

from server.store.database import Database
from world import deliveries
from world.mail import MOST_WAITING, SWEEPS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence

    from server.store.writer import Storage
    from world.directory import Known
    from world.snapshot import ItemRow, RecordRow
    from world.world import World

log = logging.getLogger("cluster")

T = TypeVar("T")

LOOK_SECONDS: Final = 1.0
"""From one look for letters that came from elsewhere to the next."""

NEWS_SECONDS: Final = 2.0
"""From one look for new characters to the next."""

OVERLAP_SECONDS: Final = 600.0
"""For which new characters are looked for again: clocks of machines differ, and the dates are theirs."""

FAR_SECONDS, FAR_OVERLAP_SECONDS = 30.0, 86_400.0
"""The same of those of a day, less often: a clock may be wrong by hours, or jump."""

MOST_CROWDED: Final = 1_000
"""Characters elsewhere of whom it is remembered that no more letters may be sent to them."""


class InWorld(Protocol):
    """The way of a call into a turn (`server.turn.loop.Loop.in_world`)."""

    def __call__(self, session: None, run: Callable[[World], T], /) -> Awaitable[T]: ...


class Carrier:
    """Of one world of several. `wall` is seconds UTC."""

    def __init__(
        self, world: World, storage: Storage, in_world: InWorld, *, wall: Callable[[], float]
    ) -> None:
        self._world = world
        self._storage = storage
        self._in_world = in_world
        self._wall = wall
        self._wake = trio.Event()
        self._looking = trio.Lock()
        self._news_from = wall() - OVERLAP_SECONDS
        self._far = trio.current_time() + FAR_SECONDS
        """When to look for those of a day."""
        self._complained = False
        world.letters.stirred = self._stirred

    def _stirred(self) -> None:
        self._wake.set()

    async def run(self) -> None:
        """Look after letters, for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._every, NEWS_SECONDS, self._learn_of_new_ones)
            nursery.start_soon(self._every, SWEEPS, self.sweep)
            while True:
                await self._try(self.look)
                with trio.move_on_after(LOOK_SECONDS):
                    await self._wake.wait()
                self._wake = trio.Event()

    async def _every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await self._try(work)
            await trio.sleep(seconds)

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        """Without the database letters wait, and one line says so."""
        try:
            await work()
        except Exception as error:
            log.log(logging.DEBUG if self._complained else logging.WARNING, "letters have to wait: %s", error)
            self._complained = True
        else:
            self._complained = False

    async def look(self) -> None:
        """Bring what is there for those who are here, and let go of what is for others. One look after the
        other: an answer counts only as far as nothing was asked since."""
        async with self._looking:
            await self._look()

    async def _look(self) -> None:
        world, letters = self._world, self._world.letters
        asked = deliveries.question(world)
        try:
            if asked.known:
                await self._storage.wait_durable()
            await self._turn_back(asked.known.intersection(letters.gone))
            crowded = {*letters.crowded, *(letter.receiver for letter in letters.gone.values())}
            found: Callable[[Database], tuple[list[RecordRow], list[ItemRow], frozenset[int]]] = partial(
                Database.letters_for, receivers=list(asked.wanted)
            )
            answer = deliveries.Answer(*await self._storage.read(found))
            if crowded:
                waiting: Callable[[Database], dict[int, int]] = partial(
                    Database.letters_waiting, receivers=list(crowded)[:MOST_CROWDED]
                )
                counted = await self._storage.read(waiting)
                letters.crowded = {who for who, count in counted.items() if count >= MOST_WAITING}
            if asked.known or asked.wanted or answer.letters:
                await self._in_world(None, partial(deliveries.answered, asked=asked, answer=answer))
        except BaseException:
            deliveries.unanswered(world, asked)
            raise

    async def _turn_back(self, sent: Collection[int]) -> None:
        """Have letters that were sent just now to somebody who is in no world, and hears nothing of their
        sender, go back at once. Where somebody is, that world knows (`world.deliveries`)."""
        unheeded: Callable[[Database], list[RecordRow]] = partial(Database.unheeded_letters, numbers=sent)
        for row in await self._storage.read(unheeded) if sent else ():
            settle: Callable[[Database], bool] = partial(
                Database.settle_letter, found=row, back=partial(deliveries.back, words=True)
            )
            await self._storage.write(settle)

    async def sweep(self) -> None:
        """Have letters that wait in no world for too long, or for nobody, go back or away."""
        overdue: Callable[[Database], list[RecordRow]] = partial(Database.overdue_letters, now=self._wall())
        settled = True
        while settled and (found := await self._storage.read(overdue)):
            settled = False
            for row in found:
                settle: Callable[[Database], bool] = partial(
                    Database.settle_letter, found=row, back=deliveries.back
                )
                settled |= await self._storage.write(settle)

    async def _learn_of_new_ones(self) -> None:
        now, far = self._wall(), trio.current_time() >= self._far
        since = now - FAR_OVERLAP_SECONDS if far else self._news_from
        new: Callable[[Database], Sequence[Known]] = partial(Database.known, since=since)
        self._world.directory.note(*await self._storage.read(new))
        self._news_from = now - OVERLAP_SECONDS
        if far:
            self._far = trio.current_time() + FAR_SECONDS
