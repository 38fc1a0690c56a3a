"""Endings: the ways in which a connection ends, and the errors that end it. A value, not a string, so that
operators can count and filter it."""

from __future__ import annotations

import enum
from typing import ClassVar


class Ending(enum.Enum):
    """Ways in which a connection ends: each ends with exactly one of them and one INFO line that names it."""

    CLIENT_LEFT = "client left"
    CONNECTION_LOST = "connection lost"
    BAD_PACKET = "bad packet"
    WRONG_PHASE = "wrong phase"
    REFUSED = "refused"
    TOO_SLOW = "too slow"
    TIMED_OUT = "timed out"
    KICKED = "kicked"
    BANNED = "banned"
    REPLACED = "replaced"
    RELAYED = "relayed"
    """Sent on to another port, as Ultima Online does between login and game."""
    SHUTDOWN = "shutdown"
    OUR_BUG = "our bug"


class WireError(Exception):
    """The peer broke the protocol; the message says how. Costs that peer its connection and nobody else."""

    ending: ClassVar[Ending] = Ending.BAD_PACKET
    """How a connection ends that raises this."""


class PeerGone(WireError):
    """A peer without a connection, of datagrams, answers no more."""

    ending = Ending.CONNECTION_LOST


class PeerTooSlow(WireError):
    """More waits for the peer's acknowledgement than is kept for anybody."""

    ending = Ending.TOO_SLOW


class Refused(Exception):
    """A login is refused. The farewell packets ride in the exception: they are sent, then the client ends."""

    def __init__(self, detail: str, *farewell: object, ending: Ending = Ending.REFUSED) -> None:
        super().__init__(detail)
        self.farewell = farewell
        self.ending = ending
