"""Endless Online's packets: the classes of eolib, fitted to our table, docs and tests.

eolib generates one class per packet and direction from the community's protocol description
(Cirras/eo-protocol). This file adds what it leaves out: finding a class by opcode, errors of one kind, and a
description of the fields. An opcode here is `family << 8 | action`; a frame is action, family, payload, as
`EoCodec` hands it out.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar, cast

from eolib import EoReader, InitInitClientPacket, Packet
from eolib.protocol.net import client, server

from protocol.endings import WireError
from protocol.eo.numbers import SHORT_MAX
from protocol.eo.packets.base import Reader, Writer

P = TypeVar("P", bound=Packet)

_FRAME_HEADER = 2  # action and family

# The one constant that tells a game client from a stranger: the char 112 of Init_Init, behind challenge and
# version. eolib reads past it.
_INIT_CONSTANT_AT, _INIT_CONSTANT = _FRAME_HEADER + 3 + 3, 112 + 1


def opcode_of_frame(frame: bytes) -> int:
    """The opcode of a frame of two bytes or more."""
    return frame[1] << 8 | frame[0]


def opcode_of_class(packet: type) -> int:
    """The opcode of one of eolib's packet classes; TypeError for any other."""
    if Packet not in packet.__mro__:
        raise TypeError(f"{packet.__name__} is no packet of eolib")
    kind = cast("type[Packet]", packet)
    return int(kind.family()) << 8 | int(kind.action())


def name_of(packet: type[Packet]) -> str:
    """What the community calls it, as Walk_Player."""
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
    """A client's packet; WireError if it is unknown or broken."""
    return _decode(_CLIENT_DECODERS, frame)


def decode_server(frame: bytes) -> Packet:
    """A server's packet; WireError if it is unknown or broken."""
    return _decode(_SERVER_DECODERS, frame)


def _decode(decoders: Mapping[int, Callable[[bytes], Packet]], frame: bytes) -> Packet:
    if len(frame) < _FRAME_HEADER:
        raise WireError(f"bad_packet: {len(frame)} bytes")
    decode = decoders.get(opcode_of_frame(frame))
    if decode is None:
        raise WireError(f"unknown_opcode: family {frame[1]}, action {frame[0]}")
    return decode(frame)


def encode(packet: Packet) -> bytes:
    """Action, family, payload. ValueError or eolib's SerializationError if a field or the whole does not fit:
    our bug."""
    writer = Writer(_PREFIXES[type(packet)])
    packet.write(writer)
    if len(writer.data) > SHORT_MAX:
        raise ValueError(f"{name_of(type(packet))} of {len(writer.data)} bytes")
    return bytes(writer.data)


class Field(NamedTuple):
    """One line of a packet's documentation. Members of nested structures and arrays have dotted names."""

    name: str
    type: str
    note: str


# eolib documents a number by its range; each width has one.
_WIDTHS = {
    "0-252": "char",
    "0-255": "byte",
    "0-64008": "short",
    "0-16194276": "three",
    "0-4097152080": "int",
}
_RANGE = re.compile(r"\s*\((?:Element v|V)alue range is (\d+-\d+)\.\)")
_ARGUMENT = re.compile(r"^\s+(\w+) \(.*?\): ?(.*)$", re.MULTILINE)


def describe(packet: type) -> list[Field]:
    """The fields of a packet in wire order, read from eolib's signatures and docstrings."""
    return list(_fields(packet, ""))


def fields_of(struct: type) -> dict[str, object]:
    """Name and type of what a structure of eolib is made of, in wire order."""
    init = inspect.getattr_static(struct, "__init__")
    if not inspect.isfunction(init):
        return {}
    hints: dict[str, object] = typing.get_type_hints(init)
    hints.pop("return", None)
    return hints


def notes_of(struct: type) -> dict[str, str]:
    """What eolib says about each field of a structure."""
    return dict(_ARGUMENT.findall(inspect.getdoc(inspect.getattr_static(struct, "__init__")) or ""))


def _fields(struct: type, prefix: str) -> Iterable[Field]:
    notes = notes_of(struct)
    for name, hint in fields_of(struct).items():
        note = notes.get(name, "")
        found = _RANGE.search(note)
        width = _WIDTHS[found[1]] if found else ""
        yield Field(prefix + name, _type_name(hint, width), _RANGE.sub("", note).strip())
        many = "[]" if typing.get_origin(hint) is Iterable else ""
        for part in _structs_in(hint):
            yield from _fields(part, f"{prefix}{name}{many}.{_variant(part, struct)}")


def _type_name(hint: object, width: str) -> str:
    """How a field is called in the community's notation."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is Iterable:
        return f"{_type_name(arguments[0], width)}[]"
    if arguments:
        names = [_type_name(part, width) for part in arguments if part is not type(None)]
        return " or ".join(names) + (", may be absent" if type(None) in arguments else "")
    if hint is int:
        return width or "int"
    if hint is str:
        return "string"
    return hint.__qualname__.rpartition(".")[2] if isinstance(hint, type) else str(hint)


def _structs_in(hint: object) -> list[type]:
    """The structures of eolib a field may hold, in the order of the declaration."""
    if isinstance(hint, type) and hint.__module__.startswith("eolib.") and "serialize" in vars(hint):
        return [hint]
    return [struct for part in typing.get_args(hint) for struct in _structs_in(part)]


def _variant(part: type, owner: type) -> str:
    """Alternatives of a field are told apart by their name; a plain structure needs none."""
    return f"{part.__name__}." if part.__qualname__.startswith(f"{owner.__qualname__}.") else ""


def document(packet: type[Packet], direction: str) -> str:
    """One packet as Markdown: a heading, eolib's summary, a table of its fields."""
    number = f"family {int(packet.family())}, action {int(packet.action())}"
    summary = " ".join((inspect.getdoc(packet) or "").split())
    lines = [f"### {name_of(packet)} ({direction}, {number})", "", summary, ""]
    fields = describe(packet)
    if fields:
        lines += ["| field | type | notes |", "|---|---|---|"]
        lines += [f"| {field.name} | {field.type} | {field.note} |" for field in fields]
        lines.append("")
    return "\n".join(lines)
