"""Holds the sessions of a process that has no world."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import trio

from server.turn.loop import Loop

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.session import Session
    from world.world import World

T = TypeVar("T")


class Lobby(Loop):
    """Sessions in place of the world's loop. There is no world task: what would
    wait for a turn elsewhere is done at once."""

    def depart(self, call: Callable[[World], None]) -> None:
        """A client is gone."""
        call(self.world)

    async def in_world(self, session: Session | None, run: Callable[[World], T], *, join: bool = False) -> T:
        """Run a call; nobody is in this world."""
        await trio.lowlevel.checkpoint()
        return run(self.world)
