"""Trades between players of all six games in words that every client has; through their windows each game
trades with each in `test_pairs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio

from protocol.rendering import Shown
from server.settings.config import parse
from tests.kit.co_player import CoPlayer
from tests.kit.games import GAMES, Person, session_of
from tests.kit.town import CONFIG, Town
from tests.kit.wishes import WISHES
from world import granting, hands, trade
from world.events import TradeChanged

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.game import Game
    from tests.kit.players import Player
    from tests.kit.wish import Wishes
    from world.mobile import Mobile


IN_WORDS: Final = Shown("a line of words")


@attrs.define(eq=False)
class Trader:
    """A player of one of the games."""

    game: Game
    player: Player
    wishes: Wishes
    mobile: Mobile
    read: int = 0

    async def types(self, line: str) -> None:
        """Give an order where one talks."""
        await self.player.sends(self.wishes.order(line))
        await trio.sleep(0.5)

    async def answers(self) -> None:
        """Say yes in the window, or however this client is asked; some open their windows unasked."""
        if self.mobile.trade is not None:
            return
        question = trade.question(self.mobile)
        assert question is not None, f"{self.game} is asked nothing"
        await self.player.sends(self.wishes.answer(question))
        await trio.sleep(0.5)

    def news(self) -> str:
        """All that it read since this was asked last."""
        if isinstance(self.player, CoPlayer):
            lines = self.player.client.screen.notices
        else:
            lines = self.game.heard(self.player)
        new, self.read = lines[self.read :], len(lines)
        return "\n".join(new)

    @property
    def has_window(self) -> bool:
        """Whether its client shows in a window what others read."""
        return self.wishes.session.family.view.declared.events[TradeChanged] != IN_WORDS

    def has(self, kind: str) -> int:
        """How many of a kind are in its pack."""
        return hands.carried(self.mobile).get(kind, 0)


@pytest.fixture
async def traders(nursery: trio.Nursery, autojump_clock: MockClock) -> list[Trader]:
    """Two of each game, all in sight of one another: those who ask, then those who are asked."""
    limits = "[limits]\nconnections_per_address = 40\nidle_seconds = 600"
    settings = parse(CONFIG.replace("[limits]", limits))
    town = Town(nursery, settings)
    await town.open()
    found: list[Trader] = []
    for number, game in enumerate([*GAMES.values(), *GAMES.values()]):
        player, who = game.player(town), Person(number)
        await game.enters(player, who)
        session = session_of(town, who)
        assert session.mobile is not None
        granting.make(session.mobile, "bread", 10)
        found.append(Trader(game, player, WISHES[game.name](player, session), session.mobile))
    await trio.sleep(3)  # EverQuest II's client loads
    return found


async def test_players_of_each_game_trade_by_words(traders: list[Trader], autojump_clock: MockClock) -> None:
    half = len(GAMES)
    for shift in (0, 1):
        for number, asker in enumerate(traders[:half]):
            asked = traders[half + (number + shift) % half]
            await bargain(asker, asked)
    assert not any(one.game.faults(one.player) for one in traders)


async def bargain(asker: Trader, asked: Trader) -> None:
    """Two gold coins for a loaf of bread."""
    pair = f"{asker.game.name} with {asked.game.name}"
    before = [(one.has("gold"), one.has("bread")) for one in (asker, asked)]
    await asker.types(f"trade {asked.mobile.name}")
    await asked.answers()
    assert asker.mobile.trade is asked.mobile.trade is not None, pair
    await asker.types("offer 2")
    await asked.types("offer bread")
    await asker.types("agree")
    await asked.types("agree")
    await trio.sleep(1)
    (gold, bread), (their_gold, their_bread) = before
    assert (asker.has("gold"), asker.has("bread")) == (gold - 2, bread + 1), pair
    assert (asked.has("gold"), asked.has("bread")) == (their_gold + 2, their_bread - 1), pair
    name, their_name = asker.mobile.name, asked.mobile.name
    read, they_read = asker.news(), asked.news()
    shown = f"You trade with {their_name}", f"{their_name} offers", "You agree"
    they_are_shown = f"You trade with {name}", "2 gold", f"{name} agrees."
    for words in (*(() if asker.has_window else shown), f"You give {their_name} 2 gold"):
        assert words in read, f"{pair}: {words}"
    for words in (*(() if asked.has_window else they_are_shown), f"You give {name} "):
        assert words in they_read, f"{pair}: {words}"
