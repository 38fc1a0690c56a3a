"""Six games, one square: two people in browsers among one of each other game, and each sees what all do."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio
from eolib import Direction, EmotePlayerServerPacket, TalkPlayerServerPacket, TalkTellServerPacket

from protocol.eq2.packets.play import CannedEmote
from tests.kit import co_screen, l2_screen
from tests.kit.co_player import CoPlayer
from tests.kit.eo_client import NAKED
from tests.kit.eq2_client import SAY, TELL
from tests.kit.eq2_player import Eq2Player
from tests.kit.l2_client import TILE
from tests.kit.l2_player import L2Player
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.web_player import WebPlayer
from world import holding, life, motion
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trio.testing import MockClock

    from tests.kit.town import Town
    from tests.kit.web_screen import Shown
    from world.mobile import Mobile

GAMES: Final[Mapping[str, str]] = {
    "Anna": "uo",
    "Bert": "eo",
    "Cora": "eq2",
    "Dora": "l2",
    "Karl": "co",
    "Wanda": "web",
    "Walt": "web",
}
IN_BROWSERS: Final = ("Wanda", "Walt")
SIDES: Final = {NORTH: Direction.Up, EAST: Direction.Right, SOUTH: Direction.Down, WEST: Direction.Left}

L2_BOW, CO_KNEEL = 7, 220
"""Gestures by the games' own numbers."""
GOLD: Final = 1
"""Endless Online's."""
COINS: Final = "gold coin"
"""What it is called in a browser."""
UO_GHOSTS: Final = (402, 403)
"""Bodies."""


