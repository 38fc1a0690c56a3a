"""What is so in EverQuest II alone, and how those of other games see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from eolib import Emote

from tests.kit.eq2_client import EMOTE
from tests.kit.eq2_player import Eq2Player
from tests.kit.players import UoPlayer
from tests.kit.square import CAST, gather
from world.heading import EAST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.square import Square
    from tests.kit.town import Town


@pytest.fixture
async def square(town: Town) -> Square:
    """Two of this game, and two who look on."""
    return await gather(town, "Anna", "Bert", "Cora", "Curt")


async def test_who_walks_smoothly_is_seen_to_walk_and_to_stop(
    square: Square, autojump_clock: MockClock
) -> None:
    """Half a tile at a time, as an original client does it, and another of its kind looks on."""
    cora, curt = square.player("Cora", Eq2Player), square.player("Curt", Eq2Player)
    hers = square["Cora"].mobile
    start = hers.x, hers.y
    for _ in range(4):
        await cora.does(cora.client.walk_bytes(EAST, tiles=0.5), wait=0.2)
    await trio.sleep(1)
    assert (hers.x, hers.y) == (start[0] + 2, start[1])
    square.all_see("Cora")
    ghost = curt.client.by_name("Cora")
    assert ghost is not None
    assert ghost.place[0] == pytest.approx(cora.client.motion.x, abs=1.0)
    assert ghost.position.speed > 0
    await cora.does(cora.client.turn_bytes(EAST), wait=1.0)
    assert ghost.position.speed == 0
    assert curt.client.faults == []
    square.is_well()


async def test_gestures_of_many_words(square: Square, autojump_clock: MockClock) -> None:
    anna, bert = square.player("Anna", UoPlayer), square["Bert"]
    cora, hers = square.player("Cora", Eq2Player), square["Cora"].mobile
    await cora.does(cora.client.command_bytes("sad"))
    assert bert.game.gestures_of(bert.player, hers) == [Emote.Sad]
    assert any("sad" in line for line in anna.client.said())
    await cora.does(cora.client.command_bytes("emote", "scratches her head"))
    assert any("scratches her head" in line for line in anna.client.said())
    await anna.does(anna.client.say_bytes("*yawns*", kind=2))
    assert any("yawns" in text for _, text in cora.client.heard(EMOTE))
    square.is_well()


async def test_who_camps_is_gone_for_all(square: Square, autojump_clock: MockClock) -> None:
    cora, hers = square.player("Cora", Eq2Player), square["Cora"].mobile
    await cora.does(cora.client.camp_bytes())
    assert cora.client.leaving
    assert square.town.here("Cora"), "camping takes its time"
    await trio.sleep(cora.client.leaving + 2)
    assert cora.gone
    assert not square.town.here("Cora")
    square.nobody_sees("Cora", hers)
    assert cora.client.faults == []


async def test_who_moves_does_not_camp(square: Square, autojump_clock: MockClock) -> None:
    cora = square.player("Cora", Eq2Player)
    await cora.does(cora.client.camp_bytes())
    await cora.walks(EAST)
    assert cora.client.leaving is None
    await trio.sleep(30)
    assert square.town.here("Cora")
    square.is_well()


async def test_who_was_played_in_another_game_is_in_the_menu(
    square: Square, autojump_clock: MockClock
) -> None:
    guest, serial = square["Cora"], square["Cora"].mobile.serial
    for part in (CAST["Anna"], CAST["Cora"]):
        await guest.leaves()
        guest.sits_at(part)
        await guest.enters()
    client = square.player("Cora", Eq2Player).client
    assert [entry.name for entry in client.characters] == ["Cora"]
    assert client.control == serial
    square.is_well()
