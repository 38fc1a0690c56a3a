"""Five games, one square: clients of Conquer Online, of both patches, among those of the four others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio
from eolib import Direction, EmotePlayerServerPacket, TalkPlayerServerPacket, TalkTellServerPacket

from tests.kit import co_screen, l2_screen
from tests.kit.co_client import heading_of
from tests.kit.co_player import CoPlayer
from tests.kit.eq2_client import SAY, TELL
from tests.kit.eq2_player import Eq2Player
from tests.kit.l2_player import L2Player
from tests.kit.players import EoPlayer, UoPlayer
from world import life, motion
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.co_screen import Seen
    from tests.kit.town import Town
    from world.mobile import Mobile

NAMES = ("Anna", "Bert", "Cora", "Dora", "Karl", "Lena")

HELLO, KNEEL, SIT, STAND = 190, 220, 250, 100
"""Emotions."""


@attrs.define
class Square:
    """Anna at Ultima Online, Bert at Endless Online, Cora at EverQuest II, Dora at Lineage II, Karl and Lena
    at Conquer Online, 5017 and 5065, side by side on open ground."""

    town: Town
    anna: UoPlayer
    bert: EoPlayer
    cora: Eq2Player
    dora: L2Player
    karl: CoPlayer
    lena: CoPlayer

    def mobile(self, name: str) -> Mobile:
        """A character."""
        return self.town.mobile(name)

    def tile(self, x: int, y: int) -> tuple[int, int]:
        """The tile of the world for one of Conquer's."""
        atlas = self.town.content.charts["confluence"].atlas["co"]
        return x - int(str(atlas["x"])), y - int(str(atlas["y"]))

    def drawn(self, player: CoPlayer, name: str) -> Seen:
        """Somebody as a Conquer client draws them, itself too."""
        screen = player.client.screen
        found = [*screen.people.values(), *screen.npcs.values(), *([screen.me] if screen.me else [])]
        seen = [one for one in found if one.name == name]
        assert seen, f"{name} is not drawn"
        return seen[0]

    def by_eo(self, name: str) -> tuple[int, int]:
        """The tile on which Bert sees somebody."""
        drawn = self.bert.client.characters.values()
        seen = next(d for d in drawn if d.info is not None and d.info.name.lower() == name.lower())
        return seen.x, seen.y

    def all_see(self, name: str) -> None:
        """Everybody sees somebody where the world has it, and looking where it looks."""
        mobile = self.mobile(name)
        there = mobile.x, mobile.y
        for player in (self.karl, self.lena):
            seen = self.drawn(player, name)
            assert self.tile(seen.x, seen.y) == there, f"{player.game} sees {name} elsewhere"
            # Where a client of EverQuest II looks is its own affair.
            if name != "Cora":
                assert heading_of(seen.direction) == mobile.heading, f"{player.game}: {name}"
        if name != "Anna":
            mine, me = self.mobile("Anna"), self.anna.client.player
            assert me is not None
            by_uo = self.anna.client.mobiles[mobile.serial]
            assert (by_uo.x - me.x + mine.x, by_uo.y - me.y + mine.y) == there
        if name != "Bert":
            assert self.by_eo(name) == there
        if name != "Cora":
            assert self.cora.client.by_name(name) is not None
        if name != "Dora":
            assert self.dora.client.screen.by_name(name) is not None

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
        assert self.dora.client.screen.faults == []
        for player in (self.karl, self.lena):
            all_is_well(player)


def all_is_well(player: CoPlayer) -> None:
    """A Conquer client is there and was told no nonsense."""
    assert not player.gone
    assert player.client.why == ""
    assert player.client.screen.faults == []
    assert player.client.screen.strangers == []


@pytest.fixture
async def square(town: Town) -> Square:
    """Everybody is there."""
    made = Square(
        town,
        *(UoPlayer(town), EoPlayer(town), Eq2Player(town), L2Player(town)),
        *(CoPlayer(town), CoPlayer(town, patch=5065, peer="127.0.0.2")),
    )
    for name in NAMES:
        await getattr(made, name.lower()).enters(name.lower(), name)
    realm = town.app.world.realms["confluence"]
    x, y = realm.chart.spawns[0]
    spots = [
        (a, b)
        for a, b in realm.free_near(x, y, 8)
        if all(motion.can_step(realm, a, b, heading) for heading in range(8))
    ]
    for name, spot in zip(NAMES, spots, strict=False):
        town.app.world.warp(town.mobile(name), realm, *spot)
    await made.changed(2)
    return made


