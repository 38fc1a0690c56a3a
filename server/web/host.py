"""The running server, as the modules of the web page see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from protocol.services import Services

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from protocol.family import Family
    from protocol.session import Session
    from server.cluster.relay import Relay
    from server.counters import Counts
    from server.net.gateway import Gateway
    from server.people.accounts import AccountService
    from server.people.privacy import Privacy
    from server.people.tickets import TicketService
    from server.settings.config import Settings
    from server.store.census import Census
    from server.store.writer import Storage
    from server.turn.loop import Loop
    from server.web.turnout import Counting


class Watching(Protocol):
    """Somebody who watches a realm."""

    async def next(self) -> str:
        """Wait for the next message. Whatever came before has been sent."""

    def end(self) -> None:
        """It watches no more."""


class Map(Protocol):
    """The live map: of this process's world (`server.web.livemap`), or of others (`server.edge.farmap`)."""

    @property
    def viewers(self) -> int:
        """The number of those who watch."""

    def has(self, name: str) -> bool:
        """Whether there is a realm of that name."""

    def begin(self, name: str, abort: Callable[[], None]) -> Watching:
        """Somebody watches it from now on; `abort` ends its connection."""


class Far(Protocol):
    """A world in another process, of which an edge knows."""

    @property
    def open(self) -> bool:
        """Whether it is reached."""

    @property
    def label(self) -> str:
        """Its number in the database, or where it is."""

    @property
    def clients(self) -> int:
        """Those of this process that are in it."""


class Host(Services, Protocol):
    """Everything that the page asks of the server it belongs to: a whole one (`server.boot.app.App`), or an
    edge (`server.boot.edge_server.Edge`), whose worlds are in other processes."""

    @property
    def worlds(self) -> Sequence[Far] | None:
        """Worlds in other processes; None where the world is in this one."""

    async def vouch(self, session: Session, key: bytes) -> None:
        """Have a ticket for the session's account be good where its client is going to play."""

    def wall(self) -> float:
        """The time of day, in seconds UTC."""

    @property
    def settings(self) -> Settings:
        """The configuration as it is now."""

    @property
    def families(self) -> Mapping[str, Family]:
        """The games that are served, by name."""

    @property
    def began(self) -> float:
        """Time at which the server began, in monotonic seconds of its clock."""

    @property
    def began_at(self) -> float:
        """The same in seconds UTC."""

    @property
    def counts(self) -> Counts:
        """All that is counted while the server runs."""

    @property
    def accounts(self) -> AccountService:
        """Logins and new accounts."""

    @property
    def tickets(self) -> TicketService:
        """Keys of one use, for players who come from the page."""

    @property
    def privacy(self) -> Privacy:
        """Characters that the public map may show."""

    @property
    def relay(self) -> Relay | None:
        """The relay to other worlds; None if this one stands alone."""

    @property
    def loop(self) -> Loop:
        """The world task, and the statistics of its turns."""

    @property
    def gateway(self) -> Gateway:
        """All connections and ports."""

    @property
    def storage(self) -> Storage:
        """The storage task, and the health of the disk."""

    @property
    def census(self) -> Census:
        """Counts of what the database holds."""

    @property
    def turnout(self) -> Counting:
        """Counts who is where."""

    @property
    def live(self) -> Map | None:
        """The live map; None without a game that has a page."""
