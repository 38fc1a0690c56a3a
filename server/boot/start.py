"""From the world's lock to the exit code: what `causeway serve` does around the app.

The problem: a start may fail in a dozen ways (another server has the world, the file is newer than the
program, a port is taken, data/ has mistakes), and an operator or a script has to learn which. So what can
fail is done in order before the doors open, all mistakes of one kind are reported in one go, and each way to
end has an exit code of its own. Nothing is tried again, except that a login server waits until the world
server has made the database: whoever restarts services knows better when.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import signal
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

import attrs
import trio

from protocol.address import Address
from protocol.background import EDGE, WORLD
from protocol.family import Transport
from server import logs
from server.boot.app import App
from server.boot.edge_server import Edge
from server.boot.login_server import LoginServer
from server.boot.rehearsal import rehearse
from server.clock import SteadyClock
from server.commands.machinery import CommandError
from server.content.families import DATA, build_families, numbers_of, with_numbers
from server.content.loading import ContentError
from server.content.loading import load as load_content
from server.exits import CRASHED, DAMAGED, GOOD, HELD, REFUSED
from server.net.listening import Listening, ServiceListening, bind, bind_datagrams, write_endpoints
from server.operate import crash
from server.operate.desk import Desk
from server.operate.place import Place
from server.operate.watchdog import Watchdog, end_within
from server.settings import roles
from server.settings.config import ConfigError
from server.store.backup import whole_backups
from server.store.check import check_database
from server.store.database import Database
from server.store.engine import database_path
from server.store.errors import DatabaseDamaged, DatabaseError, DatabaseHeld, storage_explained
from server.store.fence import SILENT_SECONDS
from server.store.lock import StateLock, WorldLock, make_state_dir, require_folder
from server.store.migrate import is_current, upgrade
from server.store.runner import ThreadRunner
from server.store.standby import try_lock
from server.store.writer import BEAT_SECONDS

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from protocol.family import Family
    from server.settings.config import Settings
    from world.content import Content

log = logging.getLogger("server")

EDGES: Final = 64
"""That may wait to be accepted."""

DATABASE_SECONDS: Final = 0.5
"""Between two looks for a database that another process makes."""


async def prepare(families: Mapping[str, Family]) -> None:
    """Run the preparations of all games before anybody comes, in a thread, so that the loop is not
    blocked."""
    for family in families.values():
        if family.prepare is not None:
            await trio.to_thread.run_sync(family.prepare)


def listen(settings: Settings, families: Mapping[str, Family]) -> list[Listening]:
    """Bind every door that is switched on. Raises ConfigError naming all that cannot be bound."""
    listening: list[Listening] = []
    problems: list[str] = []
    for name, listener, door_name, address in roles.open_doors(settings):
        family = families[listener.family]
        try:
            if family.doors[door_name].transport is Transport.DATAGRAM:
                bound = bind_datagrams(address, listener.codec_settings())
            else:
                bound = bind(address, settings.network.backlog)
        except OSError as error:
            problems.append(
                f"listen.{name}.{door_name}: cannot listen on {address}: {error.strerror or error}"
            )
            continue
        options = listener.codec_settings()
        listening.append(Listening(name, family, door_name, bound, options, listener.behind_proxy))
    if problems:
        for entry in listening:
            entry.socket.close()
        raise ConfigError(problems)
    return listening


def listen_for_services(settings: Settings) -> list[ServiceListening]:
    """Bind what the background services of this process listen at. Raises ConfigError naming all that cannot
    be bound."""
    listening: list[ServiceListening] = []
    problems: list[str] = []
    for game, wanted in roles.background_sockets(settings):
        try:
            bound = bind(wanted.address, wanted.backlog)
        except OSError as error:
            key, place = f"listen.{wanted.table}.{wanted.key}", wanted.address
            problems.append(f"{key}: cannot listen on {place}: {error.strerror or error}")
        else:
            listening.append(ServiceListening(game, wanted, bound))
    if problems:
        for entry in listening:
            entry.socket.close()
        raise ConfigError(problems)
    return listening


def listen_for_edges(settings: Settings) -> socket.socket | None:
    """Bind where edges connect; None if none do. Raises ConfigError."""
    if not settings.world.address or WORLD not in settings.server.roles:
        return None
    address = Address.parse(settings.world.address)
    try:
        return bind(address, EDGES)
    except OSError as error:
        raise ConfigError(
            [f"world.address: cannot listen on {address}: {error.strerror or error}"]
        ) from error


def run(settings: Settings, config_path: Path) -> int:
    """`causeway serve`: everything from the world's lock to the exit code. Raises ConfigError if nothing can
    be logged."""
    settings = settings.anchored(config_path.resolve().parent)
    state_dir = settings.server.state_dir
    try:
        make_state_dir(state_dir)
        logs.setup(settings.log, state_dir)
    except OSError as error:
        raise ConfigError([f"server.state_dir: {state_dir} cannot be used: {error}"]) from error
    try:
        return trio.run(_serve, settings, config_path.resolve(), clock=SteadyClock())
    except DatabaseHeld as error:
        log.critical("%s", error)
        return HELD
    except DatabaseDamaged as error:
        log.critical("the database is damaged and was left as it is: %s", error)
        for backup in error.backups:
            log.critical("to restore it: causeway restore --config %s %s", config_path, backup)
        return DAMAGED
    except (ConfigError, ContentError) as error:
        for problem in error.problems:
            log.critical("%s", problem)
        return REFUSED
    except DatabaseError as error:
        log.critical("%s", error)
        return REFUSED
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            return GOOD
        log.critical("crashed", exc_info=error)
        return CRASHED
    finally:
        logs.close()


async def _serve(settings: Settings, config_path: Path) -> int:
    """Start, run and stop. A signal that comes while it starts ends it before it began."""
    with trio.CancelScope() as starting:
        async with trio.open_nursery() as nursery:
            host = _Host(nursery, starting=starting)
            await nursery.start(_signals, host)
            try:
                host.code = await _serve_world(settings, config_path, host)
            except Exception as error:
                host.error = error
            nursery.cancel_scope.cancel()
    if host.error is not None:
        raise host.error
    return host.code


@attrs.define
class _Host:
    """What a signal reaches: the app once there is one, the start before."""

    nursery: trio.Nursery
    """For what goes on until the process ends."""
    app: App | LoginServer | None = None
    starting: trio.CancelScope | None = None
    code: int = GOOD
    error: Exception | None = None
    """What ended it; carried out of the task group, which would wrap it up."""

    def begin(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run something beside the start."""
        self.nursery.start_soon(job)

    def stop(self) -> None:
        """The process is asked to end."""
        if self.app is not None:
            self.app.stop(GOOD)
        elif self.starting is not None:
            self.starting.cancel()


