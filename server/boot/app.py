"""The running server: builds all parts and holds the task tree.

    core      the world task and the storage task: the last to end
    clients   one task per client, and jobs that outlive theirs
    doors     accept loops, the sweep, the admin channel: the first to end

This is the only module that knows everything; everybody else is handed what it needs.

The theory is in the order of the ends. What writes must outlive what changes: doors close first, so that
nobody comes in; clients receive a goodbye; then all characters leave in one last turn; and only when that
turn is handed over does the storage task end. One nursery for all would cancel the storage task together
with those whose last changes it has to write, and a flag that every task looks at does not help, because
a task that waits looks at nothing.
"""

from __future__ import annotations

import logging
import random
import secrets
import socket
import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar, Unpack

import trio

from protocol.address import is_ipv4
from protocol.family import Transport
from server.boot.beginning import begun, beside_others, crossings_of, divide_numbers, handover_of, polling
from server.boot.fronts import counted, open_front, shown
from server.boot.memory import resident_mib
from server.boot.parts import Parts
from server.boot.relays import make_relay
from server.boot.silence import Silence
from server.clock import stood_still
from server.commands.machinery import CommandError
from server.content import renewing, watching
from server.content.families import numbers_of
from server.content.loading import ContentError
from server.edge.handover import CannotGive
from server.edge.port import EdgePort
from server.exits import CRASHED, HELD
from server.net.datagram_status import datagram_lines
from server.net.outbox import shed_by_class
from server.operate.typed import Typed
from server.store.errors import DatabaseError, storage_explained
from server.store.fence import SILENT_SECONDS
from server.turn.loop import Loop
from server.turn.pulse import overload
from world import company
from world.handover import furnish
from world.mobile import Access
from world.snapshot import restore_records
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from protocol.family import Family, Numbers
    from protocol.session import Session
    from server.boot.options import Options
    from server.net.listening import Listening, ServiceListening
    from server.settings.config import Settings
    from server.store.database import Database
    from server.store.runner import Runner
    from server.web.front import Front
    from world.content import Content
    from world.mobile import Mobile
    from world.world import Changes, World

log = logging.getLogger("server")

T = TypeVar("T")

RESOLVE_SECONDS: Final = 60.0
EDGES_SECONDS: Final = 1.0
"""For which other doors wait until edges are heard."""
CLOCK_JUMP_SECONDS: Final = 3600.0
"""A step of the wall clock that is worth a line."""


