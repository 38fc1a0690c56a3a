"""The two sides of Lineage II's bridge as handlers see them, and both in one process.

`HallSide` is what the login door asks, `PostSide` what the game's door asks; neither knows whether the other
is here. `in_one_process` hands each the other's messages as they are. Over TCP `server.bridge_links` does
that.
"""

from __future__ import annotations

import logging
import math
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol
from weakref import ref

import attrs
import trio

from protocol.endings import Ending
from protocol.l2.bridge import GamePeer, GamePost, Identity, LoginHall, Owned, Way
from protocol.services import Denial, Denied
from server.people.credentials import fold

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from protocol.l2.bridge import BridgeMessage, GameServer
    from protocol.l2.session import L2Session, SessionKeys
    from protocol.services import AccountInfo, CharacterInfo
    from protocol.session import Session
    from server.people.limiter import LoginLimiter
    from server.settings.config import Limits

log = logging.getLogger("accounts")

MOST_PLAYERS: Final = 2000
"""Against which clients draw how full a server is: L2J's MaximumOnlineUsers."""

ANSWER_SECONDS: Final = 5.0
"""How long a client waits for the other end of the bridge."""


class HallSide:
    """Implements `protocol.l2.bridge.LoginSide`.

    `address` is where a client finds a game server. In one process `refresh` is called before anything is
    asked, so that the other side tells what is new, and `answer` has it answer what waits there; `wall` is
    seconds UTC.
    """

    def __init__(
        self,
        hall: LoginHall,
        *,
        clock: Callable[[], float],
        wall: Callable[[], float],
        entropy: Callable[[int], bytes],
        address: Callable[[Session, GameServer], tuple[str, int]] | None = None,
        refresh: Callable[[], None] | None = None,
        answer: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.hall = hall
        self._clock = clock
        self._wall = wall
        self._entropy = entropy
        self._address = address
        self._refresh = refresh
        self._answer = answer

    def claim(self, account: AccountInfo) -> None:
        """See LoginSide."""
        self._look()
        self.hall.claim(account.name)

    def ways(self, session: L2Session) -> Sequence[Way]:
        """See LoginSide."""
        self._look()
        return [self._way(session, server) for _, server in sorted(self.hall.servers.items())]

    async def owned(self, account: AccountInfo) -> Mapping[int, Owned]:
        """See LoginSide."""
        self._look()
        answered = trio.Event()
        question = self.hall.ask(account.name, answered.set)
        patience = trio.CancelScope(deadline=trio.current_time() + ANSWER_SECONDS)
        try:
            with patience:
                if self._answer is not None:
                    await self._answer()
                await answered.wait()
        finally:
            # A client that hung up says nothing of the servers.
            self.hall.forget(question, late=patience.cancelled_caught)
        # A time went through milliseconds; a whole second must not become the next.
        now = self._wall() + 0.002
        return {
            number: Owned(count, tuple(max(0, math.ceil(time - now)) for time in times))
            for number, (count, times) in question.answers.items()
        }

    def send_on(
        self, session: L2Session, account: AccountInfo, server_id: int, keys: SessionKeys, *, licence: bool
    ) -> SessionKeys:
        """See LoginSide."""
        self._look()
        server = self.hall.servers.get(server_id)
        if server is None:
            raise Denied(Denial.NO_CHARACTER, f"there is no game server {server_id}")
        if not server.up:
            raise Denied(Denial.UNAVAILABLE, f"game server {server_id} is closed")
        play1, play2 = (int.from_bytes(self._entropy(4), "little") for _ in range(2))
        fresh = attrs.evolve(keys, play1=play1, play2=play2)
        self.hall.expect(
            account.name,
            account.id,
            server_id,
            fresh,
            licence=licence,
            address=session.peer,
            now=self._clock(),
            left=partial(_went_on, ref(session)),
        )
        return fresh

    def kick(self, account: str, *, but: GamePeer | None = None) -> None:
        """Its clients have to go, those of one game server excepted."""
        self.hall.kick(account, but=but)

    def _look(self) -> None:
        if self._refresh is not None:
            self._refresh()

    def _way(self, session: L2Session, server: GameServer) -> Way:
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


def _went_on(reference: ref[L2Session]) -> None:
    """A client is at the game's door. The connection it comes from has done its work, and may not know yet
    that its client has left it."""
    session = reference()
    if session is not None:
        session.end(Ending.RELAYED, "went on")


class Players(Protocol):
    """The part of `server.people.accounts.AccountService` that a game server's side needs."""

    async def resume(self, session: Session, name: str) -> AccountInfo:
        """The account that proved itself to the login server. Raises Denied."""

    async def named(self, name: str) -> AccountInfo | None:
        """The account of that name. Raises Denied."""

    def played(self) -> Iterable[str]:
        """The accounts that are played now."""

    def replace(self, name: str) -> None:
        """Whoever plays that account has lost it."""


class Lister(Protocol):
    """The part of `protocol.services.Characters` that it needs."""

    async def all(self, account: AccountInfo, *, doomed: bool = False) -> Sequence[CharacterInfo]:
        """In creation order; those that await deletion only with `doomed`. Raises Denied."""


class PostSide:
    """Implements `protocol.l2.bridge.GameSide`. `closed` says why nobody may come; `asked` is called when
    `answer` has something to do."""

    def __init__(
        self,
        accounts: Players,
        characters: Lister,
        *,
        server_id: int = 1,
        limits: Callable[[], Limits],
        limiter: LoginLimiter,
        clock: Callable[[], float],
        wall: Callable[[], float],
        closed: Callable[[], str],
        asked: Callable[[], None] = lambda: None,
    ) -> None:
        self.post = GamePost(kick=accounts.replace, asked=asked)
        self.server_id: Final = server_id
        self._accounts = accounts
        self._characters = characters
        self._limits = limits
        self._limiter = limiter
        self._clock = clock
        self._wall = wall
        self._closed = closed

    async def redeem(self, session: L2Session, name: str, keys: SessionKeys) -> AccountInfo:
        """See GameSide. While an address has to wait, only those who logged in from there come through."""
        name = fold(name)
        waits = self._limiter.wait(session.peer, self._clock()) > 0
        bound = waits or self._limits().bind_tickets
        right = await self._ask(name, keys, session.peer if bound else "")
        if right is None:
            raise Denied(Denial.UNAVAILABLE, "the login server cannot be asked")
        if not right and waits:
            raise Denied(Denial.BUSY, "too many failed logins from this address")
        if not right:
            self._limiter.failed(session.peer, name[:32], self._clock())
            log.info("%s: no login of account %s is on its way here", session.peer, name[:32])
            raise Denied(Denial.BAD_CREDENTIALS)
        return await self._accounts.resume(session, name)

    async def _ask(self, name: str, keys: SessionKeys, address: str) -> bool | None:
        answers: list[bool | None] = []
        answered = trio.Event()

        def take(answer: bool | None) -> None:
            answers.append(answer)
            answered.set()

        self.post.ask(name, keys, address, take)
        with trio.move_on_after(ANSWER_SECONDS):
            await answered.wait()
        return answers[0] if answers else None

    def refresh(self) -> None:
        """Tell the login server who is here now, and whether others may come."""
        self.post.online(self._accounts.played())
        self.post.open(not self._closed())

    async def answer(self) -> None:
        """Tell how many characters those have that were asked for. Raises Denied if the database fails."""
        while self.post.questions:
            name = self.post.questions.popleft()
            account = await self._accounts.named(name)
            found = [] if account is None else await self._characters.all(account, doomed=True)
            now = self._wall()
            doomed = [now + info.deleted_in for info in found if info.deleted_in is not None]
            self.post.reply(name, len(found), doomed)


def in_one_process(hall: LoginHall, post: GamePost, me: Identity, clock: Callable[[], float]) -> GamePeer:
    """Connect the two directly: what one says, the other hears before it goes on. The game server's place in
    the hall."""

    def to_hall(message: BridgeMessage) -> None:
        hall.received(peer, message, clock())

    peer = GamePeer("127.0.0.1", post.received)
    post.connect(me, to_hall)
    return peer
