"""Measures how long a reload of all content holds the world up, with many players in memory:

    python -m bench.reload [PLAYERS]

Every being's words, one item, and one tile of the realm differ, so that all of it has something to do. What
is compiled beside the world is told too; only the last line is time for which everybody waits.
"""

from __future__ import annotations

import random
import sys
import time

import attrs

from protocol.games import GAMES
from server.content.families import DATA, build_families
from server.content.loading import load
from server.content.renewing import Renewed
from world import newcomers, residents, spawners
from world.mobile import Mobile
from world.renewal import prepare
from world.serials import Serials
from world.world import World

PLAYERS = 500
LIMIT_MS = 50.0


def measure(players: int) -> tuple[float, float]:
    """Seconds that are spent beside the world, and within its turn."""
    content = load(DATA)
    families = build_families(content, tuple(GAMES))
    world = World(content, Serials(), chance=random.Random(1))
    residents.settle(world)
    spawners.populate(world)
    realm = world.realms[content.start_realm]
    for number in range(players):
        template = content.mobiles["player"]
        mobile = Mobile(
            world.serials.mobile(), world, f"Player {number}", template=template, account=number + 1
        )
        newcomers.outfit(mobile, stored=False)
        world.enter(mobile, realm, *realm.chart.spawns[0])
    world.take_changes()
    began = time.perf_counter()
    new = load(DATA)
    mobiles = {key: attrs.evolve(one, says=f"{one.says} ") for key, one in new.mobiles.items()}
    items = {**new.items, "bread": attrs.evolve(new.items["bread"], weight=2)}
    new = attrs.evolve(new, mobiles=mobiles, items=items)
    difference = prepare(content, new)
    fresh = build_families(difference.content, tuple(GAMES))
    adopts = {
        name: family.renew(fresh[name].view) for name, family in families.items() if family.renew is not None
    }
    renewed = Renewed(difference, adopts)
    beside = time.perf_counter() - began
    began = time.perf_counter()
    renewed.adopt(world, ())
    return beside, time.perf_counter() - began


def main() -> None:
    """Print both."""
    players = int(sys.argv[1]) if len(sys.argv) > 1 else PLAYERS
    beside, within = measure(players)
    print(f"{players} players: {1000 * beside:.0f} ms beside the world")
    print(f"the turn that takes it over: {1000 * within:.1f} ms, of {LIMIT_MS:.0f} ms at most")


if __name__ == "__main__":
    main()
