"""The states of a session, and what moves it from one to another, as one table.

The document names its states twice. These are its first five. The second list's CONNECTING is WAIT_CONNECT
here, and its ERROR is DISCONNECT: a session that failed is as finished as one that ended, and why it did is
said by the error that was raised.
"""

from __future__ import annotations

import enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class State(enum.Enum):
    """States of a session. A server's stream goes from CLOSED to CONNECTED at once."""

    CLOSED = "no connection"
    WAIT_CONNECT = "session request sent, no response yet"
    CONNECTED = "open; keyed or about to be"
    DISCONNECTING = "no more messages; what was sent is being acknowledged, then the disconnect leaves"
    DISCONNECT = "over"


class Event(enum.Enum):
    """Events in the life of a session."""

    CONNECT = "a client begins"
    REQUEST = "a session request came, at a server"
    RESPONSE = "a session response came, at a client"
    CLOSE = "this end closes"
    DRAINED = "everything is acknowledged, or the time for that is over"
    DISCONNECT = "the peer's disconnect came"
    OUT_OF_SESSION = "the peer knows no such session"
    LOST = "the peer fell silent, or broke the protocol"


_CLOSED, _WAIT, _CONNECTED = State.CLOSED, State.WAIT_CONNECT, State.CONNECTED
_DISCONNECTING, _DISCONNECT = State.DISCONNECTING, State.DISCONNECT

# An event that means nothing in a state leaves it there.
TRANSITIONS: Final[Mapping[State, Mapping[Event, State]]] = MappingProxyType(
    {
        State.CLOSED: {
            Event.CONNECT: _WAIT,
            Event.REQUEST: _CONNECTED,
            Event.RESPONSE: _CLOSED,
            Event.CLOSE: _DISCONNECT,
            Event.DRAINED: _CLOSED,
            Event.DISCONNECT: _CLOSED,
            Event.OUT_OF_SESSION: _CLOSED,
            Event.LOST: _CLOSED,
        },
        State.WAIT_CONNECT: {
            Event.CONNECT: _WAIT,
            Event.REQUEST: _WAIT,
            Event.RESPONSE: _CONNECTED,
            Event.CLOSE: _DISCONNECT,
            Event.DRAINED: _WAIT,
            Event.DISCONNECT: _WAIT,  # nothing of this session can be checked yet
            Event.OUT_OF_SESSION: _DISCONNECT,
            Event.LOST: _DISCONNECT,
        },
        State.CONNECTED: {
            Event.CONNECT: _CONNECTED,
            Event.REQUEST: _CONNECTED,  # answered again, the same way
            Event.RESPONSE: _CONNECTED,  # a repeated answer
            Event.CLOSE: _DISCONNECTING,
            Event.DRAINED: _CONNECTED,
            Event.DISCONNECT: _DISCONNECT,
            Event.OUT_OF_SESSION: _DISCONNECT,
            Event.LOST: _DISCONNECT,
        },
        State.DISCONNECTING: {
            Event.CONNECT: _DISCONNECTING,
            Event.REQUEST: _DISCONNECTING,
            Event.RESPONSE: _DISCONNECTING,
            Event.CLOSE: _DISCONNECTING,
            Event.DRAINED: _DISCONNECT,
            Event.DISCONNECT: _DISCONNECT,
            Event.OUT_OF_SESSION: _DISCONNECT,
            Event.LOST: _DISCONNECT,
        },
        State.DISCONNECT: {
            Event.CONNECT: _DISCONNECT,
            Event.REQUEST: _DISCONNECT,  # the doorman meets whoever begins anew
            Event.RESPONSE: _DISCONNECT,
            Event.CLOSE: _DISCONNECT,
            Event.DRAINED: _DISCONNECT,
            Event.DISCONNECT: _DISCONNECT,
            Event.OUT_OF_SESSION: _DISCONNECT,
            Event.LOST: _DISCONNECT,
        },
    }
)
