"""The web client in the world: entering, going, talking, and what others see of it, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs
import pytest

from protocol.session import Phase
from protocol.wishes import Wish
from tests.kit.co_player import CoPlayer
from tests.kit.players import UoPlayer
from tests.kit.web_player import WebPlayer
from world import furniture, holding, life, motion, speech
from world.daytime import until_next_hour
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST
from world.mobile import Access, Posture
from world.realm import Realm

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.web.session import WebSession
    from tests.kit.town import Town
    from world.mobile import Mobile


def gather(town: Town, *names: str) -> None:
    """Put characters side by side on open ground, so that every step of the story is free."""
    realm = town.app.world.realms["confluence"]
    x, y = realm.chart.spawns[0]
    spots = [
        (a, b)
        for a, b in realm.free_near(x, y, 6)
        if all(motion.can_step(realm, a, b, heading) for heading in range(8))
    ]
    for name, spot in zip(names, spots, strict=False):
        town.app.world.warp(town.mobile(name), realm, *spot)
    town.app.loop.wake()


async def settled(town: Town, *players: WebPlayer) -> None:
    """Give the server a moment; nobody saw anything that cannot be."""
    town.app.loop.wake()
    for player in players:
        await player.sends(b"", wait=0.5)
        assert player.screen.faults == []
        assert player.client.why == ""


async def anna_and(town: Town, *others: WebPlayer | UoPlayer | CoPlayer) -> WebPlayer:
    """Anna in a browser, and others, side by side."""
    anna = WebPlayer(town)
    await anna.enters("anna", "Anna")
    names = ["Bert", "Carla", "Dora"]
    for other, name in zip(others, names, strict=False):
        await other.enters(name.lower(), name)
    gather(town, "Anna", *names[: len(others)])
    await settled(town, anna)
    return anna


async def test_entering_tells_all_in_order(town: Town, autojump_clock: MockClock) -> None:
    anna = WebPlayer(town)
    await anna.logs_in("anna")
    number = await anna.makes("Anna")
    before = len(anna.got)
    await anna.plays()
    names = [str(message["t"]) for message in anna.got[before:]]
    assert names[:6] == ["entered", "realm", "show", "sheet", "belongings", "time"]
    entered, realm, show = anna.got[before : before + 3]
    mobile = town.mobile("Anna")
    assert entered == {
        "t": "entered",
        "id": number,
        "name": "Anna",
        "sight": 18,
        "walk_ms": 400,
        "run_ms": 200,
    }
    assert realm == {"t": "realm", "name": "confluence", "title": "Confluence"}
    assert (show["id"], show["kind"], show["x"], show["y"]) == (number, "mobile", mobile.x, mobile.y)
    assert show["game"] == "web"
    assert anna.screen.lines() == ["Welcome to Causeway, Anna."]
    sheet = anna.screen.sheet
    assert (sheet["hits"], sheet["hits_max"]) == (mobile.hits, mobile.hits_max)
    assert (sheet["gold"], sheet["weight"]) == (holding.gold(mobile), holding.weight(mobile))
    assert (sheet["strength"], sheet["level"]) == (mobile.strength, mobile.level)
    owned = {thing.name: thing for thing in anna.screen.owned.values()}
    assert owned["shirt"].worn
    assert owned["shirt"].wearable
    assert not owned["gold coin"].worn
    assert owned["gold coin"].amount == holding.gold(mobile)
    assert "backpack" not in owned
    assert anna.screen.counts["sheet"] == anna.screen.counts["belongings"] == 1
    await settled(town, anna)
    seen = mobile.realm.space.seen_by(mobile.eyes) if mobile.realm and mobile.eyes else {}
    assert anna.screen.things.keys() == {*seen, number}


async def test_her_own_steps_are_answered_and_others_are_told(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    for heading in (EAST, SOUTH, WEST, NORTH, 1, 3, 5, 7):
        before = mobile.x, mobile.y
        dx, dy = OFFSETS[heading]
        told = await anna.does(anna.client.walk_bytes(heading), wait=0.5)
        assert told == [
            {
                "t": "walked",
                "sequence": anna.client.sequence,
                "x": before[0] + dx,
                "y": before[1] + dy,
                "heading": heading,
            }
        ]
        assert bert.of("move")[-1] == {
            "t": "move",
            "id": mobile.serial,
            "x": mobile.x,
            "y": mobile.y,
            "heading": heading,
        }
    await anna.steps(EAST, run=True)
    assert bert.of("move")[-1]["ms"] == 200
    await anna.does(anna.client.turn_bytes(NORTH))
    assert bert.of("turned") == [{"t": "turned", "id": mobile.serial, "heading": NORTH}]
    assert anna.of("turned") == []
    await settled(town, anna, bert)
    assert not anna.of("move")


async def test_steps_ahead_are_taken_in_their_time(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    await anna.sends(b"", wait=1.0)
    x = mobile.x
    steps = b"".join(anna.client.walk_bytes(heading) for heading in (EAST, EAST, EAST, WEST))
    await anna.sends(steps, wait=0.1)
    # Who has rested may begin with one step on credit.
    assert mobile.x == x + 2
    assert anna.screen.answered == [0, 1]
    await anna.sends(b"", wait=2.0)
    assert anna.screen.answered == [0, 1, 2, 3]
    assert mobile.x == x + 2
    await settled(town, anna)


async def test_who_turns_behind_steps_that_wait_faces_that_way_in_the_end(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    await anna.sends(b"", wait=1.0)
    steps = b"".join(anna.client.walk_bytes(EAST) for _ in range(3))
    await anna.sends(steps + anna.client.turn_bytes(NORTH), wait=0.1)
    assert mobile.heading == EAST, "steps wait"
    await anna.sends(b"", wait=2.0)
    assert anna.screen.answered == [0, 1, 2]
    assert mobile.heading == NORTH
    await settled(town, anna)


async def test_a_refused_step_makes_void_what_was_sent_behind_it(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    realm = mobile.realm
    assert realm is not None
    x, y = next(
        (x, y)
        for x, y in realm.free_near(mobile.x, mobile.y, 18)
        if not realm.walkable(x, y - 1) and (x, y - 1) not in realm.chart.doors and realm.walkable(x + 1, y)
    )
    town.app.world.warp(mobile, realm, x, y)
    await settled(town, anna)
    assert anna.client.sequence == -1
    wall = anna.client.walk_bytes(NORTH) + anna.client.walk_bytes(EAST) + anna.client.walk_bytes(EAST)
    told = await anna.does(wall, wait=2.0)
    assert told == [{"t": "walked", "sequence": 0, "x": x, "y": y, "heading": mobile.heading, "ok": False}]
    assert (mobile.x, mobile.y) == (x, y)
    # One that was under way then, and the page's next after it has heard.
    told = await anna.does(anna.client.say_bytes_of("walk", sequence=3, heading=EAST))
    assert told == []
    await anna.steps(EAST)
    assert (mobile.x, mobile.y) == (x + 1, y)
    assert anna.screen.answered[-1] == 0
    await settled(town, anna)


async def test_who_is_put_elsewhere_begins_anew(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile, realm = town.mobile("Anna"), town.app.world.realms["confluence"]
    await anna.steps(EAST, tiles=2)
    town.app.world.warp(mobile, realm, mobile.x - 2, mobile.y)
    told = await anna.does(anna.client.say_bytes_of("walk", sequence=2, heading=EAST))
    assert told == [
        {"t": "place", "id": mobile.serial, "x": mobile.x, "y": mobile.y, "heading": mobile.heading}
    ]
    await anna.steps(EAST)
    assert anna.screen.answered[-1] == 0
    assert anna.screen.x == mobile.x
    await settled(town, anna, bert)
    assert bert.screen.things[mobile.serial].x == mobile.x


async def test_a_flood_of_steps_takes_no_more_than_its_time(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    steps = [anna.client.walk_bytes((EAST, WEST)[n % 2]) for n in range(40)]
    await anna.sends(b"".join(steps), wait=10.0)
    assert len(anna.screen.answered) <= motion.LONGEST_QUEUE + 1
    assert len(anna.screen.refused) == 1
    assert not mobile.gait.queue


async def test_a_door_opens_by_walking_into_it(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile, realm = town.mobile("Anna"), town.app.world.realms["confluence"]
    (x, y), warp = next((at, warp) for at, warp in sorted(realm.chart.warps.items()) if warp.door)
    before = x, y + 1
    assert realm.walkable(*before), "the doors of the realm are entered from the south"
    town.app.world.warp(mobile, realm, *before)
    await settled(town, anna)
    await anna.steps(NORTH)
    assert anna.screen.refused == [0]
    assert realm.is_open(x, y, town.app.world.now)
    # What was sent behind the step that leads on was meant to begin at the door.
    ahead = anna.client.walk_bytes(NORTH) + anna.client.walk_bytes(NORTH) + anna.client.walk_bytes(SOUTH)
    told = await anna.does(ahead, wait=0.5)
    assert told[0] == {"t": "walked", "sequence": 0, "x": x, "y": y, "heading": NORTH}
    assert [message["t"] for message in told if "sequence" in message] == ["walked"]
    assert (mobile.x, mobile.y) == (warp.x, warp.y)
    late = await anna.does(anna.client.say_bytes_of("walk", sequence=3, heading=SOUTH))
    assert late == []
    assert (anna.screen.x, anna.screen.y) == (mobile.x, mobile.y)
    await settled(town, anna)


async def test_another_realm_is_told_as_a_whole(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    world, mobile = town.app.world, town.mobile("Anna")
    chart = world.realms["confluence"].chart
    world.realms["elsewhere"] = Realm(attrs.evolve(chart, name="elsewhere", title="Elsewhere"))
    world.warp(mobile, world.realms["elsewhere"], mobile.x, mobile.y)
    before = len(anna.got)
    await settled(town, anna, bert)
    told = [message for message in anna.got[before:] if message["t"] != "hide"]
    assert [message["t"] for message in told[:2]] == ["realm", "show"]
    assert told[0]["name"] == "elsewhere"
    assert told[1]["id"] == mobile.serial
    assert anna.screen.things.keys() == {mobile.serial}
    assert mobile.serial not in bert.screen.things
    assert bert.of("hide")[-1] == {"t": "hide", "id": mobile.serial, "why": "warped"}
    await anna.steps(EAST)
    assert anna.screen.answered[-1] == 0


async def test_who_sits_is_turned_back(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    await anna.does(anna.client.sit_bytes())
    heading = mobile.heading
    there = {"t": "turned", "id": mobile.serial, "heading": heading}
    for _ in range(3):
        anna.got.clear()
        bert.got.clear()
        await anna.sends(anna.client.turn_bytes((heading + 2) % 8), wait=0.2)
        assert anna.of("turned") == [there]
        assert anna.client.me.heading == mobile.heading == heading
        assert bert.of("turned") == []


async def test_sitting_and_standing_up(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    await anna.does(anna.client.sit_bytes())
    assert mobile.posture == Posture.FLOOR
    assert anna.client.me.sitting
    assert bert.screen.things[mobile.serial].sitting
    x = mobile.x
    await anna.steps(EAST)
    assert mobile.x == x + 1
    assert mobile.posture == Posture.STANDING
    assert not bert.screen.things[mobile.serial].sitting
    # On the chair it faces; no other way leads from there than back.
    realm = mobile.realm
    assert realm is not None
    (x, y), heading = next((at, side) for at, side in realm.chart.seats.items() if side == EAST)
    motion.go(mobile, x + 1, y, WEST)
    await settled(town, anna, bert)
    await anna.does(anna.client.sit_bytes())
    assert mobile.posture == Posture.CHAIR
    assert (anna.screen.x, anna.screen.y) == (mobile.x, mobile.y) == (x, y)
    assert mobile.heading == heading
    await anna.does(anna.client.turn_bytes(NORTH))
    assert mobile.heading == EAST
    await anna.does(anna.client.sit_bytes())
    assert mobile.posture == Posture.STANDING
    assert (anna.screen.x, anna.screen.y) == (mobile.x, mobile.y)
    await anna.steps(WEST)
    assert (anna.screen.x, anna.screen.y) == (mobile.x, mobile.y)
    await settled(town, anna, bert)


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


async def test_numbers_are_told_when_they_change_and_to_nobody_else(
    town: Town, autojump_clock: MockClock
) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    anna.got.clear()
    bert.got.clear()
    mobile.hits = mobile.hits_max // 2
    mobile.strength += 1
    await settled(town, anna, bert)
    assert [message["t"] for message in anna.got] == ["change", "sheet"]
    assert bert.got == [{"t": "change", "id": mobile.serial, "hits": 50, "level": mobile.level}]
    anna.got.clear()
    before, mobile.mana = mobile.mana, 0
    mobile.mana = before
    await settled(town, anna, bert)
    assert anna.got == []
    mobile.name, mobile.title, mobile.notoriety = "Hanna", "the Old", 5
    await settled(town, anna, bert)
    shown = bert.screen.things[mobile.serial]
    assert (shown.name, shown.title, shown.notoriety) == ("Hanna", "the Old", 5)


async def test_hidden_staff_is_not_there(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    mobile.hidden = True
    await settled(town, anna, bert)
    assert mobile.serial not in bert.screen.things
    assert bert.of("hide")[-1]["why"] == "hidden"
    await anna.steps(EAST)
    await anna.does(anna.client.gesture_bytes("bow"))
    await settled(town, anna, bert)
    assert bert.screen.gestured == []
    told = await bert.does(bert.client.look_bytes(mobile.serial))
    assert [message["t"] for message in told] == ["say"]
    mobile.hidden = False
    await settled(town, anna, bert)
    assert bert.screen.things[mobile.serial].x == mobile.x


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


async def test_hours_strike(town: Town, autojump_clock: MockClock) -> None:
    world = town.app.world
    world.dawn += until_next_hour(world) - 10
    anna = WebPlayer(town)
    await anna.enters("anna", "Anna")
    hour = anna.screen.time
    assert hour is not None
    assert hour[1] >= 56
    assert anna.screen.counts["time"] == 1
    await anna.sends(b"", wait=10.0)
    assert anna.screen.time == ((hour[0] + 1) % 24, 0)
    assert anna.screen.counts["time"] == 2
    assert anna.of("time")[-1]["pace"] == pytest.approx(1 / 3)
    # Who has left hears no more of it, and who came again hears it once.
    world.dawn += until_next_hour(world) - 8
    for _ in range(2):
        await anna.does(anna.client.leave_bytes())
        await anna.plays()
    assert anna.screen.counts["time"] == 4
    await anna.sends(b"", wait=6.0)
    assert anna.screen.counts["time"] == 5


async def test_a_uo_client_and_a_jumper_are_seen_and_see(town: Town, autojump_clock: MockClock) -> None:
    bert, carla = UoPlayer(town), CoPlayer(town)
    anna = await anna_and(town, bert, carla)
    his, hers = town.mobile("Bert"), town.mobile("Carla")
    assert {anna.screen.things[m.serial].game for m in (his, hers)} == {"uo", "co"}
    assert town.mobile("Anna").serial in bert.client.mobiles
    await bert.walks(EAST)
    await bert.walks(SOUTH)
    shown = anna.screen.things[his.serial]
    assert (shown.x, shown.y, shown.heading) == (his.x, his.y, SOUTH)
    await carla.jumps(1, 1)
    assert anna.of("move")[-1]["jump"] is True
    shown = anna.screen.things[hers.serial]
    assert (shown.x, shown.y) == (hers.x, hers.y)
    step = bert.client.mobiles[town.mobile("Anna").serial].x
    await anna.steps(EAST)
    assert bert.client.mobiles[town.mobile("Anna").serial].x == step + 1
    bert.leaves()
    carla.leaves()
    await anna.sends(b"", wait=15.0)
    assert his.serial not in anna.screen.things
    assert anna.of("hide")[-1]["why"] == "left"
    await settled(town, anna)


async def test_leaving_and_coming_back_with_another(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile = town.mobile("Anna")
    told = await anna.does(anna.client.leave_bytes() + anna.client.walk_bytes(EAST))
    assert [message["t"] for message in told] == ["left", "characters"]
    assert not town.here("Anna")
    await bert.sends(b"", wait=0.2)
    assert mobile.serial not in bert.screen.things
    await anna.makes("Berta")
    await anna.plays(1)
    assert anna.screen.name == "Berta"
    assert town.here("Berta")
    assert not town.here("Anna")
    gather(town, "Berta", "Bert")
    await settled(town, anna, bert)
    await anna.steps(EAST)
    assert anna.screen.answered == [0]
    await anna.does(anna.client.leave_bytes())
    told = await anna.does(anna.client.delete_bytes(town.mobile("Bert").serial))
    assert told[-1]["why"] == "no_character"
    await anna.plays(0)
    assert anna.screen.name == "Anna"
    await settled(town, anna, bert)


async def test_a_character_that_lingers_is_taken_over_where_it_is(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    furniture.sit_on_floor(mobile)
    await settled(town, anna)
    anna.leaves()
    again = WebPlayer(town)
    await again.sends(b"", wait=2.0)
    assert town.mobile("Anna") is mobile
    assert not mobile.online
    await again.enters("anna")
    assert town.mobile("Anna") is mobile
    assert again.client.me.sitting
    assert (again.screen.x, again.screen.y) == (mobile.x, mobile.y)
    await settled(town, again)


async def test_steps_that_wait_die_with_their_client(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    x = mobile.x
    await anna.sends(b"".join(anna.client.walk_bytes(EAST) for _ in range(4)), wait=0.05)
    anna.leaves()
    again = WebPlayer(town)
    await again.enters("anna")
    assert mobile.x <= x + 2
    assert not mobile.gait.queue
    assert all(session.phase is Phase.IN_WORLD for session in town.app.loop.sessions.values())


def _resident(town: Town, template: str) -> Mobile:
    return next(m for m in town.app.world.mobiles.values() if m.template.key == template)


async def test_a_sign_is_read_by_a_click(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    realm = mobile.realm
    assert realm is not None
    sign = next(one for one in realm.chart.signs if one.text)
    for near, words in ((True, f"{sign.title}: {sign.text}"), (False, "That is too far away.")):
        x, y = (
            next(realm.free_near(sign.x, sign.y, 4))
            if near
            else next(realm.free_near(sign.x, sign.y + 12, 4))
        )
        town.app.world.warp(mobile, realm, x, y)
        await settled(town, anna)
        anna.screen.forgets()
        await anna.says("read", x=sign.x, y=sign.y)
        assert words in anna.screen.lines()
    await anna.says("read", x=sign.x + 1, y=0)
    assert "There is nothing to read near you." in anna.screen.lines()


async def test_a_conversation_with_the_crier(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    crier, mobile = _resident(town, "crier"), town.mobile("Anna")
    realm = mobile.realm
    assert realm is not None
    town.app.world.warp(mobile, realm, *next(realm.free_near(crier.x, crier.y + 1)))
    await settled(town, anna)
    shown = anna.screen.things[crier.serial]
    assert shown.resident
    assert shown.game == ""
    await anna.does(anna.client.use_bytes(crier.serial))
    (serial,) = anna.screen.questions
    question = anna.screen.questions[serial]
    assert question.asker == crier.serial
    assert question.buttons[1] == "Where am I?"
    # A forged button, a forged serial and another's dialog mean nothing.
    for forged in ((serial, 99), (serial ^ 2, 1), (0, 0)):
        await anna.says("answer", serial=forged[0], button=forged[1])
    assert serial in mobile.dialogs
    await anna.answers(1)
    (serial,) = anna.screen.questions
    assert anna.screen.questions[serial].text.startswith("You are at")
    # One answer counts once.
    await anna.answers(2)
    await anna.says("answer", serial=serial, button=2)
    (serial,) = anna.screen.questions
    # Far away from who asked there is nothing but to close it.
    town.app.world.warp(mobile, realm, *next(realm.free_near(crier.x + 30, crier.y, 9)))
    await settled(town, anna)
    await anna.says("answer", serial=serial, button=1)
    assert anna.screen.notices()[-1] == "That is too far away."
    await anna.answers(0)
    assert not mobile.dialogs
    (session,) = town.app.loop.sessions.values()
    assert cast("WebSession", session).asked == {}
    await settled(town, anna)


async def test_a_question_that_is_taken_back_is_closed(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    life.offer_resurrection(mobile, None)
    life.offer_resurrection(mobile, None)
    await settled(town, anna)
    assert anna.screen.counts["close"] == 1
    assert len(anna.screen.questions) == 1
    assert anna.screen.questions.keys() == mobile.dialogs.keys()


async def test_the_banker_and_looking_at_people(town: Town, autojump_clock: MockClock) -> None:
    bert = UoPlayer(town)
    anna = await anna_and(town, bert)
    banker, his = _resident(town, "banker"), town.mobile("Bert")
    mobile = town.mobile("Anna")
    realm = mobile.realm
    assert realm is not None
    town.app.world.warp(mobile, realm, *next(realm.free_near(banker.x, banker.y + 2)))
    town.app.world.warp(his, realm, *next(realm.free_near(banker.x, banker.y + 3)))
    await settled(town, anna)
    await anna.does(anna.client.use_bytes(banker.serial))
    assert anna.screen.said[-1][:2] == (banker.serial, banker.name)
    assert "gold" in anna.screen.said[-1][3]
    his.hits = his.hits_max // 3
    his.title = "the Tested"
    for verb in (anna.client.look_bytes, anna.client.use_bytes):
        await anna.does(verb(his.serial))
        number, name, lines = anna.screen.seen[-1]
        assert (number, name) == (his.serial, "Bert")
        assert lines[:2] == ["the Tested", "Badly hurt."]
        assert lines[-1].startswith("Wears ")
        assert "shirt" in lines[-1]
        assert "backpack" not in lines[-1]
    await anna.does(anna.client.look_bytes(0xFFFF_FFFF))
    assert anna.screen.notices()[-1] == "You cannot see that."
    await settled(town, anna)


async def test_who_answers_what_nobody_asked_is_told_so(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    await anna.does(anna.client.answer_bytes(4711, 1))
    assert anna.screen.notices()[-1] == Wish.UNASKED.value
