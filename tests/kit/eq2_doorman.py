"""A doorman, and who stands before it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, cast

from protocol.eq2.doorman import Eq2Doorman
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.frames import Checksum, SessionRequest, SessionResponse, StatRequest
from protocol.wire.args import CodecArgs, Role

if TYPE_CHECKING:
    from protocol.eq2.doorman import StreamingCodec
    from protocol.family import Address, Knock

HOME: Address = ("192.0.2.7", 40_000)
ELSEWHERE: Address = ("198.51.100.9", 40_000)
REQUEST = SessionRequest(3, 0x11223344, 512)


class Talker:
    """As much of a codec as a doorman asks for."""

    def __init__(self, args: CodecArgs) -> None:
        self.stream = EqStream(args.role, args.entropy, StreamSettings.from_table(args.settings))


def doorman(**settings: object) -> Eq2Doorman:
    args = CodecArgs(Role.SERVER, random.Random(1).randbytes, settings)
    return Eq2Doorman(args, lambda: cast("StreamingCodec", Talker(args)))


def strangers(count: int) -> list[Address]:
    return [(f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}", 1024 + n % 60_000) for n in range(count)]


def answered(knock: Knock | None) -> SessionResponse:
    assert knock is not None
    assert knock.codec is None
    response = SessionResponse.decode(knock.reply)
    assert response is not None
    return response


def admitted(knock: Knock | None) -> StreamingCodec:
    assert knock is not None
    assert not knock.reply
    assert knock.codec is not None
    return cast("StreamingCodec", knock.codec)


def first_datagram(seed: int) -> bytes:
    return Checksum(seed).sealed(StatRequest(1).encode())


def session(door: Eq2Doorman, address: Address = HOME, now: float = 0.0) -> StreamingCodec:
    response = answered(door.knock(address, REQUEST.encode(), now, None))
    return admitted(door.knock(address, first_datagram(response.seed), now, None))
