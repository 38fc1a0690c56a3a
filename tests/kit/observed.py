"""A server that takes its turns when a test says so, and remembers what handlers asked of it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import trio

from server.settings.config import parse
from server.turn.loop import Loop
from tests.kit.in_memory import InMemory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.family import Family
    from protocol.session import Session
    from world.content import Content

GRAIN: Final = 0.01
"""Seconds between two turns, at least."""


class Still(Loop):
    """The world task without its task: whoever owns it says when it is time for a turn."""

    async def serve(self, clock: Callable[[], float]) -> None:
        """Take a turn whenever something wants one, at once, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            self.turn(clock())

    def due(self, now: float) -> float:
        """When the next turn would begin if the last one was now."""
        wanted = self._wake.is_set() or self.world.stirred
        return now + GRAIN if wanted else max(now + GRAIN, self._next_due())

    def turn(self, now: float) -> None:
        """One turn; whatever wanted one before has it."""
        self._wake = trio.Event()
        super().turn(now)


class Observed(InMemory):
    """A server that remembers what handlers asked of it."""

    loop: Still

    def __init__(self, content: Content, family: Family, config: str, clock: Callable[[], float]) -> None:
        self.orders: list[str] = []
        """Commands that players typed."""
        self.durables = 0
        """How often somebody waited for the disk."""
        self.jobs: list[Callable[[], Awaitable[None]]] = []
        """What outlives its client and did not run yet."""
        self.dice = random.Random(2)
        super().__init__(
            parse(config),
            content,
            {family.name: family},
            chance=random.Random(1),
            entropy=self.dice.randbytes,
            clock=clock,
            make_loop=Still,
        )

    def command(self, session: Session, line: str) -> None:
        """A player typed a command."""
        self.orders.append(line)
        super().command(session, line)

    async def durable(self) -> None:
        """Until everything that has happened so far is on disk."""
        self.durables += 1
        await super().durable()

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job that outlives the client, when what was asked for has been done."""
        self.jobs.append(job)
