"""Deaths before clients of Ultima Online: how the dead fall, what the corpses look like, what is in them and
what they wear, and what the dead are told (uo-play, section 3)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio  # noqa: TC002 # the fixtures read it

from protocol.uo.packets.fighting import AttackRequest
from tests.kit.town import Town, shipped_content
from tests.kit.uo_arena import HIT, beast, of, place, serial, throws
from tests.kit.uo_people import act, body, check, contents, enters, far, gather, inside, pair
from tests.kit.uo_stage import NEWEST
from world import decay, holding, life
from world.corpses import CORPSE
from world.item import Item, Layer
from world.rules.numbers import LawRule

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.uo.versions import VersionNumber
    from tests.kit.uo_people import Person
    from world.content import Content
    from world.mobile import Mobile
    from world.world import World

VERSIONS: Final[list[VersionNumber]] = [NEWEST, (5, 0, 9, 1), (2, 0, 3, 0)]
WOLF: Final = 0xE1


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    running = Town(nursery)
    await running.open()
    return running


@cache
def merciless() -> Content:
    """The shipped content, where the dead lose all that they wear."""
    return attrs.evolve(shipped_content(), law=LawRule(drops="all"))


@pytest.fixture
async def bare_town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """Where the dead lose all that they wear."""
    running = Town(nursery, content=merciless())
    await running.open()
    return running


async def hunt(town: Town, version: VersionNumber) -> tuple[Person, Person, Mobile, Item]:
    """Anna with a client of that version kills a wolf before Bert, and is told of it: `player.got`."""
    anna, bert = await pair(town, version)
    made: list[Mobile] = []

    def begin(world: World) -> None:
        gather(anna.mobile, bert.mobile)
        assert anna.mobile.realm is not None
        world.warp(anna.mobile, anna.mobile.realm, anna.mobile.x - 1, anna.mobile.y)
        throws(world, HIT)
        made.append(beast(world, anna.mobile, hits=1))

    await act(town, begin)
    (wolf,) = made
    anna.player.got.clear()
    bert.player.got.clear()
    await anna.does(anna.client.pack_bytes(AttackRequest(wolf.serial)))
    assert wolf.dead
    return anna, bert, wolf, corpse_in(town)


def corpse_in(town: Town) -> Item:
    """The one that lies there."""
    world = town.app.world
    (corpse,) = (item for item in world.items.values() if item.template.key == CORPSE)
    return corpse


def lies(person: Person, version: VersionNumber, corpse: Item, look: bytes, heading: int, hue: int) -> bytes:
    """A corpse on the ground; its amount is the body, its light the way it faces."""
    where = place(person, corpse)
    height, colour = where[5:6], hue.to_bytes(2, "big")
    if version >= (7, 0, 0, 0):
        many = bytes.fromhex("2006 00") + look + look + where[:4] + height
        return b"\xf3\0\x01\0" + serial(corpse) + many + bytes([heading]) + colour + bytes(3)
    x, y = int.from_bytes(where[:2], "big"), int.from_bytes(where[2:4], "big")
    x |= 0x8000 if heading else 0
    y |= 0x8000 if hue else 0
    numbers = (corpse.serial | 0x80000000).to_bytes(4, "big") + bytes.fromhex("2006") + look
    at = x.to_bytes(2, "big") + y.to_bytes(2, "big") + (bytes([heading]) if heading else b"")
    rest = numbers + at + height + (colour if hue else b"")
    return b"\x1a" + (len(rest) + 3).to_bytes(2, "big") + rest


@pytest.mark.parametrize("version", VERSIONS, ids=str)
async def test_a_creature_falls_and_is_a_corpse(
    town: Town, autojump_clock: MockClock, version: VersionNumber
) -> None:
    anna, bert, wolf, corpse = await hunt(town, version)
    for person, its in ((anna, version), (bert, NEWEST)):
        got = person.player.got
        fall = b"\xaf" + serial(wolf) + serial(corpse) + bytes(4)
        ground = lies(person, its, corpse, WOLF.to_bytes(2, "big"), 6, 0)
        gone = b"\x1d" + serial(wolf)
        assert [got.index(frame) for frame in (ground, fall, gone)] == sorted(
            got.index(frame) for frame in (ground, fall, gone)
        ), "the corpse first, then it falls, then it is gone"
        assert got.count(fall) == got.count(gone) == 1
        assert bytes.fromhex("54 01 00e9 0000") + place(person, corpse) in got, "it howls"
        assert of(got, 0x89) == [], "beasts wear nothing"
        assert person.client.fallen == [(wolf.serial, corpse.serial)]
    assert of(anna.player.got, 0xAA) == [b"\xaa" + serial(wolf), bytes.fromhex("aa 00000000")]
    assert of(bert.player.got, 0xAA) == []
    assert any("experience" in line for line in anna.client.said())
    check(anna, bert)


@pytest.mark.parametrize("version", VERSIONS, ids=str)
async def test_a_corpse_is_opened_and_looted(
    town: Town, autojump_clock: MockClock, version: VersionNumber
) -> None:
    anna, bert, _, corpse = await hunt(town, version)
    assert contents(corpse), "wolves have something"
    assert inside(anna.client, corpse.serial) == {}
    got = await anna.does(anna.client.open_bytes(corpse.serial))
    window = b"\x24" + serial(corpse) + bytes.fromhex("0009" + ("007d" if version >= (7, 0, 9, 0) else ""))
    content = of(got, 0x3C)
    assert of(got, 0x24) == [window]
    assert inside(anna.client, corpse.serial) == contents(corpse)
    size = 20 if version >= (6, 0, 1, 7) else 19
    for at in range(5, len(content[0]), size):
        x, y = (int.from_bytes(content[0][at + 9 + i : at + 11 + i], "big") for i in (0, 2))
        assert 20 <= x <= 20 + 104
        assert 85 <= y <= 85 + 111, "outside of its window nobody reaches it"
    gold = next(item for item in corpse.contents.values() if item.template.key == "gold")
    amount = gold.amount
    await anna.lifts(gold)
    await anna.puts(gold, anna.pack.serial)
    assert gold.serial not in corpse.contents
    assert sum(item.amount for item in anna.pack.contents.values() if item.template.key == "gold") >= amount
    assert corpse.label == "corpse of a wolf"
    check(anna, bert)
    await act(town, lambda world: far(anna.mobile))
    got = await anna.does(anna.client.open_bytes(corpse.serial))
    assert of(got, 0x24) == []


async def test_whoever_may_not_loot_is_refused(town: Town, autojump_clock: MockClock) -> None:
    anna, bert, _, corpse = await hunt(town, NEWEST)
    await bert.does(bert.client.open_bytes(corpse.serial))
    gold = next(item for item in corpse.contents.values() if item.template.key == "gold")
    await bert.lifts(gold)
    assert gold.parent is corpse
    check(anna, bert)


@pytest.mark.parametrize("version", VERSIONS, ids=str)
async def test_a_player_dies(town: Town, autojump_clock: MockClock, version: VersionNumber) -> None:
    anna, bert = await pair(town, version)
    await anna.does(anna.client.raw_bytes(bytes.fromhex("72 01 003200")))
    assert anna.client.war
    for victim, onlooker, its in ((anna, bert, NEWEST), (bert, anna, version)):
        victim.mobile.hair, victim.mobile.heading = 1, 2
        for person in (anna, bert):
            person.player.got.clear()
            person.client.fallen.clear()
        await act(town, lambda _, dead=victim.mobile: life.kill(dead))  # type: ignore[misc]
        corpse = next(
            item
            for item in town.app.world.items.values()
            if item.remains and item.remains.owner == victim.mobile.serial
        )
        got = victim.player.got
        assert of(got, 0x2C) == [bytes.fromhex("2c 00")]
        assert of(got, 0xAA) == [bytes.fromhex("aa 00000000")]
        assert of(got, 0xAF) == [], "the client ignores its own"
        assert victim.client.player is not None
        assert (victim.client.player.body, victim.client.war) == (0x192, False)
        seen = onlooker.player.got
        fall = b"\xaf" + serial(victim.mobile) + serial(corpse) + bytes(4)
        ghost = next(f for f in reversed(of(seen, 0x78)) if f[3:7] == serial(victim.mobile))
        assert ghost[7:9] == bytes.fromhex("0192")
        skin = victim.mobile.skin_hue | 0x8000
        ground = lies(onlooker, its, corpse, bytes.fromhex("0190"), 2, skin)
        assert seen.index(ground) < seen.index(fall) < seen.index(ghost)
        assert of(seen, 0x54)[-1][2:4] in [number.to_bytes(2, "big") for number in range(0x423, 0x428)]
        assert onlooker.client.mobiles[victim.mobile.serial].body == 0x192
        assert list(onlooker.client.corpses[corpse.serial]) == [Layer.HAIR], "it keeps what it wears"
        check(anna, bert)


@pytest.mark.parametrize("version", VERSIONS, ids=str)
async def test_a_corpse_wears_what_the_dead_wore(
    bare_town: Town, autojump_clock: MockClock, version: VersionNumber
) -> None:
    anna, bert = await pair(bare_town, version)
    wore = {
        layer: item.serial for layer, item in bert.mobile.worn.items() if item is not bert.mobile.backpack
    }
    assert wore
    await act(bare_town, lambda _: life.kill(bert.mobile))
    corpse = corpse_in(bare_town)
    dress = anna.client.corpses[corpse.serial]
    assert {layer: piece for layer, piece in dress.items() if layer != Layer.HAIR} == wore
    told = of(anna.player.got, 0x89)[-1]
    layer, piece = next(iter(wore.items()))
    assert bytes([layer + 1]) + piece.to_bytes(4, "big") in told
    assert told[3:7] == serial(corpse)
    assert len(told) == int.from_bytes(told[1:3], "big") == 8 + 5 * len(dress)
    assert told[-1] == 0
    check(anna, bert)
    # Whoever comes later sees it as well.
    clara = await enters(bare_town, "Clara")
    await act(bare_town, lambda _: gather(anna.mobile, bert.mobile, clara.mobile))
    assert clara.client.corpses[corpse.serial] == dress
    assert set(inside(clara.client, corpse.serial)) == set(dress.values())
    # The one who opens it sees all, dressed as before; taken pieces are gone for those who did not.
    await anna.does(anna.client.open_bytes(corpse.serial))
    assert inside(anna.client, corpse.serial) == contents(corpse)
    assert anna.client.corpses[corpse.serial] == wore
    taken = next(item for item in corpse.contents.values() if item.serial in wore.values())
    await anna.lifts(taken)
    await anna.puts(taken, anna.pack.serial)
    assert taken.parent is anna.pack
    assert taken.serial not in inside(clara.client, corpse.serial)
    assert anna.mobile.notoriety == 4, "he was innocent"
    assert clara.client.mobiles[anna.mobile.serial].notoriety == 4
    check(anna, bert, clara)


@pytest.mark.parametrize("way", ["asked for", "refused at the edge of sight"])
async def test_an_open_corpse_that_is_shown_anew_is_still_known_in_all_that_lies_in_it(
    town: Town, autojump_clock: MockClock, way: str
) -> None:
    """It is shown with its hair in a 0x3C, by which a client takes the rest out of it."""
    anna, bert = await pair(town)
    bert.mobile.hair, realm = 1, anna.mobile.realm
    assert realm is not None
    await act(town, lambda _: gather(anna.mobile, bert.mobile))
    await act(town, lambda _: life.kill(bert.mobile))
    corpse = corpse_in(town)
    bag = holding.make(town.app.world, "bag")

    def fill(world: World) -> None:
        for holder, item in ((corpse, bag), (bag, holding.make(world, "torch"))):
            world.register(item)
            holding.put(holder, item)

    await act(town, fill)
    for opened in (corpse, bag):
        await anna.does(anna.client.open_bytes(opened.serial))
        assert inside(anna.client, opened.serial) == contents(opened) != {}
    anna.player.got.clear()
    if way == "asked for":
        await anna.does(anna.client.resync_bytes())
    else:
        await act(town, lambda world: world.warp(anna.mobile, realm, corpse.x - 16, corpse.y))
        await anna.does(anna.client.raw_bytes(bytes.fromhex("02 00 05 00000000")))
        assert of(anna.player.got, 0x21), "no step of its own"
    assert of(anna.player.got, 0x3C), "its hair at least"
    assert inside(anna.client, corpse.serial) == contents(corpse)
    check(anna, bert)


async def test_whoever_comes_as_somebody_dies_sees_the_ghost(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    await act(town, lambda world: far(anna.mobile))
    assert bert.mobile.serial not in anna.client.mobiles

    def at_once(world: World) -> None:
        realm = bert.mobile.realm
        assert realm is not None
        world.warp(anna.mobile, realm, bert.mobile.x - 1, bert.mobile.y)
        life.kill(bert.mobile)

    await act(town, at_once)
    assert anna.client.mobiles[bert.mobile.serial].body == 0x192
    assert body(anna.client.mobiles[bert.mobile.serial]) == {Layer.BACKPACK: bert.pack.serial}
    check(anna, bert)


async def test_the_dead_come_back(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    await act(town, lambda _: life.kill(bert.mobile))
    await act(town, lambda _: life.resurrect(bert.mobile))
    assert anna.client.mobiles[bert.mobile.serial].body == 0x190
    assert anna.client.mobiles[bert.mobile.serial].hits[0] == 10 * 100 // bert.mobile.hits_max
    assert of(bert.player.got, 0x2C)[-1] == bytes.fromhex("2c 00")
    check(anna, bert)


async def test_what_lies_in_a_corpse_that_fell_apart_is_seen(town: Town, autojump_clock: MockClock) -> None:
    anna, bert, _, corpse = await hunt(town, NEWEST)
    await anna.does(anna.client.open_bytes(corpse.serial))
    things = list(corpse.contents.values())
    await act(town, lambda _: decay.spill(corpse))
    assert all(thing.serial in anna.client.items for thing in things)
    assert inside(anna.client, corpse.serial) == {}
    check(anna, bert)
