"""A shutdown that is announced before it happens, and can be called off."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from world.speech import to_all

if TYPE_CHECKING:
    from server.commands.host import Host
    from world.world import World

MOMENTS: Final = (600, 300, 60, 30, 10, 5, 4, 3, 2, 1)
"""Seconds before the end at which everybody receives a notice."""


class Countdown:
    """At most one at a time for each host; a new one takes the place of the old."""

    def __init__(self) -> None:
        self._running: trio.CancelScope | None = None

    def begin(self, host: Host, seconds: float, code: int, reason: str) -> None:
        """Stop the host in so many seconds, with that exit code; at once if there are none."""
        self.abort()
        if seconds <= 0:
            host.stop(code)
            return
        self._running = trio.CancelScope()
        host.start(partial(self._run, self._running, host, seconds, code, reason))

    def abort(self) -> bool:
        """Call it off; False if there was none."""
        if self._running is None:
            return False
        self._running.cancel()
        self._running = None
        return True

    async def _run(self, scope: trio.CancelScope, host: Host, seconds: float, code: int, reason: str) -> None:
        end = trio.current_time() + seconds
        with scope:
            for left in (seconds, *(event for event in MOMENTS if event < seconds)):
                await trio.sleep_until(end - left)
                await host.in_world(None, partial(_announce, left, reason))
            await trio.sleep_until(end)
            self._running = None
            host.stop(code)


def _announce(left: float, reason: str, world: World) -> None:
    span = f"{left / 60:.0f} minutes" if left >= 120 else f"{left:.0f} seconds"
    to_all(world, f"The server goes down in {span}.{' ' + reason if reason else ''}", announce=True)
