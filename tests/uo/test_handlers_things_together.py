"""Two who move things at the same time: nothing is in two places, and both believe what is so."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.uo.packets.things import Drop, Lift
from protocol.uo.scenery import FIRST_SERIAL
from tests.kit.town import Town
from tests.kit.uo_people import NEWEST, act, body, check, make, pair, total
from tests.kit.uo_seen import ANYWHERE, GROUND
from tests.kit.uo_stage import PLAIN, Scene
from world import containers, holding

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.uo.versions import VersionNumber
    from world.world import World

VERSIONS: list[VersionNumber] = [NEWEST, (7, 0, 0, 0), (6, 0, 14, 2), (6, 0, 1, 6), (5, 0, 9, 1)]


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    running.change("limits", exempt=("127.0.0.0/8",), packets_per_second=100_000.0, packet_burst=100_000)
    await running.open()
    return running


async def test_r62_of_two_who_grab_one_thing_exactly_one_gets_it(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await pair(town)
    dagger = anna.has("dagger")
    await anna.lifts(dagger)
    await anna.lays(dagger)
    chance, wins = random.Random(5), {"Anna": 0, "Bert": 0}
    for _ in range(100):
        first, second = chance.sample((anna, bert), 2)
        refusals = len(anna.client.refusals) + len(bert.client.refusals)
        await first.player.end.send_all(first.client.lift_bytes(dagger.serial))
        await trio.sleep(chance.choice((0.0, 0.0, 0.02)))
        await second.does(second.client.lift_bytes(dagger.serial))
        winner = anna if anna.mobile.held is dagger else bert
        loser = bert if winner is anna else anna
        assert winner.mobile.held is dagger
        assert loser.mobile.held is None
        assert len(anna.client.refusals) + len(bert.client.refusals) == refusals + 1
        assert loser.client.refusals[-1] in (0, 3)
        assert loser.client.in_hand is None
        check(anna, bert)
        wins[winner.name] += 1
        await winner.lays(dagger, chance.randrange(-1, 2), chance.randrange(-1, 2))
        assert dagger.realm is not None
        check(anna, bert)
    assert min(wins.values()) >= 5


@given(
    moves=st.lists(
        st.tuples(
            st.integers(0, 0xFFFF) | st.integers(0, 120),
            st.sampled_from(["slot", "anywhere", "ground", "stack", "self"]),
            st.integers(0, 20),
        ),
        max_size=25,
    )
)
@settings(max_examples=60, deadline=None)
def test_r63_no_coin_comes_or_goes(moves: list[tuple[int, str, int]]) -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    world, pack = scene.world, mobile.backpack
    assert pack is not None
    mobile.strength = 1000
    big = make(world, "gold", containers.MOST_IN_STACK - 50)
    holding.put(pack, big)
    coins = total(world, "gold")
    for amount, where, pick in moves:
        stacks = [item for item in world.items.values() if item.template.key == "gold"]
        item, other = stacks[pick % len(stacks)], stacks[(pick + 1) % len(stacks)]
        scene.send(session, Lift(item.serial, amount))
        assert (mobile.held is item) is (amount > 0)
        target, x, y = {
            "slot": (pack.serial, 50, 80),
            "anywhere": (pack.serial, ANYWHERE, ANYWHERE),
            "ground": (GROUND, PLAIN["x"] + mobile.x, PLAIN["y"] + mobile.y),
            "stack": (other.serial, ANYWHERE, ANYWHERE),
            "self": (item.serial, ANYWHERE, ANYWHERE),
        }[where]
        scene.send(session, Drop(item.serial, x, y, 0, 0, target))
        assert mobile.held is None
        assert total(world, "gold") == coins
        assert all(
            1 <= item.amount <= containers.MOST_IN_STACK
            for item in world.items.values()
            if item.template.key == "gold"
        )


@pytest.mark.parametrize("version", [NEWEST, (6, 0, 14, 2), (5, 0, 9, 1)], ids=str)
@pytest.mark.parametrize("seed", range(2))
async def test_whatever_two_people_do_both_believe_what_is_so(
    town: Town, autojump_clock: MockClock, version: VersionNumber, seed: int
) -> None:
    anna, bert = await pair(town, version)
    world, chance = town.app.world, random.Random(seed)
    chest = make(world, "bag")

    def place(world: World) -> None:
        assert anna.mobile.realm is not None
        world.enter(chest, anna.mobile.realm, anna.mobile.x, anna.mobile.y + 1)
        holding.put(anna.pack, make(world, "bag"))

    await act(town, place)
    kinds = ("gold", "bread", "dagger", "shirt", "bag", "candle")
    before = {kind: total(world, kind) for kind in kinds}
    for _ in range(80):
        person = chance.choice((anna, bert))
        client = person.client
        known = [*client.pack, *(serial for serial in client.items if serial < FIRST_SERIAL)]
        known += [
            serial for seen in (client.player, *client.mobiles.values()) for serial in body(seen).values()
        ]
        frames: list[bytes] = []
        for _ in range(chance.randrange(1, 3)):
            if client.in_hand is None:
                serial = chance.choice(known)
                if chance.random() < 0.1:
                    frames.append(client.open_bytes(serial))
                else:
                    frames.append(client.lift_bytes(serial, chance.choice((1, 1, 3, 60000))))
            elif chance.random() < 0.2:
                frames.append(client.equip_bytes(client.in_hand, 1, person.mobile.serial))
            elif chance.random() < 0.3:
                x, y = person.tile(chance.randrange(-3, 4), chance.randrange(-3, 4))
                frames.append(client.drop_bytes(client.in_hand, x, y))
            else:
                target = chance.choice((*known, anna.mobile.serial, bert.mobile.serial, chest.serial))
                x, y = chance.choice(((ANYWHERE, ANYWHERE), (70, 70)))
                frames.append(client.drop_bytes(client.in_hand, x, y, 0, target))
        await person.does(*frames)
        check(anna, bert)
        assert {kind: total(world, kind) for kind in kinds} == before
