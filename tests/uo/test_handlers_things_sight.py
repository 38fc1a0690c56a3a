"""What a client is told of others' things, and what it may lift: what it can see, and what is in containers
that it has looked into."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from protocol.uo.packets.things import GroundItem, Removed
from tests.kit.town import Town
from tests.kit.uo_people import Person, act, check, far, inside, make, numbers, pair
from world import hands, holding

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from protocol.uo.session import UoSession
    from world.item import Item

DRAG, INTO_CONTAINER, CANNOT_LIFT = 0x23, 0x25, b"\x27\x00"


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    running.change("limits", exempt=("127.0.0.0/8",), packets_per_second=100_000.0, packet_burst=100_000)
    await running.open()
    return running


def opened(person: Person) -> set[int]:
    """The containers that the server believes this player's client to show."""
    viewport = person.mobile.viewport
    assert viewport is not None
    return cast("UoSession", person.town.app.loop.sessions[viewport.key]).opened


async def filled(person: Person, *keys: str) -> tuple[Item, list[Item]]:
    """A bag before somebody's feet, and what is in it."""
    world, mobile = person.town.app.world, person.mobile
    bag, things = make(world, "bag"), [make(world, key) for key in keys]
    for thing in things:
        holding.put(bag, thing)
    realm = mobile.realm
    assert realm is not None
    await act(person.town, lambda world: world.enter(bag, realm, mobile.x, mobile.y + 1))
    return bag, things


async def test_what_somebody_hidden_lifts_vanishes_and_flies_nowhere(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await pair(town)
    dagger = anna.has("dagger")
    await anna.lifts(dagger)
    await anna.lays(dagger, 1, 1)
    anna.mobile.hidden = True
    await act(town, lambda world: None)
    assert anna.mobile.serial not in bert.client.mobiles
    before = len(bert.player.got)
    await anna.lifts(dagger)
    assert bert.player.got[before:] == [Removed(dagger.serial).encode()]


async def test_a_bag_that_somebody_lifts_is_closed_for_all_who_looked_into_it(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await pair(town)
    chest, (bag,) = await filled(anna, "bag")
    await bert.does(bert.client.open_bytes(chest.serial))
    await bert.does(bert.client.open_bytes(bag.serial))
    assert opened(bert) == {chest.serial, bag.serial}
    await anna.lifts(chest)
    assert opened(bert) == set()
    await anna.lays(chest, 0, 1)
    before = len(bert.player.got)
    await act(town, lambda world: holding.put(chest, make(world, "candle")))
    await act(town, lambda world: holding.put(bag, make(world, "candle")))
    assert INTO_CONTAINER not in numbers(bert.player.got[before:])
    assert inside(bert.client, chest.serial) == {}
    check(anna, bert)


async def test_a_bag_taken_out_of_a_chest_is_closed_too(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    chest, (bag,) = await filled(anna, "bag")
    for person in (anna, bert):
        await person.does(person.client.open_bytes(chest.serial))
    await bert.does(bert.client.open_bytes(bag.serial))
    await anna.lifts(bag)
    assert opened(bert) == {chest.serial}
    await anna.lays(bag, 0, 1)
    before = len(bert.player.got)
    await act(town, lambda world: holding.put(bag, make(world, "candle")))
    assert INTO_CONTAINER not in numbers(bert.player.got[before:])
    check(anna, bert)


async def test_what_is_out_of_sight_is_closed(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    chest, _ = await filled(anna)
    await bert.does(bert.client.open_bytes(chest.serial))
    await bert.does(bert.client.open_bytes(bert.pack.serial))
    await act(town, lambda world: far(bert.mobile))
    assert opened(bert) == {bert.pack.serial}


@pytest.mark.parametrize("looked", [True, False], ids=["who looked", "who did not"])
async def test_a_bag_that_is_lifted_laid_and_filled_at_once(
    town: Town, autojump_clock: MockClock, looked: bool
) -> None:
    anna, bert = await pair(town)
    bag, (gold, _) = await filled(anna, "gold", "bread")
    if looked:
        await bert.does(bert.client.open_bytes(bag.serial))

    def exchange(_: object) -> None:
        # By way of the pack, where nobody sees what is taken out.
        hands.take(anna.mobile, bag)
        hands.take(anna.mobile, gold)
        hands.lift(anna.mobile, bag)
        hands.lay(anna.mobile, anna.mobile.x, anna.mobile.y)
        holding.put(bag, make(town.app.world, "dagger"))

    before = len(bert.player.got)
    await act(town, exchange)
    told = bert.player.got[before:]
    assert GroundItem.decode(next(frame for frame in told if frame[0] == 0xF3)).serial == bag.serial
    assert INTO_CONTAINER not in numbers(told)
    # Whoever looked into it is told that it is gone first, so that the window closes.
    assert [frame[0] for frame in told if frame[0] in (0x1D, 0xF3)] == ([0x1D] if looked else []) + [0xF3]
    assert inside(bert.client, bag.serial) == {}
    check(anna, bert)
    await bert.does(bert.client.open_bytes(bag.serial))
    assert inside(bert.client, bag.serial).keys() == bag.contents.keys()


async def test_who_has_not_looked_into_a_bag_hears_nothing_of_what_is_in_it(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await pair(town)
    bag, (gold,) = await filled(anna, "gold")
    await anna.does(anna.client.open_bytes(bag.serial))
    before = len(bert.player.got)
    await anna.lifts(gold)
    assert anna.mobile.held is gold
    assert bert.player.got[before:] == []
    check(anna, bert)


async def test_only_what_a_client_can_know_of_is_lifted(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    bag, (gold,) = await filled(anna, "gold")
    refused = await bert.lifts(gold)
    assert refused[0] == CANNOT_LIFT
    assert bert.mobile.hand is None
    # As what does not exist.
    assert (await bert.does(bert.client.lift_bytes(0x5ABCDEF0)))[0] == refused[0]
    await bert.does(bert.client.open_bytes(bag.serial))
    await bert.lifts(gold)
    assert bert.mobile.held is gold
    check(anna, bert)
