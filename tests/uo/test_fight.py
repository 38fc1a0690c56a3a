"""Two players of Ultima Online in a running server, of whom one kills a creature before the other's eyes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio

from protocol.uo.packets.fighting import AttackRequest, WarModeRequest
from tests.kit.town import Town, shipped_content
from tests.kit.uo_people import NEWEST, Person, act, check, clear, enters, gather
from world import fighting, residents
from world.content import Creature, Loot, Resident

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio.testing import MockClock

    from protocol.uo.versions import VersionNumber
    from world.content import Content
    from world.mobile import Mobile
    from world.world import World

ML: VersionNumber = (5, 0, 9, 1)
AOS: VersionNumber = (4, 0, 0, 0)
HITS: Final = 12
PREY: Final = Creature(level=1, hits=HITS, armour=0, skill=10.0, least=1, most=2, loot=(Loot("gold", 7, 7),))
RAT, CORPSE = 0xEE, 0x2006


@cache
def hunting_ground() -> Content:
    """The shipped content, whose rats can be fought."""
    content = shipped_content()
    rat = attrs.evolve(content.mobiles["rat"], name="a rat", fights=PREY, hits=HITS)
    return attrs.evolve(content, mobiles={**content.mobiles, "rat": rat})


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server whose rats can be fought."""
    running = Town(nursery, content=hunting_ground())
    running.change("limits", exempt=("127.0.0.0/8",), packets_per_second=100_000.0, packet_burst=100_000)
    await running.open()
    return running


async def a_rat_between(town: Town, *people: Person) -> Mobile:
    """A creature to the south of the first, and all in sight of it."""
    await act(town, clear)
    await act(town, lambda world: gather(*(person.mobile for person in people)))
    placed: list[Mobile] = []

    def place(world: World) -> None:
        hunter = people[0].mobile
        assert hunter.realm is not None
        placed.append(residents.place(world, hunter.realm, Resident("rat", hunter.x, hunter.y + 1)))

    await act(town, place)
    return placed[0]


async def until(done: Callable[[], bool]) -> None:
    """Give the server time for something, and its clients to hear of it."""
    for _ in range(100):
        if done():
            break
        await trio.sleep(0.5)
    assert done()
    await trio.sleep(0.5)


def of(frames: Sequence[bytes], number: int) -> list[bytes]:
    return [frame for frame in frames if frame[0] == number]


def counted(frames: Sequence[bytes], version: VersionNumber) -> int:
    """The sum of the numbers over a head that a client read."""
    if version == AOS:
        return sum(frame[10] for frame in of(frames, 0xBF) if frame[3:5] == b"\0\x22")
    return sum(int.from_bytes(frame[5:7], "big") for frame in of(frames, 0x0B))


@pytest.mark.parametrize(("hunts", "watches"), [(NEWEST, ML), (ML, AOS), (AOS, NEWEST)])
async def test_one_kills_a_creature_and_another_sees_it_and_both_the_corpse(
    town: Town, autojump_clock: MockClock, hunts: VersionNumber, watches: VersionNumber
) -> None:
    anna, bert = await enters(town, "Anna", hunts), await enters(town, "Bert", watches)
    rat = await a_rat_between(town, anna, bert)
    serial, hunter = rat.serial.to_bytes(4, "big"), anna.mobile.serial.to_bytes(4, "big")
    hits = anna.mobile.hits
    anna.player.got.clear()
    bert.player.got.clear()
    await anna.does(anna.client.pack_bytes(WarModeRequest(True, b"\0\x32\0")))
    await anna.does(anna.client.pack_bytes(AttackRequest(rat.serial)))
    await until(lambda: rat.dead)
    own, others = anna.player.got, bert.player.got

    swings = of(own, 0x2F)
    assert swings
    assert {frame[2:] for frame in swings if frame[2:6] == hunter} == {hunter + serial}
    assert of(others, 0x2F) == [], "only the client of who strikes turns its player"
    for frames, version in ((own, hunts), (others, watches)):
        animations = of(frames, 0xE2 if version == NEWEST else 0x6E)
        assert len([frame for frame in animations if frame[1:5] == hunter]) >= len(swings)
        assert of(frames, 0x54)
    over_the_rat = [frame for frame in own if serial in frame[:11]]
    assert counted(over_the_rat, hunts) == HITS
    assert counted(others, watches) == 0, "numbers are for the two that fight"
    assert anna.mobile.hits <= hits

    fought = [frame[1:] for frame in of(own, 0xAA)]
    assert fought[0] == serial
    assert fought[-1] == bytes(4)
    for person in (anna, bert):
        falls_before_it_is_gone(person, serial)
    check(anna, bert)


