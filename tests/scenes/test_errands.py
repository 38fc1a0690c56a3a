"""Errands in all six games: the one that every newcomer is offered, and the letter that takes two games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from tests.kit.games import GAMES, Person, session_of
from tests.kit.in_memory import shipped_content
from tests.kit.town import Town
from tests.kit.wishes import WISHES
from world import hands, journals, letters, quests
from world.errands import Change, State
from world.events import Asked, JournalOpened, QuestChanged, Said

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.game import Game
    from tests.kit.players import Player
    from tests.kit.wish import Wishes
    from world.events import Event
    from world.mobile import Mobile
    from world.world import World

BREAD = "bread_for_edwin"
LETTER = "letter_from_elsewhere"


@attrs.frozen
class Somebody:
    """A player of one game, in the world."""

    game: Game
    player: Player
    wishes: Wishes
    mobile: Mobile

    @property
    def lines(self) -> list[str]:
        """All that it was told."""
        return [*self.game.heard(self.player), *self.wishes.notices()]


async def enters(town: Town, name: str, number: int) -> Somebody:
    """Somebody new to the world comes in by a game."""
    game, who = GAMES[name], Person(number)
    player = game.player(town)
    await game.enters(player, who)
    wishes = WISHES[name](player, session_of(town, who))
    return Somebody(game, player, wishes, town.mobile(who.character))


async def beside(town: Town, mobile: Mobile, template: str) -> Mobile:
    """Put somebody beside a resident, who is returned."""

    def put(world: World) -> Mobile:
        found = next(one for one in world.mobiles.values() if one.template.key == template)
        assert found.realm is not None
        place = next(
            tile for tile in found.realm.free_near(found.x, found.y, 2) if tile != (found.x, found.y)
        )
        world.warp(mobile, found.realm, *place)
        return found

    resident = await town.app.loop.in_world(None, put)
    await trio.sleep(2)
    return resident


@pytest.mark.parametrize("name", GAMES)
async def test_the_first_errand_is_offered_done_and_paid(
    nursery: trio.Nursery, autojump_clock: MockClock, happened: list[Event], name: str
) -> None:
    town = Town(nursery, content=attrs.evolve(shipped_content(), welcome=BREAD))
    await town.open()
    anna = await enters(town, name, 700)
    await trio.sleep(3)
    (offer,) = anna.mobile.dialogs.values()
    assert offer.name == quests.OFFER
    assert any(isinstance(event, Asked) and event.dialog is offer for event in happened)
    await anna.player.sends(anna.wishes.answer(offer), wait=1)
    assert journals.state(anna.mobile, BREAD) is State.OPEN
    assert any("Bread for Edwin" in line for line in anna.lines)

    # Nobody is paid with what everybody has from the start: Greta sells the rest.
    edwin = await beside(town, anna.mobile, "farmer")
    await anna.player.sends(anna.wishes.talk_to(edwin), wait=2)
    assert journals.state(anna.mobile, BREAD) is State.OPEN
    start = hands.carried(anna.mobile)
    await beside(town, anna.mobile, "greta")
    await anna.player.sends(anna.wishes.order("buy bread 2"), wait=2)
    before = hands.carried(anna.mobile)
    assert (before["bread"], start["gold"] - before["gold"]) == (5, 8)
    edwin = await beside(town, anna.mobile, "farmer")
    await anna.player.sends(anna.wishes.talk_to(edwin), wait=2)
    assert journals.state(anna.mobile, BREAD) is State.DONE
    after = hands.carried(anna.mobile)
    assert (after["gold"] - before["gold"], before["bread"] - after.get("bread", 0)) == (25, 5)
    assert any(isinstance(event, QuestChanged) and event.what is Change.FINISHED for event in happened)
    assert any("Bread for Edwin: done. You receive 25 gold coins." in line for line in anna.lines)
    assert any(isinstance(event, Said) and "gold is there to be spent" in event.text for event in happened)

    await anna.player.sends(anna.wishes.order("quests"), wait=1)
    if "journal" in anna.mobile.windows:
        opened = [event for event in happened if isinstance(event, JournalOpened)]
        assert [(entry.quest.key, entry.state) for entry in opened[-1].entries] == [(BREAD, State.DONE)]
    else:
        (journal,) = anna.mobile.dialogs.values()
        assert journal.text == "Done: Bread for Edwin."


@pytest.mark.parametrize(("holder", "reader"), [("uo", "eo"), ("web", "l2")])
async def test_the_letter_is_read_by_somebody_of_another_world(
    town: Town, autojump_clock: MockClock, holder: str, reader: str
) -> None:
    anna, bert = await enters(town, holder, 710), await enters(town, reader, 711)
    await beside(town, bert.mobile, "villager")
    elfrida = await beside(town, anna.mobile, "villager")
    await town.app.loop.in_world(None, lambda world: quests.begin(anna.mobile, LETTER, elfrida))
    await trio.sleep(1)
    (letter,) = hands.carried_items(anna.mobile, "letter")
    told = len(anna.lines)
    await anna.player.sends(anna.wishes.use(letter), wait=1)
    assert any("You cannot read a word of it" in line for line in anna.lines[told:])
    await town.app.loop.in_world(None, lambda world: hands.give(anna.mobile, letter, 1, bert.mobile))
    await trio.sleep(1)
    await bert.player.sends(bert.wishes.use(letter), wait=1)
    progress = journals.progress_of(anna.mobile, LETTER)
    assert progress is not None
    step = journals.quest(town.app.world, LETTER).steps[0]
    (word,) = letters.words_of(progress, step)
    assert any(f"Tell them: {word}." in line for line in bert.lines)
    assert not any(f"Tell them: {word}." in line for line in anna.lines)

    await anna.player.sends(anna.wishes.say(f"it says {word}"), wait=2)
    assert journals.state(anna.mobile, LETTER) is State.DONE
    assert hands.carried(anna.mobile)["ruby"] == 1
