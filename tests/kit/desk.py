"""A server without sockets and tasks, for the tests of one game's handlers and view.

Its parts are the real ones, over a database in memory: accounts, tickets, characters, commands, the store and
the turn. What is not real is what a test has to hold in its hand: the time, chance, the cost of a password,
and the wire. Nothing here runs by itself: a message is handled, then there is a turn, then everybody has got
what they are sent. Each game's desk (`tests.kit.<game>_desk`) adds its clients.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Final, Generic, ParamSpec, TypeVar, cast

import trio

from protocol.denials import Denial, Denied
from protocol.dispatch import Where
from protocol.endings import Ending, Refused, WireError
from protocol.services import AccountInfo, NewCharacter
from protocol.session import Phase, Session
from server.store.records import AccountRow, NoteRow, Refusal
from tests.kit.in_memory import EPOCH, LooseLine
from tests.kit.observed import GRAIN, Observed
from world import holding, newcomers
from world.mobile import Mobile
from world.snapshot import character_row, item_row, restore_character

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable

    from protocol.dispatch import Entry, Table
    from protocol.family import Family
    from server.people.tickets import TicketService
    from server.store.database import Database
    from world.content import Content
    from world.item import Item
    from world.snapshot import CharacterRow
    from world.world import World

A = ParamSpec("A")
M = TypeVar("M")
S = TypeVar("S", bound=Session)
T = TypeVar("T")

PASSWORD: Final = "secret1"

LATENESS: Final = 1e-6
"""Seconds by which a turn begins late after a wait. None begins early, as one that came to the same by other
sums might."""
MOST: Final = 100
"""Characters that a test may give an account; one who makes them may have fewer."""

REFUSED_BY_ACCOUNTS: Final = ("login", "register", "may_register", "change_password")
REFUSED_BY_CHARACTERS: Final = ("create", "delete", "schedule_deletion", "restore", "enter")
"""What `Desk.deny` is for."""


class Line(LooseLine):
    """A session's connection without a wire: it handles messages as `server.net.connection` does. A bug of
    ours is a test's failure, not an ending."""

    def __init__(self, desk: Desk, session: Session, flush: Callable[[], None]) -> None:
        super().__init__(desk.app, session)
        self.jobs: list[Callable[[], Awaitable[None]]] = []
        """What handlers gave to `later`; runs when they have returned."""
        self._desk = desk
        self._flush = flush
        desk.lines.append(self)

    # As handlers use it (protocol.session.Link)

    @property
    def busy(self) -> bool:
        """Whether a job has to run before the inbox goes on."""
        return bool(self.jobs)

    def flush(self, *, force: bool = False) -> None:
        """Send what is queued."""
        self._flush()

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job when the handler has returned."""
        self.jobs.append(job)

    # What comes

    async def takes(self, frame: bytes) -> None:
        """One frame; what the table does not know is skipped. The world's are handled in the next turn."""
        session, table = self.session, self.session.family.doors[self.session.door].table
        entry = table.entry(table.opcode_of_frame(frame))
        if self.ending is not None:
            return
        if entry is None:
            assert table.tolerant, f"no handler for {frame[:3].hex()}"
            return
        try:
            packet = entry.decode(frame)
        except WireError as error:
            self.end(error.ending, f"{entry.name}: {error}")
            return
        if entry.where is Where.HERE:
            await self._handles(entry, packet)
        else:
            session.inbox.append((entry, packet, frame))
            self._desk.app.loop.ready(session)

    async def runs_job(self) -> None:
        """The first of what runs beside the client; what it said meanwhile comes next."""
        await self._survives(self.jobs[0]())
        del self.jobs[0]
        if self.session.inbox:
            self._desk.app.loop.ready(self.session)

    async def _handles(self, entry: Entry[Session], packet: object) -> None:
        session = self.session
        if session.inbox or self.jobs:
            await self._desk.settle()
        while session.inbox:  # all that it said before happens first, however long it has to wait
            await self._desk.wait(GRAIN)
        if session.phase not in entry.phases:
            if session.phase < Phase.MENU:
                self.end(Ending.WRONG_PHASE, f"{entry.name} in phase {session.phase.name}")
            session.ignored += 1
            return
        handled = entry.handler(session, packet)
        assert handled is not None, f"{entry.name} is not awaited"
        await self._survives(handled)

    async def _survives(self, work: Awaitable[None]) -> None:
        try:
            await self._desk.meanwhile(work)
        except WireError as error:
            self.end(error.ending, str(error))
        except Refused as refusal:
            self.session.refuse(refusal)
        except Denied as denied:
            self.end(Ending.REFUSED, str(denied))
        self.flush()

    def _departs(self, world: World, ending: Ending) -> None:
        super()._departs(world, ending)
        self._desk.lines.remove(self)


