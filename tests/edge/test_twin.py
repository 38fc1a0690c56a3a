"""A codec in the world and one at the edge: what handlers do to the first, the second does, too."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, cast

import pytest

from protocol.games import GAMES
from protocol.wire.args import CodecArgs, Role
from server.edge.twin import Again, Drawn, Twin
from tests.kit.town import Town, listening

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import trio

    from protocol.co.codec import CfbGameCodec
    from protocol.eo.codec import EoCodec
    from protocol.family import Codec
    from protocol.l2.codec import L2GameCodec, L2LoginCodec
    from protocol.uo.codec import UoCodec


class Pair:
    """Both codecs, and what would cross between them."""

    def __init__(self, make: Callable[[CodecArgs], Codec], settings: dict[str, object] | None = None) -> None:
        settings = settings or {}
        self.again = Again(random.Random(1).randbytes)
        drawn = Drawn(self.again)
        self.edge = make(CodecArgs(Role.SERVER, drawn, settings))
        born = drawn.taken()
        drawn.stop()
        again = Again(random.Random(2).randbytes)
        again.like(born)
        mine = Drawn(again)
        self.twin = Twin(make(CodecArgs(Role.SERVER, mine, settings)), mine)
        self.twin.steered = self.steered
        self.said: list[tuple[str, Sequence[object], list[bytes]]] = []

    def steered(self, method: str, arguments: Sequence[object], drawn: list[bytes]) -> None:
        self.said.append((method, arguments, drawn))
        assert method in self.edge.controls
        self.again.like(drawn)
        getattr(self.edge, method)(*arguments)
        self.again.like(())


@pytest.fixture
def town(nursery: trio.Nursery) -> Town:
    return Town(nursery)


def pair(town: Town, game: str, door: str, table: str = "") -> Pair:
    family = town.families[game]
    at = listening(town.settings, family, door, table)
    return Pair(family.doors[door].codec, dict(at.settings) if at is not None else {})


async def test_endless_online(town: Town) -> None:
    both = pair(town, "eo", "game")
    edge, twin = cast("EoCodec", both.edge), cast("EoCodec", both.twin)
    greeting = twin.greet()
    assert (edge.server_multiple, edge.client_multiple) == (
        greeting.server_multiple,
        greeting.client_multiple,
    )
    assert edge.learnt() == both.twin.learnt()
    twin.new_ping()
    start, upcoming = edge.learnt()
    assert upcoming is not None
    assert both.twin.learnt() == (start, upcoming)
    assert edge.account_reply_start() == twin.account_reply_start()
    edge.sequence.switch()
    both.twin.learn(edge.learnt())
    assert both.twin.learnt() == (upcoming, None)


async def test_ultima_online(town: Town) -> None:
    both = pair(town, "uo", "game")
    edge, twin = cast("UoCodec", both.edge), cast("UoCodec", both.twin)
    edge.receive(bytes.fromhex("ef00000001000000070000000000000066 00000003".replace(" ", "")), 0.0)
    assert edge.next_frame() is not None
    both.twin.learn(edge.learnt())
    assert twin.seed == edge.seed == 1
    twin.know_version((7, 0, 102, 3))
    assert edge.version == twin.version == (7, 0, 102, 3)


async def test_lineage_2s_key_is_the_one_of_the_edge(town: Town) -> None:
    login = pair(town, "l2", "login")
    key = cast("L2LoginCodec", login.edge).session_key
    assert cast("L2LoginCodec", login.twin).session_key == key
    game = pair(town, "l2", "game")
    cast("L2GameCodec", game.twin).encipher(bytes(8))
    assert cast("L2GameCodec", game.edge).enciphered


async def test_conquers_keys_are_exchanged_through_both(town: Town) -> None:
    both = pair(town, "co", "game", "co_5065")
    client = cast(
        "CfbGameCodec",
        town.families["co"]
        .doors["game"]
        .codec(CodecArgs(Role.CLIENT, random.Random(3).randbytes, {"patch": 5065})),
    )
    edge, twin = cast("CfbGameCodec", both.edge), cast("CfbGameCodec", both.twin)
    twin.begin()
    client.receive(b"".join(edge.outgoing(0.0)), 0.0)
    edge.receive(b"".join(client.outgoing(0.0)), 0.0)
    frame = edge.next_frame()
    assert frame is not None
    entry = town.families["co"].doors["game"].table
    found = entry.entry(entry.opcode_of_frame(frame))
    assert found is not None
    twin.adopt(twin.keys_of(found.decode(frame)))  # type: ignore[arg-type] # an ExchangeReply
    assert edge.agreed
    assert twin.agreed
    edge.send_raw([b"\x08\x00\xea\x03abcd"])
    client.receive(b"".join(edge.outgoing(0.0)), 0.0)
    assert client.next_frame() == b"\x08\x00\xea\x03abcd"


@pytest.mark.parametrize("game", list(GAMES))
async def test_what_a_codec_lets_handlers_do_is_there(town: Town, game: str) -> None:
    for name, door in town.families[game].doors.items():
        codec = pair(town, game, name).edge
        for method in codec.controls:
            assert callable(getattr(codec, method)), door
        codec.learn(codec.learnt())


def test_what_was_drawn_elsewhere_is_drawn_again_and_nothing_else() -> None:
    again = Again(lambda size: b"\xff" * size)
    again.like([b"ab", b"c"])
    assert again(2) == b"ab"
    with pytest.raises(ValueError, match="2 bytes are drawn where 1 were"):
        again(2)
    again.like(())
    assert again(3) == b"\xff\xff\xff"
