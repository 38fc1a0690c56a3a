"""Public clients, which none of us wrote, in company: what they sent is sent again, byte for byte but for the
numbers and names of who is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eolib import EoWriter, TalkOpenServerPacket

from tests.kit.l2_player import L2Player
from tests.kit.players import EoPlayer
from tests.kit.square import gather
from tests.kit.town import Town
from tests.scenes.test_peers import Record
from world import granting, hands

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from tests.kit.square import Square

GOLD, BANDAGE = 1, 24
"""Numbers that Endless Online's clients have for these (data/looks/eo.toml)."""


@pytest.fixture
async def square(nursery: trio.Nursery, autojump_clock: MockClock) -> Square:
    """Two of either game."""
    town = Town(nursery)
    await town.open()
    return await gather(town, "Bert", "Bella", "Dora", "Emma")


def addressed(frame: bytes, player: int) -> bytes:
    """A message of Endless Online that ends with the number of a player, to that one."""
    writer = EoWriter()  # type: ignore[no-untyped-call] # eolib leaves it bare
    writer.add_short(player)
    return frame[:-2] + bytes(writer.to_bytearray())


def named(frame: bytes, name: str) -> bytes:
    """A message of Lineage II that begins with a player's name, to that one."""
    end = frame.index(bytes(3), 1) + 1  # the last letter's own zero stands before
    return frame[:1] + name.encode("utf-16-le") + frame[end:]


async def test_eowebs_players_group_trade_and_part(square: Square, autojump_clock: MockClock) -> None:
    record = Record.read("eo", "company_eoweb")
    bert, bella = square.player("Bert", EoPlayer), square.player("Bella", EoPlayer)
    one, other = bert.client, bella.client
    for name in ("Bert", "Bella"):
        granting.make(square[name].mobile, "bandage", 1)
    await square.changed(2)
    had = [hands.carried(square[name].mobile) for name in ("Bert", "Bella")]

    async def sends(name: str, *frames: bytes) -> None:
        player = bert if name == "Bert" else bella
        for frame in frames:
            await player.does(player.client.frame_of(frame))

    (asks,), (accepts,), (leaves,) = (record.of(f"Party_{name}") for name in ("Request", "Accept", "Remove"))
    await sends("Bert", addressed(asks, other.player_id))
    await sends("Bella", addressed(accepts, one.player_id))
    for client in (one, other):
        assert [fellow.name.lower() for fellow in client.party.values()] == ["bert", "bella"]
    (asks,), (accepts,) = record.of("Trade_Request"), record.of("Trade_Accept")
    await sends("Bert", addressed(asks, other.player_id))
    await sends("Bella", addressed(accepts, one.player_id))
    gold, bandage = record.of("Trade_Add")
    await sends("Bert", gold)
    await sends("Bella", bandage)
    assert one.trade is not None
    assert other.trade is not None
    assert one.trade.own == other.trade.theirs == {GOLD: 2}
    assert one.trade.theirs == other.trade.own == {BANDAGE: 1}
    agrees, *_ = record.of("Trade_Agree")
    await sends("Bert", agrees)
    assert other.trade.partner_agrees
    await sends("Bella", agrees)
    assert [client.trade for client in (one, other)] == [None, None]
    has = [hands.carried(square[name].mobile) for name in ("Bert", "Bella")]
    assert [now["gold"] - then["gold"] for now, then in zip(has, had, strict=True)] == [-2, 2]
    assert [now["bandage"] - then["bandage"] for now, then in zip(has, had, strict=True)] == [1, -1]
    await sends("Bella", addressed(leaves, other.player_id))
    assert not one.party
    assert not other.party
    square.is_well()


async def test_l2js_and_eoweb_go_about_together(square: Square, autojump_clock: MockClock) -> None:
    l2, eo = Record.read("l2", "party_l2js"), Record.read("eo", "company_eoweb")
    (asks,), (comes,), (speaks,) = (
        l2.of(name) for name in ("RequestJoinParty", "RequestAnswerJoinParty", "Say2")
    )
    dora, emma = square.player("Dora", L2Player), square.player("Emma", L2Player)
    bert = square.player("Bert", EoPlayer)
    await dora.does(dora.client.raw_bytes(named(asks, "Emma")))
    await emma.does(emma.client.raw_bytes(comes))
    await dora.does(dora.client.raw_bytes(named(asks, "Bert")))
    (accepts,) = eo.of("Party_Accept")
    assert bert.client.party_asker is not None
    await bert.does(bert.client.frame_of(addressed(accepts, bert.client.party_asker[1])))
    party = square["Dora"].mobile.party
    assert party is not None
    assert [fellow.name for fellow in party.fellows.values()] == ["Dora", "Emma", "Bert"]
    await dora.does(dora.client.raw_bytes(speaks))
    words = speaks[1:].decode("utf-16-le").partition("\0")[0]
    assert [packet.message for packet in bert.got if isinstance(packet, TalkOpenServerPacket)] == [words]
    assert any(words in line for line in square["Emma"].game.heard(emma))
    square.is_well()
