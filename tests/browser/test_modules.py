"""The page's modules that know no page: what they work out, asked in the browser that runs them."""

from __future__ import annotations

import string
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.browser.guests import Guest
from tests.browser.scripts import CHAT, FORM, GOING, LOAD, QUESTION, ROUTE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.browser.guests import Host


@pytest.fixture(scope="module")
def shelf(browser: Browser, host: Host) -> Iterator[Guest]:
    """A page whose modules can be asked."""
    with Guest(browser, host.page()) as guest:
        guest.watches()
        yield guest


def asks(shelf: Guest, script: str, argument: object = None) -> list[object]:
    """What a script says that can `load` modules."""
    return shelf.ask(f"async given => {{ {LOAD} {script} }}", list, argument)


# Ways


def test_a_way_is_asked_for_once_and_walked_to_its_end(shelf: Guest) -> None:
    told = asks(
        shelf,
        ROUTE
        + """const told = [];
        const route = made({ x: 8, y: 5 });
        told.push(goes(route), goes(route, 3000), asked.length);
        route.found({ x: 5, y: 5, to_x: 9, to_y: 5, headings: [4] });  // to what was asked before
        told.push(goes(route));
        answer(route, [1, 2, 3]);
        told.push(goes(route), goes(route), goes(route), goes(route), [at.x, at.y], asked);
        const nowhere = made({ x: 8, y: 9 });
        goes(nowhere);
        answer(nowhere, [4, 4], false);
        told.push([goes(nowhere), goes(nowhere), goes(nowhere)]);
        return told;""",
    )
    assert told == [
        *("wait", "wait", 1, "wait", 1, 2, 3, "there", [8, 5]),
        [[5, 5, 8, 5, 0], [8, 5, 8, 9, 0]],
        [4, 4, "lost"],
    ]


def test_near_enough_is_where_the_server_says_or_else_by_distance(shelf: Guest) -> None:
    told = asks(
        shelf,
        ROUTE
        + """const told = [];
        const far = made({ x: 9, y: 5 }, { within: 2 });
        goes(far);
        answer(far, [2, 2, 2]);  // at two tiles something is in between
        told.push([goes(far), goes(far), goes(far), goes(far)], asked.length, asked[0][4]);
        told.push(goes(made({ x: 9, y: 6 }, { within: 1 })), asked.length);
        return told;""",
    )
    assert told == [[2, 2, 2, "there"], 1, 2, "there", 1]


def test_after_somebody_who_moves_on_the_old_way_is_walked_on(shelf: Guest) -> None:
    told = asks(
        shelf,
        ROUTE
        + """const told = [];
        const route = made({ x: 9, y: 5 }, { within: 1 });
        goes(route);
        answer(route, [2, 2, 2]);
        told.push(goes(route));
        route.lead({ x: 9, y: 6 });
        told.push(goes(route), asked.at(-1), goes(route), asked.length);
        answer(route, [2, 2, 3]);  // from where it was; it leads by where it is
        told.push(goes(route), [at.x, at.y], goes(route));
        route.lead({ x: 9, y: 9 });
        told.push(goes(route));
        [at.x, at.y] = [3, 3];  // put elsewhere
        answer(route, [4, 4]);  // from where nobody is any more
        told.push(goes(route), asked.at(-1));
        answer(route, [4]);
        told.push(goes(route));
        return told;""",
    )
    assert told == [
        *(2, 2, [6, 5, 9, 6, 1], 2, 2),
        *(3, [9, 6], "there", "wait", "wait", [3, 3, 9, 9, 1], 4),
    ]


def test_a_lost_answer_is_not_waited_for_forever(shelf: Guest) -> None:
    told = asks(
        shelf,
        ROUTE
        + """const route = made({ x: 9, y: 5 });
        let now = 0;
        while (goes(route, now) === "wait" && now < 100000) now += 1000;
        const silent = [asked.length, now];
        const wall = made({ x: 9, y: 5 });
        let steps = 0;
        for (; goes(wall) !== "lost" && steps < 100; steps++) {
            answer(wall, [2, 2]);
            if (typeof wall.next(at, 0) === "number") wall.replan();  // the server says no
        }
        return [silent, steps, asked.length - silent[0]];""",
    )
    assert told == [[5, 25000], 5, 5]