class Desk:
    """A server, and who is connected to it. `start` is where characters stand that were never in the world,
    `config` what config.toml says."""

    def __init__(
        self, content: Content, make_family: Callable[[Content], Family], config: str, start: tuple[int, int]
    ) -> None:
        self.content = content
        self.family = make_family(content)
        self.start_at = start
        self.now = 0.0
        self.deny: Denial | None = None
        """Why the next request about accounts or characters is refused, if the service has no reason."""
        self.lines: list[Line] = []
        self.app = app = Observed(content, self.family, config, lambda: self.now)
        self.change("accounts", auto_create=False)
        for name in REFUSED_BY_ACCOUNTS:
            setattr(app.accounts, name, self._refusing(getattr(app.accounts, name)))
        for name in REFUSED_BY_CHARACTERS:
            setattr(app.characters, name, self._refusing(getattr(app.characters, name)))

    @property
    def world(self) -> World:
        """The world."""
        return self.app.world

    @property
    def database(self) -> Database:
        """What is stored."""
        return self.app.database

    @property
    def tickets(self) -> TicketService:
        """Logins on the way from one door to the next."""
        return self.app.tickets

    @property
    def dice(self) -> random.Random:
        """Where its random bytes come from."""
        return self.app.dice

    @property
    def orders(self) -> list[str]:
        """Commands that players typed."""
        return self.app.orders

    @property
    def durables(self) -> int:
        """How often somebody waited for the disk."""
        return self.app.durables

    @property
    def jobs(self) -> list[Callable[[], Awaitable[None]]]:
        """What outlives its client and did not run yet."""
        return self.app.jobs

    @jobs.setter
    def jobs(self, jobs: list[Callable[[], Awaitable[None]]]) -> None:
        self.app.jobs = jobs

    @property
    def sessions(self) -> dict[int, Session]:
        """All that are connected."""
        return self.app.loop.sessions

    @property
    def claimed(self) -> list[int]:
        """Sessions that play an account."""
        return [session.id for session in self.sessions.values() if session.claimed]

    def _refusing(self, ask: Callable[A, Awaitable[T]]) -> Callable[A, Awaitable[T]]:
        """A method of a service, behind a refusal."""

        @wraps(ask)
        async def asked(*args: A.args, **options: A.kwargs) -> T:
            if self.deny is not None:
                raise Denied(self.deny)
            return await ask(*args, **options)

        return asked

    # Setting the scene

    def change(self, section: str, **values: object) -> None:
        """Set keys of the configuration."""
        self.app.change(section, **values)

    def account(self, name: str, password: str = PASSWORD) -> AccountInfo:
        """The account of that name; made if there is none."""
        row = self.database.account(name) or self.database.create_account(name, f"1:{password}", EPOCH)
        assert isinstance(row, AccountRow)
        return AccountInfo(row.id, row.name, row.access)

    @property
    def passwords(self) -> dict[str, str]:
        """The password of every account."""
        return {row.name: row.password.partition(":")[2] for row in self.database.accounts()}

    def owned(self, account: str) -> list[CharacterRow]:
        """The stored characters of an account in creation order, with those that await deletion."""
        row = self.database.account(account)
        return [] if row is None else [found.row for found in self.database.characters(row.id)]

    def doomed(self, account: str) -> dict[int, float]:
        """When characters of an account are gone for good, by serial, in seconds since the desk opened."""
        row = self.database.account(account)
        found = [] if row is None else self.database.characters(row.id)
        return {one.row.serial: one.delete_at - EPOCH for one in found if one.delete_at is not None}

    def dooms(self, account: str, serial: int, at: float) -> None:
        """One of an account's characters awaits deletion since long ago."""
        mobile = self.world.mobiles.get(serial)
        if mobile is not None:
            self.world.leave(mobile)
        assert self.database.schedule_deletion(self.account(account).id, serial, EPOCH + at)

    def keep(self, serial: int, game: str, key: str, text: str) -> None:
        """What a game has kept of a character."""
        self.app.storage.keep_note(NoteRow(serial, game, key, text))

    async def note(self, serial: int, game: str, key: str) -> str | None:
        """What a game keeps of a character."""
        return await self.app.storage.note(serial, game, key)

    def make_character(
        self, account: str, wish: NewCharacter, at: tuple[int, int] | None = None, level: int = 1
    ) -> CharacterRow:
        """A character that is stored and not in the world."""
        world = self.world
        mobile = Mobile(
            world.serials.mobile(),
            world,
            wish.name.capitalize(),
            template=self.content.mobiles["player"],
            account=self.account(account).id,
            female=wish.female,
            hair=wish.hair,
            hair_hue=wish.hair_hue,
            skin_hue=wish.skin_hue,
            created_at=EPOCH,
        )
        mobile.endow()
        mobile.level = level
        newcomers.outfit(mobile, stored=False)
        mobile.realm = world.realms[self.content.start_realm]
        mobile.x, mobile.y = at or self.start_at
        row, items = character_row(mobile), [item_row(item) for item in newcomers.all_items(mobile)]
        made = self.database.create_character(row, items, MOST)
        assert not isinstance(made, Refusal), made
        return made

    def brings(self, serial: int) -> Mobile:
        """A stored character, put where it was last. Nobody plays it."""
        rows = self.database.character(serial)
        assert rows is not None
        mobile = restore_character(*rows, self.world).mobile
        assert mobile is not None
        assert mobile.realm is not None
        self.world.enter(mobile, mobile.realm, mobile.x, mobile.y)
        return mobile

    def makes(
        self, account: str, at: tuple[int, int] | None = None, *, name: str = "", female: bool = False
    ) -> Mobile:
        """A character of an account; it stands there already."""
        wish = NewCharacter(name or account, female, 3, 1104, 1003)
        return self.brings(self.make_character(account, wish, at).serial)

    def deletes(self, serial: int) -> None:
        """A stored character is gone."""
        assert self.database.delete_character(self.database.owner(serial) or 0, serial)

    def resident(self, template: str, x: int, y: int) -> Mobile:
        """Somebody who lives here."""
        kind = self.content.mobiles[template]
        mobile = Mobile(self.world.serials.mobile(), self.world, kind.name, template=kind)
        self.world.enter(mobile, self.world.realms[self.content.start_realm], x, y)
        return mobile

    # Time

    def turn(self) -> None:
        """One turn, now."""
        self.app.loop.turn(self.now)

    async def meanwhile(self, work: Awaitable[T]) -> T:
        """What came of something that may wait for turns and for the disk. Raises what it raises."""
        error: Exception | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.app.storage.run)
            nursery.start_soon(self.app.loop.serve, lambda: self.now)
            try:
                result = await work
            except Exception as raised:
                error = raised
            nursery.cancel_scope.cancel()
        if error is not None:
            raise error
        return result

    async def settle(self) -> None:
        """A turn, and everything that runs beside the clients."""
        self.turn()
        while True:
            busy = [line for line in self.lines if line.jobs]
            if busy:
                await busy[0].runs_job()
            elif self.app.jobs:
                await self.run_jobs()
            else:
                return
            self.turn()

    async def run_jobs(self) -> None:
        """What outlives its client."""
        while self.app.jobs:
            await self.meanwhile(self.app.jobs.pop(0)())

    async def wait(self, seconds: float) -> None:
        """Time passes; the world sleeps while nothing is due."""
        end = self.now + seconds + LATENESS
        while (due := self.app.loop.due(self.now)) < end:
            self.now = due
            await self.settle()
        self.now = end
        await self.settle()


