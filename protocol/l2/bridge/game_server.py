"""A game server's end: it asks about those who come, and tells who is there."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Final

import attrs

from protocol.endings import WireError
from protocol.l2.bridge.packets import (
    MOST_NAMES,
    AccountName,
    AuthRequest,
    AuthResponse,
    BridgeMessage,
    BridgeRefused,
    HostEntry,
    KickPlayer,
    LoginServerFail,
    PlayerAuthRequest,
    PlayerAuthResponse,
    PlayerInGame,
    PlayerLogout,
    ReplyCharacters,
    RequestCharacters,
    ServerState,
    ServerStatus,
    Status,
    StatusKind,
    proof_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.l2.session import SessionKeys

log = logging.getLogger("net.l2.bridge")

_MASK: Final = 0xFFFFFFFF

SPEAKS_AGAIN: Final = 10
"""Seconds between two words of a game server that has nothing to say."""

EVERYWHERE: Final = "0.0.0.0/0"

MOST_ASKED: Final = 1024
"""Questions of the login server that may wait for their answer; older ones are forgotten."""


@attrs.frozen
class Identity:
    """A game server as it names itself. Without a host players find it where the login server sees it."""

    server_id: int
    secret: str = attrs.field(repr=False)
    port: int
    host: str = ""
    most_players: int = 0
    server_type: int = 1


class GameServer:
    """See the module. `kick` is called for an account that has to go, `asked` when a question about
    characters waits in `questions`."""

    def __init__(self, *, kick: Callable[[str], None], asked: Callable[[], None]) -> None:
        self.connected = False
        """Whether the login server knows who this is."""
        self.questions: deque[str] = deque(maxlen=MOST_ASKED)
        """Accounts whose characters are asked for."""
        self._kick = kick
        self._asked = asked
        self._send: Callable[[BridgeMessage], None] = _to_nobody
        self._me: Identity | None = None
        self._online: dict[str, None] = {}
        self._up = True
        self._told_up: bool | None = None
        self._auth: dict[str, deque[Callable[[bool | None], None]]] = {}
        """Who waits for what the login server says of an account, oldest first."""

    def connect(self, me: Identity, send: Callable[[BridgeMessage], None]) -> None:
        """There is a connection: say who this is."""
        self._me, self._send = me, send
        hosts = (HostEntry(EVERYWHERE, me.host),) if me.host else ()
        proof = proof_of(me.secret)
        send(AuthRequest(me.server_id, 0, 0, me.port, me.most_players, proof, hosts))

    def received(self, message: BridgeMessage) -> None:
        """Take what the login server said. Raises WireError if it cannot say that now, BridgeRefused if it
        sends us away."""
        match message:
            case LoginServerFail():
                raise BridgeRefused(message.reason, f"sent away by the login server, reason {message.reason}")
            case AuthResponse():
                self._welcomed(message)
            case _ if not self.connected:
                raise WireError(f"{type(message).__name__} before AuthResponse")
            case PlayerAuthResponse():
                self._answered(message)
            case KickPlayer():
                self._kick(message.account)
            case RequestCharacters():
                self.questions.append(message.account)
                self._asked()
            case _:
                raise WireError(f"{type(message).__name__} from a login server")

    def gone(self) -> None:
        """The connection ended. Twice is once; who waits for an answer gets none."""
        self.connected = False
        self._send = _to_nobody
        self._told_up = None
        self.questions.clear()
        waiting, self._auth = self._auth, {}
        for answers in waiting.values():
            for answer in answers:
                answer(None)

    # What happens here

    def ask(
        self, account: str, keys: SessionKeys, address: str, answer: Callable[[bool | None], None]
    ) -> None:
        """Somebody showed these numbers. `address` is where the login has to have come from, if that matters;
        `answer` is told whether they are right, or None if nobody can say."""
        if not self.connected:
            answer(None)
            return
        self._auth.setdefault(account, deque()).append(answer)
        self._send(
            PlayerAuthRequest(
                account,
                keys.play1 & _MASK,
                keys.play2 & _MASK,
                keys.login1 & _MASK,
                keys.login2 & _MASK,
                address,
            )
        )

    def online(self, accounts: Iterable[str]) -> None:
        """These accounts are played here now: tell what is different from the last time."""
        now = dict.fromkeys(accounts)
        before, self._online = self._online, now
        if self.connected:
            self._tell_online([name for name in now if name not in before])
            for name in before:
                if name not in now:
                    self._send(PlayerLogout(name))

    def open(self, up: bool) -> None:
        """Whether players may come."""
        self._up = up
        if self.connected and up != self._told_up:
            self.tell_status()

    def tell_status(self) -> None:
        """Tell how this server is. Also said when nothing has changed, so that the other end knows it
        lives."""
        me = self._me
        if not self.connected or me is None:
            return
        self._told_up = self._up
        state = ServerState.AUTO if self._up else ServerState.DOWN
        numbers = {
            StatusKind.STATE: int(state),
            StatusKind.TYPE: me.server_type,
            StatusKind.BRACKETS: 0,
            StatusKind.MOST_PLAYERS: me.most_players,
            StatusKind.AGE: 0,
            StatusKind.SPEAKS_AGAIN: SPEAKS_AGAIN,
        }
        self._send(ServerStatus(tuple(Status(int(kind), value) for kind, value in numbers.items())))

    def reply(self, account: str, characters: int, deletions: Sequence[float]) -> None:
        """Tell what an account has here; `deletions` are seconds UTC."""
        times = tuple(max(0, round(1000 * time)) for time in deletions)
        if self.connected:
            self._send(ReplyCharacters(account, min(characters, 0xFF), times[:0xFF]))

    def _welcomed(self, message: AuthResponse) -> None:
        if self.connected or self._me is None or message.server_id != self._me.server_id:
            raise WireError(f"AuthResponse for server {message.server_id}, or a second one")
        self.connected = True
        log.info("the login server knows this one as %d, %s", message.server_id, message.name)
        self.tell_status()
        self._tell_online(list(self._online))

    def _tell_online(self, names: Sequence[str]) -> None:
        for at in range(0, len(names), MOST_NAMES):
            self._send(PlayerInGame(tuple(map(AccountName, names[at : at + MOST_NAMES]))))

    def _answered(self, message: PlayerAuthResponse) -> None:
        answers = self._auth.get(message.account)
        if not answers:
            raise WireError("PlayerAuthResponse that nobody asked for")
        answer = answers.popleft()
        if not answers:
            del self._auth[message.account]
        if message.ok and message.account not in self._online:
            # Who comes while it is on its way into the game has to find it. If it gives up, `online` says so.
            self._online[message.account] = None
            self._tell_online([message.account])
        answer(bool(message.ok))


def _to_nobody(message: BridgeMessage) -> None:
    """Before there is a connection."""
