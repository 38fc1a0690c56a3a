"""Four games, one square: an Ultima Online, an Endless Online, an EverQuest II and a Lineage II client
together."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

import attrs
import pytest
import trio
from eolib import (
    Direction,
    EmotePlayerServerPacket,
    TalkMsgServerPacket,
    TalkPlayerServerPacket,
    TalkTellServerPacket,
)

from tests.kit import l2_screen
from tests.kit.eq2_client import SAY, TELL
from tests.kit.eq2_player import Eq2Player
from tests.kit.l2_client import RUN, SIT, TILE
from tests.kit.l2_player import L2Player
from tests.kit.players import EoPlayer, UoPlayer
from world import life, motion
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from tests.kit.l2_screen import Screen, Seen
    from tests.kit.town import Town
    from world.mobile import Mobile

YELL = 9
"""Of Ultima Online's ways to speak."""

SIDES = {NORTH: Direction.Up, EAST: Direction.Right, SOUTH: Direction.Down, WEST: Direction.Left}

NAMES = ("Anna", "Bert", "Cora", "Dora")


@attrs.define
class Square:
    """Anna at Ultima Online, Bert at Endless Online, Cora at EverQuest II and Dora at Lineage II, side by
    side on open ground."""

    town: Town
    anna: UoPlayer
    bert: EoPlayer
    cora: Eq2Player
    dora: L2Player

    def mobile(self, name: str) -> Mobile:
        """A character."""
        return self.town.mobile(name)

    def by_uo(self, name: str) -> tuple[int, int]:
        """The tile of the world on which Anna sees somebody."""
        mine, me = self.mobile("Anna"), self.anna.client.player
        assert me is not None
        seen = self.anna.client.mobiles[self.mobile(name).serial]
        return seen.x - me.x + mine.x, seen.y - me.y + mine.y

    def by_eo(self, name: str) -> tuple[int, int]:
        """That on which Bert sees somebody."""
        drawn = self.bert.client.characters.values()
        seen = next(d for d in drawn if d.info is not None and d.info.name.lower() == name.lower())
        return seen.x, seen.y

    def by_eq2(self, name: str) -> tuple[int, int]:
        """That on which Cora sees somebody."""
        atlas = self.town.content.charts["confluence"].atlas["eq2"]
        seen = self.cora.client.by_name(name)
        assert seen is not None, f"Cora does not see {name}"
        east, _, south = seen.place
        x, z = float(str(atlas["x"])), float(str(atlas["z"]))
        return int((east - x) // 1), int((south - z) // 1)

    def by_l2(self, name: str) -> tuple[int, int]:
        """That on which Dora sees somebody."""
        return self.tile(*self.drawn(name).place(trio.current_time())[:2])

    def tile(self, x: float, y: float) -> tuple[int, int]:
        """The tile of a spot of Dora's client."""
        atlas = self.town.content.charts["confluence"].atlas["l2"]
        return floor((x - float(str(atlas["x"]))) / TILE), floor((y - float(str(atlas["y"]))) / TILE)

    def drawn(self, name: str) -> Seen:
        """Somebody as Dora's client draws them."""
        seen = self.dora.client.screen.by_name(name)
        assert seen is not None, f"Dora does not see {name}"
        return seen

    def all_see(self, name: str) -> None:
        """Everybody else sees somebody where the world has it."""
        mobile = self.mobile(name)
        seen: dict[str, Callable[[str], tuple[int, int]]] = {
            "Anna": self.by_uo,
            "Bert": self.by_eo,
            "Cora": self.by_eq2,
            "Dora": self.by_l2,
        }
        for who, tile in seen.items():
            if who != name:
                assert tile(name) == (mobile.x, mobile.y), f"{who} sees {name} elsewhere"

    async def changed(self, seconds: float = 1.0) -> None:
        """A test has changed the world: have everybody told."""
        self.town.app.loop.wake()
        await trio.sleep(seconds)

    def is_well(self) -> None:
        """Nobody was thrown out or told nonsense."""
        assert not self.anna.gone
        assert not self.bert.gone
        assert not self.cora.gone, self.cora.client.why
        assert self.cora.client.faults == []
        assert not self.dora.gone
        assert self.dora.client.why == ""
        assert self.dora.client.screen.faults == []


@pytest.fixture
async def square(town: Town) -> Square:
    """Everybody is there."""
    anna, bert, cora, dora = UoPlayer(town), EoPlayer(town), Eq2Player(town), L2Player(town)
    await cora.enters("cora", "Cora")
    await dora.enters("dora", "Dora")
    assert dora.client.in_world
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    realm = town.app.world.realms["confluence"]
    x, y = realm.chart.spawns[0]
    spots = [
        (a, b)
        for a, b in realm.free_near(x, y, 8)
        if all(motion.can_step(realm, a, b, heading) for heading in range(8))
    ]
    for name, spot in zip(NAMES, spots, strict=False):
        town.app.world.warp(town.mobile(name), realm, *spot)
    town.app.loop.wake()
    await trio.sleep(2)
    return Square(town, anna, bert, cora, dora)


async def test_all_see_each_other_by_name_and_where_they_are(
    square: Square, autojump_clock: MockClock
) -> None:
    screen = square.dora.client.screen
    for name in NAMES:
        square.all_see(name)
        assert square.drawn(name).id == square.mobile(name).serial
    assert screen.me is not None
    assert screen.me.name == "Dora"
    assert square.tile(screen.me.x, screen.me.y) == (square.mobile("Dora").x, square.mobile("Dora").y)
    assert screen.welcomed
    assert {"Anna", "Bert", "Cora"} <= {seen.name for seen in screen.people.values()}
    square.is_well()


async def test_all_see_each_others_steps(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora, dora = square.anna, square.bert, square.cora, square.dora
    for heading in (EAST, SOUTH, WEST, NORTH):
        for name in NAMES:
            mobile = square.mobile(name)
            before = mobile.x, mobile.y
            if name == "Anna":
                await anna.walks(heading)
            elif name == "Bert":
                await bert.does(bert.client.walk(SIDES[heading]))
            elif name == "Cora":
                await cora.walks(heading)
            else:
                await dora.walks(heading)
            dx, dy = OFFSETS[heading]
            assert (mobile.x, mobile.y) == (before[0] + dx, before[1] + dy), f"{name} is held up"
            assert mobile.heading == heading
            square.all_see(name)
    assert dora.client.screen.corrections == 0
    assert dora.client.screen.teleports == 1, "put there once, and never again"
    square.is_well()


async def test_a_long_way_is_one_line_for_its_own_kind_and_steps_for_the_others(
    square: Square, autojump_clock: MockClock
) -> None:
    """Another Lineage II client looks on."""
    emma = L2Player(square.town)
    await emma.enters("emma", "Emma")
    dora, hers = square.dora, square.mobile("Dora")
    start = hers.x, hers.y
    watcher = emma.client.screen
    before = watcher.counts[0x01]
    await dora.does(dora.client.walk_bytes(EAST, tiles=6), wait=0.1)
    me = dora.client.screen.me
    assert me is not None
    assert me.moves(trio.current_time())
    tiles = set()
    for _ in range(40):
        await trio.sleep(0.05)
        tiles.add(square.by_uo("Dora"))
        drawn = square.tile(*watcher.everybody()[hers.serial].place(trio.current_time())[:2])
        assert abs(drawn[0] - hers.x) <= 1, "where she is drawn is not where she is"
        assert square.by_eq2("Dora") == (hers.x, hers.y)
    assert (hers.x, hers.y) == (start[0] + 6, start[1])
    assert len(tiles) >= 6, "Ultima Online sees every step"
    assert watcher.counts[0x01] - before == 1, "one line"
    square.all_see("Dora")
    assert emma.client.screen.faults == []
    square.is_well()


async def test_who_changes_its_mind_on_the_way_is_seen_where_it_is(
    square: Square, autojump_clock: MockClock
) -> None:
    dora, hers = square.dora, square.mobile("Dora")
    start = hers.x, hers.y
    await dora.does(dora.client.walk_bytes(EAST, tiles=8), wait=0.6)
    await dora.does(dora.client.walk_bytes(WEST, tiles=8), wait=0.3)
    assert await dora.arrived(20)
    await trio.sleep(1)
    assert hers.y == start[1]
    assert square.by_l2("Dora") == (hers.x, hers.y)
    square.all_see("Dora")
    square.is_well()


async def test_it_runs_and_walks_at_the_speed_that_its_client_draws(
    square: Square, autojump_clock: MockClock
) -> None:
    dora, hers = square.dora, square.mobile("Dora")
    took = []
    for heading in (EAST, WEST):
        goal = hers.x + 5 * OFFSETS[heading][0]
        began = trio.current_time()
        await dora.does(dora.client.walk_bytes(heading, tiles=5), wait=0)
        for _ in range(1000):
            await trio.sleep(0.01)
            if hers.x == goal:
                break
        me = dora.client.screen.me
        assert me is not None
        took.append((trio.current_time() - began, me.speed))
        assert await dora.arrived(20)
        await dora.does(dora.client.action_bytes(RUN))
    (first, fast), (second, slow) = took
    assert fast > slow
    assert first == pytest.approx(5 * TILE / fast, abs=TILE / fast)
    assert second == pytest.approx(5 * TILE / slow, abs=TILE / slow)
    assert dora.client.screen.corrections == 0
    square.is_well()


async def test_all_hear_each_other(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora, dora = square.anna, square.bert, square.cora, square.dora
    await anna.does(anna.client.say_bytes("Hail from Britannia"))
    await bert.does(bert.client.say("Hail from Aeven"))
    await cora.does(cora.client.say_bytes("Hail from Norrath"))
    await dora.does(dora.client.say_bytes("Hail from Aden"))
    assert "Hail from Aden" in anna.client.said()
    assert "Hail from Aden" in {p.message for p in bert.of(TalkPlayerServerPacket)}
    assert ("Dora", "Hail from Aden") in cora.client.heard(SAY)
    spoken = [
        (who.capitalize(), text) for kind, who, text in dora.client.screen.said if kind == l2_screen.ALL
    ]
    assert ("Anna", "Hail from Britannia") in spoken
    assert ("Bert", "Hail from Aeven") in spoken
    assert ("Cora", "Hail from Norrath") in spoken
    assert ("Dora", "Hail from Aden") in spoken, "a client of this game shows what it said when it hears it"
    await anna.does(anna.client.say_bytes("HELP", kind=YELL))
    await dora.does(dora.client.say_bytes("COMING", kind=l2_screen.SHOUT))
    assert (l2_screen.SHOUT, "Anna", "HELP") in dora.client.screen.said
    assert "COMING" in anna.client.said()
    assert "COMING" in {p.message for p in bert.of(TalkPlayerServerPacket)}
    square.is_well()


async def test_words_for_one_and_words_for_all(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora, dora = square.anna, square.bert, square.cora, square.dora
    await dora.does(dora.client.say_bytes("between us", kind=l2_screen.TELL, target="bert"))
    assert [(p.player_name.lower(), p.message) for p in bert.of(TalkTellServerPacket)] == [
        ("dora", "between us")
    ]
    assert (l2_screen.TELL, "->Bert", "between us") in dora.client.screen.said
    await cora.does(cora.client.command_bytes("tell", "Dora and us alone"))
    assert (l2_screen.TELL, "Cora", "and us alone") in dora.client.screen.said
    await dora.does(dora.client.say_bytes("a word", kind=l2_screen.TELL, target="Cora"))
    assert ("Dora", "a word") in cora.client.heard(TELL)
    for line in anna.client.said():
        assert "between us" not in line
        assert "us alone" not in line
    await bert.does(bert.client.say_to_all("to all of you"))
    assert "to all of you" in dora.client.screen.lines()
    await dora.does(dora.client.say_bytes("who buys a shield", kind=l2_screen.TRADE))
    assert "who buys a shield" in {p.message for p in bert.of(TalkMsgServerPacket)}
    assert any("who buys a shield" in line for line in anna.client.said())
    square.is_well()


async def test_all_see_gestures_postures_and_wounds(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora, dora = square.anna, square.bert, square.cora, square.dora
    screen = dora.client.screen
    await dora.does(dora.client.gesture_bytes(13))
    number = next(
        number
        for number, drawn in bert.client.characters.items()
        if drawn.info is not None and drawn.info.name.lower() == "dora"
    )
    assert number in {p.player_id for p in bert.of(EmotePlayerServerPacket)}
    assert (square.mobile("Dora").serial, 13) in screen.gestures
    await cora.does(cora.client.command_bytes("bow"))
    assert square.mobile("Cora").serial in {who for who, _ in screen.gestures}
    await dora.does(dora.client.action_bytes(SIT))
    assert not square.drawn("Dora").standing
    assert bert.client.characters[number].sitting
    await dora.does(dora.client.action_bytes(SIT))
    assert square.drawn("Dora").standing
    assert screen.me is not None
    hers, his = square.mobile("Dora"), square.mobile("Anna")
    hers.hits, his.hits = hers.hits_max // 2, his.hits_max // 4
    await square.changed()
    assert (screen.me.status[l2_screen.CUR_HP], screen.me.status[l2_screen.MAX_HP]) == (
        hers.hits,
        hers.hits_max,
    )
    ghost = cora.client.by_name("Dora")
    assert ghost is not None
    assert ghost.about.hits_percent == pytest.approx(50, abs=2)
    seen = anna.client.mobiles[hers.serial]
    assert seen.hits[0] * 2 == pytest.approx(seen.hits[1], abs=2)
    await dora.does(dora.client.click_bytes(his.serial))
    assert screen.target == his.serial
    status = square.drawn("Anna").status
    assert status[l2_screen.CUR_HP] * 4 == pytest.approx(status[l2_screen.MAX_HP], abs=4)
    square.is_well()


async def test_who_dies_and_rises_is_seen_to(square: Square, autojump_clock: MockClock) -> None:
    """Its own client does not hear that it is dead, or it would not let its player walk to a healer."""
    emma = L2Player(square.town)
    await emma.enters("emma", "Emma")
    others = {"Anna": square.dora, "Dora": emma}
    for name, dora in others.items():
        mobile = square.mobile(name)
        life.kill(mobile)
        await square.changed()
        seen = dora.client.screen.by_name(name)
        assert seen is not None
        assert seen.dead
        life.resurrect(mobile)
        await square.changed()
        seen = dora.client.screen.by_name(name)
        assert seen is not None
        assert not seen.dead
        assert seen.status[l2_screen.CUR_HP] > 0
    assert not square.drawn("Dora").dead
    await square.dora.walks(EAST)
    square.all_see("Dora")
    assert emma.client.screen.faults == []
    square.is_well()


async def test_things_go_from_hand_to_hand_over_the_ground(square: Square, autojump_clock: MockClock) -> None:
    anna, dora = square.anna, square.dora
    screen = dora.client.screen
    (gold,) = [number for number, owned in screen.pack.items() if owned.kind == l2_screen.ADENA]
    had = screen.pack[gold].amount
    await dora.does(dora.client.drop_bytes(gold, 30))
    assert adena(screen) == had - 30
    (lying,) = [number for number, thing in screen.ground.items() if thing.kind == l2_screen.ADENA]
    assert screen.ground[lying].amount == 30
    assert anna.client.items[lying].amount == 30
    await dora.does(dora.client.click_bytes(lying), wait=3)
    assert lying not in screen.ground
    assert lying not in anna.client.items
    assert adena(screen) == had
    square.is_well()


def adena(screen: Screen) -> int:
    """The money in somebody's pack."""
    return sum(owned.amount for owned in screen.pack.values() if owned.kind == l2_screen.ADENA)


async def test_who_leaves_is_gone_for_all(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora, dora = square.anna, square.bert, square.cora, square.dora
    serial = square.mobile("Dora").serial
    await dora.does(dora.client.logout_bytes())
    assert dora.client.screen.goodbye == "LeaveWorld"
    assert dora.gone
    assert not square.town.here("Dora")
    assert serial not in anna.client.mobiles
    assert "dora" not in {d.info.name.lower() for d in bert.client.characters.values() if d.info is not None}
    assert cora.client.by_name("Dora") is None
    assert cora.client.faults == []


async def test_back_in_the_menu_another_character_is_chosen(
    square: Square, autojump_clock: MockClock
) -> None:
    anna, dora = square.anna, square.dora
    screen = dora.client.screen
    serial = square.mobile("Dora").serial
    await dora.does(dora.client.restart_bytes(), wait=2)
    assert screen.left
    assert screen.menu is not None
    assert [line.name for line in screen.menu] == ["Dora"]
    assert not square.town.here("Dora")
    assert serial not in anna.client.mobiles
    assert not dora.gone
    await dora.does(dora.client.create_bytes("Elena", sex=1, race=1, class_id=18, hair=3))
    assert screen.created == 0
    assert [line.name for line in dora.client.screen.menu or ()] == ["Dora", "Elena"]
    await dora.plays(1)
    assert screen.me is not None
    assert screen.me.name == "Elena"
    assert screen.me.kind == 18
    assert square.town.here("Elena")
    assert {"Anna", "Bert", "Cora"} & {seen.name for seen in screen.people.values()}
    assert screen.faults == []


async def test_the_others_leave_and_come_again(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, dora = square.anna, square.bert, square.dora
    await anna.does(anna.client.logout_bytes())
    anna.leaves()
    bert.leaves()
    await trio.sleep(12)
    assert dora.client.screen.by_name("Anna") is None
    assert dora.client.screen.by_name("Bert") is None
    again = UoPlayer(square.town)
    await again.enters("anna", "Anna")
    realm = square.town.app.world.realms["confluence"]
    hers = square.mobile("Dora")
    spot = next(spot for spot in realm.free_near(hers.x, hers.y) if spot != (hers.x, hers.y))
    square.town.app.world.warp(square.mobile("Anna"), realm, *spot)
    await square.changed()
    assert dora.client.screen.by_name("Anna") is not None
    assert dora.client.screen.faults == []


async def test_who_loses_the_line_comes_back_to_where_it_was(
    square: Square, autojump_clock: MockClock
) -> None:
    """Without a goodbye the character stays for a while, as one whose line is dead."""
    town, dora = square.town, square.dora
    await dora.walks(EAST, tiles=2)
    hers = square.mobile("Dora")
    place = hers.x, hers.y
    dora.leaves()
    await trio.sleep(2)
    assert square.mobile("Dora") is hers
    again = L2Player(town)
    await again.enters("dora", "Dora")
    assert again.client.in_world
    assert square.mobile("Dora") is hers, "the same one, not another"
    assert (hers.x, hers.y) == place
    await trio.sleep(20)
    assert square.mobile("Dora") is hers
    square.dora = again
    await again.walks(WEST, tiles=2)
    square.all_see("Dora")
    square.is_well()


async def test_the_newest_login_wins(square: Square, autojump_clock: MockClock) -> None:
    town, dora = square.town, square.dora
    hers = square.mobile("Dora")
    again = L2Player(town)
    await again.enters("dora", "Dora")
    assert again.client.in_world
    assert dora.gone
    assert square.mobile("Dora") is hers
    square.dora = again
    square.is_well()


async def test_a_teleport_is_a_new_place_with_all_that_is_there(
    square: Square, autojump_clock: MockClock
) -> None:
    dora, town = square.dora, square.town
    screen = dora.client.screen
    hers, realm = square.mobile("Dora"), town.app.world.realms["confluence"]
    far = next(
        (x, y)
        for x in (5, 100, 110)
        for y in (100, 5, 110)
        if max(abs(x - hers.x), abs(y - hers.y)) > 45 and realm.walkable(x, y)
    )
    town.app.world.warp(hers, realm, *far)
    await square.changed(2)
    assert screen.teleports == 2
    assert not screen.loading
    assert screen.by_name("Anna") is None
    assert square.mobile("Dora").serial not in square.anna.client.mobiles
    assert square.by_l2("Dora") == far
    await dora.walks(EAST)
    square.is_well()


async def test_one_character_is_played_from_one_game_after_the_other(
    square: Square, autojump_clock: MockClock
) -> None:
    town, dora = square.town, square.dora
    await dora.walks(EAST)
    hers = square.mobile("Dora")
    serial, place = hers.serial, (hers.x, hers.y)
    await dora.does(dora.client.logout_bytes())
    assert not town.here("Dora")
    other = UoPlayer(town)
    await other.enters("dora", "Dora")
    assert other.client.player is not None
    assert other.client.player.serial == serial
    assert (square.mobile("Dora").x, square.mobile("Dora").y) == place
    await other.walks(SOUTH)
    await other.does(other.client.logout_bytes())
    other.leaves()
    back = L2Player(town)
    await back.enters("dora", "Dora")
    assert back.client.screen.me is not None
    assert back.client.screen.me.id == serial
    square.dora = back
    assert square.by_l2("Dora") == (place[0], place[1] + 1)
    square.is_well()