async def test_all_see_each_other_by_name_and_where_they_are(
    square: Square, autojump_clock: MockClock
) -> None:
    for name in NAMES:
        square.all_see(name)
    for player in (square.karl, square.lena):
        screen = player.client.screen
        assert screen.map == 1002
        assert screen.document == 1002
        assert screen.tint
        assert set(NAMES) - {screen.me.name if screen.me else ""} <= {
            seen.name for seen in screen.people.values()
        }
        assert any("Welcome to Causeway" in line for line in screen.notices)
        assert screen.npcs, "the residents"
    assert square.lena.client.screen.date
    square.is_well()


async def test_all_see_each_others_steps(square: Square, autojump_clock: MockClock) -> None:
    sides = {NORTH: Direction.Up, EAST: Direction.Right, SOUTH: Direction.Down, WEST: Direction.Left}
    for heading in (EAST, SOUTH, WEST, NORTH):
        for name in NAMES:
            mobile = square.mobile(name)
            before = mobile.x, mobile.y
            if name == "Bert":
                await square.bert.does(square.bert.client.walk(sides[heading]))
            else:
                await getattr(square, name.lower()).walks(heading)
            await trio.sleep(0.3)
            dx, dy = OFFSETS[heading]
            assert (mobile.x, mobile.y) == (before[0] + dx, before[1] + dy), f"{name} is held up"
            square.all_see(name)
    assert square.karl.client.screen.kicked_back == square.lena.client.screen.kicked_back == 1, (
        "put there once, and never again"
    )
    square.is_well()


async def test_a_long_run_shows_what_comes_and_drops_what_goes(
    square: Square, autojump_clock: MockClock
) -> None:
    """The client drops what it is told of before it is there."""
    karl = square.karl
    for heading in (SOUTH, WEST, NORTH, EAST):
        for number in range(25):
            await karl.sends(karl.client.walk_bytes(heading, mark=number % 4), wait=0.26)
        all_is_well(karl)
    session = next(s for s in square.town.app.sessions() if s.mobile is square.mobile("Karl"))
    screen = karl.client.screen
    ids = session.family.view.figures.ids  # type: ignore[attr-defined] # this game's
    assert {*screen.people, *screen.npcs, *screen.ground} == {ids.of(t) for t in session.known.values()}
    square.is_well()


async def test_who_jumps_is_there_for_all(square: Square, autojump_clock: MockClock) -> None:
    for name in ("Karl", "Lena"):
        player, mobile = getattr(square, name.lower()), square.mobile(name)
        before = mobile.x, mobile.y
        for dx, dy in ((4, 2), (-3, -3), (0, 5), (-1, -4)):
            await player.jumps(dx, dy)
            before = before[0] + dx, before[1] + dy
            assert (mobile.x, mobile.y) == before
            square.all_see(name)
    square.is_well()


async def test_jumps_far_off_and_back_show_each_place_as_it_is(
    square: Square, autojump_clock: MockClock
) -> None:
    karl = square.karl
    mobile = square.mobile("Karl")
    realm = mobile.realm
    assert realm is not None
    gone = 0
    for dx, dy in ((0, 14), (0, 14), (0, -14), (0, -14)):
        if realm.walkable(mobile.x + dx, mobile.y + dy):
            await karl.jumps(dx, dy)
            gone += 1
    assert gone
    await trio.sleep(1)
    square.all_see("Karl")
    assert karl.client.screen.faults == []


async def test_a_jump_from_elsewhere_or_too_far_is_taken_back(
    square: Square, autojump_clock: MockClock
) -> None:
    karl, mobile = square.karl, square.mobile("Karl")
    screen, place = karl.client.screen, (mobile.x, mobile.y)
    me = screen.me
    assert me is not None
    kicked = screen.kicked_back
    await karl.does(karl.client.jump_bytes(3, 0, claims=(me.x + 1, me.y)))
    await karl.does(karl.client.jump_bytes(19, 0))
    await karl.does(karl.client.jump_bytes(-200, 0))
    assert screen.kicked_back == kicked + 3
    assert (mobile.x, mobile.y) == place == square.tile(me.x, me.y)
    square.is_well()


