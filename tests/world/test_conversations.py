"""Dialogs of residents: what is offered to whom, and effects that happen all or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import conversations, dialogs, granting, holding, marks, residents, speech
from world.clauses import (
    Carries,
    Effect,
    Give,
    HasGold,
    IsMarked,
    IsOfLevel,
    IsSkilled,
    IsTime,
    Mark,
    Not,
    PlaysGame,
    Say,
    Serve,
    Span,
    Take,
    Teleport,
    Unmark,
    all_hold,
    carry_out,
)
from world.containers import MOST_IN_CONTAINER
from world.content import MobileTemplate, Resident
from world.daytime import HOUR_SECONDS, MINUTE_SECONDS
from world.events import Said
from world.item import Layer
from world.parts import Learner, bind
from world.reach import Cannot, Refusal
from world.space import Sight
from world.talks import Answer, Passage, Talk

if TYPE_CHECKING:
    from world.clauses import Condition
    from world.dialogs import Dialog
    from world.mobile import Mobile
    from world.world import World

PAID = (Take("bread", 3), Give("gold", 9), Mark("done"))
TALK = Talk(
    {
        "start": Passage(
            "Good day, {name}, I am {me}.",
            (
                Answer("Work?", "work", needs=(Not((IsMarked("done"),)),)),
                Answer("Nothing."),
                Answer("Heal me.", does=(Serve("healer"),)),
            ),
        ),
        "work": Passage(
            "Bring me 3 loaves.",
            (
                Answer(
                    "Here.",
                    "thanks",
                    (Carries("bread", 2),),
                    (Take("bread", 3), Give("gold", 9), Mark("done")),
                ),
                Answer("Later.", "start"),
            ),
        ),
        "thanks": Passage("Thank you, {name}!", (Answer("Bye."),)),
    }
)
BAKER = MobileTemplate("baker", "Greta", says="Hello, {name}.", talk=TALK, roles=("healer",))


def met() -> tuple[World, Mobile, Mobile]:
    """A world, the baker in it, and a player beside her with a pack and two loaves."""
    content = plain_content(residents=(Resident("baker", 20, 20),))
    assert isinstance(content.mobiles, dict)
    content.mobiles["baker"] = BAKER
    world = plain_world(content)
    residents.settle(world)
    (baker,) = world.mobiles.values()
    player = person(world, x=21, y=20)
    pack = holding.make(world, "backpack")
    world.register(pack)
    holding.wear(player, pack)
    granting.make(player, "bread", 2)
    world.open_viewport(player, 1, Sight(18))
    world.take_changes()
    return world, baker, player


def asked(player: Mobile) -> Dialog:
    (dialog,) = player.dialogs.values()
    return dialog


def labels(player: Mobile) -> list[str]:
    return [button.label for button in asked(player).buttons]


def answer(player: Mobile, label: str) -> None:
    dialog = asked(player)
    number = next(button.number for button in dialog.buttons if button.label == label)
    assert dialogs.answer(player, dialog.serial, dialog.type_id, number)


def told(world: World) -> list[str]:
    return [one.text for one in world.take_changes().events if isinstance(one, Said)]


def test_a_click_opens_it_with_the_names_in_it() -> None:
    _, baker, player = met()
    residents.talk_to(player, baker)
    assert asked(player).text == "Good day, Alric, I am Greta."
    assert labels(player) == ["Work?", "Heal me.", "Nothing."]


def test_a_greeting_is_answered_with_words_and_the_dialog() -> None:
    world, _, player = met()
    speech.say(player, "hello")
    goes_on(world, 1)
    assert told(world) == ["hello", "Hello, Alric."]
    assert asked(player).name == conversations.TALK


def test_what_an_answer_does_happens_and_lasts() -> None:
    _, baker, player = met()
    granting.make(player, "bread", 1)
    residents.talk_to(player, baker)
    answer(player, "Work?")
    answer(player, "Here.")
    assert asked(player).text == "Thank you, Alric!"
    assert (granting.number_of(player, "bread"), holding.gold(player)) == (0, 9)
    residents.talk_to(player, baker)
    assert labels(player) == ["Heal me.", "Nothing."]


def test_what_cannot_be_paid_changes_nothing_and_is_asked_anew() -> None:
    world, baker, player = met()
    residents.talk_to(player, baker)
    answer(player, "Work?")
    answer(player, "Here.")
    assert "You do not have 3 loaf of bread." in told(world)
    assert (granting.number_of(player, "bread"), holding.gold(player)) == (2, 0)
    assert not marks.has_mark(player, "done")
    assert asked(player).text == "Bring me 3 loaves."


def test_an_answer_whose_condition_ended_meanwhile_does_not_count() -> None:
    world, baker, player = met()
    residents.talk_to(player, baker)
    answer(player, "Work?")
    dialog = asked(player)
    granting.exchange(player, {"bread": 1}, {})
    world.take_changes()
    assert dialogs.answer(player, dialog.serial, dialog.type_id, 1)
    assert conversations.HAS_CHANGED in told(world)
    assert labels(player) == ["Later.", "Farewell."]


def test_the_dead_are_not_talked_to() -> None:
    _, baker, player = met()
    player.dead = True
    with pytest.raises(Cannot) as refused:
        conversations.begin(player, baker)
    assert refused.value.why is Refusal.DEAD
    conversations.hail(baker, player)
    assert player.dialogs == {}


def test_a_service_is_that_of_its_role() -> None:
    _, baker, player = met()
    player.hits = 1
    residents.talk_to(player, baker)
    answer(player, "Heal me.")
    assert player.hits == player.hits_max
    with pytest.raises(Cannot):
        carry_out((Serve("merchant"), Mark("done")), player, baker)
    assert not marks.has_mark(player, "done")


@pytest.mark.parametrize(
    ("effects", "why"),
    [
        ((Mark("done"), Take("bread", 3)), Refusal.AMOUNT),
        ((Mark("done"), Take("bread", 2), Give("backpack", MOST_IN_CONTAINER + 1)), Refusal.FULL),
        ((Mark("done"), Give("bread", 500)), Refusal.HEAVY),
        ((Mark("done"), Give("gold", 1), Teleport("nowhere", 1, 1)), Refusal.NO_WAY),
    ],
)
def test_effects_are_all_or_nothing(effects: tuple[Effect, ...], why: Refusal) -> None:
    _, baker, player = met()
    with pytest.raises(Cannot) as refused:
        carry_out(effects, player, baker)
    assert refused.value.why is why
    assert granting.number_of(player, "bread") == 2
    assert holding.gold(player) == 0
    assert not marks.has_mark(player, "done")
    assert len(player.worn[Layer.BACKPACK].contents) == 1


def test_what_is_taken_makes_room_for_what_is_given() -> None:
    _, baker, player = met()
    granting.make(player, "dagger", MOST_IN_CONTAINER - 1)
    with pytest.raises(Cannot):
        carry_out((Give("candle"),), player, baker)
    carry_out((Give("gold", 5), Take("bread", 2)), player, baker)
    assert (granting.number_of(player, "bread"), holding.gold(player)) == (0, 5)


def test_words_marks_and_ways_elsewhere() -> None:
    world, baker, player = met()
    carry_out((Mark("done"), Say("Off you go, {name}.")), player, baker)
    carry_out((Unmark("done"), Teleport("cave", 5, 6)), player, baker)
    assert "Off you go, Alric." in told(world)
    assert not marks.has_mark(player, "done")
    assert (player.realm is world.realms["cave"], player.x, player.y) == (True, 5, 6)


def test_conditions_hold_or_not() -> None:
    world, baker, player = met()
    player.learner = bind(Learner(), player)
    player.learner.learn("swords", 305)
    player.level, player.game = 4, "uo"
    granting.make(player, "gold", 5)
    world.dawn = 21 * HOUR_SECONDS + 30 * MINUTE_SECONDS
    holding_now: tuple[Condition, ...] = (
        Carries("bread", 2),
        HasGold(5),
        IsOfLevel(4),
        IsSkilled("swords", 30),
        IsTime(Span("20:00", "05:00")),
        IsTime(Span(after="21:30")),
        PlaysGame("uo"),
        Not((IsMarked("done"),)),
        Not((HasGold(5), IsMarked("done"))),
    )
    failing: tuple[Condition, ...] = (
        Carries("bread", 3),
        HasGold(6),
        IsOfLevel(5),
        IsSkilled("swords", 31),
        IsSkilled("maces", 1),
        IsTime(Span("05:00", "20:00")),
        IsTime(Span(before="21:30")),
        PlaysGame("eo"),
        IsMarked("done"),
        Not((HasGold(5),)),
    )
    assert [one for one in holding_now if not all_hold((one,), player, baker)] == []
    assert [one for one in failing if all_hold((one,), player, baker)] == []


def test_an_answer_that_ends_the_talk_is_what_closing_means() -> None:
    _, baker, player = met()
    talk = attrs.evolve(BAKER, talk=Talk({"start": Passage("Well?", (Answer("Bye."), Answer("No.")))}))
    baker.template = talk
    residents.talk_to(player, baker)
    assert [(button.number, button.label) for button in asked(player).buttons] == [(2, "No."), (0, "Bye.")]
    answer(player, "No.")
    assert player.dialogs == {}
