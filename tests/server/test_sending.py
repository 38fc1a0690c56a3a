"""Many messages at once are what they are one by one, and each is prepared once per kind of wire."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from protocol.eo.codec import EoCodec
from protocol.eo.websocket import WebSocketCodec
from protocol.uo.ciphers import GameCipher
from protocol.uo.codec import UoCodec
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body, forms
from server.net.stream_connection import StreamConnection
from tests.kit.stage import Stage, settle
from tests.kit.toys import Heard, Step, brook
from world.heading import EAST

if TYPE_CHECKING:
    from collections.abc import Callable

    import trio
    from trio.testing import MockClock

    from protocol.family import Codec
    from protocol.session import Session

BODIES = [Body(bytes((0x1B + number, number)) * (3 + number)) for number in range(5)]


def _args() -> CodecArgs:
    return CodecArgs(Role.SERVER, random.Random(1).randbytes)


def uo(*, game: bool = False, encrypted: bool = False) -> UoCodec:
    """A connection that logs in, or plays, with or without a cipher."""
    codec = UoCodec(_args())
    codec._compressed = game
    codec._game_cipher = GameCipher(0x01020304) if encrypted else None
    return codec


def eo(kind: type[EoCodec] = EoCodec, multiple: int = 7) -> EoCodec:
    """A connection whose multiples are known."""
    codec = kind(_args())
    codec.begin(multiple, 9, 0)
    return codec


@pytest.mark.parametrize(
    "make",
    [
        uo,
        lambda: uo(game=True),
        lambda: uo(game=True, encrypted=True),
        eo,
        lambda: eo(WebSocketCodec),
    ],
    ids=["uo login", "uo game", "uo game encrypted", "eo", "eo websocket"],
)
def test_many_at_once_are_the_same_bytes_as_one_by_one(make: Callable[[], Codec]) -> None:
    together, singly = make(), make()
    together.send_many(BODIES[:3])
    together.send_many(BODIES[3:])
    for body in BODIES:
        singly.send(body)
    assert b"".join(together.outgoing(0.0)) == b"".join(singly.outgoing(0.0))


class Counting:
    """A wire of its own kind that counts what it has to prepare."""

    def __init__(self, share_key: str | None) -> None:
        self.share_key = share_key
        self.prepared: list[bytes] = []

    def prepare(self, body: bytes) -> bytes:
        """Something that tells the wires apart."""
        self.prepared.append(body)
        return f"{self.share_key}:".encode() + body


def test_a_message_is_prepared_once_for_each_kind_of_wire() -> None:
    bodies = [Body(b"a"), Body(b"b")]
    wires = {key: Counting(key) for key in ("x", "y", "z")}
    for _ in range(2):
        for key, wire in wires.items():
            assert forms(bodies, wire) == [f"{key}:a".encode(), f"{key}:b".encode()]
            assert bodies[0].form(wire) == f"{key}:a".encode()
    assert all(wire.prepared == [b"a", b"b"] for wire in wires.values())
    alone = Counting(None)
    forms(bodies, alone)
    forms(bodies, alone)
    assert alone.prepared == [b"a", b"b"] * 2, "what cannot be shared is not kept"


class Numbered:
    """A message that only its client can finish."""

    droppable = False

    def __init__(self, seen: list[int]) -> None:
        self._seen = seen

    def bind(self, session: Session) -> bytes:
        """How many were bound before it."""
        self._seen.append(session.id)
        return Heard(0, b"bound %d" % len(self._seen)).encode()


async def test_bound_messages_keep_their_place_among_shared_ones(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook(), "Anna")
    await settle()
    client.got.clear()
    seen: list[int] = []
    shared = [Body(Heard(0, text).encode()) for text in (b"first", b"second", b"third")]
    session = stage.loop.sessions[1]
    session.queue(shared[0], Numbered(seen), shared[1], Numbered(seen), shared[2])
    session.link.flush()
    await settle()
    assert [packet.text for packet in client.of(Heard)] == [
        b"first",
        b"bound 1",
        b"second",
        b"bound 2",
        b"third",
    ]
    assert seen == [1, 1], "each is bound once"


async def test_who_acted_is_answered_before_others_hear_of_it(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery)
    game = brook()
    *_, last = [stage.client(game, name) for name in ("Anna", "Bert", "Cleo")]
    await settle()
    order: list[int] = []
    put = StreamConnection._put

    def noted(connection: StreamConnection, frames: list[bytes]) -> None:
        order.append(connection.session.id)
        put(connection, frames)

    monkeypatch.setattr(StreamConnection, "_put", noted)
    last.say(Step(EAST))
    await settle()
    assert order == [3, 1, 2]
