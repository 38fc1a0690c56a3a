"""H-cancel: a way into the server on which the client's own task is cancelled at its n-th step.

    for number in itertools.count(1):
        host = CancelledAt(town, number)
        ... a player over `host` does something ...
        if not host.cancelled:
            break       # it came through: every step has been tried

Under virtual time the steps of a story are nearly the same each time; what shifts them is Trio's order of
tasks that could run at the same moment.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVarTuple, Unpack

import trio

from tests.kit.datagrams import Network
from tests.kit.pipe import End, pipe
from tests.kit.town import PORTS, listening

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.kit.datagrams import ClientEnd
    from tests.kit.town import Town


Ts = TypeVarTuple("Ts")


class CancelledAt(trio.abc.Instrument):
    """Counts the steps of the client's tasks, of one connection after the other, and cancels number `at`. See
    `tests.kit.players.Host`."""

    def __init__(self, town: Town, at: int) -> None:
        self.town = town
        self.at = at
        self.steps = 0
        self.cancelled = False
        self._task: trio.lowlevel.Task | None = None
        self._scope = trio.CancelScope()
        self._sockets = 0
        self._listening: list[trio.CancelScope] = []
        trio.lowlevel.add_instrument(self)

    @property
    def nursery(self) -> trio.Nursery:
        """Where clients receive."""
        return self.town.nursery

    def connect(self, game: str, door: str = "game", *, peer: str = "127.0.0.1") -> End:
        """A new connection, whose task is counted from now on."""
        ours, theirs = pipe(peer=peer)
        self.nursery.start_soon(self._serve, game, door, theirs)
        return ours

    def datagrams(self, game: str, door: str, *, peer: str = "127.0.0.1") -> ClientEnd:
        """A socket before a door that leads nowhere else; the task of whoever is let in is counted."""
        self._sockets += 1
        network = Network(f"127.0.0.1:{PORTS[game, door]}")
        self.nursery.start_soon(self._listen, network, game, door)
        return network.client((peer, 50_000 + self._sockets))

    async def _listen(self, network: Network, game: str, door: str) -> None:
        with trio.CancelScope() as scope:
            self._listening.append(scope)
            families, gateway = self.town.families, self.town.app.gateway
            await gateway.receive(network, families[game], door, _Admission(self))  # type: ignore[arg-type]

    async def _serve(self, game: str, door: str, theirs: End) -> None:
        family = self.town.families[game.partition("_")[0]]
        at = listening(self.town.settings, family, door, game)
        await self.counts(partial(self.town.app.gateway.serve, family, door, theirs, at))

    async def counts(self, client: Callable[[], Awaitable[None]]) -> None:
        """Run a client's task, whose steps are counted from now on."""
        self._task = trio.lowlevel.current_task()
        self._scope = trio.CancelScope()
        with self._scope:
            await client()

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """See trio.abc.Instrument."""
        if task is self._task:
            self.steps += 1
            if self.steps == self.at:
                self.cancelled = True
                self._scope.cancel()

    def close(self) -> None:
        """Count no more."""
        trio.lowlevel.remove_instrument(self)
        for scope in self._listening:
            scope.cancel()


class _Admission:
    """Stands in for the nursery in which a door of datagrams starts clients."""

    def __init__(self, host: CancelledAt) -> None:
        self._host = host

    def start_soon(self, serve: Callable[[Unpack[Ts]], Awaitable[None]], *args: *Ts) -> None:
        """As of a nursery."""
        self._host.nursery.start_soon(self._host.counts, partial(serve, *args))
