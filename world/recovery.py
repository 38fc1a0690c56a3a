"""Recovery: hits, mana and stamina that are missing come back.

By one timer for each mobile, which runs only while something is missing, so that a world of healthy mobiles
has none. The three pools come back at paces of their own (vitality, intelligence and dexterity); the timer is
set for the one that is due first. A tick over all mobiles would be simpler and was not taken: its cost grows
with the population, this one with the wounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.mobile import Posture, Recovery

if TYPE_CHECKING:
    from world.content import Regeneration
    from world.mobile import Mobile


def pause(rule: Regeneration, attribute: int) -> float:
    """Seconds between two recoveries of a pool that goes by an attribute of `points`."""
    return max(rule.quickest_seconds, rule.slowest_seconds - attribute / rule.points_for_a_second)


def portion(rule: Regeneration, most: int, *, fighting: bool = False, sitting: bool = False) -> float:
    """Points of a pool that come back at a time; a part of a point is carried over."""
    points = max(1.0, most / rule.parts)
    if sitting:
        points *= rule.sitting_factor
    return points / rule.fight_divisor if fighting else points


def recover(mobile: Mobile) -> None:
    """Start the recovery of a living mobile in the world, if it misses anything; one that is under way goes
    on."""
    missing = missing_of(mobile)
    if mobile.dead or mobile.realm is None or not any(missing):
        return
    rule, now = mobile.world.content.regeneration, mobile.world.now
    if mobile.recovery is None:
        mobile.recovery = Recovery()
    recovery, begins = mobile.recovery, False
    for pool, attribute in enumerate(_attributes(mobile)):
        if missing[pool] and not recovery.due[pool]:
            recovery.due[pool] = now + pause(rule, attribute)
            begins = True
    if begins:
        _wait(mobile, recovery)


def _regenerate(mobile: Mobile) -> None:
    """What is due comes back."""
    recovery, now = mobile.recovery, mobile.world.now
    if recovery is None:
        return
    rule, attributes = mobile.world.content.regeneration, _attributes(mobile)
    sitting, fighting = mobile.posture != Posture.STANDING, now < mobile.fighting_until
    gained = [0, 0, 0]
    missing = missing_of(mobile)
    for pool, most in enumerate((mobile.hits_max, mobile.mana_max, mobile.stam_max)):
        if missing[pool] and now >= recovery.due[pool]:
            recovery.part[pool] += portion(rule, most, fighting=fighting, sitting=sitting)
            gained[pool] = min(missing[pool], int(recovery.part[pool]))
            recovery.part[pool] %= 1.0
            recovery.due[pool] = now + pause(rule, attributes[pool])
        if gained[pool] == missing[pool]:
            recovery.due[pool] = recovery.part[pool] = 0.0
    restore_part(mobile, *gained)
    if mobile.hits == mobile.hits_max:
        mobile.wounds.clear()  # nobody has a right to what it leaves any more
    _wait(mobile, recovery)


def restore_part(mobile: Mobile, hits: int, mana: int, stamina: int) -> None:
    """Add to what is there; who has no mana gets none."""
    if hits:
        mobile.hits += hits
    if mana:
        mobile.mana += mana
    if stamina:
        mobile.stam += stamina


def missing_of(mobile: Mobile) -> tuple[int, int, int]:
    """Hits, mana and stamina that a mobile misses."""
    return (
        max(0, mobile.hits_max - mobile.hits),
        max(0, mobile.mana_max - mobile.mana),
        max(0, mobile.stam_max - mobile.stam),
    )


def _attributes(mobile: Mobile) -> tuple[int, int, int]:
    """What hits, mana and stamina come back by."""
    return mobile.vitality, mobile.intelligence, mobile.dexterity


def _wait(mobile: Mobile, recovery: Recovery) -> None:
    """For the first of what is due; if nothing is, that was all."""
    if recovery.timer is not None:
        recovery.timer.cancel()
    waiting = [due for due in recovery.due if due]
    if waiting:
        delay = min(waiting) - mobile.world.now
        recovery.timer = mobile.world.timers.after(delay, _regenerate, mobile, owner=mobile)
    else:
        mobile.recovery = recovery.timer = None


def cease(mobile: Mobile) -> None:
    """Stop the recovery of a mobile."""
    recovery, mobile.recovery = mobile.recovery, None
    if recovery is not None and recovery.timer is not None:
        recovery.timer.cancel()
