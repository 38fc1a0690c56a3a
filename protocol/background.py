"""Background services: the part of a game that runs beside its clients, as long as the server does.

Most games are all in their family: nothing of them runs but for a client that is connected. A game whose
parts may be in several processes has more: lines between these, which live as long as the server, and which
its handlers ask about a client. Such a game has a `Service` in its record (`protocol.game.Game.background`).
The server makes one service of it, whether or not the game has a listener here, runs it beside the doors, and
reports to it what happens to accounts. Handlers reach it through `protocol.services.Services.background`.

All that a service needs of the server comes as one `Backstage`, so that it knows nothing of the server's
modules. It opens no sockets itself: it says which it wants, the server binds them together with all the
others, before the first client is heard, and the service gets them in `run`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import attrs

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from protocol.address import Address
    from protocol.listener import Listener
    from protocol.services import AccountInfo, Characters
    from protocol.session import Session

LOGIN: Final = "login"
WORLD: Final = "world"
EDGE: Final = "edge"
"""The parts of a server that a process may be, as `[server] roles` has them."""


Tables: TypeAlias = "Mapping[str, Listener]"
"""All tables of one game, by name, those that are switched off among them."""


@attrs.frozen
class ServiceSocket:
    """A TCP socket at which a service listens."""

    table: str
    """The table of config.toml that has it, and of endpoints.json."""
    key: str
    """Its key in both."""
    address: Address
    hears: str
    """Who connects there, in the plural."""
    backlog: int = 64
    """How many of them may wait to be accepted."""


class SharedAccounts(Protocol):
    """Accounts, for a service that joins processes: a login may come from one and be played in another."""

    async def resume(self, session: Session, name: str) -> AccountInfo:
        """Return the account of that name, for a client whose password another process has checked. Raises
        Denied."""

    async def named(self, name: str) -> AccountInfo | None:
        """Return the account of that name, None if there is none. Raises Denied if the database fails."""

    def played(self) -> Iterable[str]:
        """Names of the accounts that are played now."""

    def replace(self, name: str) -> None:
        """End the session that plays this account here: another client logs in to it at another process."""


class LoginFailures(Protocol):
    """Failed logins, counted for all doors together. `now` is in seconds of `Backstage.clock`."""

    def wait(self, address: str, now: float) -> float:
        """Seconds for which this address may not try again; 0 if it may."""

    def failed(self, address: str, account: str, now: float) -> None:
        """Count a client at that address that did not prove to own the account."""


class SharedLogin(Protocol):
    """A login that is on its way."""

    @property
    def account(self) -> int:
        """The id of the account."""

    @property
    def address(self) -> str:
        """Of its client at the first door."""

    @property
    def notes(self) -> Mapping[str, object]:
        """See `SharedLogins.put`."""


class SharedLogins(Protocol):
    """Logins on their way to a door that may be another world's. All raise Denied if the database fails."""

    @property
    def shared(self) -> bool:
        """Whether there may be other worlds; else there is nothing to be written down."""

    async def put(
        self,
        game: str,
        key: bytes,
        account_id: int,
        notes: Mapping[str, object],
        *,
        address: str,
        seconds: float,
        alone: bool = False,
    ) -> None:
        """Write a login down, for so many seconds; `alone`: in place of others of that account and game.
        `notes` are what JSON can say."""

    async def find(self, game: str, key: bytes) -> SharedLogin | None:
        """Return the login of that key, and leave it."""

    async def use_up(self, game: str, key: bytes) -> bool:
        """Take the login of that key away; False if nobody's is there (any more)."""


@attrs.frozen(kw_only=True)
class Backstage:
    """Functions and records of the server for a background service."""

    tables: Tables
    """The game's."""
    roles: Collection[str]
    """What this process is: `LOGIN`, `WORLD` or both."""
    accounts: SharedAccounts
    characters: Characters
    tokens: SharedLogins
    fold: Callable[[str], str]
    """An account's name as it was typed, in the form that is compared."""
    failures: LoginFailures
    bind_tickets: Callable[[], bool]
    """Whether a login holds only for the address it came from. May change."""
    clock: Callable[[], float]
    """Monotonic seconds."""
    wall: Callable[[], float]
    """Seconds UTC."""
    entropy: Callable[[int], bytes]
    """So many random bytes."""
    closed: Callable[[], str]
    """Why nobody may log in now; empty if they may."""
    relay: Callable[[Session], tuple[str, int]]
    """IPv4 address and port to which a client of this process is sent on, to play here."""
    ports: Callable[[], Mapping[tuple[str, str], int]]
    """The port of each door that is open, by table and door. Empty until they are."""


class Background(ABC):
    """A background service of one game. One that fails ends the server, so it has to keep what goes wrong
    with its peers to itself."""

    @abstractmethod
    async def run(self, listening: Sequence[socket.socket]) -> None:
        """Serve until cancelled. `listening` are those of `sockets`, bound, in their order, or none where the
        server hears nobody."""

    @abstractmethod
    def kick_elsewhere(self, account: str) -> None:
        """End the clients of an account, by its name, that are in other processes."""

    @abstractmethod
    def revoke(self, account_id: int) -> None:
        """Make void the logins on their way with an account, because something about it has changed: their
        clients have to log in again."""

    @abstractmethod
    def statistics(self) -> Sequence[str]:
        """Lines for `causeway status` in a process without a world."""


@attrs.frozen
class Service:
    """A background service as its game's record has it. The first two are asked whenever config.toml is read,
    the last only by a server, which alone imports what a service is made of."""

    contradictions: Callable[[Tables, Collection[str]], Iterable[tuple[str, str]]]
    """What cannot be true together in the game's tables, or with what this process is (its roles): each as
    ("table.key", message)."""
    sockets: Callable[[Tables, Collection[str]], Sequence[ServiceSocket]]
    """Where a service with these settings listens, in a process of these roles."""
    make: Callable[[Backstage], Background]
    """Make the service; nothing runs yet."""
