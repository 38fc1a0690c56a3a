"""Two or three meet: every version of Ultima Online, and what Endless Online has of its own. What all games
have in common is in `tests/scenes/test_square.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eolib import (
    AvatarRemoveServerPacket,
    Direction,
    FacePlayerServerPacket,
    TalkPlayerServerPacket,
)

from protocol.eo.codec import EoCodec
from protocol.session import Phase
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.square import gather, side_by_side
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Hashable

    from trio.testing import MockClock

    from tests.kit.town import Town

VERSIONS = [
    (7, 0, 102, 3),
    (7, 0, 35, 0),
    (7, 0, 15, 1),
    (7, 0, 9, 0),
    (6, 0, 14, 2),
    (5, 0, 9, 1),
]


@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
@pytest.mark.parametrize("version", VERSIONS, ids=[".".join(map(str, v)) for v in VERSIONS])
async def test_two_uo_clients_meet(
    town: Town, autojump_clock: MockClock, version: tuple[int, int, int, int], encrypted: bool
) -> None:
    anna = UoPlayer(town, version, encrypted=encrypted)
    bert = UoPlayer(town, (7, 0, 102, 3))
    await anna.enters("anna", "Anna")
    assert anna.client.in_world
    await bert.enters("bert", "Bert")
    assert bert.client.in_world
    side_by_side(town, "Anna", "Bert")
    await anna.does(b"")
    hers, his = town.mobile("Anna"), town.mobile("Bert")
    assert his.serial in anna.client.mobiles
    assert hers.serial in bert.client.mobiles
    seen = bert.client.mobiles[hers.serial]
    origin_x, origin_y = seen.x - hers.x, seen.y - hers.y
    for heading in (EAST, SOUTH, WEST, NORTH):
        before = hers.x, hers.y
        await anna.walks(heading)
        assert (hers.x, hers.y) == (
            before[0] + OFFSETS[heading][0],
            before[1] + OFFSETS[heading][1],
        )
        assert (seen.x - origin_x, seen.y - origin_y, seen.heading) == (hers.x, hers.y, heading)
        assert anna.client.player is not None
        assert (anna.client.player.x - origin_x, anna.client.player.y - origin_y) == (hers.x, hers.y)
    await anna.does(anna.client.say_bytes("Hail, Bert!"))
    await bert.does(bert.client.say_bytes("Hail, Anna!"))
    for player in (anna, bert):
        assert "Hail, Bert!" in player.client.said()
        assert "Hail, Anna!" in player.client.said()
    await anna.does(anna.client.logout_bytes())
    anna.leaves()
    await bert.does(b"")
    assert hers.serial not in bert.client.mobiles
    assert not town.here("Anna")


async def test_an_eo_client_is_shown_turns_and_diagonal_steps(town: Town, autojump_clock: MockClock) -> None:
    square = await gather(town, "Anna", "Bert", "Bella")
    anna, bert = square.player("Anna", UoPlayer), square.player("Bert", EoPlayer)
    bella = square.player("Bella", EoPlayer)
    await anna.walks(1)
    square.all_see("Anna")
    before = square["Bella"].place
    await bella.does(bella.client.face(Direction.Left))
    assert square["Bella"].place == before
    square.all_see("Bella")
    assert bert.of(FacePlayerServerPacket)[-1].player_id == bella.client.player_id
    bella.leaves()
    await bert.does(b"", wait=12)
    assert [packet.player_id for packet in bert.of(AvatarRemoveServerPacket)] == [bella.client.player_id]
    square.is_well("Anna", "Bert")


async def test_what_clients_believe_in_is_what_the_server_says_is_visible(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert, carl = UoPlayer(town), EoPlayer(town), UoPlayer(town, (5, 0, 9, 1))
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    await carl.enters("carl", "Carl")
    chance = town.app.world.random
    for _ in range(60):
        await anna.does(anna.client.walk_bytes(chance.randrange(8), run=True), wait=0.3)
        await bert.does(bert.client.walk(Direction(chance.randrange(4))), wait=0.3)
        await bert.does(bert.client.refresh(), wait=0.3)
        await carl.does(carl.client.walk_bytes(chance.randrange(8)), wait=0.3)
        await carl.does(carl.client.resync_bytes(), wait=0.3)
        for player in (anna, carl):
            session = next(
                s
                for s in town.app.sessions()
                if s.mobile is not None
                and s.mobile.account
                and s.peer
                and player.client.player is not None
                and s.mobile.serial == player.client.player.serial
            )
            believed = {s for s in session.known if s < 0x40000000}
            assert set(player.client.mobiles) == believed
            for serial, seen in player.client.mobiles.items():
                mobile, me = town.app.world.mobiles[serial], session.mobile
                assert me is not None
                assert player.client.player is not None
                assert (seen.x - player.client.player.x, seen.y - player.client.player.y) == (
                    mobile.x - me.x,
                    mobile.y - me.y,
                )


async def test_a_broadcast_costs_eo_at_most_seven_ciphertexts(town: Town, autojump_clock: MockClock) -> None:
    town.change("limits", exempt=("127.0.0.0/8",))
    players = [EoPlayer(town) for _ in range(14)]
    for n, player in enumerate(players):
        await player.enters(f"eoer{n:02}", "Eoer" + "abcdefghkmnprs"[n])
    side_by_side(town, *(f"Eoer{letter}" for letter in "abcdefghkmnprs"))
    await players[0].does(b"")
    prepared: list[Hashable] = []
    original = EoCodec.prepare

    def prepare(codec: EoCodec, body: bytes) -> bytes:
        if b"count me" in body:
            prepared.append(codec.share_key)
        return original(codec, body)

    EoCodec.prepare = prepare  # type: ignore[method-assign,assignment]
    try:
        await players[0].does(players[0].client.say("count me"))
    finally:
        EoCodec.prepare = original  # type: ignore[method-assign]
    for player in players[1:]:
        words = [
            packet.message for packet in player.client.received if isinstance(packet, TalkPlayerServerPacket)
        ]
        assert words == ["count me"]
    assert len(prepared) == len(set(prepared)) <= 7, "one for each multiple there is"


async def test_nothing_of_the_world_comes_before_the_client_knows_who_it_is(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = UoPlayer(town)
    await anna.enters("anna", "Anna")
    opcodes = anna.client.opcodes()
    assert opcodes.count(0x1B) == 1
    assert opcodes.count(0x55) == 1
    assert opcodes.index(0x1B) < opcodes.index(0x55)
    session = next(s for s in town.app.sessions() if s.mobile is not None)
    assert session.phase is Phase.IN_WORLD


async def test_a_uo_client_sees_an_eo_client_sit_down_on_the_very_chair(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = UoPlayer(town), EoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    realm = town.app.world.realms["confluence"]
    hers, his = town.mobile("Anna"), town.mobile("Bert")
    seat, before = next(
        ((x, y), (x + OFFSETS[heading][0], y + OFFSETS[heading][1]))
        for (x, y), heading in realm.chart.seats.items()
        if heading in (0, 2, 4, 6) and realm.walkable(x + OFFSETS[heading][0], y + OFFSETS[heading][1])
    )
    town.app.world.warp(his, realm, *before)
    town.app.world.warp(hers, realm, *before)
    town.app.loop.wake()
    await anna.does(b"")
    seen = anna.client.mobiles[his.serial]
    offset = seen.x - his.x, seen.y - his.y
    await bert.does(bert.client.sit_on(*seat))
    assert (his.x, his.y) == seat
    assert (seen.x - offset[0], seen.y - offset[1], seen.heading) == (*seat, his.heading)
    await bert.does(bert.client.rise())
    assert (his.x, his.y) == before
    assert (seen.x - offset[0], seen.y - offset[1]) == before
