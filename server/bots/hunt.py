"""A fight to measure: players and creatures in pairs, each striking the other until the end of the run.

Nobody dies of it: all have as many hits as clients have room for, and are healed when half of them are gone.
What is measured is a turn of blows, numbers and bars that everybody around is shown.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Final

import attrs

from world import fighting, life, residents
from world.content import Creature, Resident
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
"""Seconds between two looks at who needs healing, each at a time of its own, as who regenerates would."""
BEGIN: Final = 2.0
"""Seconds in which all fights begin: that between two blows of a creature."""
SHIFTS: Final = 20
"""Parts in which they are looked at."""


def stocked(content: Content) -> Content:
    """The content with a beast that fights, whatever else is said of it."""
    beast = content.mobiles[BEAST]
    least, most = creatures.damage(LEVEL)
    fights = Creature(LEVEL, HITS, creatures.armour(LEVEL), creatures.skill(LEVEL), least, most)
    tough: MobileTemplate = attrs.evolve(beast, fights=fights, hits=HITS)
    return attrs.evolve(content, mobiles={**content.mobiles, BEAST: tough})


def begin(world: World, count: int) -> list[Mobile]:
    """Place so many creatures, each beside a player, and let both fight, one pair after another: who begins
    together strikes together ever after, and no fight of many does. Returns all that are to fight."""
    players = sorted(world.online(), key=lambda player: player.serial)
    fighters: list[Mobile] = []
    for number in range(count if players else 0):
        player = players[number % len(players)]
        realm = player.realm
        if realm is None:
            continue
        player.hits_max = player.hits = HITS
        x, y = next(tile for tile in realm.free_near(player.x, player.y, 1) if tile != (player.x, player.y))
        beast = residents.place(world, realm, Resident(BEAST, x, y))
        world.timers.after(BEGIN * number / count, fighting.attack, beast, player)
        world.timers.after(BEGIN * number / count, fighting.attack, player, beast)
        fighters += (beast, player)
    shifts = cycle(fighters[number::SHIFTS] for number in range(SHIFTS))
    world.timers.every(HEALS / SHIFTS, lambda: _heal(next(shifts)))
    return fighters


def striking(fighters: Sequence[Mobile]) -> int:
    """Number of them that fight somebody."""
    return sum(fighter.enemy != 0 for fighter in fighters)


def _heal(fighters: Sequence[Mobile]) -> None:
    for fighter in fighters:
        if fighter.hits < HITS // 2:
            life.heal(fighter, HITS)
        fighter.stam = fighter.stam_max
