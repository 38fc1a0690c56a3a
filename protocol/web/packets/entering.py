"""Into the world and out of it, signs of life, and the end."""

from __future__ import annotations

from protocol.web.packets.base import SERIAL, Message, message, whole


@message("enter")
class Enter(Message):
    """Into the world with a character. Answers: `Entered` and all it sees, or `Denied`."""

    id: int = whole(0, SERIAL)


@message("leave")
class Leave(Message):
    """Out of the world, back to the characters. Answer: `Characters`."""


@message("ping")
class Ping(Message):
    """The client lives; every 20 seconds or so. Answer: `Pong` with the same number."""

    number: int = whole(0, 0x7FFF_FFFF, default=0)


@message("entered")
class Entered(Message):
    """The character stands in the world. `Realm` and `Show` of it and of all it sees follow."""

    id: int
    name: str
    sight: int
    """Tiles it sees each way (a square)."""
    walk_ms: int
    run_ms: int
    access: int = 0


@message("left")
class HasLeft(Message):
    """The character is out of the world, the client is not: it may enter again."""


@message("realm")
class Realm(Message):
    """The realm of everything that follows: whatever the client showed before is gone. Picture, size and
    walls are at /realms/<name>.json."""

    name: str
    title: str


@message("pong")
class Pong(Message):
    """The answer to `Ping`."""

    number: int = 0


@message("goodbye")
class Goodbye(Message):
    """The server ends the connection, and why."""

    text: str
