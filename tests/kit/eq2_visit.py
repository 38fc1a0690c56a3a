"""How an independent client comes into the world, and whom it meets there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import trio

from tests.kit.datagrams import Faults
from world import motion

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.eq2.independent.ghosts import Ghost
    from tests.eq2.independent.messages import ZoneInfo
    from tests.eq2.independent.person import Person
    from tests.kit.town import Town

SAY, SHOUT, EMOTE, TELL, OOC = 8, 9, 10, 28, 32
ROUGH = Faults(loss=0.1, doubled=0.1, delay=0.02, jitter=0.06)
"""One datagram in ten is lost, one in ten comes twice, and they overtake one another."""

SOONEST = 30.0
"""Seconds until something must have come, whatever is lost on the way."""


@attrs.frozen
class Zone:
    """Where the realm lies in the client's zone: a tile is one unit, its middle half of one further."""

    x: float
    y: float
    z: float

    def tile(self, place: tuple[float, float, float]) -> tuple[int, int]:
        """The tile on which something stands."""
        return int((place[0] - self.x) // 1), int((place[2] - self.z) // 1)

    def middle(self, x: int, y: int) -> tuple[float, float, float]:
        """The middle of a tile."""
        return self.x + x + 0.5, self.y, self.z + y + 0.5


def gather(town: Town, *names: str) -> None:
    """Put characters side by side where every step is free."""
    realm = town.app.world.realms["confluence"]
    x, y = realm.chart.spawns[0]
    spots = [
        (a, b)
        for a, b in realm.free_near(x, y, 8)
        if all(motion.can_step(realm, a, b, heading) for heading in range(8))
    ]
    for name, spot in zip(names, spots, strict=False):
        town.app.world.warp(town.mobile(name), realm, *spot)
    town.app.loop.wake()


async def until(predicate: Callable[[], bool], seconds: float = SOONEST) -> None:
    """Wait, looking often."""
    for _ in range(int(seconds * 10)):
        if predicate():
            return
        await trio.sleep(0.1)
    assert predicate()


def ghost_of(person: Person, name: str) -> Ghost:
    """The ghost of that name."""
    ghost = person.ghosts.by_name(name)
    assert ghost is not None, f"no ghost of {name} among {[g.name for g in person.ghosts.by_index.values()]}"
    return ghost


def is_well(person: Person) -> None:
    """Nothing came that the sheet does not know."""
    assert person.faults == [], "\n".join(person.faults)


async def into_the_world(person: Person, name: str) -> ZoneInfo:
    """From the first datagram to the picture, with a character that is made if there is none."""
    assert (await person.logs_in()).code == 0
    worlds, characters = await person.lists_worlds()
    if not characters.characters:
        assert (await person.creates(name, worlds.worlds[0].id)).code == 1
        _, characters = await person.lists_worlds()
    chosen = next(c for c in characters.characters if c.name == name)
    play = await person.plays(chosen.id, chosen.server, chosen.name)
    assert (play.code, play.host, play.port) == (1, "127.0.0.1", 9001)
    assert play.account == characters.account
    return await person.enters(play)
