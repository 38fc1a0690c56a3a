"""Both ends of a connection of Conquer Online's, by their codecs alone, and ways to cut what they say."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, Final, TypeAlias

import pytest

from protocol.co.codec import CfbGameCodec, CoAccountCodec, CoCodec, game_codec
from protocol.co.exchange import ExchangeReply, Keys
from protocol.co.versions import CoVersion
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Pair: TypeAlias = "tuple[CoCodec, CoCodec]"
"""Server and client of one connection."""

NOW: Final = 0.0


def packet(type_: int, fields: bytes = b"") -> bytes:
    return struct.pack("<HH", 4 + len(fields), type_) + fields


CONNECT: Final = packet(1052, struct.pack("<II", 0xBABE0001, 0xC0FFEE00) + b"\x7b\0En".ljust(16, b"\0"))
SAID: Final = [packet(1010, bytes(20)), packet(1009), packet(1004, b"hello" * 50), packet(1005, b"abcdef")]

KEYS: Final = Keys(bytes(range(64)), b"server's", b"client's")
"""Made once: the exchange is done where it is what is tested."""


def args(role: Role, version: CoVersion = CoVersion.V5017, seed: int = 1) -> CodecArgs:
    return CodecArgs(role, random.Random(f"{role} {seed}").randbytes, {"patch": int(version)})


def sent(codec: CoCodec) -> bytes:
    return b"".join(codec.outgoing(NOW))


def drain(codec: CoCodec) -> list[bytes]:
    """All frames; a server agrees on keys in between, as its handler does."""
    frames: list[bytes] = []
    while (frame := codec.next_frame()) is not None:
        if isinstance(codec, CfbGameCodec) and not codec.agreed:
            codec.adopt(codec.keys_of(ExchangeReply.decode(frame)))
        else:
            frames.append(frame)
    return frames


def hear_all(codec: CoCodec, data: bytes) -> None:
    """Let a codec have bytes in pieces, and take what frames there are."""
    for at in range(0, len(data), 100):
        codec.receive(data[at : at + 100], NOW)
        drain(codec)


def account() -> Pair:
    return CoAccountCodec(args(Role.SERVER)), CoAccountCodec(args(Role.CLIENT))


def account_5065() -> Pair:
    return CoAccountCodec(args(Role.SERVER, CoVersion.V5065)), CoAccountCodec(
        args(Role.CLIENT, CoVersion.V5065)
    )


def game() -> Pair:
    return game_codec(args(Role.SERVER)), game_codec(args(Role.CLIENT))


def game_5065() -> Pair:
    """Before the exchange; `begin` was called."""
    server = game_codec(args(Role.SERVER, CoVersion.V5065))
    server.begin()
    return server, game_codec(args(Role.CLIENT, CoVersion.V5065))


def agreed() -> Pair:
    """A game connection of version 5065 behind its exchange."""
    server, client = (CfbGameCodec(args(role, CoVersion.V5065)) for role in (Role.SERVER, Role.CLIENT))
    for codec in (server, client):
        codec.adopt(KEYS)
    return server, client


def connected() -> Pair:
    """A game connection of version 5017 behind its first packet."""
    server, client = game()
    client.send(Body(CONNECT))
    server.receive(sent(client), NOW)
    assert drain(server) == [CONNECT]
    return server, client


PAIRS: Final[dict[str, Callable[[], Pair]]] = {
    "account 5017": account,
    "account 5065": account_5065,
    "game 5017": game,
    "game 5065": game_5065,
}
READY: Final[dict[str, Callable[[], Pair]]] = {"account": account, "5017": connected, "5065": agreed}

EVERYWHERE: Final = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
WHEN_READY: Final = pytest.mark.parametrize("pair", READY.values(), ids=READY)


def whole(data: bytes) -> Iterable[bytes]:
    if data:
        yield data


def byte_by_byte(data: bytes) -> Iterable[bytes]:
    return (data[at : at + 1] for at in range(len(data)))


def at_random(data: bytes) -> Iterable[bytes]:
    dice = random.Random(len(data))
    while data:
        size = dice.choices((1, 2, 3, 27, 29, 40))[0]
        yield data[:size]
        data = data[size:]


SPLITS: Final = pytest.mark.parametrize("split", [whole, byte_by_byte, at_random])


def say(codec: CoCodec, raw: bytes) -> None:
    """Let a client say what is no packet."""
    codec.send_raw([raw])
