"""Conquer Online: what shows walls and trees of the realm to its clients, and what a click there is."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.co.figures import LANDMARKS, NPCS
from protocol.co.looks import compile_looks
from protocol.co.packets import ActionType, NpcInfo, NpcKind, Walk, to_wire
from protocol.co.packets import Npc as Click
from protocol.co.scenery import CoScenery
from protocol.co.versions import CoVersion
from protocol.tables import LookError
from tests.kit.co_desk import Desk, Player, place_of, small_content, view_of
from tests.kit.town import shipped_content
from tests.kit.walled import FENCE, LAMP, SIGN, STONE, TREE, walled, without_landmarks
from world.heading import EAST, WEST
from world.reach import Refusal
from world.space import SECTOR

if TYPE_CHECKING:
    from world.content import Content

VERSIONS = list(CoVersion)


@cache
def content() -> Content:
    return walled(small_content())


async def enter(desk: Desk, name: str = "alric", at: tuple[int, int] = (20, 24)) -> Player:
    """A client that is in the world; the packets on the way count no more."""
    player = await desk.enter(name, at)
    player.got.clear()
    return player


def tiles(player: Player) -> set[tuple[int, int]]:
    """Where its client has some."""
    left, top = place_of(0, 0)
    return {(seen.x - left, seen.y - top) for seen in player.screen.landmarks.values()}


def wanted(player: Player) -> set[tuple[int, int]]:
    """Where some are to be, by the sector that somebody is in."""
    realm, (x, y) = player.mobile.realm, player.tile
    assert realm is not None
    around = view_of(player.desk).scenery.landmarks.of_sector(realm.name, x // SECTOR, y // SECTOR)
    return {(mark.x, mark.y) for mark in around.landmarks}


def put(player: Player, x: int, y: int, realm: str = "plain") -> None:
    """Elsewhere, at once."""
    player.desk.world.warp(player.mobile, player.desk.world.realms[realm], x, y)
    player.desk.turn()


def number_of(player: Player, tile: tuple[int, int]) -> int:
    """The number of the one on a tile."""
    place = place_of(*tile)
    return next(one.id for one in player.screen.landmarks.values() if (one.x, one.y) == place)


# What is shown


@pytest.mark.parametrize("version", VERSIONS)
async def test_who_enters_sees_what_stands_around(version: CoVersion) -> None:
    player = await enter(Desk(content(), version=version))
    assert tiles(player) == wanted(player)
    assert {TREE, LAMP, SIGN, STONE} <= tiles(player)
    assert {x for x, y in tiles(player) if y == FENCE[0][1]} == {10, *range(12, 34, 3)}
    assert player.screen.faults == []
    assert player.screen.npcs == {}


async def test_each_has_the_look_of_a_post_a_flag_or_a_box_and_its_own_name() -> None:
    player = await enter(Desk(content()))
    shown = {
        place: (seen.look * 10 + seen.direction, seen.name)
        for place in (TREE, LAMP, SIGN, STONE, FENCE[0])
        for seen in [player.screen.landmarks[number_of(player, place)]]
    }
    assert shown == {
        TREE: (437, "oak"),
        LAMP: (1137, "lamp post"),
        SIGN: (1086, "Inn"),
        STONE: (8200, "gravestone"),
        FENCE[0]: (517, "wooden fence"),
    }


@pytest.mark.parametrize(
    ("version", "wire"),
    [
        # conquer-online/wiki: msgnpcinfo.md; look, kind and sort in the order of coemu and COPS. Stake of
        # level 20: look 427 (shekohex/coemu: data/NPCs.csv), with one name of three letters.
        (CoVersion.V5017, "17 00 ee 07 50 c3 00 00 9a 01 06 02 ab 01 02 00 00 00 01 03 6f 61 6b"),
        (CoVersion.V5065, "19 00 ee 07 50 c3 00 00 9a 01 06 02 ab 01 02 00 00 00 00 00 01 03 6f 61 6b"),
    ],
)
def test_the_bytes_of_one(version: CoVersion, wire: str) -> None:
    packet = NpcInfo(LANDMARKS.start, 410, 518, 427, NpcKind.DIALOG, names=("oak",))
    assert packet.encode(version).hex(" ") == wire


def test_their_numbers_are_nobody_elses() -> None:
    assert set(LANDMARKS).isdisjoint(NPCS)
    assert LANDMARKS.stop == 100_000, "the client takes higher ones for something else"


async def test_switched_off_there_are_none() -> None:
    player = await enter(Desk(without_landmarks(content(), "co")))
    assert player.screen.landmarks == {}
    await player.says(Click(LANDMARKS.start, 0, 0))
    assert player.lines() == [Refusal.UNSEEN.value]


async def test_all_clients_of_a_version_share_the_bytes() -> None:
    desk = Desk(content())
    alric, berta = (await enter(desk)).session, (await enter(desk, "berta")).session
    desk.turn()
    for session in (alric, berta):
        session.landmarks = None
        session.queue(*view_of(desk).scenery.follow(session))
    assert len(alric.outbox) > 10
    assert all(one is other for one, other in zip(alric.outbox, berta.outbox, strict=True))
    alric.outbox.clear()
    berta.outbox.clear()


def test_beyond_the_client_s_numbers_none_are_shown() -> None:
    looks = compile_looks(content())
    places = view_of(Desk(content())).places
    scenery = CoScenery(content().charts.values(), looks.props, places, 18)
    assert scenery.find(LANDMARKS.start) is not None
    assert scenery.find(LANDMARKS.start - 1) is None
    assert scenery.find(LANDMARKS.start + len(scenery.landmarks)) is None


# Coming and going


@pytest.mark.parametrize("version", VERSIONS)
async def test_there_and_back_again_tile_by_tile(version: CoVersion) -> None:
    player = await enter(Desk(content(), version=version))
    seen = [tiles(player)]
    for direction in (to_wire(EAST), to_wire(WEST)):
        for _ in range(30):
            sector = player.tile[0] // SECTOR
            await player.desk.wait(0.5)
            player.got.clear()
            await player.says(Walk(player.number, direction))
            news = len(player.took(NpcInfo)) + len(player.actions(ActionType.REMOVE))
            assert tiles(player) == wanted(player)
            assert news == 0 or player.tile[0] // SECTOR != sector
            seen.append(tiles(player))
    assert player.tile == (20, 24)
    assert seen[-1] == seen[0]
    assert seen[30] - seen[0]
    assert seen[0] - seen[30]
    assert player.screen.faults == []


async def test_a_jump_shows_what_is_there_and_takes_away_what_is_not() -> None:
    player = await enter(Desk(content()))
    for x in (34, 48, 34, 20):
        await player.desk.wait(1.0)
        await player.jumps(x, 24)
        assert player.tile == (x, 24)
        assert tiles(player) == wanted(player)
    assert player.screen.faults == []


async def test_after_a_warp_and_in_another_realm() -> None:
    player = await enter(Desk(content()))
    put(player, 50, 50)
    assert (55, 55) in tiles(player) == wanted(player)
    put(player, 5, 5, "cave")
    assert tiles(player) == set()
    put(player, 20, 24)
    assert tiles(player) == wanted(player)
    assert TREE in tiles(player)
    assert player.screen.faults == []


async def test_a_client_that_has_loaded_and_asks_is_shown_them_again() -> None:
    player = await enter(Desk(content()))
    before = tiles(player)
    player.screen.clear()
    await player.desk.wait(1.0)
    await player.acts(ActionType.SURROUNDINGS)
    assert tiles(player) == before
    put(player, 21, 24)
    assert tiles(player) == before
    player.screen.clear()
    await player.desk.wait(1.0)
    await player.acts(ActionType.SURROUNDINGS)
    assert tiles(player) == before


# Clicks


async def test_a_click_says_what_it_is() -> None:
    player = await enter(Desk(content()))
    await player.says(Click(number_of(player, TREE), 0, 0))
    assert player.lines() == ["You see: oak."]
    assert player.screen.window is None


async def test_a_click_on_a_sign_reads_it_if_one_is_near() -> None:
    desk = Desk(content())
    near, far = await enter(desk, at=(25, 23)), await enter(desk, "berta", (17, 23))
    await near.says(Click(number_of(near, SIGN), 0, 0))
    assert near.lines() == ["Inn: Beds and beer."]
    await far.says(Click(number_of(far, SIGN), 0, 0))
    assert far.lines() == [Refusal.FAR.value]


# What is wrong with a table


@pytest.mark.parametrize(
    ("row", "mistake"),
    [
        ({}, "npc: is missing"),
        ({"npc": 0}, "npc: must be 1 to 65535, is 0"),
        ({"npc": 65536}, "npc: must be 1 to 65535, is 65536"),
        ({"npk": 427, "npc": 427}, "unknown key 'npk', did you mean 'npc'?"),
    ],
)
def test_every_mistake_names_its_place(row: dict[str, object], mistake: str) -> None:
    shipped = shipped_content()
    oak = attrs.evolve(shipped.tiles["oak"], look={"co": row})
    with pytest.raises(LookError) as caught:
        compile_looks(attrs.evolve(shipped, tiles={"oak": oak}))
    assert caught.value.problems == [f"looks/tiles.toml: oak.co: {mistake}"]
