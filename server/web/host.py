"""The running server, as the modules of the web page see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from protocol.services import Services

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.family import Family
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
    from server.web.livemap import LiveMap


class Host(Services, Protocol):
    """Everything that the page asks of the server it belongs to. `server.boot.app.App` is one."""

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
    def live(self) -> LiveMap | None:
        """The live map; None without a game that has a page."""
