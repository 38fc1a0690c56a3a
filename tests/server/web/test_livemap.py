"""The live map: what those who watch are told, against the world itself.

pytest-trio only sees a clock that the test itself asks for, so each test names `autojump_clock`.
"""

from __future__ import annotations

import json
import random
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio

from protocol.web.figures import Figures
from protocol.web.looks import compile_looks
from protocol.web.page import WebPage
from server.people.privacy import Privacy
from server.web.feed import RECENT
from server.web.livemap import COUNT_SECONDS, FILL_SHARE, INTERVAL, LiveMap
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.town import Town, shipped_content
from tests.kit.watcher import Watcher, seen_in
from tests.kit.worlds import person, plain_content, plain_world
from world import hands, holding, life, motion, newcomers, speech
from world.daytime import HOUR_SECONDS
from world.events import Speech
from world.mobile import Posture
from world.reach import Cannot
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from protocol.web.packets.people import Show
    from server.store.records import NoteRow
    from server.web.screen import Viewer
    from world.item import Item
    from world.mobile import Mobile

STALLED: Final = 10.0
UTC: Final = 1_700_000_000.0
SCRIPT: Final = '<script>alert("x")</script>\n\\,"x":3,"y":4,"heading":2\u2028'


class Painter(Figures):
    """Counts what it is asked for."""

    asked = 0
    broken: object = None

    def show(self, thing: object) -> Show | None:
        self.asked += 1
        if thing is self.broken:
            raise KeyError("no looks")
        return super().show(thing)  # type: ignore[arg-type] # it is what it is


class Stage:
    """A world of two realms, its live map, and those who watch."""

    def __init__(self, nursery: trio.Nursery) -> None:
        plain = plain_content()
        content = attrs.evolve(shipped_content(), charts=plain.charts, start_realm="plain")
        self.nursery = nursery
        self.world = plain_world(content)
        self.world.begin(trio.current_time())
        self.looks = compile_looks(content)
        self.painter = Painter(self.looks)
        self.notes: list[NoteRow] = []
        self.privacy = Privacy({}, self.notes.append)
        self.live = LiveMap(
            self.world,
            WebPage(self.painter),
            self.privacy,
            wall=lambda: UTC + trio.current_time(),
            stalled_seconds=lambda: STALLED,
        )
        self.aborted: list[Watching] = []
        self.given: dict[tuple[float, str], set[int]] = {}
        """By time and realm: the objects that were sent as updates."""
        nursery.start_soon(self.live.run)

    def turn(self) -> None:
        """The end of a turn of the world."""
        self.world.begin(trio.current_time())
        self.live.observe(self.world.take_changes())

    def watch(self, realm: str = "plain", delay: Callable[[], float] = lambda: 0.0) -> Watching:
        """Somebody watches, and takes so many seconds for each message."""
        watching = Watching(self, realm, delay)
        self.nursery.start_soon(watching.run)
        return watching

    def truth(self, realm: str = "plain") -> dict[int, dict[str, object]]:
        """What everybody who watches a realm ought to believe now."""
        return seen_in(self.world, self.world.realms[realm], self.looks, self.privacy)


class Watching(Watcher):
    """Somebody who watches on a stage."""

    def __init__(self, stage: Stage, realm: str, delay: Callable[[], float]) -> None:
        super().__init__()
        self.at: list[float] = []
        """When it was given each message."""
        self.delay = delay
        self.is_slow = delay() > 0
        self.stage = stage
        self.viewer: Viewer = stage.live.watch(stage.world.realms[realm], lambda: stage.aborted.append(self))
        self.scope = trio.CancelScope()

    async def run(self) -> None:
        with self.scope:
            while True:
                message = await self.viewer.next()
                self.at.append(trio.current_time())
                self.read(message)
                if self.names[-1][0] != "realm":
                    self.stage.given.setdefault((self.at[-1], self.realm), set()).add(id(message))
                await trio.sleep(self.delay())

    def leave(self) -> None:
        self.stage.live.leave(self.viewer)
        self.scope.cancel()


@pytest.fixture
async def stage(nursery: trio.Nursery, autojump_clock: MockClock) -> Stage:
    """Two realms and nobody there."""
    await trio.lowlevel.checkpoint()
    return Stage(nursery)


