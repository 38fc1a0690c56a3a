"""Weather: what each realm has of it now, and who is shown it.

It is set by staff, and stays until it is set anew or the server ends: a realm begins with a clear sky, for
nothing of it is stored. Nothing in the world depends on it yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import audience
from world.realm import Weather
from world.sky import STATES, Occasion, WeatherChanged

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.realm import Realm
    from world.thing import Surroundings

RENEWAL_SECONDS: Final = 300.0
"""Ultima Online's clients let weather end after 6 minutes (ClassicUO)."""


def set_weather(world: Surroundings, realm: Realm, kind: Weather) -> Weather:
    """Let a realm have another weather, and show it to all who are there. Returns what it had before."""
    before, realm.weather = realm.weather, kind
    if kind is before:
        return before
    if realm.renewal is not None:
        realm.renewal.cancel()
    lasts = kind is not Weather.CLEAR
    realm.renewal = world.timers.every(RENEWAL_SECONDS, _renew, world, realm) if lasts else None
    _tell(world, realm, Occasion.BEGINS)
    return before


def in_words(realm: Realm) -> str:
    """Line that tells the weather of a realm."""
    return STATES[realm.weather]


def show(mobile: Mobile, origin: Realm | None = None) -> None:
    """Show the weather to the player of a mobile that has come to a realm: out of `origin`, or into the
    world, whose sky its client takes for clear."""
    realm = mobile.realm
    before = Weather.CLEAR if origin is None else origin.weather
    if realm is None or mobile.viewport is None or realm.weather is before is Weather.CLEAR:
        return
    told = WeatherChanged(realm, realm.weather, audience.one(mobile), Occasion.FOUND)
    mobile.world.events.append(told)


def _renew(world: Surroundings, realm: Realm) -> None:
    _tell(world, realm, Occasion.GOES_ON)


def _tell(world: Surroundings, realm: Realm, occasion: Occasion) -> None:
    viewers = audience.of_realm(world, realm)
    if viewers:
        world.events.append(WeatherChanged(realm, realm.weather, viewers, occasion))