class Player(Generic[S]):
    """One client and its session."""

    def __init__(self, desk: Desk, session: S) -> None:
        self.desk = desk
        self.session = session
        self.line = Line(desk, session, self.flush)

    @property
    def mobile(self) -> Mobile:
        """Its character, or who was."""
        mobile = self.session.mobile or self.line.mobile
        assert mobile is not None
        return mobile

    @property
    def tile(self) -> tuple[int, int]:
        """Where the world has its character."""
        return self.mobile.x, self.mobile.y

    @property
    def table(self) -> Table[S]:
        """What it may send."""
        return cast("Table[S]", self.session.family.doors[self.session.door].table)

    def flush(self) -> None:
        """What the server queued, to the client."""
        raise NotImplementedError

    def hang_up(self) -> None:
        """Its connection is gone."""
        self.line.end(self.session.hang_up_means, "")
        self.desk.turn()

    def gives(self, key: str, amount: int = 1) -> Item:
        """Put something into its pack."""
        pack = self.mobile.backpack
        assert pack is not None
        item = holding.make(self.desk.world, key, amount=amount)
        holding.put(pack, item)
        self.desk.world.register(item)
        return item


class Listener(Player[S], Generic[S, M]):
    """One whose messages a test takes as objects."""

    def __init__(self, desk: Desk, session: S) -> None:
        super().__init__(desk, session)
        self.got: list[M] = []
        """What it was sent and nobody took yet."""

    def flush(self) -> None:
        """What the server queued, to the client."""
        queued, self.session.outbox = self.session.outbox, []
        for raw in self.session.finished(queued):
            if raw:
                self.hears(raw)

    def hears(self, raw: bytes) -> None:
        """One message came."""
        raise NotImplementedError

    async def sends(self, *frames: bytes) -> None:
        """Handle whole messages, each in its own turn."""
        for frame in frames:
            await self.line.takes(frame)
            await self.desk.settle()

    async def sends_at_once(self, *frames: bytes) -> None:
        """The same, all in one turn."""
        for frame in frames:
            await self.line.takes(frame)
        await self.desk.settle()

    def took(self, kind: type[T]) -> list[T]:
        """What came of a kind; it counts no more."""
        found: list[T] = [message for message in self.got if isinstance(message, kind)]
        self.got = [message for message in self.got if not isinstance(message, kind)]
        return found

    def only(self, kind: type[T]) -> T:
        """The one that came of a kind; it counts no more."""
        (found,) = self.took(kind)
        return found

    def kinds(self) -> list[str]:
        """What it was sent, by name, in order."""
        return [type(message).__name__ for message in self.got]
