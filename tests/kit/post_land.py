"""Several worlds of one database of PostgreSQL, with characters who go from one to the other, write letters
and have guilds and parties. Each has its own storage, carrier and books, as a process has; there are no
clients."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import trio
from sqlalchemy.exc import OperationalError

from server.cluster.books import Books
from server.cluster.claims import Claims
from server.cluster.letters import Carrier
from server.store.errors import Elsewhere
from server.store.runner import ThreadRunner
from server.store.writer import Storage
from tests.kit import stored
from world import company, holding, mail, passage
from world.reach import Cannot
from world.snapshot import restore_character, restore_records

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from server.store.database import Database
    from tests.kit.realms import Worlds
    from world.mobile import Mobile
    from world.passage import Plain
    from world.world import World

T = TypeVar("T")

NOW = 1_000_000.0
"""Seconds UTC when the worlds begin."""


async def again(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask as long as another world has not let go, or the line to the database is dead."""
    while True:
        try:
            return await ask()
        except (Elsewhere, OperationalError):
            await trio.sleep(0.01)


class Office:
    """One world."""

    def __init__(self, database: Database) -> None:
        self.later = 0.0
        """Seconds since `NOW`."""
        self.dead = trio.Event()
        """Set when it knows that it is another process's."""
        self.ended = trio.Event()
        self.database = database
        self.number = database.fence.world
        self.world = stored.new_world(database.reserve_serials())
        self.world.epoch = NOW
        self.world.records.kept, self.world.records.numbers = database.home, self.world.serials.item
        self.world.directory.note(*database.known())
        self.storage = Storage(
            database,
            ThreadRunner(),
            wake=lambda: None,
            flush_seconds=lambda: 0.0,
            max_pending_rows=lambda: 200_000,
            max_lag_seconds=lambda: 60.0,
            lost=self.dead.set,
        )
        self.claims = Claims(self.storage, entropy=random.Random(self.number).randbytes)
        entropy = random.Random(100 + self.number).randbytes
        self.books = Books(self.world, self.storage, self.in_world, entropy=entropy)
        self.carrier = Carrier(self.world, self.storage, self.in_world, wall=lambda: NOW + self.later)

    async def lives(self, task_status: trio.TaskStatus[None]) -> None:
        """All of it runs, until it is killed."""
        async with trio.open_nursery() as nursery:
            self._life = nursery
            await nursery.start(self.storage.run)
            nursery.start_soon(self.turns)
            nursery.start_soon(self.carrier.run)
            nursery.start_soon(self.books.run)
            task_status.started()
        self.ended.set()

    async def dies(self) -> None:
        """Its process is killed."""
        self._life.cancel_scope.cancel()
        await self.ended.wait()
        self.database.close()

    def reads(self) -> None:
        """As at a start: have what is stored of guilds and parties."""
        self.world.records.load(restore_records(self.database.records()))
        company.settle(self.world, self.database.strangers())

    async def in_world(self, session: None, run: Callable[[World], T], /) -> T:
        await trio.lowlevel.checkpoint()
        return run(self.world)

    async def turns(self) -> None:
        """Turn after turn, until cancelled."""
        while True:
            self.world.begin(trio.current_time())
            self.world.epoch = NOW + self.later - self.world.now
            self.world.take_changes()
            self.world.promises.clear()
            self.storage.offer(self.world, trio.current_time())
            await trio.sleep(0.002)

    async def enters(self, serial: int, on_it: Mapping[str, Plain] | None = None) -> Mobile:
        """A character that is nobody's, or was sent here with what it had on it, comes in; as soon as the
        world that had it has written so."""
        rows = await again(partial(self.storage.character, serial))
        assert rows is not None
        restored = restore_character(*rows, self.world)
        assert restored.damaged == []
        mobile = restored.mobile
        assert mobile is not None
        self.world.lists.bring(mobile.serial, restored.records)
        self.world.enter(mobile, self.world.realms["field"], mobile.x, mobile.y)
        mobile.online = True
        if on_it is not None:
            passage.given(mobile, on_it)
        company.came(mobile, again=on_it is not None, over=on_it is not None)
        return mobile

    def leaves(self, mobile: Mobile, to: int | None = None) -> str:
        """It leaves, for nowhere or for the world of a number: the name of the transfer then."""
        mobile.online = False
        company.went(mobile, over=to is not None)
        sent = ""
        if to is None:
            self.storage.release(self.world, mobile)
        else:
            sent = self.claims.begin_transfer(self.world, mobile, to)
        self.world.leave(mobile)
        return sent


