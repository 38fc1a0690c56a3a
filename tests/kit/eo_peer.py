"""The other end of an Endless Online connection, of eolib alone: it shares no code with our codec."""

from __future__ import annotations

from eolib import (
    ConnectionPingClientPacket,
    EoReader,
    EoWriter,
    InitInitClientPacket,
    Packet,
    PacketSequencer,
    PingSequenceStart,
    SequenceStart,
    Version,
    decode_number,
    deinterleave,
    encode_number,
    flip_msb,
    interleave,
    swap_multiples,
)
from eolib.packet import InitSequenceStart

INIT = InitInitClientPacket(challenge=1, version=Version(major=0, minor=0, patch=28), hdid="1")
"""The first packet of any client."""
INIT_INIT = b"\xff\xff"
PING_ANSWER = ConnectionPingClientPacket()  # type: ignore[no-untyped-call] # eolib annotates arguments only


class EolibPeer:
    """A client that speaks with eolib's functions: `frame` makes its bytes, `take` reads the server's."""

    def __init__(self) -> None:
        self.sequencer = PacketSequencer(SequenceStart.zero())
        self.server_multiple = 0
        self.client_multiple = 0
        self._received = bytearray()

    def begin(self, seq1: int, seq2: int, server_multiple: int, client_multiple: int) -> None:
        """The server answered Init_Init with these."""
        self.sequencer.set_sequence_start(InitSequenceStart.from_init_values(seq1, seq2))
        self.server_multiple = server_multiple
        self.client_multiple = client_multiple

    def pinged(self, seq1: int, seq2: int) -> None:
        """The server's ping carried these."""
        self.sequencer.set_sequence_start(PingSequenceStart.from_ping_values(seq1, seq2))

    def frame(self, packet: Packet) -> bytes:
        """The wire form of the next packet of this client."""
        writer = EoWriter()  # type: ignore[no-untyped-call] # as above
        writer.add_byte(int(packet.action()))
        writer.add_byte(int(packet.family()))
        packet.write(writer)
        return self.frame_of(bytes(writer.to_bytearray()))

    def frame_of(self, body: bytes) -> bytes:
        """The wire form of any bytes (action, family, payload) as the next packet of this client."""
        sequence = self.sequencer.next_sequence()
        if body[:2] == INIT_INIT:
            return encode_number(len(body))[:2] + body
        number = encode_number(sequence)[: 2 if sequence >= 253 else 1]
        data = bytearray(body[:2] + number + body[2:])
        swap_multiples(data, self.client_multiple)
        flip_msb(data)
        interleave(data)
        return encode_number(len(data))[:2] + bytes(data)

    def take(self, data: bytes) -> list[bytes]:
        """Frames of the server that are complete now: action, family, payload."""
        self._received += data
        frames = []
        while len(self._received) >= 2:
            size = decode_number(bytes(self._received[:2]))
            if len(self._received) < 2 + size:
                break
            body = self._received[2 : 2 + size]
            del self._received[: 2 + size]
            if body[:2] != b"\xff\xff":
                deinterleave(body)
                flip_msb(body)
                swap_multiples(body, self.server_multiple)
            frames.append(bytes(body))
        return frames


def eolib_bytes(packet: Packet) -> bytes:
    """Action, family, payload, written by eolib's own writer."""
    writer = EoWriter()  # type: ignore[no-untyped-call] # as above
    writer.add_byte(int(packet.action()))
    writer.add_byte(int(packet.family()))
    packet.write(writer)
    return bytes(writer.to_bytearray())


def eolib_read(packet: type[Packet], frame: bytes) -> Packet:
    """A frame read by eolib's own reader."""
    decoded = packet.deserialize(EoReader(frame[2:]))  # type: ignore[attr-defined] # not in the base class
    assert isinstance(decoded, Packet)
    return decoded