def test_where_no_way_leads_is_said_and_a_step_beside_it_is_near_enough(shelf: Guest) -> None:
    told = asks(
        shelf,
        GOING
        + """const told = [];
        going.travel({ x: -3, y: 500 });
        going.tick(now);
        told.push(sent.at(-1), answer([4], false));
        going.travel({ x: 5, y: 7 });
        going.tick((now += 1000));
        told.push(answer([], false), going.route);
        going.goTo({ x: 9, y: 6 }, 2, () => notes.push("done"));
        going.tick((now += 1000));
        told.push(sent.at(-1), answer([], false));
        going.goTo({ x: 9, y: 6 }, 2, () => notes.push("done"));
        going.tick((now += 1000));
        going.lose();
        answer([2, 2, 2]);
        told.push(going.route);
        return told;""",
    )
    no_way = "There is no way to get there."
    assert told == [
        *({"t": "way", "x": 5, "y": 5, "to_x": 0, "to_y": 19}, no_way),
        *("", None),
        *({"t": "way", "x": 5, "y": 6, "to_x": 9, "to_y": 6, "within": 2}, no_way),
        None,
    ]


# The model


def test_what_moves_is_between_its_tiles_and_never_beyond(shelf: Guest) -> None:
    places = asks(
        shelf,
        """const { World } = await load("world.js");
        const world = new World();
        const say = (message, now) => world.apply(message, now);
        const thing = { kind: "mobile", name: "Anna", look: { figure: "person" } };
        say({ t: "realm", name: "r", title: "R" }, 0);
        say({ t: "show", id: 1, x: 10, y: 10, ...thing }, 0);
        const at = now => { const { x, y } = world.at(world.things.get(1), now); return [x, y]; };
        const told = [];
        say({ t: "move", id: 1, x: 11, y: 10, heading: 2, ms: 400 }, 1000);
        for (const now of [1000, 1100, 1200, 1300, 1430, 9000]) told.push(at(now));
        // Two in a row: through the tile between, not across the corner.
        say({ t: "moves", moves: [[1, 12, 10, 2]], ms: 100 }, 10000);
        say({ t: "moves", moves: [[1, 12, 11, 4], [99, 5, 5, 0]], ms: 100 }, 10100);
        for (let now = 10100; now <= 12000; now += 20) told.push(at(now));
        // Far away it is at once.
        say({ t: "moves", moves: [[1, 60, 60, 0]], ms: 100 }, 20000);
        told.push(at(20000));
        say({ t: "move", id: 1, x: 61, y: 60, heading: 2, ms: 400 }, 30000);
        say({ t: "place", id: 1, x: 20, y: 20 }, 30100);
        told.push(at(30100));
        return told;""",
    )
    points = [(float(x), float(y)) for x, y in (_pair(place) for place in places)]
    first, second, (jumped, placed) = points[:6], points[6:-2], points[-2:]
    assert [first[0], first[-1]] == [(10, 10), (11, 10)]
    assert [x for x, _ in first] == sorted(x for x, _ in first)
    assert 10.4 < first[2][0] < 10.6
    assert second[-1:] == [(12, 11)]
    for x, y in second:
        assert 11 <= x <= 12
        assert 10 <= y <= 11
        assert x == 12 or y == 10, f"{x}, {y} is on no way that was gone"
    steps = [abs(x - a) + abs(y - b) for (a, b), (x, y) in pairwise(second)]
    assert max(steps) < 0.25
    assert [jumped, placed] == [(60, 60), (20, 20)]


def _pair(value: object) -> tuple[float, float]:
    assert isinstance(value, list)
    x, y = value
    return x, y


