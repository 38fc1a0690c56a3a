"""Characters whose players do not want to be on the public map.

pytest-trio only sees a clock that the test itself asks for, so each test names `autojump_clock`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio

from server.people.privacy import GAME, KEY, Privacy
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.town import Town
from tests.kit.visitor import Visitor, front_of
from tests.kit.watcher import Watcher
from tests.kit.worlds import person, plain_world
from world import life, speech
from world.events import Speech

if TYPE_CHECKING:
    from trio.testing import MockClock

    from server.store.records import NoteRow
    from world.mobile import Mobile
    from world.world import World


async def watch(town: Town, model: Watcher) -> None:
    """Somebody watches where everybody begins, for ever."""
    assert town.app.live is not None
    viewer = town.app.live.watch(town.app.world.realms[town.app.content.start_realm], lambda: None)
    while True:
        model.read(await viewer.next())


def busy(name: str, world: World) -> None:
    """Somebody does all that is shown of anybody else."""
    mobile = next(mobile for mobile in world.online() if mobile.name == name)
    for how in (Speech.SAY, Speech.YELL, Speech.EMOTE):
        speech.say(mobile, f"my words {how.value}", how)
    speech.gesture(mobile, "bow")
    speech.to_all(world, "my chat", speaker=mobile)
    life.kill(mobile)
    life.resurrect(mobile)
    mobile.title = "my title"


async def test_nothing_leaks_of_who_does_not_want_to_be_shown(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery)
    await town.open()
    alric, berta = UoPlayer(town), EoPlayer(town)
    await alric.enters("alric")
    await berta.enters("berta")
    before = Watcher()
    nursery.start_soon(watch, town, before)
    await trio.sleep(1)
    serial = town.mobile("Alric").serial
    assert before.things[serial]["name"] == "Alric"
    assert "Alric has come" in before.raw
    await alric.does(alric.client.say_bytes(".map off"))
    assert any("neither shows nor names you" in line for line in alric.client.said())
    assert serial not in before.things
    after, told = Watcher(), len(before.raw)
    nursery.start_soon(watch, town, after)
    await alric.walks(2)
    await town.app.in_world(None, partial(busy, "Alric"))
    await trio.sleep(1)
    alric.leaves()
    await trio.sleep(90)
    assert not town.here("Alric")
    again = UoPlayer(town)
    await again.enters("alric")
    await again.walks(6)
    await town.app.in_world(None, partial(busy, "Berta"))
    await trio.sleep(2)
    for seen in (before.raw[told:], after.raw):
        assert not [word for word in ("Alric", f'"id":{serial},', f"[{serial},") if word in seen]
        assert seen.count("my words say") == seen.count("my chat") == 1
    assert after.counts["online"] == {"eo": 1, "uo": 1}
    answer = await Visitor(front_of(town)).get("/status.json")
    assert answer.json()["players"] == ["Berta"]
    await again.does(again.client.say_bytes(".map on"))
    await trio.sleep(2)
    assert before.things == after.things
    assert before.things[serial]["name"] == "Alric"
    assert (await Visitor(front_of(town)).get("/status.json")).json()["players"] == ["Alric", "Berta"]
    nursery.cancel_scope.cancel()


async def test_the_word_of_a_player_outlives_the_server(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as first:
        town = Town(first)
        await town.open()
        berta = EoPlayer(town)
        await berta.enters("berta")
        serial = town.mobile("Berta").serial
        await berta.does(berta.client.say("$map maybe"))
        assert town.app.privacy.is_public(town.mobile("Berta"))
        await berta.does(berta.client.say("$map off"))
        await trio.sleep(2)
        assert town.database.notes(GAME, KEY) == {serial: "off"}
        town.app.stop(0)
    later = Town(nursery, database=town.database)
    await later.open()
    model = Watcher()
    nursery.start_soon(watch, later, model)
    berta = EoPlayer(later)
    await berta.enters("berta")
    await trio.sleep(1)
    assert later.mobile("Berta").serial == serial
    assert "Berta" not in model.raw
    await berta.does(berta.client.say("$map on"))
    await trio.sleep(2)
    assert model.things[serial]["name"] == "Berta"
    assert later.database.notes(GAME, KEY) == {serial: "on"}
    nursery.cancel_scope.cancel()


def test_who_hides_is_not_public_and_who_said_no_is_known_while_away() -> None:
    world = plain_world()
    kept: list[NoteRow] = []
    heard: list[Mobile] = []
    anna, bert = person(world, "Anna"), person(world, "Bert")
    privacy = Privacy({anna.serial: "off", bert.serial: "on", 99: "off"}, kept.append)
    privacy.watchers.append(heard.append)
    assert [privacy.is_public(mobile) for mobile in (anna, bert)] == [False, True]
    assert [privacy.is_off(serial) for serial in (anna.serial, bert.serial, 99)] == [True, False, True]
    privacy.put(anna, on_map=True)
    assert privacy.is_public(anna)
    assert kept == [(anna.serial, GAME, KEY, "on")]
    assert heard == [anna]
    anna.hidden = True
    assert not privacy.is_public(anna)
