"""What is so in the browser alone: it says who plays which game, who died, and who is in the menu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.kit.games import GAMES
from tests.kit.players import EoPlayer
from tests.kit.square import CAST, FIRST, gather
from tests.kit.web_player import WebPlayer
from world import holding, life
from world.heading import EAST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.square import Square
    from tests.kit.town import Town
    from tests.kit.web_fields import Shown

IN_BROWSERS: Final = ("Wanda", "Walt")

GOLD: Final = 1
"""Endless Online's."""
COINS: Final = "gold coin"
"""What it is called in a browser."""


@pytest.fixture
async def square(town: Town) -> Square:
    """One of each game, and another in a browser."""
    return await gather(town, *FIRST, "Walt")


def shown(square: Square, viewer: str, name: str) -> Shown:
    """How one in a browser is shown somebody."""
    return square.player(viewer, WebPlayer).screen.things[square[name].mobile.serial]


async def test_it_says_who_plays_which_game(square: Square, autojump_clock: MockClock) -> None:
    for viewer in IN_BROWSERS:
        for guest in square:
            seen = shown(square, viewer, guest.name)
            assert (seen.game, seen.resident) == (guest.game.name, False)
        things = square.player(viewer, WebPlayer).screen.things
        assert {thing.name for thing in things.values()} >= square.guests.keys(), "all who are there"
    for name, part in (("Walt", CAST["Anna"]), ("Karl", CAST["Walt"])):
        square[name].sits_at(part)
        await square[name].enters()
        assert shown(square, "Wanda", name).game == part.game
    things = square.player("Karl", WebPlayer).screen.things
    assert things.keys() >= {guest.mobile.serial for guest in square}
    await square["Karl"].walks(EAST)
    square.all_see("Karl")
    square.is_well()


async def test_its_laughter_is_seen_and_gestures_come_in_their_order(
    square: Square, autojump_clock: MockClock
) -> None:
    walt = square["Walt"]
    await walt.does(square.player("Walt", WebPlayer).client.gesture_bytes("laugh"))
    laughs = {"uo": "*laughs*", "eq2": "Walt laughs."}
    for guest in square.watchers(*IN_BROWSERS):
        (picture,) = guest.game.gestures_of(guest.player, walt.mobile)
        assert picture == laughs.get(guest.game.name, picture)
    for name in ("Cora", "Dora", "Karl"):
        await square[name].does(square[name].wishes.gesture())
    made = [("Walt", "laugh"), ("Cora", "bow"), ("Dora", "bow"), ("Karl", "bow")]
    for viewer in IN_BROWSERS:
        gestured = square.player(viewer, WebPlayer).screen.gestured
        assert gestured == [(square[name].mobile.serial, gesture) for name, gesture in made]
    square.is_well()


async def test_it_says_once_who_died_and_who_rose(square: Square, autojump_clock: MockClock) -> None:
    serials = sorted(guest.mobile.serial for guest in square)
    for guest in square:
        life.kill(guest.mobile)
    await square.changed()
    for viewer in IN_BROWSERS:
        assert sorted(square.player(viewer, WebPlayer).screen.died) == serials
        assert {shown(square, viewer, guest.name).hits for guest in square} == {0}
    for guest in square:
        life.resurrect(guest.mobile)
    await square.changed()
    for viewer in IN_BROWSERS:
        assert sorted(square.player(viewer, WebPlayer).screen.risen) == serials
        assert all(shown(square, viewer, guest.name).hits > 0 for guest in square)
    square.is_well()


async def test_money_goes_from_hand_to_hand_over_the_ground(
    square: Square, autojump_clock: MockClock
) -> None:
    wanda, walt = square.player("Wanda", WebPlayer), square.player("Walt", WebPlayer)
    bert = square.player("Bert", EoPlayer)
    near = square["Bert"].mobile
    beside = (spot for spot in square.realm.free_near(near.x, near.y, 2) if spot != (near.x, near.y))
    for name, spot in zip(IN_BROWSERS, list(beside), strict=False):
        await square.warps(name, *spot)
    gold = {guest.name: holding.gold(guest.mobile) for guest in square}
    await walt.does(walt.client.drop_bytes(walt.client.owned(COINS), 30))
    (lying,) = wanda.screen.others("item").values()
    assert (lying.amount, lying.x, lying.y) == (30, *square["Walt"].place)
    assert [item.amount for item in bert.client.items.values()] == [30]
    assert holding.gold(square["Walt"].mobile) == gold["Walt"] - 30
    square.is_well()
    await bert.does(bert.client.pick_up(next(iter(bert.client.items))))
    assert holding.gold(near) == gold["Bert"] + 30
    assert wanda.screen.others("item") == walt.screen.others("item") == {}
    square.is_well()
    await bert.does(bert.client.drop(GOLD, 12))
    ((number, _),) = wanda.screen.others("item").items()
    await wanda.does(wanda.client.take_bytes(number))
    assert holding.gold(square["Wanda"].mobile) == gold["Wanda"] + 12 == wanda.screen.sheet["gold"]
    assert not bert.client.items
    assert not walt.screen.others("item")
    square.is_well()


async def test_who_leaves_is_in_the_menu_until_another_login(
    square: Square, autojump_clock: MockClock
) -> None:
    walt, his = square.player("Walt", WebPlayer), square["Walt"].mobile
    await walt.does(walt.client.leave_bytes())
    await trio.sleep(square.town.settings.limits.linger_seconds + 1)
    assert not square.town.here("Walt")
    assert walt.screen.characters == {his.serial: "Walt"}
    square.nobody_sees("Walt", his)
    square["Walt"].sits_at(CAST["Anna"])
    await square["Walt"].enters()
    assert walt.gone, "the newest login wins"
    assert square["Walt"].mobile.serial == his.serial
    assert GAMES["web"].sees(square["Wanda"].player, his) is not None
    square.all_see("Walt")
    square.is_well()