def test_the_model_keeps_what_it_was_told_and_no_more(shelf: Guest) -> None:
    (told_,) = asks(
        shelf,
        """const { World, EVENTS_KEPT, FADE_MS } = await load("world.js");
        const world = new World();
        const say = (message, now = 0) => world.apply(message, now);
        const thing = { t: "show", kind: "mobile", name: "Anna", x: 1, y: 1, look: { figure: "person" } };
        say({ t: "entered", id: 1, name: "Anna", sight: 9, walk_ms: 400, run_ms: 200 });
        say({ t: "realm", name: "r", title: "R" });
        say({ ...thing, id: 1, game: "web" });
        say({ ...thing, id: 2, name: "Zoe", game: "uo", hits: 50 });
        say({ ...thing, id: 3, name: "a rat" });
        say({ t: "change", id: 2, hits: 40, name: null });
        say({ t: "change", id: 77, hits: 40 });
        for (let n = 0; n < 5; n++) say({ t: "say", id: 2, name: "Zoe", how: "say", words: `w${n}` });
        say({ t: "say", id: 2, name: "Zoe", how: "tell", words: "psst" });
        say({ t: "say", id: 77, name: "Who", how: "say", words: "where" });
        for (let n = 0; n < EVENTS_KEPT + 5; n++) say({ t: "event", kind: "came", text: `e${n}`, at: n });
        const bubbles = world.bubbles.map(bubble => bubble.words);
        const players = world.players().map(player => player.name);
        const zoe = { ...world.things.get(2) };
        say({ t: "hide", id: 2 }, 100);
        const leaving = world.leaving.length;
        const orphans = world.bubbles.length;
        world.prune(100 + FADE_MS);
        say({ t: "weather", kind: "snow" }), say({ t: "time", hour: 23, minute: 50, pace: 12 });
        const clock = { weather: world.weather, ...world.clock(1000) };
        const light = [0, 3, 12, 23].map(hour => {
            say({ t: "time", hour, minute: 0 });
            return world.daylight(0);
        });
        const before = world.things.size;
        const [events, last] = [world.events.length, world.events.at(-1).text];
        say({ t: "realm", name: "s", title: "S" });
        return [{ bubbles, players, hits: zoe.hits, name: zoe.name, heading: zoe.heading, leaving, orphans,
            gone: world.leaving.length, events, last, later: world.events.length,
            clock: [clock.hour, clock.minute, clock.weather], light, before, after: world.things.size,
            self: world.self }];""",
    )
    assert told_ == {
        "bubbles": ["w3", "w4"],
        "players": ["Anna", "Zoe"],
        "hits": 40,
        "name": "Zoe",
        "heading": 4,
        "leaving": 1,
        "orphans": 0,
        "gone": 0,
        "events": 200,
        "last": "e204",
        "later": 0,
        "clock": [0, 2, "snow"],
        "light": [0, 0, 1, 0],
        "before": 2,
        "after": 0,
        "self": 1,
    }


def test_the_camera_gets_to_its_aim_and_leaves_it_for_whoever_pans(shelf: Guest) -> None:
    (seen,) = asks(
        shelf,
        """const { Camera } = await load("camera.js");
        const { World } = await load("world.js");
        const world = new World();
        world.apply({ t: "show", id: 7, kind: "mobile", name: "Anna", x: 80, y: 50, look: {} }, 0);
        const camera = new Camera(world);
        camera.calm = { matches: false };
        camera.realm = { width: 100, height: 80, lights: [] };
        camera.resize(400, 300);
        const near = (a, b) => Math.abs(a - b) < 1e-6;
        const glide = () => {
            let frames = 0;
            while (camera.move(10_000, 0.016, new Set()) && frames < 500) frames++;
            return frames > 2 && frames < 500;
        };
        const whole = [camera.x, camera.y, camera.sx(0) >= 0 && camera.sx(100) <= 400];
        const before = camera.toWorld(300, 200);
        camera.zoomAt(40, { x: 300, y: 200 });
        const after = camera.toWorld(300, 200);
        const held = near(before.x, after.x) && near(before.y, after.y);
        camera.centre(30, 20);
        const slid = glide();
        const there = Math.hypot(camera.x - 30.5, camera.y - 20.5) < 0.06;
        const followed = [];
        camera.onFollow = id => followed.push(id);
        camera.follow(7);
        const caught = glide();
        const at = [camera.x, camera.y];
        camera.pan(40, 0);
        const free = [camera.x, camera.y, camera.following];
        camera.locked = true;
        camera.pan(40, 0);
        camera.move(10_000, 1, new Set(["ArrowLeft"]));
        return [{ whole, held, slid, there, caught, at, free, followed, locked: camera.x }];""",
    )
    assert seen == {
        "whole": [50, 40, True],
        "held": True,
        "slid": True,
        "there": True,
        "caught": True,
        "at": [80.5, 50.5],
        "free": [79.5, 50.5, 0],
        "followed": [7, 0],
        "locked": 79.5,
    }


