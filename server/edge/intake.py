"""The way of a client's frames at an edge: each goes to the world whole, in order.

Where a handler may change keys (HERE packets), what follows cannot be deciphered before it has run: the edge
waits for the world to say so. All others it hands on as they come, up to a number that the world has not
taken yet, so that a client feels a world that is busy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from protocol.dispatch import Where
from server.counters import UNKNOWN
from server.net.intake import Waiting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.family import Door
    from protocol.session import Session
    from server.edge.clients import EdgeLoop
    from server.net.connection_settings import ConnectionSettings
    from server.net.tracing import Tracing
    from server.settings.config import Limits

MOST_UNTAKEN: Final = 64
"""Frames on their way: more than the world takes before it says so (`server.edge.port.TAKEN_EVERY`)."""


class EdgeIntake(Waiting):
    """In place of `server.net.intake.Intake`, whose interface it has."""

    __slots__ = (
        "_counted",
        "_free",
        "_loop",
        "_session",
        "_table",
        "handed",
        "jobs",
        "received_at",
        "taken",
    )

    def __init__(
        self,
        session: Session,
        door: Door,
        *,
        loop: EdgeLoop,
        settings: ConnectionSettings,
        tracing: Tracing | None,
    ) -> None:
        self._session = session
        self._table = door.table
        self._counted = loop.counts.packets_in[session.family.name]
        self._loop = loop
        self.received_at = 0.0
        self.jobs = 0
        self.handed = 0
        """Frames that the world was sent."""
        self.taken = -1
        """Those that it has taken; -1 before it listens."""
        self.caught_up = None
        self._free: trio.Event | None = None
        """While nothing may be handed on: set when that is over."""
        loop.intakes[session.id] = self

    def adjust(self, limits: Limits) -> None:
        """The world limits what its clients send."""

    async def opened(self) -> None:
        """Until the world listens: it may have spoken first, and changed keys with that."""
        while self.taken < 0:
            await self._catch_up()

    async def take(self, frame: bytes) -> None:
        """Send one whole frame to the world. Raises WireError if it cannot be looked up."""
        table, session = self._table, self._session
        entry = table.entry(table.opcode_of_frame(frame))
        self._counted[UNKNOWN if entry is None else entry.name] += 1
        if self._free is not None:
            await self._free.wait()
        waits = entry is not None and entry.where is Where.WORLD
        self._loop.hand(session, frame, waits=waits)
        self.handed += 1
        untaken = 0 if entry is not None and not waits else MOST_UNTAKEN - 1  # and the next one
        while self.taken < self.handed - untaken:
            if session.codec.pending:
                session.link.flush()
            await self._catch_up()
            session.last_heard = trio.current_time()

    def hold(self) -> None:
        """Hand on nothing more."""
        if self._free is None:
            self._free = trio.Event()

    def go_on(self, frames: int) -> None:
        """Hand on again, to a world that has so many frames to take already."""
        self.handed, self.taken = frames, 0
        if self._free is not None:
            self._free.set()
            self._free = None
        self.drained()

    def begin(self, nursery: trio.Nursery, job: Callable[[], Awaitable[None]]) -> None:
        """Never asked: jobs run in the world."""
        raise NotImplementedError

    def took(self, frames: int) -> None:
        """The world has taken so many in all."""
        self.taken = frames
        self.drained()
