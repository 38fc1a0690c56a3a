"""One question with pages, wares, several choices, a number and a line, filled in through every game's own
client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.kit.games import GAMES, Person, session_of
from tests.kit.wishes import WISHES
from world import dialogs
from world.dialogs import Button, Choice, Line, Number, Option, Reply

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

WHO: Final = Person(4100)
PAGES: Final = ("Welcome to the shop.", "We have all one needs.", "Look around.")
STEPS: Final = (
    "Go on.",
    "Go on.",
    "A dagger (12 gold coins)",
    "[ ] Oil",
    "[ ] Sheath",
    "[x] Oil",
    "That is all.",
)
WANTED: Final = Reply(1, {"ware": (2,), "sides": (2,), "many": 7, "name": "Berta"})


def open_shop(town: Town, replies: list[Reply]) -> dialogs.Dialog:
    items = town.app.world.content.items
    return dialogs.ask(
        town.mobile(WHO.character),
        "ShopDialog",
        title="Shop",
        text=PAGES[0],
        more=PAGES[1:],
        buttons=(Button(1, "Buy."), Button(0, "Leave.")),
        inputs=(
            Choice(
                "ware",
                "What would you like?",
                (Option(1, "Bread", items["bread"], 3), Option(2, "A dagger", items["dagger"], 12)),
            ),
            Choice("sides", "And with it?", (Option(1, "Oil"), Option(2, "Sheath")), several=True),
            Number("many", "How many?", 1, 20, 1),
            Line("name", "For whom?", longest=20),
        ),
        answered=lambda _, reply: replies.append(reply),
    )


@pytest.mark.parametrize("game", GAMES)
async def test_a_form_is_filled_in(game: str, town: Town, autojump_clock: MockClock) -> None:
    player = GAMES[game].player(town)
    await GAMES[game].enters(player, WHO)
    wishes = WISHES[game](player, session_of(town, WHO))
    replies: list[Reply] = []
    await town.app.in_world(None, lambda _: open_shop(town, replies))
    await trio.sleep(1)
    marks = ("A dagger (12 gold coins)", "A dagger", "Sheath")
    form = wishes.fill_in(marks, ("no number", "Berta"), "Buy.")
    if form:
        await player.sends(form)
        assert not replies
        assert "A number from 1 to 20, please." in GAMES[game].heard(player) + wishes.notices()
        await player.sends(wishes.fill_in((), ("7", "Berta"), "Leave."))
        assert replies.pop() == Reply(0)
        await town.app.in_world(None, lambda _: open_shop(town, replies))
        await trio.sleep(1)
        await player.sends(wishes.fill_in(marks, ("7", "Berta"), "Buy."))
    else:
        for label in STEPS:
            await player.sends(wishes.press(label))
            await trio.sleep(1)
        for text in ("no number", "7", "Berta"):
            await player.sends(wishes.type_in(text))
            await trio.sleep(1)
        assert "A number from 1 to 20, please." in GAMES[game].heard(player) + wishes.notices()
        assert not replies
        await player.sends(wishes.press("Buy."))
        await trio.sleep(1)
    assert replies == [WANTED]
    assert not town.mobile(WHO.character).dialogs
    assert not player.gone
    assert not GAMES[game].faults(player)