class PostLand:
    """All of them, and who is where."""

    def __init__(self, worlds: Worlds, dice: random.Random) -> None:
        self.worlds = worlds
        self.dice = dice
        self.offices = [Office(database) for database in worlds.databases]
        self.where: dict[int, tuple[Office, Mobile] | None] = {}
        """By serial; None: in no world."""
        self.names: dict[int, str] = {}
        self.there: set[str] = set()
        """Words of letters that were sent, and not thrown away."""
        self._count = 0

    def begin(self, *names: str) -> None:
        """Before anybody comes in: make characters with gold and daggers, who are nobody's."""
        for name in names:
            mobile = stored.new_character(self.worlds.world, name, self.worlds.account.id, 20_000)
            assert mobile.backpack is not None
            for _ in range(2):
                holding.put(mobile.backpack, holding.make(self.worlds.world, "dagger"))
            self.worlds.databases[0].create_character(*stored.rows_of(mobile), 7)
            self.where[mobile.serial], self.names[mobile.serial] = None, name
        for office in self.offices:
            office.world.directory.note(*office.database.known())

    async def open(self, nursery: trio.Nursery) -> None:
        """Have all run."""
        for office in self.offices:
            await nursery.start(office.lives)
        for office in self.offices:
            await office.books.look()  # each knows that the first one is there

    async def settles(self) -> None:
        """Until all is written, and all letters are where they belong."""
        for _ in range(3):
            for office in self.offices:
                await office.storage.wait_durable()
                await office.books.look()
                await office.carrier.look()

    async def brings(self, name: str, number: int) -> Mobile:
        """A character into the world of that number, from wherever it is."""
        serial = next(serial for serial, called in self.names.items() if called == name)
        at, office = self.where[serial], self.offices[number - 1]
        if at is not None:
            at[0].leaves(at[1])
        mobile = await office.enters(serial)
        self.where[serial] = office, mobile
        return mobile

    async def crosses(self, name: str, number: int) -> Mobile:
        """A character goes over a border to the world of that number."""
        serial = next(serial for serial, called in self.names.items() if called == name)
        at, office = self.where[serial], self.offices[number - 1]
        assert at is not None
        on_it = passage.taken(at[1])
        sent = at[0].leaves(at[1], number)
        await at[0].storage.wait_durable()
        assert await again(partial(office.claims.accept, sent)) == serial
        mobile = await office.enters(serial, on_it)
        self.where[serial] = office, mobile
        return mobile

    async def moves(self, serial: int) -> None:
        """In, out, or over a border."""
        at, dice = self.where[serial], self.dice
        if at is None:
            office = dice.choice(self.offices)
            self.where[serial] = office, await office.enters(serial)
            return
        office, mobile = at
        other = dice.choice([one for one in self.offices if one is not office])
        self.where[serial] = None
        if dice.random() < 0.5:
            office.leaves(mobile)
            return
        sent = office.leaves(mobile, other.number)
        await office.storage.wait_durable()
        if dice.random() < 0.2:
            assert await again(partial(office.claims.take_back, sent))
            other = office
        else:
            assert await again(partial(other.claims.accept, sent)) == serial
        self.where[serial] = other, await other.enters(serial)

    def writes(self, mobile: Mobile) -> None:
        """A letter to anybody, with or without gold or a thing, for a price or for nothing."""
        dice = self.dice
        self._count += 1
        pack = mobile.backpack
        assert pack is not None
        things = [item for item in pack.contents.values() if item.template.key != "gold"]
        with suppress(Cannot):
            mail.send(
                mobile,
                dice.choice([*self.names.values()]),
                f"letter {self._count}",
                things=[(item, item.amount) for item in dice.sample(things, min(len(things), 1))],
                gold=dice.choice((0, dice.randrange(1, 50))),
                price=dice.choice((0, 0, dice.randrange(1, 20))),
            )
            self.there.add(f"letter {self._count}")

    def deals(self, mobile: Mobile) -> None:
        """It does something with one of its letters."""
        letters = mail.letters_of(mobile)
        if not letters:
            return
        letter = self.dice.choice(letters)
        deed = self.dice.choice((mail.take, mail.take, mail.refuse, mail.discard, mail.read))
        with suppress(Cannot):
            deed(mobile, letter)
            if deed is mail.discard:
                self.there.discard(letter.text)
