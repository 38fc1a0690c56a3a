"""The base of a whole server (`server.boot.app`) and of a login server (`server.boot.login_server`): accounts
and their limits, listeners, the games' background services, commands, and what these ask of their process.

The problem: the parts need one another in a ring (characters come into the loop, the loop offers rows to the
storage, the storage wakes the loop), and they read settings that `reload` replaces while they run.

The idea: a part is given the functions that it needs, and knows no other part's class for them. The
constructor makes the parts in one order; a part that needs a later one is given a short method of this
class, which looks it up when it is called. Settings are read through `CurrentSettings`.

What was not done: a registry from which parts take what they want (it would not show who needs what), and
parts that hold the server (each test of a part would need a server).
"""

from __future__ import annotations

import logging
import secrets
import time
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from protocol.background import Backstage
from protocol.endings import Ending
from protocol.games import GAMES
from server import logs
from server.boot.current import CurrentSettings
from server.cluster.claims import Claims
from server.cluster.logins import Logins
from server.commands.machinery import CommandError, Commands
from server.commands.staff import TABLE
from server.content.families import DATA
from server.counters import Counts
from server.exits import GOOD, HELD
from server.net import tracing
from server.net.gateway import Gateway
from server.net.tracing import Tracing
from server.operate import crash
from server.operate.switchboard import switchboard_for
from server.people import privacy
from server.people.accounts import AccountService
from server.people.characters import CharacterService
from server.people.credentials import fold
from server.people.limiter import ConnectionLimiter, LoginLimiter
from server.people.passwords import Argon2Passwords
from server.people.privacy import Privacy
from server.people.terms import Terms
from server.people.tickets import TicketService
from server.people.tokens import Tokens
from server.settings import config, roles
from server.settings.config import ConfigError
from server.store.census import Census, stored_amounts
from server.store.writer import Storage
from server.turn.beside import WorkThread
from server.turn.loop import Loop
from server.web import connect

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from protocol.background import Background
    from protocol.family import Family
    from protocol.session import Session
    from server.net.listening import ServiceListening
    from server.operate.desk import Carrier
    from server.operate.switchboard import Switchboard
    from server.people.passwords import Passwords
    from server.settings.config import Limits, Network, Settings
    from server.store.database import Database
    from server.store.records import AccountRow
    from server.store.runner import Runner
    from server.turn.beside import Beside
    from server.turn.stages import Stages
    from world.content import Content
    from world.mobile import Mobile
    from world.world import World

log = logging.getLogger("server")

T = TypeVar("T")

GOODBYE_SECONDS: Final = 2.0


