"""The part of Lineage II's bridge in this process, by its roles: both ends, or one and a line to the
other."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING

import trio

from protocol.background import LOGIN, Background
from protocol.l2 import bridge_settings as settings
from protocol.l2.bridge.game_server import Identity
from protocol.l2.bridge.game_side import MOST_PLAYERS, GameSide
from protocol.l2.bridge.links import BridgeDialer, BridgeDoor
from protocol.l2.bridge.login_server import GamePeer, LoginServer
from protocol.l2.bridge.login_side import LoginSide

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.address import Address
    from protocol.background import Backstage
    from protocol.l2.bridge.game_server import GameServer
    from protocol.l2.bridge.login_server import GameServerInfo
    from protocol.l2.bridge.packets import BridgeMessage
    from protocol.session import Session


class Bridge(Background):
    """The two sides. Handlers ask the one of their door, whatever is in this process."""

    def __init__(self, stage: Backstage) -> None:
        self._stage = stage
        self._settings = given = settings.read(stage.tables)
        here = len(stage.roles) > 1
        tokens = stage.tokens if here and stage.tokens.shared else None
        self.game_side = GameSide(stage, server_id=given.server_id, asked=self._asked, tokens=tokens)
        secrets = dict(given.secrets)
        own_secret = stage.entropy(16).hex()
        if here:
            secrets[given.server_id] = own_secret
        login_server = LoginServer(secrets if LOGIN in stage.roles else {})
        self.login_side = LoginSide(
            login_server,
            clock=stage.clock,
            wall=stage.wall,
            entropy=stage.entropy,
            address=self._address,
            refresh=self.game_side.refresh if here else None,
            answer=self.game_side.answer if here else None,
            tokens=tokens,
        )
        self._own: GamePeer | None = None
        """The game server in this process, as its login server knows it."""
        if here:
            me = Identity(given.server_id, own_secret, 0, most_players=MOST_PLAYERS)
            self._own = in_one_process(login_server, self.game_side.game_server, me, stage.clock)
        self._door: BridgeDoor | None = None
        self._dialer: BridgeDialer | None = None
        if given.line is not None:
            if LOGIN in stage.roles:
                self._door = BridgeDoor(login_server, clock=stage.clock, entropy=stage.entropy)
            else:
                self._dialer = BridgeDialer(self.game_side, given.line, self._me, entropy=stage.entropy)

    def kick_elsewhere(self, account: str) -> None:
        """See Background."""
        self.login_side.kick(account, but=self._own)

    def revoke(self, account_id: int) -> None:
        """See Background."""
        self.login_side.login_server.revoke(account_id)

    def statistics(self) -> Sequence[str]:
        """See Background. The game servers, and who is on the way to them."""
        login_server = self.login_side.login_server
        servers = [
            f"game server {number} at {server.host}:{server.port}: {len(server.online)} online"
            + ("" if server.up else ", closed")
            for number, server in sorted(login_server.servers.items())
        ]
        waiting = login_server.waiting(self._stage.clock())
        return [*(servers or ["no game server is connected"]), f"{waiting} on the way to one"]

    async def run(self, listening: Sequence[socket.socket]) -> None:
        """See Background. Keeps the line to other processes, if there is one."""
        if self._door is not None and listening:
            bound = map(trio.socket.from_stdlib_socket, listening)
            await self._door.serve([trio.SocketListener(sock) for sock in bound])
        elif self._dialer is not None:
            await self._dialer.run()

    def _asked(self) -> None:
        if self._dialer is not None:
            self._dialer.asked()

    def _address(self, session: Session, server: GameServerInfo) -> tuple[str, int]:
        return self._stage.relay(session) if server.peer is self._own else (server.host, server.port)

    async def _me(self) -> Identity:
        """What to tell a login server of this game server. Raises OSError for a name without an address."""
        given, advertise = self._settings, self._settings.advertise
        port = self._stage.ports()[given.table, "game"]
        host = "" if given.game is None or _is_any(given.game) else given.game.host
        if advertise is not None:
            host, port = advertise.host, advertise.port or port
        if host:
            found = await trio.socket.getaddrinfo(host, None, family=socket.AF_INET)
            host = str(found[0][4][0])
        return Identity(given.server_id, given.secret, port, host, MOST_PLAYERS)


def in_one_process(
    login_server: LoginServer, game_server: GameServer, me: Identity, clock: Callable[[], float]
) -> GamePeer:
    """Connect the two directly: what one says, the other hears before it goes on. The game server, as the
    login server knows it."""

    def to_login_server(message: BridgeMessage) -> None:
        login_server.received(peer, message, clock())

    peer = GamePeer("127.0.0.1", game_server.received)
    game_server.connect(me, to_login_server)
    return peer


def _is_any(address: Address) -> bool:
    """Whether it stands for all addresses of this machine."""
    try:
        return ipaddress.ip_address(address.host).is_unspecified
    except ValueError:
        return False
