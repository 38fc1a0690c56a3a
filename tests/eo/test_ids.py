"""The numbers that clients know things by."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from protocol.endings import Ending
from protocol.eo.ids import Absent, Circle, Ids, IdsExhausted, Numbered
from tests.kit.eo_desk import Desk
from world import holding
from world.companions import Party
from world.item import Item

if TYPE_CHECKING:
    from world.mobile import Mobile


def test_numbers_go_around() -> None:
    used: set[int] = set()
    circle = Circle(3, 5, used.__contains__)
    assert [circle.take() for _ in range(4)] == [3, 4, 5, 3]
    used |= {4, 5}
    assert [circle.take() for _ in range(2)] == [3, 3]
    used.add(3)
    with pytest.raises(IdsExhausted):
        circle.take()


def test_a_thing_keeps_its_number_and_leaves_it_to_another_late() -> None:
    desk = Desk()
    stays: set[int] = set()
    table: Numbered[Mobile] = Numbered(1, 3, lambda mobile: mobile.serial in stays)
    first, second, third, fourth = (desk.resident("healer", 20, 20) for _ in range(4))
    stays |= {mobile.serial for mobile in (first, second, third, fourth)}
    assert [table.of(mobile) for mobile in (first, second, first)] == [1, 2, 1]
    stays.discard(first.serial)
    assert table.thing(1) is None
    assert table.number(first) == 1, "to take it away one still has to name it"
    assert [table.of(third), table.of(fourth)] == [3, 1]
    assert table.number(first) is None
    assert table.thing(1) is fourth
    with pytest.raises(IdsExhausted):
        table.of(first)


def test_the_table_does_not_keep_a_days_items() -> None:
    desk = Desk()
    ids = Ids()
    plain = desk.world.realms["plain"]
    for _ in range(2000):
        item = holding.make(desk.world, "bread", stored=False)
        desk.world.enter(item, plain, 20, 20)
        ids.items.of(item)
        desk.world.leave(item)
    assert len(ids.items._things) < 600
    assert len(ids.items._numbers) == len(ids.items._things)


def test_every_map_counts_its_npcs_by_itself_up_to_252() -> None:
    desk = Desk()
    ids = Ids()
    cave = desk.world.realms["cave"]
    here = [desk.resident("healer", 20, 20) for _ in range(252)]
    there = desk.resident("healer", 20, 20)
    desk.world.warp(there, cave, 1, 1)
    assert {ids.npc_index(npc) for npc in here} == set(range(1, 253))
    assert ids.npc_index(there) == 1
    one_more = desk.resident("healer", 20, 20)
    with pytest.raises(IdsExhausted):
        ids.npc_index(one_more)
    desk.world.leave(here[7])
    assert ids.npc_index(one_more) == 8
    assert ids.last_npc_index(here[7]) == 8
    with pytest.raises(ValueError, match="on no map"):
        ids.npc_index(here[7])


def test_the_same_character_read_anew_keeps_its_number() -> None:
    desk = Desk()
    table: Numbered[Item] = Numbered(1, 9, lambda item: True)
    first = holding.make(desk.world, "bread", stored=False)
    number = table.of(first)
    again = Item(first.serial, desk.world, template=first.template)
    assert table.of(again) == number
    assert table.thing(number) is again


def test_players_and_connections_share_one_circle() -> None:
    desk = Desk()
    players = desk.view.figures.ids.players
    session = desk.connect().session
    session.player_id = players.connect(session)
    other = desk.resident("stranger", 20, 20)
    assert (session.player_id, players.of(other)) == (10, 11)
    assert players.play(session.player_id, other) == 11
    assert players.number(other) == 10
    assert players.play(session.player_id, other) is None
    assert players.thing(11) is None


def test_a_number_that_a_connection_took_is_nobody_elses() -> None:
    desk = Desk()
    players = desk.view.figures.ids.players
    wanderer = desk.resident("stranger", 20, 20)
    assert players.of(wanderer) == 10
    desk.world.leave(wanderer)
    players._circle._next = 10
    session = desk.connect().session
    session.player_id = players.connect(session)
    assert session.player_id == 10
    desk.world.enter(wanderer, desk.world.realms["plain"], 20, 20)
    assert players.of(wanderer) == 11


async def test_numbers_are_free_again_when_nobody_needs_them() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    number, players = alric.client.player_id, desk.view.figures.ids.players
    mobile = alric.mobile
    assert players.thing(number) is mobile
    alric.line.end(Ending.CLIENT_LEFT, "")
    await desk.settle()
    assert mobile.realm is None
    assert players.thing(number) is None
    desk.players.clear()
    del alric
    gc.collect()
    players._circle._next = number
    assert (await desk.greeted()).client.player_id == number


def test_a_member_of_a_party_elsewhere_has_a_number_as_long_as_it_is_one() -> None:
    desk, ids = Desk(), Ids()
    resident = desk.resident("healer", 20, 20)
    world, elsewhere = resident.world, 900
    world.parties[elsewhere] = Party()
    number = ids.players.absent.of(Absent(elsewhere, world))
    assert ids.players.absent.of(Absent(elsewhere, world)) == number
    assert ids.players.of(resident) != number
    ids.players._circle._next = number
    assert ids.players._circle.take() != number, "it is another's"
    del world.parties[elsewhere]
    ids.players._circle._next = number
    assert ids.players._circle.take() == number
