"""Parties of players of all six games: each asks each, and each answers in its own client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from tests.kit.co_player import CoPlayer
from tests.kit.games import GAMES, Person, session_of
from tests.kit.wishes import WISHES
from world import invites, party

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.game import Game
    from tests.kit.players import Player
    from tests.kit.town import Town
    from tests.kit.wish import Wishes
    from world.mobile import Mobile


@attrs.define(eq=False)
class Client:
    """One of the six."""

    game: Game
    player: Player
    wishes: Wishes
    mobile: Mobile
    read: int = 0

    async def types(self, line: str) -> None:
        """Give an order where one talks."""
        await self.player.sends(self.wishes.order(line))
        await trio.sleep(1)

    async def answers(self) -> None:
        """Say yes in the window, or however this client is asked."""
        question = invites.pending(self.mobile, party.KIND)
        assert question is not None, f"{self.game} is asked nothing"
        await self.player.sends(self.wishes.answer(question))
        await trio.sleep(0.5)

    def news(self) -> list[str]:
        """All lines that it read since this was asked last."""
        if isinstance(self.player, CoPlayer):
            lines = self.player.client.screen.notices
        else:
            lines = self.game.heard(self.player)
        new, self.read = lines[self.read :], len(lines)
        return new


@pytest.fixture
async def clients(town: Town) -> list[Client]:
    """One of each game, all in sight of one another."""
    found: list[Client] = []
    for number, game in enumerate(GAMES.values()):
        player, who = game.player(town), Person(number)
        await game.enters(player, who)
        session = session_of(town, who)
        assert session.mobile is not None
        found.append(Client(game, player, WISHES[game.name](player, session), session.mobile))
    await trio.sleep(3)  # EverQuest II's client loads
    return found


async def test_players_of_each_game_make_a_party_with_those_of_each_other(
    clients: list[Client], autojump_clock: MockClock
) -> None:
    for number, leader in enumerate(clients):
        others, led_by = clients[number + 1 :] + clients[:number], f"{leader.game} leads"
        for at, other in enumerate(others):
            await leader.types(f"party invite {other.mobile.name}")
            if at == party.MOST - 1:
                assert "The party is full." in leader.news(), led_by
                await others[0].types("party leave")
                await leader.types(f"party invite {other.mobile.name}")
            await other.answers()
            assert other.mobile.party is leader.mobile.party is not None, led_by
            assert f"You join the party of {leader.mobile.name}." in other.news(), led_by
            assert f"{other.mobile.name} joins the party." in leader.news(), led_by
        await leader.types("party disband")
        assert all("The party is no more." in client.news() for client in (leader, *others[1:])), led_by
    assert not any(client.game.faults(client.player) for client in clients)
