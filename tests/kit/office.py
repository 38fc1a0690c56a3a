"""Accounts, tickets and commands over a running loop and a database in memory; clients are bare sessions."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, TypeVar

import trio

from protocol.session import Phase, Session
from protocol.wire.args import CodecArgs, Role
from server.commands.machinery import Commands
from server.commands.staff import TABLE
from server.people.accounts import AccountService
from server.people.limiter import LoginLimiter
from server.people.terms import Terms
from server.people.tickets import TicketService
from server.settings.config import Accounts, Limits, Network
from server.store.census import stored_amounts
from server.store.database import Database
from server.store.runner import InlineRunner
from server.turn.loop import Loop
from server.web.privacy import Privacy
from tests.kit.passwords import InlinePasswords
from tests.kit.toys import brook
from tests.kit.worlds import person, plain_world
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from protocol.endings import Ending
    from server.store.records import NoteRow
    from server.turn.stages import Stages
    from world.mobile import Mobile
    from world.world import World

T = TypeVar("T")

HOME = "127.0.0.1"
WALL = 1_700_000_000.0
"""Seconds UTC at which the office opens."""


class Line:
    """A session's connection: remembers how it ended."""

    busy = False

    def __init__(self) -> None:
        self.ending: Ending | None = None
        self.detail = ""

    def flush(self, *, force: bool = False) -> None:
        return

    def end(self, ending: Ending, detail: str) -> None:
        if self.ending is None:
            self.ending, self.detail = ending, detail

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        raise NotImplementedError

    def drained(self) -> None:
        return


class Client(Session):
    """A bare session."""

    line: Line

    @property
    def ending(self) -> Ending | None:
        """How it ended, None while it has not."""
        return self.line.ending

    @property
    def heard(self) -> bytes:
        """Everything it was sent."""
        return b"".join(message.raw for message in self.outbox if hasattr(message, "raw"))


class Office:
    """All the parts, wired as the server wires them; also their Services and Host."""

    server_name = "Office"

    def __init__(self, nursery: trio.Nursery) -> None:
        self.nursery = nursery
        self.database = Database("sqlite://")
        self.passwords = InlinePasswords()
        self.settings = Accounts(auto_create=True)
        self.limits = Limits(exempt=())
        self.limiter = LoginLimiter(lambda: self.limits)
        dice = random.Random(7)
        self.tickets = TicketService(
            limits=lambda: self.limits, limiter=self.limiter, clock=trio.current_time, entropy=dice.randbytes
        )
        self.behind_proxy = False
        self.closed = ""
        self.accounts = AccountService(
            self,
            self.passwords,
            Terms(
                settings=lambda: self.settings,
                limits=lambda: self.limits,
                limiter=self.limiter,
                behind_proxy=lambda _: self.behind_proxy,
                clock=trio.current_time,
                wall=self.wall_time,
                closed=lambda: self.closed,
            ),
            tickets=self.tickets,
        )
        self.loop = Loop(
            plain_world(),
            network=Network,
            joins_per_tick=lambda: 5,
            offer=lambda _, __: None,
            offer_due=lambda _: None,
            stopwatch=lambda: 0.0,
        )
        self.audit: list[tuple[str, str, str]] = []
        self.commands = Commands(
            TABLE,
            accounts=self.accounts,
            host=self,
            audit=lambda *entry: self.audit.append(entry),
            wall=self.wall_time,
        )
        self.notes: list[NoteRow] = []
        self.privacy = Privacy({}, keep=self.notes.append)
        self.stopped: list[int] = []
        self.reloaded: list[str] = []
        self.failing: Exception | None = None
        """What the store raises, if anything."""
        self.runner = InlineRunner()
        self.family = brook()
        self._numbers = itertools.count(1)
        self._opened = trio.current_time()
        nursery.start_soon(self.loop.run)

    # Services and Host

    @property
    def world(self) -> World:
        return self.loop.world

    def wall_time(self) -> float:
        return WALL + trio.current_time() - self._opened

    def sessions(self) -> Sequence[Session]:
        return list(self.loop.sessions.values())

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        return await self.loop.in_world(session, call)

    async def durable(self) -> None:
        await trio.lowlevel.checkpoint()

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        self.nursery.start_soon(job)

    def statistics(self) -> Sequence[str]:
        return [f"{self.loop.stats.turns} turns"]

    @property
    def stages(self) -> Stages:
        return self.loop.stages

    async def stored_amounts(self) -> Mapping[str, int]:
        return await self.read(stored_amounts)

    async def reload(self) -> Sequence[str]:
        await trio.lowlevel.checkpoint()
        return self.reloaded

    def stop(self, code: int) -> None:
        self.stopped.append(code)

    # The store

    async def read(self, call: Callable[[Database], T]) -> T:
        if self.failing is not None:
            raise self.failing
        return await self.runner.read(lambda: call(self.database))

    async def write(self, call: Callable[[Database], T]) -> T:
        if self.failing is not None:
            raise self.failing
        return await self.runner.write(lambda: call(self.database))

    # People

    def client(self, peer: str = HOME, local: str = f"{HOME}:2593") -> Client:
        """Somebody connects."""
        client = Client(
            number=next(self._numbers),
            family=self.family,
            door="game",
            peer=peer,
            local=local,
            codec=self.family.doors["game"].codec(CodecArgs(Role.SERVER, bytes)),
            services=self,  # type: ignore[arg-type] # as much of it as accounts use
        )
        client.line = Line()
        client.link = client.line
        self.loop.sessions[client.id] = client
        return client

    async def player(self, name: str, access: int = 0, *, x: int = 10, y: int = 10) -> tuple[Client, Mobile]:
        """A client whose character of that name stands in the world; its account is <name>acct."""
        client = self.client()
        row = await self.accounts.staff.create(f"{name.lower()}acct", "secret1", access)
        self.accounts.claim(client, await self.accounts.login(client, row.name, "secret1"))
        mobile = person(self.world, name, x, y)
        mobile.access = access
        client.mobile = mobile
        client.eyes = self.world.open_eyes(mobile, client.id, Sight(8))
        client.phase = Phase.IN_WORLD
        return client, mobile

    async def order(self, client: Client, line: str) -> str:
        """A player types a command; what it was told."""
        before = len(client.heard)
        await self.in_world(client, lambda _: self.commands.in_game(client, line))
        await trio.sleep(0.5)
        return client.heard[before:].decode("utf-8", "replace")