def falls_before_it_is_gone(person: Person, serial: bytes) -> None:
    """0xAF names the dead and its corpse, which lies there, before 0x1D takes the dead away."""
    got = person.player.got
    [death] = of(got, 0xAF)
    assert death[1:5] == serial
    corpse = death[5:9]
    assert got.index(death) < got.index(b"\x1d" + serial)
    [lies] = [
        frame
        for frame in got
        if (frame[0] == 0xF3 and frame[4:8] == corpse)
        or (frame[0] == 0x1A and frame[4:7] == corpse[1:] and frame[3] & 0x7F == corpse[0])
    ]
    art, amount = (8, 11) if lies[0] == 0xF3 else (7, 9)
    assert int.from_bytes(lies[art : art + 2], "big") == CORPSE
    assert int.from_bytes(lies[amount : amount + 2], "big") == RAT
    assert got.index(lies) < got.index(b"\x1d" + serial)


@pytest.mark.parametrize("version", [NEWEST, ML, AOS])
async def test_the_one_struck_sees_the_number_and_the_creature_drawn_up(
    town: Town, autojump_clock: MockClock, version: VersionNumber
) -> None:
    anna, bert = await enters(town, "Anna", version), await enters(town, "Bert")
    rat = await a_rat_between(town, anna, bert)
    rat.hits = rat.hits_max = 10_000
    anna.player.got.clear()
    bert.player.got.clear()
    knight = anna.mobile
    before = knight.hits
    await act(town, lambda world: fighting.attack(rat, knight))
    await until(lambda: knight.hits < before)
    own = knight.serial.to_bytes(4, "big")
    number = [frame for frame in anna.player.got if frame[0] in (0x0B, 0xBF) and own in frame[:11]]
    assert counted(number, version) == before - knight.hits
    assert counted(bert.player.got, NEWEST) == 0
    assert anna.client.mobiles[rat.serial].flags & 0x40
    assert bert.client.mobiles[rat.serial].flags & 0x40
    await act(town, lambda world: fighting.stop(rat))
    assert not anna.client.mobiles[rat.serial].flags & 0x40
    assert not bert.client.mobiles[rat.serial].flags & 0x40


async def test_who_killed_it_looks_into_the_corpse_and_takes_what_is_in_it(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await enters(town, "Anna"), await enters(town, "Bert")
    rat = await a_rat_between(town, anna, bert)
    await anna.does(anna.client.pack_bytes(AttackRequest(rat.serial)))
    await until(lambda: rat.dead)
    [death] = of(anna.player.got, 0xAF)
    corpse = int.from_bytes(death[5:9], "big")
    answer = await anna.does(anna.client.open_bytes(corpse))
    assert of(answer, 0x24) == [bytes.fromhex(f"24{corpse:08x}0009007d")]
    [content] = of(answer, 0x3C)
    loot = town.app.world.items[int.from_bytes(content[5:9], "big")]
    assert loot.template.key == "gold"
    coins = anna.has("gold").amount
    await anna.lifts(loot)
    await anna.puts(loot, anna.pack.serial)
    assert (
        sum(item.amount for item in anna.pack.contents.values() if item.template.key == "gold") == coins + 7
    )
    assert anna.client.inside(corpse) == {}
    check(anna, bert)
