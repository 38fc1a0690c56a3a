"""Whole sessions of a version-546 client that knows nothing of the server: it is written from the sheet of
facts (`tests.eq2.independent`), so where the two agree, both follow the sheet.

Every message of the server goes through strict readers; a session is over only when there is no fault left.
"""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from tests.eq2.independent.line import Line, crc
from tests.eq2.independent.person import Person, s16, typed
from tests.eq2.independent.reader import (
    Camp,
    CharacterList,
    Control,
    CreateGhost,
    Display,
    Emoted,
    Heard,
    LoginReply,
    Packed,
    Play,
    Targeted,
    Teleport,
    Text,
    WorldStatus,
    ZoneInfo,
)
from tests.kit.datagrams import Faults
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.town import Town
from world import holding, motion
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from tests.eq2.independent.ghosts import Ghost
    from world.mobile import Mobile

SAY, SHOUT, EMOTE, TELL, OOC = 8, 9, 10, 28, 32
ROUGH = Faults(loss=0.1, doubled=0.1, delay=0.02, jitter=0.06)
"""One datagram in ten is lost, one in ten comes twice, and they overtake one another."""

DEGREES = {EAST: 90.0, SOUTH: 0.0, WEST: 270.0, NORTH: 180.0}
"""The way a ghost looks: by the public emulators, 0 looks along z, which grows to the south."""

SOONEST = 30.0
"""Seconds until something must have come, whatever is lost on the way."""


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