@attrs.define
class Square:
    """Everybody, side by side on open ground."""

    town: Town
    anna: UoPlayer
    bert: EoPlayer
    cora: Eq2Player
    dora: L2Player
    karl: CoPlayer
    wanda: WebPlayer
    walt: WebPlayer

    def mobile(self, name: str) -> Mobile:
        """A character."""
        return self.town.mobile(name)

    def browser(self, name: str) -> WebPlayer:
        """Who sits before a browser."""
        return {"Wanda": self.wanda, "Walt": self.walt}[name]

    # Where each draws somebody, in tiles of the world; None: it does not

    def by_uo(self, name: str) -> tuple[int, int] | None:
        """Anna."""
        mine, me = self.mobile("Anna"), self.anna.client.player
        seen = self.anna.client.mobiles.get(self.mobile(name).serial)
        if seen is None or me is None:
            return None
        return seen.x - me.x + mine.x, seen.y - me.y + mine.y

    def eo_number(self, name: str) -> int | None:
        """What Bert's client knows somebody by."""
        drawn = self.bert.client.characters.items()
        found = (n for n, it in drawn if it.info is not None and it.info.name.lower() == name.lower())
        return next(found, None)

    def by_eo(self, name: str) -> tuple[int, int] | None:
        """Bert."""
        number = self.eo_number(name)
        if number is None:
            return None
        return self.bert.client.characters[number].x, self.bert.client.characters[number].y

    def by_eq2(self, name: str) -> tuple[int, int] | None:
        """Cora."""
        seen = self.cora.client.by_name(name)
        if seen is None:
            return None
        x, z = self._begin("eq2", "x", "z")
        return floor(seen.place[0] - x), floor(seen.place[2] - z)

    def by_l2(self, name: str) -> tuple[int, int] | None:
        """Dora."""
        seen = self.dora.client.screen.by_name(name)
        if seen is None:
            return None
        x, y = seen.place(trio.current_time())[:2]
        at_x, at_y = self._begin("l2", "x", "y")
        return floor((x - at_x) / TILE), floor((y - at_y) / TILE)

    def co_seen(self, name: str) -> co_screen.Seen | None:
        """How Karl draws somebody."""
        return next((it for it in self.karl.client.screen.people.values() if it.name == name), None)

    def by_co(self, name: str) -> tuple[int, int] | None:
        """Karl."""
        seen = self.co_seen(name)
        if seen is None:
            return None
        at_x, at_y = self._begin("co", "x", "y")
        return seen.x - floor(at_x), seen.y - floor(at_y)

    def by_web(self, viewer: str, name: str) -> tuple[int, int] | None:
        """One of those in browsers."""
        seen = self.shown(viewer, name)
        return None if seen is None else (seen.x, seen.y)

    def shown(self, viewer: str, name: str) -> Shown | None:
        """How one in a browser is shown somebody."""
        return self.browser(viewer).screen.things.get(self.mobile(name).serial)

    def must(self, viewer: str, name: str) -> Shown:
        """The same, who has to be there."""
        seen = self.shown(viewer, name)
        assert seen is not None, f"{viewer} does not see {name}"
        return seen

    def _begin(self, game: str, *axes: str) -> list[float]:
        atlas = self.town.content.charts["confluence"].atlas[game]
        return [float(str(atlas[axis])) for axis in axes]

    def viewers(self) -> Mapping[str, Callable[[str], tuple[int, int] | None]]:
        """Everybody, and where they draw somebody."""
        return {
            "Anna": self.by_uo,
            "Bert": self.by_eo,
            "Cora": self.by_eq2,
            "Dora": self.by_l2,
            "Karl": self.by_co,
            "Wanda": lambda name: self.by_web("Wanda", name),
            "Walt": lambda name: self.by_web("Walt", name),
        }

    def all_see(self, name: str) -> None:
        """Everybody else sees somebody where the world has it; those in browsers also which way it faces."""
        mobile = self.mobile(name)
        for viewer, tile in self.viewers().items():
            if viewer != name:
                assert tile(name) == (mobile.x, mobile.y), f"{viewer} sees {name} elsewhere"
        for viewer in IN_BROWSERS:
            seen = self.must(viewer, name)
            # Where a client of EverQuest II looks is its own affair.
            assert name == "Cora" or seen.heading == mobile.heading, f"{viewer}: {name}"

    def nobody_sees(self, name: str) -> None:
        """It is gone from all screens."""
        for viewer, tile in self.viewers().items():
            if viewer != name:
                assert tile(name) is None, f"{viewer} still sees {name}"

    async def walks(self, name: str, heading: int) -> None:
        """One step, by its own client."""
        match name:
            case "Anna":
                await self.anna.walks(heading)
            case "Bert":
                await self.bert.does(self.bert.client.walk(SIDES[heading]))
            case "Cora":
                await self.cora.walks(heading)
            case "Dora":
                await self.dora.walks(heading)
            case "Karl":
                await self.karl.walks(heading)
            case _:
                await self.browser(name).steps(heading)

    async def warps(self, name: str, x: int, y: int) -> None:
        """The world puts somebody elsewhere."""
        realm = self.town.app.world.realms["confluence"]
        self.town.app.world.warp(self.mobile(name), realm, x, y)
        await self.changed(2)

    async def changed(self, seconds: float = 1.0) -> None:
        """A test has changed the world: have everybody told."""
        self.town.app.loop.wake()
        await trio.sleep(seconds)

    def is_well(self) -> None:
        """Nobody was thrown out or told nonsense."""
        for player in (self.anna, self.bert, self.cora, self.dora, self.karl, self.wanda, self.walt):
            assert not player.gone, player.game
        for screen in (self.dora.client.screen, self.karl.client.screen, self.wanda.screen, self.walt.screen):
            assert screen.faults == []
        assert self.cora.client.faults == []
        assert self.karl.client.screen.strangers == []
        for name in IN_BROWSERS:
            screen, mobile = self.browser(name).screen, self.mobile(name)
            assert (screen.x, screen.y) == (mobile.x, mobile.y), f"where {name} believes to stand"


@pytest.fixture
async def square(town: Town) -> Square:
    """Everybody is there."""
    made = Square(
        town,
        *(UoPlayer(town), EoPlayer(town), Eq2Player(town), L2Player(town), CoPlayer(town)),
        # One address makes only so many accounts.
        *(WebPlayer(town, peer="127.0.0.2"), WebPlayer(town, peer="127.0.0.2")),
    )
    for name in GAMES:
        await getattr(made, name.lower()).enters(name.lower(), name)
    realm = town.app.world.realms["confluence"]
    x, y = realm.chart.spawns[0]
    spots = [
        (a, b)
        for a, b in realm.free_near(x, y, 8)
        if all(motion.can_step(realm, a, b, heading) for heading in range(8))
    ]
    for name, spot in zip(GAMES, spots, strict=False):
        town.app.world.warp(town.mobile(name), realm, *spot)
    await made.changed(2)
    return made


