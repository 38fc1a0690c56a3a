"""A process with `roles = ["login"]`: the login door of a game that may have it alone, and no world. The
game's background service joins it to the worlds.

It shares the world's database for accounts alone, and does without the lock that makes a process the one that
may write everything else. Handlers find the same services here as in a whole server, as far as a login door
asks for them.
"""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING, Unpack

import attrs
import trio

from server.boot.parts import Parts
from server.store.records import AuditRow
from server.turn.lobby import Lobby
from world.serials import Serials
from world.world import World

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, Sequence

    from protocol.family import Family
    from protocol.session import Session
    from server.boot.options import Options
    from server.net.listening import Listening, ServiceListening
    from server.settings.config import Settings
    from server.store.database import Database
    from server.store.runner import Runner
    from world.content import Content
    from world.mobile import Mobile

log = logging.getLogger("server")


class LoginServer(Parts):
    """All parts of a login server."""

    def __init__(
        self,
        settings: Settings,
        content: Content,
        families: Mapping[str, Family],
        database: Database,
        runner: Runner,
        *,
        loop_kind: type[Lobby] = Lobby,
        **options: Unpack[Options],
    ) -> None:
        """`database` is a guest's."""
        empty = attrs.evolve(content, charts={})
        world = World(empty, Serials(), chance=random.Random(0), now=trio.current_time())
        super().__init__(settings, content, families, database, runner, world, make_loop=loop_kind, **options)

    # For handlers (protocol.services.Services)

    @property
    def closed(self) -> str:
        """Why nobody may log in now; empty if they may."""
        return "the server is shutting down" if self._stopping.is_set() else ""

    def relay_address(self, session: Session, door: str | None = None) -> tuple[str, int]:
        """The address and port that this client connected to: this process sends nobody on to another
        listener of its own."""
        host, _, port = session.local.rpartition(":")
        return host.strip("[]"), int(port)

    def command(self, session: Session, line: str) -> None:
        """Nobody is in a game here."""

    def online(self) -> Sequence[Mobile]:
        """Nobody is."""
        return ()

    async def durable(self) -> None:
        """Return at once: what is written here is on disk when the write returns."""
        await trio.lowlevel.checkpoint()

    # For commands (server.commands.host.Host)

    def statistics(self) -> Sequence[str]:
        """Lines of its background services: nothing else happens in this process."""
        return [line for service in self.backgrounds.values() for line in service.statistics()]

    # Running

    async def run(
        self,
        listening: Sequence[Listening] = (),
        *,
        services: Sequence[ServiceListening] = (),
        edges: socket.socket | None = None,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> int:
        """Serve until `stop`; the exit code. `services` are the sockets of background services; `edges` is
        None, since there is no world here."""
        async with trio.open_nursery() as clients:
            self._nursery = clients
            async with trio.open_nursery() as doors:
                for door in listening:
                    await self._open(door, clients, doors)
                doors.start_soon(self.gateway.sweep)
                self._start_backgrounds(doors, services)
                task_status.started()
                await self._stopping.wait()
                doors.cancel_scope.cancel()
            await self._say_goodbye()
            await self._close()
            self._nursery = None
            clients.cancel_scope.cancel()
        log.info("stopped")
        return self._exit_code

    async def _open(self, door: Listening, clients: trio.Nursery, doors: trio.Nursery) -> None:
        """Let clients in at a door."""
        doors.start_soon(self.gateway.accept, door, clients)

    async def _close(self) -> None:
        """Everybody was said goodbye to."""

    def _alarm(self, text: str) -> None:
        """Nobody of the staff is in a game here, and nothing is written late."""

    def _audit(self, who: str, what: str, detail: str) -> None:
        row = AuditRow(self._wall(), 0, who, what, detail)

        async def write() -> None:
            await self.storage.write(lambda database: database.append_audit([row]))

        self.start(write)
