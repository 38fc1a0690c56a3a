"""Words, gestures and orders of the web client, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.players import UoPlayer
from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, settled
from world import life, speech
from world.mobile import Access

if TYPE_CHECKING:
    import pytest
    from trio.testing import MockClock

    from tests.kit.town import Town


async def test_talking_in_all_ways(town: Town, autojump_clock: MockClock) -> None:
    bert, carla = WebPlayer(town), UoPlayer(town)
    anna = await anna_and(town, bert, carla)
    number = town.mobile("Anna").serial
    for how in ("say", "whisper", "yell", "emote"):
        await anna.does(anna.client.say_bytes(f"I {how} it.", how))
        assert bert.screen.said[-1] == anna.screen.said[-1] == (number, "Anna", how, f"I {how} it.")
    await anna.does(anna.client.say_bytes("For you.", "tell", "bert"))
    assert bert.screen.said[-1] == (number, "Anna", "tell", "For you.")
    assert anna.screen.said[-1][2] == "emote"
    await anna.does(anna.client.say_bytes("Hello?", "tell", "Nobody\u202e"))
    assert anna.screen.said[-1] == (0, "System", "system", "Nobody is not online.")
    lines = ("All!", "And you!", "And again!", "And once more!")
    await anna.does(b"".join(anna.client.say_bytes(line, "global") for line in lines))
    assert bert.screen.said[-1] == (number, "Anna", "global", "And again!")
    assert anna.screen.notices()[-1] == "Not so fast: let the others speak, too."
    speech.to_all(town.app.world, "Hear!", announce=True)
    await carla.does(carla.client.say_bytes("Lovely weather, you two!"))
    await settled(town, anna, bert)
    assert (0, "System", "announce", "Hear!") in anna.screen.said
    assert anna.screen.said[-1] == (town.mobile("Carla").serial, "Carla", "say", "Lovely weather, you two!")
    assert "I yell it." in carla.client.said()


async def test_words_of_companies(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    refused = ["You are in no party.", "You are in no guild.", "Your guild is in no alliance."]
    ways = ("party", "guild", "alliance")
    for how in ways:
        await anna.does(anna.client.say_bytes("Psst.", how))
    assert anna.screen.notices()[-3:] == refused
    members = [town.mobile("Anna"), town.mobile("Bert")]
    monkeypatch.setattr(speech, "company", lambda mobile, kind: members)
    for how in ways:
        await anna.does(anna.client.say_bytes("Psst.", how))
    await settled(town, anna, bert)
    said = [(members[0].serial, "Anna", how, "Psst.") for how in ways]
    assert bert.screen.said[-3:] == anna.screen.said[-3:] == said


async def test_words_are_cleaned(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    for typed, heard in (
        ("half \ud83d of a pair", "half  of a pair"),
        ("both \U0001f600 halves", "both \U0001f600 halves"),
        ("\u202eturned\0 \x1b[31mround\u2028", "turned [31mround"),
        ("  " + "x" * 126, "x" * 126),
    ):
        await anna.does(anna.client.say_bytes(typed))
        said = anna.screen.said[-1][3]
        assert said.replace("\ufffd", "") == heard
    before = len(anna.screen.said)
    await anna.does(anna.client.say_bytes("\u202e\0  "))
    assert len(anna.screen.said) == before
    await settled(town, anna)


async def test_gestures_and_death(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    assert anna.screen.gestures == sorted(speech.EMOTES)
    await anna.does(anna.client.gesture_bytes("bow"))
    await anna.does(anna.client.gesture_bytes("flies"))
    assert bert.screen.gestured == anna.screen.gestured == [(mobile.serial, "bow")]
    assert life.kill(mobile)
    await settled(town, anna, bert)
    assert bert.screen.died == anna.screen.died == [mobile.serial]
    shown = bert.screen.things[mobile.serial]
    assert (shown.dead, shown.hits, shown.look["top"]) == (True, 0, "")
    assert anna.screen.sheet["hits"] == 0
    await anna.does(anna.client.gesture_bytes("bow"))
    assert len(bert.screen.gestured) == 1
    assert life.resurrect(mobile)
    await settled(town, anna, bert)
    assert bert.screen.risen == [mobile.serial]
    assert (shown.dead, shown.hits) == (False, 100 * mobile.hits // mobile.hits_max)
    assert shown.look["top"] != ""


async def test_orders_and_who_may_give_them(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    anna = await anna_and(town)
    caplog.set_level("DEBUG")
    before = len(anna.screen.said)
    await anna.does(anna.client.say_bytes("/password hunter22 hunter23", "yell"))
    await anna.does(anna.client.say_bytes(".hlep hunter24"))
    assert all(speaker == 0 for speaker, *_ in anna.screen.said[before:])
    assert len(anna.screen.said) > before
    assert "hunter2" not in caplog.text
    await anna.does(anna.client.say_bytes("/ is a slash, and ... are dots"))
    assert anna.screen.said[-1][0] == town.mobile("Anna").serial
    town.mobile("Anna").access = Access.OWNER
    await anna.does(anna.client.say_bytes(".where", "whisper"))
    assert anna.screen.said[-1][0] == 0
