"""A resident dies before a player of each game: it is gone for all of them, and later another stands in its
place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit.games import Witnesses, session_of
from world import life

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town
    from world.mobile import Mobile


def found(town: Town, template: str) -> list[Mobile]:
    """The residents of a kind who are there now."""
    return [mobile for mobile in town.app.world.mobiles.values() if mobile.template.key == template]


def drawn(witnesses: Witnesses) -> dict[str, frozenset[object]]:
    """What each client draws, which is what it should."""
    believed = {}
    for game, player, who in witnesses.players:
        assert not player.gone, f"the {game} player was thrown out"
        assert game.believes(player) == game.should_believe(session_of(witnesses.town, who)), str(game)
        # Endless Online's number of items that lie there is no thing that is seen.
        counts = {one for one in game.believes(player) if isinstance(one, tuple) and one[0] == "items"}
        believed[str(game)] = frozenset(game.believes(player)) - counts
    return believed


@pytest.mark.parametrize("template", ["banker", "hermit", "rat"])
async def test_who_dies_is_gone_for_all_and_missed_for_a_while(
    town: Town, autojump_clock: MockClock, template: str
) -> None:
    witnesses = Witnesses(town)
    await witnesses.enter()
    world, victim = town.app.world, found(town, template)[0]
    realm, resident = victim.realm, (victim.x, victim.y)
    assert realm is not None

    def gather(_: object) -> None:
        for _, _, who in witnesses.players:
            world.warp(town.mobile(who.character), realm, *next(realm.free_near(*resident)))
        for wanderer in found(town, "rat"):
            if wanderer is not victim:
                world.leave(wanderer)

    await town.app.in_world(None, gather)
    await trio.sleep(5)
    before = drawn(witnesses)
    await town.app.in_world(None, lambda _: life.kill(victim))
    await trio.sleep(2)
    assert victim.serial not in world.mobiles
    after = drawn(witnesses)
    (corpse,) = (item for item in world.items.values() if item.remains is not None)
    # In EverQuest II the ghost of the dead lies there as its corpse.
    gone = {**dict.fromkeys(before, 1), "eq2": 0}
    assert {game: len(before[game] - seen) for game, seen in after.items()} == gone
    assert all(seen - before[game] <= {corpse.serial} for game, seen in after.items())
    await trio.sleep(65)
    (another,) = found(town, template)
    assert another.serial != victim.serial
    assert (another.hits, another.dead) == (another.hits_max, False)
    again = drawn(witnesses)
    assert {game: len(again[game] - seen) for game, seen in after.items()} == dict.fromkeys(before, 1)
