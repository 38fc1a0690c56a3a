"""Brains: the things creatures do by themselves. (PLAY, section 5)

A brain is one timer that runs as long as somebody may see what it does. While no viewport reaches its sector
it sleeps: no timer, nothing to look at, whatever the number of creatures; the sector itself wakes it when a
viewport comes (`Space.sleep`). Awake it is in one of four moods: at home it wanders and looks around; it is
after somebody; it runs from somebody; it has given up and goes back home, where it forgets everything. Each
mood is one function that does the next small thing and says after how many seconds the next is due.

A brain only decides: steps are `world.motion`'s, blows are `world.fighting`'s and follow their own timer,
how to get beside somebody is in `world.pursuit`. (A tick over all creatures was not taken: its cost grows
with the population and not with what players see of it.)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from world import fighting, life, motion, pursuit
from world.content import Temper
from world.heading import OFFSETS, apart
from world.mobile import Mobile
from world.parts import Brain, Mood, bind
from world.reach import Cannot, has_sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.content import Creature
    from world.realm import Realm

LOOKS_AROUND: Final = 0.6
"""Seconds between two looks of somebody who hunts, while it is at home."""

RESTS: Final = 2.5
"""Seconds between two thoughts of others, while they are at home."""

WANDERS: Final = 0.25
"""Chance of a step at each of these, of those who hunt; others think less often and step at every second."""

WAKES: Final = 0.25
"""Seconds within which those who are woken together have their first thought."""

CALLS: Final = 8
"""Tiles from which kin come to help."""

FLEES: Final = 6.0
"""Seconds that a flight takes after the last blow."""

WEARY: Final = 8.0
"""Seconds for which somebody who is back at home notices nobody."""

MENDS: Final = 4.0
"""Seconds on the way home in which all its hits come back."""


def give(mobile: Mobile, roam: tuple[int, int, int, int] | None = None) -> None:
    """Give a creature that stands in a realm a brain: its home is where it stands. `roam`: the tiles on which
    it wanders (left, top, right and bottom, edges included); none: only its own. Raises ValueError for a
    mobile that does not fight or is nowhere."""
    if mobile.template.fights is None or mobile.realm is None:
        raise ValueError(f"{mobile.name} has no use for a brain")
    x, y = mobile.x, mobile.y
    mobile.brain = bind(Brain(x, y, roam or (x, y, x, y)), mobile)
    mobile.stung = partial(_stung, mobile)
    _rest(mobile, mobile.brain)


def is_asleep(mobile: Mobile) -> bool:
    """Whether a creature sleeps, because nobody can see what it does."""
    return mobile.brain is not None and mobile.brain.timer is None


# One thought after the other


def _think(mobile: Mobile) -> None:
    """Do the next small thing. Whoever does not say when the next is due sleeps now."""
    brain, kind, realm = mobile.brain, mobile.template.fights, mobile.realm
    if brain is None or kind is None or realm is None or mobile.dead:
        return
    brain.timer = None
    seconds = _MOODS[brain.mood](mobile, brain, kind, realm)
    if seconds is not None and brain.timer is None:
        _think_after(mobile, brain, seconds)


def _think_after(mobile: Mobile, brain: Brain, seconds: float) -> None:
    if brain.timer is not None:
        brain.timer.cancel()
    brain.timer = mobile.world.timers.after(seconds, _think, mobile, owner=mobile)


def _wake(mobile: Mobile) -> None:
    """Somebody may see it: think soon, though not all in one turn."""
    brain = mobile.brain
    if brain is not None and brain.timer is None:
        _think_after(mobile, brain, mobile.world.random.random() * WAKES)


def _rest(mobile: Mobile, brain: Brain) -> None:
    """Sleep if nobody is near, else go on thinking."""
    realm = mobile.realm
    if realm is None or not realm.space.sleep(mobile, partial(_wake, mobile)):
        _wake(mobile)


def _set_mood(mobile: Mobile, brain: Brain, mood: Mood, enemy: int = 0) -> None:
    brain.mood, brain.enemy, brain.stuck = mood, enemy, 0
    pursuit.forget_way(brain)


# At home


def _idle(mobile: Mobile, brain: Brain, kind: Creature, realm: Realm) -> float | None:
    """Sleep if nobody is near; notice somebody; wander."""
    if not realm.space.at(mobile.x, mobile.y).viewports:
        if not life.is_whole(mobile):
            life.restore(mobile)
        mobile.wounds.clear()
        _rest(mobile, brain)
        return None
    dice = mobile.world.random
    hunts = kind.temper is Temper.HUNTS
    if hunts and mobile.world.now >= brain.until:
        prey = _notice(mobile, brain, kind, realm)
        if prey is not None:
            _pursue(mobile, brain, prey)
            return None
    if dice.random() < (WANDERS if hunts else 0.5):
        _wander(mobile, brain)
    return (LOOKS_AROUND if hunts else RESTS) * (0.8 + 0.4 * dice.random())


def _notice(mobile: Mobile, brain: Brain, kind: Creature, realm: Realm) -> Mobile | None:
    """The nearest player whom it sees and would not have to leave its leash for: one that somebody plays now,
    because those are known by their viewports and nobody else has to be looked at."""
    found: Mobile | None = None
    nearest = kind.sight + 1
    for viewport in realm.space.at(mobile.x, mobile.y).viewports.values():
        other = viewport.mobile
        distance = apart(mobile, other)
        if (
            distance < nearest
            and other.realm is realm
            and not other.dead
            and not other.hidden
            and max(abs(other.x - brain.home_x), abs(other.y - brain.home_y)) <= kind.leash
            and has_sight(realm, mobile.x, mobile.y, other.x, other.y)
        ):
            found, nearest = other, distance
    return found


def _wander(mobile: Mobile, brain: Brain) -> None:
    """A random step, never off the tiles on which it roams, nor to where somebody stands."""
    heading = mobile.world.random.randrange(0, 8, 2)
    dx, dy = OFFSETS[heading]
    x, y = mobile.x + dx, mobile.y + dy
    left, top, right, bottom = brain.roam
    if left <= x <= right and top <= y <= bottom and not pursuit.is_taken(mobile, x, y):
        motion.step(mobile, heading)


# After somebody


def _stung(mobile: Mobile, attacker: Mobile) -> None:
    """Answer to a blow: run, strike back, or go on with what it is about."""
    brain, kind, realm = mobile.brain, mobile.template.fights, mobile.realm
    if brain is None or kind is None or realm is None or attacker is mobile:
        return
    realm.space.rouse(mobile)
    if kind.temper is Temper.PEACEFUL or brain.mood is Mood.FLEE or _is_weak(mobile, kind):
        _run_from(mobile, brain, attacker)
        if kind.temper is Temper.PEACEFUL:
            _call(mobile, kind, realm, attacker)
    elif brain.mood is Mood.CHASE:
        enemy = mobile.world.mobiles.get(brain.enemy)
        if enemy is None or (enemy is not attacker and apart(mobile, attacker) < apart(mobile, enemy)):
            _turn_on(mobile, brain, attacker)
    elif _may_follow(mobile, brain, kind):
        _pursue(mobile, brain, attacker)


def _pursue(mobile: Mobile, brain: Brain, enemy: Mobile) -> None:
    """Go after somebody, and call those of its kin for help."""
    _turn_on(mobile, brain, enemy)
    if mobile.template.fights is not None and mobile.realm is not None:
        _call(mobile, mobile.template.fights, mobile.realm, enemy)


def _turn_on(mobile: Mobile, brain: Brain, enemy: Mobile) -> None:
    fighting.set_war(mobile, True)  # before the first blow: who comes at somebody is seen to
    _set_mood(mobile, brain, Mood.CHASE, enemy.serial)
    _think_after(mobile, brain, 0.0)


def _call(mobile: Mobile, kind: Creature, realm: Realm, enemy: Mobile) -> None:
    """Those of one kin that are near and have nothing else to do come and help, or run as well. They call
    nobody else: a blow does not raise a whole wood."""
    if not kind.kin:
        return
    for other in realm.space.around(mobile.x, mobile.y, CALLS):
        if not isinstance(other, Mobile) or other is mobile or other.dead or other is enemy:
            continue
        mind, its = other.brain, other.template.fights
        if mind is None or its is None or its.kin != kind.kin or mind.mood is not Mood.IDLE:
            continue
        realm.space.rouse(other)
        if its.temper is Temper.PEACEFUL:
            _run_from(other, mind, enemy)
        else:
            _turn_on(other, mind, enemy)


def _chase(mobile: Mobile, brain: Brain, kind: Creature, realm: Realm) -> float | None:
    """Come up to the enemy and strike at it; give up if that leads too far."""
    enemy = mobile.world.mobiles.get(brain.enemy)
    if enemy is None or not _is_enemy(mobile, enemy) or not _may_follow(mobile, brain, kind):
        return _next_enemy(mobile, brain, kind, realm)
    if _is_weak(mobile, kind):
        _run_from(mobile, brain, enemy)
        return None
    strikes = mobile.enemy == enemy.serial
    if not strikes and apart(mobile, enemy) <= 1 and (mobile.x, mobile.y) != (enemy.x, enemy.y):
        try:
            fighting.attack(mobile, enemy)
        except Cannot:
            return _next_enemy(mobile, brain, kind, realm)
        if brain.mood is not Mood.CHASE:
            return None  # its blow had an answer
    seconds = pursuit.approach(mobile, brain, enemy, kind, realm)
    if seconds is None:
        _go_home(mobile, brain)
        return 0.0
    return seconds


def _is_enemy(mobile: Mobile, enemy: Mobile) -> bool:
    """Whether somebody can be fought on."""
    return (
        enemy.realm is mobile.realm
        and not enemy.dead
        and not enemy.hidden
        and apart(mobile, enemy) <= fighting.FARTHEST
    )


def _may_follow(mobile: Mobile, brain: Brain, kind: Creature) -> bool:
    """Whether it is within its leash."""
    return max(abs(mobile.x - brain.home_x), abs(mobile.y - brain.home_y)) <= kind.leash


def _is_weak(mobile: Mobile, kind: Creature) -> bool:
    return mobile.hits < kind.flees_at * mobile.hits_max


def _next_enemy(mobile: Mobile, brain: Brain, kind: Creature, realm: Realm) -> float | None:
    """Give this enemy up for another: of those who hurt it the nearest, or whom it notices. If there is none
    it goes home."""
    before = brain.enemy
    fighting.stop(mobile)
    others = [mobile.world.mobiles.get(serial) for serial in mobile.wounds if serial != before]
    near = [other for other in others if other is not None and _is_enemy(mobile, other)]
    other = min(near, key=partial(apart, mobile), default=None)
    if other is None and kind.temper is Temper.HUNTS:
        other = _notice(mobile, brain, kind, realm)
    if other is None or other.serial == before or not _may_follow(mobile, brain, kind):
        _go_home(mobile, brain)
        return 0.0
    _turn_on(mobile, brain, other)
    return None


# Away from somebody


def _run_from(mobile: Mobile, brain: Brain, enemy: Mobile) -> None:
    fighting.stop(mobile)
    begins = brain.mood is not Mood.FLEE
    brain.until = mobile.world.now + FLEES
    if begins:
        _set_mood(mobile, brain, Mood.FLEE, enemy.serial)
        _think_after(mobile, brain, 0.0)
    else:
        brain.enemy = enemy.serial


def _flee(mobile: Mobile, brain: Brain, kind: Creature, realm: Realm) -> float | None:
    """A step away from the enemy; who is cornered and no coward strikes."""
    enemy = mobile.world.mobiles.get(brain.enemy)
    if enemy is None or not _is_enemy(mobile, enemy) or mobile.world.now >= brain.until:
        _go_home(mobile, brain)
        return 0.0
    away = _distance_squared(mobile.x, mobile.y, enemy)
    best: int | None = None
    for heading, (dx, dy) in enumerate(OFFSETS):
        x, y = mobile.x + dx, mobile.y + dy
        farther = _distance_squared(x, y, enemy)
        if (
            farther > away
            and max(abs(x - brain.home_x), abs(y - brain.home_y)) <= kind.leash
            and motion.can_step(realm, mobile.x, mobile.y, heading)
            and (x, y) not in realm.chart.warps
        ):
            best, away = heading, farther
    if best is not None and motion.step(mobile, best):
        fighting.stop(mobile)
        return pursuit.step_seconds(kind, best)
    if kind.temper is not Temper.PEACEFUL and apart(mobile, enemy) <= 1:
        try:
            fighting.attack(mobile, enemy)
        except Cannot:
            _go_home(mobile, brain)
    return pursuit.BESIDE


# Back


def _go_home(mobile: Mobile, brain: Brain) -> None:
    fighting.set_war(mobile, False)
    _set_mood(mobile, brain, Mood.HOME)


def _home(mobile: Mobile, brain: Brain, kind: Creature, realm: Realm) -> float | None:
    """A step towards home, healing; at once if nobody sees it."""
    home = brain.home_x, brain.home_y
    here = mobile.x, mobile.y
    seen = bool(realm.space.at(*here).viewports)
    if here != home and seen:
        seconds = pursuit.go_to(mobile, brain, kind, realm, home)
        if seconds is not None:
            life.heal(mobile, max(1, round(mobile.hits_max * seconds / MENDS)))
            return seconds
    if here != home:
        mobile.world.warp(mobile, realm, *home)
    life.restore(mobile)
    mobile.wounds.clear()
    _set_mood(mobile, brain, Mood.IDLE)
    brain.until = mobile.world.now + WEARY
    return RESTS if seen else 0.0


def _distance_squared(x: int, y: int, other: Mobile) -> int:
    return (x - other.x) ** 2 + (y - other.y) ** 2


_MOODS: Final[dict[Mood, Callable[[Mobile, Brain, Creature, Realm], float | None]]] = {
    Mood.IDLE: _idle,
    Mood.CHASE: _chase,
    Mood.FLEE: _flee,
    Mood.HOME: _home,
}
