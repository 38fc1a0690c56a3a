"""The frames of a session that are neither data nor acknowledgement. Everything is big-endian.

Request and response travel alone and without a checksum; the others carry the session's.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from protocol.eq2.stream.opcodes import Op

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.eq2.stream.settings import StreamSettings

KEEP_ALIVE: Final = bytes((0, Op.KEEP_ALIVE))
OUT_OF_SESSION: Final = bytes((0, Op.OUT_OF_SESSION))

SHORTEST_LENGTH: Final = 128
LONGEST_LENGTH: Final = 1400
"""What a client may make of the session's datagrams, in bytes: enough for a handshake, and no more than goes
through every network in one piece."""

_REQUEST = Struct(">HIII")
_RESPONSE = Struct(">HIIBBBII")
_DISCONNECT = Struct(">HIH")
_STAT_REQUEST = Struct(">HHIIIIIQQ")
_STAT_RESPONSE = Struct(">HHIQQQQ")


class SessionRequest(NamedTuple):
    """01: a client begins. 14 bytes."""

    version: int
    """Of the transport: 2 or 3; eq2emu's own client side says 0. Nothing depends on it."""
    session_id: int
    """Chosen by the client."""
    max_length: int
    """Bytes of the longest datagram it takes, checksum included."""

    def encode(self) -> bytes:
        """The whole datagram."""
        return _REQUEST.pack(Op.SESSION_REQUEST, *self)

    @classmethod
    def decode(cls, datagram: bytes) -> SessionRequest | None:
        """None if it is none."""
        if len(datagram) != _REQUEST.size:
            return None
        op, *fields = _REQUEST.unpack(datagram)
        return cls(*fields) if op == Op.SESSION_REQUEST else None


def session_length(asked: int, largest: int) -> int:
    """Bytes of the longest datagram of a session whose client asked for `asked`; ours are `largest`."""
    return min(max(asked, SHORTEST_LENGTH), LONGEST_LENGTH, largest)


class SessionResponse(NamedTuple):
    """02: the server's answer. 21 bytes."""

    session_id: int
    seed: int
    """Of the checksum. The document calls it the key; nothing is encrypted with it."""
    crc_length: int = 2
    first_pass: int = 0
    """A whole-datagram encoding: bit 0 zlib, bit 2 an XOR chain. EverQuest II uses none."""
    second_pass: int = 0
    max_length: int = 512
    trailing: int = 0
    """The original library writes 2 here, eq2emu 0; clients look at neither."""

    def encode(self) -> bytes:
        """The whole datagram."""
        return _RESPONSE.pack(Op.SESSION_RESPONSE, *self)

    @classmethod
    def decode(cls, datagram: bytes) -> SessionResponse | None:
        """None if it is none."""
        if len(datagram) != _RESPONSE.size:
            return None
        op, *fields = _RESPONSE.unpack(datagram)
        return cls(*fields) if op == Op.SESSION_RESPONSE else None


def respond(request: SessionRequest, seed: int, settings: StreamSettings) -> bytes:
    """The datagram that answers a session request."""
    length = session_length(request.max_length, settings.max_datagram)
    return SessionResponse(request.session_id, seed, settings.crc_length, max_length=length).encode()


def new_seed(entropy: Callable[[int], bytes]) -> int:
    """A seed of checksums; never 0, which anybody would try first."""
    return int.from_bytes(entropy(4), "big") or 1


class SessionDisconnect(NamedTuple):
    """05: the sender ends the session. 10 bytes with the checksum."""

    session_id: int
    reason: int
    """A `Reason`, or whatever the peer thinks of."""

    def encode(self) -> bytes:
        """The frame without checksum."""
        return _DISCONNECT.pack(Op.SESSION_DISCONNECT, *self)

    @classmethod
    def decode(cls, frame: bytes) -> SessionDisconnect | None:
        """None if it is too short. Anything behind the reason is not looked at."""
        return cls(*_DISCONNECT.unpack_from(frame)[1:]) if len(frame) >= _DISCONNECT.size else None


class StatRequest(NamedTuple):
    """07: the client's clock and counters. 42 bytes with the checksum."""

    tick: int
    """The client's clock in ms, low 16 bits; comes back in the answer."""
    last_rtt: int = 0
    """This and the next four in ms."""
    average_rtt: int = 0
    shortest_rtt: int = 0
    longest_rtt: int = 0
    server_rtt: int = 0
    """What the server measured, as far as the client knows."""
    sent: int = 0
    """Datagrams since the session began, as are the other counters."""
    received: int = 0

    def encode(self) -> bytes:
        """The frame without checksum."""
        return _STAT_REQUEST.pack(Op.SESSION_STAT_REQUEST, *self)

    @classmethod
    def decode(cls, frame: bytes) -> StatRequest | None:
        """None if it is too short."""
        return cls(*_STAT_REQUEST.unpack_from(frame)[1:]) if len(frame) >= _STAT_REQUEST.size else None


class StatResponse(NamedTuple):
    """08: the answer to 07. 42 bytes with the checksum."""

    tick: int
    clock: int
    """The server's clock in ms, low 32 bits."""
    client_sent: int
    client_received: int
    server_sent: int
    server_received: int

    def encode(self) -> bytes:
        """The frame without checksum."""
        return _STAT_RESPONSE.pack(Op.SESSION_STAT_RESPONSE, *self)

    @classmethod
    def decode(cls, frame: bytes) -> StatResponse | None:
        """None if it is too short."""
        return cls(*_STAT_RESPONSE.unpack_from(frame)[1:]) if len(frame) >= _STAT_RESPONSE.size else None
