"""One guild of six games: founded by word in one, joined by the answers of all clients, heard in all of
them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.kit.audits import durable_faults, holder_faults, stored_faults
from tests.kit.town import Town
from tests.scenes.test_errands import beside, enters
from world import granting, guild_hall, guild_rolls, guilds
from world.audience import Relation, relation
from world.wording import GOLD

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.scenes.test_errands import Somebody


async def test_players_of_six_games_belong_to_one_guild(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery)
    await town.open()
    names = ("uo", "eo", "eq2", "co", "l2", "web")
    anna, *others = [await enters(town, name, 710 + at) for at, name in enumerate(names)]
    await trio.sleep(5)
    everybody = [anna, *others]

    def pay(_: object) -> None:
        anna.mobile.strength = 2_000
        granting.make(anna.mobile, GOLD, guilds.FEE + 50)

    await town.app.in_world(None, pay)
    await orders(anna, "guild found WV Weavers")
    guild = anna.mobile.guild
    assert guild is not None
    for other in others:
        await trio.sleep(10)  # one may ask five in half a minute
        await orders(anna, f"guild invite {other.mobile.name}")
        (asked,) = [one for one in other.mobile.dialogs.values() if one.name == guilds.GUILD]
        await other.player.sends(other.wishes.answer(asked), wait=1)
        assert other.mobile.guild is guild, other.game
        assert relation(anna.mobile, other.mobile) is Relation.GUILD
    for speaker in everybody:
        await trio.sleep(10)
        await orders(speaker, f"g hello from {speaker.mobile.name}")
        for one in everybody:
            if one is not speaker:
                assert any(f"hello from {speaker.mobile.name}" in line for line in one.lines), one.game
    await beside(town, anna.mobile, "banker")
    await orders(anna, "guild deposit 50")
    assert guild_rolls.gold(town.app.world, guild) == 50
    for one in everybody:
        await orders(one, "guild")
        by_dialog = any(dialog.title == "Weavers [WV]" for dialog in one.mobile.dialogs.values())
        assert by_dialog or guild_hall.WINDOW in one.mobile.windows, one.game
        assert not one.player.gone
        assert not one.game.faults(one.player)
    await town.app.durable()
    assert holder_faults(town.app.world) == []
    assert stored_faults(town.database, town.app.world) == []
    assert durable_faults(town.database, town.app.world) == []


async def orders(somebody: Somebody, line: str) -> None:
    """Give an order in the way of one's game."""
    await somebody.player.sends(somebody.wishes.order(line), wait=2)
