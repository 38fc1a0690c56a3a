"""What handlers ask of the bridge, whether the other end is in this process or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import attrs

from protocol.services import Services

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.l2.session import L2Session, SessionKeys
    from protocol.services import AccountInfo


@attrs.frozen
class Way:
    """A game server, as a client at the login door may see it."""

    server_id: int
    host: str
    """IPv4."""
    port: int
    online: int
    most_players: int
    up: bool
    type_bits: int = 1
    brackets: int = 0
    age_limit: int = 0


@attrs.frozen
class Owned:
    """How many characters an account has on a game server, and in how many seconds the doomed ones are
    gone."""

    characters: int
    deletions: tuple[int, ...] = ()


class LoginSide(Protocol):
    """For the login door."""

    def claim(self, account: AccountInfo) -> None:
        """The account logs in: whoever plays it on a game server has to go, and whoever is on the way there
        has lost it."""

    def ways(self, session: L2Session) -> Sequence[Way]:
        """The game servers that are connected, by id."""

    async def owned(self, account: AccountInfo) -> Mapping[int, Owned]:
        """What the account has on each, as far as they answer soon. Raises Denied if that cannot be known."""

    def send_on(
        self, session: L2Session, account: AccountInfo, server_id: int, keys: SessionKeys, *, licence: bool
    ) -> SessionKeys:
        """The same keys with fresh ones for the game's door, good there once and for a minute, in place of
        earlier ones. Without a `licence` the client was not told the login pair, and need not show it.

        Raises Denied: NO_CHARACTER if there is no such server, UNAVAILABLE if it is closed.
        """


class GameSide(Protocol):
    """For the game's door."""

    @property
    def server_id(self) -> int:
        """Which game server this is, 1 to 255."""
        ...

    async def redeem(self, session: L2Session, name: str, keys: SessionKeys) -> AccountInfo:
        """Whose login a client continues with these keys, which are used up. Raises Denied.

        Who fails here fails like at the first door: it counts against the address, and the login stays its
        owner's.
        """


class L2Services(Services, Protocol):
    """What the server has for this game's handlers beyond other games'."""

    @property
    def login_side(self) -> LoginSide: ...
    @property
    def game_side(self) -> GameSide: ...
