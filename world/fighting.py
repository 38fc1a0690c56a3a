"""Fighting: war and peace, enemies, blows and when they come. (PLAY, section 3)

A fight is one timer per fighter. `attack` names an enemy, and the world strikes for the attacker, blow after
blow, until one of both is dead, gone, out of sight or has had enough (`stop`); while the enemy is too far off
the timer looks again a few times a second. Endless Online's players strike the tile ahead instead
(`strike`); who holds the key strikes as often as who clicked once, because an early request is kept until the
weapon is ready, one at a time. (Blows at the client's pace, checked against a clock, were not taken: what the
network bunches together would then be lost.)

Everything is checked before anything changes, and all that a blow does happens in one turn: the picture
(`Struck`), the hits, the skills, the crime, the death. Pure numbers are in `world.rules.combat`, who may be
attacked in `world.law`, what is in the hands in `world.arms`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import ailments, arms, hands, law, learning, life, motion, recovery
from world.audience import in_sight
from world.events import Engaged, Outcome, Struck, Swung
from world.heading import OFFSETS, apart, towards
from world.mobile import Mobile, Posture
from world.parts import Fighter, bind
from world.reach import Cannot, Refusal, can_reach, can_see, has_sight
from world.rules import combat
from world.speech import notice
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.content import Weapon
    from world.mobile import Viewport

LOOK_AGAIN: Final = 0.2
"""Seconds between two looks whether an enemy has come into reach."""

FARTHEST: Final = 18
"""Tiles beyond which a fighter gives its enemy up."""

MISSED_FROM_AFAR: Final = "Somebody out of your sight misses you."


def set_war(mobile: Mobile, war: bool) -> None:
    """Draw or sheathe; who sheathes strikes no more. Raises Cannot(DEAD): ghosts do not draw."""
    if war and mobile.dead:
        raise Cannot(Refusal.DEAD)
    mobile.war = war
    if not war:
        stop(mobile)


def attack(actor: Mobile, target: Mobile) -> None:
    """Fight a mobile, blow after blow; the first in the same turn if the weapon is ready. Whom one fights
    already goes on being fought. Raises Cannot: DEAD, SITTING; ONESELF, GONE, UNSEEN, DEFEATED, GUARDED,
    PEACE, YOUNG; FAR, NEAR or NO_AMMUNITION."""
    _check_may_strike(actor)
    weapon = arms.weapon_of(actor)
    if target is not actor and target.realm is actor.realm:
        if not can_see(actor, target):
            raise Cannot(Refusal.UNSEEN)
        if not _may_begin(actor, target, weapon):
            raise Cannot(Refusal.FAR)
    law.check_enemy(actor, target)
    if apart(actor, target) < weapon.nearest:
        raise Cannot(Refusal.NEAR)
    if weapon.ammunition and arms.ammunition_of(actor) is None:
        raise Cannot(Refusal.NO_AMMUNITION)
    fighter = _fighter(actor)
    if fighter.enemy == target.serial:
        return
    fighter.enemy = target.serial
    actor.war = True
    actor.world.events.append(Engaged(actor, target, _witnesses(actor, target)))
    _wait(actor, max(0.0, fighter.swing_at - actor.world.now))


def can_strike(actor: Mobile, target: Mobile) -> bool:
    """Whether blows of an actor reach so far, and nothing is in their way; who shoots may be too near."""
    return _in_reach(actor, target, arms.weapon_of(actor), nearest=False)


def stop(mobile: Mobile) -> None:
    """Strike no more. Creatures sheathe by that, players when they like."""
    life.disengage(mobile)
    if not mobile.is_character:
        mobile.war = False


def strike(actor: Mobile, heading: int) -> None:
    """Strike once at what stands ahead: at once if the weapon is ready, else when it is; one blow may wait.
    What cannot be struck is refused in words when the blow comes. Raises Cannot(DEAD or SITTING)."""
    _check_may_strike(actor)
    fighter = _fighter(actor)
    wait = fighter.swing_at - actor.world.now
    if wait <= 0:
        _strike_ahead(actor, heading)
    elif fighter.swing is None:
        fighter.swing = actor.world.timers.after(
            wait, _strike_later, actor, heading, owner=actor, priority=Priority.EXACT
        )


def _strike_later(actor: Mobile, heading: int) -> None:
    fighter = _fighter(actor)
    fighter.swing = None
    if actor.dead or actor.realm is None or actor.posture != Posture.STANDING:
        return
    _strike_ahead(actor, heading)


def _strike_ahead(actor: Mobile, heading: int) -> None:
    motion.turn(actor, heading)
    weapon = arms.weapon_of(actor)
    target = _first_ahead(actor, heading, weapon)
    if target is not None:
        try:
            law.check_enemy(actor, target)
            if weapon.ammunition and arms.ammunition_of(actor) is None:
                raise Cannot(Refusal.NO_AMMUNITION)
        except Cannot as cannot:
            notice(actor, str(cannot), means=cannot.why)
        else:
            _blow(actor, target, weapon)
            return
    _fighter(actor).swing_at = actor.world.now + arms.blow_ms(actor) / 1000
    actor.world.events.append(Swung(actor, heading, in_sight(actor)))


def _first_ahead(actor: Mobile, heading: int, weapon: Weapon) -> Mobile | None:
    """Whom a blow in that direction meets: the first that lives, one that may be fought before others."""
    realm = actor.realm
    if realm is None:
        return None
    dx, dy = OFFSETS[heading]
    for distance in range(max(1, weapon.nearest), weapon.reach + 1):
        x, y = actor.x + dx * distance, actor.y + dy * distance
        if not realm.inside(x, y):
            return None
        found = [
            thing
            for thing in realm.space.around(x, y, 0)
            if isinstance(thing, Mobile) and not thing.hidden and not thing.dead and thing is not actor
        ]
        if found and has_sight(realm, actor.x, actor.y, x, y):
            return min(found, key=lambda one: one.template.fights is None)
    return None


# Blow after blow


def _wait(actor: Mobile, seconds: float) -> None:
    fighter = _fighter(actor)
    if fighter.swing is not None:
        fighter.swing.cancel()
        fighter.swing = None
    if seconds <= 0:
        _swing(actor)
    else:
        fighter.swing = actor.world.timers.after(seconds, _swing, actor, owner=actor, priority=Priority.EXACT)


def _swing(actor: Mobile) -> None:
    """The next blow is due: strike if the enemy is in reach, look again soon if it is not."""
    fighter = _fighter(actor)
    fighter.swing = None
    target = actor.world.mobiles.get(fighter.enemy)
    if target is None or not _still(actor, target):
        stop(actor)
        return
    weapon = arms.weapon_of(actor)
    if actor.posture != Posture.STANDING or not _in_reach(actor, target, weapon):
        _wait(actor, LOOK_AGAIN)
        return
    if weapon.ammunition and arms.ammunition_of(actor) is None:
        notice(actor, Refusal.NO_AMMUNITION.value, means=Refusal.NO_AMMUNITION)
        stop(actor)
        return
    _blow(actor, target, weapon)
    if fighter.enemy == target.serial:
        if target.dead:
            stop(actor)
        else:
            _wait(actor, fighter.swing_at - actor.world.now)


def _still(actor: Mobile, target: Mobile) -> bool:
    """Whether a fight goes on."""
    if actor.dead or actor.realm is None or apart(actor, target) > FARTHEST or target.hidden:
        return False
    try:
        law.check_enemy(actor, target)
    except Cannot:
        return False
    return True


def _blow(actor: Mobile, target: Mobile, weapon: Weapon) -> None:
    """One blow, and all that it does."""
    world, rule = actor.world, actor.world.content.combat
    fighter = _fighter(actor)
    facing = towards(target.x - actor.x, target.y - actor.y)
    # Whoever is on the way strikes in passing: to be turned would cost the steps that its client has taken.
    if facing is not None and not actor.gait.queue:
        motion.turn(actor, facing, forced=True)
    ms = arms.blow_ms(actor)
    fighter.swing_at = world.now + ms / 1000
    arrow = arms.ammunition_of(actor)
    if arrow is not None:
        hands.destroy(actor, arrow, 1)
    if actor.is_character and actor.stam > 0:
        actor.stam -= min(actor.stam, rule.blow_stamina)
        recovery.recover(actor)
    attack_skill = arms.points(actor, weapon.skill)
    defence_skill = arms.points(target, arms.weapon_of(target).skill)
    outcome, lost = _roll(actor, target, weapon, attack_skill, defence_skill)
    world.events.append(
        Struck(
            actor,
            target,
            outcome,
            lost,
            weapon.manner,
            ms,
            _witnesses(actor, target),
            arms.is_two_handed(actor),
        )
    )
    if target.viewport is not None and not _covers(target.viewport, actor):
        notice(target, f"Somebody out of your sight hits you for {lost}." if lost else MISSED_FROM_AFAR)
    learning.practise(actor, weapon.skill, defence_skill)
    learning.practise(actor, "tactics", defence_skill)
    if arms.has_shield(target):
        learning.practise(target, "parry", attack_skill)
    law.assaulted(actor, target)
    life.hurt(target, lost, actor)
    if lost:
        _envenom(actor, target)
    if not target.dead and target.stung is not None:
        target.stung(actor)


def _roll(
    actor: Mobile, target: Mobile, weapon: Weapon, attack_skill: float, defence_skill: float
) -> tuple[Outcome, int]:
    """What comes of a blow, and how many hits it takes."""
    rule, dice = actor.world.content.combat, actor.world.random
    if dice.random() >= combat.hit_chance(attack_skill, defence_skill, rule):
        return Outcome.MISSED, 0
    shielded = arms.has_shield(target)
    parry = arms.points(target, "parry") if shielded else 0.0
    if shielded and dice.random() < combat.block_chance(parry, rule):
        return Outcome.BLOCKED, 0
    critical = dice.random() < rule.critical_chance
    lost = combat.damage(
        dice.uniform(weapon.least, weapon.most),
        strength=actor.strength if actor.is_character else 0,
        tactics=arms.points(actor, "tactics") if actor.is_character else 0.0,
        armour=arms.armour_of(target),
        side=combat.side_of(actor.x - target.x, actor.y - target.y, target.heading),
        critical=critical,
        rule=rule,
    )
    return Outcome.CRITICAL if critical else Outcome.HIT, min(lost, target.hits)


def _envenom(actor: Mobile, target: Mobile) -> None:
    """What a creature's blow does by its venom, if it has any."""
    kind, world = actor.template.fights, actor.world
    if kind is None or not kind.venom or target.dead:
        return
    if world.random.random() < world.content.poison.chance:
        ailments.poison(target, kind.venom, actor)


