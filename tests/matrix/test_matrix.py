"""Every verb in every state through every game: all six agree, each in its own words.

The rows, the columns and what a cell says are in `tests.kit.verbs` and `tests.kit.verbs_together`.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.kit.cells import DONE, Actor, Cell, Verb, nothing
from tests.kit.games import GAMES, Person, session_of
from tests.kit.town import Town
from tests.kit.verbs import AT_FIRST, BESIDE, HEIGHT, STATES, VERBS, WIDTH, as_before
from tests.kit.verbs_together import TOGETHER, VERBS_TOGETHER, apart
from tests.kit.wishes import WISHES
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trio.testing import MockClock

    from world.realm import Realm
    from world.world import Changes, World


ROWS: Final = {**VERBS, **VERBS_TOGETHER}
TOWNS: Final = {row: [row] for row in VERBS} | {"between players": [*VERBS_TOGETHER]}
"""Rows that are played in one town, one after the other."""


@pytest.mark.parametrize("which", TOWNS)
async def test_all_games_agree(nursery: trio.Nursery, autojump_clock: MockClock, which: str) -> None:
    town = Town(nursery)
    await town.open()
    actors = await _gather(town)
    others = {actor.mobile: actor for actor in actors}
    failures = []
    for row in TOWNS[which]:
        for column, state in enumerate(TOGETHER):
            for number, actor in enumerate(actors):
                cell = Cell(town, actor, others, state, [], f"word{column}{number}")
                came = await _outcome(cell, ROWS[row])
                if came:
                    failures.append(f"{row}, {state}, {actor.game}: {came}")
    assert not failures, "\n".join(["", *failures])


def test_every_cell_is_filled() -> None:
    empty = {name: set(STATES) - set(verb.outcomes) for name, verb in VERBS.items()}
    empty |= {name: set(TOGETHER) - set(verb.outcomes) for name, verb in VERBS_TOGETHER.items()}
    assert {name: states for name, states in empty.items() if states} == {}
    assert WISHES.keys() == GAMES.keys()


def _set_up(act: Callable[[Cell], object], cell: Cell, world: World) -> None:
    act(cell)


def _undo(cell: Cell, world: World) -> None:
    apart(cell)
    as_before(cell)


async def _outcome(cell: Cell, verb: Verb) -> str:
    """Play one cell; what is wrong with it, in words, or nothing."""
    expected = verb.outcomes.get(cell.state)
    if expected is Refusal.UNSEEN and verb.name in cell.actor.wishes.by_name:
        expected = Refusal.NOBODY
    if expected is None or (cell.actor.game.name, cell.state) in verb.skipped:
        return ""
    loop = cell.town.app.loop
    setting = [verb.prepare, TOGETHER[cell.state]]
    for set_up in reversed(setting) if cell.state in AT_FIRST else setting:
        if set_up is nothing:
            continue
        await loop.in_world(None, partial(_set_up, set_up, cell))
        await trio.sleep(0.3)  # its client is shown what was laid out
    told, natives, before = cell.actor.lines, len(cell.actor.wishes.refusals()), verb.done(cell)
    with _recorded(cell):
        await cell.actor.player.sends(verb.wish(cell), wait=verb.seconds)
    done = verb.done(cell)
    lines = list((cell.actor.lines - told).elements())
    said = [why for why in Refusal if any(verb.words.get(why, why.value) in line for line in lines)]
    said += cell.actor.wishes.refusals()[natives:]
    await loop.in_world(None, partial(_undo, cell))
    await trio.sleep(0.3)
    if cell.actor.player.gone:
        return "it was thrown out"
    if expected is DONE:
        return "" if done and not said else f"done: {done}, told {lines}"
    if expected is Refusal.USELESS:
        said = [expected] if any("think of a use" in line for line in lines) else said
    return (
        "" if done == before and said == [expected] else f"done: {done}, told {lines}, {said}, not {expected}"
    )


@contextmanager
def _recorded(cell: Cell) -> Iterator[None]:
    """Keep what happens meanwhile."""
    world = cell.world
    take = world.take_changes

    def keep() -> Changes:
        changes = take()
        cell.events.extend(changes.events)
        return changes

    world.take_changes = keep  # type: ignore[method-assign] # of this one
    try:
        yield
    finally:
        del world.take_changes


async def _gather(town: Town) -> list[Actor]:
    """One player of each game, all in sight of one another."""
    realm = next(iter(town.app.world.realms.values()))
    left, top = _free_ground(realm)
    actors = []
    for number, game in enumerate(GAMES.values()):
        player, who = game.player(town), Person(500 + number)
        await game.enters(player, who)
        mobile = town.mobile(who.character)
        session = session_of(town, who)
        actors.append(Actor(game, player, session, WISHES[game.name](player, session), mobile))

    def place(world: World) -> None:
        for actor, (x, y) in zip(actors, BESIDE, strict=True):
            world.warp(actor.mobile, realm, left + x, top + y)

    await town.app.loop.in_world(None, place)
    await trio.sleep(3)  # whose client loads a map has loaded it
    for number, actor in enumerate(actors):
        group = number // 3 * 3
        actor.near = actors[group + (number - group + 1) % 3].mobile
        actor.far = actors[(number + 3) % 6].mobile
        assert {other.mobile.serial for other in actors if other is not actor} <= actor.session.known.keys()
    return actors


def _free_ground(realm: Realm) -> tuple[int, int]:
    """The upper left of some ground where everything is free, and no resident near."""
    chart = realm.chart
    for top in range(chart.height - HEIGHT):
        for left in range(chart.width - WIDTH):
            tiles = [(left + x, top + y) for x in range(WIDTH) for y in range(HEIGHT)]
            crowd = realm.space.around(left + WIDTH // 2, top, WIDTH)
            if all(realm.walkable(*tile) and tile not in chart.warps for tile in tiles) and not crowd:
                return left, top
    raise AssertionError("the realm has no free ground")
