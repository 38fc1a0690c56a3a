"""Realms of another world: who is taken there, and what happens where nobody can be."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.in_memory import shipped_content
from world import conduct, leaps, lodging, motion, newcomers, passage, rescue
from world.ailments import poison
from world.content import Warp
from world.directory import Known
from world.mobile import Lines, Mobile, Posture
from world.reach import Cannot, Refusal
from world.serials import Serials
from world.snapshot import character_row, restore_character
from world.space import Sight
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE, THERE = "confluence", "undercroft"
DOWN = (24, 13)
"""Where the way to the other realm begins."""


def half(realm: str = HERE) -> World:
    return World(shipped_content(), Serials(), chance=random.Random(1), realms=(realm,))


def someone(world: World, x: int = 24, y: int = 14, *, account: int = 1, online: bool = True) -> Mobile:
    template = world.content.mobiles["player"]
    mobile = Mobile(world.serials.mobile(), world, "Anna", template=template, account=account)
    mobile.endow()
    newcomers.make_legal(mobile)
    mobile.online = online
    world.enter(mobile, next(iter(world.realms.values())), x, y)
    world.open_viewport(mobile, 1, Sight(18))
    return mobile


@pytest.fixture
def asked() -> list[tuple[str, int, int]]:
    return []


@pytest.fixture
def bordered(asked: list[tuple[str, int, int]]) -> World:
    world = half()

    def cross(mobile: Mobile, realm: str, x: int, y: int) -> bool:
        asked.append((realm, x, y))
        return True

    world.cross = cross
    return world


def test_a_world_has_the_realms_that_are_its() -> None:
    assert [*half().realms] == [HERE]
    assert half().leads_to(HERE)
    assert not half().leads_to(THERE)
    whole = World(shipped_content(), Serials(), chance=random.Random(1))
    assert {*whole.realms} == {*shipped_content().charts}


def test_a_step_leads_to_the_border_and_over_it(bordered: World, asked: Sequence[object]) -> None:
    mobile = someone(bordered)
    assert motion.step(mobile, 0)
    assert asked == [(THERE, 13, 52)]
    assert (mobile.x, mobile.y) == DOWN, "it stands there until the other world has it"


def test_without_a_border_nobody_steps_onto_a_way_that_leads_nowhere() -> None:
    mobile = someone(half())
    assert not motion.step(mobile, 0)
    assert (mobile.x, mobile.y) == (24, 14)
    with pytest.raises(Cannot) as refused:
        motion.enter_portal(mobile)
    assert refused.value.why is Refusal.NO_WAY


def test_a_jump_and_a_portal_lead_there_too(bordered: World, asked: Sequence[object]) -> None:
    mobile = someone(bordered)
    motion.enter_portal(mobile)
    assert leaps.jump(mobile, *DOWN)
    assert asked == [(THERE, 13, 52)] * 2


def test_creatures_and_who_lingers_never_cross(bordered: World, asked: Sequence[object]) -> None:
    lingering = someone(bordered, online=False)
    assert motion.step(lingering, 0)
    creature = someone(bordered, account=0)
    assert not motion.step(creature, 0)
    assert not bordered.travel(creature, THERE, 1, 1)
    assert asked == []


def test_within_a_world_to_travel_is_to_warp(bordered: World, asked: Sequence[object]) -> None:
    mobile = someone(bordered)
    assert bordered.travel(mobile, HERE, 24, 18)
    assert (mobile.x, mobile.y, asked) == (24, 18, [])
    assert not bordered.travel(mobile, "nowhere", 1, 1)


def test_a_home_over_there_is_gone_to(bordered: World, asked: Sequence[object]) -> None:
    mobile = someone(bordered)
    mobile.home_realm, mobile.home_x, mobile.home_y = THERE, 12, 50
    lodging.go_home(mobile)
    assert asked == [(THERE, 12, 50)]


def test_the_jail_and_the_way_out_of_it_may_be_over_there() -> None:
    asked: list[str] = []
    world = half(THERE)

    def cross(mobile: Mobile, realm: str, x: int, y: int) -> bool:
        asked.append(realm)
        return True

    world.cross = cross
    mobile = someone(world, 13, 50)
    known = Known(mobile.serial, mobile.name, mobile.short_name, mobile.account)
    conduct.jail(world, known, 60.0)
    assert asked[-1:] == [world.content.conduct.jail_realm]
    assert rescue.begin(mobile)
    for second in range(90):
        world.begin(float(second))
        world.run_timers()
    assert world.content.start_realm in asked


def test_who_comes_over_the_border_to_jail_is_let_out_where_newcomers_appear() -> None:
    """The world that it comes from keeps no place to bring it back to: it would do so whenever it returns."""
    there, here = half(THERE), half()
    rule = here.content.conduct
    there.cross = lambda *_: True
    traveller = someone(there, 13, 50)
    known = Known(traveller.serial, traveller.name, traveller.short_name, traveller.account)
    assert conduct.jail(there, known, 60.0).realm == ""
    here.directory.note(known)
    conduct.jail(here, known, 60.0)
    came = restore_character(character_row(traveller)._replace(realm=rule.jail_realm), [], here).mobile
    assert came is not None
    here.enter(came, here.realms[rule.jail_realm], rule.jail_x, rule.jail_y)
    conduct.arrived(came)
    for second in range(90):
        here.begin(float(second))
        here.run_timers()
    assert (came.x, came.y) == here.content.charts[here.content.start_realm].spawns[0]


def test_who_stands_in_another_world_s_realm_is_not_damaged_but_who_stands_in_none_is() -> None:
    """It is taken home as soon as its client is ready."""
    world = half(HERE)
    row = character_row(someone(world))
    for realm, damaged in ((HERE, []), (THERE, []), ("moon", ["unknown realm 'moon'"])):
        restored = restore_character(row._replace(realm=realm), [], world)
        assert [one.reason for one in restored.damaged] == damaged
        assert restored.mobile is not None
        assert restored.mobile.realm is (world.realms[HERE] if realm == HERE else None)


def test_newcomers_of_a_world_without_the_first_realm_appear_in_one_that_it_has() -> None:
    world = half(THERE)
    realm, x, y = newcomers.spawn_place(world)
    assert realm.name == THERE
    assert realm.walkable(x, y)
    assert newcomers.start_place(world)[0] == THERE
    world.cross = lambda *_: True
    assert newcomers.start_place(world)[0] == HERE
    chart = attrs.evolve(world.content.charts[THERE], spawns=())
    world.realms[THERE].redraw(chart)
    realm, x, y = newcomers.spawn_place(world)
    assert realm.walkable(x, y)


def test_what_a_character_has_on_it_goes_along_whatever_time_it_is_there() -> None:
    world, other = half(), half(THERE)
    world.begin(1000.0)
    other.begin(5.0)
    mobile = someone(world)
    mobile.war, mobile.heard_from, mobile.hears_global = True, 77, False
    mobile.aggressors, mobile.wounds = {4, 5}, {6: 7}
    mobile.criminal_until, mobile.home_at, mobile.remedy_at = 1060.0, 1300.0, 900.0
    mobile.gait.tiles_run = 3
    mobile.spoken = {"say": Lines(told=True)}
    mobile.spoken["say"].times.append(998.0)
    assert poison(mobile, 3)
    mobile.hits = 20
    passage.prepare(mobile)
    on_it = passage.taken(mobile)
    came = restore_character(character_row(mobile)._replace(realm=THERE), [], other).mobile
    assert came is not None
    other.enter(came, other.realms[THERE], 13, 50)
    passage.given(came, on_it)
    assert (came.war, came.heard_from, came.hears_global) == (True, 77, False)
    assert (came.aggressors, came.wounds) == ({4, 5}, {6: 7})
    assert (came.criminal_until, came.home_at, came.remedy_at) == (65.0, 305.0, 0.0)
    assert came.gait.tiles_run == 3
    assert came.spoken is not None
    assert (came.spoken["say"].told, [*came.spoken["say"].times]) == (True, [3.0])
    assert came.poison is not None
    assert (came.poisoned, came.poison.venom) == (True, 3)
    assert came.recovery is not None
    other.begin(40.0)
    other.run_timers()
    assert came.hits != 20, "neither its poison nor its recovery goes on"


def test_whoever_goes_stands_and_lets_go_of_everything(bordered: World) -> None:
    mobile = someone(bordered)
    mobile.posture = Posture.CHAIR
    mobile.target = 99
    passage.prepare(mobile)
    assert (mobile.posture, mobile.target, mobile.held, mobile.trade) == (Posture.STANDING, 0, None, None)


def test_the_way_down_is_a_warp_of_the_shipped_realm() -> None:
    chart = shipped_content().charts[HERE]
    assert isinstance(chart.warps[DOWN], Warp)
    assert chart.warps[DOWN].realm == THERE
