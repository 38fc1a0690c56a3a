"""Hunts and walks of public clients, which none of us wrote: what they sent is sent again, byte for byte."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio

from protocol.l2.handlers.looking import COMES_WITHIN
from tests.kit.l2_player import L2Player
from tests.kit.players import EoPlayer
from tests.kit.square import gather
from tests.kit.town import Town, shipped_content
from world import life, motion, newcomers, residents
from world.content import Creature, Loot, Resident
from world.heading import EAST, WEST, apart
from world.reach import TALKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio.testing import MockClock

    from tests.kit.square import Square
    from world.content import Content
    from world.mobile import Mobile

GOLDEN: Final = Path(__file__).parents[1] / "golden"
HITS: Final = 12
KEY_SECONDS: Final = 0.6
"""Between two strikes of who holds the key down, as recorded."""
MOST_ROUNDS: Final = 6
"""How often the recorded strikes are repeated at most: most of them come early, and many miss."""
MOVE_TO_LOCATION: Final = 0x01
"""Its opcode in Lineage II (data/l2/746/opcodes.toml)."""
HP, MAX_HP = 0x09, 0x0A
"""Numbers of StatusUpdate (l2-play.md, section 1)."""
LOOT: Final = tuple(Loot(item) for item in ("gold", "hide", "meat"))


@attrs.frozen
class Record:
    """What one of them sent: frames by name, and the numbers of its world in them."""

    frames: tuple[tuple[str, bytes], ...]
    creature: int = 0
    things: tuple[int, ...] = ()
    places: Mapping[str, tuple[int, int]] = attrs.field(factory=dict)
    """The tiles that count, by what they are."""

    @classmethod
    def read(cls, game: str, name: str) -> Record:
        """That file."""
        found = json.loads((GOLDEN / game / f"{name}.json").read_text())
        frames = tuple((frame["name"], bytes.fromhex(frame["hex"])) for frame in found["frames"])
        ids = found["ids"]
        places = {what: (x, y) for what, (x, y) in found.get("places", {}).items()}
        return cls(frames, ids.get("creature", 0), tuple(ids.get("things", ())), places)

    def of(self, name: str) -> list[bytes]:
        """The frames of a name."""
        return [frame for called, frame in self.frames if called == name]


@cache
def hunting_ground() -> Content:
    """The shipped content, with rats that bear little and leave three things."""
    content = shipped_content()
    weak = Creature(level=1, hits=HITS, armour=0, skill=0.0, least=1, most=2, loot=LOOT)
    rat = attrs.evolve(content.mobiles["rat"], name="a rat", fights=weak, hits=HITS)
    charts = {
        name: attrs.evolve(chart, residents=(), spawners=(), regions=())
        for name, chart in content.charts.items()
    }
    return attrs.evolve(content, mobiles={**content.mobiles, "rat": rat}, charts=charts)


@pytest.fixture
async def square(nursery: trio.Nursery, autojump_clock: MockClock) -> Square:
    """One of either game, and one who looks on."""
    town = Town(nursery, content=hunting_ground())
    await town.open()
    return await gather(town, "Anna", "Bert", "Dora")


async def a_rat_beside(square: Square, name: str) -> Mobile:
    """A creature to the east of somebody."""
    hunter = square[name].mobile
    rat = residents.place(square.town.app.world, square.realm, Resident("rat", hunter.x + 1, hunter.y))
    await square.changed(2)
    return rat


def bag(mobile: Mobile) -> Counter[str]:
    """What somebody has, and how many of each."""
    found: Counter[str] = Counter()
    for item in newcomers.all_items(mobile):
        found[item.template.key] += item.amount
    return found


def moves(frame: bytes, serial: int) -> bool:
    """Whether a message of Lineage II sends somebody along a line."""
    return frame[0] == MOVE_TO_LOCATION and int.from_bytes(frame[1:5], "little") == serial


def renumbered(frame: bytes, serials: Mapping[int, int]) -> bytes:
    """A click of Lineage II, on what has that number here."""
    number = serials[int.from_bytes(frame[1:5], "little")]
    return frame[:1] + number.to_bytes(4, "little") + frame[5:]


async def dies(square: Square, rat: Mobile) -> None:
    """Wait for its death, and until all know of it."""
    for _ in range(90):
        if rat.dead:
            break
        await trio.sleep(1)
    assert rat.dead, f"it still has {rat.hits} hits"
    await square.changed(2)


async def test_l2js_hunts_loots_dies_and_goes_to_the_village(
    square: Square, autojump_clock: MockClock
) -> None:
    record, dora, player = Record.read("l2", "hunt_l2js"), square["Dora"], square.player("Dora", L2Player)
    rat = await a_rat_beside(square, "Dora")
    serials = {record.creature: rat.serial}

    async def clicks(frame: bytes) -> None:
        await dora.does(player.client.raw_bytes(renumbered(frame, serials)))

    aims, *takes = record.of("Action")
    await clicks(aims)
    assert player.client.screen.target == rat.serial
    for attacks in record.of("AttackRequest"):
        await clicks(attacks)
    await dies(square, rat)
    seen = player.client.screen.npcs[rat.serial]
    assert seen.dead
    assert (seen.status[HP], seen.status[MAX_HP]) == (0, HITS), "its bar is empty"
    had = bag(dora.mobile)
    fell = [item for item in square.town.app.world.items.values() if item.dropper == rat.serial]
    serials.update(zip(record.things, [item.serial for item in fell], strict=True))
    for takes_up in takes:
        await clicks(takes_up)
    assert not [item for item in fell if item.realm is not None], "all of it was picked up"
    assert bag(dora.mobile) - had == Counter(loot.item for loot in LOOT)
    x, y = dora.place
    healer = residents.place(square.town.app.world, square.realm, Resident("healer", x + 8, y))
    life.kill(dora.mobile)
    await square.changed(2)
    for frame in (*record.of("RequestRestartPoint"), *record.of("Appearing")):
        await dora.does(player.client.raw_bytes(frame))
    assert apart(dora.mobile, healer) <= life.BESIDE
    square.all_see("Dora")
    square.is_well()


async def test_l2js_finds_its_way_between_walls_and_walks_up_to_the_crier_for_his_page(
    square: Square, autojump_clock: MockClock
) -> None:
    record, dora, player = Record.read("l2", "walk_l2js"), square["Dora"], square.player("Dora", L2Player)
    screen, serial = player.client.screen, dora.mobile.serial
    x, y = record.places["resident"]
    crier = residents.place(square.town.app.world, square.realm, Resident("crier", x, y))

    async def arrives() -> int:
        """Wait until it is there; the lines it was told since the test looked last."""
        assert await player.arrived(30), "it walks for ever"
        await square.changed(2)
        assert dora.tile(dora.must_see(dora)) == dora.place, "it believes to be elsewhere"
        told = [frame for frame in player.got if moves(frame, serial)]
        player.got.clear()
        return len(told)

    await square.warps("Dora", *record.places["begins"])
    player.got.clear()
    for frame in (*record.of("MoveBackwardToLocation"), *record.of("ValidatePosition")):
        await dora.does(player.client.raw_bytes(frame), wait=0.2)
    assert await arrives() > 1, "no straight line leads there"
    assert dora.place == record.places["ends"]
    assert apart(dora.mobile, crier) > TALKING, "it has to walk up"
    for frame in record.of("Action"):
        await dora.does(player.client.raw_bytes(renumbered(frame, {record.creature: crier.serial})))
    assert await arrives()
    assert apart(dora.mobile, crier) <= COMES_WITHIN
    assert screen.html is not None
    assert screen.html.npc == crier.serial
    assert "Welcome to Confluence, Dora!" in screen.html.text
    square.is_well()


async def test_eoweb_holds_its_key_down_and_kills(square: Square, autojump_clock: MockClock) -> None:
    record, bert, player = Record.read("eo", "hunt_eoweb"), square["Bert"], square.player("Bert", EoPlayer)
    rat = await a_rat_beside(square, "Bert")
    motion.turn(bert.mobile, WEST, forced=True)
    for turns in record.of("Face_Player"):
        await bert.does(player.client.frame_of(turns))
    assert bert.mobile.heading == EAST
    before = bert.mobile.experience
    for strikes in record.of("Attack_Use") * MOST_ROUNDS:
        if rat.dead:
            break
        await bert.does(player.client.frame_of(strikes), wait=KEY_SECONDS)
    await dies(square, rat)
    assert player.client.experience == bert.mobile.experience > before
    square.is_well()
