"""Healing: bandages, which take time and skill, and the dead whom they can raise. (PLAY, section 6)

Who dresses wounds stays beside its patient and about where it began; it looks a few times a second whether
that is still so. The bandage is used up by the beginning: what was interrupted is interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import ailments, arms, hands, learning, life
from world.audience import in_sight
from world.checks import check_beside
from world.events import Mended
from world.heading import apart
from world.mobile import Dressing
from world.reach import REACH, Cannot, Refusal, can_reach
from world.rules import healing as rules
from world.speech import notice

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile

LOOK_AGAIN: Final = 0.5
"""Seconds between two looks whether healer and patient are still where they were."""

TOO_HARD: Final = "You know too little of healing and anatomy to raise the dead."
STRANGER: Final = "You know nothing of wounds like these."
WELL: Final = "There is nothing to dress."
BUSY: Final = "You are dressing wounds already."
LEFT_OFF: Final = "You leave off dressing the wounds."
FAILED: Final = "Your bandage does not help."
ALREADY_ASKED: Final = "It is asked already whether it wants to live."


def dress(actor: Mobile, bandage: Item, on: Mobile | None = None) -> Mobile:
    """Begin to dress wounds with a bandage of one's own: those of a named player, else of the wounded player
    that one aims at, else one's own. Returns the patient. Raises Cannot: SOON; UNSEEN, FAR; USELESS if there
    is nothing to dress or the skill is not enough; and as `hands.destroy`."""
    patient = on if on is not None else _aimed_at(actor) or actor
    if actor.dressing is not None:
        raise Cannot(Refusal.SOON, BUSY)
    _check_patient(actor, patient)
    hands.destroy(actor, bandage, 1)
    world = actor.world
    remedy = bandage.template.remedy
    until = world.now + rules.seconds(actor.dexterity, world.content.healing)
    base = remedy.hits if remedy is not None else 0
    actor.dressing = Dressing(patient.serial, base, patient.dead, actor.x, actor.y, until)
    _wait(actor, actor.dressing)
    if patient is actor:
        notice(actor, "You begin to dress your wounds.")
    else:
        notice(actor, f"You begin to dress the wounds of {patient.label}.")
        notice(patient, f"{actor.label} begins to dress your wounds.")
    return patient


def _aimed_at(actor: Mobile) -> Mobile | None:
    """The player that one aims at, if it can be helped where it is and one does not fight it."""
    target = actor.world.mobiles.get(actor.target)
    if target is None or actor.enemy == target.serial:
        return None
    try:
        _check_patient(actor, target)
    except Cannot:
        return None
    return target


def _check_patient(actor: Mobile, patient: Mobile) -> None:
    if patient is not actor:
        check_beside(actor, patient)
    if not patient.is_character:
        raise Cannot(Refusal.USELESS, STRANGER)
    if patient.dead:
        if not rules.can_raise(*_skills(actor), actor.world.content.healing):
            raise Cannot(Refusal.USELESS, TOO_HARD)
        if life.is_asked_to_live(patient):
            raise Cannot(Refusal.USELESS, ALREADY_ASKED)
    elif patient.hits >= patient.hits_max and not patient.poisoned:
        raise Cannot(Refusal.USELESS, WELL)


def _wait(actor: Mobile, dressing: Dressing) -> None:
    seconds = min(LOOK_AGAIN, dressing.until - actor.world.now)
    dressing.timer = actor.world.timers.after(seconds, _go_on, actor, owner=actor)


def _go_on(actor: Mobile) -> None:
    dressing = actor.dressing
    if dressing is None:
        return
    patient = actor.world.mobiles.get(dressing.patient)
    if patient is None or not _still(actor, patient, dressing):
        actor.dressing = None
        notice(actor, LEFT_OFF)
    elif actor.world.now < dressing.until:
        _wait(actor, dressing)
    else:
        actor.dressing = None
        _finish(actor, patient, dressing)


def _still(actor: Mobile, patient: Mobile, dressing: Dressing) -> bool:
    """Whether both are where they have to be, and in the state in which they were."""
    if patient.dead is not dressing.dead or max(abs(actor.x - dressing.x), abs(actor.y - dressing.y)) > REACH:
        return False
    return patient is actor or (apart(actor, patient) <= REACH and can_reach(actor, patient))


def _finish(actor: Mobile, patient: Mobile, dressing: Dressing) -> None:
    """What comes of it, and what one learns of it: the worse the wounds the more."""
    dice, rule = actor.world.random, actor.world.content.healing
    healing, anatomy = _skills(actor)
    missing = 100.0 * (1 - patient.hits / patient.hits_max) if patient.hits_max else 0.0
    luck = dice.random()
    if patient.dead:
        if luck < rules.raise_chance(healing, rule):
            if not life.is_asked_to_live(patient):
                life.offer_resurrection(patient, actor)
        else:
            notice(actor, FAILED)
    elif patient.poisoned:
        if luck >= rules.cure_chance(healing, rule) or not ailments.cure(patient):
            notice(actor, FAILED)
        elif patient is not actor:
            notice(actor, f"You have cured {patient.label} of the poison.")
    elif luck < rules.chance(healing, rule):
        hits = life.heal(patient, rules.hits(dressing.hits, healing, anatomy, dice.random(), rule))
        if hits:
            actor.world.events.append(Mended(patient, hits, in_sight(patient)))
        if patient is not actor:
            notice(actor, f"You have healed {patient.label} by {hits}.")
    else:
        notice(actor, FAILED)
    for skill in ("healing", "anatomy"):
        learning.practise(actor, skill, missing)


def _skills(actor: Mobile) -> tuple[float, float]:
    return arms.points(actor, "healing"), arms.points(actor, "anatomy")
