"""Lessons: trainers raise skills for gold, up to where they know nothing more. (PLAY, section 7)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import lodging
from world.dialogs import Button, Choice, Number, Option, Reply, ask
from world.promises import promise
from world.reach import Cannot, Refusal, check_talk
from world.rules.growth import skill_cap
from world.skills import TENTHS
from world.speech import notice
from world.wording import coins

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.offers import Lesson

LESSONS: Final = "LessonDialog"
"""Name of the question; its type id is a hash of this."""

NO_MORE: Final = "There is nothing that they could teach you."
TOO_MUCH: Final = "They cannot teach you so much of it now."


def left_of(actor: Mobile, lesson: Lesson) -> int:
    """Whole points of a skill that a trainer can still teach somebody: to where it knows it, and to the cap
    of the pupil's level."""
    if actor.learner is None:
        return 0
    cap = min(lesson.most, skill_cap(max(1, actor.level), actor.world.content.growth))
    known = actor.learner.skills.get(lesson.skill)
    return max(0, (cap - (known.value if known is not None else 0)) // TENTHS)


def learn(actor: Mobile, trainer: Mobile, skill: str, points: int) -> None:
    """Have a skill raised by whole points, for gold. Raises Cannot: DEAD, GONE, FAR, UNSEEN, USELESS if that
    is not taught, AMOUNT or POOR."""
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    check_talk(actor, trainer)
    lesson = next((one for one in trainer.template.offers.lessons if one.skill == skill), None)
    if lesson is None or actor.learner is None:
        raise Cannot(Refusal.USELESS, NO_MORE)
    if not 1 <= points <= left_of(actor, lesson):
        raise Cannot(Refusal.AMOUNT, TOO_MUCH)
    price = points * lesson.price
    lodging.pay(actor, price)
    known = actor.learner.skills.get(skill)
    value = (known.value if known is not None else 0) + points * TENTHS
    actor.learner.learn(skill, value)
    gold = coins(actor.world, price)
    promise(actor, f"{trainer.name} teaches you {skill}, to {value / TENTHS:.1f}, for {gold}.")


def offer(actor: Mobile, trainer: Mobile) -> None:
    """Ask somebody what it wants to learn. Raises Cannot: DEAD, GONE, FAR, UNSEEN, or USELESS if there is
    nothing."""
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    check_talk(actor, trainer)
    taught = [(lesson, left_of(actor, lesson)) for lesson in trainer.template.offers.lessons]
    taught = [(lesson, left) for lesson, left in taught if left]
    if not taught:
        raise Cannot(Refusal.USELESS, NO_MORE)
    options = [
        Option(at, f"{lesson.skill}, up to {left} points", price=lesson.price)
        for at, (lesson, left) in enumerate(taught, 1)
    ]

    def answered(pupil: Mobile, reply: Reply) -> None:
        if not reply.button:
            return
        lesson, _ = taught[reply.chosen("which")[0] - 1]
        try:
            learn(pupil, trainer, lesson.skill, reply.number("points"))
        except Cannot as cannot:
            notice(pupil, str(cannot))

    most = max(left for _, left in taught)
    ask(
        actor,
        LESSONS,
        title=trainer.name,
        text="What would you like to learn? The price is for one point.",
        buttons=(Button(1, "Teach me."), Button(0, "Nothing, thank you.")),
        answered=answered,
        asker=trainer,
        inputs=(Choice("which", "Which skill?", options), Number("points", "How many points?", 1, most, 1)),
    )
