"""Many come at once: so many enter in one turn, and the others wait for the next."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit.players import UoPlayer
from world.events import Entered
from world.mobile import Mobile

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town
    from world.world import Changes, World

LIMITS = [(None, 5), (2, 2), (6, 6)]
"""`joins_per_tick`, and how many enter in one turn then: five if nobody says otherwise."""


def limited(town: Town, limit: int | None) -> Town:
    if limit is not None:
        town.change("limits", joins_per_tick=limit)
    return town


@pytest.mark.parametrize(("limit", "most"), LIMITS)
async def test_of_six_joins_in_one_turn_those_beyond_the_limit_wait_for_the_next(
    town: Town, autojump_clock: MockClock, limit: int | None, most: int
) -> None:
    loop = limited(town, limit).app.loop
    joined: Counter[int] = Counter()

    def join(world: World) -> None:
        joined[world.tick] += 1

    async def call() -> None:
        await loop.in_world(None, join, join=True)

    async with trio.open_nursery() as nursery:
        for _ in range(6):
            nursery.start_soon(call)
    begun = min(joined)
    assert [joined[tick] for tick in range(begun, max(joined) + 1)] == [most] * (6 // most) + [6 % most] * (
        6 % most > 0
    )


@pytest.mark.parametrize(("limit", "most"), LIMITS)
async def test_six_who_choose_a_character_at_once_enter_in_turns(
    town: Town, autojump_clock: MockClock, limit: int | None, most: int
) -> None:
    limited(town, limit)
    players = [UoPlayer(town) for _ in range(6)]
    for number, player in enumerate(players):
        await player.enters(f"player{number}", f"Player{'abcdef'[number]}")
        player.leaves()
    await trio.sleep(60)  # nobody lingers any more
    assert not list(town.app.world.online())
    for number, player in enumerate(players):
        await player.logs_in(f"player{number}")
    arrivals: list[int] = []

    def watch(changes: Changes) -> None:
        came = [m for m in changes.events if isinstance(m, Entered) and isinstance(m.thing, Mobile)]
        if came:
            arrivals.append(len(came))

    town.app.loop.observers.append(watch)
    # A turn is just over, and the next one two milliseconds away: by then all six are at the door.
    await town.app.in_world(None, lambda world: None)
    for player in players:
        await player.end.send_all(player.client.play_bytes(0, player.client.characters[0]))
    await trio.sleep(1)
    assert all(player.client.in_world for player in players)
    assert sum(arrivals) == 6
    assert max(arrivals) <= most
