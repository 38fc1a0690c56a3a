"""Conquer Online's numbers for things: the client tells by the range what one stands for."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from protocol.co import figures as module
from protocol.co.figures import CREATURES, FIRST_PLAYER, NPCS, Ids, IdsExhausted, player_number
from tests.kit.worlds import person, plain_world
from world import holding
from world.mobile import Mobile

if TYPE_CHECKING:
    from world.world import World


@pytest.fixture
def world() -> World:
    return plain_world()


def resident(world: World, key: str = "crier") -> Mobile:
    return Mobile(world.serials.mobile(), world, key, template=world.content.mobiles[key])


def ids_of(*creatures: str) -> Ids:
    return Ids(lambda mobile: mobile.template.key in creatures)


def test_the_ranges_are_those_of_the_client() -> None:
    assert (NPCS.start, NPCS.stop) == (1, 100_000)
    assert (CREATURES.start, CREATURES.stop) == (400_001, 500_000)
    assert FIRST_PLAYER == 1_000_000


def test_who_is_in_which_range(world: World) -> None:
    ids, alric = ids_of("healer"), person(world)
    assert ids.of(alric) == player_number(alric.serial) == FIRST_PLAYER + alric.serial
    assert ids.of(resident(world)) == NPCS.start
    assert ids.of(resident(world, "healer")) == CREATURES.start


def test_a_number_stays_and_leads_back(world: World) -> None:
    ids = ids_of()
    crier, other, alric = resident(world), resident(world), person(world)
    numbers = [ids.of(mobile) for mobile in (crier, other, alric)]
    assert numbers == [ids.of(mobile) for mobile in (crier, other, alric)]
    assert len({*numbers}) == 3
    assert [ids.mobile(number) for number in numbers] == [crier, other, alric]
    for number in (0, -1, 99_999, 400_001, 0xFFFF_FFFF, alric.serial):
        if number not in numbers:
            assert ids.mobile(number) is None


def test_things_have_their_serials(world: World) -> None:
    ids, alric = ids_of(), person(world)
    bread = holding.make(world, "bread", stored=False)
    world.enter(bread, world.realms["plain"], 5, 5)
    assert ids.of(bread) == bread.serial
    assert ids.item(alric, bread.serial) is bread
    for number in (0, -1, alric.serial, ids.of(alric), bread.serial + 1, 0xFFFF_FFFF):
        assert ids.item(alric, number) is None


def test_who_is_gone_has_no_number_and_it_is_not_used_again_soon(world: World) -> None:
    ids = ids_of()
    crier = resident(world)
    number = ids.of(crier)
    del crier
    gc.collect()
    assert ids.mobile(number) is None
    assert ids.of(resident(world)) == number + 1


def test_numbers_go_round_and_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NPCS", range(1, 4))
    ids = ids_of()
    kept = [resident(world) for _ in range(3)]
    assert [ids.of(mobile) for mobile in kept] == [1, 2, 3]
    with pytest.raises(IdsExhausted, match="1 to 3"):
        ids.of(resident(world))
    del kept[1]
    gc.collect()
    last = resident(world)
    assert ids.of(last) == 2
    assert ids.of(kept[0]) == 1