async def test_those_in_browsers_and_all_others_see_and_hear_each_other(
    square: Square, autojump_clock: MockClock
) -> None:
    anna, bert, cora, dora, karl = square.anna, square.bert, square.cora, square.dora, square.karl
    wanda, walt = square.wanda, square.walt
    serial = {name: square.mobile(name).serial for name in GAMES}

    # They appear, by name, and in browsers also with the game they play.
    for name, game in GAMES.items():
        square.all_see(name)
        for viewer in IN_BROWSERS:
            seen = square.must(viewer, name)
            assert (seen.name, seen.game, seen.dead, seen.hits, seen.resident) == (
                *(name, game, False, 100),
                False,
            )

    # They walk.
    for name in GAMES:
        for heading in (EAST, WEST) if name not in IN_BROWSERS else (EAST, SOUTH, WEST, NORTH):
            mobile = square.mobile(name)
            dx, dy = OFFSETS[heading]
            wanted = mobile.x + dx, mobile.y + dy
            await square.walks(name, heading)
            assert (mobile.x, mobile.y) == wanted, f"{name} is held up"
            await trio.sleep(0.3)
            square.all_see(name)

    # They talk.
    lines = {name: f"Hail from {game}" for name, game in GAMES.items()}
    lines["Wanda"], lines["Walt"] = "Hail from here", "Hail from there"
    await anna.does(anna.client.say_bytes(lines["Anna"]))
    await bert.does(bert.client.say(lines["Bert"]))
    await cora.does(cora.client.say_bytes(lines["Cora"]))
    await dora.does(dora.client.say_bytes(lines["Dora"]))
    await karl.does(karl.client.say_bytes(lines["Karl"]))
    await wanda.does(wanda.client.say_bytes(lines["Wanda"]))
    await walt.does(walt.client.say_bytes(lines["Walt"]))
    for browser in (wanda, walt):
        heard = {(name, words) for who, name, _, words in browser.screen.said if who in serial.values()}
        assert heard == set(lines.items())
    for name in IN_BROWSERS:
        assert lines[name] in anna.client.said()
        assert lines[name] in {p.message for p in bert.of(TalkPlayerServerPacket)}
        assert (name, lines[name]) in cora.client.heard(SAY)
        assert (l2_screen.ALL, name, lines[name]) in dora.client.screen.said
        assert (name, lines[name]) in {(who, words) for _, who, _, words in karl.client.screen.said}

    # They whisper: one hears it, and nobody else.
    for name in GAMES:
        if name != "Walt":
            await walt.does(walt.client.say_bytes(f"for {name}", "tell", name))
    whispered = {
        "Anna": anna.client.said(),
        "Bert": [p.message for p in bert.of(TalkTellServerPacket)],
        "Cora": [words for _, words in cora.client.heard(TELL)],
        "Dora": [words for kind, _, words in dora.client.screen.said if kind == l2_screen.TELL],
        "Karl": [line[3] for line in karl.client.screen.said if line[0] == co_screen.WHISPER],
        "Wanda": [words for _, _, how, words in wanda.screen.said if how == "tell"],
    }
    for name, words in whispered.items():
        found = [line[line.index("for ") :] for line in words if "for " in line]
        assert found == [f"for {name}"], name
    await bert.does(bert.client.tell("walt", "from Bert"))
    await cora.does(cora.client.command_bytes("tell", "Walt from Cora"))
    await dora.does(dora.client.say_bytes("from Dora", kind=l2_screen.TELL, target="Walt"))
    await karl.does(karl.client.say_bytes("from Karl", co_screen.WHISPER, "Walt"))
    await wanda.does(wanda.client.say_bytes("from Wanda", "tell", "Walt"))
    told = [(name, words) for _, name, how, words in walt.screen.said if how == "tell"]
    assert told == [(name, f"from {name}") for name in ("Bert", "Cora", "Dora", "Karl", "Wanda")]
    assert not any("from " in words and how == "tell" for *_, how, words in wanda.screen.said)

    # They gesture.
    await walt.does(walt.client.gesture_bytes("laugh"))
    assert "*laughs*" in anna.client.said()
    assert square.eo_number("Walt") in {p.player_id for p in bert.of(EmotePlayerServerPacket)}
    assert serial["Walt"] in {who for who, _ in dora.client.screen.gestures}
    his = square.co_seen("Walt")
    assert his is not None
    assert his.id in {who for who, _ in karl.client.screen.gestures}
    assert "Walt laughs." in {emote.text for emote in cora.client.of(CannedEmote)}
    await cora.does(cora.client.command_bytes("bow"))
    await dora.does(dora.client.gesture_bytes(L2_BOW))
    await karl.does(karl.client.emotion_bytes(CO_KNEEL))
    for browser in (wanda, walt):
        made = [("Walt", "laugh"), ("Cora", "bow"), ("Dora", "bow"), ("Karl", "bow")]
        assert browser.screen.gestured == [(serial[name], gesture) for name, gesture in made]
    square.is_well()


