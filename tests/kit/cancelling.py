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

from typing import TYPE_CHECKING

import trio

from tests.kit.pipe import End, pipe

if TYPE_CHECKING:
    from tests.kit.town import Town


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

    async def _serve(self, game: str, door: str, theirs: End) -> None:
        self._task = trio.lowlevel.current_task()
        self._scope = trio.CancelScope()
        with self._scope:
            await self.town.app.gateway.serve(self.town.families[game], door, theirs)

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
