"""The running server, as commands see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from protocol.session import Session
    from server.people.privacy import Privacy
    from server.turn.stages import Stages
    from world.world import World

T = TypeVar("T")


class Host(Protocol):
    """The running server, as commands reach it."""

    @property
    def world(self) -> World:
        """The world; for plain `def` commands only."""

    @property
    def server_name(self) -> str:
        """What the world is called."""

    def sessions(self) -> Sequence[Session]:
        """All that are connected."""

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        """Run a call as one input of the next turn."""

    async def durable(self) -> None:
        """Until everything that has happened so far is committed."""

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job that outlives the command."""

    def statistics(self) -> Sequence[str]:
        """Lines of numbers: turns, clients, memory, disk."""

    @property
    def stages(self) -> Stages:
        """Where the time goes, while it is measured."""

    @property
    def privacy(self) -> Privacy:
        """Who is on the public map."""

    async def stored_amounts(self) -> Mapping[str, int]:
        """How many there are of each kind of item in the database."""

    async def reload(self) -> Sequence[str]:
        """Read the configuration again; what came of it. Raises CommandError if nothing was changed."""

    def stop(self, code: int) -> None:
        """Begin the shutdown now; the server will exit with that code."""
