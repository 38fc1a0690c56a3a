"""The live map: slow viewers, the feed of what was said, counts, and faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from protocol.web.looks import compile_looks
from server.web.feed import RECENT
from server.web.livemap import COUNT_SECONDS, INTERVAL, LiveMap
from tests.kit.livemap import STALLED, UTC, Stage
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.town import Town
from tests.kit.watcher import Watcher, seen_in
from tests.kit.worlds import person
from world import life, motion, speech
from world.daytime import HOUR_SECONDS
from world.events import Manner, Outcome, Speech, Struck
from world.space import Sight

if TYPE_CHECKING:
    from trio.testing import MockClock


@pytest.fixture
async def stage(nursery: trio.Nursery, autojump_clock: MockClock) -> Stage:
    """Two realms and nobody there."""
    await trio.lowlevel.checkpoint()
    return Stage(nursery)


async def test_a_message_that_waits_is_one_that_is_not_sent(stage: Stage, autojump_clock: MockClock) -> None:
    viewer = stage.live.watch(stage.world.realms["plain"], lambda: None)
    await trio.sleep(1)
    assert (await viewer.next()).startswith('{"t":"realm"')
    person(stage.world)
    stage.turn()
    await trio.sleep(1)
    assert viewer.behind, "it is still sending the first"


async def test_what_was_said_in_hiding_stays_there(stage: Stage, autojump_clock: MockClock) -> None:
    staff = person(stage.world, "Staff")
    staff.hidden = True
    stage.turn()
    one = stage.watch()
    await trio.sleep(1)
    speech.say(staff, "secret words")
    speech.to_all(stage.world, "secret chat", speaker=staff)
    stage.turn()
    staff.hidden = False
    stage.turn()
    await trio.sleep(1)
    other = stage.watch()
    await trio.sleep(1)
    assert one.things == other.things == stage.truth() != {}
    assert "secret" not in one.raw + other.raw


async def test_residents_name_nobody_who_is_not_to_be_named(stage: Stage, autojump_clock: MockClock) -> None:
    crier, anna = person(stage.world, "Otto"), person(stage.world, "Anna")
    crier.account = 0
    stage.turn()
    one = stage.watch()
    await trio.sleep(1)
    speech.say(crier, "Welcome, Anna!")
    stage.turn()
    await trio.sleep(1)
    stage.privacy.put(anna, on_map=False)
    for words in ("Anna is here today.", "Hear, hear!"):
        speech.say(crier, words)
    stage.turn()
    await trio.sleep(1)
    assert [act["words"] for act in one.acts] == ["Welcome, Anna!", "Hear, hear!"]


async def test_a_slow_viewer_is_passed_over_and_then_told_all_anew(
    stage: Stage, autojump_clock: MockClock
) -> None:
    anna = person(stage.world, "Anna")
    slow, quick = stage.watch(delay=lambda: 5.0), stage.watch()
    for number in range(40):
        motion.step(anna, 2 if number % 10 < 5 else 6)
        stage.turn()
        await trio.sleep(0.1)
    assert (slow.snapshots, len(slow.names)) == (1, 1)
    assert len(quick.names) > 35
    await trio.sleep(2)  # it has sent its first message now
    assert (slow.snapshots, len(slow.names)) == (2, 2)
    assert slow.things == quick.things == stage.truth()
    await trio.sleep(6)
    assert len(slow.names) == 2, "nothing has happened since"
    assert not stage.aborted


async def test_a_viewer_that_takes_nothing_is_cut_off_though_nothing_happens(
    stage: Stage, autojump_clock: MockClock
) -> None:
    stuck = stage.watch(delay=lambda: 1000.0)
    await trio.sleep(STALLED - 0.1)
    assert not stage.aborted
    await trio.sleep(0.2)
    assert stage.aborted[0] is stuck
    stuck.leave()
    await trio.sleep(1)
    assert trio.lowlevel.current_statistics().seconds_to_next_deadline == float("inf")


async def test_blows_are_shown_but_not_those_of_who_hides(stage: Stage, autojump_clock: MockClock) -> None:
    world = stage.world
    anna, bert, staff = (person(world, name, 10 + at) for at, name in enumerate(("Anna", "Bert", "Staff")))
    staff.hidden = True
    stage.turn()
    one = stage.watch()
    await trio.sleep(1)
    for attacker, target in ((anna, bert), (anna, staff), (staff, anna)):
        blow = Struck(attacker, target, Outcome.HIT, 3, Manner.SLASH, 2500, ())
        target.hits -= 3
        world.events.append(blow)
    left = max(1, 100 * bert.hits // bert.hits_max)
    stage.turn()
    await trio.sleep(1)
    struck = {"t": "struck", "id": anna.serial, "target": bert.serial, "outcome": "hit", "damage": 3}
    assert one.acts == [{**struck, "hits": left, "manner": "slash", "ms": 2500}]
    assert one.things == stage.truth()


async def test_only_what_anybody_near_would_hear_is_shown(stage: Stage, autojump_clock: MockClock) -> None:
    world = stage.world
    anna, bert, staff = person(world, "Anna"), person(world, "Bert"), person(world, "Staff")
    anna.game, staff.hidden = "uo", True
    for number, mobile in enumerate((anna, bert, staff)):
        world.open_viewport(mobile, number + 1, Sight(18))
    stage.turn()
    one, other = stage.watch(), stage.watch("cave")
    await trio.sleep(1)
    for kind in (Speech.SAY, Speech.YELL, Speech.EMOTE, Speech.WHISPER):
        speech.say(anna, f"words to {kind.value}", kind)
        speech.say(staff, f"nobody hears {kind.value}", kind)
    assert speech.tell(anna, "Bert", "words to tell")
    speech.notice(anna, "words of the system")
    speech.gesture(anna, "bow")
    speech.gesture(staff, "laugh")
    speech.to_all(world, "words to global", speaker=anna)
    speech.to_all(world, "nobody chats", speaker=staff)
    speech.to_all(world, "words to announce", announce=True)
    stage.turn()
    life.kill(anna)
    speech.say(anna, "nobody hears the dead")
    life.kill(staff)
    stage.turn()
    await trio.sleep(1)
    said = [act["words"] for act in one.acts if act["t"] == "say"]
    assert said == ["words to say", "words to yell", "words to emote", "OooO OooO OooO OooO"]
    assert [act["t"] for act in one.acts[3:]] == ["gestured", "died", "say"]
    assert one.things[anna.serial]["dead"]
    everywhere = [("said", "Anna: words to global", "uo"), ("announced", "words to announce", None)]
    assert [(event["kind"], event["text"], event.get("game")) for event in other.events] == everywhere
    assert [event["kind"] for event in one.events] == ["came", "came", "said", "announced", "died"]
    assert one.events[2]["at"] == UTC + 1
    for word in ("nobody", "whisper", "tell", "system", "Staff", "laugh"):
        assert word not in one.raw + other.raw
    life.resurrect(anna)
    stage.turn()
    await trio.sleep(1)
    assert (one.acts[-1]["t"], one.events[-1]["kind"]) == ("revived", "revived")


async def test_newcomers_read_the_last_lines_of_the_feed(stage: Stage, autojump_clock: MockClock) -> None:
    for number in range(RECENT + 5):
        anna = person(stage.world, f"Anna{number}")
        stage.turn()
        stage.world.leave(anna)
        stage.turn()
    one = stage.watch()
    await trio.sleep(1)
    numbers = range(RECENT // 2 + 5, RECENT + 5)
    expected = [f"Anna{number} {how}" for number in numbers for how in ("has come", "has left")]
    assert [event["text"] for event in one.events] == expected[-RECENT:]


async def test_who_hides_is_in_no_feed_that_is_read_later(stage: Stage, autojump_clock: MockClock) -> None:
    staff = person(stage.world, "Staff")
    stage.turn()
    staff.hidden = True
    stage.turn()
    one = stage.watch()
    await trio.sleep(1)
    assert "Staff" not in one.raw
    assert one.counts == {"online": {}, "mobiles": 0, "items": 0, "viewers": 1}
    staff.hidden = False
    stage.turn()
    await trio.sleep(1)
    assert one.things == stage.truth() != {}
    staff.hidden = True
    stage.turn()
    await trio.sleep(1)
    assert not one.things


async def test_counts_and_hours_are_told_when_they_are_different(
    stage: Stage, autojump_clock: MockClock
) -> None:
    anna = person(stage.world, "Anna")
    anna.game = "uo"
    one = stage.watch()
    await trio.sleep(COUNT_SECONDS + 1)
    assert one.counts == {"online": {"uo": 1}, "mobiles": 1, "items": 0, "viewers": 1}
    other = stage.watch("cave")
    bert = person(stage.world, "Bert")
    bert.game = "l2"
    stage.turn()
    await trio.sleep(COUNT_SECONDS + 1)
    assert one.counts == {"online": {"l2": 1, "uo": 1}, "mobiles": 2, "items": 0, "viewers": 2}
    assert other.counts == {"online": {"l2": 1, "uo": 1}, "mobiles": 0, "items": 0, "viewers": 2}
    told = sum(names.count("time") for names in one.names)
    assert told == 1
    assert one.time == {"hour": 0, "minute": 0, "pace": 1 / 3}
    await trio.sleep(2 * HOUR_SECONDS)
    assert sum(names.count("time") for names in one.names) == told + 2
    assert one.time["minute"] == 0


async def test_what_cannot_be_shown_costs_nobody_else(
    stage: Stage, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    anna, bert = person(stage.world, "Anna"), person(stage.world, "Bert")
    stage.painter.broken = bert
    one = stage.watch()
    await trio.sleep(1)
    anna.hits = 7
    bert.hits = 8
    stage.turn()
    await trio.sleep(1)
    assert one.things == {anna.serial: stage.truth()[anna.serial]}
    assert "cannot be shown on the map" in caplog.text


async def test_when_the_map_fails_those_who_watch_have_to_come_again(
    stage: Stage, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    person(stage.world, "Anna")
    one = stage.watch()
    await trio.sleep(1)
    with monkeypatch.context() as patch:
        patch.setattr(LiveMap, "_hand_out", None)
        stage.watch("cave")
        await trio.sleep(0.05)
    assert one in stage.aborted
    assert "the live map failed" in caplog.text
    again = stage.watch()
    await trio.sleep(1)
    assert again.things == stage.truth() != {}


async def test_players_of_a_whole_server(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    town = Town(nursery)
    await town.open()
    live = town.app.live
    assert live is not None
    realm = town.app.world.realms[town.app.content.start_realm]
    viewer, one = live.watch(realm, lambda: None), Watcher()

    async def watch() -> None:
        while True:
            one.read(await viewer.next())

    nursery.start_soon(watch)
    looks = compile_looks(town.app.content)

    async def check() -> None:
        await trio.sleep(INTERVAL)
        assert one.things == seen_in(town.app.world, realm, looks, town.app.privacy)

    alric, bert = UoPlayer(town), EoPlayer(town)
    await alric.enters("alric")
    await bert.enters("bert")
    await check()
    assert any(thing["resident"] for thing in one.things.values())
    serial = town.mobile("Alric").serial
    for heading in (2, 4, 2, 6, 0):
        await alric.walks(heading)
        await check()
    assert any("moves" in names for names in one.names)
    await alric.does(alric.client.say_bytes("Hello there"))
    said = {"t": "say", "id": serial, "name": "Alric", "how": "say", "words": "Hello there"}
    assert said in one.acts
    assert one.things[serial]["game"] == "uo"
    assert one.counts["online"] == {"eo": 1, "uo": 1}
    # The same character, played through another game.
    taken = EoPlayer(town)
    await taken.enters("alric")
    await trio.sleep(COUNT_SECONDS)
    await check()
    assert one.things[serial]["game"] == "eo"
    assert one.counts["online"] == {"eo": 2}
    bert.leaves()
    await trio.sleep(90)
    await check()
    assert one.counts["online"] == {"eo": 1}
    texts = [event["text"] for event in one.events]
    assert texts == ["Alric has come", "Bert has come", "Bert has left"]
    nursery.cancel_scope.cancel()
