"""A process with `roles = ["login"]`: Lineage II's login door, and no world.

It shares the world's database for accounts alone, and does without the lock that makes a process the one that
may write everything else. Handlers find the same services here as in a whole server, as far as a login door
asks for them.
"""

from __future__ import annotations

import logging
import random
import secrets
import time
from typing import TYPE_CHECKING, Final, TypeVar

import attrs
import trio

from protocol.endings import Ending
from server import config, crash, logs, tracing
from server.accounts import AccountService
from server.bridge_parts import Bridge
from server.characters import CharacterService
from server.commands import CommandError, Commands
from server.config import ConfigError
from server.exits import GOOD
from server.gateway import Gateway
from server.limiter import ConnectionLimiter, LoginLimiter
from server.loop import Loop
from server.passwords import Argon2Passwords
from server.staff import TABLE
from server.store.census import stored_amounts
from server.store.records import AuditRow
from server.store.writer import Storage
from server.tickets import TicketService
from server.tracing import Tracing
from world.serials import Serials
from world.world import World

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from protocol.family import Family
    from protocol.session import Session
    from server.bridge import HallSide, PostSide
    from server.config import Limits, Network, Settings
    from server.gateway import Listening
    from server.passwords import Passwords
    from server.stages import Stages
    from server.store.database import Database
    from server.store.runner import Runner
    from world.content import Content
    from world.mobile import Mobile

log = logging.getLogger("server")

T = TypeVar("T")

GOODBYE_SECONDS: Final = 2.0


class Lobby(Loop):
    """Where a login server's sessions are: the place of the world's loop, without a world task. What wants a
    turn elsewhere is done at once."""

    def depart(self, call: Callable[[World], None]) -> None:
        """A client is gone."""
        call(self.world)

    async def in_world(self, session: Session | None, run: Callable[[World], T], *, join: bool = False) -> T:
        """Run a call; nobody is in this world."""
        await trio.lowlevel.checkpoint()
        return run(self.world)


