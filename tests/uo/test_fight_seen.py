"""Fights in a running server before clients of three generations: poison, crime, who reads which numbers, and
creatures that come at somebody (uo-play, sections 1, 2 and 5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import trio  # noqa: TC002 # the fixture reads it

from protocol.uo.packets.fighting import AttackRequest
from protocol.uo.versions import version_of
from protocol.uo.view import Viewer
from tests.kit.town import Town
from tests.kit.uo_arena import CRITICAL, HIT, beast, of, serial, throws
from tests.kit.uo_people import act, check, enters, gather, pair
from tests.kit.uo_stage import NEWEST, Scene, written
from world import ailments, law, spawners
from world.companions import Party
from world.events import Engaged
from world.mobile import Mobile, Notoriety

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.uo.versions import VersionNumber
    from tests.kit.uo_people import Person
    from world.world import World

AOS: Final[VersionNumber] = (2, 0, 3, 0)
ML: Final[VersionNumber] = (5, 0, 9, 1)
VERSIONS: Final = [NEWEST, (7, 0, 0, 0), (6, 0, 14, 2), ML, AOS]
SESSIONS: Final = Path(__file__).parents[1] / "golden/uo/sessions"


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    running = Town(nursery)
    await running.open()
    return running


async def ring(
    town: Town, version: VersionNumber, throw: float = HIT, hits: int = 25
) -> tuple[Person, Person, Mobile]:
    """Anna with a client of that version, Bert beside her, and a wolf between them that does nothing."""
    anna, bert = await pair(town, version)
    made: list[Mobile] = []

    def begin(world: World) -> None:
        gather(anna.mobile, bert.mobile)
        assert anna.mobile.realm is not None
        world.warp(anna.mobile, anna.mobile.realm, anna.mobile.x - 1, anna.mobile.y)
        throws(world, throw)
        made.append(beast(world, anna.mobile, hits=hits))

    await act(town, begin)
    return anna, bert, made[0]


async def strikes(person: Person, target: Mobile) -> list[bytes]:
    """`05 serial`, and what comes of it in the same turn."""
    return await person.does(person.client.pack_bytes(AttackRequest(target.serial)))


def number_of(version: VersionNumber, target: Mobile, amount: int) -> bytes:
    """The damage."""
    if version >= (5, 0, 0, 1):
        return b"\x0b" + serial(target) + amount.to_bytes(2, "big")
    return bytes.fromhex("bf 000b 0022 01") + serial(target) + bytes([amount])


async def test_a_party_reads_the_numbers_of_its_members(town: Town, autojump_clock: MockClock) -> None:
    anna, bert, wolf = await ring(town, NEWEST, CRITICAL)
    anna.mobile.party = bert.mobile.party = Party([anna.mobile.serial, bert.mobile.serial])
    bert.player.got.clear()
    await strikes(anna, wolf)
    assert of(bert.player.got, 0x0B) == [number_of(NEWEST, wolf, 25 - wolf.hits)]
    assert of(bert.player.got, 0x2F, 0xAA) == []


async def test_leaving_war_ends_it(town: Town, autojump_clock: MockClock) -> None:
    anna, _, wolf = await ring(town, NEWEST)
    await strikes(anna, wolf)
    got = await anna.does(anna.client.raw_bytes(bytes.fromhex("72 00 003200")))
    assert of(got, 0x72)[0] == bytes.fromhex("72 00 003200")
    assert of(got, 0xAA)[-1] == bytes.fromhex("aa 00000000")
    assert (anna.client.war, anna.client.enemy) == (False, 0)
    hits = wolf.hits
    await anna.player.does(b"", wait=5)
    assert wolf.hits >= hits


async def test_an_attack_that_is_refused_leaves_the_old_enemy(town: Town, autojump_clock: MockClock) -> None:
    anna, _, wolf = await ring(town, NEWEST)
    await strikes(anna, wolf)
    far: list[Mobile] = []
    await act(town, lambda world: far.append(beast(world, anna.mobile, dx=6)))
    got = await strikes(anna, far[0])
    assert of(got, 0xAA) == [b"\xaa" + serial(wolf)]
    assert "That is too far away." in anna.client.said()


async def test_a_creature_that_hunts_stands_in_war(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    made: list[Mobile] = []

    def come(world: World) -> None:
        realm = anna.mobile.realm
        assert realm is not None
        throws(world, HIT)
        anna.mobile.hits = anna.mobile.hits_max = 5000
        made.extend(spawners.spawn(world, realm, "wolf", 1, anna.mobile.x - 3, anna.mobile.y))

    await act(town, come)
    (wolf,) = made
    await anna.player.does(b"", wait=0.5)
    assert anna.client.mobiles[wolf.serial].flags & 0x40, "it comes"
    assert anna.mobile.hits == 5000, "before it strikes"
    await anna.player.does(b"", wait=4)
    assert anna.client.mobiles[wolf.serial].flags & 0x40
    assert anna.mobile.hits < 5000

    def hide(_: World) -> None:
        anna.mobile.hidden = bert.mobile.hidden = True

    await act(town, hide)
    await anna.player.does(b"", wait=2)
    assert not anna.client.mobiles[wolf.serial].flags & 0x40


@pytest.mark.parametrize("version", VERSIONS, ids=str)
async def test_poison_colours_the_bar(town: Town, autojump_clock: MockClock, version: VersionNumber) -> None:
    anna, bert = await pair(town, version)
    for victim in (anna, bert):
        anna.player.got.clear()
        await act(town, lambda _, victim=victim: ailments.poison(victim.mobile, 2))  # type: ignore[misc]
        bars, moved = of(anna.player.got, 0x17), of(anna.player.got, 0x77)
        if version >= (7, 0, 0, 0):
            assert bars == [bytes.fromhex("17 000c") + serial(victim.mobile) + bytes.fromhex("0001 0001 02")]
            assert not moved[-1][15] & 0x04, "newer clients would let it fly"
        else:
            assert bars == []
            assert moved[-1][:5] == b"\x77" + serial(victim.mobile)
            assert moved[-1][15] & 0x04
        anna.player.got.clear()
        await act(town, lambda _, victim=victim: ailments.cure(victim.mobile))  # type: ignore[misc]
        if version >= (7, 0, 0, 0):
            assert of(anna.player.got, 0x17)[0][7:] == bytes.fromhex("0001 0001 00")
        else:
            assert not of(anna.player.got, 0x77)[-1][15] & 0x04


async def test_who_comes_into_sight_poisoned_is_shown_so(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    await act(town, lambda _: ailments.poison(bert.mobile, 9))
    clara = await enters(town, "Clara")
    await act(town, lambda _: gather(anna.mobile, bert.mobile, clara.mobile))
    bar = bytes.fromhex("17 000c") + serial(bert.mobile) + bytes.fromhex("0001 0001 05")
    assert bar in clara.player.got
    assert clara.client.mobiles[bert.mobile.serial].poisoned


async def test_crime_colours_the_name(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    seen = anna.client.mobiles[bert.mobile.serial]
    label = anna.client.click_bytes(bert.mobile.serial)
    await anna.does(label)
    await act(town, lambda _: law.commit_crime(bert.mobile))
    assert seen.notoriety == Notoriety.CRIMINAL == 4
    await anna.does(label)

    def kills(_: World) -> None:
        bert.mobile.murders = 5
        law.judge(bert.mobile)

    await act(town, kills)
    assert seen.notoriety == Notoriety.MURDERER == 6
    await anna.does(label)
    hues = [line.hue for line in anna.client.lines if line.serial == bert.mobile.serial and line.kind == 6]
    assert hues == [0x59, 0x3B2, 0x22]


async def test_an_attack_on_an_innocent_is_warned_of_and_a_crime(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await pair(town)
    field = anna.mobile.realm

    def duel(world: World) -> None:
        assert field is not None
        throws(world, HIT)
        for mobile in (anna.mobile, bert.mobile):
            mobile.level, mobile.assailant = 10, True
        free = next(
            (x, y)
            for x in range(field.chart.width - 1)
            for y in range(field.chart.height)
            if field.chart.allows_fights(x, y) and field.walkable(x, y) and field.walkable(x + 1, y)
        )
        world.warp(anna.mobile, field, *free)
        world.warp(bert.mobile, field, free[0] + 1, free[1])

    await act(town, duel)
    await strikes(anna, bert.mobile)
    assert "Anna is attacking you!" in bert.client.said()
    assert of(bert.player.got, 0x0B)[-1][:5] == b"\x0b" + serial(bert.mobile)
    assert bert.client.mobiles[anna.mobile.serial].notoriety == 4
    assert anna.client.player is not None
    assert anna.client.player.notoriety == 4
    check(anna, bert)


def test_the_warning_is_the_one_that_was_recorded() -> None:
    scene = Scene()
    bob = Mobile(0x78, scene.world, "Bob", template=scene.content.mobiles["player"])
    recorder = Mobile(0x77, scene.world, "Recorder", template=scene.content.mobiles["player"])
    session = scene.session(scene.person())
    session.mobile = recorder
    (told,) = written(scene.view.event(Engaged(bob, recorder, ()), Viewer.OTHER, version_of(NEWEST)), session)
    steps = json.loads((SESSIONS / "actor_7.0.102.3.json").read_text())["steps"]
    assert told.hex() in {step["packet"] for step in steps}
