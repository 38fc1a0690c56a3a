"""Both packets. A frame is a length (u16, little-endian, counting itself), an opcode, and text."""

from __future__ import annotations

from protocol.wire.declare import Header, Packet, packet
from protocol.wire.fields import Tail


@packet(1, header=Header(b"\1"))
class Enter(Packet):
    """The client enters: an account that is also the name of its character, a blank, a password."""

    words: Tail


@packet(2, header=Header(b"\2"))
class Say(Packet):
    """Words: said by the client, or heard by it."""

    text: Tail