class LoginServer:
    """All parts of a login server. Implements `protocol.l2.bridge.L2Services`, `server.commands.Host` and
    `server.connection.Knobs`, as `server.app.App` does."""

    def __init__(
        self,
        settings: Settings,
        content: Content,
        families: Mapping[str, Family],
        database: Database,
        runner: Runner,
        *,
        config_path: Path | None = None,
        passwords: Passwords | None = None,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        wall: Callable[[], float] = time.time,
        crashes: Path | None = None,
    ) -> None:
        """`database` is a guest's. `crashes` is where to report what ends the server."""
        self.settings = settings
        self.content = content
        self.families = families
        self._config_path = config_path
        self._entropy = entropy
        self._wall = wall
        self._crashes = crashes
        self._database = database
        self._runner = runner
        self._nursery: trio.Nursery | None = None
        self._stopping = trio.Event()
        self._exit_code = GOOD
        empty = attrs.evolve(content, charts={})
        world = World(empty, Serials(), chance=random.Random(0), now=trio.current_time())
        self.loop = Lobby(
            world,
            network=lambda: self.settings.network,
            joins_per_tick=lambda: self.settings.limits.joins_per_tick,
            offer=lambda _, __: None,
            offer_due=lambda _: None,
            stopwatch=time.perf_counter,
        )
        # Nothing is ever handed to it that would be written later: its task does not run.
        self.storage = Storage(
            database,
            runner,
            wake=lambda: None,
            flush_seconds=lambda: self.settings.storage.flush_seconds,
            max_pending_rows=lambda: self.settings.storage.max_pending_rows,
            max_lag_seconds=lambda: self.settings.storage.max_lag_seconds,
            wall=wall,
        )
        logins = LoginLimiter(lambda: self.settings.limits)
        self.tickets = TicketService(
            limits=lambda: self.settings.limits, limiter=logins, clock=trio.current_time, entropy=entropy
        )
        self.accounts = AccountService(
            self.storage,
            passwords or Argon2Passwords(),
            settings=lambda: self.settings.accounts,
            limits=lambda: self.settings.limits,
            limiter=logins,
            tickets=self.tickets,
            behind_proxy=self._behind_proxy,
            clock=trio.current_time,
            wall=wall,
            closed=lambda: self.closed,
            logged_out=lambda name: self.bridge.kick_elsewhere(name),
        )
        self.characters = CharacterService(
            self.storage,
            self.loop,
            limit=lambda: self.character_limit,
            limits=lambda: self.settings.limits,
            wall=wall,
        )
        self.bridge = Bridge(
            settings,
            self.accounts,
            self.characters,
            limits=lambda: self.settings.limits,
            limiter=logins,
            clock=trio.current_time,
            wall=wall,
            entropy=entropy,
            closed=lambda: self.closed,
            relay=self.relay_address,
            ports=lambda: self.gateway.ports,
        )
        self.tickets.revoked = self.bridge.revoke
        self.tracing = Tracing(
            settings.server.state_dir / tracing.FOLDER, sessions=self.sessions, spawn=self.start, wall=wall
        )
        self.commands = Commands(
            TABLE, accounts=self.accounts, host=self, audit=self._audit, wall=wall, tracing=self.tracing
        )
        self.gateway = Gateway(
            self.loop,
            self,
            self.characters,
            ConnectionLimiter(lambda: self.settings.limits),
            self,
            ended=self.accounts.release,
            entropy=entropy,
            tracing=self.tracing,
        )

    # For handlers (protocol.l2.bridge.L2Services)

    @property
    def login_side(self) -> HallSide:
        """Lineage II's bridge, as its login door sees it."""
        return self.bridge.login_side

    @property
    def game_side(self) -> PostSide:
        """Lineage II's bridge, as a game's door would see it; there is none here."""
        return self.bridge.post_side

    @property
    def world(self) -> World:
        """An empty one, for commands that count who is there."""
        return self.loop.world

    @property
    def server_name(self) -> str:
        """What it is called."""
        return self.settings.server.name

    @property
    def character_limit(self) -> int:
        """Characters per account."""
        return self.settings.accounts.characters

    @property
    def closed(self) -> str:
        """Why nobody may log in now; empty if they may."""
        return "the server is shutting down" if self._stopping.is_set() else ""

    def entropy(self, size: int) -> bytes:
        """Random bytes."""
        return self._entropy(size)

    def relay_address(self, session: Session, door: str | None = None) -> tuple[str, int]:
        """Where this client came to: nobody is sent on within this process."""
        host, _, port = session.local.rpartition(":")
        return host.strip("[]"), int(port)

    def command(self, session: Session, line: str) -> None:
        """Nobody is in a game here."""

    def online(self) -> Sequence[Mobile]:
        """Nobody is."""
        return ()

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        """Run a call at once."""
        return await self.loop.in_world(session, call)

    async def durable(self) -> None:
        """What is written here is durable when it is written."""
        await trio.lowlevel.checkpoint()

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job that outlives the client; a failing one is logged."""
        if self._nursery is not None:
            self._nursery.start_soon(_logged, job)

    # For commands (server.commands.Host)

    def sessions(self) -> Sequence[Session]:
        """All that are connected."""
        return list(self.loop.sessions.values())

    def statistics(self) -> Sequence[str]:
        """Its game servers, and who is on the way to them."""
        hall = self.bridge.login_side.hall
        servers = [
            f"game server {number} at {server.host}:{server.port}: {len(server.online)} online"
            + ("" if server.up else ", closed")
            for number, server in sorted(hall.servers.items())
        ]
        waiting = hall.waiting(trio.current_time())
        return [*(servers or ["no game server is connected"]), f"{waiting} on the way to one"]

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
        """Begin the shutdown."""
        self._exit_code = max(self._exit_code, code)
        self._stopping.set()

    # For connections (server.connection.Knobs)

    @property
    def network(self) -> Network:
        """[network] as it is now."""
        return self.settings.network

    @property
    def limits(self) -> Limits:
        """[limits] as it is now."""
        return self.settings.limits

    # Running

    async def run(
        self,
        listening: Sequence[Listening] = (),
        *,
        bridge: socket.socket | None = None,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> int:
        """Serve until `stop`; the exit code. `bridge` is the socket at which game servers are heard."""
        async with trio.open_nursery() as clients:
            self._nursery = clients
            async with trio.open_nursery() as doors:
                for door in listening:
                    doors.start_soon(self.gateway.accept, door, clients)
                doors.start_soon(self.gateway.sweep)
                doors.start_soon(self.bridge.run, bridge)
                task_status.started()
                await self._stopping.wait()
                doors.cancel_scope.cancel()
            self.gateway.close()
            for session in self.sessions():
                session.family.goodbye(session, "The server is shutting down.")
                session.end(Ending.SHUTDOWN, "the server stops")
            with trio.move_on_after(GOODBYE_SECONDS + self.settings.network.shutdown_wait_seconds):
                await self.gateway.emptied()
            self._nursery = None
            clients.cancel_scope.cancel()
        log.info("stopped")
        return self._exit_code

    def report(self, error: BaseException) -> None:
        """Write down what ends the server. Raises nothing."""
        if self._crashes is None:
            return
        try:
            path = crash.write_report(
                self._crashes, error, tick=0, sessions=self.sessions(), settings=self.settings
            )
        except Exception as failed:
            log.critical("crashed, and the report cannot be written: %r", failed)
        else:
            log.critical("crashed: the report is %s", path)

    def _behind_proxy(self, session: Session) -> bool:
        listener = self.settings.listen.get(session.listener)
        return listener is not None and listener.behind_proxy

    def _audit(self, who: str, what: str, detail: str) -> None:
        row = AuditRow(self._wall(), 0, who, what, detail)

        async def write() -> None:
            await self.storage.write(lambda database: database.append_audit([row]))

        self.start(write)


async def _logged(job: Callable[[], Awaitable[None]]) -> None:
    try:
        await job()
    except Exception:
        log.exception("a job failed")