class App(Parts):
    """All parts of a running server.

    Why it is one class of this size: it is the Services of all handlers and the Host of all commands, and
    both are asked for by the parts that it makes. Most methods hand on, or are a task that watches one thing.
    """

    def __init__(
        self,
        settings: Settings,
        content: Content,
        families: Mapping[str, Family],
        database: Database,
        runner: Runner,
        *,
        chance: random.Random | None = None,
        make_loop: type[Loop] = Loop,
        stopwatch: Callable[[], float] = time.perf_counter,
        **options: Unpack[Options],
    ) -> None:
        self._advertised: dict[str, str] = {}
        """IPv4 address by the name that a listener advertises."""
        self._reloading, self._edges_heard = trio.Lock(), trio.Event()
        self._kind_numbers: Mapping[str, Numbers] = numbers_of(families)
        """By game: numbers by which clients know kinds; all of them are written down."""
        self._nameless: set[str] = set()
        """Advertised names without an address, about which there is a line in the log."""

        now = options.get("clock", trio.current_time)()
        world = begun(content, database, chance or random.Random(secrets.randbits(64)), now)
        super().__init__(
            settings,
            content,
            families,
            database,
            runner,
            world,
            make_loop=make_loop,
            stopwatch=stopwatch,
            **options,
        )
        world.dawn = world.epoch = self._wall() - now
        world.stopwatch = stopwatch
        if self.storage.shared:
            divide_numbers(families, settings.world.id)
        self._promised = trio.Event()
        self.loop.observers.append(self._note_promises)
        self.worlds = None
        """There are none in other processes that are this one's."""
        self.turnout = counted(self)
        self.live = shown(self)
        """Who watches the world without playing; None without the web page."""
        self.edges = self._make_port()
        self.edges.live, self.edges.turnout = self.live, self.turnout
        altered = self.accounts.changed_elsewhere if self.logins is None else self.logins.alters
        self.edges.vouched, self.edges.changed = self.tickets.trust, altered
        self.edges.realms = world.realms.keys
        self.handover = handover_of(self, self.edges, lambda: self.closed)
        self._settle(database)
        self.relay = make_relay(self)
        """To other worlds; None if this one stands alone."""
        self.beside_others = beside_others(self, self._wall)
        let_go = partial(self.stop, CRASHED), self.edges.drop, self._send_away
        self.silence = Silence(self.storage, self._stopping.is_set, let_go)
        if self.switchboard is not None:
            self.commands.beyond = Typed(self.commands, self.switchboard, self)

    def _make_port(self) -> EdgePort:
        port = EdgePort(
            self.gateway,
            self.families,
            listeners=lambda: self.settings.listen,
            refresh=self.loop.refresh,
            took=partial(setattr, self.loop.pace, "elsewhere"),
            rest=self.loop.rest,
            entropy=self._entropy,
            secret=self.settings.edge.secret,
            name=self.server_name,
            world=self.settings.world.id,
        )
        self.loop.last_call, self.loop.turn_over = port.hear, port.push
        return port

    # For handlers (protocol.services.Services)

    def relay_address(self, session: Session, door: str | None = None) -> tuple[str, int]:
        """The address and port to send this client on to: what its listener advertises, or what the client
        connected to if nothing is advertised or the advertised name has no address now. With `door`, the port
        of that door of the listener."""
        host, _, port = session.local.rpartition(":")
        if door is not None:
            port = str(self.gateway.ports_of(session)[session.listener, door])
        listener = self.settings.listen.get(session.listener)
        advertise = listener.advertise if listener is not None else None
        if advertise is None:
            return host.strip("[]"), int(port)
        known = advertise.host if is_ipv4(advertise.host) else self._advertised.get(advertise.host)
        if known is None:
            self._say_nameless(advertise.host, "it was not looked up yet")
            return host.strip("[]"), int(port)
        return known, advertise.port or int(port)

    def command(self, session: Session, line: str) -> None:
        """A player typed a command: anybody, whatever its level."""
        self.commands.in_game(session, line)

    async def vouch(self, session: Session, key: bytes) -> None:
        """Have a ticket be good where its client is going to play: that is here."""

    def online(self) -> Sequence[Mobile]:
        """Characters that clients play now."""
        return list(self._world.online())

    async def durable(self) -> None:
        """Wait until everything that has happened so far is on disk."""
        await self.storage.wait_durable()

    # For commands (server.commands.host.Host)

    def statistics(self) -> Sequence[str]:
        """Lines for `causeway status`: turns, memory and disk."""
        turns, disk, memory = self.loop.stats, self.storage.health, resident_mib()
        late, long = turns.lateness_quantile, turns.seconds_quantile
        shed, overloaded = self.gateway.shed, overload(turns, self._clock())
        return [
            *([overloaded] if overloaded else []),
            f"{turns.turns} turns, the worst took {1000 * turns.worst_seconds:.1f} ms, "
            f"{turns.over_budget} were over budget",
            f"the last {len(turns.seconds)} took {1000 * long(0.5):.1f} ms (p50) and "
            f"{1000 * long(0.99):.1f} ms (p99), and began late by "
            f"{1000 * late(0.5):.1f} ms (p50) and {1000 * late(0.99):.1f} ms (p99)",
            turns.load(),
            f"{len(self.gateway.connections)} clients"
            + (f", {memory:.0f} MiB of memory" if memory is not None else ""),
            f"{disk.pending_rows} rows wait for the disk, which is {disk.lag_seconds:.1f} s behind",
            *([self.relay.line()] if self.relay is not None else []),
            *self.edges.statistics(),
            *([f"clients that were too slow lost {shed_by_class(shed)}"] if shed else []),
            *datagram_lines({" ".join(door): bound for door, bound in self.gateway.sockets.items()}),
        ]

    async def reload_content(self) -> Sequence[str]:
        """Read data/ again in a thread, and go on with it from one turn to the next. Raises CommandError,
        with nothing changed, if anything is wrong with it."""
        async with self._reloading:
            old = self._world.content
            try:
                found = await self.beside.run(
                    partial(renewing.read, self._data_dir, old, self.families, self._kind_numbers)
                )
                # Before a client can be sent any: after a crash nobody else gets them.
                with storage_explained():
                    await self.storage.write(lambda database: database.keep_kind_numbers(found.numbers))
            except ContentError as error:
                raise CommandError("\n".join(["nothing was changed:", *error.problems])) from error
            except DatabaseError as error:
                raise CommandError(f"nothing was changed: {error}") from error
            except Exception as error:
                # A fault of ours, or no memory left: what it was reading is not worth the running world.
                log.exception("data/ could not be read again")
                why = f"{type(error).__name__}: {error}".rstrip(": ")
                raise CommandError(f"nothing was changed: {why}; the log says where") from error
            self._kind_numbers = found.numbers
            if hidden := self.commands.table.hides(found.content.scripts):
                raise CommandError("\n".join(["nothing was changed:", *hidden]))

            def adopt(world: World) -> Sequence[str]:
                lines = found.adopt(world, self.loop.sessions.values())
                self.content = found.content
                return lines

            lines = await self.loop.in_world(None, adopt)
        log.info("%s", "; ".join(lines))
        return lines

    async def give_realm(self, realm: str, world: int) -> None:
        """Give a realm to another living world of the database. Raises CommandError."""
        try:
            await self.handover.give(realm, world)
        except CannotGive as error:
            raise CommandError(str(error)) from error

    # Running

    async def run(
        self,
        listening: Sequence[Listening] = (),
        *,
        services: Sequence[ServiceListening] = (),
        edges: socket.socket | None = None,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> int:
        """Serve until `stop`; the exit code. Whatever leaves a turn leaves here. `services` are the
        sockets of background services, `edges` the one at which edges are heard."""
        async with trio.open_nursery() as whole:
            whole.start_soon(self.silence.watch)
            await self._serve_all(listening, services, edges, task_status)
            saved = await self.storage.finish(self._world, self.silence.patience)
            whole.cancel_scope.cancel()
        if saved:
            log.info("stopped, everything is saved")
            return self._exit_code
        return HELD if self.storage.lost else CRASHED

    async def _serve_all(
        self,
        listening: Sequence[Listening],
        services: Sequence[ServiceListening],
        edges: socket.socket | None,
        task_status: trio.TaskStatus[None],
    ) -> None:
        """Serve until `stop`, and until the world has come to rest."""
        async with trio.open_nursery() as core:
            await core.start(self.storage.run)
            core.start_soon(self.storage.beat)
            core.start_soon(self._live)
            core.start_soon(self.gateway.deadlines.run)
            async with trio.open_nursery() as clients:
                self._nursery = clients
                for beside in (self.live, self.relay, self.logins, self.beside_others):
                    if beside is not None:
                        clients.start_soon(beside.run)
                fronts: list[Front] = []
                async with trio.open_nursery() as doors:
                    if edges is not None:  # first of all: players may wait there
                        doors.start_soon(self._hear_edges, edges, clients)
                        with trio.move_on_after(EDGES_SECONDS):
                            await self._edges_heard.wait()
                    for door in listening:
                        if door.door.transport is Transport.MESSAGE:
                            fronts.append(await open_front(self, door, clients, doors, wall=self._wall))
                        else:
                            doors.start_soon(self.gateway.accept, door, clients)
                    doors.start_soon(self.gateway.sweep)
                    self._start_backgrounds(doors, services)
                    doors.start_soon(self._watch_the_disk)
                    doors.start_soon(self._watch_the_content)
                    doors.start_soon(self._keep_promises)
                    doors.start_soon(self._watch_the_clock)
                    doors.start_soon(self._keep_resolving)
                    doors.start_soon(self.characters.delete_expired)
                    doors.start_soon(polling(self))
                    task_status.started()
                    await self._stopping.wait()
                    doors.cancel_scope.cancel()
                await self.edges.part()
                await self._say_goodbye()
                for front in fronts:
                    await front.close()
                await self.edges.settle()
                clients.cancel_scope.cancel()
            self._nursery = None
            with trio.CancelScope(shield=True):
                await self.loop.in_world(None, self.characters.all_leave)
                core.cancel_scope.cancel()

    async def _hear_edges(self, edges: socket.socket, clients: trio.Nursery) -> None:
        """Where it listens stands in the database, if that has several worlds."""
        host, port = edges.getsockname()[:2]
        where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.edges.crossings = crossings = crossings_of(self, self.handover)
        await self.loop.in_world(None, crossings.keep)
        if self.storage.shared:
            self._world.cross = crossings.border.cross
            self.characters.goes_home = crossings.border.ready
            clients.start_soon(crossings.look)
            await self.storage.write(lambda database: database.announce(where))
        self._edges_heard.set()
        await self.edges.accept(edges, clients)

    async def _live(self) -> None:
        """The world task. What leaves a turn ends the server: the batch already handed to the storage task is
        finished, the unfinished turn is never written. It is reported here, while everybody is still
        connected."""
        try:
            await self.loop.run()
        except trio.Cancelled:
            raise
        except BaseException as error:
            self.report(error)
            raise

    def _names(self) -> list[str]:
        """The hosts that listeners advertise by name."""
        advertised = [listener.advertise for listener in self.settings.listen.values()]
        return sorted({entry.host for entry in advertised if entry is not None and not is_ipv4(entry.host)})

    async def _keep_resolving(self) -> None:
        """Look up what is advertised, in a thread: a slow name server must stop neither the world nor its
        end. An address that was found once stays until there is another."""
        while True:
            for name in self._names():
                try:
                    self._advertised[name] = await trio.to_thread.run_sync(
                        socket.gethostbyname, name, abandon_on_cancel=True
                    )
                except (OSError, UnicodeError) as error:
                    self._say_nameless(name, str(error))
                else:
                    self._nameless.discard(name)
            await trio.sleep(RESOLVE_SECONDS)

    def _say_nameless(self, name: str, why: str) -> None:
        """Once, until the name has an address again."""
        if name not in self._nameless:
            self._nameless.add(name)
            text = "the advertised name %s has no address now (%s): clients are sent where they connected"
            log.error(text, name, why)

    def _note_promises(self, changes: Changes) -> None:
        if self._world.promises:
            self._promised.set()

    async def _keep_promises(self) -> None:
        """Tell players what they were to read when it is on disk (`world.promises`)."""
        while True:
            await self._promised.wait()
            self._promised = trio.Event()
            kept, self._world.promises = self._world.promises, []
            await self.durable()
            await self.loop.in_world(None, partial(_tell_all, kept))

    async def _watch_the_content(self) -> None:
        """Whenever a file of data/ is saved, read all of it again; what comes of it is for the log and for
        staff that is online."""
        if not self.settings.content.watch:
            return
        async for _ in watching.saves(self._data_dir):
            try:
                lines = await self.reload_content()
            except CommandError as error:
                lines = str(error).split("\n")
                for line in lines:
                    log.error("%s", line)
            for line in lines[: watching.MOST_TOLD]:
                self._alarm(line)

    async def _watch_the_disk(self) -> None:
        """A disk that takes nothing for too long: announce it and stop, still trying to write. Worlds among
        others do so sooner (`server.boot.silence`)."""
        while True:
            await trio.sleep(1)
            health = self.storage.health
            if health.refuse_logins:
                text = "%d rows wait, the oldest change is %.0f s old: stopping"
                log.critical(text, health.pending_rows, health.lag_seconds)
                self.stop(CRASHED)

    def _alarm(self, text: str) -> None:
        """Staff that is online hears of trouble from the next turn on."""

        def tell(world: World) -> None:
            for mobile in world.online():
                if mobile.access >= Access.COUNSELOR:
                    notice(mobile, text)

        async def wait_for_a_turn() -> None:
            await self.loop.in_world(None, tell)

        self.start(wait_for_a_turn)

    async def _watch_the_clock(self) -> None:
        """Nothing here lives by the wall clock but dates that were promised to people (the end of a ban, the
        deletion of a character); a jump is theirs to know about."""
        offset = self._wall() - trio.current_time() - stood_still()
        while True:
            await trio.sleep(10)
            now = self._wall() - trio.current_time() - stood_still()
            if abs(now - offset) > CLOCK_JUMP_SECONDS:
                log.warning(
                    "the clock of this machine jumped by %+.0f s: bans and deletions go by it", now - offset
                )
                offset = now

    def _settle(self, database: Database) -> None:
        """What the world holds before anybody comes: items that lie there, and residents."""
        self._world.tick = database.meta().tick
        self._world.directory.note(*database.known())
        there = furnish(self._world, self._world.realms.keys(), database.ground_items())
        for damaged in there.damaged:
            log.error("item %#x cannot be used and is left alone: %s", damaged.serial, damaged.reason)
        self._world.records.load(restore_records(database.records()))
        company.settle(self._world, database.strangers())
        self._world.take_changes()
        self.storage.due_at(self._world)
        log.info(
            "%s: realms %s, %d residents, %d creatures, %d items on the ground",
            self.server_name,
            ", ".join(sorted(self._world.realms)),
            there.residents,
            there.creatures,
            there.items,
        )

    @property
    def closed(self) -> str:
        """Why nobody may log in now; empty if they may."""
        if self._stopping.is_set():
            return "the server is shutting down"
        health = self.storage.health
        if health.silent_seconds > SILENT_SECONDS:
            return "the database is away"
        return "the disk is behind" if health.refuse_logins else ""

    def _audit(self, who: str, what: str, detail: str) -> None:
        self.storage.audit(who, what, detail, self._world.tick)


def _tell_all(lines: Sequence[tuple[Mobile, str]], world: World) -> None:
    for mobile, text in lines:
        notice(mobile, text)
