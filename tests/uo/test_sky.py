"""Light, weather and thunder, byte for byte (facts/uo.md: 0x4F, 0x65 and 0x54; facts/uo-play.md, 12)."""

from __future__ import annotations

import pytest

from protocol.uo import sky
from tests.kit.worlds import plain_world
from world.daytime import set_time
from world.events import Occasion, WeatherChanged
from world.realm import Weather


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (Weather.RAIN, "65ff0000 65002810"),
        (Weather.STORM, "65ff0000 65014610"),
        (Weather.SNOW, "65ff0000 65022800"),
        (Weather.CLEAR, "65ff0000"),
    ],
)
def test_weather_ends_what_was_before(kind: Weather, shown: str) -> None:
    plain = plain_world().realms["plain"]
    for occasion in (Occasion.BEGINS, Occasion.FOUND):
        packets = sky.weather(WeatherChanged(plain, kind, (), occasion))
        assert b"".join(packet.encode() for packet in packets) == bytes.fromhex(shown)


def test_weather_that_goes_on_is_told_alone() -> None:
    plain = plain_world().realms["plain"]
    (packet,) = sky.weather(WeatherChanged(plain, Weather.RAIN, (), Occasion.GOES_ON))
    assert packet.encode() == bytes.fromhex("65002810")


def test_it_is_dark_at_night_and_between_at_dawn_and_dusk() -> None:
    world = plain_world()
    levels = []
    for hour in range(24):
        set_time(world, hour, 0)
        data = sky.light(world).encode()
        assert (data[0], len(data)) == (0x4F, 2)
        levels.append(data[1])
    assert levels == [12] * 5 + [8, 4] + [0] * 12 + [4, 8] + [12] * 3
