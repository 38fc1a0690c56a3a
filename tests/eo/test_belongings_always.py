"""Whatever a client asks for, and whatever others do to what it owns: it believes what is so, and nothing is
made or lost."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.eo_belongings import (
    BAG,
    BLOUSE,
    BREAD,
    DAGGER,
    GOLD,
    HAT,
    RING,
    ROBE,
    SHIRT,
    SHOES,
    give,
    owns,
    pair,
)
from world import hands, holding
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kit.eo_desk import Desk, Player
    from world.item import Item as Thing
    from world.mobile import Mobile


ACTS = st.one_of(
    st.tuples(
        st.just("drop"),
        st.sampled_from([GOLD, BREAD, DAGGER, SHIRT, BLOUSE, ROBE, BAG]),
        st.sampled_from([0, 1, 2, 3, 30, 99, 60_001]),
        st.sampled_from([(255, 255), (20, 20), (21, 21), (22, 20), (30, 30)]),
    ),
    st.tuples(st.just("get"), st.integers(0, 5)),
    st.tuples(st.just("junk"), st.sampled_from([GOLD, BREAD, DAGGER, BAG]), st.sampled_from([0, 1, 2, 50])),
    st.tuples(
        st.just("on"),
        st.sampled_from([SHIRT, BLOUSE, ROBE, SHOES, DAGGER, HAT, RING, BREAD]),
        st.integers(0, 2),
    ),
    st.tuples(
        st.just("off"), st.sampled_from([SHIRT, BLOUSE, ROBE, SHOES, DAGGER, HAT, RING]), st.integers(0, 1)
    ),
    st.tuples(
        st.just("staff"),
        st.sampled_from(["gold", "bread", "dagger", "robe", "shirt", "hat", "ring", "backpack"]),
        st.integers(1, 60),
    ),
    st.tuples(st.just("bag"), st.integers(0, 9)),
    st.tuples(st.just("lift"), st.integers(0, 9), st.integers(1, 5)),
    st.tuples(st.just("lay"), st.sampled_from([(20, 20), (21, 21), (22, 20)])),
    st.tuples(
        st.just("give"),
    ),
    st.tuples(st.just("stack"), st.integers(0, 9)),
    st.tuples(
        st.just("wear"),
    ),
    st.tuples(
        st.just("bounce"),
    ),
    st.tuples(st.just("delete"), st.integers(0, 9)),
    st.tuples(
        st.just("turn"),
    ),
)
"""What the first player asks for by its client, and what others do with the world's hands."""


@given(st.lists(st.tuples(st.integers(0, 1), ACTS), max_size=25))
@settings(max_examples=120, deadline=None)
def test_r63_clients_always_believe_what_they_own(story: list[tuple[int, tuple[object, ...]]]) -> None:
    trio.run(_play, story)


async def _play(story: list[tuple[int, tuple[object, ...]]]) -> None:
    desk, alric, berta = await pair()
    for player in (alric, berta):
        for key in ("robe", "hat", "dagger", "dagger", "ring", "backpack"):
            give(player.mobile, key)
        give(player.mobile, "bread", 6)
    other = Other(desk, alric.mobile)
    await desk.settle()
    for who, (verb, *values) in story:
        player = (alric, berta)[who]
        before = _total(desk)
        try:
            made = await _act(desk, player, other, verb, values)
        except Cannot:
            made = Counter()
        if made is not None:
            assert _total(desk) == before + made
        if verb == "turn":
            await desk.settle()
            owns(alric)
            owns(berta)
    await desk.settle()
    owns(alric)
    owns(berta)


class Other:
    """Somebody in another game, who has a hand."""

    def __init__(self, desk: Desk, friend: Mobile) -> None:
        self.friend = friend
        self.mobile = desk.resident("stranger", 21, 21)
        pack = holding.make(desk.world, "backpack", stored=False)
        holding.wear(self.mobile, pack)
        desk.world.register(pack)


def _within(item: Thing) -> Iterator[Thing]:
    yield item
    for inner in item.contents.values():
        yield from _within(inner)


def _total(desk: Desk) -> Counter[str]:
    """Amounts by kind of all that is anywhere."""
    total: Counter[str] = Counter()
    roots = [thing for thing in desk.world.items.values() if thing.realm is not None]
    for mobile in desk.world.mobiles.values():
        roots += mobile.worn.values()
        roots += [mobile.held] if mobile.held is not None else []
    for root in roots:
        for item in _within(root):
            total[item.template.key] += item.amount
    return total


async def _act(
    desk: Desk, player: Player, other: Other, verb: object, values: list[object]
) -> Counter[str] | None:
    """Do it; what it made, None if it may have destroyed something."""
    client, mobile, world = player.client, player.mobile, desk.world
    match (verb, *values):
        case ("drop", int(item_id), int(amount), (int(x), int(y))):
            await player.sends(client.drop(item_id, amount, x, y))
        case ("get", int(index)) if client.items:
            await player.sends(client.pick_up(sorted(client.items)[index % len(client.items)]))
        case ("junk", int(item_id), int(amount)):
            await player.sends(client.junk(item_id, amount))
            return None
        case ("on", int(item_id), int(sub_loc)):
            await player.sends(client.put_on(item_id, sub_loc))
        case ("off", int(item_id), int(sub_loc)):
            await player.sends(client.take_off(item_id, sub_loc))
        case ("staff", str(key), int(amount)):
            amount = amount if world.content.items[key].stackable else 1
            give(mobile, key, amount)
            return Counter({key: amount})
        case ("bag", int(index)):
            carried = list(hands.carried_items(mobile))
            bags = [item for item in carried if item.template.container]
            if carried and bags:
                hands.lift(mobile, carried[index % len(carried)])
                try:
                    hands.stow(mobile, bags[index % len(bags)])
                finally:
                    hands.bounce(mobile)
        case ("lift", int(index), int(amount)):
            things = [item for item in world.items.values() if item.realm is not None]
            pack = other.mobile.backpack
            assert pack is not None
            things += pack.contents.values()
            if things:
                item = things[index % len(things)]
                hands.lift(other.mobile, item, min(amount, item.amount))
        case ("lay", (int(x), int(y))):
            hands.lay(other.mobile, x, y)
        case ("give",):
            hands.hand_over(other.mobile, mobile)
        case ("stack", int(index)):
            things = [item for item in world.items.values() if item.realm is not None]
            if things:
                hands.stack(other.mobile, things[index % len(things)])
        case ("wear",):
            hands.wear(other.mobile)
        case ("bounce",):
            hands.bounce(other.mobile)
        case ("delete", int(index)):
            owned = [*hands.carried_items(mobile), *mobile.worn.values()]
            owned = [item for item in owned if item is not mobile.backpack]
            if owned:
                world.delete(owned[index % len(owned)])
            return None
    return Counter()