async def test_what_befalls_one_in_a_browser_all_see_and_the_other_way_round(
    square: Square, autojump_clock: MockClock
) -> None:
    town, anna, bert, cora = square.town, square.anna, square.bert, square.cora
    dora, karl, wanda, walt = square.dora, square.karl, square.wanda, square.walt
    realm = town.app.world.realms["confluence"]
    his = square.mobile("Walt")

    # Hurt.
    for name in GAMES:
        mobile = square.mobile(name)
        mobile.hits = mobile.hits_max // 2
    await square.changed()
    for name in GAMES:
        for viewer in IN_BROWSERS:
            assert square.must(viewer, name).hits == pytest.approx(50, abs=2), (viewer, name)
    assert (walt.screen.sheet["hits"], walt.screen.sheet["hits_max"]) == (his.hits, his.hits_max)
    now, most = anna.client.mobiles[his.serial].hits
    assert now * 2 == pytest.approx(most, abs=2)
    ghost = cora.client.by_name("Walt")
    assert ghost is not None
    assert ghost.about.hits_percent == pytest.approx(50, abs=2)
    drawn = square.co_seen("Walt")
    assert drawn is not None
    assert drawn.values[co_screen.LIFE] == his.hits

    # Dead, and alive again.
    for name in GAMES:
        life.kill(square.mobile(name))
    await square.changed()
    for viewer in IN_BROWSERS:
        screen = square.browser(viewer).screen
        for name in GAMES:
            seen = square.must(viewer, name)
            assert seen.dead, (viewer, name)
            assert seen.hits == 0
        assert sorted(screen.died) == sorted(square.mobile(name).serial for name in GAMES)
    number = square.eo_number("Walt")
    assert number is not None
    shroud = bert.client.characters[number].dolls
    assert shroud != NAKED
    assert anna.client.mobiles[his.serial].body in UO_GHOSTS
    by_dora = dora.client.screen.by_name("Walt")
    assert by_dora is not None
    assert by_dora.dead
    drawn = square.co_seen("Walt")
    assert drawn is not None
    assert drawn.ghost
    for name in GAMES:
        life.resurrect(square.mobile(name))
    await square.changed()
    for viewer in IN_BROWSERS:
        screen = square.browser(viewer).screen
        for name in GAMES:
            seen = square.must(viewer, name)
            assert not seen.dead, (viewer, name)
            assert seen.hits > 0
        assert sorted(screen.risen) == sorted(square.mobile(name).serial for name in GAMES)
    number = square.eo_number("Walt")
    assert number is not None
    assert bert.client.characters[number].dolls != shroud
    assert anna.client.mobiles[his.serial].body not in UO_GHOSTS
    by_dora = dora.client.screen.by_name("Walt")
    assert by_dora is not None
    assert not by_dora.dead
    drawn = square.co_seen("Walt")
    assert drawn is not None
    assert not drawn.ghost

    # Elsewhere at once, and back: beside Bert.
    near = square.mobile("Bert")
    beside = [spot for spot in realm.free_near(near.x, near.y, 2) if spot != (near.x, near.y)]
    for name, back in zip(("Walt", "Wanda", "Anna"), beside, strict=False):
        mobile = square.mobile(name)
        far = next(
            (x, y)
            for x in (5, 100, 110)
            for y in (100, 5, 110)
            if max(abs(x - mobile.x), abs(y - mobile.y)) > 45 and realm.walkable(x, y)
        )
        await square.warps(name, *far)
        square.nobody_sees(name)
        await square.warps(name, *back)
        square.all_see(name)
    for viewer in IN_BROWSERS:
        things = square.browser(viewer).screen.things.values()
        assert {thing.name for thing in things} >= GAMES.keys(), "it is shown all that is there"
    for heading in (EAST, WEST):
        await square.walks("Walt", heading)
        square.all_see("Walt")

    # From hand to hand, over the ground.
    gold = {name: holding.gold(square.mobile(name)) for name in GAMES}
    await walt.does(walt.client.drop_bytes(walt.client.owned(COINS), 30))
    ((lying, shown),) = wanda.screen.others("item").items()
    assert (shown.amount, shown.x, shown.y) == (30, his.x, his.y)
    assert anna.client.items[lying].amount == 30
    assert [item.amount for item in bert.client.items.values()] == [30]
    assert lying in cora.client.others
    assert lying in dora.client.screen.ground
    assert lying in karl.client.screen.ground
    assert holding.gold(his) == gold["Walt"] - 30
    await bert.does(bert.client.pick_up(next(iter(bert.client.items))))
    assert holding.gold(square.mobile("Bert")) == gold["Bert"] + 30
    for screen in (wanda.screen, walt.screen):
        assert screen.others("item") == {}
    assert lying not in anna.client.items
    assert lying not in cora.client.others
    assert lying not in dora.client.screen.ground
    assert lying not in karl.client.screen.ground
    await bert.does(bert.client.drop(GOLD, 12))
    ((lying, _),) = wanda.screen.others("item").items()
    await wanda.does(wanda.client.take_bytes(lying))
    assert holding.gold(square.mobile("Wanda")) == gold["Wanda"] + 12
    assert wanda.client.screen.sheet["gold"] == gold["Wanda"] + 12
    assert bert.client.items == {}
    assert walt.screen.others("item") == {}
    square.is_well()

    # One leaves, and goes on in another game; another comes over to the browser.
    place = his.x, his.y
    await walt.does(walt.client.leave_bytes())
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Walt")
    assert walt.screen.characters == {his.serial: "Walt"}
    assert his.serial not in wanda.screen.things
    assert his.serial not in anna.client.mobiles
    assert square.eo_number("Walt") is None
    assert cora.client.by_name("Walt") is None
    assert dora.client.screen.by_name("Walt") is None
    assert square.co_seen("Walt") is None
    other = UoPlayer(town)
    await other.enters("walt", "Walt")
    assert walt.gone, "the newest login wins"
    again = square.mobile("Walt")
    assert (again.serial, again.x, again.y) == (his.serial, *place)
    assert (square.must("Wanda", "Walt").game, square.must("Wanda", "Walt").name) == ("uo", "Walt")
    come = WebPlayer(town)
    await come.enters("karl")
    assert karl.gone
    assert square.must("Wanda", "Karl").game == "web"
    assert come.screen.things.keys() >= {square.mobile(name).serial for name in GAMES}
    await come.steps(EAST)
    square.karl, square.walt = karl, come
    mobile = square.mobile("Karl")
    assert (square.must("Wanda", "Karl").x, square.must("Wanda", "Karl").y) == (mobile.x, mobile.y)
    assert square.by_uo("Karl") == square.by_eo("Karl") == (mobile.x, mobile.y)
    assert wanda.screen.faults == come.screen.faults == []