def test_one_goes_ahead_of_the_server_and_back_when_it_says_no(shelf: Guest) -> None:
    said = asks(
        shelf,
        """const { Walker, MOST_AHEAD } = await load("walking.js");
        const told = [];
        let walked;
        const walker = new Walker({ walk: 400, run: 200 }, (x, y) => x < 10);
        told.push(walker.step(2, false, 0));  // nobody knows where it is
        walker.place(5, 5, 4);
        let now = 1000;
        for (let n = 0; n < MOST_AHEAD + 1; n++, now += 400)
            told.push(walker.step(2, false, now)?.message ?? null);
        told.push(walker.step(2, false, now) === null);
        walked = { x: 6, y: 5, heading: 2 };
        told.push([walker.answered({ sequence: 0, ...walked }), walker.x, walker.sure.x]);
        told.push([walker.answered({ sequence: 1, ...walked, ok: false }), walker.x, walker.ahead.length]);
        told.push(walker.step(2, true, now + 400).message);
        walker.place(9, 5);
        told.push(walker.step(2, false, now + 5000));  // the wall
        walker.place(5, 5);
        walker._sequence = 0xffff;
        for (let n = 0; n < 2; n++) {
            const { sequence } = walker.step(4, false, now + 9000 + 400 * n).message;
            told.push(sequence);
            walker.answered({ sequence, x: 5, y: 6 + n, heading: 4 });
        }
        return told;""",
    )
    assert said == [
        None,
        {"t": "walk", "sequence": 0, "heading": 2},
        {"t": "walk", "sequence": 1, "heading": 2},
        {"t": "walk", "sequence": 2, "heading": 2},
        None,  # so many are under way
        True,
        [False, 8, 6],
        [True, 6, 0],
        {"t": "walk", "sequence": 0, "heading": 2, "run": True},
        None,
        0xFFFF,
        1,
    ]


# Words, names, lines


def test_what_is_typed_is_read_as_it_is_meant(shelf: Guest) -> None:
    cases: list[tuple[str, str, str, object]] = [
        ("hello", "say", "", {"message": {"t": "speak", "words": "hello"}}),
        ("  ", "say", "", None),
        ("hello", "yell", "", {"message": {"t": "speak", "words": "hello", "how": "yell"}}),
        ("!hello", "say", "", {"message": {"t": "speak", "words": "hello", "how": "yell"}}),
        ("!!", "say", "", {"message": {"t": "speak", "words": "!!"}}),
        (";psst", "say", "", {"message": {"t": "speak", "words": "psst", "how": "whisper"}}),
        (";)", "say", "", {"message": {"t": "speak", "words": ";)"}}),
        ("~all", "say", "", {"message": {"t": "speak", "words": "all", "how": "global"}}),
        ("/me waves", "say", "", {"message": {"t": "speak", "words": "waves", "how": "emote"}}),
        (
            "/tell Bob hi there",
            "say",
            "",
            {"message": {"t": "speak", "words": "hi there", "how": "tell", "to": "Bob"}},
        ),
        ("hi", "tell", "Bob", {"message": {"t": "speak", "words": "hi", "how": "tell", "to": "Bob"}}),
        ("/gu psst", "say", "", {"message": {"t": "speak", "words": "psst", "how": "guild"}}),
        ("/party psst", "say", "", {"message": {"t": "speak", "words": "psst", "how": "party"}}),
        ("/bow", "say", "", {"message": {"t": "gesture", "gesture": "bow"}}),
        ("/sit", "yell", "", {"message": {"t": "sit"}}),
        ("/look Bob", "say", "", {"look": "Bob"}),
        ("/map off", "yell", "", {"message": {"t": "speak", "words": "/map off"}}),
        (".where", "say", "", {"message": {"t": "speak", "words": ".where"}}),
        ("x" * 128, "say", "", {"message": {"t": "speak", "words": "x" * 128}}),
        ("\U0001f600" * 128, "say", "", {"message": {"t": "speak", "words": "\U0001f600" * 128}}),
    ]
    script = """const { read } = await load("words.js");
        return given.map(([line, how, to]) => read(line, how, to, ["bow"]));"""
    assert asks(shelf, script, [case[:3] for case in cases]) == [case[3] for case in cases]
    faulty = [("x" * 129, "say", ""), ("hi", "tell", " "), ("/tell Bob", "say", "")]
    for answer in asks(shelf, script, faulty):
        assert isinstance(answer, dict)
        assert answer["fault"]
        assert "message" not in answer


