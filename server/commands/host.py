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
        """Name of the world."""

    def sessions(self) -> Sequence[Session]:
        """All that are connected."""

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        """Run a call as one input of the next turn."""

    async def durable(self) -> None:
        """Wait until everything that has happened so far is committed."""

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job that outlives the command."""

    def statistics(self) -> Sequence[str]:
        """Lines of numbers: turns, clients, memory, disk."""

    @property
    def stages(self) -> Stages:
        """Times of the stages of a turn, while they are measured."""

    @property
    def privacy(self) -> Privacy:
        """Characters that the public map may show."""

    def page_address(self, session: Session) -> str:
        """Address of the live map of the web page for the player of a session, as one types it in a browser;
        empty if nobody can tell, or nobody may watch."""

    async def stored_amounts(self) -> Mapping[str, int]:
        """Amount of each kind of item in the database, by the kind's key."""

    async def reload(self) -> Sequence[str]:
        """Read the configuration again; lines that say what changed. Raises CommandError if nothing was
        changed."""

    async def reload_content(self) -> Sequence[str]:
        """Read data/ again and go on with it; lines that say what came of it. Raises CommandError, with a
        line for everything that is wrong, if nothing was changed."""

    async def give_realm(self, realm: str, world: int) -> None:
        """Give a realm to another living world of the database, with everybody there. Raises CommandError."""

    def stop(self, code: int) -> None:
        """Begin the shutdown now; the server will exit with that code."""
