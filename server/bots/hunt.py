"""A fight to measure: players and creatures in pairs, each striking the other until the end of the run.

Nobody dies of it: all have as many hits as clients have room for, and are healed when half of them are gone.
What is measured is a turn of blows, numbers and bars that everybody around is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world import fighting, life, residents
from world.content import Creature, Resident
from world.reach import Cannot
from world.rules import creatures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.content import Content, MobileTemplate
    from world.mobile import Mobile
    from world.world import World

BEAST: Final = "rat"
"""Template that all of them are of: small, and known to every game."""

LEVEL: Final = 10
HITS: Final = 60_000
HEALS: Final = 1.0
"""Seconds between two looks at who needs healing."""


def stocked(content: Content) -> Content:
    """The content with a beast that fights, whatever else is said of it."""
    beast = content.mobiles[BEAST]
    least, most = creatures.damage(LEVEL)
    fights = Creature(LEVEL, HITS, creatures.armour(LEVEL), creatures.skill(LEVEL), least, most)
    tough: MobileTemplate = attrs.evolve(beast, fights=fights, hits=HITS)
    return attrs.evolve(content, mobiles={**content.mobiles, BEAST: tough})


def begin(world: World, count: int) -> int:
    """Place so many creatures, each beside a player, and let both fight; returns how many pairs do."""
    players = sorted(world.online(), key=lambda player: player.serial)
    pairs = 0
    fighters: list[Mobile] = []
    for number in range(count if players else 0):
        player = players[number % len(players)]
        realm = player.realm
        if realm is None:
            continue
        player.hits_max = player.hits = HITS
        x, y = next(tile for tile in realm.free_near(player.x, player.y, 1) if tile != (player.x, player.y))
        beast = residents.place(world, realm, Resident(BEAST, x, y))
        try:
            fighting.attack(beast, player)
            fighting.attack(player, beast)
        except Cannot:
            continue
        pairs += 1
        fighters += (beast, player)
    world.timers.every(HEALS, _heal, fighters)
    return pairs


def _heal(fighters: Sequence[Mobile]) -> None:
    for fighter in fighters:
        if fighter.hits < HITS // 2:
            life.heal(fighter, HITS)
        fighter.stam = fighter.stam_max
