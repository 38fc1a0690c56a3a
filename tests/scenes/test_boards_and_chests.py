"""Boards, chests and their keys in all six games: one click each, and one rule for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import attrs
import pytest
import trio

from tests.kit.eo_picture import GOLD
from tests.kit.games import GAMES, Person, session_of
from tests.kit.in_memory import shipped_content
from tests.kit.town import Town
from tests.kit.wishes import WISHES
from world import boards, bulletins, chests, granting, hands
from world.content import Fixture

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.eo_client import EoClient
    from tests.kit.eo_wishes import EoWishes
    from tests.kit.game import Game
    from tests.kit.players import Player
    from tests.kit.uo_client import UoClient
    from tests.kit.wish import Wishes
    from world.content import Content
    from world.item import Item
    from world.mobile import Mobile
    from world.world import World

CHEST: Final = (58, 64)
BOARD: Final = (60, 64)
SECONDS_OF_ORDERS: Final = 5.0
"""In which a player may give three orders (`server.commands.pace`); with a fourth it reads that it has to
wait instead."""
SECONDS: Final = 30.0
"""Until the chest is filled again."""

CLICKS: Final = {"uo": "use", "eo": "lift", "eq2": "use", "co": "lift", "l2": "lift", "web": "use"}
"""What a click on something on the ground is in each game: with most that which picks up."""


@attrs.frozen
class Somebody:
    """A player of one game, in the world."""

    game: Game
    player: Player
    wishes: Wishes
    mobile: Mobile

    @property
    def lines(self) -> list[str]:
        return [*self.game.heard(self.player), *self.wishes.notices()]

    async def clicks(self, item: Item) -> list[str]:
        """A click on something that stands there; returns what its player reads upon it."""
        told = len(self.lines)
        await self.player.sends(getattr(self.wishes, CLICKS[self.game.name])(item), wait=1.5)
        return self.lines[told:]


def content() -> Content:
    """The realm with a board and a chest on the square."""
    found = shipped_content()
    chart, kind = found.charts["confluence"], found.items["iron_chest"]
    assert kind.chest is not None
    quick = attrs.evolve(kind, chest=attrs.evolve(kind.chest, seconds=SECONDS))
    there = (Fixture("iron_chest", *CHEST), Fixture("notice_board", *BOARD))
    return attrs.evolve(
        found,
        items={**found.items, "iron_chest": quick},
        charts={**found.charts, "confluence": attrs.evolve(chart, fixtures=there)},
    )


@pytest.fixture
async def square(nursery: trio.Nursery) -> Town:
    town = Town(nursery, content=content())
    await town.open()
    return town


async def enters(town: Town, name: str, number: int) -> Somebody:
    """Somebody comes in by a game, and goes to the chest."""
    game, who = GAMES[name], Person(number)
    player = game.player(town)
    await game.enters(player, who)
    mobile = town.mobile(who.character)
    realm = town.app.world.realms["confluence"]
    await town.app.loop.in_world(None, lambda world: world.warp(mobile, realm, CHEST[0] + 1, CHEST[1]))
    await trio.sleep(3)
    return Somebody(game, player, WISHES[name](player, session_of(town, who)), mobile)


def standing(town: Town, place: tuple[int, int]) -> Item:
    realm = town.app.world.realms["confluence"]
    return next(
        item for item in town.app.world.items.values() if item.realm is realm and (item.x, item.y) == place
    )


async def _takes(anna: Somebody, chest: Item) -> None:
    """All that is in it, by the window that the game has for it."""
    if chests.CHEST in anna.mobile.windows:
        assert anna.wishes.looked_into(chest, "")
        for item in list(chest.contents.values()):
            await anna.player.sends(anna.wishes.lift(item), wait=1.5)
        return
    (dialog,) = anna.mobile.dialogs.values()
    assert dialog.name == chests.CHEST_DIALOG
    assert "gold coins" in dialog.text
    await anna.player.sends(anna.wishes.answer(dialog), wait=1.5)


@pytest.mark.parametrize("name", GAMES)
async def test_a_chest_is_locked_opened_emptied_and_filled_again(
    square: Town, autojump_clock: MockClock, name: str
) -> None:
    anna, chest = await enters(square, name, 720), standing(square, CHEST)
    assert any("It is locked." in line for line in await anna.clicks(chest))
    assert chest.contents
    assert not anna.mobile.dialogs

    def give(world: World) -> None:
        granting.make(anna.mobile, "iron_key")

    await square.app.loop.in_world(None, give)
    await trio.sleep(1)
    before, inside = hands.carried(anna.mobile), dict(chest.contents)
    gold = sum(item.amount for item in inside.values() if item.template.key == "gold")
    assert not any("locked" in line for line in await anna.clicks(chest))
    await _takes(anna, chest)
    assert not chest.contents
    after = hands.carried(anna.mobile)
    assert (after["gold"] - before["gold"], after["iron_key"]) == (gold, 1)
    await trio.sleep(SECONDS + 10)
    assert {item.template.key for item in chest.contents.values()} >= {"gold", "healing_potion"}
    assert not inside.keys() & chest.contents.keys()


@pytest.mark.parametrize("name", GAMES)
async def test_a_note_is_pinned_read_and_taken_down(
    square: Town, autojump_clock: MockClock, name: str
) -> None:
    anna, board = await enters(square, name, 730), standing(square, BOARD)
    await anna.player.sends(anna.wishes.order("pin Wanted: ten hides"), wait=1.5)
    (note,) = boards.notes(board)
    assert note.note is not None
    assert (note.name, note.note.text, note.note.signed) == ("Wanted", "ten hides", anna.mobile.name)
    assert any('"Wanted" is pinned' in line for line in anna.lines), "told when it is on disk"
    told = len(anna.lines)
    await anna.player.sends(anna.wishes.order("pin no subject"), wait=1.5)
    assert any("needs a subject" in line for line in anna.lines[told:])
    assert boards.notes(board) == [note]
    await trio.sleep(SECONDS_OF_ORDERS)

    await anna.clicks(board)
    if boards.BOARD in anna.mobile.windows:
        assert not anna.mobile.dialogs
    else:
        (dialog,) = anna.mobile.dialogs.values()
        assert dialog.name == bulletins.BOARD_DIALOG
        assert f'"Wanted" by {anna.mobile.name}' in dialog.text
    told = len(anna.lines)
    await anna.player.sends(anna.wishes.order("board 1"), wait=1.5)
    assert any("ten hides" in line for line in anna.lines[told:])
    await anna.player.sends(anna.wishes.order("unpin 1"), wait=1.5)
    assert not boards.notes(board)
    told = len(anna.lines)
    await anna.player.sends(anna.wishes.order("unpin 1"), wait=1.5)
    assert any("There is no such note there." in line for line in anna.lines[told:])


async def test_two_at_one_chest_see_what_the_other_takes_and_puts(
    square: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await enters(square, "eo", 750), await enters(square, "uo", 751)
    chest = standing(square, CHEST)

    def give(world: World) -> None:
        for one in (anna, bert):
            granting.make(one.mobile, "iron_key")

    await square.app.loop.in_world(None, give)
    await trio.sleep(1)
    for one in (anna, bert):
        await one.clicks(chest)
        assert one.wishes.looked_into(chest, "")
    eo, uo = cast("EoClient", anna.wishes.client), cast("UoClient", bert.wishes.client)
    kinds = {item.template.key: item for item in chest.contents.values()}
    assert kinds["gold"].serial in uo.inside(chest.serial)
    gold = kinds["gold"].amount
    await anna.player.sends(eo.take_out(GOLD), wait=1)
    assert kinds["gold"].serial not in uo.inside(chest.serial)
    await bert.player.sends(bert.wishes.lift(kinds["healing_potion"]), wait=1)
    assert kinds["healing_potion"].template.key not in {item.template.key for item in chest.contents.values()}
    assert eo.chest.keys() == {
        cast("EoWishes", anna.wishes).kind_of(item) for item in chest.contents.values()
    }
    await anna.player.sends(eo.put_in(GOLD, gold), wait=1)
    (back,) = [item for item in chest.contents.values() if item.template.key == "gold"]
    assert (uo.inside(chest.serial)[back.serial][1], eo.chest[GOLD]) == (gold, gold)


async def test_two_of_different_games_want_the_same_thing(square: Town, autojump_clock: MockClock) -> None:
    anna, bert = await enters(square, "l2", 740), await enters(square, "co", 741)
    chest = standing(square, CHEST)

    def give(world: World) -> None:
        for one in (anna, bert):
            granting.make(one.mobile, "iron_key")

    await square.app.loop.in_world(None, give)
    await trio.sleep(1)
    before = {one.mobile: hands.carried(one.mobile)["gold"] for one in (anna, bert)}
    gold = sum(item.amount for item in chest.contents.values() if item.template.key == "gold")
    for one in (anna, bert):
        await one.clicks(chest)
    await anna.player.sends(anna.wishes.press("Take all of it."), wait=1.5)
    (dialog,) = bert.mobile.dialogs.values()
    await bert.player.sends(bert.wishes.answer(dialog), wait=1.5)
    got = [hands.carried(one.mobile)["gold"] - before[one.mobile] for one in (anna, bert)]
    assert got == [gold, 0]
    assert any("nothing left" in line for line in bert.lines)