async def test_all_hear_each_other(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora, dora = square.anna, square.bert, square.cora, square.dora
    karl, lena = square.karl, square.lena
    await anna.does(anna.client.say_bytes("Hail from Britannia"))
    await bert.does(bert.client.say("Hail from Aeven"))
    await cora.does(cora.client.say_bytes("Hail from Norrath"))
    await dora.does(dora.client.say_bytes("Hail from Aden"))
    await karl.does(karl.client.say_bytes("Hail from Twin City"))
    await lena.does(lena.client.say_bytes("Hail from the market"))
    spoken = {
        ("Anna", "Hail from Britannia"),
        ("Bert", "Hail from Aeven"),
        ("Cora", "Hail from Norrath"),
        ("Dora", "Hail from Aden"),
        ("Karl", "Hail from Twin City"),
        ("Lena", "Hail from the market"),
    }
    for player in (karl, lena):
        screen = player.client.screen
        heard = {
            (who, words)
            for channel, who, _, words in screen.said
            if channel == co_screen.TALK and who in NAMES
        }
        assert screen.me is not None
        assert heard == {line for line in spoken if line[0] != screen.me.name}, "never what it said itself"
    for words in ("Hail from Twin City", "Hail from the market"):
        assert words in anna.client.said()
        assert words in {p.message for p in bert.of(TalkPlayerServerPacket)}
        assert words in {text for _, text in cora.client.heard(SAY)}
        assert words in dora.client.screen.lines()
    await karl.does(karl.client.say_bytes("HELP", co_screen.YELL))
    assert (co_screen.YELL, "Karl", "ALLUSERS", "HELP") in lena.client.screen.said
    assert "HELP" in anna.client.said()
    square.is_well()


async def test_words_for_one_and_words_for_all(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora, dora = square.anna, square.bert, square.cora, square.dora
    karl, lena = square.karl, square.lena
    await karl.does(karl.client.say_bytes("between us", co_screen.WHISPER, "bert"))
    assert [(p.player_name.lower(), p.message) for p in bert.of(TalkTellServerPacket)] == [
        ("karl", "between us")
    ]
    await cora.does(cora.client.command_bytes("tell", "Lena and us alone"))
    await dora.does(dora.client.say_bytes("us, too", kind=l2_screen.TELL, target="Karl"))
    await karl.does(karl.client.say_bytes("a word", co_screen.WHISPER, "Cora"))
    await karl.does(karl.client.say_bytes("my dear", co_screen.WHISPER, "Lena"))
    whispers = [line for line in lena.client.screen.said if line[0] == co_screen.WHISPER]
    assert whispers == [
        (co_screen.WHISPER, "Cora", "Lena", "and us alone"),
        (co_screen.WHISPER, "Karl", "Lena", "my dear"),
    ]
    assert (co_screen.WHISPER, "Dora", "Karl", "us, too") in karl.client.screen.said
    assert ("Karl", "a word") in cora.client.heard(TELL)
    assert not {"between us", "and us alone", "my dear"} & {*anna.client.said()}
    await karl.does(karl.client.say_bytes("hello", co_screen.WHISPER, "Nobody"))
    assert karl.client.screen.notices[-1] == "Nobody is not online."
    await bert.does(bert.client.say_to_all("to all of you"))
    for player in (karl, lena):
        assert "to all of you" in player.client.screen.lines()
    await lena.does(lena.client.say_bytes("who buys a shield", 2021))
    assert any("who buys a shield" in line for line in anna.client.said())
    assert "who buys a shield" in karl.client.screen.lines()
    square.is_well()


async def test_all_see_gestures_postures_and_wounds(square: Square, autojump_clock: MockClock) -> None:
    bert, cora, dora, karl, lena = square.bert, square.cora, square.dora, square.karl, square.lena
    screen = lena.client.screen
    number = square.drawn(lena, "Karl").id
    await karl.does(karl.client.emotion_bytes(KNEEL))
    assert number in {who for who, _ in screen.gestures}
    assert square.mobile("Karl").serial in {who for who, _ in dora.client.screen.gestures}
    await cora.does(cora.client.command_bytes("bow"))
    assert (square.drawn(lena, "Cora").id, 210) in screen.gestures
    assert bert.of(EmotePlayerServerPacket) is not None
    await karl.does(karl.client.emotion_bytes(SIT))
    assert square.drawn(lena, "Karl").pose == square.drawn(karl, "Karl").pose == SIT
    assert not next(seen for seen in dora.client.screen.people.values() if seen.name == "Karl").standing
    await karl.walks(EAST)
    assert square.drawn(lena, "Karl").pose == square.drawn(karl, "Karl").pose == STAND
    assert dora.client.screen.by_name("Karl").standing  # type: ignore[union-attr] # it is there
    mobile = square.mobile("Karl")
    mobile.hits = mobile.hits_max // 2
    await square.changed()
    assert karl.client.screen.values[co_screen.LIFE] == mobile.hits
    assert karl.client.screen.values[co_screen.MAX_LIFE] == mobile.hits_max
    assert square.drawn(lena, "Karl").values[co_screen.LIFE] == mobile.hits
    ghost = cora.client.by_name("Karl")
    assert ghost is not None
    assert ghost.about.hits_percent == pytest.approx(50, abs=2)
    square.is_well()


async def test_who_dies_and_rises_is_seen_to(square: Square, autojump_clock: MockClock) -> None:
    for name in NAMES:
        mobile = square.mobile(name)
        life.kill(mobile)
        await square.changed()
        for player in (square.karl, square.lena):
            assert square.drawn(player, name).ghost, (name, player.game)
        life.resurrect(mobile)
        await square.changed()
        for player in (square.karl, square.lena):
            seen = square.drawn(player, name)
            assert not seen.ghost, (name, player.game)
            assert not seen.status & 0x420
    await square.karl.walks(EAST)
    square.all_see("Karl")
    square.is_well()


async def test_a_ghost_walks_and_talks_to_a_healer(square: Square, autojump_clock: MockClock) -> None:
    town, karl, mobile = square.town, square.karl, square.mobile("Karl")
    healer = next(m for m in town.app.world.mobiles.values() if m.template.key == "healer")
    realm = mobile.realm
    assert realm is not None
    life.kill(mobile)
    town.app.world.warp(mobile, realm, *next(iter(realm.free_near(healer.x, healer.y, 3))))
    await square.changed(3)
    window = karl.client.screen.window
    assert window is not None
    assert "resurrect" in window.text
    assert next(iter(window.options.values())) == "CONTINUE"
    await karl.does(karl.client.answer_bytes(1))
    assert not mobile.dead
    all_is_well(karl)


async def test_things_go_from_hand_to_hand_over_the_ground(square: Square, autojump_clock: MockClock) -> None:
    anna, karl, lena = square.anna, square.karl, square.lena
    screen = karl.client.screen
    had = screen.values[co_screen.SILVER]
    await karl.does(karl.client.drop_silver_bytes(30))
    assert screen.values[co_screen.SILVER] == had - 30
    (lying,) = [number for number, thing in screen.ground.items() if thing.kind // 10_000 == 109]
    assert anna.client.items[lying].amount == 30
    assert lying in lena.client.screen.ground
    await karl.does(karl.client.pick_bytes(lying))
    assert lying not in screen.ground
    assert lying not in anna.client.items
    assert lying not in lena.client.screen.ground
    assert screen.values[co_screen.SILVER] == had
    number = next(n for n, item in screen.owned.items() if not item.position)
    await karl.does(karl.client.drop_bytes(number))
    assert number not in screen.owned
    assert number in lena.client.screen.ground
    square.is_well()


async def test_what_is_worn_is_seen(square: Square, autojump_clock: MockClock) -> None:
    karl, lena = square.karl, square.lena
    screen = karl.client.screen
    for position in sorted({item.position for item in screen.owned.values() if item.position}):
        number = next(n for n, item in screen.owned.items() if item.position == position)
        before = square.drawn(lena, "Karl").wears
        await karl.does(karl.client.item_bytes(number, 6, position))
        assert screen.owned[number].position == 0
        if position in (1, 3, 4, 5, 9):
            assert square.drawn(lena, "Karl").wears != before
        await karl.does(karl.client.item_bytes(number, 4, 0))
        assert screen.owned[number].position == position
        assert square.drawn(lena, "Karl").wears == before
    await lena.does(lena.client.action_bytes(117, data=square.drawn(lena, "Karl").id))
    assert lena.client.screen.inspected
    square.is_well()


async def test_a_teleport_is_a_new_place_with_all_that_is_there(
    square: Square, autojump_clock: MockClock
) -> None:
    town, karl, lena = square.town, square.karl, square.lena
    mobile, realm = square.mobile("Karl"), town.app.world.realms["confluence"]
    number = square.drawn(lena, "Karl").id
    far = next(
        (x, y)
        for x in (5, 100, 110)
        for y in (100, 5, 110)
        if max(abs(x - mobile.x), abs(y - mobile.y)) > 45 and realm.walkable(x, y)
    )
    town.app.world.warp(mobile, realm, *far)
    await square.changed(2)
    me = karl.client.screen.me
    assert me is not None
    assert square.tile(me.x, me.y) == far
    assert not {"Anna", "Bert"} & {seen.name for seen in karl.client.screen.people.values()}
    assert number not in lena.client.screen.people
    assert mobile.serial not in square.anna.client.mobiles
    await karl.walks(EAST)
    back = square.mobile("Lena")
    town.app.world.warp(mobile, realm, *next(iter(realm.free_near(back.x, back.y, 4))))
    await square.changed(2)
    square.all_see("Karl")
    assert {"Anna", "Bert"} <= {seen.name for seen in karl.client.screen.people.values()}
    square.is_well()


async def test_who_leaves_is_gone_for_all_and_comes_back_where_it_was(
    square: Square, autojump_clock: MockClock
) -> None:
    """Without a goodbye the character stays for a while, as one whose line is dead."""
    town, karl, lena = square.town, square.karl, square.lena
    await karl.walks(EAST, tiles=2)
    his = square.mobile("Karl")
    place, number = (his.x, his.y), square.drawn(lena, "Karl").id
    karl.leaves()
    await trio.sleep(2)
    assert square.mobile("Karl") is his
    again = CoPlayer(town)
    await again.enters("karl")
    assert square.mobile("Karl") is his, "the same one, not another"
    assert (his.x, his.y) == place
    square.karl = again
    square.all_see("Karl")
    again.leaves()
    await trio.sleep(12)
    assert not town.here("Karl")
    assert his.serial not in square.anna.client.mobiles
    assert number not in lena.client.screen.people
    assert square.cora.client.by_name("Karl") is None
    assert square.dora.client.screen.by_name("Karl") is None


async def test_the_newest_login_wins(square: Square, autojump_clock: MockClock) -> None:
    """Of either patch."""
    town, his = square.town, square.mobile("Karl")
    again = CoPlayer(town, patch=5065)
    await again.enters("karl")
    assert square.karl.gone
    assert square.mobile("Karl") is his
    square.karl = again
    square.all_see("Karl")
    square.is_well()


async def test_one_character_is_played_from_one_game_after_the_other(
    square: Square, autojump_clock: MockClock
) -> None:
    town = square.town
    his = square.mobile("Karl")
    serial, place, look = his.serial, (his.x, his.y), square.drawn(square.lena, "Karl").look
    other = UoPlayer(town)
    await other.enters("karl", "Karl")
    assert square.karl.gone
    assert other.client.player is not None
    assert other.client.player.serial == serial
    assert (square.mobile("Karl").x, square.mobile("Karl").y) == place
    assert square.drawn(square.lena, "Karl").look == look
    await other.walks(SOUTH)
    back = CoPlayer(town)
    await back.enters("karl")
    assert other.gone
    square.karl = back
    square.all_see("Karl")
    after = square.mobile("Karl")
    assert (after.x, after.y) == (place[0], place[1] + 1)
    dora = square.mobile("Dora")
    taken = CoPlayer(town, patch=5065)
    await taken.enters("dora")
    assert square.mobile("Dora") is dora, "who was made in another game is played in this one"
    assert square.dora.gone
    all_is_well(taken)
    all_is_well(back)


async def test_the_shape_that_was_chosen_is_kept(town: Town, autojump_clock: MockClock) -> None:
    for number, (body, profession) in enumerate(((1004, 20), (2001, 40), (2002, 100))):
        name = f"Figure{'abc'[number]}"
        player = CoPlayer(town, patch=(5017, 5065)[number % 2])
        assert await player.logs_in(name.lower()) == "NEW_ROLE"
        await player.does(player.client.register_bytes(name, body=body, profession=profession))
        assert player.client.screen.answers[-1] == "ANSWER_OK"
        await player.enters(name.lower())
        me = player.client.screen.me
        assert me is not None
        assert me.look % 10_000 == body
        assert me.name == name.capitalize()
        player.leaves()