class Parts(ABC):
    """The base class. It is the `protocol.services.Services` of all handlers, the `server.commands.host.Host`
    of all commands and the `server.net.connection_settings.ConnectionSettings` of all connections."""

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
        beside: Beside | None = None,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        wall: Callable[[], float] = time.time,
        clock: Callable[[], float] = trio.current_time,
        data_dir: Path = DATA,
        crashes: Path | None = None,
    ) -> None:
        """See `server.boot.options.Options`. `stopwatch` measures turns, in seconds."""
        self.current = current = CurrentSettings(settings)
        self.content = content
        self.families = families
        self._config_path = config_path
        self._clock = clock
        self._entropy = entropy
        self._wall = wall
        self._crashes = crashes
        self._data_dir = data_dir
        self._world = world
        self.counts = Counts()
        self.began = clock()
        self.began_at = wall()  # the same in seconds UTC
        self._nursery: trio.Nursery | None = None
        self._stopping = trio.Event()
        self._goodbyes: trio.CancelScope | None = None
        """Around the wait for the last clients to go, while that lasts."""
        self._exit_code = GOOD
        self._passwords = passwords or Argon2Passwords()
        self._logins = LoginLimiter(current.limits)
        # Each in its turn: those below are made of those above.
        self.storage = self._make_storage(database, runner)
        self.privacy = Privacy(database.notes(privacy.GAME, privacy.KEY), keep=self.storage.keep_note)
        self.census = Census(self.storage.read, start=self.start, clock=clock)
        self.loop = self._make_loop(make_loop, stopwatch)
        self.beside = beside or WorkThread(self.loop.at_rest)
        self._tokens, self.tickets = self._make_tickets()
        self.accounts = self._make_accounts()
        self.characters = CharacterService(
            self.storage, self.loop, limit=self._character_limit, limits=current.limits, wall=wall
        )
        self.logins = self._make_logins()
        """What other worlds of the database are told of who plays here; None where there are none."""
        self.backgrounds = self._make_backgrounds()
        """The background service of each game that has one, by the game's name."""
        self.tickets.revoked += (service.revoke for service in self.backgrounds.values())
        self.tracing = self._make_tracing()
        self.commands = self._make_commands()
        self.gateway = self._make_gateway()

    # How they are made

    def _make_storage(self, database: Database, runner: Runner) -> Storage:
        current = self.current
        return Storage(
            database,
            runner,
            wake=self._wake,
            flush_seconds=current.flush_seconds,
            max_pending_rows=current.max_pending_rows,
            max_lag_seconds=current.max_lag_seconds,
            alarm=self._alarm,
            lost=self._world_is_lost,
            clock=self._clock,
            wall=self._wall,
        )

    def _make_loop(self, kind: type[Loop], stopwatch: Callable[[], float]) -> Loop:
        return kind(
            self._world,
            network=self.current.network,
            joins_per_tick=self.current.joins_per_tick,
            offer=self.storage.offer,
            offer_due=self.storage.due_at,
            stopwatch=stopwatch,
            counts=self.counts,
        )

    def _make_tickets(self) -> tuple[Tokens, TicketService]:
        limits, tokens = self.current.limits, Tokens(self.storage, self.start)
        return tokens, TicketService(
            limits=limits, limiter=self._logins, clock=self._clock, entropy=self._entropy, tokens=tokens
        )

    def _make_logins(self) -> Logins | None:
        if not self.storage.shared:
            return None
        claims = Claims(self.storage, entropy=self._entropy)
        return Logins(self.storage, claims, self.accounts, self.characters, wall=self._wall)

    def _make_accounts(self) -> AccountService:
        current = self.current
        terms = Terms(
            settings=current.accounts,
            limits=current.limits,
            limiter=self._logins,
            behind_proxy=self._behind_proxy,
            clock=self._clock,
            wall=self._wall,
            closed=self._why_closed,
        )
        return AccountService(
            self.storage,
            self._passwords,
            terms,
            tickets=self.tickets,
            logged_out=self._kick_elsewhere,
            counts=self.counts,
            withdraw=self._remove_characters,
        )

    def _make_backgrounds(self) -> Mapping[str, Background]:
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
                        tokens=self._tokens,
                        fold=fold,
                        failures=self._logins,
                        bind_tickets=self.current.bind_tickets,
                        clock=self._clock,
                        wall=self._wall,
                        entropy=self._entropy,
                        closed=self._why_closed,
                        relay=self._relay_to_game,
                        ports=self._ports,
                    )
                )
        return made

    def _make_tracing(self) -> Tracing:
        folder = self.settings.server.state_dir / tracing.FOLDER
        return Tracing(folder, sessions=self.sessions, spawn=self.start, wall=self._wall)

    def _make_commands(self) -> Commands:
        return Commands(
            TABLE,
            accounts=self.accounts,
            host=self,
            audit=self._audit,
            wall=self._wall,
            tracing=self.tracing,
        )

    def _make_gateway(self) -> Gateway:
        return Gateway(
            self.loop,
            self,
            self.characters,
            ConnectionLimiter(self.current.limits),
            self,
            ended=self.accounts.release,
            entropy=self._entropy,
            tracing=self.tracing,
        )

    # What a part that is made early asks of one that is made later

    def _wake(self) -> None:
        self.loop.wake()

    def _world_is_lost(self) -> None:
        self.stop(HELD)

    def _why_closed(self) -> str:
        return self.closed

    def _character_limit(self) -> int:
        return self.character_limit

    async def _remove_characters(self, account_id: int) -> None:
        await self.characters.remove_all(account_id)

    def _kick_elsewhere(self, account: AccountRow) -> None:
        for service in self.backgrounds.values():
            service.kick_elsewhere(account.name)
        if self.logins is not None:
            self.logins.tell(account.id)

    def _behind_proxy(self, session: Session) -> bool:
        listener = self.settings.listen.get(session.listener)
        return session.forwarded or (listener is not None and listener.behind_proxy)

    def _relay_to_game(self, session: Session) -> tuple[str, int]:
        return self.relay_address(session, "game")

    def _ports(self) -> Mapping[tuple[str, str], int]:
        return self.gateway.ports

    @property
    def settings(self) -> Settings:
        """The configuration as it is now."""
        return self.current.settings

    # For handlers (protocol.services.Services)

    @property
    def world(self) -> World:
        """The world; for the world task only."""
        return self._world

    def wall(self) -> float:
        """The time of day, in seconds UTC."""
        return self._wall()

    @property
    def server_name(self) -> str:
        """Name of this world."""
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
        """The address and port to send this client on to."""

    @abstractmethod
    def command(self, session: Session, line: str) -> None:
        """A player typed a command."""

    @abstractmethod
    def online(self) -> Sequence[Mobile]:
        """Characters that clients play now."""

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        """Run a call as one input of the next turn."""
        return await self.loop.in_world(session, call)

    async def offload(self, call: Callable[[], T]) -> T:
        """Run a calculation in the thread that checks passwords, one after another."""
        return await self._passwords.offload(call)

    @abstractmethod
    async def durable(self) -> None:
        """Wait until everything that has happened so far is on disk."""

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job that outlives the client; a failing one is logged. It is not run when no clients are
        served."""
        if self._nursery is not None:
            self._nursery.start_soon(_logged, job)

    # For commands (server.commands.host.Host)

    def sessions(self) -> Sequence[Session]:
        """All that are connected."""
        return list(self.loop.sessions.values())

    @abstractmethod
    def statistics(self) -> Sequence[str]:
        """Lines for `causeway status`."""

    @cached_property
    def switchboard(self) -> Switchboard | None:
        """Between commands of this process and the worlds beside it; None where there are none."""
        return switchboard_for(self.settings, self.commands, self.storage, wall=self._wall, start=self.start)

    @property
    def carrier(self) -> Carrier:
        """Carries out commands from outside: here, or where those are whom they are about."""
        return self.switchboard or self.commands

    @property
    def stages(self) -> Stages:
        """Times of the stages of a turn, while they are measured."""
        return self.loop.stages

    def page_address(self, session: Session) -> str:
        """Address of the live map for the player of a session (`server.web.connect`)."""
        listen, ports = self.settings.listen, self.gateway.ports_of(session)
        return connect.page_address(listen, ports, session.peer, session.local)

    async def stored_amounts(self) -> Mapping[str, int]:
        """Amount of each kind of item in the database, by the kind's key."""
        return await self.storage.read(stored_amounts)

    async def reload(self) -> Sequence[str]:
        """Read config.toml again and apply what may change while the server runs. Raises CommandError, with
        nothing changed, if there is no file or it has mistakes."""
        if self._config_path is None:
            raise CommandError("this server was not started from a file")
        try:
            new = config.load(self._config_path).anchored(self._config_path.parent)
        except ConfigError as error:
            raise CommandError("nothing was changed: " + "; ".join(error.problems)) from error
        self.current.settings, restart = config.changed_at_runtime(self.settings, new)
        logs.apply_levels(self.settings.log)
        lines = ["the configuration was read again"]
        if restart:
            lines.append("a restart is needed for: " + ", ".join(restart))
        log.info("%s", "; ".join(lines))
        return lines

    async def reload_content(self) -> Sequence[str]:
        """Read data/ again. Raises CommandError: there is no world here that could go on with it."""
        raise CommandError("this process has no world: the world server reads data/")

    async def give_realm(self, realm: str, world: int) -> None:
        """Give a realm away. Raises CommandError: there is none here."""
        raise CommandError("this process has no world")

    def stop(self, code: int) -> None:
        """Begin the shutdown; asked again, wait for no client any more."""
        self._exit_code = max(self._exit_code, code)
        self._stopping.set()
        if self._goodbyes is not None:
            self._goodbyes.cancel()

    # For connections (server.net.connection_settings.ConnectionSettings)

    @property
    def network(self) -> Network:
        """[network] as it is now."""
        return self.current.settings.network

    @property
    def limits(self) -> Limits:
        """[limits] as it is now."""
        return self.current.settings.limits

    # Ending

    async def _say_goodbye(self) -> None:
        """Tell everybody, let what is under way arrive, and end them. A second `stop` ends the waiting."""
        self._send_away()
        patience = GOODBYE_SECONDS + self.settings.network.shutdown_wait_seconds
        with trio.move_on_after(patience) as self._goodbyes:
            await self.gateway.emptied()

    def _send_away(self) -> None:
        self.gateway.close()
        for session in self.sessions():
            session.family.goodbye(session, "The server is shutting down.")
            session.end(Ending.SHUTDOWN, "the server stops")

    def report(self, error: BaseException) -> None:
        """Write a crash report about the error that ends the server, the first time it is called. Raises
        nothing: a failure to report must not hide the error itself."""
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

    def _start_backgrounds(self, nursery: trio.Nursery, services: Sequence[ServiceListening]) -> None:
        for name, service in self.backgrounds.items():
            nursery.start_soon(service.run, [entry.socket for entry in services if entry.game == name])

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
