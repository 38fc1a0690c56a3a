"""Frames of an EQStream as the other end of a session of `tests.kit.eqstreams` would write and read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.eq2.stream.ciphers import CipherPair
from protocol.eq2.stream.combining import split
from protocol.eq2.stream.frames import SessionRequest, StatRequest
from protocol.wire.args import Role
from tests.kit.eqstreams import SEALED, SESSION, TAIL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.eq2.stream.frames import Checksum

REQUEST = SessionRequest(3, SESSION, 512)
STATS = SEALED.sealed(StatRequest(0x1234, sent=7, received=9).encode())


def frames_of(datagrams: Iterable[bytes], checksum: Checksum = SEALED) -> list[bytes]:
    """What is in sealed datagrams, Combined taken apart."""
    found: list[bytes] = []
    for datagram in datagrams:
        frame = checksum.opened(datagram)
        assert frame is not None
        if frame.startswith(b"\0\3"):
            inner, whole = split(frame)
            assert whole
            found += inner
        else:
            found.append(frame)
    return found


def packet(seq: int, payload: bytes) -> bytes:
    return SEALED.sealed(b"\0\x09" + seq.to_bytes(2, "big") + payload)


def encrypted(*messages: bytes, role: Role = Role.CLIENT) -> list[bytes]:
    """Messages of a peer with our key, as they are after encryption and escape."""
    cipher = CipherPair(TAIL, role)
    made = [cipher.encrypt(message) for message in messages]
    return [message if message[0] else b"\0" + message for message in made]