async def _serve_world(settings: Settings, config_path: Path, host: _Host) -> int:
    # The page counts its connections apart from those of the games, against the same limit.
    pages = [
        name for name, listener in settings.listen.items() if listener.family == "web" and listener.enabled
    ]
    raise_file_limit((1 + len(pages)) * settings.limits.connections + 200)
    state_dir = settings.server.state_dir
    content = await trio.to_thread.run_sync(load_content, DATA)
    # A world with edges plays all games that its file names, whether or not it has doors of its own for them.
    has_edges = bool(settings.world.address) and WORLD in settings.server.roles
    wanted = sorted(
        {listener.family for listener in settings.listen.values() if listener.enabled or has_edges}
    )
    families = build_families(content, wanted)
    if WORLD not in settings.server.roles:
        return await _serve_beside(settings, content, families, config_path, host)
    backups, path = state_dir / "backups", database_path(settings.database.url)
    with contextlib.ExitStack() as held:
        with storage_explained(lambda: [] if path is None else whole_backups(backups, path)):
            held.callback(StateLock(state_dir).release)
            require_folder(settings.database.url, state_dir)
            held.callback((await _locked(settings, families)).release)
            await trio.to_thread.run_sync(upgrade, settings.database.url, backups)
            database = Database(
                settings.database.url,
                synchronous=settings.storage.synchronous,
                world=settings.world.id,
                idle_seconds=SILENT_SECONDS,
            )
            runner = ThreadRunner(shared=database.shared)
            held.callback(_close, database, runner)
            host.begin(partial(_beat, database, host))
            _claim_realms(database, settings, content)
            if not database.meta().clean:
                await trio.to_thread.run_sync(_check_after_a_crash, database, backups)
            families = with_numbers(content, families, database.kind_numbers())
            database.keep_kind_numbers(numbers_of(families))
            app = App(
                settings,
                content,
                families,
                database,
                runner,
                config_path=config_path,
                crashes=state_dir / crash.FOLDER,
            )
            app.silence.end_within = end_within
        return await _open_doors(app, host)


def _close(database: Database, runner: ThreadRunner) -> None:
    """A connection that is in the midst of a call would not be closed before that has ended."""
    if not runner.busy:
        database.close()


async def _locked(settings: Settings, families: Mapping[str, Family]) -> WorldLock:
    """The lock of the world. A process that stands by prepares all that takes long, and waits for it."""
    url, world = settings.database.url, settings.world.id
    if not settings.world.standby:
        return WorldLock(url, world)
    await prepare(families)
    await trio.to_thread.run_sync(rehearse, url, world)
    log.info("standing by for world %d", world)
    while (lock := await trio.to_thread.run_sync(try_lock, url, world, abandon_on_cancel=True)) is None:
        pass
    return lock


async def _beat(database: Database, host: _Host) -> None:
    """Keep a world alive among others while it starts, which may take longer than others wait. It runs in
    this very task, so that it is not in the midst of anything else that the start asks of the database."""
    while database.epoch is not None:
        await trio.sleep(BEAT_SECONDS)
        if host.app is not None:
            return  # its storage goes on
        try:
            database.beat()
        except Exception as error:
            # Lost, or away: the next step of the start says more.
            log.debug("no beat: %s", error)


