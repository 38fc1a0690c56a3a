"""Endless Online's packets: the classes of eolib, fitted to our table, docs and tests.

eolib generates one class per packet and direction from the community's protocol description
(Cirras/eo-protocol). This package adds what it leaves out: here finding a class by opcode and errors of one
kind, in `base` reading and writing, in `describe` the fields for docs and tests. An opcode here is
`family << 8 | action`; a frame is action, family, payload, as `EoCodec` hands it out.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, TypeVar, cast

from eolib import EoReader, InitInitClientPacket, Packet
from eolib.protocol.net import client, server

from protocol.endings import WireError
from protocol.eo.packets.base import SHORT_MAX, Reader, Writer
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

P = TypeVar("P", bound=Packet)

_FRAME_HEADER = 2  # action and family

# The one constant that tells a game client from a stranger: the char 112 of Init_Init, behind challenge and
# version. eolib reads past it.
_INIT_CONSTANT_AT, _INIT_CONSTANT = _FRAME_HEADER + 3 + 3, 112 + 1


def opcode_of_frame(frame: bytes) -> int:
    """The opcode of a frame of two bytes or more."""
    return frame[1] << 8 | frame[0]


def opcode_of_class(packet: type) -> int:
    """The opcode of one of eolib's packet classes. Raises TypeError for any other."""
    if Packet not in packet.__mro__:
        raise TypeError(f"{packet.__name__} is no packet of eolib")
    kind = cast("type[Packet]", packet)
    return int(kind.family()) << 8 | int(kind.action())


def name_of(packet: type[Packet]) -> str:
    """Name of a packet in the community, as Walk_Player."""
    return f"{packet.family().name}_{packet.action().name}"


def _by_opcode(classes: Iterable[object]) -> Mapping[int, type[Packet]]:
    # issubclass would ask each of eolib's abstract classes about each of the others.
    packets = [
        cast("type[Packet]", cls) for cls in classes if isinstance(cls, type) and Packet in cls.__mro__[1:]
    ]
    return types.MappingProxyType({opcode_of_class(cls): cls for cls in packets})


CLIENT_PACKETS = _by_opcode(vars(client).values())
"""All packets a client may send, by opcode."""
SERVER_PACKETS = _by_opcode(vars(server).values())
"""All packets a server may send, by opcode."""

_PREFIXES: Mapping[type[Packet], bytes] = {
    cls: bytes((int(cls.action()), int(cls.family())))
    for cls in (*CLIENT_PACKETS.values(), *SERVER_PACKETS.values())
}


def decoder(packet: type[P]) -> Callable[[bytes], P]:
    """The function that turns frames of this class into packets, or raises WireError.

    What is missing at the end reads as 0 or "" and what is too much is ignored, as in the original; numbers
    below zero and a wrong constant in Init_Init are refused.
    """
    deserialize: Callable[[EoReader], P] = packet.deserialize  # type: ignore[attr-defined] # not in the base
    title = name_of(packet)

    def decode(frame: bytes) -> P:
        try:
            return deserialize(Reader(frame, _FRAME_HEADER))
        except WireError as error:
            raise WireError(f"{error} in {title}") from None
        # The code behind this is generated: whatever it stumbles over, the bytes are to blame.
        except Exception as error:
            raise WireError(f"bad_packet: {error!r} in {title}") from error

    def decode_init(frame: bytes) -> P:
        if frame[_INIT_CONSTANT_AT : _INIT_CONSTANT_AT + 1] != bytes((_INIT_CONSTANT,)):
            raise WireError(f"bad_packet: no Endless Online client: {frame[:16].hex()} in {title}")
        return decode(frame)

    return decode_init if packet is InitInitClientPacket else decode


_CLIENT_DECODERS = {opcode: decoder(cls) for opcode, cls in CLIENT_PACKETS.items()}
_SERVER_DECODERS = {opcode: decoder(cls) for opcode, cls in SERVER_PACKETS.items()}


def decode_client(frame: bytes) -> Packet:
    """A client's packet of a frame. Raises WireError if it is unknown or broken."""
    return _decode(_CLIENT_DECODERS, frame)


def decode_server(frame: bytes) -> Packet:
    """A server's packet of a frame. Raises WireError if it is unknown or broken."""
    return _decode(_SERVER_DECODERS, frame)


def _decode(decoders: Mapping[int, Callable[[bytes], Packet]], frame: bytes) -> Packet:
    if len(frame) < _FRAME_HEADER:
        raise WireError(f"bad_packet: {len(frame)} bytes")
    decode = decoders.get(opcode_of_frame(frame))
    if decode is None:
        raise WireError(f"unknown_opcode: family {frame[1]}, action {frame[0]}")
    return decode(frame)


def encode(packet: Packet) -> bytes:
    """Action, family, payload. Raises ValueError or eolib's SerializationError if a field or the whole does
    not fit: our bug."""
    writer = Writer(_PREFIXES[type(packet)])
    packet.write(writer)
    if len(writer.data) > SHORT_MAX:
        raise ValueError(f"{name_of(type(packet))} of {len(writer.data)} bytes")
    return bytes(writer.data)


def body(packet: Packet, *, droppable: bool = False) -> Body:
    """The message of a packet, which a slow client may lose if it is `droppable`. Raises as `encode` does."""
    return Body(encode(packet), droppable=droppable)


def bodies(*packets: Packet) -> tuple[Body, ...]:
    """The messages of packets that nobody may lose. Raises as `encode` does."""
    return tuple(Body(encode(packet)) for packet in packets)