# What is asked of both


def _check_may_strike(actor: Mobile) -> None:
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if actor.posture != Posture.STANDING:
        raise Cannot(Refusal.SITTING)


def _may_begin(actor: Mobile, target: Mobile, weapon: Weapon) -> bool:
    """Whether an enemy is near enough to begin: a step farther than the blow reaches."""
    return can_reach(actor, target) if weapon.reach == 1 else _in_reach(actor, target, weapon, nearest=False)


def _in_reach(actor: Mobile, target: Mobile, weapon: Weapon, *, nearest: bool = True) -> bool:
    distance = apart(actor, target)
    realm = actor.realm
    if realm is None or distance > weapon.reach or (nearest and distance < weapon.nearest):
        return False
    return has_sight(realm, actor.x, actor.y, target.x, target.y)


def _fighter(mobile: Mobile) -> Fighter:
    if mobile.fighter is None:
        mobile.fighter = bind(Fighter(), mobile)
    return mobile.fighter


def _covers(viewport: Viewport, mobile: Mobile) -> bool:
    return viewport.mobile.realm is mobile.realm and viewport.covers(mobile.x, mobile.y)


def _witnesses(actor: Mobile, target: Mobile) -> Sequence[Viewport]:
    """Viewers of either, each once."""
    viewers = in_sight(actor)
    known = {viewport.key for viewport in viewers}
    return [*viewers, *(viewport for viewport in in_sight(target) if viewport.key not in known)]