class Chance:
    """Things that happen."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self.dice = random.Random(seed)
        self.stage = stage
        self.world = stage.world
        self.gone: list[int] = []
        """Serials of characters that left and may come back."""
        self.names = 0

    def mobile(self) -> Mobile | None:
        return self.dice.choice(list(self.world.mobiles.values())) if self.world.mobiles else None

    def arrive(self) -> None:
        self.names += 1
        name, (realm, x, y) = f"Nr{self.names}", self.place()
        if not self.gone or self.dice.random() < 0.5:
            newcomer = person(self.world, name, x, y, realm=realm)
        else:
            # Who comes again is another object of the same serial.
            newcomer = person(self.world, name, x, y, realm=realm)
            self.world.leave(newcomer)
            newcomer.serial = self.gone.pop()
            self.world.enter(newcomer, self.world.realms[realm], x, y)
        newcomer.game = self.dice.choice(("uo", "eo", "l2"))
        newcomers.outfit(newcomer, stored=False)

    def place(self) -> tuple[str, int, int]:
        realm = self.world.realms[self.dice.choice(("plain", "plain", "cave"))]
        return realm.name, self.dice.randrange(realm.chart.width), self.dice.randrange(realm.chart.height)

    def happen(self) -> None:
        dice, world, mobile = self.dice, self.world, self.mobile()
        what = dice.randrange(40)
        if mobile is None or (what == 0 and len(world.mobiles) < 14):
            self.arrive()
        elif what == 1 and len(world.mobiles) > 6:
            world.leave(mobile)
            self.gone.append(mobile.serial)
        elif what in (2, 3):
            name, x, y = self.place()
            world.warp(mobile, world.realms[name], x, y)
        elif what == 4:
            mobile.hidden = not mobile.hidden
        elif what == 5:
            self.stage.privacy.put(mobile, on_map=self.stage.privacy.is_off(mobile.serial))
        elif what == 6:
            life.kill(mobile)
        elif what == 7:
            life.resurrect(mobile)
        elif what in (8, 9):
            with suppress(Cannot):  # it may be too much
                speech.say(mobile, SCRIPT + str(dice.random()))
        elif what == 10 and not mobile.dead:
            speech.gesture(mobile, "bow")
        elif what == 11:
            mobile.name = f"{mobile.name[:4]}{SCRIPT}{dice.randrange(10)}"
        elif what == 12:
            mobile.hits, mobile.level = dice.randrange(51), dice.randrange(3)
            mobile.title, mobile.notoriety = dice.choice(("", "the Bold")), dice.randrange(1, 8)
        elif what == 13:
            mobile.posture = Posture.FLOOR if mobile.posture == Posture.STANDING else Posture.STANDING
        elif what == 14:
            self.dye(mobile)
        elif what in (15, 16, 17):
            self.handle(mobile)
        elif what == 18 and mobile.realm is not None:
            item = holding.make(world, "gold", amount=dice.randrange(1, 60), stored=False)
            world.enter(item, mobile.realm, mobile.x, mobile.y)
        elif what == 19:
            motion.turn(mobile, dice.randrange(8))
        elif what == 20:
            motion.jump(mobile, mobile.x + dice.randrange(-9, 10), mobile.y + dice.randrange(-9, 10))
        else:
            motion.step(mobile, dice.randrange(8))

    def dye(self, mobile: Mobile) -> None:
        if mobile.worn:
            self.dice.choice(list(mobile.worn.values())).hue = self.dice.randrange(1, 900)

    def handle(self, mobile: Mobile) -> None:
        """Drop, pick up, take off, put on, make more or less of it, or have it vanish."""
        lying: list[Item] = [item for item in self.world.items.values() if item.realm is not None]
        try:
            if mobile.backpack is not None and mobile.backpack.contents and self.dice.random() < 0.5:
                item = self.dice.choice(list(mobile.backpack.contents.values()))
                hands.drop(mobile, item, item.amount, mobile.x, mobile.y)
            elif mobile.worn and self.dice.random() < 0.3:
                hands.take_off(mobile, self.dice.choice(list(mobile.worn)))
            elif lying:
                item = self.dice.choice(lying)
                if self.dice.random() < 0.2:
                    self.world.delete(item)
                elif self.dice.random() < 0.3:
                    item.amount += 1
                else:
                    hands.take(mobile, item)
        except Cannot:
            pass


@pytest.mark.parametrize("seed", range(6))
async def test_whoever_watches_believes_what_is_so(
    stage: Stage, autojump_clock: MockClock, seed: int
) -> None:
    chance, dice = Chance(stage, seed), random.Random(seed)
    for _ in range(8):
        chance.arrive()
    gone: list[Watching] = []
    watching = [stage.watch("plain", partial(random.Random(seed).uniform, 0.5, 1.5))]
    believed = 0
    for number in range(400):
        for _ in range(dice.randrange(6)):
            chance.happen()
        stage.turn()
        await trio.sleep(dice.choice((0.0, 0.02, 0.05, 0.2)))
        if dice.random() < 0.04:
            slow, own = 3.0 * (dice.random() < 0.4), random.Random(number)
            watching.append(
                stage.watch(dice.choice(("plain", "plain", "cave")), partial(own.uniform, 0.0, slow))
            )
        if watching and dice.random() < 0.02:
            gone.append(watching.pop(dice.randrange(len(watching))))
            gone[-1].leave()
        if number % 20 == 19:
            await trio.sleep(INTERVAL + 0.01)  # all that are not slow have caught up
            for one in watching:
                if not one.is_slow:
                    believed += 1
                    assert one.things == stage.truth(one.realm)
    await trio.sleep(10)
    assert believed
    for one in watching:
        assert one.things == stage.truth(one.realm)
        assert all(later - before > INTERVAL - 1e-6 for before, later in pairwise(one.at))
    assert any(one.snapshots > 1 for one in gone + watching)
    assert not stage.aborted
    # An update is encoded once for all who watch its realm.
    assert {len(objects) for objects in stage.given.values()} == {1}


async def test_while_nobody_watches_nothing_is_worked_out(
    stage: Stage, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = person(stage.world, "Anna")
    one = stage.watch()
    await trio.sleep(1)
    one.leave()
    await trio.sleep(5)
    asked = stage.painter.asked
    updates: list[float] = []
    with monkeypatch.context() as patch:
        patch.setattr(stage.live, "_update", updates.append)
        for _ in range(20):
            motion.step(anna, 2)
            anna.hits -= 1
            stage.turn()
            await trio.sleep(0.1)
        await trio.sleep(COUNT_SECONDS)
    assert (stage.painter.asked, updates) == (asked, [])
    # It sleeps without end, and so does who watches where nothing happens but that the hours go by.
    assert trio.lowlevel.current_statistics().seconds_to_next_deadline == float("inf")
    stage.watch()
    await trio.sleep(STALLED + 1)
    assert trio.lowlevel.current_statistics().seconds_to_next_deadline > 60


async def test_a_large_realm_is_told_anew_only_so_often(stage: Stage, autojump_clock: MockClock) -> None:
    anna = person(stage.world, "Anna")
    events = iter(range(1000))
    stage.live._stopwatch = lambda: next(events) * 0.5  # each time takes half a second
    began = trio.current_time()
    first = stage.watch()
    await trio.sleep(0.5)
    assert first.snapshots == 1
    first.leave()
    second, elsewhere = stage.watch(), stage.watch("cave")
    await trio.sleep(0.5 / FILL_SHARE - 1)
    assert second.snapshots == elsewhere.snapshots == 0
    speech.say(anna, "Hear, hear")
    stage.turn()
    await trio.sleep(2)
    assert second.snapshots == 1
    assert 0.5 / FILL_SHARE <= second.at[0] - began < 0.5 / FILL_SHARE + 1
    assert second.things == stage.truth()
    assert elsewhere.snapshots == 0
    await trio.sleep(0.5 / FILL_SHARE)
    assert elsewhere.snapshots == 1
    assert elsewhere.things == stage.truth("cave")


async def test_ten_steps_of_an_interval_are_one_move(stage: Stage, autojump_clock: MockClock) -> None:
    anna, bert = person(stage.world, "Anna"), person(stage.world, "Bert")
    stage.turn()
    one = stage.watch()
    await trio.sleep(1)
    for _ in range(2):
        motion.step(anna, 2)
        motion.step(bert, 2)
        stage.turn()
    motion.step(bert, 6)
    motion.step(bert, 6)
    motion.turn(bert, bert.heading)
    stage.turn()
    await trio.sleep(0.01)
    assert one.names[-1] == ["moves"]
    assert one.at[-1] == pytest.approx(1.0)  # at once: the last one is long ago
    assert one.things == stage.truth()
    motion.step(anna, 2)
    stage.turn()
    await trio.sleep(0.01)
    assert one.at[-1] == pytest.approx(1.0)
    await trio.sleep(INTERVAL)
    assert one.at[-1] == pytest.approx(1.0 + INTERVAL)
    last = json.loads(one.raw.split("\n")[-2])
    assert last == {"t": "moves", "moves": [[anna.serial, anna.x, anna.y, 2]]}


async def test_who_came_and_went_within_an_interval_is_nothing(
    stage: Stage, autojump_clock: MockClock
) -> None:
    one = stage.watch()
    await trio.sleep(1)
    messages = len(one.names)
    for _ in range(2):
        ghost = person(stage.world, "Anna")
        stage.turn()
        speech.say(ghost, "hello")
        stage.turn()
        stage.world.leave(ghost)
        stage.turn()
    gold = holding.make(stage.world, "gold", stored=False)
    stage.world.enter(gold, stage.world.realms["plain"], 3, 3)
    stage.turn()
    stage.world.delete(gold)
    stage.turn()
    await trio.sleep(2)
    # That she came and left is news.
    assert one.names[messages:] == [["event"] * 4]


async def test_a_warp_is_a_departure_here_and_an_arrival_there(
    stage: Stage, autojump_clock: MockClock
) -> None:
    anna = person(stage.world, "Anna")
    stage.turn()
    here, there = stage.watch("plain"), stage.watch("cave")
    await trio.sleep(1)
    stage.world.warp(anna, stage.world.realms["cave"], 5, 5)
    stage.turn()
    await trio.sleep(0.05)
    assert not here.things
    assert f'{{"t":"hide","id":{anna.serial},"why":"warped"}}' in here.raw
    assert there.things == stage.truth("cave") != {}
    assert [event["text"] for event in here.events] == ["Anna has come", "Anna has gone to The Cave"]
    assert [event["text"] for event in there.events] == ["Anna has come from The Plain"]


async def test_who_went_far_or_is_another_is_placed_anew(stage: Stage, autojump_clock: MockClock) -> None:
    anna, bert = person(stage.world, "Anna"), person(stage.world, "Bert")
    gold = holding.make(stage.world, "gold", stored=False)
    stage.world.enter(gold, stage.world.realms["plain"], 3, 3)
    stage.turn()
    one = stage.watch()
    await trio.sleep(1)
    stage.world.warp(anna, stage.world.realms["plain"], 30, 30)
    stage.world.leave(gold)
    stage.world.enter(gold, stage.world.realms["plain"], 4, 3)
    stage.world.leave(bert)
    other = person(stage.world, "Bertram", bert.x, bert.y)
    stage.world.leave(other)
    other.serial = bert.serial
    stage.world.enter(other, stage.world.realms["plain"], bert.x, bert.y)
    stage.turn()
    await trio.sleep(0.05)
    assert sorted(one.names[-1]) == ["change", "event", "event", "show", "show"]
    assert one.things == stage.truth()


async def test_a_realm_is_opened_while_somebody_is_on_the_way_there(
    stage: Stage, autojump_clock: MockClock
) -> None:
    anna = person(stage.world, "Anna")
    here = stage.watch("plain")
    await trio.sleep(1)
    stage.world.warp(anna, stage.world.realms["cave"], 5, 5)
    stage.turn()
    there = stage.watch("cave")
    await trio.sleep(1)
    assert here.things == {}
    assert there.things == stage.truth("cave") != {}
    here.leave()
    there.leave()


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
