"""Opcodes, the checksum, and the frames of a session that are neither data nor acknowledgement.

A datagram begins with 00 and an opcode; one that does not is a bare, unreliable game message. The names of
opcodes are the document's where it has one; where the wire differs from the document, the wire's meaning is
given here. Numbers: eq2emu `op_codes.h`, the SOE library's names in h1emu-core.

Everything is big-endian. Request and response of a session travel alone and without a checksum; the others
carry the session's. Fields are read by length alone: what a frame means is for the stream to say.
"""

from __future__ import annotations

import enum
import zlib
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.eq2.stream.settings import StreamSettings
    from protocol.eq2.stream.statistics import Statistics


class Op(enum.IntEnum):
    """The second byte of a transport frame."""

    SESSION_REQUEST = 0x01
    SESSION_RESPONSE = 0x02
    COMBINED = 0x03
    """Several frames in one datagram."""
    SESSION_DISCONNECT = 0x05
    KEEP_ALIVE = 0x06
    SESSION_STAT_REQUEST = 0x07
    """The client's clock and counters. The first one asks for the key request too."""
    SESSION_STAT_RESPONSE = 0x08
    PACKET = 0x09
    """A reliable payload. 0A to 0C are further channels that no EverQuest II peer uses."""
    FRAGMENT = 0x0D
    """A piece of a reliable payload."""
    OUT_OF_ORDER_ACK = 0x11
    """This one packet has come: what the document calls AckFuture and AckPast are both sent as this."""
    ACK = 0x15
    """Everything up to this packet has come. 16 and 17, the document's AckFuture and AckPast, are on the wire
    the cumulative acks of channels 1 and 2."""
    APP_COMBINED = 0x19
    """Several game messages in one reliable payload; the document takes it for an error message, of which
    there is none."""
    ORDERED = 0x1A
    """A numbered unreliable game message: older than the last one is dropped."""
    ORDERED_2 = 0x1B
    PORT_ALIVE = 0x1C
    """Keeps a router's mapping open. Means nothing to us."""
    OUT_OF_SESSION = 0x1D
    """The sender has no such session; the document's Reset."""
    REMAP_REQUEST = 0x1E
    """The peer's address changed. Sessions do not move here."""


class Reason(enum.IntEnum):
    """Reasons for the end of a session, in SessionDisconnect (h1emu-core `soeprotocol_functions.rs`)."""

    ICMP_ERROR = 0
    TIMEOUT = 1
    NONE = 2
    OTHER_SIDE_TERMINATED = 3
    MANAGER_DELETED = 4
    CONNECT_FAIL = 5
    APPLICATION = 6
    UNREACHABLE = 7
    UNACKNOWLEDGED_TIMEOUT = 8
    NEW_CONNECTION_ATTEMPT = 9
    REFUSED = 10
    MUTUAL_CONNECT_ERROR = 11
    CONNECTING_TO_SELF = 12
    RELIABLE_OVERFLOW = 13
    APPLICATION_RELEASED = 14
    CORRUPT_PACKET = 15
    PROTOCOL_MISMATCH = 16


class Checksum:
    """One session's seeded checksum.

    An ordinary CRC-32 (that of zlib) over the session's seed, four bytes little-endian, and the datagram as
    it is sent. Its low bytes are appended big-endian: two in EverQuest II, four for peers that ask for them.
    """

    __slots__ = ("_mask", "_primed", "length")

    def __init__(self, seed: int, length: int = 2) -> None:
        if length not in (2, 4):
            raise ValueError(f"a checksum takes 2 or 4 bytes, not {length}")
        self.length = length
        self._mask = (1 << 8 * length) - 1
        self._primed = zlib.crc32(seed.to_bytes(4, "little"))

    def sealed(self, datagram: bytes) -> bytes:
        """The datagram with its checksum."""
        checksum = zlib.crc32(datagram, self._primed) & self._mask
        return datagram + checksum.to_bytes(self.length, "big")

    def opened(self, datagram: bytes) -> bytes | None:
        """The datagram without its checksum; None if that is wrong, or nothing is before it."""
        length = self.length
        if len(datagram) <= length:
            return None
        body = datagram[:-length]
        if zlib.crc32(body, self._primed) & self._mask != int.from_bytes(datagram[-length:], "big"):
            return None
        return body


KEEP_ALIVE: Final = bytes((0, Op.KEEP_ALIVE))
OUT_OF_SESSION: Final = bytes((0, Op.OUT_OF_SESSION))

SHORTEST_LENGTH: Final = 128
LONGEST_LENGTH: Final = 1400
"""Bounds of the longest datagram that a client may choose, in bytes: enough for a handshake, and no more than
goes through every network in one piece."""

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
    def of(cls, statistics: Statistics, now: float) -> StatRequest:
        """A client's counters at `now`, seconds of its clock."""
        return cls(
            int(now * 1000) & 0xFFFF,
            round(statistics.rtt_last_ms),
            round(statistics.rtt_average_ms),
            round(statistics.rtt_shortest_ms),
            round(statistics.rtt_longest_ms),
            0,
            statistics.packets_out,
            statistics.packets_in,
        )

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
    def to(cls, request: StatRequest, statistics: Statistics, now: float) -> StatResponse:
        """A server's answer at `now`, seconds of its clock, with its own counters."""
        return cls(
            request.tick,
            int(now * 1000) & 0xFFFFFFFF,
            request.sent,
            request.received,
            statistics.packets_out,
            statistics.packets_in,
        )

    @classmethod
    def decode(cls, frame: bytes) -> StatResponse | None:
        """None if it is too short."""
        return cls(*_STAT_RESPONSE.unpack_from(frame)[1:]) if len(frame) >= _STAT_RESPONSE.size else None
