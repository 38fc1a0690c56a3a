"""Opcodes of the transport and the reasons of a disconnect.

A datagram begins with 00 and one of these opcodes; one that does not is a bare, unreliable game message. The
names are the document's where it has one; where the wire differs from the document, the wire's meaning is
given here. Numbers: eq2emu `op_codes.h`, the SOE library's names in h1emu-core.
"""

from __future__ import annotations

import enum


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
    """Why a session ends, in SessionDisconnect (h1emu-core `soeprotocol_functions.rs`)."""

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
