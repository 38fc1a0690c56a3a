"""What of Lineage II's bridge is in this process, by its roles: both ends, or one and a line to the other."""

from __future__ import annotations

import ipaddress
import logging
import socket
from typing import TYPE_CHECKING

import trio

from protocol.l2.bridge import Identity, LoginHall
from server.bridge import MOST_PLAYERS, HallSide, PostSide, in_one_process
from server.bridge_links import BridgeDialer, BridgeDoor
from server.settings import roles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.l2.bridge import GameServer
    from protocol.session import Session
    from server.bridge import Lister, Players
    from server.people.limiter import LoginLimiter
    from server.settings.address import Address
    from server.settings.config import Limits, Settings

log = logging.getLogger("net.l2.bridge")


class Bridge:
    """The two sides. `relay` is where a client of this process is sent on to, to play here; `ports` are those
    of the doors that are open, by listener and door."""

    def __init__(
        self,
        settings: Settings,
        accounts: Players,
        characters: Lister,
        *,
        limits: Callable[[], Limits],
        limiter: LoginLimiter,
        clock: Callable[[], float],
        wall: Callable[[], float],
        entropy: Callable[[int], bytes],
        closed: Callable[[], str],
        relay: Callable[[Session], tuple[str, int]],
        ports: Callable[[], Mapping[tuple[str, str], int]],
    ) -> None:
        self.table, self._listener = roles.bridged(settings)
        listener, wanted = self._listener, settings.server.roles
        self._ports = ports
        self._relay = relay
        self.post_side = PostSide(
            accounts,
            characters,
            server_id=listener.server_id,
            limits=limits,
            limiter=limiter,
            clock=clock,
            wall=wall,
            closed=closed,
            asked=self._asked,
        )
        here = len(wanted) > 1
        secrets = {int(number): secret for number, secret in listener.servers.items()}
        own_secret = entropy(16).hex()
        if here:
            secrets[listener.server_id] = own_secret
        hall = LoginHall(secrets if roles.LOGIN in wanted else {})
        self.login_side = HallSide(
            hall,
            clock=clock,
            wall=wall,
            entropy=entropy,
            address=self._address,
            refresh=self.post_side.refresh if here else None,
            answer=self.post_side.answer if here else None,
        )
        self._own = None
        if here:
            me = Identity(listener.server_id, own_secret, 0, most_players=MOST_PLAYERS)
            self._own = in_one_process(hall, self.post_side.post, me, clock)
        self._door: BridgeDoor | None = None
        self._dialer: BridgeDialer | None = None
        if listener.enabled and listener.bridge:
            if roles.LOGIN in wanted:
                self._door = BridgeDoor(hall, clock=clock, entropy=entropy)
            else:
                self._dialer = BridgeDialer(self.post_side, listener.bridge, self._me, entropy=entropy)

    def kick_elsewhere(self, account: str) -> None:
        """The clients of this account that are in other processes have to go."""
        self.login_side.kick(account, but=self._own)

    def revoke(self, account_id: int) -> None:
        """Whoever is on the way with this account has to log in again."""
        self.login_side.hall.revoke(account_id)

    async def run(self, listening: socket.socket | None) -> None:
        """Keep the line to other processes, if there is one, for ever."""
        if self._door is not None and listening is not None:
            bound = trio.socket.from_stdlib_socket(listening)
            await self._door.serve([trio.SocketListener(bound)])
        elif self._dialer is not None:
            await self._dialer.run()

    def _asked(self) -> None:
        if self._dialer is not None:
            self._dialer.asked()

    def _address(self, session: Session, server: GameServer) -> tuple[str, int]:
        return self._relay(session) if server.peer is self._own else (server.host, server.port)

    async def _me(self) -> Identity:
        """What to tell a login server of this game server. Raises OSError for a name without an address."""
        listener, advertise = self._listener, self._listener.advertise
        port = self._ports()[self.table, "game"]
        host = "" if _is_any(listener.game) else listener.game.host
        if advertise is not None:
            host, port = advertise.host, advertise.port or port
        if host:
            found = await trio.socket.getaddrinfo(host, None, family=socket.AF_INET)
            host = str(found[0][4][0])
        return Identity(listener.server_id, listener.bridge_secret, port, host, MOST_PLAYERS)


def listens_at(settings: Settings) -> tuple[str, Address] | None:
    """The table and the address at which this process hears game servers; None if it does not."""
    name, listener = roles.bridged(settings)
    if roles.LOGIN not in settings.server.roles or not listener.enabled or not listener.bridge:
        return None
    return name, listener.bridge


def _is_any(address: Address) -> bool:
    """Whether it stands for all addresses of this machine."""
    try:
        return ipaddress.ip_address(address.host).is_unspecified
    except ValueError:
        return False
