"""The bridge as the handlers of the login door see it, wherever the game servers are."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

import attrs
import trio

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.l2.bridge.login_server import LIFETIME

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from protocol.background import SharedLogins
    from protocol.l2.bridge.login_server import GamePeer, GameServerInfo, LoginServer
    from protocol.l2.session import L2LoginSession, SessionKeys
    from protocol.services import AccountInfo
    from protocol.session import Session

ANSWER_SECONDS: Final = 5.0
"""How long a client waits for the other end of the bridge, at either door."""

_MASK: Final = 0xFFFFFFFF
"""The numbers are drawn without a sign, and packets carry one."""


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
    """The number of characters an account has on a game server, and in how many seconds the doomed ones are
    gone."""

    characters: int
    deletions: tuple[int, ...] = ()


class LoginSide:
    """The login door as it asks its login server.

    `address` is where a client finds a game server. In one process `refresh` is called before anything is
    asked, so that the other side tells what is new, and `answer` has it answer what waits there; `wall` is
    seconds UTC. `tokens` tell other worlds of the same database who comes there, where there are some.
    """

    def __init__(
        self,
        login_server: LoginServer,
        *,
        clock: Callable[[], float],
        wall: Callable[[], float],
        entropy: Callable[[int], bytes],
        address: Callable[[Session, GameServerInfo], tuple[str, int]] | None = None,
        refresh: Callable[[], None] | None = None,
        answer: Callable[[], Awaitable[None]] | None = None,
        tokens: SharedLogins | None = None,
    ) -> None:
        self.login_server = login_server
        self._clock = clock
        self._wall = wall
        self._entropy = entropy
        self._address = address
        self._refresh = refresh
        self._answer = answer
        self._tokens = tokens

    def claim(self, account: AccountInfo) -> None:
        """The account logs in: whoever plays it on a game server has to go, and whoever is on the way there
        has lost it."""
        self._look()
        self.login_server.claim(account.name)

    def ways(self, session: L2LoginSession) -> Sequence[Way]:
        """The game servers that are connected, by id."""
        self._look()
        return [self._way(session, server) for _, server in sorted(self.login_server.servers.items())]

    async def owned(self, account: AccountInfo) -> Mapping[int, Owned]:
        """The account's characters on each server, as far as they answer soon. Raises Denied if that cannot
        be known."""
        self._look()
        answered = trio.Event()
        question = self.login_server.ask(account.name, answered.set)
        patience = trio.CancelScope(deadline=trio.current_time() + ANSWER_SECONDS)
        try:
            with patience:
                if self._answer is not None:
                    await self._answer()
                await answered.wait()
        finally:
            # A client that hung up says nothing of the servers.
            self.login_server.forget(question, late=patience.cancelled_caught)
        # A time went through milliseconds; a whole second must not become the next.
        now = self._wall() + 0.002
        return {
            number: Owned(count, tuple(max(0, math.ceil(time - now)) for time in times))
            for number, (count, times) in question.answers.items()
        }

    async def send_on(
        self,
        session: L2LoginSession,
        account: AccountInfo,
        server_id: int,
        keys: SessionKeys,
        *,
        licence: bool,
    ) -> SessionKeys:
        """The same keys with fresh ones for the game's door, good there once and for a minute, in place of
        earlier ones. Without a `licence` the client was not told the login pair, and need not show it.

        Raises Denied: NO_CHARACTER if there is no such server, UNAVAILABLE if it is closed or the database
        fails.
        """
        self._look()
        server = self.login_server.servers.get(server_id)
        if server is None:
            raise Denied(Denial.NO_CHARACTER, f"there is no game server {server_id}")
        if not server.up:
            raise Denied(Denial.UNAVAILABLE, f"game server {server_id} is closed")
        play1, play2 = (int.from_bytes(self._entropy(4), "little") for _ in range(2))
        fresh = attrs.evolve(keys, play1=play1, play2=play2)
        self.login_server.expect(
            account.name,
            account.id,
            server_id,
            fresh,
            licence=licence,
            address=session.peer,
            now=self._clock(),
            left=partial(_went_on, ref(session)),
        )
        if self._tokens is not None:
            await self._tokens.put(
                session.family.name,
                shared_key(fresh),
                account.id,
                shared_notes(fresh, licence=licence),
                address=session.peer,
                seconds=LIFETIME,
                alone=True,
            )
        return fresh

    def kick(self, account: str, *, but: GamePeer | None = None) -> None:
        """The clients of the account of that name have to go, those of one game server excepted."""
        self.login_server.kick(account, but=but)

    def _look(self) -> None:
        if self._refresh is not None:
            self._refresh()

    def _way(self, session: L2LoginSession, server: GameServerInfo) -> Way:
        host, port = (server.host, server.port) if self._address is None else self._address(session, server)
        return Way(
            server.server_id,
            host,
            port,
            len(server.online),
            server.most_players,
            server.up,
            server.type_bits,
            server.brackets,
            server.age_limit,
        )


def shared_key(keys: SessionKeys) -> bytes:
    """The key of a login on its way, in whichever world it is asked for: the pair that is never left out."""
    return b"".join((number & _MASK).to_bytes(4, "big") for number in (keys.play1, keys.play2))


def shared_notes(keys: SessionKeys, *, licence: bool) -> dict[str, object]:
    """The login pair, which has to be right as well if the client was told it."""
    return {"login": _login_pair(keys) if licence else None}


def proves(notes: Mapping[str, object], keys: SessionKeys) -> bool:
    """Whether these keys are those of a login with such notes."""
    return notes["login"] in (None, _login_pair(keys))


def _login_pair(keys: SessionKeys) -> list[int]:
    return [keys.login1 & _MASK, keys.login2 & _MASK]


def _went_on(reference: ref[L2LoginSession]) -> None:
    """A client is at the game's door. The connection it comes from has done its work, and may not know yet
    that its client has left it."""
    session = reference()
    if session is not None:
        session.end(Ending.RELAYED, "went on")
