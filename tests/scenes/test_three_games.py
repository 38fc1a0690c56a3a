"""Three games, one square: an Ultima Online, an Endless Online and an EverQuest II client together."""

from __future__ import annotations

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

from tests.kit.eq2_client import EMOTE, OOC, SAY, SHOUT, TELL
from tests.kit.eq2_player import Eq2Player
from tests.kit.players import EoPlayer, UoPlayer
from world import motion
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from tests.kit.town import Town
    from world.mobile import Mobile

YELL = 9
"""Of Ultima Online's ways to speak."""

SIDES = {
    NORTH: Direction.Up,
    EAST: Direction.Right,
    SOUTH: Direction.Down,
    WEST: Direction.Left,
}


@attrs.define
class Square:
    """Anna at Ultima Online, Bert at Endless Online, Cora at EverQuest II, side by side on open ground."""

    town: Town
    anna: UoPlayer
    bert: EoPlayer
    cora: Eq2Player

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

    def all_see(self, name: str) -> None:
        """Everybody else sees somebody where the world has it."""
        mobile = self.mobile(name)
        seen: dict[str, Callable[[str], tuple[int, int]]] = {
            "Anna": self.by_uo,
            "Bert": self.by_eo,
            "Cora": self.by_eq2,
        }
        for who, tile in seen.items():
            if who != name:
                assert tile(name) == (mobile.x, mobile.y), f"{who} sees {name} elsewhere"

    def is_well(self) -> None:
        """Nobody was thrown out or told nonsense."""
        assert not self.anna.gone
        assert not self.bert.gone
        assert not self.cora.gone, self.cora.client.why
        assert self.cora.client.faults == []


@pytest.fixture
async def square(town: Town) -> Square:
    """Everybody is there."""
    anna, bert, cora = UoPlayer(town), EoPlayer(town), Eq2Player(town)
    await cora.enters("cora", "Cora")
    assert cora.client.in_world, (cora.client.why, cora.client.received[-3:])
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    realm = town.app.world.realms["confluence"]
    x, y = realm.chart.spawns[0]
    spots = [
        (a, b)
        for a, b in realm.free_near(x, y, 8)
        if all(motion.can_step(realm, a, b, heading) for heading in range(8))
    ]
    for name, spot in zip(("Anna", "Bert", "Cora"), spots, strict=False):
        town.app.world.warp(town.mobile(name), realm, *spot)
    town.app.loop.wake()
    await trio.sleep(2)
    return Square(town, anna, bert, cora)


async def test_all_see_each_other_by_name_and_where_they_are(
    square: Square, autojump_clock: MockClock
) -> None:
    for name in ("Anna", "Bert", "Cora"):
        square.all_see(name)
    for name in ("Anna", "Bert"):
        ghost = square.cora.client.by_name(name)
        assert ghost is not None
        assert ghost.id == square.mobile(name).serial
        assert ghost.about.hits_percent == 100
    assert square.cora.client.me.name == "Cora"
    square.is_well()


