"""The weather of realms, and who is shown it when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.worlds import goes_on, person, plain_world
from world.events import Occasion, WeatherChanged
from world.realm import Weather
from world.space import Sight
from world.weather import RENEWAL_SECONDS, in_words, set_weather, show

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World


def player(world: World, name: str, realm: str) -> Mobile:
    """Somebody who is online there."""
    mobile = person(world, name, 5, 5, realm=realm)
    world.open_viewport(mobile, mobile.serial, Sight(8))
    return mobile


def told(world: World) -> list[tuple[str, Weather, Occasion]]:
    """Who was told what since the last call."""
    return [
        (viewport.mobile.name, event.kind, event.occasion)
        for event in world.take_changes().events
        if isinstance(event, WeatherChanged)
        for viewport in event.viewers
    ]


def test_all_who_are_in_the_realm_are_shown_it_and_nobody_else() -> None:
    world = plain_world()
    player(world, "Anna", "plain")
    player(world, "Bert", "cave")
    assert set_weather(world, world.realms["plain"], Weather.RAIN) is Weather.CLEAR
    assert told(world) == [("Anna", Weather.RAIN, Occasion.BEGINS)]
    assert set_weather(world, world.realms["plain"], Weather.RAIN) is Weather.RAIN
    assert told(world) == []
    assert in_words(world.realms["plain"]) == "It is raining."
    assert in_words(world.realms["cave"]) == "The sky is clear."


def test_whoever_comes_is_shown_it_if_it_is_not_what_they_had() -> None:
    world = plain_world()
    plain, cave = world.realms["plain"], world.realms["cave"]
    anna = player(world, "Anna", "plain")
    show(anna)
    assert told(world) == [], "a client takes the sky for clear"
    world.warp(anna, cave, 5, 5)
    assert told(world) == []
    set_weather(world, plain, Weather.SNOW)
    world.warp(anna, plain, 5, 5)
    assert told(world) == [("Anna", Weather.SNOW, Occasion.FOUND)]
    world.warp(anna, plain, 9, 9)
    assert told(world) == []
    world.warp(anna, cave, 5, 5)
    assert told(world) == [("Anna", Weather.CLEAR, Occasion.FOUND)]


def test_it_is_renewed_while_it_lasts_and_no_longer() -> None:
    world = plain_world()
    plain = world.realms["plain"]
    player(world, "Anna", "plain")
    set_weather(world, plain, Weather.RAIN)
    goes_on(world, RENEWAL_SECONDS / 2)
    set_weather(world, plain, Weather.STORM)
    told(world)
    goes_on(world, RENEWAL_SECONDS * 0.9)
    assert told(world) == [], "the timer of the rain is gone"
    goes_on(world, RENEWAL_SECONDS * 0.2)
    assert told(world) == [("Anna", Weather.STORM, Occasion.GOES_ON)]
    set_weather(world, plain, Weather.CLEAR)
    assert told(world) == [("Anna", Weather.CLEAR, Occasion.BEGINS)]
    goes_on(world, RENEWAL_SECONDS * 3)
    assert told(world) == []


def test_its_words_tell_what_begins_and_how_it_is() -> None:
    world = plain_world()
    plain = world.realms["plain"]
    for kind in Weather:
        lines = [WeatherChanged(plain, kind, (), occasion).words(own=True) for occasion in Occasion]
        assert None not in lines[:2]
        assert len({*lines}) == 3
        assert lines[2] is None
