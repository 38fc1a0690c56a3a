"""Quests in dialogs: what is asked of them, and what an answer does with them, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.errands import BREAD, LETTER, RATS, WALK, a_world, carries, changes, settled, somebody
from world import dialogs, granting, hands, journals, quests, residents
from world.clauses import Give, Mark, Take, all_hold, carry_out
from world.containers import MOST_IN_CONTAINER
from world.conversations import TALK
from world.errands import Change, State
from world.events import Said
from world.marks import has_mark
from world.quest_clauses import FinishStep, QuestIs, StartQuest
from world.quests import OFFER
from world.reach import Cannot, Refusal
from world.talks import Answer, Passage, Talk

if TYPE_CHECKING:
    from world.clauses import Effect
    from world.mobile import Mobile

STATES = ("none", "open", "done", "ready")


def conditions(player: Mobile) -> set[str]:
    """States of the quest for bread that hold."""
    found = {state for state in STATES if QuestIs("bread", state).holds(player, player)}
    return found | {"bring"} if QuestIs("bread", step="bring").holds(player, player) else found


def test_a_condition_knows_each_state_of_a_quest() -> None:
    world = a_world(BREAD)
    world.epoch = 1000.0
    alric = somebody(world)
    assert conditions(alric) == {"none", "ready"}
    quests.begin(alric, "bread")
    assert conditions(alric) == {"open", "bring"}
    assert not QuestIs("bread", step="other").holds(alric, alric)
    quests.finish_step(alric, "bread")
    assert conditions(alric) == {"done"}
    world.begin(world.now + 61)
    assert conditions(alric) == {"done", "ready"}
    assert not all_hold((QuestIs("gone"), QuestIs("gone", "ready")), alric, alric)


def test_a_quest_begins_and_ends_in_a_dialog_of_its_giver() -> None:
    talk = Talk(
        {
            "start": Passage(
                "Well?",
                (
                    Answer("Work?", "", (QuestIs("bread", "ready"),), (StartQuest("bread"), Mark("asked"))),
                    Answer(
                        "Here.",
                        needs=(QuestIs("bread", step="bring"),),
                        does=(Take("bread", 1), FinishStep("bread", "bring")),
                    ),
                    Answer("No."),
                ),
            )
        },
        frozenset({("bread", ""), ("bread", "bring")}),
    )
    world = a_world(BREAD)
    miller = settled(world, "miller")
    miller.template = attrs.evolve(miller.template, talk=talk)
    alric = somebody(world)

    def answer(label: str) -> None:
        residents.talk_to(alric, miller)
        (dialog,) = alric.dialogs.values()
        assert dialog.name == TALK, "neither an offer nor a taking of its own"
        number = next(button.number for button in dialog.buttons if button.label == label)
        assert dialogs.answer(alric, dialog.serial, dialog.type_id, number)

    answer("Work?")
    assert changes(world) == [("bread", Change.BEGUN)]
    assert not alric.dialogs, "it is not asked once more"
    carries(alric, "bread", 5)
    answer("Here.")
    assert hands.carried(alric) == {"bread": 4, "gold": 20, "dagger": 1}
    said = [event.text for event in world.take_changes().events if isinstance(event, Said)]
    assert "Thanks, Alric." in said
    assert journals.state(alric, "bread") is State.DONE


def test_another_quest_is_still_offered_by_who_has_a_dialog() -> None:
    world = a_world(BREAD, RATS)
    miller, alric = settled(world, "miller"), somebody(world)
    alric.level = 2
    talk = Talk({"start": Passage("Well?", (Answer("No."),))}, frozenset({("bread", "")}))
    miller.template = attrs.evolve(miller.template, talk=talk)
    residents.talk_to(alric, miller)
    (dialog,) = alric.dialogs.values()
    assert (dialog.name, dialog.title) == (OFFER, "Rats")


@pytest.mark.parametrize(
    ("effects", "why"),
    [
        ((Mark("done"), Give("gold"), StartQuest("rats")), Refusal.UNSKILLED),
        ((Mark("done"), Give("gold"), StartQuest("gone")), Refusal.NO_QUEST),
        ((Mark("done"), Give("gold"), FinishStep("walk", "go")), Refusal.NO_QUEST),
        ((FinishStep("bread", "other"), Give("gold")), Refusal.NO_QUEST),
        ((FinishStep("bread", "bring"), Take("candle")), Refusal.AMOUNT),
        ((StartQuest("letter"), Give("candle", MOST_IN_CONTAINER)), Refusal.FULL),
    ],
)
def test_effects_are_all_or_nothing(effects: tuple[Effect, ...], why: Refusal) -> None:
    world = a_world(BREAD, RATS, WALK, LETTER)
    alric, miller = somebody(world), settled(world, "miller")
    quests.begin(alric, "bread")
    world.take_changes()
    with pytest.raises(Cannot) as refused:
        carry_out(effects, alric, miller)
    assert refused.value.why is why
    assert changes(world) == []
    assert hands.carried(alric) == {}
    assert not has_mark(alric, "done")
    assert journals.step_of(alric, "bread") == "bring"


def test_a_letter_finds_the_room_that_it_was_kept() -> None:
    """The reward of the one quest would fill the pack before the letter of the other comes into it."""
    world = a_world(BREAD, LETTER)
    alric, miller = somebody(world), settled(world, "miller")
    quests.begin(alric, "bread")
    assert alric.strength < 100
    alric.strength = 100
    for _ in range(MOST_IN_CONTAINER - 1):
        carries(alric, "candle")
    carry_out((FinishStep("bread", "bring"), StartQuest("letter")), alric, miller)
    assert journals.state(alric, "letter") is State.OPEN
    assert granting.number_of(alric, "letter") == 1