def test_made_up_names_are_ones_that_the_world_takes(shelf: Guest) -> None:
    names, accounts, fair, verdicts = asks(
        shelf,
        """const { suggestName, makeAccount, below, faultOfName, faultOfAccount } = await load("names.js");
        let seed = 1;
        const byte = () => (seed = (seed * 48271) % 2147483647) >> 8;
        const bytes = count => Uint8Array.from({ length: count }, byte);
        const made = Array.from({ length: 500 }, () => makeAccount(bytes));
        const counts = Array(6).fill(0);
        for (let n = 0; n < 6000; n++) counts[below(bytes, 6)]++;
        const [most, more] = ["A".repeat(16), "A".repeat(17)];
        const names = [["Anna", ""], ["A", "x"], ["Anna1", "x"],
            [most, ""], [more, "x"], ["O'Hara", ""]];
        return [
            Array.from({ length: 1000 }, () => suggestName(bytes)),
            made.map(({ account, password }) => [account, password, faultOfAccount(account, password)]),
            counts,
            names.map(([name, fault]) => Boolean(faultOfName(name)) === Boolean(fault)),
        ];""",
    )
    assert isinstance(names, list)
    assert len(set(names)) > 900
    for name in names:
        assert 4 <= len(name) <= 12
        assert set(name) <= set(string.ascii_letters)
        assert name == name.capitalize()
    assert isinstance(accounts, list)
    for account, password, fault in accounts:
        assert fault == ""
        assert account.isascii()
        assert account.isalnum()
        assert account == account.lower()
        assert len(password) == 12
    assert len({account for account, _, _ in accounts}) == 500
    assert isinstance(fair, list)
    assert min(fair) > 850
    assert verdicts == [True] * 6


def test_lines_are_whole_wherever_they_were_cut(shelf: Guest) -> None:
    text = '{"t":"say","words":"a\\nb"}\n\n{"t":"pong"}\n{"t":"late"'
    got = asks(
        shelf,
        """const { Lines } = await load("wire.js");
        return [...Array(given.length + 1).keys()].map(cut => {
            const lines = new Lines();
            const parts = [given.slice(0, cut), given.slice(cut), "}\\n"];
            return parts.flatMap(part => lines.feed(part));
        });""",
        text,
    )
    assert len(got) == len(text) + 1
    assert all(it == [{"t": "say", "words": "a\nb"}, {"t": "pong"}, {"t": "late"}] for it in got)


def test_a_form_is_filled_in(shelf: Guest) -> None:
    script = """
        const first = shown();
        const hidden = asked.node.querySelector("#dialog-form").hidden;
        press("Go on");
        const labels = [...asked.node.querySelectorAll("#dialog-form label")].map(l => l.textContent);
        const pictures = asked.node.querySelectorAll("#dialog-form canvas").length;
        for (const box of asked.node.querySelectorAll("input[type=radio], input[type=checkbox]")) box.click();
        asked.node.querySelectorAll("input[type=radio]")[0].click();
        asked.node.querySelector("input[maxlength]").value = "Berta";
        const second = shown();
        press("Buy.");
        const open = asked.node.open;
        asked.node.remove();
        return [first, hidden, labels, pictures, second, said, open];
    """
    first, hidden, labels, pictures, second, said, is_open = asks(shelf, FORM + script, QUESTION)
    assert (first, hidden, is_open) == (["Go on"], True, False)
    assert labels == ["Bread (3 gold coins)", "Ale", "Oil", "How many?", "Who?"]
    assert pictures == 1
    assert second == ["Back", "Buy.", "Leave."]
    filled = [
        {"key": "ware", "chosen": [1]},
        {"key": "sides", "chosen": [4]},
        {"key": "many", "text": "2"},
        {"key": "name", "text": "Berta"},
    ]
    assert said == [[7, 1, filled]]


def test_the_chat_shows_the_newest_line_also_after_it_was_hidden(shelf: Guest) -> None:
    script = """
        lines(40);
        const shown = below();
        await frame();
        chat.node.style.display = "none";
        await frame();
        lines(40);
        chat.node.style.display = "";
        await frame();
        const again = below();
        chat.log.scrollTop = 0;
        await frame();
        lines(5);
        const back = below();
        chat.node.remove();
        return [shown, again, back > 100];
    """
    assert asks(shelf, CHAT + script) == [0, 0, True], "who reads older lines goes on reading them"
