"""Lineage II: what shows walls and trees of the realm to its clients, and what a click there is."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.l2.handlers.motion import ELSEWHERE
from protocol.l2.looks import compile_looks
from protocol.l2.packets import (
    CATALOGUE,
    Action,
    ActionFailed,
    AttackRequest,
    CharacterSelect,
    DeleteObject,
    EnterWorld,
    ExColosseumFenceInfo,
    FenceState,
    MoveToLocation,
    MyTargetSelected,
    NpcInfo,
    RequestRestart,
    TeleportToLocation,
    ValidatePosition,
)
from protocol.l2.scenery import FIRST_NUMBER
from protocol.l2.versions import L2Versions
from protocol.l2.view import L2View
from protocol.services import NewCharacter
from protocol.tables import LookError
from tests.kit.l2_desk import Desk, Player, place_of, small_content
from tests.kit.town import shipped_content
from tests.kit.walled import FENCE, LAMP, SIGN, STONE, TREE, walled, without_landmarks
from world import furniture, motion
from world.heading import EAST, WEST
from world.reach import Refusal
from world.serials import LAST_ITEM
from world.space import SECTOR

if TYPE_CHECKING:
    from world.content import Content

TILE = 24


@cache
def content() -> Content:
    return walled(small_content())


class Props:
    """What a client has of them, by the messages that come."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.shown: dict[int, NpcInfo | ExColosseumFenceInfo] = {}
        self.news = 0
        """How many messages changed that since it was asked last."""

    def reads(self) -> None:
        """Everything that came."""
        for message in self.player.got:
            if isinstance(message, NpcInfo | ExColosseumFenceInfo) and message.object_id >= FIRST_NUMBER:
                assert message.object_id not in self.shown
                self.shown[message.object_id] = message
            elif isinstance(message, DeleteObject) and message.object_id >= FIRST_NUMBER:
                del self.shown[message.object_id]
            else:
                continue
            self.news += 1
        self.player.got.clear()

    def tiles(self) -> set[tuple[int, int]]:
        """Where they stand."""
        left, top, _ = place_of(-0.5, -0.5)
        return {((prop.x - left) // TILE, (prop.y - top) // TILE) for prop in self.shown.values()}

    def at(self, tile: tuple[int, int]) -> NpcInfo | ExColosseumFenceInfo:
        """The one on a tile."""
        return next(prop for prop in self.shown.values() if (prop.x, prop.y, prop.z) == place_of(*tile))


async def enter(desk: Desk, name: str = "alric", at: tuple[int, int] = (20, 24)) -> tuple[Player, Props]:
    """A client that is in the world, with what it was shown there."""
    desk.make_character(name, NewCharacter(name, False, 3, 1104, 1003), at)
    player = await desk.selected(name)
    await player.says(EnterWorld())
    await desk.wait(0.1)
    props = Props(player)
    props.reads()
    return player, props


def wanted(player: Player) -> set[tuple[int, int]]:
    """Where some are to be, by the sector that somebody is in."""
    realm, (x, y) = player.mobile.realm, player.tile
    assert realm is not None
    around = L2View.of(player.session).scenery.landmarks.of_sector(realm.name, x // SECTOR, y // SECTOR)
    return {(mark.x, mark.y) for mark in around.landmarks}


def put(player: Player, x: int, y: int, realm: str = "plain") -> None:
    """Elsewhere, at once."""
    player.desk.world.warp(player.mobile, player.desk.world.realms[realm], x, y)
    player.desk.turn()


# What is shown


async def test_who_enters_sees_what_stands_around() -> None:
    player, props = await enter(Desk(content()))
    assert props.tiles() == wanted(player)
    assert {TREE, LAMP, SIGN, STONE, FENCE[0]} <= props.tiles()
    assert {x for x, y in props.tiles() if y == FENCE[0][1]} == {10, *range(12, 41, 3)}
    assert (55, 55) not in props.tiles()


async def test_trees_are_models_that_nobody_can_attack_and_only_signs_have_a_name() -> None:
    _, props = await enter(Desk(content()))
    tree, sign = props.at(TREE), props.at(SIGN)
    assert isinstance(tree, NpcInfo)
    assert isinstance(sign, NpcInfo)
    assert tree.npc_id == 1_030_627
    assert (tree.attackable, tree.running, tree.in_combat, tree.dead, tree.name_above) == (0, 0, 0, 0, 0)
    assert (tree.name.strip(), tree.title) == ("", "")
    assert tree.name, "for an empty one the client shows its own"
    assert (tree.collision_radius, tree.collision_radius_again) == (9.0, 9.0)
    assert (sign.name, sign.name_above) == ("Inn", 1)


async def test_a_fence_goes_around_the_tiles_that_block() -> None:
    _, props = await enter(Desk(content()))
    end, run = props.at(FENCE[0]), props.at((12, 27))
    assert isinstance(end, ExColosseumFenceInfo)
    assert isinstance(run, ExColosseumFenceInfo)
    assert (end.state, end.width, end.length) == (FenceState.CLOSED, 24, 24)
    assert (run.state, run.width, run.length) == (FenceState.CLOSED, 72, 24)
    assert end.object_id > LAST_ITEM


def test_the_bytes_of_a_fence() -> None:
    """By L2JMobius/L2Jmobius_Interlude: ServerPackets.java (0xFE, 0x09) and ExColosseumFenceInfo.java; the
    numbers are those of another public server's test of the same."""
    versions = L2Versions.from_content(shipped_content(), CATALOGUE)
    fence = ExColosseumFenceInfo(0x01020304, FenceState.CLOSED, -71432, 258832, -3104, 300, 500)
    assert versions.newest.encode(fence).hex(" ") == (
        "fe 09 00 04 03 02 01 02 00 00 00 f8 e8 fe ff 10 f3 03 00 e0 f3 ff ff 2c 01 00 00 f4 01 00 00"
    )


async def test_switched_off_there_are_none() -> None:
    player, props = await enter(Desk(without_landmarks(content(), "l2")))
    assert props.shown == {}
    await player.says(Action(FIRST_NUMBER, 0, 0, 0, 0))
    assert player.told() == [Refusal.UNSEEN.value]


async def test_all_clients_of_a_version_share_the_bytes() -> None:
    desk = Desk(content())
    alric, berta = (await enter(desk))[0].session, (await enter(desk, "berta"))[0].session
    scenery = L2View.of(alric).scenery
    for session in (alric, berta):
        session.landmarks = None
        session.queue(*scenery.follow(session), *scenery.leave(session))
    assert len(alric.outbox) > 20
    assert all(one is other for one, other in zip(alric.outbox, berta.outbox, strict=True))
    alric.outbox.clear()
    berta.outbox.clear()


# Coming and going


async def test_there_and_back_again_tile_by_tile() -> None:
    player, props = await enter(Desk(content()))
    seen = [props.tiles()]
    for heading in (EAST, WEST):
        for _ in range(30):
            sector = player.tile[0] // SECTOR
            props.news = 0
            assert motion.step(player.mobile, heading)
            player.desk.turn()
            props.reads()
            assert props.tiles() == wanted(player)
            assert props.news == 0 or player.tile[0] // SECTOR != sector
            seen.append(props.tiles())
    assert seen[-1] == seen[0]
    assert seen[30] - seen[0]
    assert seen[0] - seen[30]


async def test_who_is_put_elsewhere_loses_all_and_is_shown_what_stands_there_when_it_has_loaded() -> None:
    player, props = await enter(Desk(content()))
    put(player, 50, 50)
    assert type(player.got[0]) is TeleportToLocation
    props.reads()
    assert props.shown == {}
    player.desk.turn()
    props.reads()
    assert props.shown == {}, "it loads"
    await player.appears()
    props.reads()
    assert (55, 55) in props.tiles() == wanted(player)
    put(player, 5, 5, "cave")
    await player.appears()
    props.reads()
    assert props.shown == {}
    put(player, 20, 24)
    await player.appears()
    props.reads()
    assert props.tiles() == wanted(player)


async def test_a_warp_within_a_sector_shows_the_same_anew() -> None:
    player, props = await enter(Desk(content()))
    before = props.tiles()
    put(player, 21, 24)
    props.reads()
    assert props.shown == {}
    await player.appears()
    props.reads()
    assert props.tiles() == before


async def test_a_client_that_is_elsewhere_loads_anew_and_gets_them_again() -> None:
    player, props = await enter(Desk(content()))
    before = props.tiles()
    x, y, z = place_of(20 + ELSEWHERE + 5, 24)
    await player.says(ValidatePosition(x, y, z, 0))
    props.reads()
    assert props.shown == {}
    await player.appears()
    props.reads()
    assert props.tiles() == before


async def test_the_next_character_of_a_connection_is_shown_them_too() -> None:
    player, props = await enter(Desk(content()))
    before = props.tiles()
    await player.says(RequestRestart())
    await player.desk.wait(1.0)
    await player.says(CharacterSelect(0))
    await player.says(EnterWorld())
    await player.desk.wait(0.1)
    props.shown.clear()
    props.reads()
    assert props.tiles() == before


# Clicks


def number_of(props: Props, tile: tuple[int, int]) -> int:
    return props.at(tile).object_id


@pytest.mark.parametrize("kind", [Action, AttackRequest])
async def test_a_click_is_a_click_on_the_ground(kind: type[Action | AttackRequest]) -> None:
    player, props = await enter(Desk(content()), at=(24, 24))
    await player.says(kind(number_of(props, TREE), 0, 0, 0, 0))
    went = player.only(MoveToLocation)
    assert (went.to_x, went.to_y) == place_of(24, 15)[:2]  # as far as one can go
    assert player.took(MyTargetSelected) == []
    assert player.session.target == 0
    await player.desk.wait(10.0)
    assert player.tile == (24, 15)
    assert player.told() == [], "one came where one meant to"


@pytest.mark.parametrize("kind", [Action, AttackRequest])
async def test_with_shift_or_sitting_one_stays(kind: type[Action | AttackRequest]) -> None:
    player, props = await enter(Desk(content()))
    await player.says(kind(number_of(props, TREE), 0, 0, 0, 1))
    await player.desk.wait(1.0)
    furniture.sit(player.mobile)
    player.desk.turn()
    player.got.clear()
    await player.says(kind(number_of(props, TREE), 0, 0, 0, 0))
    assert player.took(ActionFailed)
    assert player.took(MoveToLocation) == []
    assert player.told() == []
    assert player.tile == (20, 24)


async def test_a_sign_that_is_near_is_read_and_one_goes_to_one_that_is_far() -> None:
    player, props = await enter(Desk(content()), at=(25, 23))
    await player.says(Action(number_of(props, SIGN), 0, 0, 0, 0))
    assert player.told() == ["Inn: Beds and beer."]
    assert player.took(MoveToLocation) == []
    player, props = await enter(Desk(content()), "berta", (15, 23))
    await player.says(Action(number_of(props, SIGN), 0, 0, 0, 0))
    assert player.told() == []
    assert player.took(MoveToLocation)


async def test_there_is_none_of_that_number() -> None:
    player, props = await enter(Desk(content()))
    await player.says(Action(max(props.shown) + 1_000, 0, 0, 0, 0))
    assert player.told() == [Refusal.UNSEEN.value]


# What is wrong with a table


@pytest.mark.parametrize(
    ("row", "mistake"),
    [
        ({}, "fence and npc: it is one or the other"),
        ({"fence": 1, "npc": 30627}, "fence and npc: it is one or the other"),
        ({"fence": 3}, "fence: must be 1 to 2, is 3"),
        ({"fence": 2, "radius": 3.0}, "radius and height: only an npc has them"),
        ({"npc": 50_001, "radius": 3.0, "height": 3.0}, "npc: must be 1 to 50000, is 50001"),
        ({"npc": 30627, "height": 3.0}, "radius: must be 1 to 400, is 0"),
        ({"npc": 30627, "radius": 9.0, "height": 500.0}, "height: must be 1 to 400, is 500"),
        ({"fense": 2}, "unknown key 'fense', did you mean 'fence'?"),
    ],
)
def test_every_mistake_names_its_place(row: dict[str, object], mistake: str) -> None:
    shipped = shipped_content()
    oak = attrs.evolve(shipped.tiles["oak"], look={"l2": row})
    with pytest.raises(LookError) as caught:
        compile_looks(attrs.evolve(shipped, tiles={"oak": oak}))
    assert caught.value.problems == [f"looks/tiles.toml: oak.l2: {mistake}"]
