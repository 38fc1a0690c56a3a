"""What a whole server (`server.boot.app`) and a login server (`server.boot.login_server`) have in common:
accounts and their limits, the doors, the games' background services, commands, and what all of these ask of
the process they are in.

Each brings a world, and says what it does besides.
"""

from __future__ import annotations

import logging
import secrets
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final, TypedDict, TypeVar

import trio

from protocol.background import Backstage
from protocol.endings import Ending
from protocol.games import GAMES
from server import logs
from server.commands.machinery import CommandError, Commands
from server.commands.staff import TABLE
from server.exits import GOOD, HELD
from server.net import tracing
from server.net.gateway import Gateway
from server.net.tracing import Tracing
from server.operate import crash
from server.people.accounts import AccountService
from server.people.characters import CharacterService
from server.people.credentials import fold
from server.people.limiter import ConnectionLimiter, LoginLimiter
from server.people.passwords import Argon2Passwords
from server.people.terms import Terms
from server.people.tickets import TicketService
from server.settings import config, roles
from server.settings.config import ConfigError
from server.store.census import Census, stored_amounts
from server.store.writer import Storage
from server.turn.counters import Counts
from server.turn.loop import Loop
from server.web import privacy
from server.web.privacy import Privacy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from protocol.background import Background
    from protocol.family import Family
    from protocol.session import Session
    from server.net.gateway import ServiceListening
    from server.people.passwords import Passwords
    from server.settings.config import Limits, Network, Settings
    from server.store.database import Database
    from server.store.runner import Runner
    from server.turn.stages import Stages
    from world.content import Content
    from world.mobile import Mobile
    from world.world import World

log = logging.getLogger("server")

T = TypeVar("T")

GOODBYE_SECONDS: Final = 2.0


class Options(TypedDict, total=False):
    """What `Parts` may be told and mostly is not."""

    config_path: Path | None
    """What `reload` reads."""
    passwords: Passwords | None
    entropy: Callable[[int], bytes]
    wall: Callable[[], float]
    """Seconds UTC."""
    clock: Callable[[], float]
    """Monotonic seconds, those of the turns."""
    crashes: Path | None
    """Where to report what ends the server; without it nothing is reported."""


