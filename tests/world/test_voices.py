"""Whoever lives here answers: to a greeting, to its name, to the words of its trade."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from server.content.loading import load
from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import dialogs, life, residents, speech
from world.content import MobileTemplate, Resident, Saying
from world.events import Asked, Said
from world.parts import Learner, bind
from world.reach import Cannot, Refusal
from world.space import Sight
from world.voices import EARSHOT, phrase

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World

DATA = Path(__file__).parent.parent.parent / "data"

WEAVER = MobileTemplate(
    "weaver",
    "Elfrida Rose",
    says="Good day, {name}.",
    hears=(Saying(("wool", "vendor buy"), "It is Edwin's wool."),),
)


def settled(*, away: int = 1, template: MobileTemplate = WEAVER) -> tuple[World, Mobile, Mobile]:
    """A world, who lives in it, and somebody that many tiles away."""
    content = plain_content(residents=(Resident(template.key, 20, 20),))
    assert isinstance(content.mobiles, dict)
    content.mobiles[template.key] = attrs.evolve(template, worn=(), worn_female=())
    world = plain_world(content)
    residents.settle(world)
    (dweller,) = world.mobiles.values()
    mobile = person(world, x=20 + away, y=20)
    world.open_viewport(mobile, 1, Sight(18))
    world.take_changes()
    return world, dweller, mobile


def answers(world: World, dweller: Mobile, seconds: float = 1.0) -> list[str]:
    goes_on(world, seconds)
    told = [one for one in world.take_changes().events if isinstance(one, Said)]
    return [one.text for one in told if one.thing is dweller]


@pytest.mark.parametrize("words", ["hello", "Hail!", "good  day to you", "well, Elfrida Rose?", "HI"])
def test_a_greeting_is_answered(words: str) -> None:
    world, dweller, mobile = settled()
    speech.say(mobile, words)
    assert answers(world, dweller) == ["Good day, Alric."]


@pytest.mark.parametrize("words", ["this", "woollen", "elfrida", "buyer", "..."])
def test_other_words_are_not(words: str) -> None:
    world, dweller, mobile = settled()
    speech.say(mobile, words)
    assert answers(world, dweller) == []


@pytest.mark.parametrize(
    ("words", "away", "heard"),
    [("hello", EARSHOT + 1, True), ("good day", 1, True), ("good day", EARSHOT + 1, False)],
)
def test_the_crier_answers_all_greetings_near_and_a_call_from_afar(
    words: str, away: int, heard: bool
) -> None:
    template = plain_content().mobiles["crier"]
    world, dweller, mobile = settled(away=away, template=template)
    speech.say(mobile, words)
    assert bool(answers(world, dweller)) is heard


def test_from_afar_a_greeting_needs_a_name() -> None:
    world, dweller, mobile = settled(away=EARSHOT + 1)
    speech.say(mobile, "hello")
    assert answers(world, dweller) == []
    speech.say(mobile, "hello, elfrida rose")
    assert answers(world, dweller) == ["Good day, Alric."]
    speech.say(mobile, "any wool?")
    assert answers(world, dweller) == ["It is Edwin's wool."]


def test_of_several_words_the_first_that_is_known_counts() -> None:
    world, dweller, mobile = settled()
    speech.say(mobile, "hello, vendor buy please")
    assert answers(world, dweller) == ["It is Edwin's wool."]


@pytest.mark.parametrize(
    ("words", "answer"),
    [("vendor sell", "I have nothing for sale, Alric."), ("bank", "For that you want the banker, Alric.")],
)
def test_words_of_another_trade_are_answered_by_who_stands_near(words: str, answer: str) -> None:
    for away, told in ((EARSHOT, [answer]), (EARSHOT + 1, [])):
        world, dweller, mobile = settled(away=away)
        speech.say(mobile, words)
        assert answers(world, dweller) == told


def test_what_it_hears_while_it_thinks_gets_no_answer() -> None:
    world, dweller, mobile = settled()
    for _ in range(5):
        speech.say(mobile, "hello")
    assert answers(world, dweller) == ["Good day, Alric."]


def test_a_click_is_a_greeting() -> None:
    world, dweller, mobile = settled(away=9)
    residents.talk_to(mobile, dweller)
    assert answers(world, dweller) == ["Good day, Alric."]


def test_residents_do_not_talk_among_themselves() -> None:
    world, dweller, mobile = settled()
    realm = mobile.realm
    assert realm is not None
    other = residents.move_in(world, realm, Resident("weaver", 21, 20))
    speech.say(mobile, "hello")
    assert answers(world, dweller, 5.0) == ["Good day, Alric."]
    assert answers(world, other, 5.0) == []


def test_the_words_of_a_text() -> None:
    assert phrase("  Good-day, JOHN! ") == " good day john "
    assert phrase("?!") == ""


def role(name: str) -> MobileTemplate:
    return MobileTemplate(name, "Anna", roles=(name,))


@pytest.mark.parametrize("words", ["heal me", "hello", None])
def test_a_healer_mends_the_living(words: str | None) -> None:
    world, dweller, mobile = settled(template=role("healer"))
    life.hurt(mobile, 20)
    if words is None:
        residents.talk_to(mobile, dweller)
    else:
        speech.say(mobile, words)
    assert answers(world, dweller) == ["Hold still, Alric. There: you are whole again."]
    assert mobile.hits == mobile.hits_max
    residents.talk_to(mobile, dweller)
    assert answers(world, dweller) == ["You look well, Alric."]


@pytest.mark.parametrize("words", ["a bed, please", None])
def test_an_innkeeper_offers_a_bed(words: str | None) -> None:
    world, dweller, mobile = settled(template=role("innkeeper"))
    life.hurt(mobile, 20)
    if words is None:
        residents.talk_to(mobile, dweller)
    else:
        speech.say(mobile, words)
    goes_on(world, 0.6)
    (asked,) = [one for one in world.take_changes().events if isinstance(one, Asked)]
    assert asked.dialog.asker is dweller
    hits = mobile.hits
    dialogs.answer(mobile, asked.dialog.serial, asked.dialog.type_id, 0)
    assert mobile.hits == hits
    residents.talk_to(mobile, dweller)
    (dialog,) = mobile.dialogs.values()
    dialogs.answer(mobile, dialog.serial, dialog.type_id, 1)
    assert mobile.hits == mobile.hits_max
    life.kill(mobile)
    with pytest.raises(Cannot) as caught:
        residents.talk_to(mobile, dweller)
    assert caught.value.why is Refusal.DEAD


@pytest.mark.parametrize("words", ["hello", "what is my balance?"])
def test_a_banker_tells_of_the_bank(words: str) -> None:
    world, dweller, mobile = settled(template=role("banker"))
    speech.say(mobile, words)
    (answer,) = answers(world, dweller)
    assert "0 gold" in answer
    assert "vault" in answer


def people() -> list[str]:
    content = load(DATA)
    kinds = {resident.template for chart in content.charts.values() for resident in chart.residents}
    return sorted(kind for kind in kinds if not content.mobiles[kind].creature)


@pytest.mark.parametrize("kind", people())
def test_everybody_of_confluence_answers_words_and_clicks(kind: str) -> None:
    template = load(DATA).mobiles[kind]
    for words in ("hail", template.name, None):
        world, dweller, mobile = settled(template=template)
        mobile.learner = bind(Learner(), mobile)
        if words is None:
            residents.talk_to(mobile, dweller)
        else:
            speech.say(mobile, words)
        goes_on(world, 1.0)
        events = world.take_changes().events
        said = [one for one in events if isinstance(one, Said) and one.thing is dweller]
        assert said or any(isinstance(one, Asked) for one in events)