def _claim_realms(database: Database, settings: Settings, content: Content) -> None:
    """Raises ConfigError for realms that are not in data/, DatabaseHeld for those of another living world."""
    unknown = [realm for realm in settings.world.realms if realm not in content.charts]
    if unknown:
        known = ", ".join(sorted(content.charts))
        raise ConfigError(
            [f"world.realms: there is no realm {realm} (there are {known})" for realm in unknown]
        )
    if not database.claim_realms(content.charts.keys(), settings.world.realms):
        raise DatabaseHeld("other living worlds have all realms: world.realms should name some for each")


async def _serve_beside(
    settings: Settings, content: Content, families: Mapping[str, Family], config_path: Path, host: _Host
) -> int:
    """A login server or an edge, without a world and its lock: whoever has those makes the database and keeps
    it up to date."""
    state_dir, url = settings.server.state_dir, settings.database.url
    with contextlib.ExitStack() as held:
        with storage_explained():
            held.callback(StateLock(state_dir).release)
            await _until_there_is_a_database(url)
            database = Database(url, synchronous=settings.storage.synchronous, guest=True)
            held.callback(database.close)
        runner = ThreadRunner(shared=database.shared)
        kind = Edge if settings.server.roles == (EDGE,) else LoginServer
        app = kind(
            settings,
            content,
            families,
            database,
            runner,
            config_path=config_path,
            crashes=state_dir / crash.FOLDER,
        )
        return await _open_doors(app, host)


async def _until_there_is_a_database(url: str) -> None:
    """The world server makes it. Both may have been started together."""
    told = False
    while not await trio.to_thread.run_sync(is_current, url):
        if not told:
            log.warning("waiting for the world server to make the database, or to bring it up to date")
            told = True
        await trio.sleep(DATABASE_SECONDS)


async def _open_doors(app: App | LoginServer, host: _Host) -> int:
    state_dir = app.settings.server.state_dir
    endpoints = state_dir / "endpoints.json"
    endpoints.unlink(missing_ok=True)
    await prepare(app.families)
    listening = listen(app.settings, app.families)
    try:
        services = listen_for_services(app.settings)
    except ConfigError:
        for entry in listening:
            entry.socket.close()
        raise
    try:
        edges = listen_for_edges(app.settings)
    except ConfigError:
        for entry in listening:
            entry.socket.close()
        for heard in services:
            heard.socket.close()
        raise
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 5_000)  # a collection visits 10,000 objects, 10 ms or so, rarely 100,000
    try:
        async with trio.open_nursery() as nursery:
            place = Place(app.loop.pulse)
            await nursery.start(Desk(app.carrier, place, name=app.server_name).serve, state_dir)
            nursery.start_soon(Watchdog(state_dir / crash.FOLDER, where=place.line).keep)
            host.app = app
            write_endpoints(endpoints, listening, app.server_name, services=services, edges=edges)
            # Unlike everything else there it is for every local user's tools.
            endpoints.chmod(0o644)
            for entry in listening:
                log.info("%s %s listens on %s", entry.name, entry.door_name, entry.address)
                if entry.door.transport is Transport.MESSAGE:
                    page = _here(entry.address)
                    log.info("open http://%s/ to watch the world, or to play in a browser", page)
            for heard in services:
                log.info("%s hears %s on %s", heard.wanted.table, heard.wanted.hears, heard.address)
            try:
                code = await app.run(listening, services=services, edges=edges)
            except Exception as error:
                app.report(error)  # what ended it was no turn, and so is not reported yet
                raise
            nursery.cancel_scope.cancel()
        return code
    finally:
        endpoints.unlink(missing_ok=True)
        for entry in listening:
            entry.socket.close()
        for heard in services:
            heard.socket.close()
        if edges is not None:
            edges.close()


def _here(address: str) -> str:
    """A bound address as a browser on this machine may ask for it."""
    return address.replace("0.0.0.0:", "127.0.0.1:").replace("[::]:", "[::1]:")


def _check_after_a_crash(database: Database, backups: Path) -> None:
    """The last server did not stop in good order: is what it left whole? Raises DatabaseDamaged."""
    log.info("the last server did not stop in good order, checking what it left")
    findings = check_database(database)
    for finding in findings:
        log.error("%s %#x: %s", finding.kind, finding.serial, finding.detail)
    if findings:
        message = f"{len(findings)} things do not fit, see above; `causeway check --repair` mends what can be"
        raise DatabaseDamaged(message, whole_backups(backups, database.path) if database.path else ())


async def _signals(host: _Host, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
    """SIGTERM and SIGINT mean now; SIGHUP means read the configuration again."""
    wanted = [signal.SIGTERM, signal.SIGINT]
    if sys.platform != "win32":
        wanted.append(signal.SIGHUP)
    with trio.open_signal_receiver(*wanted) as received:
        task_status.started()
        async for number in received:
            if sys.platform == "win32" or number != signal.SIGHUP:
                log.info("received %s", signal.Signals(number).name)
                host.stop()
            elif host.app is not None:
                try:
                    await host.app.reload()
                except CommandError as error:
                    log.error("%s", error)


def raise_file_limit(wanted: int) -> None:
    """Allow as many open files as connections, as far as the system lets us; warn if it does not."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
    if hard < wanted:
        log.warning("only %d files may be open, %d are wanted for limits.connections", hard, wanted)
