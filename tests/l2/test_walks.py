"""Clicks of players who see none of our houses: they arrive or are told why not, and believe what is so."""

from __future__ import annotations

import random
from functools import cache, partial
from math import cos, floor, hypot, pi, sin
from typing import TYPE_CHECKING, Final

import attrs

from protocol.l2.handlers import looking
from protocol.l2.handlers import motion as moving
from protocol.l2.packets import MoveBackwardToLocation, MoveToLocation
from protocol.l2.view import SIGHT
from tests.kit.in_memory import shipped_content
from tests.kit.l2_scene import CORNER, Client, Scene, l2_content
from world import motion
from world.heading import OFFSETS
from world.reach import TALKING, Refusal

if TYPE_CHECKING:
    from world.content import Content
    from world.realm import Realm

SQUARE: Final = (60, 61)
UNITS: Final = 300
"""A click at the edge of what a client shows before its feet."""
TILE: Final = 24
WALKERS, WALKS = 20, 10


@cache
def town() -> Content:
    """Confluence, in the place of the plain."""
    content = l2_content()
    chart = attrs.evolve(
        shipped_content().charts["confluence"],
        name="plain",
        atlas={"l2": CORNER},
        residents=(),
        warps={},
        doors=frozenset(),
    )
    return attrs.evolve(content, charts={**content.charts, "plain": chart})


def clicks(client: Client, x: float, y: float) -> None:
    """On a spot of the client's ground."""
    client.heard()
    spot = round(x), round(y), CORNER["z"]
    moving.move(client.session, client.mobile, MoveBackwardToLocation(*spot, 0, 0, 0, 1))


def spot_of(client: Client) -> tuple[float, float]:
    """Where it believes to be."""
    me = client.screen.me
    assert me is not None
    x, y, _ = me.place(client.screen.now())
    return x, y


def tile_of(x: float, y: float) -> tuple[int, int]:
    return floor((x - CORNER["x"]) / TILE), floor((y - CORNER["y"]) / TILE)


def all_stand(scene: Scene) -> bool:
    """Whether nobody is on the way, and no way is looked for."""
    return all(
        client.mobile.gait.journey is None and client.mobile.gait.seeking is None
        for client in scene.clients.values()
    )


def wait_for_all(scene: Scene) -> None:
    scene.turn()
    for _ in range(2_000):
        if all_stand(scene):
            scene.turn()
            return
        scene.turn()
    raise AssertionError("somebody walks for ever")


def told(client: Client) -> bool:
    """Whether the reason was among what came since it clicked."""
    return any(Refusal.NO_PATH.value in line for line in client.screen.lines())


def apart(client: Client) -> float:
    """Tiles from its character at which it believes to be."""
    x, y = spot_of(client)
    own_x, own_y = CORNER["x"] + (client.mobile.x + 0.5) * TILE, CORNER["y"] + (client.mobile.y + 0.5) * TILE
    return max(abs(x - own_x), abs(y - own_y)) / TILE


def reachable(realm: Realm, start: tuple[int, int]) -> set[tuple[int, int]]:
    """All tiles to which one can step from a tile, found by stepping everywhere."""
    known, edge = {start}, [start]
    while edge:
        x, y = edge.pop()
        for heading, (dx, dy) in enumerate(OFFSETS):
            if (x + dx, y + dy) not in known and motion.can_step(realm, x, y, heading):
                known.add((x + dx, y + dy))
                edge.append((x + dx, y + dy))
    return known


def test_sixteen_clicks_around_the_square_all_arrive() -> None:
    """Where somebody can stand there, and beside it where nobody can: inside of a wall, in the fountain."""
    scene = Scene(town())
    client = scene.client("Alric", *SQUARE)
    realm = client.mobile.realm
    assert realm is not None
    tiles = reachable(realm, SQUARE)
    free = 0
    for way in range(16):
        scene.world.warp(client.mobile, realm, *SQUARE)
        scene.turn()
        client.appears()
        scene.turn()
        x, y = spot_of(client)
        x, y = x + UNITS * cos(way * pi / 8), y + UNITS * sin(way * pi / 8)
        goal = tile_of(x, y)
        free += goal in tiles
        clicks(client, x, y)
        wait_for_all(scene)
        left = hypot(client.mobile.x - goal[0], client.mobile.y - goal[1])
        assert left == min(hypot(at[0] - goal[0], at[1] - goal[1]) for at in tiles)
    assert free >= 8


def test_of_two_hundred_random_walks_nearly_all_arrive_and_nobody_is_elsewhere_than_it_believes() -> None:
    scene, dice = Scene(town()), random.Random(18)
    realm = scene.world.realms["plain"]
    free = [(x, y) for x in range(20, 100) for y in range(20, 100) if realm.walkable(x, y)]
    clients = [scene.client(f"Walker{number}", *dice.choice(free)) for number in range(WALKERS)]
    scene.turn()
    well = lines = 0
    for _ in range(WALKS):
        goals = {}
        for client in clients:
            x, y = spot_of(client)
            way, length = dice.random() * 2 * pi, dice.uniform(2, 25) * TILE
            goals[client] = x + length * cos(way), y + length * sin(way)
            client.screen.notices.clear()
            clicks(client, *goals[client])
        wait_for_all(scene)
        for client in clients:
            assert apart(client) <= 1
            x, y = tile_of(*goals[client])
            near = max(abs(client.mobile.x - x), abs(client.mobile.y - y)) <= 1
            well += near or told(client)
            lines += sum(isinstance(message, MoveToLocation) for message in client.heard())
    assert well >= 0.95 * WALKERS * WALKS
    assert lines < 40 * WALKERS * WALKS, "ways are straight lines, not single tiles"


def test_whoever_lives_in_the_town_can_be_clicked_from_the_square() -> None:
    scene = Scene(town())
    client = scene.client("Alric", *SQUARE)
    realm = client.mobile.realm
    assert realm is not None
    near = [
        resident
        for resident in shipped_content().charts["confluence"].residents
        if max(abs(resident.x - SQUARE[0]), abs(resident.y - SQUARE[1])) <= SIGHT.radius
    ]
    assert len(near) >= 4
    reached: list[int] = []
    for resident in near:
        scene.world.warp(client.mobile, realm, *SQUARE)
        scene.turn()
        client.appears()
        mobile = scene.resident("healer", resident.x, resident.y)
        scene.turn()
        act = partial(reached.append, mobile.serial)
        looking.approach(client.session, client.mobile, mobile, TALKING, looking.COMES_WITHIN, act)
        wait_for_all(scene)
        assert reached[-1:] == [mobile.serial], resident.template
        scene.world.leave(mobile)