class Parts(ABC):
    """Implements `protocol.services.Services`, `server.commands.machinery.Host` and
    `server.net.connection.Knobs`."""

    def __init__(
        self,
        settings: Settings,
        content: Content,
        families: Mapping[str, Family],
        database: Database,
        runner: Runner,
        world: World,
        *,
        make_loop: type[Loop] = Loop,
        stopwatch: Callable[[], float] = time.perf_counter,
        config_path: Path | None = None,
        passwords: Passwords | None = None,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        wall: Callable[[], float] = time.time,
        clock: Callable[[], float] = trio.current_time,
        crashes: Path | None = None,
    ) -> None:
        """See `Options`. `stopwatch` measures turns."""
        self.settings = settings
        self.content = content
        self.families = families
        self._config_path = config_path
        self._entropy = entropy
        self._wall = wall
        self._crashes = crashes
        self._world = world
        self.counts = Counts()
        self.began = clock()
        self.began_at = wall()
        """The same in seconds UTC."""
        self._nursery: trio.Nursery | None = None
        self._stopping = trio.Event()
        self._goodbyes: trio.CancelScope | None = None
        """Around the wait for the last clients to go, while that lasts."""
        self._exit_code = GOOD
        self._passwords = passwords or Argon2Passwords()
        self.storage = storage = Storage(
            database,
            runner,
            wake=lambda: self.loop.wake(),
            flush_seconds=lambda: self.settings.storage.flush_seconds,
            max_pending_rows=lambda: self.settings.storage.max_pending_rows,
            max_lag_seconds=lambda: self.settings.storage.max_lag_seconds,
            alarm=self._alarm,
            lost=lambda: self.stop(HELD),
            clock=clock,
            wall=wall,
        )
        self.privacy = Privacy(database.notes(privacy.GAME, privacy.KEY), keep=storage.keep_note)
        self.census = Census(storage.read, start=self.start, clock=clock)
        self.loop = loop = make_loop(
            world,
            network=lambda: self.settings.network,
            joins_per_tick=lambda: self.settings.limits.joins_per_tick,
            offer=storage.offer,
            offer_due=storage.due_at,
            stopwatch=stopwatch,
            counts=self.counts,
        )
        logins = LoginLimiter(lambda: self.settings.limits)
        self.tickets = TicketService(
            limits=lambda: self.settings.limits, limiter=logins, clock=clock, entropy=entropy
        )
        self.accounts = AccountService(
            storage,
            self._passwords,
            Terms(
                settings=lambda: self.settings.accounts,
                limits=lambda: self.settings.limits,
                limiter=logins,
                behind_proxy=self._behind_proxy,
                clock=clock,
                wall=wall,
                closed=lambda: self.closed,
            ),
            tickets=self.tickets,
            logged_out=self._kick_elsewhere,
            counts=self.counts,
            withdraw=lambda account: self.characters.remove_all(account),
        )
        self.characters = CharacterService(
            storage,
            loop,
            limit=lambda: self.character_limit,
            limits=lambda: self.settings.limits,
            wall=wall,
        )
        self.backgrounds = self._make_backgrounds(logins, clock)
        """The background service of each game that has one."""
        self.tickets.revoked += (service.revoke for service in self.backgrounds.values())
        self.tracing = Tracing(
            settings.server.state_dir / tracing.FOLDER, sessions=self.sessions, spawn=self.start, wall=wall
        )
        self.commands = Commands(
            TABLE, accounts=self.accounts, host=self, audit=self._audit, wall=wall, tracing=self.tracing
        )
        self.gateway = Gateway(
            loop,
            self,
            self.characters,
            ConnectionLimiter(lambda: self.settings.limits),
            self,
            ended=self.accounts.release,
            entropy=entropy,
            tracing=self.tracing,
        )

    # For handlers (protocol.services.Services)

    @property
    def world(self) -> World:
        """The world; for the world task only."""
        return self._world

    @property
    def server_name(self) -> str:
        """What this world is called."""
        return self.settings.server.name

    @property
    def character_limit(self) -> int:
        """Characters per account."""
        return self.settings.accounts.characters

    @property
    @abstractmethod
    def closed(self) -> str:
        """Why nobody may log in now; empty if they may."""

    def background(self, game: str) -> Background:
        """The background service of a game that has one."""
        return self.backgrounds[game]

    def entropy(self, size: int) -> bytes:
        """Random bytes."""
        return self._entropy(size)

    @abstractmethod
    def relay_address(self, session: Session, door: str | None = None) -> tuple[str, int]:
        """Where to send this client on to."""

    @abstractmethod
    def command(self, session: Session, line: str) -> None:
        """A player typed a command."""

    @abstractmethod
    def online(self) -> Sequence[Mobile]:
        """Characters that clients play now."""

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        """Run a call as one input of the next turn."""
        return await self.loop.in_world(session, call)

    async def aside(self, call: Callable[[], T]) -> T:
        """Calculate something where passwords are checked."""
        return await self._passwords.aside(call)

    @abstractmethod
    async def durable(self) -> None:
        """Until everything that has happened so far is on disk."""

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job that outlives the client; a failing one is logged. Without clients there is none."""
        if self._nursery is not None:
            self._nursery.start_soon(_logged, job)

    # For commands (server.commands.machinery.Host)

    def sessions(self) -> Sequence[Session]:
        """All that are connected."""
        return list(self.loop.sessions.values())

    @abstractmethod
    def statistics(self) -> Sequence[str]:
        """What `causeway status` tells."""

    @property
    def stages(self) -> Stages:
        """Where the time goes, while it is measured."""
        return self.loop.stages

    async def stored_amounts(self) -> Mapping[str, int]:
        """How many there are of each kind of item in the database."""
        return await self.storage.read(stored_amounts)

    async def reload(self) -> Sequence[str]:
        """Read config.toml again and take over what may change while running."""
        if self._config_path is None:
            raise CommandError("this server was not started from a file")
        try:
            new = config.load(self._config_path).anchored(self._config_path.parent)
        except ConfigError as error:
            raise CommandError("nothing was changed: " + "; ".join(error.problems)) from error
        self.settings, restart = config.changed_at_runtime(self.settings, new)
        logs.apply_levels(self.settings.log)
        lines = ["the configuration was read again"]
        if restart:
            lines.append("a restart is needed for: " + ", ".join(restart))
        log.info("%s", "; ".join(lines))
        return lines

    def stop(self, code: int) -> None:
        """Begin the shutdown; asked again, wait for no client any more."""
        self._exit_code = max(self._exit_code, code)
        self._stopping.set()
        if self._goodbyes is not None:
            self._goodbyes.cancel()

    # For connections (server.net.connection.Knobs)

    @property
    def network(self) -> Network:
        """[network] as it is now."""
        return self.settings.network

    @property
    def limits(self) -> Limits:
        """[limits] as it is now."""
        return self.settings.limits

    # Ending

    async def _say_goodbye(self) -> None:
        """Tell everybody, let what is under way arrive, and end them. A second `stop` ends the waiting."""
        self.gateway.close()
        for session in self.sessions():
            session.family.goodbye(session, "The server is shutting down.")
            session.end(Ending.SHUTDOWN, "the server stops")
        patience = GOODBYE_SECONDS + self.settings.network.shutdown_wait_seconds
        with trio.move_on_after(patience) as self._goodbyes:
            await self.gateway.emptied()

    def report(self, error: BaseException) -> None:
        """Write down what ends the server, the first time it is called. Raises nothing: the error that is
        told must not be replaced by one of telling."""
        directory, self._crashes = self._crashes, None
        if directory is None:
            return
        tick = self._world.tick
        try:
            path = crash.write_report(
                directory, error, tick=tick, sessions=self.sessions(), settings=self.settings
            )
        except Exception as failed:
            log.critical("crashed in tick %d, and the report cannot be written: %r", tick, failed)
        else:
            log.critical("crashed in tick %d: the report is %s", tick, path)

    # Within

    def _make_backgrounds(self, logins: LoginLimiter, clock: Callable[[], float]) -> Mapping[str, Background]:
        """One service for each game that has any, by the game's name."""
        made: dict[str, Background] = {}
        for name, game in GAMES.items():
            if game.background is not None:
                made[name] = game.background.make(
                    Backstage(
                        tables=roles.tables_of(self.settings, game),
                        roles=self.settings.server.roles,
                        accounts=self.accounts,
                        characters=self.characters,
                        fold=fold,
                        failures=logins,
                        bind_tickets=lambda: self.settings.limits.bind_tickets,
                        clock=clock,
                        wall=self._wall,
                        entropy=self._entropy,
                        closed=lambda: self.closed,
                        relay=lambda session: self.relay_address(session, "game"),
                        ports=lambda: self.gateway.ports,
                    )
                )
        return made

    def _start_backgrounds(self, nursery: trio.Nursery, services: Sequence[ServiceListening]) -> None:
        for name, service in self.backgrounds.items():
            nursery.start_soon(service.run, [entry.socket for entry in services if entry.game == name])

    def _kick_elsewhere(self, account: str) -> None:
        for service in self.backgrounds.values():
            service.kick_elsewhere(account)

    def _behind_proxy(self, session: Session) -> bool:
        listener = self.settings.listen.get(session.listener)
        return session.forwarded or (listener is not None and listener.behind_proxy)

    @abstractmethod
    def _alarm(self, text: str) -> None:
        """Staff should know this about the disk."""

    @abstractmethod
    def _audit(self, who: str, what: str, detail: str) -> None:
        """Remember what staff did."""


async def _logged(job: Callable[[], Awaitable[None]]) -> None:
    try:
        await job()
    except Exception:
        log.exception("a job failed")
