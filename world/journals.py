"""Journals: how a character stands with its quests, and what it may do with them. Nothing is changed here;
`world.quests` does that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world import hands
from world.errands import REWARD, Entry, Kind, State
from world.parts import Progress
from world.reach import Cannot, Refusal, check_talk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.errands import Quest, Step
    from world.mobile import Mobile
    from world.thing import Surroundings

NO_ROOM: Final = "You have no room for what you have earned by {}: it waits until you have."


CHANGED: Final = "This is done in another way now: give it up to begin it anew."
"""Of a step that content knows no more."""


def quest(world: Surroundings, key: str) -> Quest:
    """The quest of that key. Raises Cannot(NO_QUEST)."""
    found = world.content.quests.get(key)
    if found is None:
        raise Cannot(Refusal.NO_QUEST)
    return found


def calendar(world: Surroundings) -> float:
    """Seconds UTC, on a running server; they go on while it is down."""
    return world.epoch + world.now


def state(actor: Mobile, key: str) -> State:
    """State of a quest for a character."""
    progress = progress_of(actor, key)
    if progress is None:
        return State.NONE
    if progress.step:
        return State.OPEN
    return State.DONE if progress.times else State.NONE


def step_of(actor: Mobile, key: str) -> str:
    """Key of the step that is to be done in a quest (`REWARD`: it waits for room); empty if it is not
    open."""
    progress = progress_of(actor, key)
    return progress.step if progress is not None else ""


def entry(actor: Mobile, of: Quest) -> Entry:
    """A quest as it stands in a character's journal now."""
    progress = progress_of(actor, of.key) or Progress()
    step = of.step(progress.step)
    if step is not None:
        step = told_to(actor, step)
    count = 0 if step is None else count_of(actor, step, progress)
    place = None if step is None else place_of(actor.world, step)
    return Entry(
        of, state(actor, of.key), step, count, line_of(of, progress, step, count), progress.times, place
    )


def told_to(actor: Mobile, step: Step) -> Step:
    """A step in the words for that player, whose name may stand in them."""
    if "{" not in step.text:
        return step
    return attrs.evolve(step, text=step.text.format(name=actor.name))


def entries(actor: Mobile) -> list[Entry]:
    """A character's journal: open quests in the order in which they were begun, then finished ones."""
    if actor.journal is None:
        return []
    known = actor.world.content.quests
    kept = sorted(
        ((progress, known[key]) for key, progress in actor.journal.quests.items() if key in known),
        key=lambda pair: (not pair[0].step, pair[0].begun_at),
    )
    return [entry(actor, of) for progress, of in kept if progress.step or progress.times]


def place_of(world: Surroundings, step: Step) -> tuple[str, int, int] | None:
    """Place where a step can be done: key of the realm, x, y. None if that is nowhere in particular."""
    if step.kind is Kind.GO:
        return step.realm, step.x, step.y
    if step.whom:
        for mobile in world.mobiles.values():
            if mobile.template.key == step.whom and mobile.realm is not None:
                return mobile.realm.name, mobile.x, mobile.y
    return None


def offered_by(actor: Mobile, resident: Mobile) -> list[Quest]:
    """Quests that a resident has for a character now."""
    key, also = resident.template.key, resident.template.offers.quests
    quests = actor.world.content.quests.values()
    return [one for one in quests if (one.giver == key or one.key in also) and why_not(actor, one) is None]


def words_for(resident: Mobile) -> list[str]:
    """Words of letters that a resident waits for."""
    quests = resident.world.content.quests.values()
    steps = [step for known in quests for step in known.steps if step.whom == resident.template.key]
    return [word for step in steps for word in step.words]


def progress_of(actor: Mobile, key: str) -> Progress | None:
    """The row of a quest; None if it was neither begun nor declined."""
    return None if actor.journal is None else actor.journal.quests.get(key)


def ongoing(actor: Mobile) -> Iterator[tuple[Quest, Progress, Step]]:
    """Open quests with the step that is to be done; those that content knows no more are left alone."""
    if actor.journal is None:
        return
    for key, progress in list(actor.journal.quests.items()):
        known = actor.world.content.quests.get(key) if progress.step else None
        step = known.step(progress.step) if known is not None else None
        if known is not None and step is not None:
            yield known, progress, step


def count_of(actor: Mobile, step: Step, progress: Progress) -> int:
    """Amount of a step that is done; of what is to be brought, how much one has."""
    if step.kind is Kind.BRING:
        return min(step.amount, hands.carried(actor).get(step.item, 0))
    return progress.count


def line_of(known: Quest, progress: Progress, step: Step | None, count: int) -> str:
    """Line that says what is to be done, and how much of it is."""
    if progress.step == REWARD:
        return NO_ROOM.format(known.name)
    if step is None and progress.step:
        return CHANGED
    if step is None:
        return "Done." if progress.times else "Not begun."
    counted = step.kind in (Kind.BRING, Kind.HUNT) and step.amount > 1
    return f"{step.text} ({count} of {step.amount})" if counted else step.text


def left_of(world: Surroundings, of: Quest, progress: Progress) -> float | None:
    """Seconds until a finished quest can be begun anew; 0 or less if it can be now, None if it never can."""
    return None if of.again is None else progress.finished_at + of.again - calendar(world)


def resting(actor: Mobile) -> dict[str, float]:
    """Finished quests that can be begun anew later, by key, with the seconds until then."""
    left: dict[str, float] = {}
    for key, progress in () if actor.journal is None else actor.journal.quests.items():
        known = actor.world.content.quests.get(key)
        if known is not None and progress.times and not progress.step:
            seconds = left_of(actor.world, known, progress)
            if seconds is not None and seconds > 0:
                left[key] = seconds
    return left


def why_not(actor: Mobile, wanted: Quest) -> Refusal | None:
    """Why a character may not begin a quest; None if it may."""
    progress = progress_of(actor, wanted.key)
    if progress is not None and progress.step:
        return Refusal.HAS_QUEST
    if progress is not None and progress.times:
        left = left_of(actor.world, wanted, progress)
        if left is None or left > 0:
            return Refusal.LATER
    return Refusal.UNSKILLED if actor.level < wanted.level else None


def check_may_begin(actor: Mobile, wanted: Quest, giver: Mobile | None) -> None:
    """Check that a character may begin a quest. Raises Cannot: DEAD; GONE, FAR or UNSEEN of the giver;
    HAS_QUEST, LATER or UNSKILLED."""
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if giver is not None:
        check_talk(actor, giver)
    why = why_not(actor, wanted)
    if why is not None:
        raise Cannot(why)


def now_at(actor: Mobile, key: str, kind: Kind | None = None, step: str = "") -> tuple[Quest, Progress, Step]:
    """An open quest with its step, which has to be of that kind and have that key, if any is given. Raises
    Cannot(NO_QUEST)."""
    for known, progress, now in ongoing(actor):
        if known.key == key and kind in (None, now.kind) and step in ("", now.key):
            return known, progress, now
    raise Cannot(Refusal.NO_QUEST)
