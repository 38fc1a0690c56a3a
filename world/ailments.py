"""Ailments: poison, which takes hits every few seconds until it ends by itself or is cured. (PLAY, section 6)

Poison is one timer of its victim. What it takes goes through `life.hurt`, so that whoever poisoned a creature
has its part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import life
from world.mobile import Poison
from world.speech import notice

if TYPE_CHECKING:
    from world.mobile import Mobile

POISONED: Final = "You are poisoned!"
ENDED: Final = "The poison has lost its power."
CURED: Final = "You are cured of the poison."


def poison(mobile: Mobile, venom: int, by: Mobile | None = None) -> bool:
    """Poison a living mobile: `venom` hits each time. Of two poisons the stronger works on, from the
    beginning. Returns whether it is poisoned now. Raises ValueError for a venom below 1."""
    if venom < 1:
        raise ValueError(f"nobody is poisoned by {venom}")
    if mobile.dead or mobile.realm is None:
        return False
    rule = mobile.world.content.poison
    running = mobile.poison
    if running is None:
        mobile.poison = running = Poison(venom)
        mobile.poisoned = True
        notice(mobile, POISONED)
        _wait(mobile, running)
    running.venom = max(running.venom, venom)
    running.left = rule.times
    running.by = by.serial if by is not None else 0
    return True


def cure(mobile: Mobile) -> bool:
    """Free a mobile of poison; returns False if it had none."""
    if mobile.poison is None:
        return False
    life.recuperate(mobile)
    notice(mobile, CURED)
    return True


def go_on(mobile: Mobile, venom: int, left: int, by: int) -> None:
    """Let poison work on that a character brings with it: as `Poison` says of these."""
    mobile.poison, mobile.poisoned = Poison(venom, left, by), True
    _wait(mobile, mobile.poison)


def _wait(mobile: Mobile, running: Poison) -> None:
    seconds = mobile.world.content.poison.seconds
    running.timer = mobile.world.timers.after(seconds, _work, mobile, owner=mobile)


def _work(mobile: Mobile) -> None:
    running = mobile.poison
    if running is None:
        return
    running.left -= 1
    if life.hurt(mobile, running.venom, mobile.world.mobiles.get(running.by)):
        return
    if running.left > 0:
        _wait(mobile, running)
    else:
        life.recuperate(mobile)
        notice(mobile, ENDED)
