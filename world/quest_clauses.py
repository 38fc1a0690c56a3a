"""Quests in dialogs: a condition on them, and effects that begin and finish them, registered with those of
`world.clauses`.

A quest that a dialog begins, or a step that it finishes, is left to the dialog (`Talk.leads`): its resident
neither offers the one nor takes the other as soon as somebody comes near.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import attrs

from world import journals, quests
from world.clauses import Condition, Deal, Effect, condition, effect
from world.errands import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from world.mobile import Mobile
    from world.talks import Known

READY: Final = "ready"
"""State of a quest that the player may begin now, for the first time or anew."""

STATES: Final = (*(state.value for state in State), READY)


def _unknown(known: Known, field: str, quest: str, step: str) -> Iterator[str]:
    """Lines about a quest that does not exist, or a step that it does not have."""
    yield from known.unknown(field, quest, known.quests)
    if step and quest in known.quests:
        yield from known.unknown("step", step, known.quests[quest])


@condition("quest")
@attrs.frozen
class QuestIs(Condition):
    """A quest of the player's is in that state, and if it is open at that step."""

    quest: str
    state: str = State.OPEN.value
    step: str = ""

    def wrong(self, known: Known) -> Iterable[str]:
        yield from _unknown(known, "quest", self.quest, self.step)
        yield from known.unknown("state", self.state, STATES)
        if self.step and self.state != State.OPEN.value:
            yield f"step: only an open quest is at one, not state = {self.state!r}"

    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        if self.state == READY:
            wanted = player.world.content.quests.get(self.quest)
            return wanted is not None and journals.why_not(player, wanted) is None
        if journals.state(player, self.quest).value != self.state:
            return False
        return not self.step or journals.step_of(player, self.quest) == self.step


@effect("start_quest")
@attrs.frozen
class StartQuest(Effect):
    """The player begins a quest, without being asked once more."""

    start_quest: str

    @property
    def leads(self) -> tuple[str, str]:
        return self.start_quest, ""

    def wrong(self, known: Known) -> Iterable[str]:
        return _unknown(known, "start_quest", self.start_quest, "")

    def prepare(self, player: Mobile, speaker: Mobile, deal: Deal) -> None:
        """Keep room for the letter of the quest. Raises Cannot as `quests.begin`."""
        begun = journals.quest(player.world, self.start_quest)
        journals.check_may_begin(player, begun, speaker)
        if begun.letter:
            deal.made[begun.letter] += 1

    def happen(self, player: Mobile, speaker: Mobile) -> None:
        quests.begin(player, self.start_quest, speaker)


@effect("finish_step")
@attrs.frozen
class FinishStep(Effect):
    """The step of a quest is done that the player is at; after the last one it is paid."""

    pays: ClassVar[bool] = True

    finish_step: str
    step: str

    @property
    def leads(self) -> tuple[str, str]:
        return self.finish_step, self.step

    def wrong(self, known: Known) -> Iterable[str]:
        return _unknown(known, "finish_step", self.finish_step, self.step)

    def prepare(self, player: Mobile, speaker: Mobile, deal: Deal) -> None:
        """Add nothing: a reward finds room in the bank, or waits. Raises Cannot(NO_QUEST) unless that step is
        to be done."""
        journals.now_at(player, self.finish_step, step=self.step)

    def happen(self, player: Mobile, speaker: Mobile) -> None:
        quests.finish_step(player, self.finish_step, self.step, speaker)
