"""The base class of the bots of all games. It does no I/O: bytes in, bytes out, and randomness is an
argument.

A bot that only fills the world does not decode what it is sent, or hundreds of them would cost more than the
server that is measured: `skim` finds just what has to be answered. A probe decodes everything (`receive`) and
counts.
"""

from __future__ import annotations

import abc
import re
from typing import TYPE_CHECKING, ClassVar, Final
from zlib import crc32

from world.heading import EAST, NORTH, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Callable

PASSWORD: Final = "swarming"

LEG: Final = 8
"""Steps a bot goes in one direction: its round is a square of that side, and it needs so much open ground to
the east and to the south."""

ROUND: Final = (EAST, SOUTH, WEST, NORTH)

LETTERS: Final = "abcdefhkmopstuxz"
"""Of which names are made: none that the world takes for another, alone or in pairs."""

SHORTEST: Final = 4
"""Letters of the shortest name."""


class LoginFailed(Exception):
    """The server does not let this bot in; the message says what it answered."""


class Bot(abc.ABC):
    """One client, up to the world and in it.

    `connect` gives what it says first on a connection; feed what comes to `receive` until `in_world`, send
    what that returns, and connect anew when `reconnect` is set.
    """

    game: ClassVar[str]
    """The listener it knocks at."""

    gait: ClassVar[str]
    """How it walks in the scenario `spread`, for the table's footnote."""

    told_by: ClassVar[int] = 1
    """Messages that others receive about a turn."""

    answers_refusals: ClassVar[bool] = False
    """Whether a refused move counts as answered, and those after it are answered as well; else the server
    forgets them all when it puts the character back."""

    datagrams: ClassVar[bool] = False
    """Whether it talks by datagrams: all bytes that come and go are then bundles (`server.bots.bundle`)."""

    def __init__(self, name: str, entropy: Callable[[int], bytes]) -> None:
        self.name = name
        """Of the account; 4 to 12 letters."""
        self.character = name
        """Of the character, likewise."""
        self.look = crc32(name.encode())
        """A number of its own, from which hair and colours are taken."""
        self.running = True
        """Whether it runs, so that its pace never holds it back; who walks goes 2.5 tiles a second."""
        self.entropy = entropy
        self.in_world = False
        self.reconnect = False
        self.address: tuple[str, int] | None = None
        """Where to connect next; None: to the first door, where it is always let in."""
        self.now = 0.0
        """Seconds; whoever drives a bot over datagrams says before each call how late it is."""
        self.number = 0
        """What others see it as."""
        self.packets = 0
        """Decoded on this connection."""
        self.moves = 0
        """Own moves so far."""
        self.expected = 0
        """Of these, moves that the server answers to whoever makes them. Which ones is the game's business:
        see its module."""
        self.answered = 0
        """Of these, answered ones."""
        self.refused = 0
        """Moves after which the server put it back."""
        self.seen: list[int] = []
        """Numbers of others whom it has seen turn, in order; whoever reads it empties it."""
        self.heard: list[str] = []
        """What the server or others said; whoever reads it empties it."""

    @abc.abstractmethod
    def connect(self) -> bytes:
        """The first bytes on a new connection."""

    @abc.abstractmethod
    def receive(self, data: bytes) -> bytes:
        """Decode everything; the bytes to answer. Raises LoginFailed if the server refuses it, and WireError
        if the server's bytes are wrong."""

    @abc.abstractmethod
    def skim(self, buffer: bytearray, size: int) -> bytes:
        """Take `size` bytes without decoding them; what it has to answer to stay connected.

        After this it can decode no more.
        """

    def due(self) -> bytes:
        """Bytes to send by now although nothing came: games over datagrams repeat and acknowledge."""
        return b""

    def goodbye(self) -> bytes:
        """Bytes to send before it closes a connection whose end the server would not see."""
        return b""

    @abc.abstractmethod
    def turn(self) -> bytes:
        """Face another way."""

    @abc.abstractmethod
    def step(self) -> bytes:
        """Go one tile along its round, or whatever of that the game allows at 2.5 moves a second (`gait`)."""

    @abc.abstractmethod
    def say(self, text: str) -> bytes:
        """Say something aloud."""


BEGINNINGS: Final = (
    *("Al", "Ber", "Cor", "Dar", "Ed", "Fen", "Gar", "Hal", "Ing", "Hug", "Kat", "Lor", "Mar", "Nor", "Os"),
    *("Per", "Ros", "Sig", "Tor", "Ul", "Wil"),
)
MIDDLES: Final = {"uo": "a", "eo": "e", "eq2": "in", "co": "o", "co_5065": "u", "l2": "y", "web": "ei"}
"""By game, so that bots of several games are different people."""
ENDINGS: Final = ("ric", "win", "mund", "bert", "da", "gard", "la", "ton", "wyn", "dra", "nus", "sa", "rick")


def person_name(number: int, game: str) -> str:
    """Name of the number-th bot's character, as people see it."""
    rest, first = divmod(number, len(BEGINNINGS))
    more, last = divmod(rest, len(ENDINGS))
    middle = MIDDLES.get(game, "") + "".join(LETTERS[int(digit)] + "a" for digit in str(more or ""))
    return f"{BEGINNINGS[first]}{middle}{ENDINGS[last]}"


def is_bots(account: str, game: str) -> bool:
    """Whether an account has the name of a bot of that game."""
    return re.fullmatch(f"{re.sub('[^a-z]', '', game)}b[{LETTERS}]{{{SHORTEST},}}", account) is not None


def bot_name(number: int, game: str) -> str:
    """A name for the number-th bot of a game, as both account and character."""
    digits = ""
    while number or len(digits) < SHORTEST:
        number, digit = divmod(number, len(LETTERS))
        digits = LETTERS[digit] + digits
    return f"{re.sub('[^a-z]', '', game)}b{digits}"
