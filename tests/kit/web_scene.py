"""Browsers side by side in a whole server, and what has to be true whenever it is quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.web_player import WebPlayer
from world import motion

if TYPE_CHECKING:
    from tests.kit.co_player import CoPlayer
    from tests.kit.players import UoPlayer
    from tests.kit.town import Town


def gather(town: Town, *names: str) -> None:
    """Put characters side by side on open ground, so that every step of the story is free."""
    realm = town.app.world.realms["confluence"]
    x, y = realm.chart.spawns[0]
    spots = [
        (a, b)
        for a, b in realm.free_near(x, y, 6)
        if all(motion.can_step(realm, a, b, heading) for heading in range(8))
    ]
    for name, spot in zip(names, spots, strict=False):
        town.app.world.warp(town.mobile(name), realm, *spot)
    town.app.loop.wake()


async def settled(town: Town, *players: WebPlayer) -> None:
    """Give the server a moment; nobody saw anything that cannot be."""
    town.app.loop.wake()
    for player in players:
        await player.sends(b"", wait=0.5)
        assert player.screen.faults == []
        assert player.client.why == ""


async def anna_and(town: Town, *others: WebPlayer | UoPlayer | CoPlayer) -> WebPlayer:
    """Anna in a browser, and others, side by side."""
    anna = WebPlayer(town)
    await anna.enters("anna", "Anna")
    names = ["Bert", "Carla", "Dora"]
    for other, name in zip(others, names, strict=False):
        await other.enters(name.lower(), name)
    gather(town, "Anna", *names[: len(others)])
    await settled(town, anna)
    return anna
