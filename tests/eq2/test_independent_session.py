"""Whole sessions of a version-546 client that knows nothing of the server: it is written from the sheet of
facts (`tests.eq2.independent`), so where the two agree, both follow the sheet.

Every message of the server goes through strict readers; a session is over only when there is no fault left.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from tests.eq2.independent.messages import (
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
from tests.eq2.independent.person import Person, typed
from tests.kit.eq2_visit import (
    EMOTE,
    ROUGH,
    SAY,
    SHOUT,
    SOONEST,
    Zone,
    gather,
    ghost_of,
    into_the_world,
    is_well,
    until,
)
from tests.kit.players import UoPlayer
from tests.kit.town import Town
from world import holding
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.eq2.independent.line import Line
    from tests.kit.datagrams import Faults
    from world.mobile import Mobile

DEGREES = {EAST: 90.0, SOUTH: 0.0, WEST: 270.0, NORTH: 180.0}
"""The way a ghost looks: by the public emulators, 0 looks along z, which grows to the south."""


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


@pytest.fixture
def zone(town: Town) -> Zone:
    """The realm's."""
    atlas = town.content.charts["confluence"].atlas["eq2"]
    return Zone(float(str(atlas["x"])), float(str(atlas["y"])), float(str(atlas["z"])))


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
