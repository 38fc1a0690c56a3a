"""What is so in Conquer Online alone, of both versions, and how those of other games see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit import co_screen
from tests.kit.co_player import CoPlayer
from tests.kit.players import UoPlayer
from tests.kit.square import CAST, gather
from world import life
from world.heading import EAST, NORTH, SOUTH, WEST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.co_seen import Seen
    from tests.kit.square import Square
    from tests.kit.town import Town

SIT, STAND = 250, 100
"""Emotions."""


def drawn(player: CoPlayer, name: str) -> Seen:
    """Somebody as a Conquer client draws them, itself too."""
    screen = player.client.screen
    found = [*screen.people.values(), *([screen.me] if screen.me else [])]
    return next(seen for seen in found if seen.name == name)


@pytest.fixture
async def square(town: Town) -> Square:
    """One of each version, and three who look on."""
    return await gather(town, "Anna", "Bert", "Cora", "Karl", "Lena")


async def test_who_enters_is_told_of_the_land(square: Square, autojump_clock: MockClock) -> None:
    for name in ("Karl", "Lena"):
        screen = square.player(name, CoPlayer).client.screen
        assert (screen.map, screen.document) == (1002, 1002)
        assert screen.tint
        assert any("Welcome to Causeway" in line for line in screen.notices)
        assert screen.npcs, "the residents"
        assert screen.kicked_back == 1, "put there once"
    assert square.player("Lena", CoPlayer).client.screen.date
    square.is_well()


async def test_a_long_run_shows_what_comes_and_drops_what_goes(
    square: Square, autojump_clock: MockClock
) -> None:
    """The client drops what it is told of before it is there."""
    karl = square.player("Karl", CoPlayer)
    for heading in (SOUTH, WEST, NORTH, EAST):
        for number in range(25):
            await karl.sends(karl.client.walk_bytes(heading, mark=number % 4), wait=0.26)
        square.is_well()


async def test_who_jumps_is_there_for_all(square: Square, autojump_clock: MockClock) -> None:
    for name in ("Karl", "Lena"):
        player, mobile = square.player(name, CoPlayer), square[name].mobile
        before = mobile.x, mobile.y
        for dx, dy in ((4, 2), (-3, -3), (0, 5), (-1, -4)):
            await player.jumps(dx, dy)
            before = before[0] + dx, before[1] + dy
            assert (mobile.x, mobile.y) == before
            square.all_see(name)
    square.is_well()


async def test_jumps_far_off_and_back_show_each_place_as_it_is(
    square: Square, autojump_clock: MockClock
) -> None:
    karl = square.player("Karl", CoPlayer)
    mobile = square["Karl"].mobile
    realm = mobile.realm
    assert realm is not None
    gone = 0
    for dx, dy in ((0, 14), (0, 14), (0, -14), (0, -14)):
        if realm.walkable(mobile.x + dx, mobile.y + dy):
            await karl.jumps(dx, dy)
            gone += 1
    assert gone
    await trio.sleep(1)
    square.all_see("Karl")
    square.is_well()


async def test_a_jump_from_elsewhere_or_too_far_is_taken_back(
    square: Square, autojump_clock: MockClock
) -> None:
    karl, mobile = square.player("Karl", CoPlayer), square["Karl"].mobile
    screen, place = karl.client.screen, (mobile.x, mobile.y)
    me = screen.me
    assert me is not None
    kicked = screen.kicked_back
    await karl.does(karl.client.jump_bytes(3, 0, claims=(me.x + 1, me.y)))
    await karl.does(karl.client.jump_bytes(19, 0))
    await karl.does(karl.client.jump_bytes(-200, 0))
    assert screen.kicked_back == kicked + 3
    assert (mobile.x, mobile.y) == place
    square.is_well()


async def test_each_channel_says_for_whom_it_is(square: Square, autojump_clock: MockClock) -> None:
    karl, lena = square.player("Karl", CoPlayer), square.player("Lena", CoPlayer)
    await karl.does(karl.client.say_bytes("HELP", co_screen.YELL))
    await karl.does(karl.client.say_bytes("my dear", co_screen.WHISPER, "Lena"))
    assert lena.client.screen.said[-2:] == [
        (co_screen.YELL, "Karl", "ALLUSERS", "HELP"),
        (co_screen.WHISPER, "Karl", "Lena", "my dear"),
    ]
    square.is_well()


async def test_who_sits_stands_up_to_walk(square: Square, autojump_clock: MockClock) -> None:
    karl, lena = square.player("Karl", CoPlayer), square.player("Lena", CoPlayer)
    await karl.does(karl.client.emotion_bytes(SIT))
    assert drawn(lena, "Karl").pose == drawn(karl, "Karl").pose == SIT
    await karl.walks(EAST)
    assert drawn(lena, "Karl").pose == drawn(karl, "Karl").pose == STAND
    square.all_see("Karl")
    square.is_well()


async def test_who_rises_has_the_state_of_the_living(square: Square, autojump_clock: MockClock) -> None:
    for name in square.guests:
        life.kill(square[name].mobile)
        await square.changed()
        life.resurrect(square[name].mobile)
        await square.changed()
        for player in (square.player("Karl", CoPlayer), square.player("Lena", CoPlayer)):
            assert not drawn(player, name).status & 0x420
    square.is_well()


async def test_a_ghost_walks_and_talks_to_a_healer(square: Square, autojump_clock: MockClock) -> None:
    town, karl, mobile = square.town, square.player("Karl", CoPlayer), square["Karl"].mobile
    healer = next(m for m in town.app.world.mobiles.values() if m.template.key == "healer")
    realm = mobile.realm
    assert realm is not None
    life.kill(mobile)
    town.app.world.warp(mobile, realm, *next(iter(realm.free_near(healer.x, healer.y, 3))))
    await square.changed(3)
    window = karl.client.screen.window
    assert window is not None
    assert "resurrect" in window.text
    assert next(iter(window.options.values())) == "CONTINUE"
    await karl.does(karl.client.answer_bytes(1))
    assert not mobile.dead
    square.is_well()


async def test_silver_goes_from_hand_to_hand(square: Square, autojump_clock: MockClock) -> None:
    anna = square.player("Anna", UoPlayer)
    karl, lena = square.player("Karl", CoPlayer), square.player("Lena", CoPlayer)
    screen = karl.client.screen
    had = screen.values[co_screen.SILVER]
    await karl.does(karl.client.drop_silver_bytes(30))
    assert screen.values[co_screen.SILVER] == had - 30
    (lying,) = [number for number, thing in screen.ground.items() if thing.kind // 10_000 == 109]
    assert anna.client.items[lying].amount == 30
    assert lying in lena.client.screen.ground
    await karl.does(karl.client.pick_bytes(lying))
    assert lying not in screen.ground
    assert lying not in anna.client.items
    assert lying not in lena.client.screen.ground
    assert screen.values[co_screen.SILVER] == had
    number = next(n for n, item in screen.owned.items() if not item.position)
    await karl.does(karl.client.drop_bytes(number))
    assert number not in screen.owned
    assert number in lena.client.screen.ground
    square.is_well()


async def test_what_is_worn_is_seen(square: Square, autojump_clock: MockClock) -> None:
    karl, lena = square.player("Karl", CoPlayer), square.player("Lena", CoPlayer)
    screen = karl.client.screen
    for position in sorted({item.position for item in screen.owned.values() if item.position}):
        number = next(n for n, item in screen.owned.items() if item.position == position)
        before = drawn(lena, "Karl").wears
        await karl.does(karl.client.item_bytes(number, 6, position))
        assert screen.owned[number].position == 0
        if position in (1, 3, 4, 5, 9):
            assert drawn(lena, "Karl").wears != before
        await karl.does(karl.client.item_bytes(number, 4, 0))
        assert screen.owned[number].position == position
        assert drawn(lena, "Karl").wears == before
    await lena.does(lena.client.action_bytes(117, data=drawn(lena, "Karl").id))
    assert lena.client.screen.inspected
    square.is_well()


async def test_who_is_played_in_another_game_looks_the_same(
    square: Square, autojump_clock: MockClock
) -> None:
    lena, karl = square.player("Lena", CoPlayer), square["Karl"]
    look = drawn(lena, "Karl").look
    for part in (CAST["Anna"], CAST["Karl"]):
        karl.sits_at(part)
        await karl.enters()
        assert drawn(lena, "Karl").look == look
    square.is_well()


async def test_the_shape_that_was_chosen_is_kept(town: Town, autojump_clock: MockClock) -> None:
    for number, (body, profession) in enumerate(((1004, 20), (2001, 40), (2002, 100))):
        name = f"Figure{'abc'[number]}"
        player = CoPlayer(town, version=(5017, 5065)[number % 2])
        assert await player.logs_in(name.lower()) == "NEW_ROLE"
        await player.does(player.client.register_bytes(name, body=body, profession=profession))
        assert player.client.screen.answers[-1] == "ANSWER_OK"
        await player.enters(name.lower())
        me = player.client.screen.me
        assert me is not None
        assert me.look % 10_000 == body
        assert me.name == name.capitalize()
        player.leaves()
