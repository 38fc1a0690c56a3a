"""The town crier's conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.worlds import person, plain_world
from world import dialogs, news
from world.events import Asked
from world.mobile import Access, Mobile
from world.space import Sight

if TYPE_CHECKING:
    from world.world import World


def crier(world: World) -> Mobile:
    template = world.content.mobiles["crier"]
    mobile = Mobile(world.serials.mobile(), world, template.name, template=template)
    world.enter(mobile, world.realms["plain"], 12, 10)
    return mobile


def test_a_conversation_goes_on_until_one_takes_leave() -> None:
    world = plain_world()
    alric = person(world)
    person(world, "Berta", 50, 50)
    world.open_viewport(alric, 1, Sight(10))
    first = news.offer_news(alric, crier(world))
    assert first.title == "Otto, the crier"
    assert "Alric" in first.text
    assert "The Plain" in first.text
    assert dialogs.answer(alric, first.serial, first.type_id, news.WHO)
    (second,) = alric.dialogs.values()
    assert "Berta" in second.text
    assert "Alric" not in second.text
    assert dialogs.answer(alric, second.serial, second.type_id, news.WHERE)
    (third,) = alric.dialogs.values()
    assert "10, 10 in The Plain" in third.text
    assert dialogs.answer(alric, third.serial, third.type_id, news.FAREWELL)
    assert not alric.dialogs
    asked = [event.dialog for event in world.take_changes().events if isinstance(event, Asked)]
    assert asked == [first, second, third]


def test_what_a_game_offers_besides_news() -> None:
    world = plain_world()
    alric = person(world)
    chosen: list[tuple[str, Mobile]] = []
    topics = [
        news.Topic("One.", lambda mobile: chosen.append(("one", mobile))),
        news.Topic("Two.", lambda mobile: chosen.append(("two", mobile))),
    ]
    first = news.offer_news(alric, crier(world), topics)
    labels = [button.label for button in first.buttons]
    assert labels == [
        "Where am I?",
        "Who is here today?",
        "I am looking for somebody.",
        "One.",
        "Two.",
        "Farewell.",
    ]
    assert len({button.number for button in first.buttons}) == 6
    assert dialogs.answer(alric, first.serial, first.type_id, news.WHERE)
    (second,) = alric.dialogs.values()
    assert second.buttons == first.buttons, "they are offered as long as the conversation goes on"
    (two,) = [button.number for button in second.buttons if button.label == "Two."]
    assert not dialogs.answer(alric, second.serial, second.type_id, two + 1)
    asked = news.seek(alric, second.asker or alric, topics)
    assert dialogs.answer(alric, asked.serial, asked.type_id, 1, {"name": "Nobody"})
    second = list(alric.dialogs.values())[-1]
    assert second.buttons == first.buttons, "a search is part of the conversation"
    assert dialogs.answer(alric, second.serial, second.type_id, two)
    assert chosen == [("two", alric)]
    assert not alric.dialogs


def test_who_hides_is_told_of_to_staff_alone() -> None:
    world = plain_world()
    alric, berta = person(world), person(world, "Berta")
    berta.hidden = True
    assert "yourself" in news.who(alric)
    alric.access = Access.COUNSELOR
    assert "Berta" in news.who(alric)


def test_a_crowd_is_not_named_one_by_one() -> None:
    world = plain_world()
    alric = person(world)
    for number in range(news.MOST_NAMED + 7):
        person(world, f"P{number:03}")
    words = news.who(alric)
    assert words.count("P0") == news.MOST_NAMED
    assert words.endswith("and 7 more.")


def test_the_crier_knows_where_somebody_is() -> None:
    world = plain_world()
    alric, berta = person(world), person(world, "Berta", 50, 50)
    first = news.offer_news(alric, crier(world))

    def look_for(name: str) -> str:
        asked = news.seek(alric, next(m for m in world.mobiles.values() if m.name == "Otto"))
        assert dialogs.answer(alric, asked.serial, asked.type_id, 1, {"name": name})
        return list(alric.dialogs.values())[-1].text

    assert dialogs.answer(alric, first.serial, first.type_id, news.SEEK)
    assert [dialog.name for dialog in alric.dialogs.values()] == [news.SOUGHT]
    assert look_for("berta") == "Berta is in The Plain."
    assert look_for("Clara") == "Clara is not here today."
    berta.hidden = True
    assert look_for("Berta") == "Berta is not here today."
    alric.access = Access.COUNSELOR
    assert look_for("Berta") == "Berta is in The Plain."
