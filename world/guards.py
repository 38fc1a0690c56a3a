"""Guards: in a guarded region they strike down whoever is a criminal there. (PLAY, section 6)

A guard looks around once a second, calls out to a criminal at the first look and is beside it at the second,
so that one who steps over the border by mistake may step back. One blow is the end: a guard is no opponent,
it is the law of the place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import arms, life, speech
from world.audience import in_sight
from world.events import Outcome, Struck
from world.heading import towards
from world.mobile import Mobile, Notoriety

if TYPE_CHECKING:
    from collections.abc import Iterator

SEES: Final = 18
"""Tiles."""

LOOKS: Final = 1.0
"""Seconds between two looks around."""

WANTED: Final = (Notoriety.CRIMINAL, Notoriety.MURDERER)


def watch(guard: Mobile) -> None:
    """Let a mobile begin to keep the peace."""
    warned: set[int] = set()
    guard.world.timers.every(LOOKS, _look, guard, warned, owner=guard)


def _look(guard: Mobile, warned: set[int]) -> None:
    wanted = {criminal.serial: criminal for criminal in _criminals(guard)}
    for serial, criminal in wanted.items():
        if serial in warned:
            _strike_down(guard, criminal)
        else:
            speech.say(guard, f"Halt, {criminal.name}! Leave, or be struck down!")
    warned.clear()
    warned.update(serial for serial, criminal in wanted.items() if not criminal.dead)


def _criminals(guard: Mobile) -> Iterator[Mobile]:
    """Living criminals in sight who are in a guarded place."""
    realm = guard.realm
    if realm is None:
        return
    for thing in realm.space.around(guard.x, guard.y, SEES):
        if not isinstance(thing, Mobile) or thing.dead or thing.hidden or not thing.is_character:
            continue
        region = realm.chart.region(thing.x, thing.y)
        if region is not None and region.guarded and thing.notoriety in WANTED:
            yield thing


def _strike_down(guard: Mobile, criminal: Mobile) -> None:
    realm = criminal.realm
    if realm is None:
        return
    beside = next(
        (tile for tile in realm.free_near(criminal.x, criminal.y, 1) if tile != (criminal.x, criminal.y)),
        (criminal.x, criminal.y),
    )
    guard.world.warp(guard, realm, *beside)
    guard.heading = towards(criminal.x - guard.x, criminal.y - guard.y) or guard.heading
    manner, ms = arms.weapon_of(guard).manner, arms.blow_ms(guard)
    viewers = in_sight(guard)
    guard.world.events.append(Struck(guard, criminal, Outcome.CRITICAL, criminal.hits, manner, ms, viewers))
    life.kill(criminal, guard)
