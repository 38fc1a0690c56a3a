"""Conquer Online: walking up to what is clicked on and too far away, and doing there what was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.co.packets import (
    Action,
    ActionType,
    Emotion,
    Interact,
    InteractType,
    MapItemAction,
    PickUp,
    Walk,
    to_wire,
)
from tests.kit.co_blind import Blind
from tests.kit.co_desk import SIDE, Desk, Player, agree, place_of, ready, small_content
from world import holding, life
from world.heading import EAST, NORTH, SOUTH, apart
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.content import Content
    from world.item import Item
    from world.mobile import Mobile

START, FAR = (10, 40), (26, 40)
WALL = {(18, y) for y in range(34, 47)}


def with_wall(*more: tuple[int, int]) -> Content:
    """A wall between the two."""
    content = small_content()
    plain = content.charts["plain"]
    blocked = bytearray(plain.blocked)
    for x, y in WALL | set(more):
        blocked[y * SIDE + x] = 1
    return attrs.evolve(
        content, charts={**content.charts, "plain": attrs.evolve(plain, blocked=bytes(blocked))}
    )


async def scene(content: Content | None = None) -> tuple[Desk, Player, Blind]:
    desk = Desk(content or with_wall())
    alric = await ready(desk, START)
    return desk, alric, Blind(alric)


async def settles(desk: Desk, alric: Player, blind: Blind, seconds: float = 20.0) -> None:
    """Until it has gone all its way. Its client knows at any time where it is."""
    for _ in range(round(seconds)):
        await blind.waits(1.0)
        assert blind.believes == place_of(*alric.tile)
        agree(desk)


async def test_a_click_on_somebody_far_away_leads_there_and_then_talks() -> None:
    desk, alric, blind = await scene()
    crier = settled(desk, "crier")
    berta = await desk.enter("berta", (16, 33))
    await alric.clicks(crier)
    assert alric.lines() == []
    assert not alric.mobile.dialogs
    await settles(desk, alric, blind)
    assert alric.mobile.dialogs, "the crier asks"
    assert max(abs(alric.tile[0] - FAR[0]), abs(alric.tile[1] - FAR[1])) <= 3
    assert blind.put == [], "it was led tile by tile"
    assert len([told for told in berta.got if isinstance(told, Walk)]) > 10
    assert alric.screen.faults == berta.screen.faults == []


async def test_what_comes_into_sight_on_the_way_is_told_when_the_client_is_there() -> None:
    desk, alric, blind = await scene()
    for x in range(29, 45, 2):
        lay(desk, x, 38)
    crier = settled(desk, "crier")
    await alric.clicks(crier)
    await settles(desk, alric, blind)
    assert alric.screen.faults == []


async def test_an_attack_from_afar_walks_up_and_strikes() -> None:
    desk, alric, blind = await scene()
    rat = settled(desk, "rat")
    rat.hits = rat.hits_max = 60_000
    await alric.says(strike(alric, alric.figures.ids.of(rat)))
    assert alric.screen.blows == []
    await settles(desk, alric, blind)
    assert any(blow.sender == alric.number for blow in alric.screen.blows)


async def test_who_flees_is_followed_for_as_long_as_it_is_seen() -> None:
    desk, alric, blind = await scene()
    rat = settled(desk, "rat")
    rat.hits = rat.hits_max = 60_000
    await alric.says(strike(alric, alric.figures.ids.of(rat)))
    y = FAR[1]
    for _ in range(400):
        if apart(alric.mobile, rat) <= 4 and y > 5:
            y -= 5
            desk.world.warp(rat, desk.world.realms["plain"], FAR[0], y)
        await blind.waits(0.1)
        if alric.screen.blows:
            break
    assert y == 5, "seven times it was gone"
    await settles(desk, alric, blind)
    assert any(blow.sender == alric.number for blow in alric.screen.blows)
    assert Refusal.FAR.value not in alric.lines()


async def test_who_may_not_be_attacked_is_not_walked_up_to() -> None:
    desk, alric, blind = await scene()
    crier = settled(desk, "crier")
    await alric.says(strike(alric, alric.figures.ids.of(crier)))
    assert alric.lines() == [Refusal.GUARDED.value]
    await settles(desk, alric, blind, 2.0)
    assert alric.tile == START


async def test_what_lies_far_away_is_fetched() -> None:
    desk, alric, blind = await scene()
    item = lay(desk, *FAR)
    await picks(alric, item)
    await settles(desk, alric, blind)
    assert item.root is alric.mobile
    assert any("You pick up" in line for line in alric.lines())


async def test_what_another_took_meanwhile_is_gone() -> None:
    desk, alric, blind = await scene()
    item = lay(desk, *FAR)
    await picks(alric, item)
    await blind.waits(1.0)
    desk.world.leave(item)
    await settles(desk, alric, blind)
    assert Refusal.GONE.value in alric.lines()


async def test_where_no_way_leads_one_goes_as_near_as_one_can_and_reads_so() -> None:
    x, y = FAR
    around = {(x + dx, y + dy) for dx in range(-4, 5) for dy in range(-4, 5) if 4 in (abs(dx), abs(dy))}
    desk, alric, blind = await scene(with_wall(*around))
    await picks(alric, lay(desk, *FAR))
    await settles(desk, alric, blind)
    assert Refusal.NO_PATH.value in alric.lines()
    assert alric.tile != START


def settled(desk: Desk, key: str) -> Mobile:
    """Somebody who stands on the other side, and is shown."""
    mobile = desk.resident(key, *FAR)
    desk.turn()
    return mobile


def lay(desk: Desk, x: int, y: int) -> Item:
    item = holding.make(desk.world, "lantern", stored=False)
    desk.world.enter(item, desk.world.realms["plain"], x, y)
    desk.turn()
    return item


async def picks(player: Player, item: Item) -> None:
    await player.says(PickUp(player.figures.ids.of(item), 0, 0, 0, MapItemAction.PICK, 0))


def strike(player: Player, number: int) -> Interact:
    x, y = place_of(*FAR)
    return Interact(
        timestamp=1, sender=player.number, target=number, x=x, y=y, kind=InteractType.MELEE, data=0
    )


ACTS: dict[str, Callable[[Blind], object]] = {
    "a jump": lambda blind: blind.jumps(-2, -1),
    "a step": lambda blind: blind.runs(SOUTH),
    "a turn": lambda blind: blind.player.acts(ActionType.TURN, direction=to_wire(SOUTH)),
    "a gesture": lambda blind: blind.player.acts(ActionType.EMOTION, data=Emotion.HELLO),
    "sitting down": lambda blind: blind.player.acts(ActionType.EMOTION, data=Emotion.SIT),
}


@pytest.mark.parametrize("act", ACTS)
async def test_whatever_else_its_player_does_ends_the_way(act: str) -> None:
    desk, alric, blind = await scene()
    crier = settled(desk, "crier")
    await alric.clicks(crier)
    await blind.waits(1.5)
    assert alric.tile != START
    before = alric.tile
    await ACTS[act](blind)  # type: ignore[misc] # all of them are awaited
    await settles(desk, alric, blind, 8.0)
    assert max(abs(alric.tile[0] - before[0]), abs(alric.tile[1] - before[1])) <= 2
    assert not alric.mobile.dialogs


async def test_death_on_the_way_ends_it() -> None:
    desk, alric, blind = await scene()
    crier = settled(desk, "crier")
    await alric.clicks(crier)
    await blind.waits(1.0)
    life.kill(alric.mobile)
    before = alric.tile
    await settles(desk, alric, blind, 5.0)
    assert alric.tile == before
    assert not alric.mobile.dialogs


async def test_steps_that_wait_for_their_time_are_taken_before_it_sets_out() -> None:
    desk, alric, blind = await scene()
    crier = settled(desk, "crier")
    await blind.runs(NORTH, NORTH, NORTH)
    assert len(alric.mobile.gait.queue) > 0
    await alric.clicks(crier)
    await settles(desk, alric, blind)
    assert alric.mobile.dialogs
    assert blind.put == []


async def test_who_thinks_of_something_else_before_it_sets_out_stays() -> None:
    desk, alric, blind = await scene()
    crier = settled(desk, "crier")
    await blind.runs(NORTH, NORTH, NORTH)
    await alric.clicks(crier)
    await blind.runs(EAST)
    await settles(desk, alric, blind, 8.0)
    assert alric.tile == (START[0] + 1, START[1] - 3)
    assert not alric.mobile.dialogs


async def test_who_is_astray_is_put_right_before_it_is_led() -> None:
    desk, alric, blind = await scene()
    crier = settled(desk, "crier")
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 17, 34)
    await blind.waits(1.0)
    await blind.runs(EAST)
    await blind.runs(EAST)
    assert alric.session.corrections.astray
    await alric.clicks(crier)
    await settles(desk, alric, blind)
    assert alric.mobile.dialogs


async def test_the_dead_are_led_nowhere() -> None:
    desk, alric, blind = await scene()
    item = lay(desk, *FAR)
    life.kill(alric.mobile)
    await blind.waits(1.0)
    alric.got.clear()
    await picks(alric, item)
    assert alric.lines() == [Refusal.DEAD.value]
    assert [told for told in alric.got if isinstance(told, (Walk, Action))] == []
