"""A bot that plays as the web page does: lines of JSON over a WebSocket at /play.

A step is answered to its maker by `walked`, a turn is not: who wants to know how long a turn takes has to ask
a neighbour when it saw `turned`. A step costs 200 ms running, so the pace never holds it back at 2.5 moves a
second.

The server pings the WebSocket every 20 s. A bot that decodes nothing finds that by its two bytes: its first
is no letter of ASCII, and all that bots receive is ASCII. The client's own ping goes with every fiftieth
move.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar, Final

from server.bots.bot import LEG, PASSWORD, ROUND, Bot, LoginFailed
from server.bots.websocket import Refused, WebSocketClient
from world.heading import SOUTH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PATH: Final = "/play"

LARGEST_SEQUENCE: Final = 0xFFFF

MOVES_PER_PING: Final = 50
"""20 seconds, at 2.5 moves a second."""

_PING: Final = b"\x89\x00"
"""The server's ping, which is empty (RFC 6455, section 5.5.2)."""

_SOMEBODY: Final = frozenset({"turned", "move"})
"""What one sees of others."""


class WebBot(Bot):
    """See the module."""

    game: ClassVar[str] = "web"
    gait: ClassVar[str] = "runs a square of 8 tiles a side (200 ms a tile, so the pace never holds it back)"

    def __init__(self, name: str, entropy: Callable[[int], bytes]) -> None:
        super().__init__(name, entropy)
        self._page = WebSocketClient(PATH)
        self._rest = b""
        """What came of a line that is not whole."""
        self._heading = 0
        self._sequence = -1
        """Of the last step."""
        self._leg = 0
        self._gone = 0
        """Steps of this leg."""

    # Bot

    def connect(self) -> bytes:
        """The request for a WebSocket."""
        return self._page.opening()

    def receive(self, data: bytes) -> bytes:
        """Decode everything; the bytes to answer. Raises LoginFailed if the server refuses the WebSocket or
        the login."""
        try:
            *lines, self._rest = (self._rest + self._page.receive(data)).split(b"\n")
        except Refused as refused:
            raise LoginFailed(f"{self.name}: {refused}") from None
        answer = self._page.pongs()
        for line in lines:
            message = json.loads(line)
            kind = message["t"]
            if kind == "pong":
                continue  # it is not for this that messages are counted
            self.packets += 1
            if kind in _SOMEBODY:
                self.seen.append(message["id"])
            elif kind == "walked":
                self._walked(message)
            else:
                answer += self._take(kind, message)
        return answer

    def skim(self, buffer: bytearray, size: int) -> bytes:
        """Answer a ping of the WebSocket."""
        return self._page.pong() if buffer.find(_PING, 0, size) >= 0 else b""

    def goodbye(self) -> bytes:
        """The WebSocket's."""
        return self._page.goodbye()

    def turn(self) -> bytes:
        """A quarter to the right."""
        self._heading = (self._heading + 2) % 8
        return self._move(b'{"t":"turn","heading":%d}' % self._heading)

    def step(self) -> bytes:
        """A step along its round."""
        self.expected += 1
        self._heading = ROUND[self._leg]
        self._gone += 1
        if self._gone == LEG:
            self._gone, self._leg = 0, (self._leg + 1) % len(ROUND)
        self._sequence = self._sequence % LARGEST_SEQUENCE + 1 if self._sequence >= 0 else 0
        return self._move(
            b'{"t":"walk","sequence":%d,"heading":%d,"run":%s}'
            % (self._sequence, self._heading, b"true" if self.running else b"false")
        )

    def say(self, text: str) -> bytes:
        """See Bot."""
        return self._says("speak", words=text)

    # Its parts

    def _move(self, line: bytes) -> bytes:
        self.moves += 1
        if self.moves % MOVES_PER_PING == 0:
            line += b'\n{"t":"ping","number":%d}' % self.moves
        return self._page.text(line)

    def _says(self, t: str, **fields: object) -> bytes:
        return self._page.text(json.dumps({"t": t, **fields}).encode())

    def _walked(self, message: Mapping[str, object]) -> None:
        if message.get("ok", True):
            self.answered += 1
        else:
            self.refused += 1
            self._sequence = -1

    def _take(self, kind: str, message: Mapping[str, object]) -> bytes:
        """What is rare."""
        match kind:
            case "welcome":
                return self._says("login", account=self.name, password=PASSWORD)
            case "denied":
                raise LoginFailed(f"{self.name}: {message['to']} refused, {message['why']}")
            case "characters":
                return self._enter(message["characters"])
            case "entered":
                self.number = int(str(message["id"]))
            case "show" if message["id"] == self.number:
                self._heading = int(str(message.get("heading", SOUTH)))
            case "time":
                self.in_world = True
            case "place" if message["id"] == self.number:
                self._sequence = -1  # what it sends until it has begun anew is not answered
                self.refused += self.in_world
            case "say":
                self.heard.append(str(message["words"]))
            case "goodbye":
                raise LoginFailed(f"{self.name}: {message['text']}")
        return b""

    def _enter(self, characters: object) -> bytes:
        """With the first character of the account, made if there is none."""
        if not isinstance(characters, list) or not characters:
            return self._says("create", character=self.character.capitalize())
        return self._says("enter", id=characters[0]["id"])
