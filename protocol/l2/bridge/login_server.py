"""The login server's end: who is on the way to which game server, and who is played where.

A login is four random numbers. It waits for the game server that its player chose, which asks about it when a
client has shown it the numbers; it works once, soon, and only there.

The problem is to know whom to kick when an account logs in anew, and whom to let in, without a store that all
processes share. So nothing is kept that a game server did not just say: what it told of its players goes when
its connection does, and when it comes back it tells all of them again. A login waits with the login server
and is not sent ahead, so that no game server ever learns the numbers of a client that did not come to it; the
price is a question for each who comes.

Everything here is told, and tells by what it was given (`GamePeer.send`, `done`, `left`): no sockets, no
tasks and no clock. What is kept is bounded; the oldest login gives way, the newest question goes unanswered.
"""

from __future__ import annotations

import hmac
import logging
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import attrs

from protocol.address import is_ipv4
from protocol.endings import WireError
from protocol.l2.bridge.packets import (
    AuthRequest,
    AuthResponse,
    BridgeMessage,
    BridgeRefused,
    FailReason,
    KickPlayer,
    PlayerAuthRequest,
    PlayerAuthResponse,
    PlayerInGame,
    PlayerLogout,
    ReplyCharacters,
    RequestCharacters,
    ServerState,
    ServerStatus,
    StatusKind,
    proof_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from protocol.l2.session import SessionKeys

log = logging.getLogger("net.l2.bridge")

LIFETIME: Final = 60.0
"""Seconds in which a client has to come to the game server: what L2J gives it."""

MOST_WAITING: Final = 4096
"""Logins on the way at once. Passwords are checked at some 50 a second, so nobody crowds out another's within
its lifetime."""

LONGEST_ACCOUNT: Final = 32
"""Letters of a name that a game server may say is online: more than an account here can have."""

MOST_ONLINE: Final = 65_535
"""Accounts that one game server may name: more than the list of servers can count."""

MOST_QUESTIONS: Final = 4096
"""About characters, unanswered."""

_MASK: Final = 0xFFFFFFFF


@attrs.define(eq=False)
class GamePeer:
    """The game server, or anybody, at the other end. `send` takes what it is told."""

    address: str
    """Where it is; how clients find a game server that names no host."""
    send: Callable[[BridgeMessage], None] = attrs.field(repr=False)
    server: GameServerInfo | None = None
    """Which game server it is, once that is proven."""


@attrs.define(eq=False)
class GameServerInfo:
    """A game server that is connected."""

    server_id: int
    host: str
    port: int
    most_players: int
    peer: GamePeer = attrs.field(repr=False)
    state: int = ServerState.DOWN
    """Closed until it says otherwise."""
    type_bits: int = 1
    brackets: int = 0
    age_limit: int = 0
    online: dict[str, None] = attrs.field(factory=dict, repr=False)
    """The accounts that are played there."""
    speaks_again: int | None = None
    """Within how many seconds it promised to say something; 0 for one that promises nothing, as L2J's, and
    None until its first ServerStatus."""
    answers: bool = True
    """Whether it answers questions about characters in time, as far as is known."""

    @property
    def up(self) -> bool:
        """Whether players can go there."""
        return self.state != ServerState.DOWN


@attrs.define(eq=False)
class Question:
    """The question how many characters an account has, on each of the servers that were asked. Times are
    seconds UTC."""

    account: str
    waits_for: set[int]
    done: Callable[[], None]
    """Called once, when all have answered or gone."""
    answers: dict[int, tuple[int, tuple[float, ...]]] = attrs.field(factory=dict)


@attrs.frozen
class _Waiting:
    """A login on its way."""

    account_id: int
    server_id: int
    address: str
    expires: float
    left: Callable[[], None]
    licence: bool
    keys: SessionKeys = attrs.field(repr=False)


class LoginServer:
    """See the module. `secrets` are those of the game servers that may come, by id."""

    def __init__(self, secrets: Mapping[int, str]) -> None:
        self.servers: dict[int, GameServerInfo] = {}
        """Those that are connected, by id."""
        self._proofs = {number: _digest(proof_of(secret)) for number, secret in secrets.items()}
        self._waiting: dict[str, _Waiting] = {}
        """By account, in the order in which they began."""
        self._questions: list[Question] = []

    # For the login door

    def claim(self, account: str) -> bool:
        """The account logs in: it is kicked wherever it is played. Whether it was."""
        self._waiting.pop(account, None)
        return self.kick(account)

    def kick(self, account: str, *, but: GamePeer | None = None) -> bool:
        """Have it leave every game server where it is played, one excepted. Whether there was any."""
        places = [server for server in self.servers.values() if account in server.online]
        for server in places:
            if server.peer is not but:
                server.peer.send(KickPlayer(account))
        return bool(places)

    def expect(
        self,
        account: str,
        account_id: int,
        server_id: int,
        keys: SessionKeys,
        *,
        licence: bool,
        address: str,
        now: float,
        left: Callable[[], None],
    ) -> None:
        """A client goes to that server now, with these numbers. Without a `licence` it was never told the
        login pair, which then proves nothing. `left` is called when it has arrived."""
        self._forget_expired(now)
        self._waiting.pop(account, None)
        if len(self._waiting) >= MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]
        self._waiting[account] = _Waiting(account_id, server_id, address, now + LIFETIME, left, licence, keys)

    def revoke(self, account_id: int) -> None:
        """Something about the account changed: whoever is on the way has to log in again."""
        for name in [name for name, entry in self._waiting.items() if entry.account_id == account_id]:
            del self._waiting[name]

    def waiting(self, now: float) -> int:
        """The number of clients on the way."""
        self._forget_expired(now)
        return len(self._waiting)

    def ask(self, account: str, done: Callable[[], None]) -> Question:
        """Ask all servers about an account's characters; `done` is called when they have answered, perhaps at
        once. To be given back to `forget` if nobody waits any more. Older L2J servers do not know the
        question: for one that did not answer it in time nobody waits the next time, until it does."""
        question = Question(
            account, {number for number, server in self.servers.items() if server.answers}, done
        )
        if len(self._questions) >= MOST_QUESTIONS:
            done()
            return question
        self._questions.append(question)
        for server in list(self.servers.values()):
            server.peer.send(RequestCharacters(account))
        if not question.waits_for and question in self._questions:
            self._questions.remove(question)
            done()
        return question

    def forget(self, question: Question, *, late: bool) -> None:
        """Nobody waits for the answers any more. `late`: there was time enough for them."""
        if question in self._questions:
            self._questions.remove(question)
            for number in question.waits_for if late else ():
                self.servers[number].answers = False

    # For game servers

    def received(self, peer: GamePeer, message: BridgeMessage, now: float) -> None:
        """Take what a peer said. Raises WireError if it cannot say that, BridgeRefused if it is to be told
        so."""
        if isinstance(message, AuthRequest):
            self._admit(peer, message)
            return
        server = peer.server
        if server is None:
            raise BridgeRefused(FailReason.NOT_AUTHENTICATED, f"{type(message).__name__} before AuthRequest")
        match message:
            case PlayerAuthRequest():
                ok = self._redeem(server, message, now)
                peer.send(PlayerAuthResponse(message.account, int(ok)))
            case PlayerInGame():
                self._mark(server, [entry.name for entry in message.accounts])
            case PlayerLogout():
                server.online.pop(message.account, None)
            case ServerStatus():
                _note_status(server, message)
            case ReplyCharacters():
                self._answer(server, message)
            case _:
                raise WireError(f"{type(message).__name__} from a game server")

    def gone(self, peer: GamePeer) -> None:
        """The connection ended: what is known from there is known no more. Twice is once."""
        server, peer.server = peer.server, None
        if server is None:
            return
        del self.servers[server.server_id]
        log.info("game server %d has gone, %d were online", server.server_id, len(server.online))
        for question in list(self._questions):
            self._no_more_from(server.server_id, question)

    def _admit(self, peer: GamePeer, request: AuthRequest) -> None:
        if peer.server is not None:
            raise WireError("AuthRequest a second time")
        number = request.wanted_id
        # Compared in any case: how long it takes does not tell which ids there are.
        expected = self._proofs.get(number, _NOBODY)
        if not hmac.compare_digest(_digest(request.proof), expected) or number not in self._proofs:
            raise BridgeRefused(FailReason.WRONG_SECRET, f"wrong id or secret for game server {number}")
        if number in self.servers:
            raise BridgeRefused(FailReason.ALREADY_LOGGED_IN, f"game server {number} is connected already")
        host = next((entry.host for entry in request.hosts if entry.host not in ("", "*")), peer.address)
        if not is_ipv4(host):
            raise WireError(f"game server {number} names no IPv4 address: {host[:64]!r}")
        server = GameServerInfo(number, host, request.port, max(0, request.most_players), peer)
        peer.server = self.servers[number] = server
        if request.port:  # one in this process says where it is when its doors are open
            log.info("game server %d is connected, players find it at %s:%d", number, host, request.port)
        peer.send(AuthResponse(number, f"Server {number}"))

    def _redeem(self, server: GameServerInfo, request: PlayerAuthRequest, now: float) -> bool:
        """Whether these are the numbers of a login on its way there; if so, it has arrived."""
        self._forget_expired(now)
        entry = self._waiting.get(request.account)
        if entry is None or entry.expires <= now or entry.server_id != server.server_id:
            return False
        keys = entry.keys
        shown, expected = [request.play_key1, request.play_key2], [keys.play1, keys.play2]
        if entry.licence:
            shown += [request.login_key1, request.login_key2]
            expected += [keys.login1, keys.login2]
        if not hmac.compare_digest(_packed(shown), _packed(expected)):
            return False
        if request.address and request.address != entry.address:
            return False
        del self._waiting[request.account]
        entry.left()
        return True

    def _mark(self, server: GameServerInfo, accounts: Sequence[str]) -> None:
        for name in accounts:
            if len(server.online) >= MOST_ONLINE:
                raise WireError(f"more than {MOST_ONLINE} accounts online")
            if len(name) > LONGEST_ACCOUNT:
                raise WireError(f"an account of {len(name)} letters")
            server.online[name] = None

    def _answer(self, server: GameServerInfo, reply: ReplyCharacters) -> None:
        answer = reply.characters, tuple(time / 1000 for time in reply.deletions)
        server.answers = True
        for question in [asked for asked in self._questions if asked.account == reply.account]:
            if server.server_id in question.waits_for:
                question.answers[server.server_id] = answer
            self._no_more_from(server.server_id, question)

    def _no_more_from(self, number: int, question: Question) -> None:
        question.waits_for.discard(number)
        if not question.waits_for and question in self._questions:
            self._questions.remove(question)
            question.done()

    def _forget_expired(self, now: float) -> None:
        while self._waiting:
            name, entry = next(iter(self._waiting.items()))
            if entry.expires > now:
                return
            del self._waiting[name]


def _note_status(server: GameServerInfo, message: ServerStatus) -> None:
    server.speaks_again = 0
    for number in message.numbers:
        match number.kind:
            case StatusKind.STATE:
                server.state = number.value
            case StatusKind.TYPE:
                server.type_bits = number.value
            case StatusKind.BRACKETS:
                server.brackets = int(bool(number.value))
            case StatusKind.MOST_PLAYERS:
                server.most_players = max(0, number.value)
            case StatusKind.SPEAKS_AGAIN:
                server.speaks_again = max(0, number.value)
            case StatusKind.AGE | StatusKind.AGE_TOLD:
                server.age_limit = min(max(0, number.value), 0xFF)
            case _:
                log.debug("game server %d says %d of %d", server.server_id, number.value, number.kind)


def _packed(numbers: Sequence[int]) -> bytes:
    return b"".join((number & _MASK).to_bytes(4, "little") for number in numbers)


def _digest(secret: bytes) -> bytes:
    return blake2b(secret).digest()


_NOBODY: Final = bytes(blake2b().digest_size)
"""In place of what an unknown id does not have; no secret has this digest, as far as anybody knows."""