@attrs.frozen
class Zone:
    """Where the realm lies in the client's zone: a tile is one unit, its middle half of one further."""

    x: float
    y: float
    z: float

    def tile(self, place: tuple[float, float, float]) -> tuple[int, int]:
        """The tile on which something stands."""
        return int((place[0] - self.x) // 1), int((place[2] - self.z) // 1)

    def middle(self, x: int, y: int) -> tuple[float, float, float]:
        """The middle of a tile."""
        return self.x + x + 0.5, self.y, self.z + y + 0.5


@pytest.fixture
def zone(town: Town) -> Zone:
    """The realm's."""
    atlas = town.content.charts["confluence"].atlas["eq2"]
    return Zone(float(str(atlas["x"])), float(str(atlas["y"])), float(str(atlas["z"])))


def gather(town: Town, *names: str) -> None:
    """Put characters side by side where every step is free."""
    realm = town.app.world.realms["confluence"]
    x, y = realm.chart.spawns[0]
    spots = [
        (a, b)
        for a, b in realm.free_near(x, y, 8)
        if all(motion.can_step(realm, a, b, heading) for heading in range(8))
    ]
    for name, spot in zip(names, spots, strict=False):
        town.app.world.warp(town.mobile(name), realm, *spot)
    town.app.loop.wake()


async def until(predicate: Callable[[], bool], seconds: float = SOONEST) -> None:
    """Wait, looking often."""
    for _ in range(int(seconds * 10)):
        if predicate():
            return
        await trio.sleep(0.1)
    assert predicate()


def ghost_of(person: Person, name: str) -> Ghost:
    """The ghost of that name."""
    ghost = person.ghosts.by_name(name)
    assert ghost is not None, f"no ghost of {name} among {[g.name for g in person.ghosts.by_index.values()]}"
    return ghost


def is_well(person: Person) -> None:
    """Nothing came that the sheet does not know."""
    assert person.faults == [], "\n".join(person.faults)


async def into_the_world(person: Person, name: str) -> ZoneInfo:
    """From the first datagram to the picture, with a character that is made if there is none."""
    assert (await person.logs_in()).code == 0
    worlds, characters = await person.lists_worlds()
    if not characters.characters:
        assert (await person.creates(name, worlds.worlds[0].id)).code == 1
        _, characters = await person.lists_worlds()
    chosen = next(c for c in characters.characters if c.name == name)
    play = await person.plays(chosen.id, chosen.server, chosen.name)
    assert (play.code, play.host, play.port) == (1, "127.0.0.1", 9001)
    assert play.account == characters.account
    return await person.enters(play)


async def test_an_account_and_its_characters(town: Town, autojump_clock: MockClock) -> None:
    cora = Person(town, "cora")
    reply = await cora.logs_in()
    assert reply == LoginReply(0, reply.account)
    assert reply.account
    cora.uploads_a_log(3000)
    worlds, characters = await cora.lists_worlds()
    (world,) = worlds.worlds
    assert world.name == "Causeway"
    assert world.locked == 0
    assert characters == CharacterList((), reply.account, characters.most)
    for name, code in (("Cora", 1), ("Cora", 11), ("cora", 11), ("A", 8), ("C0ra", 9), ("Dora", 1)):
        created = await cora.creates(name, world.id)
        assert (created.code, created.account) == (code, reply.account), name
        assert created.name == name
    _, characters = await cora.lists_worlds()
    assert [c.name for c in characters.characters] == ["Cora", "Dora"]
    first = characters.characters[0]
    assert (first.server, first.race, first.gender, first.level) == (world.id, 9, 1, 1)
    assert (first.zone, first.description) == ("antonica", "Confluence")
    assert first.appearance.model, "who has no model cannot be drawn"
    dora = characters.characters[1]
    assert (await cora.deletes(dora.id + 1000, world.id, "Dora")).code == 3
    deleted = await cora.deletes(dora.id, world.id, "Dora")
    assert (deleted.code, deleted.server, deleted.character, deleted.name) == (1, world.id, dora.id, "Dora")
    _, characters = await cora.lists_worlds()
    # Whoever vanishes from a list that is shown takes this client with it: the place stays.
    assert [(c.name, c.id, c.server) for c in characters.characters] == [
        ("Cora", first.id, world.id),
        ("(deleted)", -1, -1),
    ]
    assert (await cora.plays(dora.id, world.id, "Dora")).code == 5
    await trio.sleep(25)
    assert not cora.line.closed, "who looks at the list may take its time"
    cora.hangs_up()
    again = Person(town, "cora", seed=2)
    again.password = "wrong"
    assert (await again.logs_in()).code == 1
    again.hangs_up()
    again.password = "secret1"
    await again.logs_in()
    _, characters = await again.lists_worlds()
    assert [c.name for c in characters.characters] == ["Cora"], "a new list has no gap"
    await trio.sleep(25)
    assert [(status.world, status.locked) for status in again.all(WorldStatus)] == [(world.id, 0)] * 2
    is_well(cora)
    is_well(again)


async def test_a_code_opens_the_world_once(town: Town, autojump_clock: MockClock) -> None:
    cora, thief = Person(town, "cora"), Person(town, "nobody", seed=2)
    await cora.logs_in()
    await cora.creates("Cora", 1)
    _, characters = await cora.lists_worlds()
    chosen = characters.characters[0]
    play = await cora.plays(chosen.id, chosen.server, chosen.name)
    assert (await thief.knocks(attrs.evolve(play, access=play.access ^ 1))).code == 1
    await trio.sleep(3)
    assert thief.line.closed
    await cora.enters(play)
    assert (await thief.knocks(play)).code == 1
    assert not cora.line.closed
    is_well(cora)
    is_well(thief)


@pytest.mark.parametrize("asks", [True, False], ids=["asks for resources", "does not"])
async def test_the_steps_of_a_loading_screen(town: Town, autojump_clock: MockClock, asks: bool) -> None:
    cora = Person(town, "cora")
    await cora.logs_in()
    await cora.creates("Cora", 1)
    _, characters = await cora.lists_worlds()
    chosen = characters.characters[0]
    play = await cora.plays(chosen.id, chosen.server, chosen.name)
    assert (await cora.knocks(play)).code == 0
    shown = await cora.next(ZoneInfo)
    assert (shown.zone, shown.name) == ("antonica", "Cora")
    types = cora.types()
    assert types[0] == 4
    assert types.index(35) < types.index(29), "the commands before the zone"
    assert 50 not in types[types.index(29) :], "nobody is shown before the client is ready"
    assert 31 not in types
    await cora.loads(asks_for_resources=asks)
    types = cora.types()
    order = [types.index(kind) for kind in (29, 138, 300, 37, 31, 55, 33)]
    assert order == sorted(order), types
    assert types.count(31) == 1
    shown_before = [s for _, s in cora.said[: types.index(31)] if isinstance(s, CreateGhost)]
    assert all(ghost.index != 1 for ghost in shown_before)
    assert {"Barnaby"} <= {ghost.name for ghost in cora.ghosts.by_index.values()}
    for kind in (63, 56, 58, 317):
        assert kind in types[types.index(31) :], f"{kind} is missing"
    assert {p.equipment for k, p in cora.said if isinstance(p, Packed) and k == 58} == {0, 1}
    own = cora.its_own()
    assert (own.index, own.name, own.id) == (1, "Cora", town.mobile("Cora").serial)
    assert (own.race, own.gender, own.level, own.hits) == (9, 1, 1, 100)
    # Interactive, to be aimed at, with its name; as big as a person; one who walks.
    assert (own.visual[5], own.visual[6], own.visual[8]) == (1, 1, 1)
    assert struct.unpack_from("<h", own.position, 76)[0] == 32
    assert struct.unpack_from("<h", own.position, 42)[0] == 25
    assert own.place == shown.place
    assert cora.all(Control)[-1].speed > 0
    name, level, hits, most = cora.about_me()
    mobile = town.mobile("Cora")
    assert (name, level, hits, most) == ("Cora", 1, mobile.hits, mobile.hits_max)
    coins = struct.unpack_from("<4I", cora.sheet, 296)
    assert coins == (0, 0, holding.gold(mobile), 0)
    assert struct.unpack_from("<2I", cora.sheet, 312) == (holding.weight(mobile), holding.capacity(mobile))
    assert any("Cora" in text for said in cora.all(Text) for text in said.texts), "nobody said hello"
    await trio.sleep(5)
    assert not cora.line.closed
    is_well(cora)


@attrs.define
class Meeting:
    """Cora at EverQuest II, Anna at Ultima Online, side by side."""

    town: Town
    zone: Zone
    cora: Person
    anna: UoPlayer

    def mobile(self, name: str) -> Mobile:
        """A character."""
        return self.town.mobile(name)

    async def sees(self, name: str, tile: tuple[int, int], heading: int | None = None) -> None:
        """Cora sees somebody on a tile."""

        def there() -> bool:
            ghost = self.cora.ghosts.by_name(name)
            return (
                ghost is not None
                and self.zone.tile(ghost.place) == tile
                and (heading is None or ghost.heading == DEGREES[heading])
            )

        await until(there)
        assert ghost_of(self.cora, name).place == self.zone.middle(*tile)

    def by_anna(self, name: str) -> tuple[int, int]:
        """The tile where Anna's client has somebody."""
        mine, me = self.mobile("Anna"), self.anna.client.player
        assert me is not None
        seen = self.anna.client.mobiles[self.mobile(name).serial]
        return seen.x - me.x + mine.x, seen.y - me.y + mine.y


async def meet(town: Town, zone: Zone, faults: Faults | None) -> Meeting:
    """Both come, and are put together."""
    cora, anna = Person(town, "cora", faults=faults), UoPlayer(town)
    shown = await into_the_world(cora, "Cora")
    mobile = town.mobile("Cora")
    assert shown.place == zone.middle(mobile.x, mobile.y)
    await anna.enters("anna", "Anna")
    await until(lambda: cora.ghosts.by_name("Anna") is not None)
    gather(town, "Cora", "Anna")
    await until(lambda: bool(cora.all(Teleport)))
    assert cora.all(Teleport)[-1].place == zone.middle(mobile.x, mobile.y)
    return Meeting(town, zone, cora, anna)


@pytest.mark.parametrize("faults", [None, ROUGH], ids=["clean", "rough"])
async def test_a_whole_session(
    town: Town, zone: Zone, autojump_clock: MockClock, faults: Faults | None
) -> None:
    """Login, a new character, the way in, walking, turning, talking, aiming, leaving; and a neighbour."""
    meeting = await meet(town, zone, faults)
    cora, anna = meeting.cora, meeting.anna
    me, her = meeting.mobile("Cora"), meeting.mobile("Anna")
    ghost = ghost_of(cora, "Anna")
    assert ghost.id == her.serial
    assert ghost.index > 1
    assert (ghost.hits, ghost.level) == (100, 1)
    assert ghost.model
    await meeting.sees("Anna", (her.x, her.y))

    # Anna walks, and is seen to.
    for heading in (EAST, SOUTH, WEST, NORTH):
        start = her.x, her.y
        await anna.walks(heading)
        end = start[0] + OFFSETS[heading][0], start[1] + OFFSETS[heading][1]
        assert (her.x, her.y) == end
        await meeting.sees("Anna", end, heading)

    # Cora walks round a square, four times a second, half a unit each.
    place = zone.middle(me.x, me.y)
    for (east, south), heading in (((2, 0), EAST), ((0, 2), SOUTH), ((-2, 0), WEST), ((0, -2), NORTH)):
        to = place[0] + east, place[1], place[2] + south
        await cora.walks(place, to, DEGREES[heading])
        place = to
        end = zone.tile(place)
        await until(lambda end=end: (me.x, me.y) == end)  # type: ignore[misc] # bound for this round
        await until(lambda end=end: meeting.by_anna("Cora") == end)  # type: ignore[misc] # as above
        assert me.heading == heading
    assert len(cora.all(Teleport)) == 1, "nobody was corrected"

    # Cora turns where it stands.
    for heading in range(8):
        cora.moves(place, (180 - 45 * heading) % 360)
        await until(lambda heading=heading: me.heading == heading)  # type: ignore[misc] # as above
    assert zone.tile(place) == (me.x, me.y)

    await _talk(meeting)
    await _aim(meeting)

    # Wounds are news of both.
    me.hits, her.hits = me.hits_max // 4, her.hits_max // 2
    town.app.loop.wake()
    await until(lambda: abs(ghost.hits - 50) <= 2)
    await until(lambda: cora.about_me()[2:] == (me.hits, me.hits_max))

    # Anna leaves.
    index = ghost.index
    await anna.does(anna.client.logout_bytes())
    anna.leaves()
    await until(lambda: cora.ghosts.by_name("Anna") is None)
    assert index in {gone.index for gone in cora.ghosts.gone}
    await _camp(meeting)
    is_well(cora)
    _was_a_real_stream(cora.lines)


async def _talk(meeting: Meeting) -> None:
    cora, anna = meeting.cora, meeting.anna
    her = meeting.mobile("Anna")
    await anna.does(anna.client.say_bytes("Hail, Cora!"))
    await until(lambda: ("Anna", "Hail, Cora!") in cora.heard(SAY))
    heard = next(h for h in cora.all(Heard) if h.text == "Hail, Cora!")
    assert heard.speaker == her.serial
    cora.types_command("say", "Hail, Anna!")
    cora.types_command("shout", "Is anybody there?")
    cora.types_command("ooc", "To whom it may concern")
    cora.types_command("tell", "Anna between us")
    cora.types_command("emote", "scratches her head")
    said = anna.client.said
    for words in (
        "Hail, Anna!",
        "Is anybody there?",
        "To whom it may concern",
        "between us",
        "scratches her head",
    ):
        await until(lambda words=words: any(words in line for line in said()))  # type: ignore[misc] # as above
    order = [
        line for line in said() if any(word in line for word in ("Hail, Anna!", "anybody", "between us"))
    ]
    assert ["Hail, Anna!" in order[0], "anybody" in order[1], "between us" in order[2]] == [True] * 3
    await until(lambda: ("Cora", "scratches her head") in cora.heard(EMOTE))
    for channel, words in ((SAY, "Hail, Anna!"), (SHOUT, "Is anybody there?")):
        assert cora.heard(channel).count(("Cora", words)) == 1, "one's own words, once"
    cora.types_command("tell", "Nobody hello")
    await until(lambda: any("Nobody" in line for line in cora.shown()))
    cora.types_command("bow")
    await until(lambda: bool(cora.all(Emoted)))
    emoted = cora.all(Emoted)[-1]
    assert emoted.id == cora.me
    assert "Cora" in emoted.text
    before = len(cora.all(Display))
    cora.types_command("who")
    await until(lambda: any("Anna" in line and "Cora" in line for line in cora.shown()[before:]))


async def _aim(meeting: Meeting) -> None:
    cora, her = meeting.cora, meeting.mobile("Anna")
    before = len(cora.all(Targeted))
    cora.types_command("target", "Anna")
    await until(lambda: len(cora.all(Targeted)) > before)
    assert cora.all(Targeted)[-1].id == her.serial
    cora.targets(0xFFFF)
    barnaby = ghost_of(cora, "Barnaby")
    cora.targets(barnaby.index)
    await until(lambda: cora.all(Targeted)[-1].id == barnaby.id)
    spoken = len(cora.shown())
    cora.types_command("hail")
    await until(lambda: any("What would you like to know?" in line for line in cora.shown()[spoken:]))
    cora.targets(60_000)
    await trio.sleep(1)
    assert not cora.line.closed


async def _camp(meeting: Meeting) -> None:
    cora, town = meeting.cora, meeting.town
    cora.camps(quits=False)
    await until(lambda: len(cora.all(Camp)) == 1)
    cora.sends(typed(44))
    await until(lambda: 44 in cora.types())
    await trio.sleep(cora.all(Camp)[0].seconds + 5)
    assert town.here("Cora"), "camping was called off"
    cora.camps()
    await until(lambda: len(cora.all(Camp)) == 2)
    assert town.here("Cora")
    await until(lambda: not town.here("Cora"), cora.all(Camp)[1].seconds + SOONEST)
    await trio.sleep(2)
    if cora.wrong is None:
        assert (cora.line.closed, cora.line.reason) == (True, 6)
    # Where datagrams get lost, the one goodbye may be among them.
    cora.hangs_up()


def _was_a_real_stream(lines: list[Line]) -> None:
    """The session was long enough to have met every form of the wire but fragments."""
    for name in ("compressed", "combined", "grouped"):
        assert sum(getattr(line, name) for line in lines), f"nothing was {name}"


async def test_somebody_else_of_the_same_game(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    """What Cora's client tells of its motion comes to Dora's: places within a tile, speed, headings."""
    cora, dora = Person(town, "cora"), Person(town, "dora", seed=2)
    await into_the_world(cora, "Cora")
    await into_the_world(dora, "Dora")
    gather(town, "Cora", "Dora")
    await until(lambda: bool(cora.all(Teleport)) and bool(dora.all(Teleport)))
    me = town.mobile("Cora")
    ghost = ghost_of(dora, "Cora")
    start = me.x, me.y
    x, y, z = zone.middle(me.x, me.y)
    for step in range(1, 9):
        here = x + step / 4, y, z + step / 8
        cora.moves(here, 60.0, 2.0)
        await trio.sleep(0.25)
        # Others hear of it at every tile, where it then is.
        if (me.x, me.y) != start:
            assert ghost.speed == pytest.approx(2.0, abs=0.01), "it is on its way"
            assert zone.tile(ghost.place) == (me.x, me.y)
    cora.moves((x + 2, y, z + 1), 60.0)
    await trio.sleep(1)
    assert ghost.speed == 0
    assert ghost.place == pytest.approx((x + 2, y, z + 1), abs=0.01)
    assert ghost.heading == pytest.approx(60.0, abs=0.1)
    assert (me.x, me.y) == zone.tile((x + 2, y, z + 1))
    for heading in range(0, 360, 30):
        cora.moves((x + 2, y, z + 1), float(heading))
        await trio.sleep(1)
        # The world knows eight headings, and others hear of it when that changes.
        assert (ghost.heading - heading + 45) % 360 <= 90

    # Where nobody can come to is not where one is.
    cora.moves((x + 900, y, z + 900), 0.0)
    await until(lambda: len(cora.all(Teleport)) == 2)
    assert zone.tile(cora.all(Teleport)[-1].place) == (me.x, me.y)
    assert zone.tile(ghost.place) == (me.x, me.y)

    # Words of each to the other.
    dora.types_command("tell", "Cora hello")
    await until(lambda: ("Dora", "hello") in cora.heard(TELL))
    cora.types_command("ooc", "to all")
    await until(lambda: ("Cora", "to all") in dora.heard(OOC))
    assert dora.all(Heard)[-1].bubble == 0 or dora.all(Heard)[-1].channel == OOC

    # A line that dies takes its character with it after a while.
    cora.vanishes()
    await until(lambda: dora.ghosts.by_name("Cora") is None, 120)
    is_well(cora)
    is_well(dora)


async def test_things_that_lie_about(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    cora = Person(town, "cora")
    await into_the_world(cora, "Cora")
    gather(town, "Cora")
    await until(lambda: bool(cora.all(Teleport)))
    shown = set(cora.ghosts.by_index)
    cora.types_command("drop", "bread")
    await until(lambda: bool(cora.shown()))
    if len(cora.ghosts.by_index) == len(shown):
        pytest.fail(f"nothing lies there: {cora.shown()}")
    (index,) = set(cora.ghosts.by_index) - shown
    lying = cora.ghosts.by_index[index]
    me = town.mobile("Cora")
    assert zone.tile(lying.place) == (me.x, me.y)
    cora.targets(index)
    cora.types_command("take")
    await until(lambda: index not in cora.ghosts.by_index)
    is_well(cora)


async def test_a_player_of_endless_online_comes_by(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    cora, bert = Person(town, "cora", faults=ROUGH), EoPlayer(town)
    await into_the_world(cora, "Cora")
    await bert.enters("bert", "Bert")
    gather(town, "Cora", "Bert")
    him = town.mobile("Bert")
    await until(lambda: cora.ghosts.by_id(him.serial) is not None)
    await until(lambda: zone.tile(ghost_of(cora, him.name).place) == (him.x, him.y))
    await bert.does(bert.client.say("Good evening"))
    await until(lambda: (him.name, "Good evening") in cora.heard(SAY))
    number = him.serial
    bert.leaves()
    await until(lambda: cora.ghosts.by_id(number) is None, 60)
    is_well(cora)


async def test_a_code_is_nothing_without_its_account(town: Town, autojump_clock: MockClock) -> None:
    cora, thief = Person(town, "cora"), Person(town, "thief", seed=2)
    other = await thief.logs_in()
    await cora.logs_in()
    await cora.creates("Cora", 1)
    _, characters = await cora.lists_worlds()
    chosen = characters.characters[0]
    play = await cora.plays(chosen.id, chosen.server, chosen.name)
    assert (await thief.knocks(Play(1, "", 0, other.account, play.access))).code == 1
    is_well(thief)


@pytest.mark.parametrize("longest", [128, 200])
async def test_short_datagrams(town: Town, zone: Zone, autojump_clock: MockClock, longest: int) -> None:
    """A client says how long a datagram may be, and everything longer comes in fragments."""
    cora = Person(town, "cora", longest=longest)
    await into_the_world(cora, "Cora")
    gather(town, "Cora")
    await until(lambda: bool(cora.all(Teleport)))
    cora.types_command("ooc", "A long story. " * 40)
    cora.uploads_a_log(2000)
    await trio.sleep(5)
    assert not cora.line.closed
    assert sum(line.fragments for line in cora.lines) > 3
    is_well(cora)


async def test_motion_that_nobody_acknowledges(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    """Unreliable messages share the keystream with the others: each is decrypted when it comes."""
    cora = Person(town, "cora")
    await into_the_world(cora, "Cora")
    gather(town, "Cora")
    await until(lambda: bool(cora.all(Teleport)))
    me = town.mobile("Cora")
    x, y, z = zone.middle(me.x, me.y)
    for step in range(1, 300):
        cora.moves((x + step % 8 / 4, y, z), 90.0, 2.0, loosely=step % 3 > 0)
        await trio.sleep(0.2)
    cora.moves((x + 2, y, z), 90.0)
    await until(lambda: zone.tile((x + 2, y, z)) == (me.x, me.y))
    cora.types_command("who")
    await until(lambda: any("Cora" in line for line in cora.shown()))
    is_well(cora)


async def test_what_happens_while_a_client_loads(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    """Who comes, goes or walks behind the loading screen is where it belongs when that is over."""
    anna, bert, dora = UoPlayer(town), EoPlayer(town), UoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    cora = Person(town, "cora")
    await cora.logs_in()
    await cora.creates("Cora", 1)
    _, characters = await cora.lists_worlds()
    chosen = characters.characters[0]
    await cora.knocks(await cora.plays(chosen.id, chosen.server, chosen.name))
    await cora.next(ZoneInfo)
    gather(town, "Cora", "Anna", "Bert")
    cora.sends(typed(30, struct.pack("<I", 0)))
    await cora.until(lambda: 31 in cora.types())
    assert cora.ghosts.by_name("Anna") is not None
    his = town.mobile("Bert").serial
    assert cora.ghosts.by_id(his) is not None
    await anna.walks(EAST)
    cora.sends(typed(32))
    await cora.until(lambda: cora.me != 0)
    await anna.walks(EAST)
    bert.leaves()
    await dora.enters("dora", "Dora")
    await trio.sleep(30)
    assert not any(mobile.serial == his for mobile in town.app.world.mobiles.values())
    gather(town, "Cora", "Dora")
    await anna.walks(SOUTH)
    cora.sends(typed(33))
    await until(lambda: 33 in cora.types())
    await trio.sleep(2)
    for name in ("Anna", "Dora", "Cora"):
        mobile = town.mobile(name)
        ghost = ghost_of(cora, name)
        assert zone.tile(ghost.place) == (mobile.x, mobile.y), name
        assert ghost.heading == [180, 135, 90, 45, 0, 315, 270, 225][mobile.heading], name
    assert cora.ghosts.by_id(his) is None, "who left is a ghost indeed"
    is_well(cora)


async def test_a_message_whose_first_byte_is_zero(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    """One in 256 begins with a zero when it is encrypted, which gets another one before it."""
    cora = Person(town, "cora")
    await into_the_world(cora, "Cora")
    barnaby, osric = ghost_of(cora, "Barnaby"), ghost_of(cora, "Osric")
    before = len(cora.all(Targeted))
    for turn in range(2000):
        cora.targets((barnaby, osric)[turn % 2].index)
        await trio.sleep(0.2)
        if cora.line.escaped_alone >= 2:
            break
    assert cora.line.escaped_alone >= 2
    aimed = [targeted.id for targeted in cora.all(Targeted)[before:]]
    assert aimed == [(barnaby, osric)[turn % 2].id for turn in range(len(aimed))]
    assert len(aimed) == turn + 1
    is_well(cora)


def frame(line: Line, plain: bytes) -> bytes:
    """A datagram of this session."""
    assert line.seed is not None
    return plain + crc(line.seed, plain)


async def test_the_manners_of_the_wire(town: Town, autojump_clock: MockClock) -> None:
    end = town.datagrams("eq2", "login")

    async def answers() -> list[bytes]:
        await trio.sleep(0.5)
        got = []
        while (datagram := end.receive_nowait()) is not None:
            got.append(datagram)
        return got

    for number in range(2):
        end.send(bytes.fromhex(f"0009000{number}41424344"))
    assert [datagram[:2] for datagram in await answers()] == [b"\0\x1d"], "there is no such session"
    line = Line(random.Random(5))
    line.connect(trio.current_time())
    (request,) = line.datagrams
    line.datagrams.clear()
    end.send(request)
    end.send(request)
    first, second = await answers()
    assert first == second, "asked again, answered again, of one seed"
    line.receive(first, trio.current_time())
    (stats,) = line.datagrams
    line.datagrams.clear()
    end.send(stats[:-1] + bytes([stats[-1] ^ 1]))
    assert await answers() == [], "a wrong checksum is nothing"
    end.send(stats)
    got = await answers()
    for datagram in got:
        line.receive(datagram, trio.current_time())
    assert line.keyed
    key_reply = line.datagrams.pop()
    end.send(frame(line, b"\0\x06"))
    got = await answers()
    assert all(b"\0\x06" not in (datagram[:2], datagram[3:5]) for datagram in got), "never echoed"
    end.send(key_reply)
    await answers()

    # A second message before the first, and each of them twice.
    body = s16("") + s16("") + s16("cora") + s16("secret1") + struct.pack("<IIH", 0, 0, 546)
    line.send(typed(0, body))
    line.flush(trio.current_time())
    line.send(typed(7))
    line.flush(trio.current_time())
    login, ask = line.datagrams
    line.datagrams.clear()
    end.send(ask)
    assert [datagram[:4] for datagram in await answers()] == [b"\0\x11\0\x02"], "it came too early"
    end.send(login)
    for datagram in await answers():
        line.receive(datagram, trio.current_time())
    assert [message[0] for message in line.messages][:3] == [4, 8, 10]
    for acknowledgement in line.datagrams:
        end.send(acknowledgement)
    end.send(login)
    end.send(ask)
    acks = b"".join(await answers())
    assert b"\0\x11\0\x01" in acks
    assert b"\0\x11\0\x02" in acks
    assert len(line.messages) == 3, "nothing is done twice"

    # Another request for statistics brings statistics alone.
    end.send(frame(line, struct.pack(">HHIIIIIQQ", 7, 1, 0, 0, 0, 0, 0, 1, 0)))
    assert [datagram[:4] for datagram in await answers()] == [b"\0\x08\0\x01"]

    # Goodbye, with the wrong session and with the right one.
    end.send(frame(line, struct.pack(">HIH", 5, line.session ^ 1, 6)))
    assert await answers() == []
    end.send(frame(line, struct.pack(">HIH", 5, line.session, 6)))
    assert [datagram[:6] for datagram in await answers()] in (
        [],
        [struct.pack(">HI", 5, line.session)],
    )
    for number in range(2):
        end.send(frame(line, struct.pack(">HH", 0x15, number)))
    assert [datagram[:2] for datagram in await answers()] == [b"\0\x1d"]


async def test_nothing_to_say_for_minutes(town: Town, autojump_clock: MockClock) -> None:
    """Two sides that only tell each other that they are there stay together."""
    cora = Person(town, "cora")
    await into_the_world(cora, "Cora")
    await trio.sleep(300)
    assert not cora.line.closed
    cora.types_command("who")
    await until(lambda: any("Cora" in line for line in cora.shown()))
    is_well(cora)
