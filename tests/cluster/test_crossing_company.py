"""Over a border together, against one's will, or not at all: what is between two worlds, and in which one."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.kit.actors import ACTORS
from tests.kit.border import REALMS, Borderland
from tests.kit.border_walks import (
    BELOW,
    BESIDE,
    HERE,
    SURFACE,
    enters,
    said,
    settles,
    sheet,
    walks_over,
    walks_up,
)
from tests.kit.co_actor import CoActor
from tests.kit.games import GAMES
from world import dialogs, duels, guilds, hands, holding, party, trade
from world.companions import LootRule
from world.dialog import Button
from world.heading import NORTH
from world.reach import Cannot

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World


async def test_all_games_go_together_and_see_one_another(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        names = dict(zip(ACTORS, ("Anna", "Bert", "Cora", "Karl", "Dora", "Wanda"), strict=True))
        actors = [await enters(land, game, name.lower(), name, BESIDE) for game, name in names.items()]
        for _ in range(2):
            for actor in actors:
                await walks_over(land, actor)
            for actor in actors:
                await settles(land, actor)
                session = land.session(actor.name)
                assert {*names.values()} <= {actor.name, *(thing.name for thing in session.known.values())}
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", ACTORS)
async def test_what_is_said_on_the_way_is_heard_over_there_in_order(
    game: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        actor = await enters(land, game, "anna", "Anna")
        land.gate = trio.Event()
        lines = [f"word {number}" for number in range(4)]
        await walks_up(land, actor)
        await actor.step(NORTH)
        for line in lines[:2]:
            await actor.say(line)  # in the same turn as the step, or the next
        await trio.sleep(3)
        assert not any(town.here("Anna") for town in land.towns.values()), "it is on the way"
        for line in lines[2:]:
            await actor.say(line)
        await trio.sleep(1)
        land.gate.set()
        await trio.sleep(3)
        await settles(land, actor)
        assert BELOW in land.where("Anna").app.world.realms
        # While it loads it says nothing, as after any warp.
        loads = land.session("Anna").family.view.loads_on_warp
        await actor.say("here")
        assert await actor.echo()
        assert said(land, actor) == [*([] if loads else lines), "here"]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", ACTORS)
async def test_whom_nobody_takes_comes_back_and_reads_why(
    game: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        actor = await enters(land, game, "anna", "Anna")
        before = sheet(land.mobile("Anna"))
        land.refuses = "There is a flood down there."
        await walks_up(land, actor)
        await actor.step(NORTH)
        await trio.sleep(3)
        await settles(land, actor)
        assert SURFACE in land.where("Anna").app.world.realms
        assert sheet(land.mobile("Anna")) == before
        notices = actor.client.screen.notices if isinstance(actor, CoActor) else []
        assert land.refuses in [*GAMES[game].heard(actor.player), *notices]
        land.refuses = ""
        await land.puts("Anna", *HERE)
        await settles(land, actor)
        await walks_over(land, actor)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", ACTORS)
async def test_windows_that_stay_behind_close(game: str, autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        other = await enters(land, "web" if game == "uo" else "uo", "bert", "Bert", BESIDE)
        actor = await enters(land, game, "anna", "Anna")
        surface = land.towns[SURFACE].app
        anna, bert = land.mobile("Anna"), land.mobile("Bert")

        def bind(world: World) -> None:
            party._let_in(anna, bert, bert, LootRule.FINDER)
            pack = anna.backpack
            assert pack is not None
            gold = holding.make(world, "gold", amount=guilds.FEE)
            world.register(gold)
            holding.put(pack, gold)
            guilds.found(anna, "The Borderers", "BRD")
            trade.ask(anna, bert)
            if anna.trade is None:
                trade.accept(bert)
            dialogs.ask(
                anna,
                "riddle",
                title="A riddle",
                text="What is it?",
                buttons=(Button(1, "Yes"),),
                answered=lambda *_: None,
            )
            duels._begin(anna, bert)

        await surface.loop.in_world(None, bind)
        await settles(land, actor)
        assert anna.trade is not None
        assert anna.party is not None
        await surface.loop.in_world(None, lambda world: world.travel(anna, BELOW, 13, 50))
        await trio.sleep(3)
        await settles(land, actor)  # trade and party are among what it believes
        await settles(land, other)
        assert bert.trade is None
        there = land.mobile("Anna")
        assert there is not anna
        assert (there.party, there.guild, there.dialogs, there.duel) == (None, None, {}, None)
        await walks_over(land, actor)
        here = land.mobile("Anna")
        assert here.party is bert.party
        assert here.guild is not None
        assert here.guild.tag == "BRD"
        await settles(land, other)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", ACTORS)
async def test_who_hangs_up_on_the_way_is_over_there_and_leaves(
    game: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        actor = await enters(land, game, "anna", "Anna")
        land.gate = trio.Event()
        await walks_up(land, actor)
        await actor.step(NORTH)
        await trio.sleep(3)
        actor.leaves()
        await trio.sleep(15)
        land.gate.set()
        await trio.sleep(1)
        assert not land.towns[SURFACE].here("Anna")
        await trio.sleep(120)  # that somebody is gone who sent datagrams is known late
        assert not any(town.here("Anna") for town in land.towns.values())
        rows = land.towns[BELOW].database.character(land.carried[0].serial)
        assert rows is not None
        assert sorted(row.serial for row in rows[1]) == sorted(row.serial for row in land.carried[0].items)
        nursery.cancel_scope.cancel()


PEOPLE: Final = {"uo": "Anna", "eo": "Bert", "eq2": "Cora", "web": "Wanda"}
SPOTS: Final = {SURFACE: (24, 18), BELOW: (13, 50)}


def things_of(land: Borderland) -> Counter[tuple[str, int]]:
    """Amounts by kind and serial, in both worlds."""
    return Counter(
        {
            (item.template.key, item.serial): item.amount
            for town in land.towns.values()
            for item in town.app.world.items.values()
        }
    )


def meddles(mobile: Mobile, chance: random.Random) -> None:
    """Something is in its hand when it goes, or comes to lie about."""
    pack = mobile.backpack
    assert pack is not None
    things = list(pack.contents.values())
    if things and mobile.held is None and chance.random() < 0.7:
        thing = chance.choice(things)
        with suppress(Cannot):
            hands.lift(mobile, thing, thing.amount)


@pytest.mark.parametrize("seed", range(2))
async def test_nothing_is_lost_and_nothing_there_twice(
    seed: int, autojump_clock: trio.testing.MockClock
) -> None:
    chance = random.Random(seed)
    async with trio.open_nursery() as nursery:
        land = Borderland(nursery)
        await land.open()
        people = [await enters(land, game, name.lower(), name, BESIDE) for game, name in PEOPLE.items()]
        before = things_of(land)
        for _ in range(30):
            actor = chance.choice(people)
            app, mobile = land.where(actor.name).app, land.mobile(actor.name)
            to = next(realm for realm in REALMS if realm not in app.world.realms)
            land.refuses = chance.choice(("", "", "No."))

            def goes(world: World, mobile: Mobile = mobile, to: str = to) -> None:
                meddles(mobile, chance)
                world.travel(mobile, to, *SPOTS[to])

            await app.loop.in_world(None, goes)
            await trio.sleep(chance.choice((0.1, 1.0)))
            serials = [{*town.app.world.items} for town in land.towns.values()]
            assert serials[0].isdisjoint(serials[1])
            await trio.sleep(3)
            assert things_of(land) == before
        assert len(land.carried) > 5
        land.refuses = ""
        for actor in people:
            await settles(land, actor)
        nursery.cancel_scope.cancel()
