"""The sky over all six games: what staff sets from the console every client is shown, and whoever comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.kit.square import CAST, FIRST, Guest
from world.realm import Weather

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

RAIN, STORM, CLEAR = "rain", "storm", "clear"

WORDS = {
    RAIN: ("It begins to rain.", "It is raining."),
    STORM: ("A storm breaks.", "A storm is raging."),
    CLEAR: ("The sky clears.", "The sky is clear."),
}
"""Of games that have no picture of it: what begins, and how it is."""

CO = {RAIN: (2,), STORM: (4,), CLEAR: (1, 10)}
"""MsgWeather's types (facts/co.md, 1016): at night a clear sky has fireflies."""

EQ2 = {RAIN: 0.75, STORM: 0.95, CLEAR: 0.0}
"""The least of the sheet's f32 rain (facts/eq2-play.md, 11)."""

UO = {RAIN: 0, STORM: 1, CLEAR: 0xFF}
"""Types of 0x65 (facts/uo.md)."""


def shows(guest: Guest, kind: str) -> bool:
    """Whether a client shows that weather now."""
    player = guest.player
    match guest.game.name:
        case "uo":
            told = [packet[1] for packet in player.client.packets if packet[0] == 0x65]  # type: ignore[attr-defined]
            return told[-1:] == [UO[kind]] or (kind == CLEAR and not told)
        case "co":
            return player.client.screen.weather in CO[kind]  # type: ignore[attr-defined]
        case "eq2":
            rain = player.client.sheet.rain  # type: ignore[attr-defined]
            return bool(rain >= EQ2[kind] and (rain > 0) == (kind != CLEAR))
        case "web":
            return bool(player.client.screen.weather == kind)  # type: ignore[attr-defined]
    every = [line for pair in WORDS.values() for line in pair]
    lines = [said for line in guest.game.heard(player) for said in every if said in line]
    return any(line in WORDS[kind] for line in lines[-1:])


async def test_the_sky_is_set_from_the_console_and_shown_by_all(
    town: Town, autojump_clock: MockClock
) -> None:
    guests = [Guest(town, name, CAST[name]) for name in FIRST]
    for guest in guests[::2]:
        await guest.enters()
    realm = guests[0].mobile.realm
    assert realm is not None
    for kind in (RAIN, STORM, CLEAR):
        answer = await town.app.commands.run("console", f"weather {realm.name} {kind}")
        assert answer.ok
        assert realm.weather is Weather(kind)
        await trio.sleep(1)
        if kind == RAIN:
            for guest in guests[1::2]:
                await guest.enters()
            await trio.sleep(3)
        for guest in guests:
            assert shows(guest, kind), f"{guest}: {kind}"


async def test_the_time_is_set_from_the_console_and_told_to_all(
    town: Town, autojump_clock: MockClock
) -> None:
    guests = [Guest(town, name, CAST[name]) for name in FIRST]
    uo, eo, web = guests[0], guests[1], guests[-1]
    for guest in (uo, eo, web):
        await guest.enters()
    for time, light in (("12:00", 0), ("02:00", 12)):
        assert (await town.app.commands.run("console", f"time {time}")).ok
        await trio.sleep(1)
        told = [packet[1] for packet in uo.player.client.packets if packet[0] == 0x4F]  # type: ignore[attr-defined]
        assert told[-1] == light
        assert any(f"It is {time}, " in line for line in eo.game.heard(eo.player))
        assert web.player.client.screen.time[0] == int(time[:2])  # type: ignore[attr-defined]
