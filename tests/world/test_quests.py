"""Quests: offered, begun, done step by step, and paid whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.errands import BREAD, LETTER, RATS, WALK, WORDS, a_world, carries, changes, settled, somebody
from tests.kit.worlds import goes_on
from world import dialogs, hands, holding, journals, letters, life, quests, residents, safes, using
from world.containers import MOST_IN_CONTAINER
from world.errands import REWARD, Change, Kind, State
from world.events import Asked, JournalOpened, QuestChanged, QuestsRenewed
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.renewal import prepare, renew
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.errands import Quest, Step
    from world.world import World


def press(mobile: Mobile, button: int, **given: str) -> None:
    """Answer the newest question."""
    dialog = next(reversed(mobile.dialogs.values()))
    assert dialogs.answer(mobile, dialog.serial, dialog.type_id, button, given)


def refusal(mobile: Mobile, key: str, giver: Mobile | None = None) -> Refusal:
    with pytest.raises(Cannot) as caught:
        quests.begin(mobile, key, giver)
    return caught.value.why


def full(mobile: Mobile) -> None:
    """No room in the pack."""
    for _ in range(MOST_IN_CONTAINER - len(list(hands.carried_items(mobile)))):
        carries(mobile, "candle")


def test_what_is_brought_is_taken_whole_and_paid() -> None:
    world = a_world(BREAD)
    alric, miller = somebody(world), settled(world, "miller")
    residents.talk_to(alric, miller)
    press(alric, 1)
    assert changes(world) == [("bread", Change.BEGUN)]
    carries(alric, "bread", 2)
    residents.talk_to(alric, miller)
    assert hands.carried(alric) == {"bread": 2}, "two of three are left alone"
    assert journals.entry(alric, BREAD).line == "Bring three loaves (2 of 3)"
    carries(alric, "bread", 2)
    before = alric.experience
    residents.talk_to(alric, miller)
    assert hands.carried(alric) == {"bread": 1, "gold": 20, "dagger": 1}
    assert alric.experience == before + 50
    assert changes(world) == [("bread", Change.FINISHED)]
    assert journals.state(alric, "bread") is State.DONE
    assert not alric.dialogs


def test_it_is_done_again_after_a_while() -> None:
    world = a_world(BREAD)
    world.epoch = 1000.0
    alric, miller = somebody(world), settled(world, "miller")
    quests.begin(alric, "bread")
    assert refusal(alric, "bread") is Refusal.HAS_QUEST
    carries(alric, "bread", 3)
    residents.talk_to(alric, miller)
    assert refusal(alric, "bread") is Refusal.LATER
    goes_on(world, 61)
    quests.begin(alric, "bread")
    carries(alric, "bread", 3)
    residents.talk_to(alric, miller)
    assert journals.progress_of(alric, "bread").times == 2  # type: ignore[union-attr] # it has one


def test_who_waited_is_told_when_it_can_be_done_again() -> None:
    often, seldom = attrs.evolve(BREAD, again=90.0), attrs.evolve(WALK, again=200.0, giver="nobody")
    world = a_world(often, seldom, attrs.evolve(RATS, level=9, again=100.0))
    world.epoch = 1.7e9
    alric, miller = somebody(world), settled(world, "miller")
    alric.level = 9
    for key in ("walk", "rats", "bread"):
        quests.begin(alric, key)
        while journals.step_of(alric, key):
            quests.finish_step(alric, key)
    alric.level = 1
    assert journals.offered_by(alric, miller) == []

    def told(seconds: float) -> list[str | None]:
        world.events.clear()
        goes_on(world, seconds)
        return [one.words(own=True) for one in world.events if isinstance(one, QuestsRenewed)]

    assert told(89.9) == []
    assert told(1.2) == ["Bread can be done again. Ask Matt."]
    assert journals.offered_by(alric, miller) == [often]
    assert told(100) == [], "the rats are for people of the ninth level"
    assert told(12) == ["A walk can be done again."]
    # Nobody waits for what is being done, or can be done already.
    assert told(300) == []
    quests.begin(alric, "bread")
    assert told(300) == []


@pytest.mark.parametrize("key", ["rats", "nothing", "bread"])
def test_who_may_not_begin_is_refused_and_nothing_changes(key: str) -> None:
    world = a_world()
    alric, miller = somebody(world), settled(world, "miller", 40)
    why = {"rats": Refusal.UNSKILLED, "nothing": Refusal.NO_QUEST, "bread": Refusal.FAR}[key]
    giver = miller if key == "bread" else None
    assert refusal(alric, key, giver) is why
    assert alric.journal is None
    life.kill(alric)
    assert refusal(alric, "bread") is Refusal.DEAD


def test_a_hunt_counts_deaths_in_which_one_had_a_share() -> None:
    world = a_world(RATS)
    alric, berta, miller = somebody(world), somebody(world, "Berta"), settled(world, "miller")
    alric.level = 2
    quests.begin(alric, "rats")
    assert berta.slew is None
    for who in (alric, berta, alric):
        rat = settled(world, "rat", 12)
        rat.wounds[who.serial] = 6
        life.kill(rat, who)
    assert changes(world) == [("rats", Change.BEGUN), ("rats", Change.ADVANCED), ("rats", Change.STEP)]
    assert alric.slew is None, "nobody asks any more"
    sheep = settled(world, "sheep", 12)
    sheep.wounds[alric.serial] = 6
    life.kill(sheep, alric)
    residents.talk_to(alric, miller)
    assert hands.carried(alric) == {"gold": 5}


def test_places_times_and_choices() -> None:
    world = a_world(WALK)
    alric, crier = somebody(world), settled(world, "crier", 31)
    quests.begin(alric, "walk")
    goes_on(world, 2)
    assert journals.step_of(alric, "walk") == "go"
    assert journals.entry(alric, WALK).place == ("plain", 30, 10)
    world.warp(alric, world.realms["plain"], 28, 10)
    goes_on(world, 1)
    assert journals.step_of(alric, "walk") == "wait"
    world.warp(alric, world.realms["plain"], 29, 10)
    goes_on(world, 8)
    assert journals.step_of(alric, "walk") == "wait"
    goes_on(world, 3)
    assert journals.step_of(alric, "walk") == "which"
    assert alric.journal is not None
    assert alric.journal.timer is None, "nothing goes by place or time any more"
    residents.talk_to(alric, crier)
    press(alric, 2)
    assert journals.step_of(alric, "walk") == "more"
    residents.talk_to(alric, crier)
    assert journals.state(alric, "walk") is State.DONE
    with pytest.raises(Cannot):
        quests.choose(alric, "walk", 0)


def test_the_other_way_leads_to_the_end() -> None:
    world = a_world(WALK)
    alric = somebody(world)
    quests.begin(alric, "walk")
    quests.finish_step(alric, "walk", "go")
    with pytest.raises(Cannot):
        quests.finish_step(alric, "walk", "go")
    quests.finish_step(alric, "walk")
    with pytest.raises(Cannot):
        quests.choose(alric, "walk", 2)
    quests.choose(alric, "walk", 0)
    assert journals.state(alric, "walk") is State.DONE


def test_what_has_no_room_goes_to_the_bank() -> None:
    world = a_world(BREAD)
    alric, miller = somebody(world), settled(world, "miller")
    quests.begin(alric, "bread")
    carries(alric, "bread", 4)
    full(alric)
    residents.talk_to(alric, miller)
    assert hands.carried(alric)["bread"] == 1
    assert "dagger" not in hands.carried(alric)
    assert safes.gold(alric) == 20
    assert [item.template.key for item in safes.things(alric)] == ["dagger"]
    (event,) = [one for one in world.events if isinstance(one, QuestChanged) and one.what is Change.FINISHED]
    assert event.gained == "20 gold coins (in your bank) and 1 dagger (in your bank)"


def test_what_is_too_heavy_goes_to_the_bank() -> None:
    world = a_world(BREAD)
    alric, miller = somebody(world), settled(world, "miller")
    quests.begin(alric, "bread")
    carries(alric, "bread", 3)
    carries(alric, "bread", holding.capacity(alric))
    residents.talk_to(alric, miller)
    assert journals.state(alric, "bread") is State.DONE
    assert "dagger" not in hands.carried(alric)
    assert [item.template.key for item in safes.things(alric)] == ["dagger"]


def test_what_has_no_room_anywhere_waits_and_is_paid_once() -> None:
    world = a_world(BREAD)
    alric, miller = somebody(world), settled(world, "miller")
    quests.begin(alric, "bread")
    carries(alric, "bread", 4)
    full(alric)
    inside = safes.box(alric)
    for _ in range(MOST_IN_CONTAINER - 1):
        candle = holding.make(world, "candle")
        world.register(candle)
        holding.put(inside, candle)
    before = alric.experience
    residents.talk_to(alric, miller)
    assert hands.carried(alric)["bread"] == 1
    assert journals.step_of(alric, "bread") == REWARD
    assert (alric.experience, safes.gold(alric)) == (before, 0), "all of it or nothing"
    with pytest.raises(Cannot):
        quests.give_up(alric, "bread")
    goes_on(world, 2)
    assert journals.step_of(alric, "bread") == REWARD
    hands.destroy_kind(alric, "candle", 2)
    goes_on(world, 2)
    assert journals.state(alric, "bread") is State.DONE
    assert hands.carried(alric)["gold"] == 20
    assert alric.experience == before + 50


def test_a_letter_takes_two_players_of_two_games() -> None:
    world = a_world(LETTER)
    alric, miller = somebody(world), settled(world, "miller")
    berta, carl = somebody(world, "Berta", 11, game="eo"), somebody(world, "Carl", 11, game="uo")
    quests.begin(alric, "letter", miller)
    (letter,) = hands.carried_items(alric, "letter")
    for reader in (alric, carl, berta):
        if reader is not alric:
            holder = letter.root
            assert isinstance(holder, Mobile)
            hands.give(holder, letter, 1, reader)
        if reader is berta:
            assert using.use(berta, letter) is using.Deed.READ
        else:
            with pytest.raises(Cannot) as caught:
                using.use(reader, letter)
            assert caught.value.why is Refusal.ILLEGIBLE
    progress = journals.progress_of(alric, "letter")
    assert progress is not None
    (word,) = letters.words_of(progress, LETTER.steps[0])
    residents.talk_to(alric, miller)
    press(alric, 1, word="nonsense")
    assert journals.state(alric, "letter") is State.OPEN
    residents.talk_to(alric, miller)
    press(alric, 1, word=f" {word.upper()}. ")
    assert hands.carried(alric) == {"gold": 7}
    with pytest.raises(Cannot) as caught:
        using.use(berta, letter)
    assert caught.value.why is Refusal.ILLEGIBLE


def test_the_word_can_be_said_aloud_once_the_letter_was_read_and_another_is_no_use() -> None:
    world = a_world(LETTER)
    alric, _ = somebody(world), settled(world, "miller")
    berta = somebody(world, "Berta", 11, game="eo")
    quests.begin(alric, "letter")
    progress = journals.progress_of(alric, "letter")
    assert progress is not None

    def says(words: Iterable[str]) -> None:
        for said in words:
            assert journals.state(alric, "letter") is State.OPEN
            for listener in list(world.listeners.values()):
                listener(alric, f"it says {said}")
            goes_on(world, 1)

    says(WORDS)
    assert letters.words_of(progress, LETTER.steps[0]) == [], "whoever guesses has not had it read"
    (letter,) = hands.carried_items(alric, "letter")
    hands.give(alric, letter, 1, berta)
    using.use(berta, letter)
    (word,) = letters.words_of(progress, LETTER.steps[0])
    assert word == letters.word_in(LETTER.steps[0], letter.serial)
    says([one for one in WORDS if one != word] + [word])
    assert journals.state(alric, "letter") is State.DONE
    assert hands.carried(alric) == {"gold": 7}
    assert hands.carried(berta) == {"letter": 1}, "it faded"


def test_giving_up_takes_the_letter_back() -> None:
    world = a_world(LETTER)
    alric = somebody(world)
    quests.begin(alric, "letter")
    quests.give_up(alric, "letter")
    assert hands.carried(alric) == {}
    assert journals.state(alric, "letter") is State.NONE
    with pytest.raises(Cannot):
        quests.give_up(alric, "letter")
    quests.begin(alric, "letter")
    assert hands.carried(alric) == {"letter": 1}


def test_the_journal_is_a_window_or_a_dialog() -> None:
    world = a_world(WALK, BREAD)
    alric = somebody(world)
    world.open_viewport(alric, 1, Sight(10))
    quests.begin(alric, "bread")
    world.take_changes()
    alric.windows = frozenset({"journal"})
    quests.show_journal(alric)
    (event,) = world.take_changes().events
    assert isinstance(event, JournalOpened)
    assert [entry.quest.key for entry in event.entries] == ["bread"]
    alric.windows = frozenset()
    quests.show_journal(alric)
    (asked,) = world.take_changes().events
    assert isinstance(asked, Asked)
    assert asked.dialog.text == "Bread: Bring three loaves (0 of 3)"
    press(alric, 1)
    assert journals.state(alric, "bread") is State.NONE


def with_first_step(world: World, quest: Quest, step: Step) -> None:
    """Read content anew in which the first step of a quest is another."""
    content = world.content
    steps = (step, *quest.steps[1:])
    changed = {**content.quests, quest.key: attrs.evolve(quest, steps=steps)}
    renew(world, prepare(content, attrs.evolve(content, quests=changed)))


def test_a_step_names_the_player_who_is_to_do_it() -> None:
    world = a_world(BREAD)
    alric = somebody(world)
    with_first_step(world, BREAD, attrs.evolve(BREAD.steps[0], text="Three loaves, {name}"))
    quests.begin(alric, "bread")
    entry = journals.entry(alric, world.content.quests["bread"])
    assert entry.line == "Three loaves, Alric (0 of 3)"
    assert entry.step is not None
    assert entry.step.text == "Three loaves, Alric"


def test_what_a_reload_made_of_a_step_counts_at_once() -> None:
    world = a_world(BREAD)
    alric = somebody(world)
    quests.begin(alric, "bread")
    assert alric.slew is None
    with_first_step(world, BREAD, attrs.evolve(BREAD.steps[0], kind=Kind.HUNT, kinds=("rat",)))
    assert alric.slew is not None


def test_a_step_that_a_reload_took_away_bars_nothing() -> None:
    world = a_world(BREAD)
    alric = somebody(world)
    quests.begin(alric, "bread")
    with_first_step(world, BREAD, attrs.evolve(BREAD.steps[0], key="other"))
    quests.show_journal(alric)
    (page,) = next(iter(alric.dialogs.values())).pages
    assert "This is done in another way now: give it up" in page
    press(alric, 1)
    quests.begin(alric, "bread")
    assert journals.step_of(alric, "bread") == "other"


def test_newcomers_are_offered_one_until_they_answer() -> None:
    world = a_world(BREAD, welcome="bread")
    alric, old = somebody(world), somebody(world, "Olaf")
    old.level = 2
    for mobile in (alric, old):
        quests.resume(mobile)
    assert [dialog.name for dialog in alric.dialogs.values()] == [quests.OFFER]
    assert not old.dialogs
    dialogs.forget_all(alric)
    quests.resume(alric)
    press(alric, 0)
    quests.resume(alric)
    assert not alric.dialogs
    assert journals.entries(alric) == []
    quests.begin(alric, "bread")
    assert journals.state(alric, "bread") is State.OPEN
