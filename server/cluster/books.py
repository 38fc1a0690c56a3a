"""The books of guilds and parties between worlds: copies for all, and orders to the one that keeps them.

The home world writes; with each batch in which something of a guild changed the number of the edition of
guilds grows, of parties as well, and the others, who look at it once a second, read all of these anew. What a
player wants to have changed elsewhere goes to the home world as a parcel (`server.cluster.parcels`), with the
gold that goes with it, in the batch in which that has left the pack; it is carried out in the batch in which
the parcel is taken, and what came of it goes back in the same. So each order is done once. Whoever gave it
may have gone to a third world meanwhile: then the answer is for nobody, and what had to reach that one came
by letter.

One that can reach nobody is not sent: with the home world silent its player reads so at once. One that is on
its way when the home world stops is done when that comes again.

Beside that each world asks once a second where those members of parties are whom it has not itself
(`world.party_afar`).
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeVar

import msgspec
import trio

from server.cluster.parcels import Parcels
from server.store.database import Database
from server.store.fence import HOME
from server.store.records import ParcelRow
from world import books, company, copies, guild_copies, party_afar, party_copies, party_memory
from world.companions import Party
from world.elsewhere import Order
from world.guild import Guild
from world.snapshot import sheet
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from server.store.records import Copies
    from server.store.writer import Storage
    from world.mobile import Mobile
    from world.snapshot import CharacterRow, RecordRow
    from world.world import World

log = logging.getLogger("cluster")

T = TypeVar("T")

LOOK_SECONDS: Final = 1.0

STRANGERS_SECONDS: Final = 600.0
"""From one look of the home world for members who were deleted elsewhere, and for parcels that may be
forgotten, to the next."""


class InWorld(Protocol):
    """The way of a call into a turn (`server.turn.loop.Loop.in_world`)."""

    def __call__(self, session: None, run: Callable[[World], T], /) -> Awaitable[T]: ...


class Wanted(msgspec.Struct, frozen=True, tag="order"):
    """Content of a parcel to the home world: what a player of world `world` wants to have done. See
    `world.elsewhere.Order`."""

    world: int
    actor: int
    deed: str
    words: list[str | int]
    other: int
    gold: int


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """Content of a parcel from there: what came of it."""

    actor: int
    text: str


_CONTENT: Final = msgspec.json.Decoder(Wanted | Answer)


class Books:
    """Of one world of several; see `world.elsewhere.Books`. `entropy` is random bytes, for ids."""

    def __init__(
        self,
        world: World,
        storage: Storage,
        in_world: InWorld,
        *,
        entropy: Callable[[int], bytes],
    ) -> None:
        self._world = world
        self._storage = storage
        self._in_world = in_world
        self._number = 0
        """Of this world, once that was asked."""
        self._entropy = entropy
        self._parcels = Parcels(storage, partial(in_world, None))
        self._editions: dict[str, int] = {}
        """Those that were read last, by the first of their tables."""
        self._parties: Mapping[tuple[str, int], RecordRow] | None = None
        """Rows of parties as the world has them; None if that is not known."""
        self._answers = False
        """Whether the home world is alive, of another one."""
        world.elsewhere.books = self

    def ask(self, order: Order) -> bool:
        """See `world.elsewhere.Books`."""
        if not (self._answers or self._number == HOME):
            return False
        content = Wanted(self._number, order.actor, order.deed, [*order.words], order.other, order.gold)
        self._send(HOME, content)
        return True

    def _send(self, to: int, content: Wanted | Answer) -> None:
        """With this turn's changes."""
        parcel = ParcelRow(self._entropy(16).hex(), to, msgspec.json.encode(content).decode())
        self._storage.send_parcel(parcel)

    async def run(self) -> None:
        """Look for what has changed, for orders or answers, and for members, for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._every, LOOK_SECONDS, self.look_for_orders)
            # However many orders wait: whom nobody looks for counts as gone.
            nursery.start_soon(self._every, LOOK_SECONDS, self.look_for_members)
            nursery.start_soon(self._every, STRANGERS_SECONDS, self._tidy)

    async def _every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        complained = False
        while True:
            try:
                await work()
            except Exception as error:
                level = logging.DEBUG if complained else logging.WARNING
                log.log(level, "the books of guilds and parties have to wait: %s", error)
                complained = True
            else:
                complained = False
            await trio.sleep(seconds)

    async def look(self) -> None:
        """Look once, for all of it."""
        await self.look_for_orders()
        await self.look_for_members()

    async def look_for_orders(self) -> None:
        """Look once for what has changed, and for orders or answers."""
        if await self._own() != HOME:
            worlds = await self._storage.read(Database.worlds)
            self._answers = any(row.id == HOME and row.alive for row in worlds)
            unsure = frozenset(self._world.elsewhere.unsure)
            await self._copy_guilds()
            await self._copy_parties()
            if unsure:
                await self._in_world(None, partial(party_memory.close_windows, serials=unsure))
        for row in await self._parcels.waiting():
            await self._take(row)

    async def _own(self) -> int:
        self._number = self._number or await self._storage.read(lambda database: database.fence.world)
        return self._number

    async def _tidy(self) -> None:
        if await self._own() == HOME:
            await self._forget_strangers()
            await self._storage.write(Database.forget_parcels)

    async def _copy_guilds(self) -> None:
        of = Guild.table
        asked: Callable[[Database], Copies] = partial(Database.copies, of=of, known=self._editions.get(of))
        found = await self._storage.read(asked)
        if found.edition == self._editions.get(of):
            return
        await self._in_world(None, partial(guild_copies.copy, rows=found.rows, gold=found.gold))
        self._editions[of] = found.edition

    async def _copy_parties(self) -> None:
        """There are many, and they change often: of those that are as they were the world hears nothing."""
        before, known = self._parties, self._editions.get(Party.table)
        asked: Callable[[Database], _PartyRows | None] = partial(_read_parties, known=known, before=before)
        found = await self._storage.read(asked)
        if found is None or self._parties is not before:  # whoever looked at the same time tells of it
            return
        self._parties = None  # should it fail now, all count as changed the next time
        if before is None:
            await self._in_world(None, partial(party_copies.copy, rows=[*found.rows.values()]))
        elif found.changed or found.gone:
            revise = partial(party_copies.change, rows=found.changed, gone=found.gone)
            await self._in_world(None, revise)
        self._editions[Party.table], self._parties = found.edition, found.rows

    async def look_for_members(self) -> None:
        """Look once where those members are whom this world has not itself."""
        own, asked = await self._own(), party_afar.asked(self._world)
        if asked:
            question: Callable[[Database], dict[int, int]] = partial(Database.worlds_of, serials=asked)
            where = await self._storage.read(question)
            await self._in_world(None, partial(party_afar.look, serials=asked, where=where, own=own))

    async def _take(self, row: ParcelRow) -> None:
        try:
            content = _CONTENT.decode(row.content)
        except msgspec.MsgspecError as error:
            log.error("parcel %s is taken unread: %s", row.id, error)
            await self._parcels.take(row.id, lambda *_: None)
            return
        if isinstance(content, Answer):
            await self._parcels.take(row.id, partial(self._tell, content))
        elif self._number == HOME:
            asked: Callable[[Database], tuple[Mapping[int, CharacterRow], float]] = partial(
                _people_and_age, serials=[content.actor, content.other], parcel=row.id
            )
            perform = partial(self._perform, content, *await self._storage.read(asked))
            await self._parcels.take(row.id, perform)
        elif self._answers:
            # It was for a home world that had died, and came to this one with all that was for that.
            await self._parcels.take(row.id, partial(self._forward, content))

    def _forward(self, content: Wanted, world: World, _: str) -> None:
        self._send(HOME, content)

    def _tell(self, content: Answer, world: World, _: str) -> None:
        mobile = world.mobiles.get(content.actor)
        if mobile is not None:
            notice(mobile, content.text)

    def _perform(
        self, content: Wanted, rows: Mapping[int, CharacterRow], age: float, world: World, _: str
    ) -> None:
        """Whatever comes of it, the order is done with: one that cannot be carried out now never can."""
        order = Order(content.actor, content.deed, tuple(content.words), content.other, content.gold, age)
        try:
            actor, other = (_person(world, rows.get(serial)) for serial in (content.actor, content.other))
            if actor is None:
                return
            text = books.perform(order, actor, other)
        except Exception:
            log.exception(
                "%#x of world %d wants what cannot be done: %s", content.actor, content.world, order
            )
            text = books.UNREADABLE
        if text:
            self._send(content.world, Answer(content.actor, text))

    async def _forget_strangers(self) -> None:
        """Of whom other worlds have deleted guilds and parties know nothing any more."""
        strangers = await self._storage.read(Database.strangers)
        if strangers:
            await self._in_world(None, partial(company.forget, serials=strangers))


class _PartyRows(NamedTuple):
    """What was read of the parties, and what of it was not so before."""

    edition: int
    rows: Mapping[tuple[str, int], RecordRow]
    changed: list[RecordRow]
    gone: list[tuple[str, int]]


def _read_parties(
    database: Database, known: int | None, before: Mapping[tuple[str, int], RecordRow] | None
) -> _PartyRows | None:
    """In the thread of the database. None if the edition still is `known`."""
    found = database.copies(Party.table, known if before is not None else None)
    if before is not None and found.edition == known:
        return None
    rows = copies.by_number(found.rows)
    return _PartyRows(found.edition, rows, *copies.differences(before or {}, rows))


def _people_and_age(
    database: Database, serials: Sequence[int], parcel: str
) -> tuple[Mapping[int, CharacterRow], float]:
    """Those of whom an order is, whoever has them, and how old it is."""
    return database.sheets(serials), database.parcel_age(parcel)


def _person(world: World, row: CharacterRow | None) -> Mobile | None:
    """Whoever is here, or a stand-in for somebody who is elsewhere."""
    if row is None:
        return None
    return world.mobiles.get(row.serial) or sheet(row, world)
