"""Both ends of the bridge, joined in memory."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import attrs

from protocol.l2.bridge import GamePeer, GameServer, Identity, LoginServer
from protocol.l2.session import SessionKeys

if TYPE_CHECKING:
    from protocol.l2.bridge import BridgeMessage

SECRETS = {1: "the first secret", 2: "the second secret"}
KEYS = SessionKeys(0x11111111, 0x82222222, 0x33333333, 0xF4444444)


@attrs.define(eq=False)
class Pair:
    """A game server and what was said between it and the login server; `carry` takes the messages over."""

    login_server: LoginServer
    game_server: GameServer = attrs.field(init=False)
    peer: GamePeer = attrs.field(init=False)
    up: deque[BridgeMessage] = attrs.field(factory=deque)
    down: deque[BridgeMessage] = attrs.field(factory=deque)
    said: list[BridgeMessage] = attrs.field(factory=list)
    heard: list[BridgeMessage] = attrs.field(factory=list)
    kicked: list[str] = attrs.field(factory=list)
    now: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.game_server = GameServer(kick=self.kicked.append, asked=lambda: None)

    def connect(self, number: int = 1, secret: str | None = None, *, host: str = "192.0.2.7") -> Pair:
        me = Identity(number, SECRETS[number] if secret is None else secret, 7777, host, 100)
        self.peer = GamePeer("198.51.100.3", self.down.append)
        self.game_server.connect(me, self.up.append)
        self.carry()
        return self

    def carry(self) -> None:
        while self.up or self.down:
            if self.up:
                message = self.up.popleft()
                self.said.append(message)
                self.login_server.received(self.peer, message, self.now)
            else:
                message = self.down.popleft()
                self.heard.append(message)
                self.game_server.received(message)

    def vanish(self) -> None:
        self.up.clear()
        self.down.clear()
        self.login_server.gone(self.peer)
        self.game_server.gone()

    def asks(self, account: str, keys: SessionKeys, address: str = "") -> bool | None:
        answers: list[bool | None] = []
        self.game_server.ask(account, keys, address, answers.append)
        self.carry()
        (answer,) = answers
        return answer


def expect(login_server: LoginServer, account: str = "alric", **changes: object) -> list[str]:
    """A login on its way to server 1; what it gives holds the account once it has arrived."""
    arrived: list[str] = []
    given = {"server_id": 1, "licence": True, "address": "203.0.113.5", "now": 0.0, "number": 7, **changes}
    login_server.expect(
        account,
        int(str(given["number"])),
        int(str(given["server_id"])),
        KEYS,
        licence=bool(given["licence"]),
        address=str(given["address"]),
        now=float(str(given["now"])),
        left=lambda: arrived.append(account),
    )
    return arrived