async def test_all_see_each_others_steps(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora = square.anna, square.bert, square.cora
    for heading in (EAST, SOUTH, WEST, NORTH):
        for name in ("Anna", "Bert", "Cora"):
            mobile = square.mobile(name)
            before = mobile.x, mobile.y
            if name == "Anna":
                await anna.walks(heading)
            elif name == "Bert":
                await bert.does(bert.client.walk(SIDES[heading]))
            else:
                await cora.walks(heading)
            dx, dy = OFFSETS[heading]
            assert (mobile.x, mobile.y) == (before[0] + dx, before[1] + dy), f"{name} is held up"
            assert mobile.heading == heading
            square.all_see(name)
            if name != "Cora":
                ghost = cora.client.by_name(name)
                assert ghost is not None
                assert ghost.heading == heading
    assert cora.client.teleports == 1, "put there once, and never corrected"
    square.is_well()


async def test_who_walks_smoothly_is_seen_to_walk_and_to_stop(
    square: Square, autojump_clock: MockClock
) -> None:
    """Half a tile at a time, as an original client does it, and another of its kind looks on."""
    dora = Eq2Player(square.town)
    await dora.enters("dora", "Dora")
    cora, hers = square.cora, square.mobile("Cora")
    start = hers.x, hers.y
    for _ in range(4):
        await cora.does(cora.client.walk_bytes(EAST, tiles=0.5), wait=0.2)
    await trio.sleep(1)
    assert (hers.x, hers.y) == (start[0] + 2, start[1])
    square.all_see("Cora")
    ghost = dora.client.by_name("Cora")
    assert ghost is not None
    assert ghost.place[0] == pytest.approx(cora.client.motion.x, abs=1.0)
    assert ghost.position.speed > 0
    await cora.does(cora.client.turn_bytes(EAST), wait=1.0)
    assert ghost.position.speed == 0
    assert dora.client.faults == []
    square.is_well()


async def test_all_hear_each_other(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora = square.anna, square.bert, square.cora
    await anna.does(anna.client.say_bytes("Hail from Britannia"))
    await bert.does(bert.client.say("Hail from Aeven"))
    await cora.does(cora.client.say_bytes("Hail from Norrath"))
    assert {"Hail from Aeven", "Hail from Norrath"} <= set(anna.client.said())
    assert {"Hail from Britannia", "Hail from Norrath"} <= {
        p.message for p in bert.of(TalkPlayerServerPacket)
    }
    spoken = cora.client.heard(SAY)
    assert ("Anna", "Hail from Britannia") in spoken
    assert ("Bert", "Hail from Aeven") in [(name.capitalize(), text) for name, text in spoken]
    await anna.does(anna.client.say_bytes("HELP", kind=YELL))
    await cora.does(cora.client.command_bytes("shout", "COMING"))
    assert ("Anna", "HELP") in cora.client.heard(SHOUT)
    assert "COMING" in anna.client.said()
    assert "COMING" in {p.message for p in bert.of(TalkPlayerServerPacket)}
    square.is_well()


async def test_words_for_one_and_words_for_all(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora = square.anna, square.bert, square.cora
    await cora.does(cora.client.command_bytes("tell", "Bert between us"))
    assert [(p.player_name.lower(), p.message) for p in bert.of(TalkTellServerPacket)] == [
        ("cora", "between us")
    ]
    await bert.does(bert.client.tell("cora", "and us alone"))
    assert [text for _, text in cora.client.heard(TELL) if text == "and us alone"]
    await cora.does(cora.client.command_bytes("tell", "Anna a word"))
    assert any("a word" in line for line in anna.client.said())
    assert not any("between us" in line or "us alone" in line for line in anna.client.said())
    await cora.does(cora.client.command_bytes("tell", "Nobody hello"))
    assert any("There is no Nobody here" in line for line in cora.client.lines())
    await cora.does(cora.client.command_bytes("ooc", "to everybody"))
    assert "to everybody" in {p.message for p in bert.of(TalkMsgServerPacket)}
    assert any("to everybody" in line for line in anna.client.said())
    await bert.does(bert.client.say_to_all("to all of you"))
    assert "to all of you" in {text for _, text in cora.client.heard(OOC)}
    square.is_well()


async def test_all_see_gestures_and_wounds(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora = square.anna, square.bert, square.cora
    await cora.does(cora.client.command_bytes("sad"))
    number = next(
        number
        for number, drawn in bert.client.characters.items()
        if drawn.info is not None and drawn.info.name.lower() == "cora"
    )
    assert number in {p.player_id for p in bert.of(EmotePlayerServerPacket)}
    assert any("sad" in line for line in anna.client.said())
    await cora.does(cora.client.command_bytes("emote", "scratches her head"))
    assert any("scratches her head" in line for line in anna.client.said())
    await anna.does(anna.client.say_bytes("*yawns*", kind=2))
    assert any("yawns" in text for _, text in cora.client.heard(EMOTE))
    hers, his = square.mobile("Anna"), square.mobile("Cora")
    hers.hits, his.hits = hers.hits_max // 2, his.hits_max // 4
    square.town.app.loop.wake()
    await trio.sleep(1)
    ghost = cora.client.by_name("Anna")
    assert ghost is not None
    assert ghost.about.hits_percent == pytest.approx(50, abs=2)
    assert cora.client.sheet is not None
    assert (cora.client.sheet.hits, cora.client.sheet.max_hits) == (his.hits, his.hits_max)
    seen = anna.client.mobiles[his.serial]
    assert seen.hits[0] * 4 == pytest.approx(seen.hits[1], abs=4)
    square.is_well()


async def test_who_camps_is_gone_for_all(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora = square.anna, square.bert, square.cora
    serial = square.mobile("Cora").serial
    await cora.does(cora.client.camp_bytes())
    assert cora.client.leaving
    assert square.town.here("Cora"), "camping takes its time"
    await trio.sleep(cora.client.leaving + 2)
    assert cora.gone
    assert not square.town.here("Cora")
    assert serial not in anna.client.mobiles
    names = {d.info.name.lower() for d in bert.client.characters.values() if d.info is not None}
    assert "cora" not in names
    assert cora.client.faults == []


async def test_who_moves_does_not_camp(square: Square, autojump_clock: MockClock) -> None:
    cora = square.cora
    await cora.does(cora.client.camp_bytes())
    await cora.walks(EAST)
    assert cora.client.leaving is None
    await trio.sleep(30)
    assert square.town.here("Cora")
    square.is_well()


async def test_the_others_leave_and_come_again(square: Square, autojump_clock: MockClock) -> None:
    anna, bert, cora = square.anna, square.bert, square.cora
    await anna.does(anna.client.logout_bytes())
    anna.leaves()
    bert.leaves()
    await trio.sleep(12)
    assert cora.client.by_name("Anna") is None
    assert cora.client.by_name("Bert") is None
    again = UoPlayer(square.town)
    await again.enters("anna", "Anna")
    square.town.app.world.warp(
        square.mobile("Anna"), square.town.app.world.realms["confluence"], *_beside(square.mobile("Cora"))
    )
    square.town.app.loop.wake()
    await trio.sleep(1)
    assert cora.client.by_name("Anna") is not None
    assert cora.client.faults == []


def _beside(mobile: Mobile) -> tuple[int, int]:
    assert mobile.realm is not None
    return next(spot for spot in mobile.realm.free_near(mobile.x, mobile.y) if spot != (mobile.x, mobile.y))


async def test_who_loses_the_line_comes_back_to_where_it_was(
    square: Square, autojump_clock: MockClock
) -> None:
    """Without a goodbye the character stays for a while, as one whose line is dead."""
    town, cora = square.town, square.cora
    await cora.walks(EAST)
    hers = square.mobile("Cora")
    place = hers.x, hers.y
    cora.leaves()
    await trio.sleep(3)
    assert square.mobile("Cora") is hers
    square.all_see("Cora")
    again = Eq2Player(town)
    await again.enters("cora", "Cora")
    assert again.client.in_world
    assert square.mobile("Cora") is hers, "the same one, not another"
    assert (hers.x, hers.y) == place
    await trio.sleep(20)
    assert square.mobile("Cora") is hers
    square.cora = again
    await again.walks(WEST)
    square.all_see("Cora")
    square.is_well()


async def test_one_character_is_played_from_one_game_after_the_other(
    square: Square, autojump_clock: MockClock
) -> None:
    town, cora = square.town, square.cora
    await cora.walks(EAST)
    hers = square.mobile("Cora")
    serial, place = hers.serial, (hers.x, hers.y)
    await cora.does(cora.client.camp_bytes(desktop=True))
    assert cora.gone
    assert not town.here("Cora")
    other = UoPlayer(town)
    await other.enters("cora", "Cora")
    assert other.client.player is not None
    assert other.client.player.serial == serial
    assert (square.mobile("Cora").x, square.mobile("Cora").y) == place
    await other.walks(SOUTH)
    assert square.by_eo("Cora") == (place[0], place[1] + 1)
    await other.does(other.client.logout_bytes())
    other.leaves()
    back = Eq2Player(town)
    await back.enters("cora", "Cora")
    assert [entry.name for entry in back.client.characters] == ["Cora"]
    assert back.client.control == serial
    square.cora = back
    assert square.by_eq2("Cora") == (place[0], place[1] + 1)
    square.is_well()
